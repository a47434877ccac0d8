"""What the user has set: read once, checked, and said in one sentence where it is wrong.

Knows: every setting's name, kind and default, and the add-on that puts the middlewares in their
places; nothing else in this package knows a name. Must not know: what the values do.
"""

from __future__ import annotations

from .addon import Addon, refuse_second_middleware
from .policy import PolicySettings
from .tags import TagSettings
from .terms import dialect_from_crawler, read_dialect, read_purposes

__all__ = [
    "Addon",
    "PolicySettings",
    "TagSettings",
    "dialect_from_crawler",
    "read_dialect",
    "read_purposes",
    "refuse_second_middleware",
]
