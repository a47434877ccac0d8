"""One queue of requests between which a delay is kept.

One request is under way at a time. The next one goes when the delay is over, counted from the end
of the one before: so the host sees no shorter gap, whatever the network does. DOWNLOAD_DELAY,
AutoThrottle and jitter act later, in the downloader. They can make a host slower, never faster, and
a download slot that Scrapy throws away takes no delay with it.

Processes that share a store ask its coordinator too when their turn in the queue has come (`take`),
and give the turn back there (`leave`). In all of them together one request is under way at a time,
and the host rests from its end for the delay. They ask for the host of the request, since each
process may give its download slots other names. A process has one queue for a host
(`delay_queues.py`), so it asks for one turn at a time.

* A request goes when the one before has ended and the store knows it. Network latency makes gaps
  longer, never shorter. The price is one way to the store and back for each request.
* A request may take longer than the delay. The other processes ask again once a delay. That loses
  no time: they have to wait for a delay from its end anyway.
* A request that leaves before it reaches the downloader gives its turn back without a rest. What
  reached the downloader was a visit, however it ended.
* A request that other downloader middlewares hold back for a minute loses its turn. One of them may
  wait for a request of its own to the same host, which waits for that turn.
* The fetch of a robots.txt is a visit, and takes its turn before pages.
* A process that dies in its turn holds up the host for as long as a lease lasts, and the delay.
* While the store is out of reach, each process keeps the delay by itself.

What else may run: every `await` here lets other requests of the same slot join, be cancelled, and
lets the crawl close. `_is_granted` is set before a request is woken, so that no other one goes
meanwhile. A turn that was granted to a request that is gone is given back in `_wait_here`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import inf
from typing import NamedTuple
from urllib.parse import urlsplit

from scrapy.http import Request
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from ..compat import CallLater
from ..exceptions import CrawlClosing
from ..rep import origin_of
from ..stores import FleetCoordinator

MAX_HELD = 60.0  # seconds that a request keeps its turn before it reaches the downloader

OnHeld = Callable[[Request, float], None]


class Asker(NamedTuple):
    """Who asks for a delay: an origin, of a crawler, as a dialect reads it."""

    origin: str
    agent: str
    dialect: str


class Turn:
    """One request's turn. A turn that was not used is given back without a rest for the host."""

    __slots__ = ("is_used",)

    def __init__(self) -> None:
        self.is_used = False

    def used(self) -> None:
        """The request goes to the downloader now."""
        self.is_used = True


