"""Delays between the requests to a host: in which queue a request waits, and for how long.

There is one queue for each download slot in which a delay is kept. A host of which an origin asks
for a delay has all its requests in one queue, those in other download slots too: spiders choose
slots, and copy them with `meta=response.meta`.

In a queue one request is under way at a time. The next one goes when the delay is over, counted
from the end of the one before: so the host sees no shorter gap, whatever the network does.
DOWNLOAD_DELAY, AutoThrottle and jitter act later, in the downloader. They can make a host slower,
never faster, and a download slot that Scrapy throws away takes no delay with it.

Processes that share a store ask its coordinator too when their turn in the queue has come (`take`),
and give the turn back there (`leave`). In all of them together one request is under way at a time,
and the host rests from its end for the delay. They ask for the host of the request, since each
process may give its download slots other names. A process has one queue for a host, so it asks for
one turn at a time.

* A request goes when the one before has ended and the store knows it. Network latency makes gaps
  longer, never shorter. The price is one way to the store and back for each request.
* A request may take longer than the delay. The other processes ask again once a delay. That loses
  no time: they have to wait for a delay from its end anyway.
* A request that leaves before it reaches the downloader gives its turn back without a rest. What
  reached the downloader was a visit, however it ended.
* A request that other downloader middlewares hold back for a minute loses its turn. One of them may
  wait for a request of its own to the same host, which waits for that turn.
* The fetch of a robots.txt is a visit, and takes its turn before pages.
* A host may ask for a pause by an answer (429, Retry-After). Then it has one more queue, which lets
  nothing go until the pause is over. Its requests wait there first, whatever their slots; those of
  other hosts in these slots do not. Processes tell each other of pauses.
* A process that dies in its turn holds up the host for as long as a lease lasts, and the delay.
* While the store is out of reach, each process keeps the delay by itself.

Another middleware may keep the request whose turn it is. Then all others of the queue wait long.
The log says so once for each queue.

The turn of a queue is in one of these states:

| state   | its fields           | event                           | next    | who goes     |
| ------- | -------------------- | ------------------------------- | ------- | ------------ |
| free    | none of these        | a request comes                 | granted | that request |
| resting | `rests`              | `free_at` comes, somebody waits | granted | the first    |
| granted | `_is_granted`        | the fleet has the host          | resting |              |
| granted | `_is_granted`        | it is used                      | held    |              |
| granted | `_is_granted`        | it is given back                | free    | the next     |
| held    | `_holder`            | its request ends its visit      | resting |              |
| held    | `_holder`            | its request is gone before it   | free    | the next     |
| held    | `_holder`            | `MAX_HELD` seconds pass         | free    | the next     |
| visited | `_visitors`, a delay | the last visitor leaves         | resting |              |
| any     |                      | the host asks for a pause       | resting |              |
| any     |                      | `close`                         | closed  | all, refused |

What else may run: every `await` here lets other requests of the same slot join, be cancelled, and
lets the crawl close. `_is_granted` is set before a request is woken, so that no other one goes
meanwhile. A turn that was granted to a request that is gone is given back in `_wait_here`.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Container, Iterable
from contextlib import asynccontextmanager
from math import inf
from typing import NamedTuple
from urllib.parse import urlsplit

from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from . import compat
from .compat import SLOT_KEY
from .crawl_log import CrawlLog
from .exceptions import CrawlClosing
from .rep import origin_of
from .stores import FleetCoordinator

FIRST_PAUSE = 5.0  # seconds, where a host does not say for how long it wants to be left alone
MIN_LONGER = 0.5  # seconds by which a pause that is under way may be made longer
MAX_HELD = 60.0  # seconds that a request keeps its turn before it reaches the downloader


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


class NotYet(IgnoreRequest):
    """It is not the request's turn for a long time, so it goes back to the scheduler's queue."""


PATIENCE = 2.0  # seconds that a request waits here which could wait in the scheduler's queue


class DelayQueue:
    """One queue of a crawl.

    Attributes:
        delays: seconds by asker; the longest one is kept.
        watchers: slots whose requests stay in the scheduler's queue for this one.
        paused_until: the end of the pause that the host has asked for.
        pauses: how many it has asked for since its last page, without saying for how long.

    """

    def __init__(self, queues: DelayQueues) -> None:
        self.queues, self.coordinator, self.under_way = queues, queues.coordinator, queues.under_way
        self.watchers: set[str] = set()
        self.delays: dict[Asker, float] = {}
        self.free_at = 0.0
        self._visited_at = -inf  # the end of the last visit that the queue knows of
        self.paused_until = -inf
        self.pauses = 0
        self.is_closed = False
        self._waiting: deque[Deferred[None]] = deque()
        self._is_granted = False  # somebody's turn has come, and is not yet used or given back
        self._is_advancing = False  # `_next` lets requests go just now
        self._is_taken = False  # the turn of the fleet was asked for, and is not given back
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
        self._visited_at = max(self._visited_at, compat.monotonic() - max(since_visit, 0.0))
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
        free_at = max(self._visited_at + self.delay, compat.monotonic(), self.paused_until)
        if self.delay < longest_before:
            # This may end a wait for another process, too: the coordinator is asked again then.
            self.free_at = free_at
            self._next()
        else:
            self.free_at = max(self.free_at, free_at)

    def pause(self, seconds: float | None, longest: float) -> float:
        """Let no request go for some time. Gives the seconds; 0: the pause is under way already.

        Args:
            seconds: None: each pause is twice as long as the one before, until an answer comes.
            longest: how long it lasts at most.

        """
        now = compat.monotonic()
        if seconds is None and now < self.paused_until:
            return 0.0
        if seconds is None:
            seconds = FIRST_PAUSE * 2**self.pauses
            self.pauses = min(self.pauses + 1, 20)
        seconds = min(seconds, longest)
        if now + seconds < self.paused_until + MIN_LONGER:
            return 0.0
        self.paused_until = now + seconds
        self.free_at = max(self.free_at, self.paused_until)
        return seconds

    @property
    def delay(self) -> float:
        return max(self.delays.values(), default=0.0)

    @property
    def rests(self) -> bool:
        """Whether the delay after the last visit is not over."""
        return self.free_at > compat.monotonic()

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
    async def turn(
        self, request: Request, *, first: bool = False, has_patience: bool = True
    ) -> AsyncIterator[Turn]:
        """Wait until it is the request's turn. `first`: before all others of this process.

        Raises CrawlClosing; and NotYet without patience, where others wait or the turn is far off.
        """
        if not has_patience and (self._waiting or self.free_at > compat.monotonic() + PATIENCE):
            raise NotYet
        await self._wait_here(first=first)
        while wait := await self._wait_of_fleet(request):
            self.free_at = max(self.free_at, compat.monotonic() + wait)
            self._is_granted = False
            if not has_patience and wait > PATIENCE:
                self._next()
                raise NotYet
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
        if not self.delay:  # it has been taken back, or this is the queue of a pause
            return 0.0
        self._is_taken = True
        try:
            wait = await self.coordinator.take(host_of(request.url), self.delay)
        except BaseException:  # cancelled
            self._give_back(request)
            raise
        self._is_taken = not wait
        return wait

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
            self._stop_holding = compat.call_later(MAX_HELD, self._on_held)

    def _give_back(self, request: Request) -> None:
        """The turn was not used: the next one may go at once, here or in another process."""
        self._is_granted = False
        self._leave_fleet(request, visited=False)
        self._next()

    def _leave_fleet(self, request: Request, *, visited: bool) -> None:
        """Give back the fleet's turn, if it was taken here: a host in a pause has two queues."""
        if self._is_taken:
            self._is_taken = False
            self.coordinator.leave(host_of(request.url), visited=visited)

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
            self._visited_at = compat.monotonic()
            self.free_at = max(self._visited_at + self.delay, self.paused_until)
        if request is self._holder:
            # Another middleware may have answered or dropped it before it reached the downloader.
            self._leave_fleet(request, visited=is_visit)
            self._holder = None
            self._stop_holding()
        self._next()

    def _on_held(self) -> None:
        """The request has its turn and does not go. Should it go later, it counts as a visit."""
        assert self._holder is not None  # else the timer is stopped
        if not self._was_held:
            self._was_held = True
            self.queues.log.warning(
                "A downloader middleware holds back %(request)s, whose turn came %(seconds)g s ago "
                "at a site that asks for a delay; the next request goes",
                {"request": self._holder, "seconds": MAX_HELD},
            )
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
            wait = self.free_at - compat.monotonic()
            if wait > 0:
                self._stop_timer = compat.call_later(wait, self._next)
                break
            self._is_granted = True
            self._waiting.popleft().callback(None)
        self._is_advancing = False
        if self.watchers and not (self._waiting or self._is_busy):
            watchers, self.watchers = self.watchers, set()
            for slot in watchers:
                self.queues.on_change(slot)

    def watch(self, slot: str) -> float:
        """When a request from the scheduler's queue would go at once; infinite: `on_change` will
        tell.
        """
        self.watchers.add(slot)
        return inf if self._waiting or self._is_busy else self.free_at


