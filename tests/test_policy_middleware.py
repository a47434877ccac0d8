"""What must be true of the middleware: stock behaviour kept, and every decision reported."""

from __future__ import annotations

import logging
import sys
from contextlib import contextmanager
from itertools import islice
from types import SimpleNamespace

import pytest
import scrapy
from scrapy.exceptions import IgnoreRequest
from scrapy.utils.test import get_crawler

from scrapy_robots_policy import Disallowed, RobotsPolicyMiddleware, compat
from scrapy_robots_policy.admission.decider import VERDICT_KEY
from scrapy_robots_policy.config import EXEMPT_KEY
from scrapy_robots_policy.exceptions import CrawlClosing
from scrapy_robots_policy.fetch.body import Bodies, Body
from scrapy_robots_policy.fetch.causes import cause_of
from scrapy_robots_policy.rep import DIALECTS, CacheEntry, FetchResult, Reason
from scrapy_robots_policy.rep.documents import DOCUMENTS
from scrapy_robots_policy.report.counts import OriginCounts
from tests.crawls import Chain, Spider, crawl, middleware_of
from tests.missing import only_on_cpython
from tests.on_reactor import on_reactor
from tests.site import PAGE, Answer, Site, moved, robots

pytestmark = pytest.mark.slow

PACKAGE = "/scrapy_robots_policy/"
SECRET = "User-agent: *\nDisallow: /secret\n"
STOCK = {"ADDONS": {}, "ROBOTSTXT_OBEY": True}
QUICK = {"ROBOTS_FETCH_RETRIES": 0, "RETRY_ENABLED": False}
IMPATIENT = {"DOWNLOAD_TIMEOUT": 1.0, "ROBOTS_FETCH_TIMEOUT": 1.0}  # where a file never comes


def stock_stats(seen):
    return {k: v for k, v in seen.stats.items() if k.startswith("robotstxt/")}


ANSWERS = {
    "200": robots(SECRET),
    "404": Answer(status=404),
    "503": Answer(status=503),
    "timeout": robots(SECRET, after=None),
    "cut": robots(SECRET, promise=1000),
}


@pytest.mark.parametrize("answer", ANSWERS)
@on_reactor
async def test_the_stats_of_stock_scrapy_are_kept(answer):
    stats = []
    patience = IMPATIENT if answer == "timeout" else {}
    for settings in (STOCK, {}):
        with Site({"/robots.txt": ANSWERS[answer]}) as site:
            seen, _ = await crawl(site.url("/secret"), settings={**QUICK, **patience, **settings})
            stats.append(stock_stats(seen))
    stock, ours = stats
    closed = answer not in ("200", "404")  # which stock Scrapy takes for an open site
    assert ours == ({**stock, "robotstxt/forbidden": 1} if closed else stock)
    assert stock["robotstxt/request_count"] == 1


@on_reactor
async def test_all_stats_of_a_small_crawl():
    with Site({"/robots.txt": robots(SECRET)}) as site:
        seen, _ = await crawl(*(site.url(path) for path in ("/a", "/b", "/secret", "/secret/2")))
        assert seen.robots_stats == {
            "robotstxt/request_count": 1,
            "robotstxt/response_count": 1,
            "robotstxt/response_status_count/200": 1,
            "robotstxt/forbidden": 2,
            "robots/fetched": 1,
            "robots/outcome/200": 1,
            "robots/store/miss": 1,
            "robots/stance/rules": 1,
            "robots/dropped/rule": 2,
            "robots/passed": 2,
        }


PASSES = {
    "a page": (1, {"/a": PAGE}),
    "a page that is tried again twice": (1, {"/a": [Answer(status=503), Answer(status=503), PAGE]}),
    "a redirect": (2, {"/a": moved("/b")}),
    "a redirect at the second try": (2, {"/a": [Answer(status=503), moved("/b")]}),
}


@pytest.mark.parametrize("name", PASSES)
@on_reactor
async def test_a_request_that_is_tried_again_counts_once(name):
    count, script = PASSES[name]
    with Site({"/robots.txt": robots(SECRET), **script}) as site:
        seen, _ = await crawl(site.url("/a"))
        assert seen.stats["robots/passed"] == count
        assert len(seen.answered) == 1


