"""The downloader middleware: one question about each request, and what follows from the answer.

A request of our queue has its answer with it. Where nothing has changed since, nobody asks again:
it passes or is refused without a coroutine. Any other request is asked about here.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, Response

from . import compat
from .admission import ITEM_KEY, VERDICT_KEY, Admission
from .core.decision import Decision
from .core.events import Begun, Ended, Exempt, PageRefused, PageSpoke
from .core.overrides import RequestConfig
from .core.policy import Judged, Question
from .core.result import by_name
from .crawl_log import CrawlLog
from .driver import Driver, NotYet
from .events import Crawl, Events
from .exceptions import CrawlClosing, Disallowed
from .fetch.bodies import is_fetch
from .fetch.transfers import guard_transfers
from .fetch.tries import Fetcher
from .lanes import Lanes
from .monitor import HOPS_KEY, Monitor
from .rep import Origin, Verdict, origin_of
from .rep.checks import check_type
from .rep.page import refusal_of
from .rep.url import path_of
from .rep.usage.answer import UseAnswer, answer
from .rep.usage.preferences import Preference
from .report.counts import MAX_ORIGINS, MAX_ORIGINS_OF_REPORT, CrawlCounts
from .settings.crawl import CrawlSettings, one_sentence
from .settings.kinds import SettingError
from .settings.requests import EXEMPT_KEY, is_exempt
from .stats import PASSED
from .status_line import StatusLine
from .tags.preferences import PAGE_PREFERENCES

if TYPE_CHECKING:
    from typing_extensions import Self  # typing has it from Python 3.11 on

    from .record.recorder import Recorder
    from .report.writer import ReportWriter

__all__ = ["Disallowed", "RobotsPolicyMiddleware"]


class RobotsPolicyMiddleware:
    """Lets a request pass, refuses it, or has it wait, as the robots.txt of its origin says."""

    def __init__(self, crawler: Crawler) -> None:
        """The parts are made from the lowest up. A store or a record that cannot be opened stops
        the spider with one sentence.
        """
        self.now, self.events = compat.steady_clock(), Events()
        settings = CrawlSettings.from_crawler(crawler, self.now, self.events.tell)
        self.crawler, self.configs, self.use = crawler, settings.configs, settings.use
        self.has_earlier = settings.has_earlier
        has_report = settings.report is not None
        self.counts = CrawlCounts(MAX_ORIGINS_OF_REPORT if has_report else MAX_ORIGINS)
        monitor = Monitor(crawler, settings, self.counts)
        self.events.listeners.append(monitor.hears)
        with one_sentence(crawler):
            store = settings.store.open(crawler, self.events)
            # After all that may fail: a crawl begins now.
            self.recorder = self._recorder(settings)
        self.report = self._report(settings)
        crawl = Crawl(crawler, settings, self.now, self.counts, self.events)
        fetch = Fetcher(crawler, settings.profile, settings.fetch_retries, self.now)
        self.driver = Driver(crawl, store, fetch)
        self.policy, self.max_waiting = self.driver.policy, max(settings.max_waiting, 1)
        self.lanes = Lanes(self.driver)
        self.admission = Admission(crawl, self.driver)
        self.status_line = StatusLine(crawler, self.admission.waiting, monitor.trouble.sum_up)
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)
        crawler.signals.connect(self.answered, signals.response_downloaded)
        if settings.has_plugins:  # with Scrapy's own parts, no response has another URL
            self.process_response = self._judge_page
        if settings.use or settings.audit:
            crawler.signals.connect(self.on_page_preferences, PAGE_PREFERENCES)

    def _recorder(self, settings: CrawlSettings) -> Recorder | None:
        if settings.audit is None:
            return None
        from .record.recorder import Recorder  # noqa: PLC0415 - few crawls keep a record

        recorder = Recorder(self.crawler, settings, self.now)
        self.events.listeners.insert(0, recorder.hears)  # what cannot be recorded does not go
        return recorder

    def _report(self, settings: CrawlSettings) -> ReportWriter | None:
        if settings.report is None:
            return None
        from .report.writer import ReportWriter  # noqa: PLC0415 - few crawls have a report

        return ReportWriter(
            self.crawler,
            self.counts,
            settings.configs.default.agent,
            settings.configs.default.dialect.name,
            settings.report,
            self.now,
        )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(
        self, request: Request
    ) -> Coroutine[Any, Any, Request | None] | Request | None:
        """Decide about a request. None: it passes. Disallowed is raised where it is refused.

        A coroutine is given where it has to wait first, and a request for the scheduler where the
        crawl closes meanwhile.
        """
        driver = self.driver
        given = driver.given.pop(request, None)
        is_current = given is not None and self.policy.is_current(given.answer)
        if given is not None and is_current and not self.has_earlier:
            return self.admission.decide(request, given.answer, given.waited)
        origin = origin_of(request.url)
        if origin is None:
            return None
        if is_exempt(request.meta, origin):
            return self._exempt(request, origin, None)
        config = self.configs.of(request, origin)
        if not config.applies_to(origin):
            return self._exempt(request, origin, config)
        if given is not None and is_current and given.answer.asked.config == config:
            return self.admission.decide(request, given.answer, given.waited)
        answer = driver.ask(request, origin, config)
        if not isinstance(answer, Judged):
            return self.admission.admit(request, origin)
        waited = driver.went(request, request, answer)
        driver.run()
        return self.admission.decide(request, answer, waited)

    def _judge_page(
        self, request: Request, response: Response
    ) -> Coroutine[Any, Any, Response | Request] | Response:
        """Let a page pass. One from another URL is judged first: a browser or a service has
        followed a redirect by itself.
        """
        if response.url == request.url or is_fetch(request) or _is_same(response.url, request.url):
            return response
        return self._admit_page(request, response)

    async def _admit_page(self, request: Request, response: Response) -> Response | Request:
        """Admit the request that Scrapy would have made of the redirect. Raises Disallowed."""
        redirect_urls = [*request.meta.get("redirect_urls", ()), request.url]
        hops = request.meta.get("redirect_times", 0) + 1
        meta = {**request.meta, "redirect_urls": redirect_urls, "redirect_times": hops}
        redirected = request.replace(url=response.url, meta=meta)
        self.driver.visited(redirected)  # whatever is decided, its host was visited
        decision = self.process_request(redirected)
        put_back = await decision if isinstance(decision, Coroutine) else decision
        if put_back is not None:
            return request.replace(dont_filter=True)
        # Whose verdict it is, and that the last page was counted: a retry has the same meta.
        of_page = redirected.meta
        request.meta.update(
            {key: of_page[key] for key in (VERDICT_KEY, ITEM_KEY, HOPS_KEY) if key in of_page}
        )
        return response

    def _exempt(
        self, request: Request, origin: Origin, config: RequestConfig | None
    ) -> Request | None:
        """Let a request pass about which no robots.txt is asked. A robots.txt is no page.

        Args:
            config: None if `dont_obey_robotstxt` exempts the request, else the configuration whose
                `obey` is False.

        """
        for key in (VERDICT_KEY, ITEM_KEY):  # of the request that it was redirected from
            request.meta.pop(key, None)
        if is_fetch(request):
            return None
        if config is None:  # the host's next page may be one that keeps its delay
            self.driver.watch()
        if self.recorder is None:  # nobody else hears of it
            return None
        try:
            why = self._why_exempt(request, origin, config)
            self.events.tell(Exempt(request, why, self.now()))
        except CrawlClosing:  # it could not be recorded
            return self.admission.put_back(request)
        return None

    def _why_exempt(self, request: Request, origin: Origin, config: RequestConfig | None) -> str:
        if config is None:
            return f"request.meta[{EXEMPT_KEY!r}]"
        if config.obey:
            return f"the dialect {config.dialect.name} reads no robots.txt for this scheme"
        return self.configs.set_by(request, origin).get("obey", "obey is False")

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        if isinstance(exception, NotYet):  # its host has asked for a pause before it was sent
            return self.admission.again(request)
        if not isinstance(exception, IgnoreRequest):
            self.driver.note_reachability(request, answers=False)
        return None

    def answered(self, response: Response, request: Request) -> None:
        """A page may ask for a pause by its answer, or be refused for want of a payment."""
        self.driver.answered(response, request)
        if response.status not in (401, 402) or is_fetch(request):
            return
        asked = self._asked(request)
        if asked is None:  # it is exempt
            return
        origin, config = asked.origin, asked.config
        headers = by_name(response.headers.items())
        refusal = refusal_of(response.status, headers, config.dialect, config.agent)
        if refusal is not None:
            self.events.tell(PageRefused(origin, request, refusal, self.now()))

    def on_page_preferences(
        self, request: Request, url: str, preferences: tuple[Preference, ...], config: RequestConfig
    ) -> UseAnswer:
        """The answer to the declared use of a page that was fetched, with what its headers and
        tags say.
        """
        origin = origin_of(url)
        assert origin is not None  # pages without a host are not read
        page = request if request.url == url else request.replace(url=url)
        rules = self.policy.latest(self.driver.question(page, origin, config), self.now())
        if rules is None:
            answered = answer(preferences, self.use)
        else:
            of_site = rules.preferences(url, config.agent, self.use)
            overridden = rules.overridden(url, config.agent)
            answered = answer((*of_site, *preferences), self.use, overridden)
        self.events.tell(PageSpoke(origin, url, preferences, answered, self.now()))
        return answered

    def sitemaps(self, url: str) -> tuple[str, ...]:
        """The sitemaps in the robots.txt of a URL's origin, however old; none while it is not
        known. Nothing is fetched.
        """
        origin = origin_of(url)
        if origin is None:
            return ()
        config = self.configs.of(Request("data:,"), origin)  # which sets nothing of its own
        rules = self.policy.latest_robots_txt(origin, config, self.now())
        return () if rules is None or rules.rules is None else rules.rules.sitemaps

    def verdict(self, request: Request) -> Verdict | None:
        """The verdict on a request by the rules that are known now, however old. Nothing is
        fetched, counted or recorded.

        None: the rules of its origin are not known, or none are asked about it. ValueError where
        `request.meta["robots"]` is wrong; TypeError where `request` is a URL.
        """
        check_type("request", request, Request)
        asked = self._asked(request)
        rules = self.policy.latest(asked, self.now()) if asked else None
        return (
            self.admission.verdict(request, rules, asked.config.agent) if asked and rules else None
        )

    def refusal(self, request: Request) -> Decision | None:
        """The refusal of a request that the scheduler is about to get; None: it may get it.

        Only rules that are known and fresh refuse it, and take no time: a page may have 100,000
        links. A dry run refuses nothing. Where another middleware comes before this one, it may
        change what is judged, so nothing is refused yet.
        """
        if self.has_earlier:
            return None
        try:
            asked = self._asked(request)
        except SettingError:  # of its meta: it fails when it goes
            return None
        judged = self.policy.peek(asked, self.now()) if asked else None
        if judged is None:
            return None
        if judged.refusal is None or self.admission.dry_run:
            self.driver.judged[request] = judged
            return None
        return self.admission.decision(request, judged)

    def _asked(self, request: Request) -> Question | None:
        """The question about a request; None: no rules are asked about it."""
        origin = origin_of(request.url)
        if origin is None or is_exempt(request.meta, origin):
            return None
        config = self.configs.of(request, origin)
        if not config.applies_to(origin):
            return None
        return self.driver.question(request, origin, config)

    def spider_opened(self) -> None:
        self.status_line.start()
        self.events.tell(Begun(self.configs.default))
        self.driver.follow_pauses()
        missing = [*self.driver.engine.missing, *self.lanes.missing]
        if not guard_transfers(self.crawler):
            missing.append("a URL may be sent in another spelling than the one that is judged")
        log = CrawlLog(self.crawler, __name__)
        for sentence in missing:
            log.warning(
                "This Scrapy or its DOWNLOADER is not as expected: %(sentence)s",
                {"sentence": sentence},
            )

    async def spider_closed(self, reason: str) -> None:
        try:
            self._sum_up(reason)
        finally:  # whatever has failed, what sites answered is stored
            await self.driver.end()

    def _sum_up(self, reason: str) -> None:
        """The last lines of the log, the end of the record, the last stat, and the report.

        The stats may be in a server that is gone: the record and the report must be whole all the
        same.
        """
        self.status_line.stop()
        self.events.tell(Ended(reason, self.now()))
        try:
            self._count_passed()
        finally:
            if self.report is not None:
                self.report.write(reason)

    def _count_passed(self) -> None:
        assert self.crawler.stats is not None  # the crawl has just ended
        passed = sum(counts.passed for counts in self.counts.origins)
        self.crawler.stats.set_value(PASSED, passed)


def _is_same(url: str, other: str) -> bool:
    """Whether the same rule of the same robots.txt decides about two URLs."""
    return origin_of(url) == origin_of(other) and path_of(url) == path_of(other)