def host_of(url: str) -> str:
    """The host of a URL, as its origin has it; Scrapy's download slot by default."""
    return urlsplit(origin_of(url) or "").hostname or ""


MAX_QUEUES = 10_000
MAX_ASKERS = 100  # of one queue


class DelayQueues:
    """The queues of a crawl. Their clock is `compat.monotonic`.

    Attributes:
        on_change: called with a slot that may be ready again.
        by_slot: all queues.
        by_host: those in which a delay is kept that an origin of the host asks for.
        paused: the queues of hosts that have asked for a pause, by host.
        under_way: the requests that have used a turn or are in the downloader, each with its
            queues.

    """

    def __init__(self, coordinator: FleetCoordinator, log: CrawlLog) -> None:
        self.coordinator, self.log = coordinator, log
        self.on_change: Callable[[str], None] = lambda _slot: None
        self.by_slot: dict[str, DelayQueue] = {}
        self.by_host: dict[str, DelayQueue] = {}
        self.paused: dict[str, DelayQueue] = {}
        self.under_way: dict[Request, set[DelayQueue]] = {}
        # When hosts were visited that no queue knows, as far as somebody watches: a delay that is
        # asked for later counts from then, too.
        self._visited_at: OrderedDict[str, float] = OrderedDict()
        # How many queues there are, at least, before those that are idle are looked for again. It
        # is twice what was left, so 20,000 hosts that all pause cost no look at all of them each.
        self._sweep_at = self._sweep_paused_at = MAX_QUEUES
        self._is_closed = False

    def queue(
        self,
        slot: str,
        asker: Asker,
        delay: float,
        since_visit: float,
        in_slots: Callable[[], Iterable[Request]] = tuple,
    ) -> DelayQueue | None:
        """The queue that a request has to wait in; None if it need not. From now on the delay is
        kept for it, in place of the one that the same asker had.

        Args:
            delay: the seconds that are asked for; 0: none.
            since_visit: the seconds since its robots.txt was fetched, which was a visit too.
            in_slots: gives the requests in download slots: those of a host that had no queue so far
                went there unseen.

        """
        host = host_of(asker.origin)
        queue = self.by_host.get(host) or self.by_slot.get(slot)
        if not delay:
            if queue is not None and asker in queue.delays:
                self._forget(queue, asker)
            return self.find(slot, asker.origin)
        queue = queue or self._open(slot)
        if queue.delays.get(asker) != delay:
            if len(queue.delays) >= MAX_ASKERS:  # the longest delay is kept anyway
                self._forget(queue, min(queue.delays, key=queue.delays.__getitem__))
            visited_at = self._visited_at.pop(host, -inf)
            queue.keep(asker, delay, min(since_visit, compat.monotonic() - visited_at))
            if self.by_host.get(host) is not queue:
                self.by_host[host] = queue
                self._look_around(in_slots)
                # On asyncio, Scrapy takes a request out of its slot a moment before it goes.
                compat.call_later(0.0, lambda: self._look_around(in_slots))
        return self.find(slot, asker.origin)

    def pause(self, host: str, seconds: float | None, longest: float) -> float:
        """As `DelayQueue.pause`, for a host."""
        queue = self.paused.get(host)
        if queue is None:
            if len(self.paused) >= self._sweep_paused_at:
                self.paused = {key: one for key, one in self.paused.items() if not one.is_idle}
                self._sweep_paused_at = max(MAX_QUEUES, 2 * len(self.paused))
            queue = self.paused[host] = self._new()
        return queue.pause(seconds, longest)

    def is_paused(self, host: str) -> bool:
        return host in self.paused and self.paused[host].rests

    def __bool__(self) -> bool:
        """Whether a request may have to wait."""
        return bool(self.by_slot or self.paused)

    def find(self, slot: str, url: str) -> DelayQueue | None:
        """The queue that a request to the host of a URL, in a download slot, has to wait in next;
        None if it need not.
        """
        return self._of_host(host_of(url), slot)

    def of_slot(self, slot: str) -> DelayQueue | None:
        """The same for the requests of a slot, which is that of a host, or is paced as a whole."""
        return self._of_host(slot, slot)

    def _of_host(self, host: str, slot: str) -> DelayQueue | None:
        if self.is_paused(host):
            return self.paused[host]
        queue = self.by_host.get(host) or self.by_slot.get(slot)
        return queue if queue is not None and (queue.delays or queue.rests) else None

    def watch(self, slot: str) -> float:
        """As `DelayQueue.watch`; a time that is past where no delay is kept."""
        queue = self.of_slot(slot)
        return 0.0 if queue is None or queue.is_idle else queue.watch(slot)

    def reached(self, request: Request) -> None:
        """A request has reached its download slot.

        It is a visit for the queue of its turn, and for that of its host. Usually both are one
        queue. They differ when several hosts share a slot, and the host got a queue of its own
        after the turn was taken.
        """
        queues = set(self.under_way.get(request, ()))
        slot = request.meta.get(SLOT_KEY, "")
        queue = self.by_host.get(host_of(request.url)) or self.by_slot.get(slot)
        if queue is not None:
            queues.add(queue)
        for each in queues:
            each.reached(request)

    def _look_around(self, in_slots: Callable[[], Iterable[Request]]) -> None:
        for request in in_slots():
            self.reached(request)

    def visited(self, request: Request) -> None:
        """A request has left the downloader: its visit is over, whatever middlewares do next."""
        self.left(request)
        host = host_of(request.url)
        if host not in self.by_host:
            self._visited_at[host] = compat.monotonic()
            self._visited_at.move_to_end(host)
            if len(self._visited_at) > MAX_QUEUES:
                self._visited_at.popitem(last=False)

    def left(self, request: Request) -> None:
        """A request's turns are over: it has left the downloader, or never reached it."""
        for queue in list(self.under_way.get(request, ())):
            queue.left(request)

    def release_gone(
        self,
        active: Container[Request],
        is_on_its_way: Callable[[Request], bool] = lambda _request: False,
    ) -> None:
        """End the turns of requests that are not among the active ones any more.

        It is called before each request that the engine takes: it looks at each request once.

        Args:
            is_on_its_way: whether a request that is not active visits its host all the same.

        """
        for request in [request for request in self.under_way if request not in active]:
            if not is_on_its_way(request):
                self.left(request)

    @property
    def waiting(self) -> int:
        """How many requests wait for their turn, in all queues."""
        return sum(queue.waiting for queue in self._all())

    def close(self) -> None:
        """All that wait raise CrawlClosing, and so do those that would wait from now on."""
        self._is_closed = True
        # What waits for a request may go on within `close`, and ask for one of another host.
        for queue in self._all():
            queue.close()

    def _all(self) -> list[DelayQueue]:
        return [*self.by_slot.values(), *self.paused.values()]

    def _forget(self, queue: DelayQueue, asker: Asker) -> None:
        """The origin asks this crawler for no delay any more."""
        host = host_of(asker.origin)
        others = queue.delays.keys() - {asker}
        if all(host_of(other.origin) != host for other in others):
            del self.by_host[host]
        queue.drop(asker)

    def _open(self, slot: str) -> DelayQueue:
        if len(self.by_slot) >= self._sweep_at:
            # An idle queue past its delay may be forgotten: the next request opens it again.
            self.by_slot = {key: queue for key, queue in self.by_slot.items() if not queue.is_idle}
            kept = self.by_slot.values()
            self.by_host = {
                host_of(asker.origin): queue for queue in kept for asker in queue.delays
            }
            self._sweep_at = max(MAX_QUEUES, 2 * len(self.by_slot))
        queue = self.by_slot[slot] = self._new()
        return queue

    def _new(self) -> DelayQueue:
        queue = DelayQueue(self)
        if self._is_closed:  # a request may go on after the crawl has begun to close
            queue.close()
        return queue