NETWORK_ERRORS = {
    "a dead name": ("http://no-such-host.invalid/a", {}, "dns"),
    "a timeout": ("", {"/robots.txt": robots(SECRET, after=None)}, "timeout"),
    "a cut body": ("", {"/robots.txt": robots(SECRET, promise=1000)}, "cut body"),
}


@pytest.mark.parametrize("name", NETWORK_ERRORS)
@on_reactor
async def test_the_network_error_is_the_cause_of_the_exception(name):
    url, script, cause = NETWORK_ERRORS[name]
    with Site(script) as site:
        timeout = 0.3 if cause == "timeout" else 30
        settings = {"ROBOTS_FETCH_RETRIES": 0, "ROBOTS_FETCH_TIMEOUT": timeout}
        _, crawler = await crawl(url or site.url("/a"), settings=settings)
        (error,) = crawler.spider.errors
        assert isinstance(error, Disallowed)
        assert cause_of(error.__cause__) == error.verdict.why == cause
        assert error.__cause__.__traceback__ is None


@pytest.mark.parametrize("answer", ["200", "503"])
@on_reactor
async def test_where_the_site_answered_there_is_no_network_error(answer):
    with Site({"/robots.txt": [ANSWERS["cut"], ANSWERS[answer]]}) as site:
        settings = {"ROBOTS_FETCH_RETRIES": 0, "ROBOTS_ON_UNREACHABLE": "defer"}
        settings |= {"ROBOTS_ERROR_TTL": 0.1, "ROBOTS_DEFER_TIMEOUT": 4}
        _, crawler = await crawl(site.url("/secret"), settings=settings)
        (error,) = crawler.spider.errors
        assert error.__cause__ is None


@on_reactor
async def test_the_exception_of_a_drop_has_the_verdict():
    with Site({"/robots.txt": robots(SECRET)}) as site:
        seen, crawler = await crawl(site.url("/secret"))
        verdict = crawler.spider.verdicts[site.url("/secret")]
        assert (verdict.allowed, verdict.reason, verdict.line) == (False, Reason.RULE, 2)
        assert (verdict.dialect, verdict.agent) == ("rfc9309", "Scrapy")
        message = "Forbidden by robots.txt: line 2, Disallow: /secret"
        assert seen.dropped == {site.url("/secret"): message}
        assert issubclass(Disallowed, IgnoreRequest)


@on_reactor
async def test_the_access_mode_of_each_origin_is_logged_once(caplog):
    caplog.set_level(logging.DEBUG)
    closed = Site({"/robots.txt": Answer(status=503)}, "127.0.0.2")
    with closed, Site({"/robots.txt": robots(SECRET)}) as site:
        urls = [s.url(path) for s in (site, closed) for path in ("/", "/a", "/secret")]
        await crawl(*urls, settings=QUICK)
        lines = [
            (record.levelname, record.getMessage())
            for record in caplog.records
            if record.getMessage().startswith("robots.txt of")
        ]
        assert sorted(lines) == [
            ("DEBUG", f"robots.txt of {site.origin}: 200, its rules are obeyed (rfc9309)"),
            ("WARNING", f"robots.txt of {closed.origin}: 503, nothing is allowed (rfc9309)"),
        ]


@on_reactor
async def test_the_requests_of_each_origin_are_counted():
    with Site({"/robots.txt": robots(SECRET)}) as site:
        _, crawler = await crawl(*(site.url(path) for path in ("/", "/a", "/secret")))
        (line,) = crawler.spider.lines
        assert line.longest_wait > 0
        assert 1 <= line.waits <= 3  # who comes late need not wait
        assert line.longest_wait <= line.waited <= 3 * line.longest_wait
        line.waits, line.waited, line.longest_wait = 0, 0.0, 0.0
        dropped = {"line 2, Disallow: /secret": 1}
        assert line == OriginCounts(
            site.origin, "rules", "200", fetches=1, passed=2, dropped=dropped, octets=len(SECRET)
        )


