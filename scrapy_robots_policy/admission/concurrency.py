"""Places of CONCURRENT_REQUESTS: lent to other requests while a request waits, then taken again.

Scrapy's engine takes requests from the scheduler until its downloader says that all places are
taken. That counts every active request, waiting ones too; here they are taken off. A request whose
wait has ended takes a place again when one is free, first come, first served, before the engine may
take another one: so a host that answers late floods nobody. As with Scrapy's own limit, that is for
requests from the scheduler. What a component fetches by itself (NO_CALLBACK) waits for no place:
the request that needs it may hold the last one.

A waiting request is counted in its download slot all the same, because the scheduler's queue takes
the next request from the host with the fewest. Requests of a slow host that stand at the head of
the queue would stop all others otherwise. The queue may have had it by the name of another slot:
then it is counted there, too.

How many may wait. A host, here always a download slot, is crowded with `max_per_host` waiting
requests. The crawl is saturated with `max_waiting` requests; where the queue tells for which hosts
it has requests, as Scrapy's default one does, also while all of these are crowded. A saturated
crawl takes requests as long as the queue has some for other hosts. From a queue that does not tell,
it takes one request at a time, as long as that gives requests of hosts that are not crowded, or
such a request is scheduled.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.http import Request
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from .. import compat
from ..exceptions import CrawlClosing
from ..fetch.order import FetchOrder
from ..rep import tdmrep
from .delays import DelayQueues

MAX_WAITING_PER_HOST = 100


class Concurrency:
    """The places of one crawl.

    max_waiting  how many requests may wait without a place
    delays       the queues of hosts that ask for a delay: requests that have ended free their turns
    on_closing   called when the engine begins to close
    open_fetch_queue  called with the request for a document, and the order to fetch it: a delay
                      that is known to hold at its host needs its queue
    check_fetch  called with the order of a tdmrep.json that is about to go; may raise
                 FetchForbidden
    sets_delays  whether the user has set a delay for some host
    """

    def __init__(  # noqa: PLR0913 - all that it works with is handed in
        self,
        crawler: Crawler,
        max_waiting: int,
        delays: DelayQueues,
        on_closing: Callable[[], None],
        open_fetch_queue: Callable[[Request, FetchOrder], None],
        check_fetch: Callable[[FetchOrder], None],
        *,
        sets_delays: bool,
    ) -> None:
        self.crawler, self.max_waiting = crawler, max(max_waiting, 1)  # 0 would stop the crawl
        self.max_per_host = max(min(MAX_WAITING_PER_HOST, max_waiting // 2), 1)
        self.delays, self.on_closing = delays, on_closing
        self.open_fetch_queue, self.check_fetch = open_fetch_queue, check_fetch
        self.sets_delays = sets_delays
        self.is_closing = False
        self.waiting: set[Request] = set()
        self.fetching: set[Request] = set()  # robots.txt requests: they take no place
        # Those of them that are not active yet. Where a middleware is a plugin's, the download is
        # a task of its own. On asyncio the engine may ask for a page before that task begins.
        self._admitted: set[Request] = set()
        self._waiting_in: Counter[str] = Counter()  # how many, by download slot
        self._crowded: set[str] = set()  # the download slots in which many wait
        self.is_saturated = False
        self._extra_pops = 0
        self._pages_before: int | None = None
        self._returning: deque[Deferred[None]] = deque()  # each waits for its place
        self._watches_visits = False
        self._redirected: set[Request] = set()  # fetches to which a redirect has led

    @cached_property
    def engine(self) -> compat.EngineAccess:
        return compat.EngineAccess(self.crawler, self._make_room, self._is_full, self._close)

    @contextmanager
    def lend(self, request: Request) -> Iterator[None]:
        """Inside, the place of the request belongs to others, until it is reacquired.

        Raises CrawlClosing.
        """
        if self.is_closing:
            raise CrawlClosing
        engine = self.engine
        slots, stop_counting = engine.count_in_slots(request)
        for slot in slots:
            self._waiting_in[slot] += 1
            if self._waiting_in[slot] >= self.max_per_host:
                self._crowded.add(slot)
        if engine.slot_key(request) not in self._crowded:
            self.took_from_idle_host()
        self.lend_again(request)
        try:
            yield
        finally:  # it goes to the downloader, or is gone
            self.waiting.discard(request)
            for slot in slots:
                self._waiting_in[slot] -= 1
                if self._waiting_in[slot] < self.max_per_host:
                    self._crowded.discard(slot)
                if not self._waiting_in[slot]:
                    del self._waiting_in[slot]
            stop_counting()

    async def reacquire(self, request: Request) -> None:
        """Wait for a free place; first come, first served. Raises CrawlClosing."""
        if self.is_closing:
            raise CrawlClosing
        self.waiting.discard(request)
        # A downloader of the user's counts those that wait: they have kept their places.
        has_place = request.callback is NO_CALLBACK or not self.engine.can_lend
        if has_place or self._may_return(1):
            return
        place: Deferred[None] = Deferred()
        self._returning.append(place)
        try:
            await maybe_deferred_to_future(place)
        except BaseException:  # cancelled, or the crawl closes
            if place in self._returning:
                self._returning.remove(place)
            raise

    def lend_again(self, request: Request) -> None:
        """Give the place back: the request has to wait once more."""
        self.waiting.add(request)
        self.engine.wake()

    async def admit_fetch(
        self, request: Request, order: FetchOrder, hops: tuple[str, ...] = ()
    ) -> None:
        """Wait until a robots.txt may be fetched: in its turn at its host, in nobody's place.

        hops  the redirects that have led there

        It counts for no place until `end_fetch`. Raises CrawlClosing, and FetchForbidden
        for a tdmrep.json that a robots.txt forbids which has come meanwhile.
        """
        # Of an origin's first robots.txt no copy is known, so none asks for a delay. A page that
        # needs a tdmrep.json has its robots.txt, and has opened the queue.
        if order.entry or self.sets_delays or hops:
            self.open_fetch_queue(request, order)
        if self.delays.by_slot:
            queue = self.delays.find(self.engine.slot_key(request), request.url)
            if queue is not None:
                # It may wait for hours, and uses no socket: other hosts are not to wait with it.
                order.place.give_back()
                async with queue.turn(request, first=True) as turn:
                    await order.place.take()
                    turn.used()
        if order.dialect is tdmrep.DIALECT:
            self.check_fetch(order)
        self.fetching.add(request)
        self._admitted.add(request)
        if hops:
            self._redirected.add(request)

    def end_fetch(self, request: Request) -> None:
        """The response of a fetch has come, or it was given up."""
        self.fetching.discard(request)
        if request in self.delays.under_way:  # where it was no visit, its turn ends now
            self.engine.wake()
        elif request in self._redirected:  # else its entry has the time of the visit
            self.delays.visited(request)
        self._redirected -= {request}

    def watch_visits(self) -> None:
        """From now on, note which hosts are visited. Before, each request would pay for it."""
        if not self._watches_visits:
            self._watches_visits = True
            connect = self.crawler.signals.connect
            connect(self.delays.reached, signals.request_reached_downloader)
            connect(self.delays.visited, signals.request_left_downloader)

    def in_slots(self) -> Iterator[Request]:
        """The requests that are in a download slot, on their way or still to be sent."""
        return filter(self.engine.is_in_slot, self.engine.active - self.waiting)

    def took_from_idle_host(self) -> None:
        """The queue gave a request of a host that has few waiting: it may have another one."""
        if self.is_saturated:
            self._count_pop()  # without asyncio the engine has not asked again yet
            self._extra_pops = max(self._extra_pops, 1)
            self.engine.wake()

    def _make_room(self) -> None:
        """The engine is about to ask for a request: those that return to their places go first."""
        self.delays.release_gone(self.engine.active, self._is_on_its_way)
        while self._returning and self._may_return(len(self._returning)):
            self._returning.popleft().callback(None)

    def _is_on_its_way(self, request: Request) -> bool:
        """Whether a request that is not active visits its host all the same.

        The engine has a fetch a moment after its turn (see `_admitted`).
        """
        return request in self.fetching or self.engine.is_in_slot(request)

    def _is_full(self) -> bool:
        """Whether the engine has to wait before it takes another request from the scheduler."""
        if self.delays.under_way or self._returning:
            self._make_room()
        if not self._has_room():
            return True
        if not self.waiting and not self.is_saturated:
            return False  # no request waits, so there are not too many
        is_saturated = len(self.waiting) >= self.max_waiting or self._is_crowded()
        if is_saturated is not self.is_saturated:
            self._watch_scheduled(is_saturated)
        return is_saturated and not self._may_pop_one()

    def _may_pop_one(self) -> bool:
        """Whether a request may be taken although enough wait."""
        self._count_pop()
        may_pop = self._wants_one()
        self._pages_before = self._pages() if may_pop else None
        return may_pop

    def _wants_one(self) -> bool:
        queued = self.engine.queued_slots()
        is_useful = not queued <= self._crowded if queued else self._extra_pops > 0
        return is_useful and len(self.waiting) < 2 * self.max_waiting

    @property
    def stops_others(self) -> bool:
        """Whether requests that wait keep those of other hosts in the scheduler, if it has any."""
        if not self.is_saturated or self._wants_one():
            return False
        queued = self.engine.queued_slots()
        return not queued <= self._crowded if queued else self.engine.has_queued()

    def _count_pop(self) -> None:
        """Count the request that was taken, once it is there: the engine may ask and take none."""
        if self._pages_before is not None and self._pages() > self._pages_before:
            self._extra_pops = max(0, self._extra_pops - 1)
            self._pages_before = None

    def _pages(self) -> int:
        return len(self.engine.active) - len(self.fetching) + len(self._admitted)

    def _watch_scheduled(self, is_saturated: bool) -> None:
        """Listen to what is scheduled only while it matters: each request would pay for it."""
        self.is_saturated, self._extra_pops, self._pages_before = is_saturated, 1, None
        manager = self.crawler.signals
        change = manager.connect if is_saturated else manager.disconnect
        change(self._scheduled, signals.request_scheduled)

    def _is_crowded(self) -> bool:
        """Whether the queue has nothing but requests of hosts that have many waiting."""
        if not self._crowded:
            return False
        queued = self.engine.queued_slots()
        return bool(queued) and queued <= self._crowded

    def _scheduled(self, request: Request) -> None:
        """A host with few waiting requests has one in the queue: it may be taken at once."""
        if self._waiting_in[self.engine.slot_key(request)] < self.max_per_host:
            self._extra_pops += 1

    def _may_return(self, returning: int) -> bool:
        """Whether a request whose wait has ended may go: not while the engine is paused, for hosts
        with a delay may have hundreds that wait. When the engine goes on, it asks whether it may
        take a request, and these go first.
        """
        return not self.engine.is_paused and self._has_room(returning)

    def _has_room(self, returning: int = 0) -> bool:
        """Whether a place is free. `returning`: requests that do not wait, but hold none yet."""
        engine = self.engine
        limit: int = engine.downloader.total_concurrency
        if self._admitted:  # those that have begun or ended since are no longer among them
            self._admitted = (self._admitted & self.fetching) - engine.active
        fetches = len(self.fetching) - len(self._admitted)
        without_place = len(self.waiting) + fetches + returning
        return limit <= 0 or len(engine.active) - without_place < limit  # 0: no limit

    def _close(self) -> None:
        self.is_closing = True
        waits = tuple(self._returning)
        self._returning.clear()
        for wait in waits:
            if not wait.called:
                wait.errback(CrawlClosing())
        self.on_closing()
