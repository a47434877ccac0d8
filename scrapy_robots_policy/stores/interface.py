"""What a store must do, what a store that many processes share can do besides, and what it tells.

Knows: records. Must not know: where and how anything is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ..rep.access import CacheEntry


@runtime_checkable
class Store(Protocol):
    """What a store must do. It may raise what it likes: a store that fails counts as a miss."""

    async def get(self, origin: str) -> CacheEntry | None:
        """The record kept for an origin ("https://example.com"); None if there is none."""

    async def put(self, origin: str, record: CacheEntry) -> None:
        """Keep a record in place of the one before."""

    async def close(self) -> None:
        """Let go of files and connections."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What became of a claim.

    granted  it is ours to ask the origin, until we release it
    entry    the newest that the fleet knows; None: nothing
    """

    granted: bool
    entry: CacheEntry | None


@runtime_checkable
class FleetCoordinator(Protocol):
    """What processes that share a store agree on. It never raises: who cannot ask goes alone."""

    async def claim(self, origin: str) -> Claim:
        """Ask for the right to fetch an origin's robots.txt, which one process has at a time."""

    def release(self, origin: str) -> None:
        """Give that right back. Where it is not ours, nothing happens."""

    async def take(self, host: str, delay: float) -> float:
        """Ask for the right to visit a host. 0: it is ours; else ask again in so many seconds."""

    def leave(self, host: str, *, visited: bool) -> None:
        """Give that right back; after a visit nobody gets it before the delay is over."""


class Alone:
    """The fleet of one: everything is granted at once."""

    async def claim(self, origin: str) -> Claim:  # noqa: ARG002 - as in `FleetCoordinator`
        return Claim(granted=True, entry=None)

    def release(self, origin: str) -> None:
        """Nobody waits for it."""

    async def take(self, host: str, delay: float) -> float:  # noqa: ARG002 - as in `FleetCoordinator`
        return 0.0

    def leave(self, host: str, *, visited: bool) -> None:
        """Nobody waits for it."""


ALONE = Alone()


def coordinator_of(store: Store | None) -> FleetCoordinator:
    """Those who share a store; most stores are shared by nobody who could be asked."""
    return store if isinstance(store, FleetCoordinator) else ALONE


class StoreEvents:
    """What a store tells as it goes. Made to be overridden; nothing is told by default."""

    def store_failed(self, verb: str, error: Exception) -> None:
        """The store could not get, put, read or close: taken as a miss."""

    def store_lost(self, store: str, why: str) -> None:
        """A store elsewhere cannot be used; what this process knows goes on."""

    def store_regained(self, store: str) -> None:
        """It works again."""