@on_reactor
@pytest.mark.parametrize(("more", "is_cut"), [(0, False), (1, True)])
async def test_a_file_that_was_read_in_part_is_noted(more, is_cut):
    limit = DIALECTS["rfc9309"].size_limit
    with Site({"/robots.txt": robots(SECRET + "#" * (limit - len(SECRET) + more))}) as site:
        _, crawler = await crawl(site.url("/"))
        (line,) = crawler.spider.lines
        assert (line.octets, line.cut) == (limit + more, is_cut)


@on_reactor
async def test_an_exempt_request_passes_without_a_fetch():
    with Site({"/robots.txt": robots(SECRET)}) as site:
        request = scrapy.Request(site.url("/secret"), meta={"dont_obey_robotstxt": True})
        seen, _ = await crawl(request)
        assert site.paths == ["/secret"]
        assert seen.robots_stats == {"robots/passed": 0}


@on_reactor
async def test_an_exempt_request_passes_even_if_the_rules_are_cached():
    class Following(Spider):
        def parse(self, response):
            if response.url.endswith("/"):
                yield response.follow("/secret?1", meta={"dont_obey_robotstxt": True})
                yield response.follow("/secret?2", meta={"dont_obey_robotstxt": False})

    with Site({"/robots.txt": robots(SECRET)}) as site:
        await crawl(site.url("/"), spider=Following)
        assert site.paths == ["/robots.txt", "/", "/secret?1"]


@on_reactor
async def test_robots_txt_can_be_switched_off_at_each_level():
    with Site({"/robots.txt": robots(SECRET)}) as site:
        seen, _ = await crawl(site.url("/secret"), settings={"ROBOTSTXT_OBEY": False})
        assert site.paths == ["/secret"]
        assert seen.robots_stats == {}


GROUPS = robots("User-agent: *\nDisallow: /\n\nUser-agent: mybot\nAllow: /\n")
NAMES = {
    "default": ({}, {}, None, False),
    "user_agent": ({"USER_AGENT": "MyBot/1.0 (+https://x)"}, {}, None, True),
    "own_setting": ({"ROBOTSTXT_USER_AGENT": "MyBot"}, {}, None, True),
    "own_setting_over_header": (
        {"ROBOTSTXT_USER_AGENT": "Other"},
        {},
        {"User-Agent": "MyBot"},
        False,
    ),
    "header": ({}, {}, {"User-Agent": "MyBot/2"}, True),
    "spider": ({}, {"robots_user_agent": "MyBot"}, None, True),
}


@pytest.mark.parametrize("name", NAMES)
@on_reactor
async def test_the_group_is_that_of_the_product_token(name):
    settings, attributes, headers, passes = NAMES[name]
    with Site({"/robots.txt": GROUPS}) as site:
        request = scrapy.Request(site.url("/page"), headers=headers)
        await crawl(request, settings=settings, **attributes)
        assert (site.pages == ["/page"]) is passes


@on_reactor
async def test_the_default_agent_is_not_the_end_of_its_contact_address():
    with Site({"/robots.txt": robots("User-agent: org\nDisallow: /\n")}) as site:
        await crawl(site.url("/page"))
        assert site.pages == ["/page"]


@on_reactor
async def test_a_request_may_name_its_own_dialect_and_agent():
    first_match = robots(
        "User-agent: *\nDisallow: /a\nAllow: /a/b\n\nUser-agent: mybot\nAllow: /\n"
    )
    with Site({"/robots.txt": first_match}) as site:
        requests = [
            site.url("/a/b?1"),
            scrapy.Request(site.url("/a/b?2"), meta={"robots": {"dialect": "koster1996"}}),
            scrapy.Request(site.url("/a?3"), meta={"robots": {"agent": "mybot"}}),
            scrapy.Request(site.url("/a?4"), meta={"robots": {}}),
        ]
        await crawl(*requests)
        assert site.pages == ["/a/b?1", "/a?3"]
        assert site.count("/robots.txt") == 1


