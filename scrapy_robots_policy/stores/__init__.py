"""Where records sleep between two looks at an origin.

Knows: which store a URI names. Must not know: dialects, rules, verdicts: a store keeps octets and
facts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .. import compat
from .interface import ALONE, FleetCoordinator, Store, StoreEvents, coordinator_of
from .memory import MemoryStore

__all__ = [
    "ALONE",
    "FleetCoordinator",
    "MemoryStore",
    "Store",
    "StoreEvents",
    "coordinator_of",
    "open_store",
    "shown",
]

DEFAULT_FILE = "robots.sqlite"  # in the project's .scrapy folder

Params = Mapping[str, Any]


def open_store(uri: str, params: Params | None = None, told: StoreEvents | None = None) -> Store:
    """The store that a URI names; nothing is opened yet. ValueError names the choices.

    params  what a URI without an address stands for
    told    hears what the store has to tell
    """
    scheme, colon, _ = uri.partition(":")
    if not colon or scheme not in STORES:
        choices = ", ".join(f"{name}:" for name in STORES)
        msg = f"it names no store; the choices are {choices}"
        raise ValueError(msg)
    return STORES[scheme](uri, params or {}, told or StoreEvents())


def shown(uri: str) -> str:
    """As much of a URI as may be shown: one of a server may have a password anywhere."""
    scheme, colon, place = uri.partition(":")
    return f"{scheme}:…" if colon and ("//" in place or "@" in place) else uri


def _memory(uri: str, _params: Params, _told: StoreEvents) -> MemoryStore:
    if uri != "memory:":
        msg = "nothing may follow memory:"
        raise ValueError(msg)
    return MemoryStore()


def _sqlite(uri: str, _params: Params, _told: StoreEvents) -> Store:
    """A path stands as for any command: relative to where the crawl was started."""
    from scrapy.utils.project import data_path  # noqa: PLC0415 - few crawls keep a file

    from .sqlite import SqliteStore  # noqa: PLC0415 - nor needs sqlite3

    path = uri.removeprefix("sqlite:")
    return SqliteStore(Path(path or data_path(DEFAULT_FILE)).expanduser())


def _redis(uri: str, params: Params, told: StoreEvents) -> Store:
    if not compat.has_asyncio():
        msg = (
            "Redis needs asyncio: set TWISTED_REACTOR to "
            "'twisted.internet.asyncioreactor.AsyncioSelectorReactor', or take memory: or sqlite:"
        )
        raise ValueError(msg)
    try:
        from .redis import RedisStore  # noqa: PLC0415 - redis-py is an extra
        from .redis.address import Address  # noqa: PLC0415 - imports redis-py too
    except ImportError:
        msg = "Redis needs redis-py: pip install 'scrapy-robots-policy[redis]'"
        raise ValueError(msg) from None
    address = Address.of_params(params) if uri == "redis:" else Address.of_uri(uri)
    return RedisStore(address, told)


STORES: Mapping[str, Callable[[str, Params, StoreEvents], Store]] = {
    "memory": _memory,
    "sqlite": _sqlite,
    "redis": _redis,
    "rediss": _redis,
    "unix": _redis,
    "redis+cluster": _redis,
    "rediss+cluster": _redis,
}
