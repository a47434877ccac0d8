"""Time that passes only when a test says so. Crawls wait for days in it within milliseconds."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from types import SimpleNamespace

import pytest
from scrapy.core import downloader
from scrapy.utils import defer
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scrapy_robots_policy import compat

MIDNIGHT = 1_800_057_600.0  # of some day, UTC
TURNS = 12  # of the event loop
MAX_TURNS = 5_000  # of a millisecond each, for threads and for Scrapy to close a crawl

_at_once = compat.call_later


def _real_pause() -> Deferred[None]:
    pause: Deferred[None] = Deferred()
    _at_once(0.001, lambda: pause.callback(None))
    return pause


class VirtualTime:
    """A clock in seconds since the epoch, and what is to be called at which time."""

    def __init__(self) -> None:
        self.time = MIDNIGHT
        self._timers: list[tuple[float, int]] = []
        self._calls: dict[int, Callable[[], object]] = {}
        self._numbers = count()
        self._looks = 0

    def now(self) -> float:
        self._looks += 1
        return self.time

    def call_later(self, seconds: float, call: Callable[[], object]) -> Callable[[], None]:
        """As `compat.call_later`."""
        if seconds <= 0:
            return _at_once(0, call)
        number = next(self._numbers)
        self._calls[number] = call
        heapq.heappush(self._timers, (self.time + seconds, number))
        return lambda: self._calls.pop(number, None)

    def call_later_of_scrapy(
        self, seconds: float, call: Callable[..., object], *arguments: object
    ) -> SimpleNamespace:
        """As `scrapy.utils.asyncio.call_later`, by which the downloader keeps DOWNLOAD_DELAY."""
        return SimpleNamespace(cancel=self.call_later(seconds, partial(call, *arguments)))

    async def forward(self, seconds: float) -> None:
        """Let time pass. Whatever has a time meanwhile happens at that time."""
        end = self.time + seconds
        await self._settle()
        while (at := self._next_at()) is not None and at <= end:
            self.time = at
            self._calls.pop(heapq.heappop(self._timers)[1])()
            await self._settle()
        self.time = end

    async def until(self, holds: Callable[[], bool], seconds: float) -> None:
        """Let time pass until `holds` is true, for so many seconds at most."""
        end = self.time + seconds
        await self._settle()
        while not holds() and (at := self._next_at()) is not None and at <= end:
            await self.forward(at - self.time)

    async def run(self, ended: Callable[[], bool], seconds: float = 366 * 86_400.0) -> None:
        """Let time pass until `ended` is true. What happens in other threads is waited for."""
        end, turns = self.time + seconds, 0
        while not ended():
            await self._settle()
            at = self._next_at()
            if ended() or (at is not None and at > end):
                break
            if at is not None:
                turns = 0
                await self.forward(at - self.time)
            else:
                turns += 1
                assert turns < MAX_TURNS, "nothing happens any more, and the crawl does not end"
                await maybe_deferred_to_future(_real_pause())
        assert ended(), f"not true after {seconds:g} s"

    @property
    def is_over(self) -> bool:
        """Whether nothing will happen any more."""
        return self._next_at() is None

    async def _settle(self) -> None:
        """Let all that can go on do so. Whatever goes on looks at the clock within some turns."""
        before = -1
        while before != self._looks:
            before = self._looks
            for _ in range(TURNS):
                await compat.sleep(0)

    def _next_at(self) -> float | None:
        while self._timers and self._timers[0][1] not in self._calls:  # it was cancelled
            heapq.heappop(self._timers)
        return self._timers[0][0] if self._timers else None


@contextmanager
def virtual_time() -> Iterator[VirtualTime]:
    """Inside, all crawls that begin live in the time that this gives."""
    time = VirtualTime()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compat, "call_later", time.call_later)
        patch.setattr(compat, "steady_clock", lambda: time.now)
        patch.setattr(defer, "_DEFER_DELAY", 0, raising=False)  # in Scrapy 2.14 each page takes it
        patch.setattr(compat, "monotonic", time.now)
        for name in ("time", "monotonic"):  # which of them it is depends on the version
            patch.setattr(downloader, name, time.now, raising=False)
        patch.setattr(downloader, "call_later", time.call_later_of_scrapy, raising=False)
        yield time
