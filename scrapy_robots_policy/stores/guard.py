"""Stores and coordinators of others, made safe to call: no call raises, and none waits for ever.

Each call has a deadline. What fails, is late or gives back no cache entry is reported to the
`StoreEvents` and counts as a miss. Then a circuit breaker leaves the store unused for a while, so
that a store that hangs delays one request now and then, not every one. A store that cannot be
written, because its disk is full, is still read. A method that blocks the event loop itself cannot
be interrupted.

The circuit breaker is closed, and every call goes through; open, and none does until the pause is
over, which doubles from fault to fault; or half-open: one call tries, all others fail at once.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from twisted.internet.defer import CancelledError

from .. import compat
from ..core.codec import EntryError, checked
from ..rep.access import CacheEntry
from .protocol import (
    ALONE,
    Claim,
    FleetCoordinator,
    SharesPauses,
    Store,
    StoreEvents,
    coordinator_of,
)

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds; the first fault pauses twice the first
CALM = 3.0  # seconds without a fault after which the trouble is over

ANSWER_WITHIN = 5.0  # seconds for get, put, claim and take
CLOSE_WITHIN = 10.0  # seconds: a store may have to write what it holds
MAX_WAIT = 600.0  # seconds that a coordinator may have us wait between two calls of `take`


class CircuitBreaker:
    """`now`: any clock in seconds that never goes back."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.faults = 0  # since the last calm time
        self._fault_at = 0.0
        self._open_until: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether the pause after a fault is not over yet."""
        return self._open_until is not None and self.now() < self._open_until

    def permits(self) -> bool:
        """Whether a call may go through now. The caller makes it then."""
        if self.is_open:
            return False
        if self._open_until is not None:
            # Half-open: the next caller comes before this call has ended, and must not wait for it.
            self._pause()
        return True

    def failed(self, faults_before: int) -> None:
        """Note a fault. `faults_before` is `faults` from before the call: calls that fail together
        are one fault.
        """
        self.faults = faults_before + 1
        self._fault_at = self.now()
        self._pause()

    def worked(self) -> None:
        """Note a call that was answered: the breaker closes."""
        self._open_until = None

    def is_over(self) -> bool:
        """Whether a trouble is over; True once. A single answer does not end it."""
        if not self.faults or self.now() < self._fault_at + CALM:
            return False
        self.faults = 0
        return True

    def _pause(self) -> None:
        pause = FIRST_PAUSE * 2.0 ** min(self.faults, 10)
        self._open_until = self.now() + min(pause, LONGEST_PAUSE)


Answer = TypeVar("Answer")


class Deadline(TimeoutError):  # noqa: N818 - it names what passed
    """A call was not answered in time."""


async def within(seconds: float, call: Callable[[], Awaitable[Answer]]) -> Answer:
    """The answer of a call; `Deadline` if it takes longer (see `compat.within`)."""
    late = Deadline(f"no answer within {seconds:g} s")
    return await compat.within(seconds, call, lambda: late)


class _Guard:
    """Calls with a deadline and a circuit breaker; `None` where there is no answer.

    Attributes:
        reads: the guard of the reads, for other calls. A store that cannot be read hangs or is
            gone; it is not only full. So it gets no other calls either.

    """

    def __init__(self, events: StoreEvents, reads: _Guard | None = None) -> None:
        self.events, self.reads = events, reads
        self.breaker = CircuitBreaker(time.monotonic)

    async def ask(self, verb: str, call: Callable[[], Awaitable[Answer]]) -> Answer | None:
        is_gone = self.reads is not None and self.reads.breaker.is_open
        if is_gone or not self.breaker.permits():
            return None
        faults_before = self.breaker.faults
        try:
            answer = await within(ANSWER_WITHIN, call)
        except EntryError as error:  # one entry is broken; the store works
            self.events.store_failed(verb, error)
            answer = None
        except CancelledError:  # our caller is cancelled: without asyncio, that is an Exception
            raise
        except Exception as error:  # noqa: BLE001 - a store may raise any
            self.breaker.failed(faults_before)
            self.events.store_failed(verb, error)
            return None
        self.breaker.worked()
        if self.breaker.is_over():
            self.events.store_works()
        return answer


class GuardedStore:
    """A `Store` around another one. It never raises."""

    def __init__(self, store: Store, events: StoreEvents) -> None:
        self.store, self.events = store, events
        self._reads = _Guard(events)
        self._writes = _Guard(events, self._reads)
        self.coordinator = coordinator_of(store)
        if self.coordinator is not ALONE:
            guard = _Guard(events, self._reads)
            self.coordinator = GuardedCoordinator(self.coordinator, guard)

    async def get(self, origin: str) -> CacheEntry | None:
        async def get() -> CacheEntry | None:
            entry = await self.store.get(origin)
            return None if entry is None else checked(entry)

        return await self._reads.ask("get", get)

    async def put(self, origin: str, entry: CacheEntry) -> None:
        await self._writes.ask("put", lambda: self.store.put(origin, entry))

    async def close(self) -> None:
        """Close the store, even one that failed; it may be called twice."""
        try:
            await within(CLOSE_WITHIN, self.store.close)
        except Exception as error:  # noqa: BLE001 - a store may raise any
            self.events.store_failed("close", error)


class GuardedCoordinator:
    """A `FleetCoordinator` around another one. Where that one fails, everything is granted."""

    def __init__(self, coordinator: FleetCoordinator, guard: _Guard) -> None:
        self.coordinator, self._guard = coordinator, guard
        self._pauses = coordinator if isinstance(coordinator, SharesPauses) else None

    @property
    def shares_pauses(self) -> bool:
        return self._pauses is not None

    async def pause(self, host: str, seconds: float) -> None:
        if (shared := self._pauses) is not None:
            await self._guard.ask("pause", lambda: shared.pause(host, seconds))

    async def pauses(self) -> Mapping[str, float]:
        shared = self._pauses
        return {} if shared is None else await self._guard.ask("pauses", shared.pauses) or {}

    async def claim(self, origin: str) -> Claim:
        async def claim() -> Claim:
            answer = await self.coordinator.claim(origin)
            if answer.entry is not None:
                checked(answer.entry)
            return Claim(bool(answer.granted), answer.entry)

        return await self._guard.ask("claim", claim) or await ALONE.claim(origin)

    def release(self, origin: str) -> None:
        self._do("release", lambda: self.coordinator.release(origin))

    async def take(self, host: str, delay: float) -> float:
        async def take() -> float:
            wait = float(await self.coordinator.take(host, delay))
            if not wait >= 0:
                raise ValueError(f"take gave {wait!r}; it must give the seconds to wait, or 0")
            return min(wait, max(delay, MAX_WAIT))

        return await self._guard.ask("take", take) or 0.0

    def leave(self, host: str, *, visited: bool) -> None:
        self._do("leave", lambda: self.coordinator.leave(host, visited=visited))

    def _do(self, verb: str, call: Callable[[], Any]) -> None:
        try:
            call()
        except Exception as error:  # noqa: BLE001 - a coordinator may raise any
            self._guard.events.store_failed(verb, error)
