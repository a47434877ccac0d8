"""The places of CONCURRENT_REQUESTS: lent back while a request waits, taken again in turn.

Knows: Scrapy's downloader and what the engine does with it; nothing else in this package touches
them. Must not know: robots.txt, rules, why somebody waits.

The engine sends requests until its downloader's `needs_backout` says that no place is left. That
counts all active requests, those too that wait; here they are taken off. `total_concurrency` is
only ever read, so that whoever else sets it is heard, and 0, no limit, stays 0. A request whose
wait has ended takes its place when one is free, first come, first served, before the engine may
send another: so a host that answers late floods nobody.

While nobody waits, fetches a robots.txt or keeps a pace, the downloader is left as Scrapy made it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.core.downloader import Downloader
from scrapy.crawler import Crawler
from scrapy.http import Request
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from .. import compat
from ..stores import FleetCoordinator
from .delay_queue import Closing, DelayQueue, DelayQueues

SLOT_KEY = "download_slot"


class Concurrency:
    """Who waits, who waits no longer and wants in, who fetches a robots.txt.

    max_waiting  how many requests may wait without a place; more of them keep theirs, so that the
                 engine holds back
    fleet        those who visit the same hosts
    on_close     called when the engine begins to close: from then on nobody may wait
    """

    def __init__(
        self,
        crawler: Crawler,
        max_waiting: int,
        fleet: FleetCoordinator,
        on_close: Callable[[], None],
    ) -> None:
        self.crawler = crawler
        self.max_waiting, self.on_close = max_waiting, on_close
        self.waiting = 0
        self.is_closing = False
        self.pace = DelayQueues(fleet, time.monotonic, compat.call_later)
        self._returning: deque[Deferred[None]] = deque()
        self._sleeping: set[Deferred[None]] = set()
        self._extra: set[Request] = set()
        self._engine: _Engine | None = None

    @contextmanager
    def lent(self) -> Iterator[None]:
        """While inside, the place of the request that waits belongs to others."""
        if self.is_closing:
            raise Closing
        self.waiting += 1
        self._hooked().wake()
        try:
            yield
        finally:
            self.waiting -= 1
            self._unhook()

    async def place(self) -> None:
        """Wait for a place among those who send; who came first goes first."""
        if self.is_closing:
            raise Closing
        turn: Deferred[None] = Deferred()
        self._returning.append(turn)
        self._admit()
        try:
            await maybe_deferred_to_future(turn)
        except BaseException:  # cancelled
            if turn in self._returning:
                self._returning.remove(turn)
                self._unhook()
            raise

    async def sleep(self, seconds: float) -> None:
        """Wait for a time, or until the engine closes."""
        woken: Deferred[None] = Deferred()
        cancel = compat.call_later(seconds, lambda: woken.callback(None))
        self._sleeping.add(woken)
        try:
            await maybe_deferred_to_future(woken)
        finally:
            self._sleeping.discard(woken)
            cancel()

    @asynccontextmanager
    async def fetch(self, request: Request) -> AsyncIterator[None]:
        """While inside, the request may be active and take nobody's place."""
        engine = self._hooked()
        lane = self.pace.lanes.get(engine.slot_of(request)) if self.pace.lanes else None
        if lane is not None:
            await lane.turn(first=True)
            lane.go(request)
        self._extra.add(request)
        try:
            yield
        finally:
            self._extra.discard(request)
            self._unhook()

    def lane(
        self, request: Request, origin: str, delay: float, since_visit: float
    ) -> DelayQueue | None:
        """Where a request has to line up; None: nowhere. As in `DelayQueues.lane`."""
        if not delay and not self.pace.lanes:
            return None
        if not self.pace.lanes:
            self.crawler.signals.connect(self._reached, signals.request_reached_downloader)
            self.crawler.signals.connect(self._visited, signals.request_left_downloader)
        return self.pace.lane(self._hooked().slot_of(request), origin, delay, since_visit)

    def _reached(self, request: Request) -> None:
        lane = self.pace.lanes.get(request.meta[SLOT_KEY])
        if lane is not None:
            lane.reached(request)

    def _visited(self, request: Request) -> None:
        lane = self.pace.lanes.get(request.meta[SLOT_KEY])
        if lane is not None:
            lane.visited(request)

    def _left(self, request: Request) -> None:
        """A request is active no longer. Its extra place goes with it, lest a page take it."""
        if self._extra:
            self._extra.discard(request)
        if self.pace.lanes:
            lane = self.pace.lanes.get(self._hooked().slot_of(request))
            if lane is not None:
                lane.left(request)
        if self._returning:
            self._admit()

    def _admit(self) -> None:
        """Let in as many as there are places for."""
        returning, engine = self._returning, self._hooked()
        while returning:
            places = engine.downloader.total_concurrency
            if 0 < places <= self._taken(engine) - len(returning):
                break
            turn = returning.popleft()
            if not turn.called:
                turn.callback(None)
        self._unhook()

    def _needs_backout(self) -> bool:
        """What the downloader tells the engine meanwhile. A limit of 0 is none."""
        engine = self._engine
        assert engine is not None  # it asks
        places: int = engine.downloader.total_concurrency
        return 0 < places <= len(engine.active) and places <= self._taken(engine)

    def _taken(self, engine: _Engine) -> int:
        """How many hold a place, those among them who wait to send."""
        return len(engine.active) - min(self.waiting, self.max_waiting) - len(self._extra)

    def _close(self) -> None:
        self.is_closing = True
        for turn in (*self._returning, *self._sleeping):
            if not turn.called:
                turn.errback(Closing())
        self._returning.clear()
        self.pace.close()
        self.on_close()

    def _hooked(self) -> _Engine:
        if self._engine is None:
            engine = self.crawler.engine
            self._engine = _Engine(engine, self._left, self._needs_backout, self._close)
        self._engine.hook()
        return self._engine

    def _unhook(self) -> None:
        """Leave the downloader to Scrapy, if nobody waits, fetches or keeps a pace."""
        busy = self.waiting or self._returning or self._extra or self.pace.lanes
        if self._engine is not None and not busy:
            self._engine.unhook()