OWN_WORDS = {
    "agent": {"meta": {"robots": {"agent": "mybot"}}},
    "header": {"headers": {"User-Agent": "MyBot/2"}},
    "exempt": {"meta": {"dont_obey_robotstxt": True}},
}


@pytest.mark.parametrize("name", OWN_WORDS)
@on_reactor
async def test_a_requests_own_choice_holds_for_no_other_request(name):
    class OneByOne(Spider):
        def parse(self, response):
            yield from islice(requests, 1)

    rules = robots("User-agent: *\nDisallow: /secret\n\nUser-agent: mybot\nAllow: /\n")
    with Site({"/robots.txt": rules}) as site:
        requests = iter(
            [
                scrapy.Request(site.url("/secret?1"), **OWN_WORDS[name]),
                scrapy.Request(site.url("/")),
                scrapy.Request(site.url("/secret?2"), **OWN_WORDS[name]),
                scrapy.Request(site.url("/secret?3")),
            ]
        )
        await crawl(next(requests), spider=OneByOne)
        assert site.pages == ["/", "/secret?1", "/secret?2"]
        assert next(requests, None) is None


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("google", "request.meta['robots'] is 'google'; it must be a dict of dialect"),
        ({"dialcet": "google"}, "it must be a dict of dialect"),
        ({"dialect": "goggle"}, "['dialect'] is 'goggle'; it must be rfc9309, google"),
    ],
)
@on_reactor
async def test_a_request_with_a_wrong_choice_is_not_sent(value, sentence):
    with Site({"/robots.txt": robots("")}) as site:
        seen, _ = await crawl(scrapy.Request(site.url("/"), meta={"robots": value}))
        assert site.pages == []
        assert sentence in seen.dropped[site.url("/")]


@on_reactor
async def test_the_spider_may_name_the_dialect():
    with Site({"/robots.txt": robots("User-agent: *\nDisallow: /a\nAllow: /a\n")}) as site:
        await crawl(site.url("/a"), robots_dialect="koster1996")
        assert site.pages == []


@on_reactor
async def test_only_requests_to_origins_with_a_robots_txt_are_checked():
    seen, _ = await crawl("data:,hello")
    assert seen.answered == ["data:,hello"]
    assert seen.robots_stats == {"robots/passed": 0}


@on_reactor
async def test_a_robots_txt_may_be_fetched_as_a_page():
    with Site({"/robots.txt": robots("User-agent: *\nDisallow: /\n")}) as site:
        seen, _ = await crawl(site.url("/robots.txt"), site.url("/"))
        assert seen.answered == [site.url("/robots.txt")]


@pytest.mark.skipif(compat.ROBOTS_PARSED is None, reason="the signal came with 2.18")
@on_reactor
async def test_robots_parsed_is_sent_for_a_file_that_was_parsed():
    class Listening(Spider):
        parsed = ()

        async def start(self):
            self.crawler.signals.connect(self.on_parsed, compat.ROBOTS_PARSED)
            async for request in super().start():
                yield request

        async def on_parsed(self, robotparser, request):
            delay, allowed = robotparser.crawl_delay("x"), robotparser.allowed(request.url, "x")
            self.parsed = (*self.parsed, (request.url, delay, allowed))

    missing = Site({"/robots.txt": Answer(status=404)}, "127.0.0.2")
    rules = robots("User-agent: *\nCrawl-delay: 3\nDisallow: /secret")
    with missing, Site({"/robots.txt": rules}) as site:
        _, crawler = await crawl(site.url("/secret"), missing.url("/"), spider=Listening)
        assert crawler.spider.parsed == ((site.url("/secret"), 3.0, False),)


@on_reactor
async def test_cached_robots_txt_need_no_coroutine():
    class Looking(Spider):
        def parse(self, response):
            again = scrapy.Request(response.urljoin("/again"))
            self.answer = middleware_of(self.crawler).process_request(again)

    with Site({"/robots.txt": robots(SECRET)}) as site:
        _, crawler = await crawl(site.url("/"), spider=Looking)
        assert crawler.spider.answer is None


