"""What the user has set: read once, checked, and said in one sentence where it is wrong.

Knows: every setting's name, kind and default, and the add-on that puts the middlewares in their
places; nothing else in this package knows a name. Must not know: what the values do.
"""

from __future__ import annotations

from ..addon import Addon, refuse_second_middleware
from .crawl_settings import PolicySettings
from .identity import (
    dialect_from_crawler,
    dialect_from_settings,
    purposes_from_settings,
    read_dialect,
    sent_user_agent,
    user_agent,
)
from .tag_settings import TagSettings

__all__ = [
    "Addon",
    "PolicySettings",
    "TagSettings",
    "dialect_from_crawler",
    "dialect_from_settings",
    "purposes_from_settings",
    "read_dialect",
    "refuse_second_middleware",
    "sent_user_agent",
    "user_agent",
]
