"""The shell that Scrapy calls for every request.

Knows: requests, and how to drop one. Must not know: how a verdict is reached, how long it holds.

The common road is short: one dict lookup finds what holds for the request's host, and that decides,
with no coroutine. `urlparse_cached` keeps the parsed URL for the downloader, which needs it anyway.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Coroutine
from typing import Any
from weakref import WeakSet

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.httpobj import urlparse_cached

from . import compat
from .admission.concurrency import Concurrency
from .admission.decision import Standing, objection
from .admission.delay_queue import Closing, DelayQueue
from .config import (
    EXEMPT_KEY,
    META_KEY,
    PolicySettings,
    RequestConfig,
    RequestConfigs,
    is_exempt,
    one_sentence,
)
from .fetch.fetcher import Fetcher
from .rep import Verdict, origin_of
from .rep.access import AccessResult
from .report import CrawlCounts
from .report.crawl_report import CrawlReport
from .report.events import CrawlEvents
from .resolver.origin import OriginRules, given
from .resolver.resolver import RobotsPolicy
from .stores import coordinator_of

logger = logging.getLogger(__name__)

MOST_STANDINGS = 20_000


class Disallowed(IgnoreRequest):
    """A request dropped by a robots.txt; `verdict` says why."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(f"Forbidden by robots.txt: {verdict.cause}")
        self.verdict = verdict