@on_reactor
async def test_a_delay_at_one_host_does_not_send_other_requests_through_a_coroutine():
    class Looking(Spider):
        def parse(self, response):
            request = scrapy.Request(response.urljoin("/again"))
            ours = middleware_of(self.crawler)
            if not response.url.startswith(self.fast):
                return
            if ours.admission.delays.by_slot:
                self.answer = ours.process_request(request)
            else:
                yield scrapy.Request(response.urljoin("/more"), dont_filter=True)

    slow = Site({"/robots.txt": robots("User-agent: *\nCrawl-delay: 0.1")}, "127.0.0.2")
    with slow, Site({"/robots.txt": robots(SECRET)}) as site:
        urls = [slow.url("/"), site.url("/")]
        _, crawler = await crawl(*urls, spider=Looking, fast=site.origin)
        assert crawler.spider.answer is None


def test_a_look_at_the_sitemaps_fetches_nothing(monkeypatch):
    """It has no page's request, so a fetch would go past the proxy that the pages go through."""
    ours, lookups = RobotsPolicyMiddleware(get_crawler(Spider)), []
    monkeypatch.setattr(ours.resolver, "_start_lookup", lambda *about: lookups.append(about))
    yesterday = ours.resolver.now() - 25 * 3600.0
    entry = CacheEntry(FetchResult(200), yesterday, b"Sitemap: https://x/1.xml", yesterday)
    ours.resolver.cache.put_if_unknown("http://x.example", entry)
    assert ours.sitemaps("http://x.example/") == ("https://x/1.xml",)
    assert lookups == []


def test_a_robots_txt_that_failed_is_counted_no_more_when_the_engine_lets_it_go():
    """As long as it were, a page would get a place that is not free: the engine counts it out."""
    ours = RobotsPolicyMiddleware(get_crawler(Spider))
    document = scrapy.Request("http://x.example/robots.txt")
    ours.admission.concurrency.fetching.add(document)
    ours.process_exception(document, OSError())
    assert ours.admission.concurrency.fetching == set()


@contextmanager
def redirected_fetch():
    """What is requested where a robots.txt is redirected to some other URL."""
    request = scrapy.Request("http://here.example/moved", meta={EXEMPT_KEY: True})
    with Body(Bodies(get_crawler(), lambda _: None), request, 1000):
        yield request


@on_reactor
async def test_pages_tell_whether_a_site_answers_and_its_robots_txt_does_not():
    """Google opens a site whose robots.txt was unreachable for a month, if its pages answer."""
    ours, noted = RobotsPolicyMiddleware(get_crawler()), []
    ours.resolver.note_reachability = lambda origin, answers: noted.append((origin, answers))
    for path in DOCUMENTS:
        document = scrapy.Request(f"http://here.example{path}")
        ours._answered(document)
        ours.process_exception(document, OSError())
    with redirected_fetch() as request:
        ours._answered(request)
        ours.process_exception(request, OSError())
    page = scrapy.Request("http://here.example/robots.txt/page")
    ours.process_exception(page, IgnoreRequest())  # it was never asked for
    assert noted == []
    ours._answered(page)
    ours.process_exception(page, OSError())
    assert noted == [("http://here.example", True), ("http://here.example", False)]


def cannot_record(*_args):
    raise CrawlClosing


@pytest.mark.parametrize("exempt", [True, False])
def test_no_page_goes_whose_decision_could_not_be_recorded(exempt, monkeypatch):
    ours = RobotsPolicyMiddleware(get_crawler())
    ours.recorder = SimpleNamespace(on_exempt=cannot_record)
    monkeypatch.setattr(ours.rules, "cached", lambda *_: "rules")
    monkeypatch.setattr(ours.admission, "must_wait", lambda *_: False)
    monkeypatch.setattr(ours.admission.decider, "refuse_if_forbidden", cannot_record)
    monkeypatch.setattr(ours.admission, "put_back", lambda _: "put back")
    page = scrapy.Request("http://here.example/", meta={EXEMPT_KEY: exempt})
    assert ours.process_request(page) == "put back"


