"""Slots of CONCURRENT_REQUESTS: lent to other requests while a request waits, then taken again.

Scrapy's engine takes requests from the scheduler until its downloader says that all slots are
taken. That counts every active request, waiting ones too; here they are taken off. A request whose
wait has ended takes a slot again when one is free, first come, first served, before the engine may
take another one: so a host that answers late floods nobody. As with Scrapy's own limit, that is for
requests from the scheduler. What a component fetches by itself (NO_CALLBACK) waits for no slot:
the request that needs it may hold the last one.

How many may wait: `max_waiting`. From then on no request is taken from the scheduler. With our
queue (`hosts`) of each host one waits, else one slow host may have them all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property

from scrapy import signals
from scrapy.http import Request, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from . import compat
from .compat import start_task
from .core.decision import delay_of
from .core.overrides import RequestConfig
from .core.result import by_name, retry_after
from .core.site import OriginRules
from .crawl_log import CrawlLog
from .delays import Asker, DelayQueue, DelayQueues, NotYet, host_of
from .events import Crawl
from .exceptions import CrawlClosing
from .fetch.bodies import is_fetch
from .hosts import Hosts
from .stats import PAUSED
from .stores import GuardedCoordinator, SharesPauses

FOLLOW_EVERY = 1.0  # seconds between two looks at the pauses of the fleet


class Slots:
    """The slots and the turns of one crawl.

    Attributes:
        delays: the queues of hosts that ask for a delay.
        hosts: which hosts are ready for another request.
        on_closing: called when the engine begins to close.
        waiting: the requests that wait without a slot.
        fetching: the requests for a robots.txt: they take no slot.

    """

    def __init__(self, crawl: Crawl, delays: DelayQueues) -> None:
        self.crawler, self.now, self.delays = crawl.crawler, crawl.now, delays
        self.longest_delay = crawl.settings.longest_delay
        self.max_waiting = max(crawl.settings.max_waiting, 1)  # 0 would stop the crawl
        self.on_closing: Callable[[], None] = lambda: None
        self.hosts = Hosts(delays, self.slot_key, self._wake)
        self.is_closing = False
        self.waiting: set[Request] = set()
        self.fetching: set[Request] = set()
        # Fetches that have started but are not yet in `engine.active`: with a plugin's middleware
        # the download begins in a later turn of the loop.
        self._admitted: set[Request] = set()
        self._returning: deque[Deferred[None]] = deque()  # each waits for its slot
        self._watches_visits = False
        self._log = CrawlLog(crawl.crawler, __name__)
        self._tasks: set[Deferred[None]] = set()
        self._shared: SharesPauses | None = None
        if isinstance(delays.coordinator, GuardedCoordinator) and delays.coordinator.shares_pauses:
            self._shared = delays.coordinator
        self._longest_pause = crawl.settings.longest_pause

    @cached_property
    def engine(self) -> compat.EngineAccess:
        return compat.EngineAccess(self.crawler, self._make_room, self._check_room, self._close)

    @contextmanager
    def lend(self, request: Request) -> Iterator[None]:
        """Inside, the slot of the request belongs to others, until it is reacquired.

        Raises CrawlClosing.
        """
        if self.is_closing:
            raise CrawlClosing
        key = self.slot_key(request)
        self.hosts.waits(request, key)
        self.lend_again(request)
        try:
            yield
        finally:  # it goes to the downloader, or is gone
            self.waiting.discard(request)
            self.hosts.goes_on(key)

    async def reacquire(self, request: Request) -> None:
        """Wait for a free slot; first come, first served. Raises CrawlClosing."""
        if self.is_closing:
            raise CrawlClosing
        self.waiting.discard(request)
        # A downloader of the user's counts those that wait: they have kept their slots.
        has_slot = request.callback is NO_CALLBACK or not self.engine.can_lend
        if has_slot or self._may_return(1):
            return
        slot: Deferred[None] = Deferred()
        self._returning.append(slot)
        try:
            await maybe_deferred_to_future(slot)
        except BaseException:  # cancelled, or the crawl closes
            if slot in self._returning:
                self._returning.remove(slot)
            raise

    def lend_again(self, request: Request) -> None:
        """Give the slot back: the request has to wait once more."""
        self.waiting.add(request)
        self.engine.wake()

    def begin_fetch(self, request: Request) -> None:
        """A robots.txt is about to be fetched. It counts for no slot until `end_fetch`."""
        self.fetching.add(request)
        self._admitted.add(request)

    def end_fetch(self, request: Request, *, is_redirected: bool) -> None:
        """The response of a fetch has come, or it was given up.

        Args:
            is_redirected: whether a redirect has led there. Else its entry has the time of the
                visit.

        """
        self.fetching.discard(request)
        if request in self.delays.under_way:  # where it was no visit, its turn ends now
            self.engine.wake()
        elif is_redirected:
            self.delays.visited(request)

    def watch_visits(self) -> None:
        """From now on, note which hosts are visited. Before, each request would pay for it."""
        if not self._watches_visits:
            self._watches_visits = True
            connect = self.crawler.signals.connect
            connect(self.delays.reached, signals.request_reached_downloader)
            connect(self.delays.visited, signals.request_left_downloader)

    def answered(self, response: Response, request: Request) -> None:
        """A host may ask for a pause by its answer: RFC 6585 §4, RFC 9110 §10.2.3 and §15.6.4."""
        if not self._longest_pause:
            return
        if response.status not in (429, 503):
            paused = self.delays.paused
            if paused and response.status < 500 and (queue := paused.get(host_of(request.url))):
                queue.pauses = 0
            return
        asked = retry_after(by_name(response.headers.items()), self.now())
        if is_fetch(request) or (response.status == 503 and asked is None):
            return
        host = host_of(request.url)
        seconds = self._pause(host, asked)
        if seconds and self._shared is not None:
            start_task(self._shared.pause(host, seconds), self._tasks)
        if seconds:
            self.crawler.stats.inc_value(PAUSED)
            self._log.info(
                "%(host)s answered %(status)d: it is left alone for %(seconds)g s",
                {"host": host, "status": response.status, "seconds": seconds},
            )

    def _pause(self, host: str, asked: float | None) -> float:
        """Leave a host alone. Gives the seconds; 0: it is left alone already."""
        self.watch_visits()
        seconds = self.delays.pause(host, asked, self._longest_pause)
        for _, download in self.engine.take_queued(host, self.fetching) if seconds else ():
            download.errback(NotYet())  # back to the scheduler: here they would keep their slots
        return seconds

    def follow_pauses(self) -> None:
        """From now on, keep the pauses that other processes of the fleet are asked for."""
        if self._longest_pause and self._shared is not None:
            start_task(self._follow(self._shared), self._tasks)

    async def _follow(self, shared: SharesPauses) -> None:
        while not self.is_closing:
            await compat.sleep(FOLLOW_EVERY)
            for host, seconds in (await shared.pauses()).items():
                self._pause(host, seconds)

    def keep_delay(
        self, request: Request, rules: OriginRules, config: RequestConfig
    ) -> DelayQueue | None:
        """Keep the delay that the rules ask for, and give the queue that the request has to wait
        in; None if it need not (see `DelayQueues.queue`).
        """
        delay = delay_of(rules, config, self.longest_delay).seconds
        if not delay and not self.delays:
            return None
        since_visit = self.now() - rules.access.entry.asked_at
        return self.keep_seconds(request, rules.origin, config, delay, since_visit)

    def keep_seconds(
        self, request: Request, origin: str, config: RequestConfig, delay: float, since_visit: float
    ) -> DelayQueue | None:
        """As `keep_delay`, where a delay of so many seconds is asked for."""
        if delay:
            self.watch_visits()
        asker = Asker(origin, config.agent, config.dialect.name)
        return self.delays.queue(self.slot_key(request), asker, delay, since_visit, self.in_slots)

    def in_slots(self) -> Iterator[Request]:
        """The requests that are in a download slot, on their way or still to be sent."""
        return filter(self.engine.is_in_slot, self.engine.active - self.waiting)

    def _make_room(self) -> None:
        """The engine is about to ask for a request: those that return to their slots go first."""
        self.delays.release_gone(self.engine.active, self._is_on_its_way)
        while self._returning and self._may_return(len(self._returning)):
            self._returning.popleft().callback(None)

    def _is_on_its_way(self, request: Request) -> bool:
        """Whether a request that is not active visits its host all the same.

        The engine has a fetch a moment after its turn (see `_admitted`).
        """
        return request in self.fetching or self.engine.is_in_slot(request)

    def _check_room(self) -> bool:
        """Let requests return to their slots. True: the engine may take no other one."""
        if self.delays.under_way or self._returning:
            self._make_room()
        return self.is_saturated or not self._has_room()

    @property
    def is_saturated(self) -> bool:
        """Whether as many requests wait as may."""
        return len(self.waiting) >= self.max_waiting

    @property
    def stops_others(self) -> bool:
        """Whether requests that wait keep those of other hosts in the scheduler, if it has any."""
        return self.is_saturated and self.engine.has_queued()

    def _may_return(self, returning: int) -> bool:
        """Whether a request that has finished waiting may take a slot. Not while the engine is
        paused. After that the engine asks `_check_room`, which lets them go first.
        """
        return not self.engine.is_paused and self._has_room(returning)

    def _has_room(self, returning: int = 0) -> bool:
        """Whether a slot is free. `returning`: requests that do not wait, but hold none yet."""
        engine = self.engine
        limit: int = engine.downloader.total_concurrency
        if self._admitted:  # those that have begun or ended since are no longer among them
            self._admitted = (self._admitted & self.fetching) - engine.active
        fetches = len(self.fetching) - len(self._admitted)
        without_slot = len(self.waiting) + fetches + returning
        return limit <= 0 or len(engine.active) - without_slot < limit  # 0: no limit

    def slot_key(self, request: Request) -> str:
        return self.engine.slot_key(request)

    def _wake(self) -> None:
        self.engine.wake()

    def _close(self) -> None:
        self.is_closing = True
        self.hosts.close()
        for task in list(self._tasks):
            task.cancel()
        waits = tuple(self._returning)
        self._returning.clear()
        for wait in waits:
            if not wait.called:
                wait.errback(CrawlClosing())
        self.on_closing()