class DelayQueue:
    """One queue of a crawl.

    delays     seconds by asker; the longest one is kept
    under_way  the requests of the crawl that have used a turn or are in the downloader, each with
               its queues
    on_held    called with the first request that other middlewares hold back for so many seconds
    """

    def __init__(
        self,
        coordinator: FleetCoordinator,
        now: Callable[[], float],
        call_later: CallLater,
        under_way: dict[Request, set[DelayQueue]],
        on_held: OnHeld,
    ) -> None:
        self.coordinator, self.now, self.call_later = coordinator, now, call_later
        self.under_way, self.on_held = under_way, on_held
        self.delays: dict[Asker, float] = {}
        self.free_at = 0.0
        self._visited_at = -inf  # the end of the last visit that the queue knows of
        self.is_closed = False
        self._waiting: deque[Deferred[None]] = deque()
        self._is_granted = False  # somebody's turn has come, and is not yet used or given back
        self._is_advancing = False  # `_next` lets requests go just now
        self._holder: Request | None = None  # the request that has used the turn, until it is gone
        self._stop_holding: Callable[[], None] = lambda: None
        self._was_held = False
        self._visitors: set[Request] = set()  # requests of this slot in the downloader
        self._stop_timer: Callable[[], None] | None = None

    def keep(self, asker: Asker, delay: float, since_visit: float) -> None:
        """Keep a delay from now on, counted from a visit so many seconds ago, or from a later one
        that went through the queue.
        """
        longest = self.delay
        self.delays[asker] = delay
        # The time is negative where the clock was set back after the fetch.
        self._visited_at = max(self._visited_at, self.now() - max(since_visit, 0.0))
        self._rest(longest)

    def drop(self, asker: Asker) -> None:
        """Keep the delay of an asker no longer. Without any delay those that wait go, one when the
        other has ended.
        """
        longest = self.delay
        del self.delays[asker]
        self._rest(longest)

    def _rest(self, longest_before: float) -> None:
        """Rest for the delay after the last visit, now that another delay may be the longest."""
        free_at = max(self._visited_at + self.delay, self.now())
        if self.delay < longest_before:
            # This may end a wait for another process, too: the coordinator is asked again then.
            self.free_at = free_at
            self._next()
        else:
            self.free_at = max(self.free_at, free_at)

    @property
    def delay(self) -> float:
        return max(self.delays.values(), default=0.0)

    @property
    def rests(self) -> bool:
        """Whether the delay after the last visit is not over."""
        return self.free_at > self.now()

    @property
    def is_idle(self) -> bool:
        return not (self._waiting or self._is_busy or self.rests)

    @property
    def waiting(self) -> int:
        """How many requests wait for their turn."""
        return len(self._waiting)

    @property
    def _is_busy(self) -> bool:
        """Whether a request has the turn, or is in the downloader without one."""
        # Without a delay other requests pass by the queue: those in it do not wait for their end.
        is_visited = bool(self._visitors) and bool(self.delays)
        return self._is_granted or self._holder is not None or is_visited

    @asynccontextmanager
    async def turn(self, request: Request, *, first: bool = False) -> AsyncIterator[Turn]:
        """Wait until it is the request's turn. `first`: before all others of this process.

        Raises CrawlClosing.
        """
        await self._wait_here(first=first)
        while wait := await self._wait_of_fleet(request):
            self.free_at = max(self.free_at, self.now() + wait)
            self._is_granted = False
            await self._wait_here(first=True)
        turn = Turn()
        try:
            yield turn
        finally:
            if turn.is_used:
                self._hold(request)
            else:
                self._give_back(request)

    async def _wait_of_fleet(self, request: Request) -> float:
        """Seconds for which another process has the host; 0: it is this request's turn in all."""
        if not self.delay:  # it has been taken back
            return 0.0
        try:
            return await self.coordinator.take(host_of(request.url), self.delay)
        except BaseException:  # cancelled
            self._give_back(request)
            raise

    async def _wait_here(self, *, first: bool) -> None:
        """Wait for the turn among the requests of this process. Sets `_is_granted`."""
        if self.is_closed:
            raise CrawlClosing
        mine: Deferred[None] = Deferred()
        (self._waiting.appendleft if first else self._waiting.append)(mine)
        self._next()
        try:
            await maybe_deferred_to_future(mine)
        except BaseException:
            if mine in self._waiting:
                self._waiting.remove(mine)
            elif not self.is_closed:  # the turn was granted just when the request was cancelled
                self._is_granted = False
                self._next()
            raise

    def _hold(self, request: Request) -> None:
        """The turn was used: nobody else goes until this request has left the downloader."""
        self._is_granted = False
        self._holder = request
        self._enter(request)
        if not self.is_closed:
            self._stop_holding = self.call_later(MAX_HELD, self._on_held)

    def _give_back(self, request: Request) -> None:
        """The turn was not used: the next one may go at once, here or in another process."""
        self._is_granted = False
        self.coordinator.leave(host_of(request.url), visited=False)
        self._next()

    def reached(self, request: Request) -> None:
        """A request of this slot has reached the downloader, with a turn or, if exempt, without."""
        if request is self._holder:
            self._stop_holding()
        self._visitors.add(request)
        self._enter(request)

    def _enter(self, request: Request) -> None:
        self.under_way.setdefault(request, set()).add(self)

    def left(self, request: Request) -> None:
        """A request has left the downloader, or is gone and has never reached it."""
        self.under_way[request].discard(self)
        if not self.under_way[request]:
            del self.under_way[request]
        is_visit = request in self._visitors
        if is_visit:
            self._visitors.discard(request)
            self._visited_at = self.now()
            self.free_at = self._visited_at + self.delay
        if request is self._holder:
            # Another middleware may have answered or dropped it before it reached the downloader.
            self.coordinator.leave(host_of(request.url), visited=is_visit)
            self._holder = None
            self._stop_holding()
        self._next()

    def _on_held(self) -> None:
        """The request has its turn and does not go. Should it go later, it counts as a visit."""
        assert self._holder is not None  # else the timer is stopped
        if not self._was_held:
            self._was_held = True
            self.on_held(self._holder, MAX_HELD)
        self.left(self._holder)

    def close(self) -> None:
        self.is_closed = True
        self._stop_holding()
        if self._stop_timer is not None:
            self._stop_timer()
        while self._waiting:
            self._waiting.popleft().errback(CrawlClosing())

    def _next(self) -> None:
        """Let the first in line go, now or when it is time.

        Without asyncio a request goes on within `callback`, and may give its turn back there: it
        asks for the next one while this loop runs. A call for each would be as deep as the queue.
        """
        if self._is_advancing:
            return
        if self._stop_timer is not None:
            self._stop_timer()
            self._stop_timer = None
        self._is_advancing = True
        while self._waiting and not self._is_busy:
            wait = self.free_at - self.now()
            if wait > 0:
                self._stop_timer = self.call_later(wait, self._next)
                break
            self._is_granted = True
            self._waiting.popleft().callback(None)
        self._is_advancing = False


def host_of(url: str) -> str:
    """The host of a URL, as its origin has it; Scrapy's download slot by default."""
    return urlsplit(origin_of(url) or "").hostname or ""
