"""The shell that Scrapy calls for every request.

Knows: requests, and how to drop one. Must not know: how a verdict is reached, how long it holds.

The common road is short: one dict lookup finds what holds for the request's host, and that decides,
with no coroutine. `urlparse_cached` keeps the parsed URL for the downloader, which needs it anyway.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, Response
from scrapy.utils.httpobj import urlparse_cached

from . import scrapy_versions
from .fetcher import Fetcher
from .notices import CrawlNotices
from .policy import RobotsPolicy, Ruling, given
from .rep import Origin, Verdict, origin_of
from .rep.access import Result
from .rep.usage import refusal
from .rep.verdict import refuse
from .report import Line, Tally
from .settings import PolicySettings
from .slots import Slots
from .stores import open_store
from .terms import EXEMPT_KEY, META_KEY, Terms, TermsOfCrawl, is_exempt

logger = logging.getLogger(__name__)

MOST_STANDINGS = 20_000


class Disallowed(IgnoreRequest):
    """A request dropped by a robots.txt; `verdict` says why."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(f"Forbidden by robots.txt: {verdict.cause}")
        self.verdict = verdict


@dataclass(frozen=True, slots=True)
class _Standing:
    """What holds for the requests to one host that ask for nothing special, and until when."""

    ruling: Ruling
    agent: str
    line: Line
    until: float


class RobotsPolicyMiddleware:
    """Lets a request pass, drops it, or has it wait, as the robots.txt of its origin says."""

    def __init__(self, crawler: Crawler) -> None:
        settings = PolicySettings.from_crawler(crawler)
        self.crawler = crawler
        self.now = time.time
        self.tally = Tally()
        self.slots = Slots(crawler, settings.max_waiting, settings.max_fetches)
        self.terms = TermsOfCrawl(
            Terms(settings.dialect, settings.agent),
            settings.overrides,
            by_header=settings.by_header,
        )
        self.policy = RobotsPolicy(
            open_store(settings.store),
            Fetcher(crawler, self.slots, self.now, settings.profile, settings.fetch_retries),
            self.now,
            scrapy_versions.sleep,
            settings.defer_timeout,
            settings.wishes,
            CrawlNotices(crawler, self.tally),
        )
        self.purposes = settings.purposes
        self._standings: dict[tuple[str, str], _Standing] = {}
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsPolicyMiddleware:
        return cls(crawler)

    def process_request(
        self,
        request: Request,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 gives it
    ) -> Coroutine[Any, Any, None] | None:
        url = urlparse_cached(request)
        standing = self._standings.get((url.scheme, url.netloc))
        if standing is None or standing.until <= self.now() or self._is_special(request):
            return self._look_up(request)
        self._decide(request, standing)
        return None

    def _is_special(self, request: Request) -> bool:
        meta = request.meta
        return (
            META_KEY in meta
            or EXEMPT_KEY in meta
            or (self.terms.by_header and b"User-Agent" in request.headers)
        )

    def _look_up(self, request: Request) -> Coroutine[Any, Any, None] | None:
        origin = origin_of(request.url)
        if origin is None or is_exempt(request.meta, origin):
            return None
        terms = self.terms.of(request.meta, request.headers.get(b"User-Agent"), origin)
        if not terms.obey or origin.partition(":")[0] not in terms.dialect.access.schemes:
            return None
        ruling = self._known(origin, terms, request)
        if ruling is None:
            return self._wait(request, origin, terms)
        self._decide(request, self._standing(request, ruling, terms))
        return None

    def _known(self, origin: Origin, terms: Terms, request: Request | None) -> Ruling | None:
        if terms.robots_txt is not None:
            return given(origin, terms.dialect, terms.robots_txt)
        return self.policy.known(origin, terms.dialect, request)

    def sitemaps(self, url: str) -> tuple[str, ...]:
        """The sitemaps that the robots.txt of a URL's origin names; none while it is not known."""
        origin = origin_of(url)
        if origin is None:
            return ()
        ruling = self._known(origin, self.terms.of({}, None, origin), None)
        return () if ruling is None or ruling.rules is None else ruling.rules.sitemaps

    def process_response(
        self,
        request: Request,
        response: Response,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 gives it
    ) -> Response:
        if "cached" not in response.flags:
            self._heard(request, answers=True)
        return response

    def process_exception(
        self,
        request: Request,
        exception: Exception,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 gives it
    ) -> None:
        if not isinstance(exception, IgnoreRequest):
            self._heard(request, answers=False)

    def _heard(self, request: Request, *, answers: bool) -> None:
        """Whether the site itself answers matters where its robots.txt does not."""
        url = urlparse_cached(request)
        standing = self._standings.get((url.scheme, url.netloc))
        if url.path == "/robots.txt" or standing is None:
            return
        if standing.ruling.access.result is Result.UNREACHABLE:
            self.policy.heard(standing.ruling.origin, answers=answers)

    def _standing(self, request: Request, ruling: Ruling, terms: Terms) -> _Standing:
        line = self.tally.of(ruling.origin)
        standing = _Standing(ruling, terms.agent, line, ruling.access.fresh_until)
        if not self._is_special(request):
            if len(self._standings) >= MOST_STANDINGS:
                self._standings.clear()  # they are found again in the policy
            url = urlparse_cached(request)
            self._standings[url.scheme, url.netloc] = standing
        return standing

    async def _wait(self, request: Request, origin: Origin, terms: Terms) -> None:
        began = self.now()
        with self.slots.lent():
            ruling = await self.policy.ruling(origin, terms.dialect, request)
        self.tally.of(origin).wait(self.now() - began)
        self._decide(request, self._standing(request, ruling, terms))
        await self.slots.place()

    def _decide(self, request: Request, standing: _Standing) -> None:
        url, agent = request.url, standing.agent
        if standing.ruling.allowed(url, agent) and not self._is_refused(url, standing):
            standing.line.passed += 1
        else:
            raise self._dropped(request, standing)

    def _is_refused(self, url: str, standing: _Standing) -> bool:
        """Whether the owner refuses the page to what the crawl is for."""
        rules = standing.ruling.rules
        if not self.purposes or rules is None:
            return False
        return refusal(rules.usage(url, standing.agent), self.purposes) is not None

    def _dropped(self, request: Request, standing: _Standing) -> Disallowed:
        verdict = refuse(standing.ruling.verdict(request.url, standing.agent), self.purposes)
        standing.line.drop(verdict)
        stats = self.crawler.stats
        assert stats is not None  # the crawl has begun
        stats.inc_value("robotstxt/forbidden")
        stats.inc_value(f"robots/dropped/{verdict.reason.name.lower()}")
        logger.debug(
            "Forbidden by robots.txt: %(request)s, %(cause)s",
            {"request": request, "cause": verdict.cause},
            extra={"spider": self.crawler.spider},
        )
        return Disallowed(verdict)

    async def spider_closed(self) -> None:
        stats = self.crawler.stats
        assert stats is not None  # the crawl has just ended
        stats.set_value("robots/passed", sum(line.passed for line in self.tally.lines))
        await self.policy.close()
