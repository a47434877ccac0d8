"""What did the user choose: for the crawl, for single hosts, for one request?

Settings are one declarative table. A wrong value stops the spider with one sentence.
"""

from __future__ import annotations

from .identity import DialectKind, sent_user_agent
from .kinds import SettingError
from .overrides import Override, Overrides, OverridesKind
from .policy_settings import PolicySettings, declared_use, redirect_guard
from .request_config import EXEMPT_KEY, META_KEY, RequestConfig, RequestConfigs, is_exempt
from .setting_values import Values
from .settings_table import SETTINGS, Setting
from .stopping import one_sentence
from .store_settings import StoreSettings
from .tag_settings import TagSettings

__all__ = [
    "EXEMPT_KEY",
    "META_KEY",
    "SETTINGS",
    "DialectKind",
    "Override",
    "Overrides",
    "OverridesKind",
    "PolicySettings",
    "RequestConfig",
    "RequestConfigs",
    "Setting",
    "SettingError",
    "StoreSettings",
    "TagSettings",
    "Values",
    "declared_use",
    "is_exempt",
    "one_sentence",
    "redirect_guard",
    "sent_user_agent",
]
