"""What did the user choose: for the crawl, for single hosts, for one request?

Settings are one declarative table. A wrong value stops the spider with one sentence.
"""

from __future__ import annotations

from .kinds import SettingError
from .policy_settings import PolicySettings, TagSettings, declared_use, one_sentence, redirect_guard
from .request_config import EXEMPT_KEY, DialectKind, RequestConfig, is_exempt, sent_user_agent
from .settings_table import SETTINGS, Values

__all__ = [
    "EXEMPT_KEY",
    "SETTINGS",
    "DialectKind",
    "PolicySettings",
    "RequestConfig",
    "SettingError",
    "TagSettings",
    "Values",
    "declared_use",
    "is_exempt",
    "one_sentence",
    "redirect_guard",
    "sent_user_agent",
]