class RobotsPolicyMiddleware:
    """Lets a request pass, drops it, or has it wait, as the robots.txt of its origin says."""

    def __init__(self, crawler: Crawler) -> None:
        settings = PolicySettings.from_crawler(crawler)
        self.crawler = crawler
        self.now = time.time
        self.tally = CrawlCounts()
        self.terms = RequestConfigs(
            RequestConfig(settings.dialect, settings.agent),
            settings.overrides,
            by_header=settings.by_header,
        )
        self.notices = CrawlEvents(crawler, self.tally)
        self.report = CrawlReport(crawler, self.tally, settings, self.now)
        with one_sentence(crawler):
            store = settings.store.open(crawler, self.notices)
        self.slots = Concurrency(crawler, settings.max_waiting, coordinator_of(store), self.let_go)
        self.policy = RobotsPolicy(
            store,
            Fetcher(crawler, self.slots, self.now, settings.profile, settings.fetch_retries),
            self.now,
            compat.sleep,
            settings.max_fetches,
            settings.defer_timeout,
            settings.wishes,
            self.notices,
        )
        self.purposes, self.dry_run = settings.purposes, settings.dry_run
        self.delays, self.patience = settings.delays, settings.defer_timeout
        self._standings: dict[tuple[str, str], Standing] = {}
        self._put_back: WeakSet[Request] = WeakSet()
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsPolicyMiddleware:
        return cls(crawler)

    def process_request(
        self,
        request: Request,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 gives it
    ) -> Coroutine[Any, Any, Request | None] | None:
        url, meta = urlparse_cached(request), request.meta
        standing = self._standings.get((url.scheme, url.netloc))
        if (
            standing is None
            or standing.until <= self.now()
            or META_KEY in meta
            or EXEMPT_KEY in meta
            # All names in it are in one form; Headers would bring ours into it each time.
            or (self.terms.by_header and dict.__contains__(request.headers, b"User-Agent"))
        ):
            return self._look_up(request)
        if (
            standing.at_once is not None
            and not self.slots.pace.lanes
            and standing.at_once(request.url, standing.terms.agent)
        ):
            standing.line.passed += 1
            return None
        return self._enter(request, standing)

    def _look_up(self, request: Request) -> Coroutine[Any, Any, Request | None] | None:
        origin = origin_of(request.url)
        if origin is None or is_exempt(request.meta, origin):
            return None
        terms = self.terms.of(request.meta, request.headers.get(b"User-Agent"), origin)
        if origin.partition(":")[0] not in terms.dialect.access.schemes:
            return None
        if not terms.obey and terms.crawl_delay is None:
            return None
        standing = self._known(request, origin, terms)
        if standing is None:
            return self._wait_or_put_back(request, origin, terms)
        return self._enter(request, standing)

    def _known(self, request: Request, origin: str, terms: RequestConfig) -> Standing | None:
        """What holds for a request, where that is known."""
        if terms.robots_txt is not None or not terms.obey:
            octets = terms.robots_txt or b"" if terms.obey else b""
            ruling: OriginRules | None = given(origin, terms.dialect, octets)
        else:
            ruling = self.policy.known(origin, terms.dialect, request)
        return None if ruling is None else self._standing(request, ruling, terms)

    def sitemaps(self, url: str) -> tuple[str, ...]:
        """The sitemaps that the robots.txt of a URL's origin names; none while it is not known."""
        origin = origin_of(url)
        if origin is None:
            return ()
        standing = self._known(Request(url), origin, self.terms.of({}, None, origin))
        rules = None if standing is None else standing.ruling.rules
        return () if rules is None else rules.sitemaps

    def process_exception(
        self,
        request: Request,
        exception: Exception,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 gives it
    ) -> None:
        if not isinstance(exception, IgnoreRequest):
            self._heard(request, answers=False)

    def _answered(self, request: Request) -> None:
        self._heard(request, answers=True)

    def _heard(self, request: Request, *, answers: bool) -> None:
        """Whether the site itself answers matters where its robots.txt does not."""
        url = urlparse_cached(request)
        standing = self._standings.get((url.scheme, url.netloc))
        if url.path == "/robots.txt" or standing is None:
            return
        if standing.ruling.access.result is AccessResult.UNREACHABLE:
            self.policy.heard(standing.ruling.origin, answers=answers)

    async def _learned(self, request: Request, origin: str, terms: RequestConfig) -> Standing:
        began = self.now()
        with self.slots.lent():
            ruling = await self.policy.ruling(origin, terms.dialect, request)
        if ruling is None:
            raise Closing
        self.tally.of(origin).wait(self.now() - began)
        return self._standing(request, ruling, terms)

    def _standing(self, request: Request, ruling: OriginRules, terms: RequestConfig) -> Standing:
        if ruling.access.result is AccessResult.UNREACHABLE:
            self.crawler.signals.connect(self._answered, signals.response_downloaded)
        line = self.tally.of(ruling.origin)
        delay = self.delays.delay(ruling.crawl_delay(terms.agent), terms.crawl_delay)
        self.notices.paced(ruling, delay, line)
        more = delay.done or self.purposes or ruling.hours(terms.agent)
        at_once = None if more else ruling.answer
        standing = Standing(ruling, terms, line, ruling.access.fresh_until, delay, at_once)
        if not terms.is_own:
            if len(self._standings) >= MOST_STANDINGS:
                self._standings.clear()  # they are found again in the policy
            url = urlparse_cached(request)
            self._standings[url.scheme, url.netloc] = standing
        return standing

    def _enter(
        self, request: Request, standing: Standing
    ) -> Coroutine[Any, Any, Request | None] | None:
        """Let a request pass at once, if it need not wait for its turn."""
        if self._lane(request, standing) is not None or self._opens_in(standing):
            return self._wait_or_put_back(request, standing.ruling.origin, standing.terms)
        self._judge(request, standing)
        standing.line.passed += 1
        return None

    async def _wait_or_put_back(
        self, request: Request, origin: str, terms: RequestConfig
    ) -> Request | None:
        try:
            await self._wait(request, origin, terms)
        except Closing:
            return self._back(request)
        return None

    async def _wait(
        self, request: Request, origin: str, terms: RequestConfig, *, again: bool = False
    ) -> None:
        """Until the rules are known, the site is open, and it is the request's turn.

        again  whether rules that are learned now count for this request, however short their life
        """
        standing = self._known(request, origin, terms)
        if standing is None:
            standing = await self._learned(request, origin, terms)
        lane = self._lane(request, standing)
        if lane is None or not self.dry_run:  # a dry run counts once only: when it is its turn
            self._judge(request, standing)
        opens_in = self._opens_in(standing)
        if opens_in:
            with self.slots.lent():
                await self.slots.sleep(opens_in)
            return await self._wait(request, origin, terms)
        if lane is None:
            await self.slots.place()
        elif not await self._went_in_turn(request, lane, standing, again=again):
            return await self._wait(request, origin, terms, again=True)
        standing.line.passed += 1
        return None

    async def _went_in_turn(
        self, request: Request, lane: DelayQueue, standing: Standing, *, again: bool
    ) -> bool:
        """Wait for the request's turn. False if its rules grew old meanwhile."""
        with self.slots.lent():
            await lane.turn()
        went = False
        try:
            current = self._known(request, standing.ruling.origin, standing.terms)
            current = current or (standing if again else None)
            if current is not None and not self._opens_in(current):
                self._judge(request, current)
                await self.slots.place()
                went = True
        finally:
            if went:
                lane.go(request)
            else:
                lane.give_back()
        return went

    def _lane(self, request: Request, standing: Standing) -> DelayQueue | None:
        ruling, delay = standing.ruling, standing.delay.seconds
        since_visit = self.now() - ruling.access.record.asked_at
        return self.slots.lane(request, ruling.origin, delay, since_visit)

    def _opens_in(self, standing: Standing) -> float:
        return 0.0 if self.dry_run else standing.ruling.opens_in(standing.terms.agent, self.now())

    def _judge(self, request: Request, standing: Standing) -> None:
        """Disallowed where it may not be fetched; in a dry run that is only counted."""
        verdict = objection(request.url, standing, self.purposes, self.patience, self.now())
        if verdict is None:
            return
        standing.line.drop(verdict)
        stats, reason = self.crawler.stats, verdict.reason.name.lower()
        assert stats is not None  # the crawl has begun
        logger.debug(
            "Forbidden by robots.txt: %(request)s, %(cause)s",
            {"request": request, "cause": verdict.cause},
            extra={"spider": self.crawler.spider},
        )
        if self.dry_run:
            stats.inc_value(f"robots/would_drop/{reason}")
            return
        stats.inc_value("robotstxt/forbidden")
        stats.inc_value(f"robots/dropped/{reason}")
        raise Disallowed(verdict)

    def _back(self, request: Request) -> Request:
        """Return a request to the scheduler, which keeps it if it has a place for it.

        It is filtered no longer, as RetryMiddleware does it, lest it be taken for its duplicate.
        """
        if request.callback is NO_CALLBACK or request in self._put_back:
            # It is engine.download's, which would ask again and again for what we return.
            raise IgnoreRequest("It had to wait, and the crawl ends")
        again: Request = request.replace(dont_filter=True)
        self._put_back.add(again)
        assert self.crawler.stats is not None  # the crawl has begun
        self.crawler.stats.inc_value("robots/put_back")
        return again

    def let_go(self) -> None:
        """The crawl begins to close: who waits goes back, and no robots.txt is fetched any more."""
        self.policy.stop()

    async def spider_closed(self, reason: str) -> None:
        stats = self.crawler.stats
        assert stats is not None  # the crawl has just ended
        stats.set_value("robots/passed", sum(line.passed for line in self.tally.lines))
        self.report.write(reason)
        await self.policy.close()
