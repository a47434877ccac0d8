"""Where is the answer for an origin's robots.txt kept between two looks at it?

A store keeps bytes and facts; it knows no dialect, no rule and no verdict. `docs/stores.md` says
how to write one.
"""

from __future__ import annotations

from ..core.codec import EntryError, decode, encode
from ..core.memory import MemoryStore
from .guard import GuardedCoordinator, GuardedStore
from .opening import check_store, open_store, without_secrets
from .protocol import (
    ALONE,
    MAX_SKEW,
    Claim,
    FleetCoordinator,
    SharesPauses,
    Store,
    StoreEvents,
    coordinator_of,
    retention,
)

__all__ = [
    "ALONE",
    "MAX_SKEW",
    "Claim",
    "EntryError",
    "FleetCoordinator",
    "GuardedCoordinator",
    "GuardedStore",
    "MemoryStore",
    "SharesPauses",
    "Store",
    "StoreEvents",
    "check_store",
    "coordinator_of",
    "decode",
    "encode",
    "open_store",
    "retention",
    "without_secrets",
]
