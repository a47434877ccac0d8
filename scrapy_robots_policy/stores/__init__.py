"""Where records sleep between two looks at an origin.

Knows: the three things a store can do, and which store a URI names.
Must not know: dialects, rules, verdicts: a store keeps octets and facts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from scrapy.utils.project import data_path

from ..rep.access import Record
from .memory import MemoryStore
from .sqlite import SqliteStore

__all__ = ["MemoryStore", "SqliteStore", "Store", "open_store"]

DEFAULT_FILE = "robots.sqlite"  # in the project's .scrapy folder


@runtime_checkable
class Store(Protocol):
    """What a store must do. It may raise what it likes: a store that fails counts as a miss."""

    async def get(self, origin: str) -> Record | None:
        """The record kept for an origin ("https://example.com"); None if there is none."""

    async def put(self, origin: str, record: Record) -> None:
        """Keep a record in place of the one before."""

    async def close(self) -> None:
        """Let go of files and connections."""


def open_store(uri: str) -> Store:
    """The store that a URI names; nothing is opened yet. ValueError names the choices."""
    scheme, colon, rest = uri.partition(":")
    if not colon or scheme not in STORES:
        choices = ", ".join(f"{name}:" for name in STORES)
        msg = f"{uri!r} names no store; the choices are {choices}"
        raise ValueError(msg)
    return STORES[scheme](rest)


def _memory(rest: str) -> MemoryStore:
    if rest:
        msg = f"'memory:{rest}' names no store; nothing may follow memory:"
        raise ValueError(msg)
    return MemoryStore()


def _sqlite(path: str) -> SqliteStore:
    """A path stands as for any command: relative to where the crawl was started."""
    return SqliteStore(Path(path or data_path(DEFAULT_FILE)).expanduser())


STORES: Mapping[str, Callable[[str], Store]] = {"memory": _memory, "sqlite": _sqlite}