def test_a_robots_txt_is_no_page_even_if_a_middleware_gives_another_request_for_it():
    ours = RobotsPolicyMiddleware(get_crawler())
    ours.recorder = SimpleNamespace(on_exempt=cannot_record)
    with redirected_fetch() as request:
        assert ours.process_request(request.replace()) is None


def test_an_exempt_request_has_no_verdict_of_the_one_that_was_redirected_to_it():
    page = scrapy.Request("http://here.example/", meta={EXEMPT_KEY: True, VERDICT_KEY: "a verdict"})
    assert RobotsPolicyMiddleware(get_crawler()).process_request(page) is None
    assert VERDICT_KEY not in page.meta


@on_reactor
async def test_a_dry_run_drops_nothing_and_counts_what_it_would_drop():
    with Site({"/robots.txt": robots("User-agent: *\nDisallow: /secret\n")}) as site:
        urls = [site.url("/a"), site.url("/secret"), site.url("/secret2")]
        seen, crawler = await crawl(*urls, settings={"ROBOTS_DRY_RUN": True})

        assert sorted(site.pages) == ["/a", "/secret", "/secret2"]
        assert seen.dropped == {}
        assert seen.stats["robots/would_drop/rule"] == 2
        assert "robotstxt/forbidden" not in seen.stats
        assert [line.dropped for line in middleware_of(crawler).counts.origins] == [
            {"line 2, Disallow: /secret": 2}
        ]


@pytest.mark.slow
@pytest.mark.parametrize("store", ["memory:", "sqlite:"])
@on_reactor
async def test_a_site_to_which_a_robots_txt_was_redirected_is_reported_as_one_that_was_asked(
    store, tmp_path
):
    """From http to https most sites redirect their robots.txt as well as their pages."""
    rules = "User-agent: *\nCrawl-delay: 0.1\nDisallow: /no\nContent-Signal: ai-train=no\n"
    with Site({"/robots.txt": robots(rules)}) as site, Site({}, "127.0.0.2") as moved:
        moved.script["/robots.txt"] = Answer(
            status=301, headers={"Location": site.url("/robots.txt")}
        )
        store = f"{store}{tmp_path}/s.sqlite" if store == "sqlite:" else store
        first, *ahead = [moved.url("/a"), site.url("/b")]
        seen, crawler = await crawl(
            first, spider=Chain, ahead=ahead, settings={"ROBOTS_STORE": store}
        )
        assert len(seen.answered) == 2
        assert site.paths.count("/robots.txt") == 1
        reported = [
            (one.mode, one.delay, one.paced, one.octets, one.usage)
            for one in middleware_of(crawler).counts.origins
        ]
        assert (
            reported == [("rules", 0.1, "kept", len(rules), ("Content-Signal: ai-train=no",))] * 2
        )
        assert seen.stats["robots/stance/rules"] == 2
        assert seen.stats["robots/crawl_delay/kept"] == 2


class Counting(Chain):
    """Counts the calls of functions of ours while it asks for the last pages."""

    pages = calls = 0

    def next(self):
        self.pages += 1
        if self.pages == 3:
            sys.setprofile(self.count)
        yield from super().next()

    def count(self, frame, event, _):
        self.calls += event == "call" and PACKAGE in frame.f_code.co_filename

    def closed(self, reason):
        sys.setprofile(None)
        super().closed(reason)


@only_on_cpython
@pytest.mark.parametrize(("of_hosts", "most"), [("known", 42), ("new", 330)])
@on_reactor
async def test_a_request_takes_few_calls(of_hosts, most):
    """Code that runs once a request comes from far, so it is the calls that cost.

    All paths start alike: for each letter that is new to the process, an expression is made.
    """
    sites = [Site({"/robots.txt": robots(SECRET)}, f"127.0.0.{number}") for number in range(2, 14)]
    try:
        hosts = sites if of_hosts == "new" else sites[:1] * len(sites)
        first, *ahead = [site.url(f"/a{number}") for number, site in enumerate(hosts)]
        seen, crawler = await crawl(first, spider=Counting, ahead=ahead)
        assert len(seen.answered) == len(sites)
        assert crawler.spider.calls / (len(sites) - 3) < most
    finally:
        for site in sites:
            site.close()
