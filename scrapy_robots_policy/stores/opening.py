"""From ROBOTS_STORE to a store: a URI, a store, its class, or the import path of one of them.

All errors are ValueErrors whose words follow "ROBOTS_STORE is …:"; none shows a password.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from stat import S_ISDIR
from typing import Any

from scrapy.exceptions import NotConfigured
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.project import data_path

from .. import compat
from ..core.memory import MemoryStore
from ..imports import error_words, imported
from .guard import GuardedStore
from .protocol import Store, StoreEvents

DEFAULT_FILE = "robots.sqlite"  # in the project's .scrapy folder
IN_MEMORY = ":memory:"  # what SQLite and SQLAlchemy call a database without a file
_SLASHES_BEFORE_DRIVE = re.compile(r"^/+(?=[a-z]:)", re.IGNORECASE)  # as in sqlite:///C:/x.sqlite
METHODS = ("get", "put", "close")
# Another package may have asked for an old one. Those before 5 know no `protocol`, and with 5 the
# first call after a restart or a failover of the server fails: two processes get one lease. The
# tests of the store pass with 6.2, and not all of them with 6.0.
_OLDEST_REDIS_PY = 6, 2
_NEEDS_REDIS_PY = "Redis needs redis-py 6.2 or newer: pip install 'scrapy-robots-policy[redis]'"

Params = Mapping[str, Any]


def open_store(
    place: Any, params: Params | None = None, events: StoreEvents | None = None, crawler: Any = None
) -> Store:
    """A store, ready to use. Ours connect to nothing before their first call.

    Args:
        place: a URI, a store, a store's class, or the import path of either.
        params: what the URI `redis:`, which has no address, stands for.
        events: callbacks for the store's failures.
        crawler: handed to `from_crawler` of a class that has it.

    """
    store, events = _imported(place), events or StoreEvents()
    if isinstance(store, str):
        return _OPENERS[_scheme(store)](store, params or {}, events)
    _check_methods(store)
    if isinstance(store, type):
        store = _made(store, crawler)
        _check_methods(store)
    return GuardedStore(store, events)


def check_store(place: Any, params: Params) -> None:
    """Check what can be checked before the crawl: everything of a URI, and a class's methods."""
    store = _imported(place)
    if isinstance(store, str):
        open_store(store, params)
    else:
        _check_methods(store)


def without_secrets(place: Any) -> str:
    """As much of a setting as may be shown: a URI of a server may have a password anywhere, and so
    may an object, or a dict of what a server is opened with.
    """
    if not isinstance(place, str):
        is_open = isinstance(place, int | float | type)
        return repr(place) if is_open else f"of type {type(place).__name__}"
    scheme, colon, rest = place.partition(":")
    return repr(f"{scheme}:…" if colon and ("//" in rest or "@" in rest) else place)


def _imported(place: Any) -> Any:
    """What an import path names; anything else as it is."""
    if not isinstance(place, str) or _scheme(place) in STORES:
        return place
    is_path = "." in place and not set(place) & set(":/@ ")
    if not is_path:
        choices = ", ".join(f"{name}:" for name in STORES)
        raise ValueError(
            f"it names no store; the choices are {choices}, "
            "a store's class, a store, or the import path of either"
        )
    try:
        store = imported(place)
    except ValueError as error:
        hint = f"; a file is sqlite:{place}" if place.endswith((".db", ".sqlite")) else ""
        raise ValueError(f"it {error}{hint}") from error.__cause__
    if isinstance(store, str):
        raise ValueError("it is the import path of a text, not of a store")
    return store


def _scheme(uri: str) -> str:
    scheme, colon, _ = uri.partition(":")
    return scheme if colon else ""


def _check_methods(place: Any) -> None:
    missing = [name for name in METHODS if not callable(getattr(place, name, None))]
    if missing:
        needs = "a store has get, put and close (docs/stores.md)"
        raise ValueError(f"it has no method {missing[0]}; {needs}")


def _made(kind: Callable[[], Any], crawler: Any) -> Any:
    """A store of a class, made as Scrapy makes its components."""
    try:
        return kind() if crawler is None else build_from_crawler(kind, crawler)
    except Exception as error:
        raise ValueError(f"it cannot be created: {error_words(error)}") from error


def _memory(uri: str, _params: Params, _events: StoreEvents) -> Store:
    if uri != "memory:":
        raise ValueError("nothing may follow memory:")
    return MemoryStore()


def _sqlite(uri: str, _params: Params, events: StoreEvents) -> Store:
    """A relative path starts where the crawl was started, as for any command."""
    from .sqlite import SqliteStore  # noqa: PLC0415 - few crawls need sqlite3

    path = uri.removeprefix("sqlite:")
    if sys.platform == "win32":
        path = _SLASHES_BEFORE_DRIVE.sub("", path)
    if path.strip("/") == IN_MEMORY:
        raise ValueError("it would be a file called :memory:; take memory:, which keeps no file")
    if "\0" in path:
        raise ValueError("no path has a NUL in it")
    is_folder = path.endswith(("/", os.sep))  # of one that is missing `Path` would make a file
    try:
        file = Path(path or _default_file()).expanduser()
        with suppress(FileNotFoundError):  # the store creates it
            is_folder |= S_ISDIR(file.stat().st_mode)  # `is_dir` hides errors from Python 3.14 on
    except RuntimeError as error:
        raise ValueError("nobody knows the home folder in it") from error
    except OSError as error:  # the name is too long, for example
        raise ValueError(f"no file can be there: {error.strerror}") from error
    if is_folder:
        raise ValueError("it is a folder; name a file in it, as in sqlite:robots.sqlite")
    # Guarded because a file that others keep locked blocks the event loop for each try.
    return GuardedStore(SqliteStore(file), events)


def _default_file() -> str:
    """In the project's `.scrapy` folder; where there is no project, in one where the crawl starts.

    A project that was deployed as an egg has no folder: there `data_path` raises NotConfigured,
    for which Scrapy would leave the middleware out, and crawl without robots.txt.
    """
    with suppress(NotConfigured):
        return data_path(DEFAULT_FILE)
    return str(Path(".scrapy", DEFAULT_FILE))


def _redis(uri: str, params: Params, events: StoreEvents) -> Store:
    _check_redis()
    from .redis import RedisStore, client_of  # noqa: PLC0415 - redis-py is an extra

    return GuardedStore(RedisStore(client_of("" if uri == "redis:" else uri, params)), events)


def _check_redis() -> None:
    if not compat.has_asyncio():
        raise ValueError(
            "Redis needs asyncio: set TWISTED_REACTOR to "
            "'twisted.internet.asyncioreactor.AsyncioSelectorReactor', or take memory: or sqlite:"
        )
    try:
        number = version("redis")
    except PackageNotFoundError:
        raise ValueError(_NEEDS_REDIS_PY) from None
    if tuple(map(int, re.findall(r"\d+", number)[:2])) < _OLDEST_REDIS_PY:
        raise ValueError(_NEEDS_REDIS_PY)


_OPENERS: Mapping[str, Callable[[str, Params, StoreEvents], Store]] = {
    "memory": _memory,
    "sqlite": _sqlite,
    **dict.fromkeys(("redis", "rediss", "unix"), _redis),
}
STORES = tuple(_OPENERS)
