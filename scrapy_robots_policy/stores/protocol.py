"""What a store and a fleet's coordinator do. `docs/stores.md` says how to write one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ..rep.access import DAY, CacheEntry

MAX_SKEW = 60.0  # seconds that the clocks of two machines may differ

KEPT = 30 * DAY  # RFC 9309 §2.3.1.4; no dialect but 1994's trusts a copy for longer
KEPT_WITHOUT_FILE = 14 * DAY  # only its freshness is of use: two of the longest lifetimes


@runtime_checkable
class Store(Protocol):
    """Keeps the last answer for each origin's robots.txt between two looks at it.

    Every method may raise any `Exception`: the caller counts it as a miss and goes on. No method
    may block the event loop.
    """

    async def get(self, origin: str) -> CacheEntry | None:
        """The entry of an origin such as "https://example.com:8443"; None if there is none.

        Called before the robots.txt of an origin is fetched for the first time, and again after
        the crawl's own cache dropped it.
        """

    async def put(self, origin: str, entry: CacheEntry) -> None:
        """Replace the entry of an origin. Called after each fetch; no request waits for it."""

    async def close(self) -> None:
        """Release files and connections. Called once, last, when the spider closes."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The answer to `FleetCoordinator.claim`.

    Attributes:
        granted: this process may fetch the robots.txt, until it calls `release`.
        entry: the newest entry that the fleet has; None: none.

    """

    granted: bool
    entry: CacheEntry | None


@runtime_checkable
class FleetCoordinator(Protocol):
    """What processes of a fleet agree on: which of them fetches a robots.txt or visits a host.

    No method raises. Where the others cannot be asked, everything is granted: the process then
    goes on by itself.
    """

    async def claim(self, origin: str) -> Claim:
        """Ask for the lease to fetch an origin's robots.txt. One process has it at a time.

        Where the call is cancelled, `release` follows: it may have been granted just then.
        """

    def release(self, origin: str) -> None:
        """Give that lease back. A lease that is not ours is left alone."""

    async def take(self, host: str, delay: float) -> float:
        """Ask for the turn to visit a host whose Crawl-delay is `delay` seconds.

        0: the turn is ours, until `leave`. Else the seconds after which to ask again. Where the
        call is cancelled, `leave` follows.
        """

    def leave(self, host: str, *, visited: bool) -> None:
        """Give the turn back. After a visit nobody gets it before the delay is over."""


@runtime_checkable
class SharesPauses(Protocol):
    """A coordinator may also have these two methods, for the pauses that hosts ask for."""

    async def pause(self, host: str, seconds: float) -> None:
        """A host is to be left alone by all processes."""

    async def pauses(self) -> Mapping[str, float]:
        """The hosts that are left alone now, each with the seconds that are left."""


class Alone:
    """The coordinator of a process without a fleet: it grants everything at once."""

    async def claim(self, origin: str) -> Claim:  # noqa: ARG002 - as in `FleetCoordinator`
        return Claim(granted=True, entry=None)

    def release(self, origin: str) -> None:
        """Nobody waits for it."""

    async def take(self, host: str, delay: float) -> float:  # noqa: ARG002 - as in the protocol
        return 0.0

    def leave(self, host: str, *, visited: bool) -> None:
        """Nobody waits for it."""


ALONE = Alone()


def coordinator_of(store: Store | None) -> FleetCoordinator:
    """The store's attribute `coordinator`, if it has one: most stores serve no fleet.

    ValueError where it is no `FleetCoordinator`.
    """
    coordinator = getattr(store, "coordinator", None)
    if coordinator is None:
        return ALONE
    if not isinstance(coordinator, FleetCoordinator):
        raise ValueError("its coordinator must have the methods claim, release, take and leave")
    return coordinator


class StoreEvents:
    """Callbacks for what happens to a store. The defaults do nothing."""

    def store_failed(self, verb: str, error: Exception) -> None:
        """A call failed: `verb` is "get", "put", "read" … The caller counts it as a miss."""

    def store_works(self) -> None:
        """A store that has failed works again."""


def retention(entry: CacheEntry) -> float:
    """Seconds to keep an entry, from when it was made: 30 days with a file or during an outage,
    else 14. The length of an outage decides what a dialect allows, so it must not be forgotten.
    """
    has_past = entry.body is not None or entry.failing_since is not None
    return KEPT if has_past else KEPT_WITHOUT_FILE
