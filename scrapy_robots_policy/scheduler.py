"""The scheduler's door: `SCHEDULER`, which the add-on sets.

A request that known and fresh rules forbid takes no place in the scheduler, and no time of the
downloader. It is refused here, after all spider middlewares, which may change a link, and after the
dupefilter, so the same link counts once. A request with an errback goes the usual way: whoever
waits to hear of it hears of it in turn, as of any other, and a page with 20,000 such links does not
hold up the crawl.

Scrapy has two other places. The signal `request_scheduled` is sent before the dupefilter. The queue
gets a request when the scheduler has counted it.
"""

from __future__ import annotations

from functools import cached_property

from scrapy.core.scheduler import Scheduler
from scrapy.http import Request

from .downloadermiddlewares import RobotsPolicyMiddleware


class RobotsScheduler(Scheduler):
    """Scrapy's scheduler; it takes no request that robots.txt is known to forbid."""

    @cached_property
    def _policy(self) -> RobotsPolicyMiddleware | None:
        assert self.crawler is not None  # Scrapy makes it by `from_crawler`
        return self.crawler.get_downloader_middleware(RobotsPolicyMiddleware)

    def enqueue_request(self, request: Request) -> bool:
        if request.errback is not None or self._policy is None:
            return super().enqueue_request(request)
        refusal = self._policy.refusal(request)
        if refusal is None:
            return super().enqueue_request(request)
        if not request.dont_filter and self.df.request_seen(request):
            self.df.log(request, self.spider)
            return False
        put_back = self._policy.admission.refuse(refusal)
        return put_back is not None and super().enqueue_request(put_back)