class _Engine:
    """Scrapy's engine and its downloader: all that is used of them, the same in 2.13 to 2.19.

    Of what is used, only `active`, `needs_backout` and `get_slot_key` are public. Once a request is
    held back by throttling scopes, `slot_of` is what has to know of them.

    left           is called when a request is active no longer; no signal tells it of all
    needs_backout  takes the place of the downloader's own
    close          is called when the engine begins to close; all signals come when it has waited

    The first two hold from `hook` to `unhook`: every request would pay for them.
    """

    def __init__(
        self,
        engine: Any,
        left: Callable[[Request], None],
        needs_backout: Callable[[], bool],
        close: Callable[[], None],
    ) -> None:
        self.downloader = downloader = engine.downloader
        self.active = downloader.active = _Active(downloader.active)
        self.left, self.needs_backout = left, needs_backout
        own = getattr(downloader.needs_backout, "__func__", None)
        self.is_stock = own is Downloader.needs_backout  # another's limits are left to it
        if self.is_stock:
            compat.lift_pool_limits(downloader)
        self.wake: Callable[[], object] = engine._slot.nextcall.schedule  # noqa: SLF001
        _call_before(engine._slot, "close", close)  # noqa: SLF001

    def hook(self) -> None:
        vars(self.active)["remove"] = self._remove
        if self.is_stock:
            self.downloader.needs_backout = self.needs_backout

    def unhook(self) -> None:
        vars(self.active).clear()
        if self.is_stock:
            vars(self.downloader).pop("needs_backout", None)

    def _remove(self, request: Request) -> None:
        _Active.remove(self.active, request)
        self.left(request)

    def slot_of(self, request: Request) -> str:
        """The name of the slot that the request will go through."""
        came_from = request.meta.get("redirect_urls")
        if came_from and request.meta.get(SLOT_KEY) == urlsplit(came_from[-1]).hostname:
            del request.meta[SLOT_KEY]  # a redirect takes along the slot of the host it came from
        slot: str = self.downloader.get_slot_key(request)
        return slot


def _call_before(owner: Any, name: str, call: Callable[[], None]) -> None:
    method = getattr(owner, name)

    def both() -> Any:
        call()
        return method()

    setattr(owner, name, both)


class _Active(set[Request]):
    """The downloader's active requests, in a set that may have a `remove` of its own."""
