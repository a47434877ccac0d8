"""The queues of a crawl: in which one a request waits.

There is one queue for each download slot in which a delay is kept. A host of which an origin asks
for a delay has all its requests in one queue, those in other download slots too: spiders choose
slots, and copy them with `meta=response.meta`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Container, Iterable
from math import inf

from scrapy.http import Request

from ..compat import SLOT_KEY, CallLater
from ..stores import FleetCoordinator
from .delay_queue import Asker, DelayQueue, OnHeld, host_of

MAX_QUEUES = 10_000
MAX_ASKERS = 100  # of one queue


class DelayQueues:
    """The queues of a crawl.

    now        any clock in seconds that never goes back
    by_slot    all queues
    by_host    those in which a delay is kept that an origin of the host asks for
    under_way  the requests that have used a turn or are in the downloader, each with its queues
    on_held    as for a queue
    """

    def __init__(
        self,
        coordinator: FleetCoordinator,
        now: Callable[[], float],
        call_later: CallLater,
        on_held: OnHeld = lambda _request, _seconds: None,
    ) -> None:
        self.coordinator, self.now, self.call_later = coordinator, now, call_later
        self.on_held = on_held
        self.by_slot: dict[str, DelayQueue] = {}
        self.by_host: dict[str, DelayQueue] = {}
        self.under_way: dict[Request, set[DelayQueue]] = {}
        # When hosts were visited that no queue knows, as far as somebody watches: a delay that is
        # asked for later counts from then, too.
        self._visited_at: OrderedDict[str, float] = OrderedDict()
        self._sweep_at = MAX_QUEUES
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
        kept there, in place of the one that the same asker had.

        delay        the seconds that are asked for; 0: none
        since_visit  the seconds since its robots.txt was fetched, which was a visit too
        in_slots     gives the requests in download slots: those of a host that had no queue so far
                     went there unseen
        """
        queue = self.find(slot, asker.origin)
        if not delay:
            if queue is not None and asker in queue.delays:
                self._forget(queue, asker)
                queue = self.find(slot, asker.origin)
            return queue if queue is not None and queue.delays else None
        queue = queue or self._open(slot)
        if queue.delays.get(asker) != delay:
            if len(queue.delays) >= MAX_ASKERS:  # the longest delay is kept anyway
                self._forget(queue, min(queue.delays, key=queue.delays.__getitem__))
            host = host_of(asker.origin)
            visited_at = self._visited_at.pop(host, -inf)
            queue.keep(asker, delay, min(since_visit, self.now() - visited_at))
            if self.by_host.get(host) is not queue:
                self.by_host[host] = queue
                self._look_around(in_slots)
                # On asyncio, Scrapy takes a request out of its slot a moment before it goes.
                self.call_later(0.0, lambda: self._look_around(in_slots))
        return queue

    def find(self, slot: str, url: str) -> DelayQueue | None:
        """The queue of the requests to the host of a URL in a download slot, where there is one."""
        return self.by_host.get(host_of(url)) or self.by_slot.get(slot)

    def reached(self, request: Request) -> None:
        """A request has reached its download slot.

        It is a visit for the queue of its turn, and for that of its host. They are two where the
        turn was one of a slot that several hosts share, and its own host has a queue since.
        """
        queues = set(self.under_way.get(request, ()))
        queue = self.find(request.meta.get(SLOT_KEY, ""), request.url)
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
            self._visited_at[host] = self.now()
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

        is_on_its_way  whether a request that is not active visits its host all the same
        """
        for request in [request for request in self.under_way if request not in active]:
            if not is_on_its_way(request):
                self.left(request)

    @property
    def waiting(self) -> int:
        """How many requests wait for their turn, in all queues."""
        return sum(queue.waiting for queue in self.by_slot.values())

    def close(self) -> None:
        """All that wait raise CrawlClosing, and so do those that would wait from now on."""
        self._is_closed = True
        # What waits for a request may go on within `close`, and ask for one of another host.
        for queue in list(self.by_slot.values()):
            queue.close()

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
        queue = self.by_slot[slot] = DelayQueue(
            self.coordinator, self.now, self.call_later, self.under_way, self.on_held
        )
        if self._is_closed:  # a request may go on after the crawl has begun to close
            queue.close()
        return queue
