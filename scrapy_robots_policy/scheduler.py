"""The scheduler: `SCHEDULER`, which the add-on sets. It has a door, and a place to wait.

**The door.** A request that known and fresh rules forbid takes no place in the scheduler, and no
time of the downloader. It is refused here, after all spider middlewares, which may change a link,
and after the dupefilter, so the same link counts once. A request with an errback goes the usual
way: whoever waits to hear of it hears of it in turn, as of any other, and a page with 20,000 such
links does not hold up the crawl. Scrapy has two other places. The signal `request_scheduled` is
sent before the dupefilter. The queue gets a request when the scheduler has counted it.

**The place to wait.** What waits for rules or for a turn stays in our queue (`queue`). Around a
queue or a scheduler of another kind, requests are parked in such a queue in memory, at most
ROBOTS_MAX_WAITING of them, so that a slow host stops nobody there either. When the crawl closes,
they go back to where they came from.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.http import Request
from scrapy.squeues import FifoMemoryQueue
from scrapy.utils.misc import load_object

from .downloadermiddlewares import RobotsPolicyMiddleware
from .queue import RobotsPriorityQueue


class Door:
    """What ours does beside the scheduler that it is mixed into."""

    _crawler: Crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        scheduler: Any = super().from_crawler(crawler)  # type: ignore[misc]  # the scheduler's
        scheduler._crawler = crawler  # noqa: SLF001 - of the same class
        return scheduler

    @cached_property
    def _policy(self) -> RobotsPolicyMiddleware | None:
        return self._crawler.get_downloader_middleware(RobotsPolicyMiddleware)

    @cached_property
    def _parked(self) -> RobotsPriorityQueue | None:
        """What waits; None: it waits in the scheduler's own queue."""
        if self._policy is None or _is_ours(getattr(self, "pqclass", None)):
            return None
        return RobotsPriorityQueue(self._crawler, FifoMemoryQueue, "")

    def enqueue_request(self, request: Request) -> bool:
        enqueue: Any = super().enqueue_request  # type: ignore[misc]  # the scheduler's
        seen: Any = getattr(self, "df", None)  # the dupefilter, by the name that Scrapy's has
        if request.errback is not None or self._policy is None or seen is None:
            return bool(enqueue(request))
        refusal = self._policy.refusal(request)
        if refusal is None:
            return bool(enqueue(request))
        if not request.dont_filter and seen.request_seen(request):
            seen.log(request, self._crawler.spider)
            return False
        put_back = self._policy.admission.refuse(refusal)
        return put_back is not None and bool(enqueue(put_back))

    def next_request(self) -> Request | None:
        take: Any = super().next_request  # type: ignore[misc]  # the scheduler's
        parked, policy = self._parked, self._policy
        if parked is None or policy is None:
            return take()  # type: ignore[no-any-return]  # Scrapy's has no type
        while (request := parked.pop()) is None and len(parked) < policy.max_waiting:
            request = take()
            if request is None:
                break
            parked.push(request)
        return request

    def has_pending_requests(self) -> bool:
        has_more: Any = super().has_pending_requests  # type: ignore[misc]  # the scheduler's
        return bool(self._parked) or bool(has_more())

    def __len__(self) -> int:
        own: Any = super().__len__  # type: ignore[misc]  # the scheduler's
        return len(self._parked or ()) + int(own())

    def close(self, reason: str) -> Any:
        parked, policy = self._parked, self._policy
        enqueue: Any = super().enqueue_request  # type: ignore[misc]  # the scheduler's
        if parked is not None and policy is not None:
            for request in parked.drain():
                enqueue(policy.admission.give_back(request))
        return super().close(reason)  # type: ignore[misc]  # the scheduler's


class RobotsScheduler(Door, Scheduler):
    """Scrapy's scheduler; it takes no request that robots.txt is known to forbid, and gives none
    that has to wait.
    """


def with_door(scheduler: Any) -> type:
    """A scheduler of another kind, with our door and place to wait."""
    kind = load_object(scheduler)
    return type(f"Robots{kind.__name__}", (Door, kind), {"__module__": __name__})


def _is_ours(queue: Any) -> bool:
    return isinstance(queue, type) and issubclass(queue, RobotsPriorityQueue)
