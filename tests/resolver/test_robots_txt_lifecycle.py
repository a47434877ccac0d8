"""What must be true of whole crawls in which a robots.txt is late, lost, moved or renewed.

Time passes by the middleware's clock, which the spider sets between two phases of the crawl.
"""

from __future__ import annotations

import gzip
import logging
import time
from dataclasses import replace
from functools import cache

import pytest
import scrapy
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.cred.checkers import AllowAnonymousAccess
from twisted.cred.portal import Portal
from twisted.protocols.ftp import FTPFactory, FTPRealm

from scrapy_robots_policy import compat
from scrapy_robots_policy.rep import DIALECTS
from tests.certificate import TwoFaced
from tests.crawls import Spider, crawl, middleware_of
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, moved, robots

pytestmark = pytest.mark.slow

SECRET = "User-agent: *\nDisallow: /secret\n"
CLOSED = "User-agent: *\nDisallow: /\n"
BY_RULE = "Forbidden by robots.txt: line 2, Disallow: /secret"
MINUTE, HOUR, DAY = 60, 3600, 86400
EAGER = DIALECTS["koster1996"].but(
    "eager", access=replace(DIALECTS["koster1996"].access, retry_first=0.01)
)
AT_ONCE = {"ROBOTS_FETCH_RETRIES": 0, "RETRY_ENABLED": False}
UNFILTERED = "scrapy.dupefilters.BaseDupeFilter"
IMPATIENT = {"ROBOTS_FETCH_TIMEOUT": 4.0}  # where a file never comes; one that does has the time


class Phased(Spider):
    """Sends the requests of a phase once those of the one before are done.

    phases  (seconds since the start, URLs)
    """

    phases: tuple[tuple[float, list[str]], ...]

    async def start(self):
        self.ahead = list(self.phases)
        for request in self.next_phase():
            yield request

    def next_phase(self):
        if not self.ahead:
            return []
        seconds, urls = self.ahead.pop(0)
        middleware = middleware_of(self.crawler)
        resolver, admission = middleware.resolver, middleware.admission
        for part in (resolver, resolver.sources, admission, admission.decider):
            part.now = lambda: time.time() + seconds
        self.left = len(urls)
        return [scrapy.Request(url, self.parse, errback=self.fail) for url in urls]

    async def parse(self, response):
        super().parse(response)
        return await self.done()

    async def fail(self, failure):
        super().fail(failure)
        return await self.done()

    async def done(self):
        self.left -= 1
        if self.left:
            return []
        while middleware_of(self.crawler).resolver._unsettled:  # a refresh, which holds nobody up
            await compat.sleep(0)
        return self.next_phase()


async def live(site, *phases, **settings):
    """Ask one site for paths, phase by phase."""
    steps = tuple((at, [site.url(path) for path in paths]) for at, paths in phases)
    seen, _ = await crawl(spider=Phased, phases=steps, settings={**AT_ONCE, **settings})
    return seen


def fates(site, seen):
    """Path → why it was dropped; "" where it was answered."""
    start = len(site.origin)
    answered = dict.fromkeys((url[start:] for url in seen.answered), "")
    return answered | {url[start:]: why for url, why in seen.dropped.items()}


TROUBLES = {
    "503": Answer(status=503),
    "timeout": robots(SECRET, after=None),
    "reset": robots(SECRET, reset=12),
    "cut body": robots(SECRET, promise=500),
}


@pytest.mark.parametrize("trouble", TROUBLES)
@on_reactor
async def test_no_request_passes_before_the_rules_are_there(trouble):
    with Site({"/robots.txt": [TROUBLES[trouble], robots(SECRET)]}) as site:
        patience = IMPATIENT if trouble == "timeout" else {}
        seen = await live(site, (0, ["/a", "/secret"]), (MINUTE, ["/b", "/secret2"]), **patience)
        closed = f"Forbidden by robots.txt: robots.txt unreachable ({trouble})"
        assert fates(site, seen) == {
            "/a": closed,
            "/secret": closed,
            "/b": "",
            "/secret2": BY_RULE,
        }
        assert site.paths == ["/robots.txt", "/robots.txt", "/b"]


@pytest.mark.parametrize("trouble", TROUBLES)
@on_reactor
async def test_deferred_requests_wait_until_the_rules_are_there(trouble):
    with Site({"/robots.txt": [TROUBLES[trouble], TROUBLES[trouble], robots(SECRET)]}) as site:
        settings = {"ROBOTS_DIALECT": "koster1996", "ROBOTS_ERROR_TTL": 0.1}
        patience = IMPATIENT if trouble == "timeout" else {}
        seen = await live(site, (0, ["/a", "/secret"]), **settings, **patience)
        assert fates(site, seen) == {"/a": "", "/secret": BY_RULE}
        assert site.paths == ["/robots.txt"] * 3 + ["/a"]


@pytest.mark.parametrize("setting", [{}, {"ROBOTS_DIALECT": "koster1996"}])
@on_reactor
async def test_requests_that_are_deferred_beyond_the_limit_are_dropped_with_that_reason(setting):
    if not setting:
        setting = {"ROBOTS_ON_UNREACHABLE": "defer"}
    with Site({"/robots.txt": Answer(status=503)}) as site:
        settings = {"ROBOTS_DEFER_TIMEOUT": 0.3, "ROBOTS_ERROR_TTL": 0.1, **setting}
        seen = await live(site, (0, ["/a", "/b"]), **settings)
        put_off = "Forbidden by robots.txt: robots.txt not known yet (503)"
        assert fates(site, seen) == {"/a": put_off, "/b": put_off}
        assert site.pages == []
        assert seen.stats["robots/dropped/deferred"] == 2


@pytest.mark.parametrize(
    ("value", "early", "late"), [("120", MINUTE, 121), (str(7 * DAY), 59 * MINUTE, HOUR + 1)]
)
@on_reactor
async def test_retry_after_is_obeyed_within_bounds(value, early, late):
    busy = Answer(status=429, headers={"Retry-After": value})
    with Site({"/robots.txt": [busy, robots(SECRET)]}) as site:
        phases = ((0, ["/a"]), (early, ["/b"]), (late, ["/c", "/secret"]))
        seen = await live(site, *phases, ROBOTS_DIALECT="google")
        closed = "Forbidden by robots.txt: robots.txt unreachable (429)"
        assert fates(site, seen) == {"/a": closed, "/b": closed, "/c": "", "/secret": BY_RULE}
        assert site.paths == ["/robots.txt", "/robots.txt", "/c"]


@on_reactor
async def test_deferred_requests_wait_as_long_as_the_site_asks():
    busy = Answer(status=429, headers={"Retry-After": "1"})
    with Site({"/robots.txt": [busy, robots(SECRET)]}) as site:
        seen = await live(site, (0, ["/a"]), ROBOTS_DIALECT=EAGER)
        assert fates(site, seen) == {"/a": ""}
        first, second, _ = site.hits
        assert second.asked_at - first.asked_at >= 1


@pytest.mark.parametrize(
    ("hops", "dialect", "pages"),
    [
        (5, "rfc9309", ["/a"]),
        (6, "rfc9309", ["/a", "/secret"]),
        (6, "koster1996", ["/a"]),
        (10, "koster1996", ["/a"]),
        (11, "koster1996", ["/a", "/secret"]),
    ],
)
@on_reactor
async def test_as_many_redirects_are_followed_as_the_dialect_allows(hops, dialect, pages):
    script = {f"/{n}": moved(f"/{n + 1}") for n in range(1, hops)}
    script |= {"/robots.txt": moved("/1"), f"/{hops}": robots(SECRET)}
    with Site(script) as site:
        await live(site, (0, ["/a", "/secret"]), ROBOTS_DIALECT=dialect)
        assert [path for path in site.pages if path in ("/a", "/secret")] == pages


@on_reactor
async def test_a_loop_of_redirects_ends():
    with Site({"/robots.txt": moved("/r"), "/r": moved("/robots.txt")}) as site:
        seen = await live(site, (0, ["/a"]))
        assert fates(site, seen) == {"/a": ""}
        assert site.paths == ["/robots.txt", "/r", "/a"]


@pytest.mark.parametrize(("path", "fetched"), [("/robots.txt", 1), ("/r", 2)])
@on_reactor
async def test_rules_behind_a_redirect_hold_for_the_host_that_redirects(path, fetched):
    files = {"/robots.txt": robots(CLOSED), "/r": robots(CLOSED)}
    with Site(files, "127.0.0.2") as other, Site({"/robots.txt": moved(other.url(path))}) as site:
        phases = ((0, [site.url("/a")]), (1, [other.url("/b")]))
        seen, _ = await crawl(
            spider=Phased, phases=phases, allowed_domains=["127.0.0.1"], settings=AT_ONCE
        )
        assert site.paths == ["/robots.txt"]
        assert other.paths == [path]
        assert site.url("/a") in seen.dropped
        assert seen.stats["offsite/filtered"] == 1  # the page of the other host
    with Site(files, "127.0.0.2") as other, Site({"/robots.txt": moved(other.url(path))}) as site:
        await crawl(spider=Phased, phases=((0, [site.url()]), (1, [other.url()])), settings=AT_ONCE)
        assert len(other.hits) == fetched  # its own robots.txt is known where it was the target
        assert other.pages == (["/r"] if path == "/r" else [])


VALIDATORS = {"ETag": '"1"', "Last-Modified": "Fri, 20 Nov 2026 00:00:00 GMT"}


@on_reactor
async def test_a_304_keeps_the_rules():
    answers = [robots(SECRET, headers=VALIDATORS), Answer(status=304)]
    with Site({"/robots.txt": answers}) as site:
        phases = [(n * 25 * HOUR, [f"/{n}", f"/secret{n}"]) for n in range(3)]
        seen = await live(site, *phases)
        assert site.pages == ["/0", "/1", "/2"]
        sent = [hit.headers for hit in site.hits if hit.path == "/robots.txt"]
        assert [headers.get("if-none-match") for headers in sent] == [None, '"1"', '"1"']
        assert {headers.get("if-modified-since") for headers in sent[1:]} == {
            VALIDATORS["Last-Modified"]
        }
        assert 25 * HOUR <= seen.stats.pop("robots/age/max") < 26 * HOUR
        assert seen.robots_stats == {
            "robotstxt/request_count": 3,
            "robotstxt/response_count": 3,
            "robotstxt/response_status_count/200": 1,
            "robotstxt/response_status_count/304": 2,
            "robotstxt/forbidden": 3,
            "robots/fetched": 3,
            "robots/outcome/200": 1,
            "robots/outcome/304": 2,
            "robots/refresh/unchanged": 2,
            "robots/stance/rules": 3,
            "robots/store/miss": 1,
            "robots/dropped/rule": 3,
            "robots/passed": 3,
        }


@on_reactor
async def test_a_304_with_the_etag_of_a_new_file_does_not_keep_the_old_rules():
    """As of a server that looks at If-Modified-Since alone, and has an older file put back."""

    def answer(headers):
        if "if-none-match" in headers:
            return Answer(status=304, headers={**VALIDATORS, "ETag": '"2"'})
        return next(files)

    files = iter([robots(SECRET, headers=VALIDATORS), *[robots(CLOSED)] * 2])
    with Site({"/robots.txt": answer}) as site:
        seen = await live(site, (0, ["/0"]), (25 * HOUR, ["/old"]), (26 * HOUR, ["/new"]))
        assert site.pages == ["/0", "/old"]  # the old rules hold while the new ones are fetched
        assert fates(site, seen)["/new"] == "Forbidden by robots.txt: line 2, Disallow: /"


@on_reactor
async def test_a_file_that_changes_is_obeyed_after_its_lifetime():
    fresh = {"Cache-Control": "max-age=7200"}
    answers = [robots(SECRET, headers=fresh), robots(CLOSED, headers=fresh)]
    with Site({"/robots.txt": answers}) as site:
        phases = [(at, [f"/{at}"]) for at in (0, 7000, 7300, 7400)]
        seen = await live(site, *phases)
        # At 7300 s the old rules hold while the new ones are fetched, so that nobody waits.
        assert site.pages == ["/0", "/7000", "/7300"]
        assert site.count("/robots.txt") == 2
        assert seen.stats["robots/refresh/changed"] == 1


@on_reactor
async def test_what_a_file_asks_for_anew_is_reported_though_no_request_has_waited_for_it():
    """A refresh in the background brings a delay, then another one and another level of use."""
    bodies = ["", "Crawl-delay: 0.2\nContent-Signal: search=no\n", "Crawl-delay: 0.1\n"]
    with Site({"/robots.txt": [robots(f"User-agent: *\n{body}") for body in bodies]}) as site:
        phases = tuple((n * 25 * HOUR, [site.url(f"/{n}")]) for n in range(3))
        seen, crawler = await crawl(spider=Phased, phases=phases, settings=AT_ONCE)
        (counts,) = crawler.spider.lines
        assert (counts.fetches, counts.waits) == (3, 1)
        assert (counts.delay, counts.paced) == (0.1, "kept")
        assert counts.usage == ("Content-Signal: search=no",)
        assert seen.stats["robots/crawl_delay/kept"] == 2


@on_reactor
async def test_no_request_waits_while_stale_rules_are_fetched_again():
    answers = [robots(SECRET), robots(CLOSED, gate="open")]
    with Site({"/robots.txt": answers}) as site:
        gate = site.gate("open")
        site.script["/old"] = lambda _: gate.set() or Answer()
        seen = await live(site, (0, ["/a"]), (25 * HOUR, ["/old"]), (25 * HOUR, ["/new"]))
        assert fates(site, seen)["/old"] == ""
        assert fates(site, seen)["/new"] == "Forbidden by robots.txt: line 2, Disallow: /"


@on_reactor
async def test_stale_rules_hold_after_failed_fetches_as_long_as_the_dialect_allows():
    with Site({"/robots.txt": [robots(SECRET), Answer(status=503)]}) as site:
        phases = [(at * DAY, [f"/{at}", f"/secret{at}"]) for at in (0, 1.5, *range(2, 33))]
        seen = await live(site, *phases, ROBOTS_DIALECT="google")
        # failing since 1.5 d: closed for 12 h, then the last copy for 30 days, then open
        passed = {"/0", "/1.5", *(f"/{at}" for at in range(2, 33)), "/secret32"}
        assert {*site.pages} == passed
        assert seen.stats["robots/refresh/failed"] >= 3


@pytest.mark.parametrize("dialect", ["rfc9309", "yahoo"])
@on_reactor
async def test_a_failure_of_long_ago_lets_no_page_pass_before_the_file_is_asked_for(dialect):
    answers = [robots(SECRET), *[Answer(status=503)] * 2, robots(CLOSED)]
    with Site({"/robots.txt": answers}) as site:
        phases = [(at * DAY, [f"/{at}"]) for at in (0, 1.5, 2, 20)]
        seen = await live(site, *phases, ROBOTS_DIALECT=dialect)
        assert site.pages == ["/0", "/1.5", "/2"]
        assert fates(site, seen)["/20"] == "Forbidden by robots.txt: line 2, Disallow: /"


@pytest.mark.parametrize(("page", "at_the_end"), [(Answer(), ""), (Answer(b"page", reset=0), None)])
@on_reactor
async def test_after_30_days_google_allows_all_only_if_the_site_answers(page, at_the_end):
    with Site({"/robots.txt": robots(SECRET, reset=12), "/b": page}) as site:
        days = [(day * DAY, ["/b"]) for day in range(1, 31)]
        phases = ((0, ["/a"]), *days, (31 * DAY, ["/c"]))
        seen = await live(site, *phases, ROBOTS_DIALECT="google", DUPEFILTER_CLASS=UNFILTERED)
        closed = "Forbidden by robots.txt: robots.txt unreachable (reset)"
        assert fates(site, seen)["/a"] == closed
        assert site.count("/b") >= 29
        assert fates(site, seen)["/c"] == (closed if at_the_end is None else at_the_end)


@cache
def large_body(kind: str) -> Answer:
    large = SECRET.encode() + b"# filling\n" * 1_000_000 + b"Disallow: /late\n"
    headers = {"Content-Type": "text/plain"}
    if kind == "gzip bomb":
        return Answer(gzip.compress(large * 5), headers={**headers, "Content-Encoding": "gzip"})
    return Answer(large, headers=headers)


@pytest.mark.parametrize(("kind", "loaded"), [("10 MB", 1_000_000), ("gzip bomb", 300_000)])
@pytest.mark.parametrize(
    ("dialect", "pages"),
    [("rfc9309", ["/late"]), ("google", ["/late"]), ("yandex", ["/late", "/secret"])],
)
@on_reactor
async def test_an_endless_body_is_used_up_to_the_dialects_limit(kind, loaded, dialect, pages):
    with Site({"/robots.txt": large_body(kind), "/late": Answer(), "/secret": Answer()}) as site:
        seen = await live(site, (0, ["/late", "/secret"]), ROBOTS_DIALECT=dialect)
        assert site.pages == pages
        assert seen.stats["downloader/response_bytes"] < loaded


@on_reactor
async def test_credentials_of_a_page_are_not_sent_for_its_robots_txt():
    with Site({"/robots.txt": robots(SECRET)}) as site:
        host = site.origin.removeprefix("http://")
        urls = [f"http://user:word@{host}/a", f"http://user:word@{host}/secret", site.url("/b")]
        seen, _ = await crawl(*urls, settings=AT_ONCE)
        assert site.count("/robots.txt") == 1
        assert "authorization" not in site.hits[0].headers
        assert site.pages == ["/b"]  # Scrapy itself fetches no page by such a URL
        assert seen.dropped[urls[1]] == BY_RULE


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Scrapy 2.13 with a newer pyOpenSSL
@on_reactor
async def test_http_and_https_each_have_their_own_rules():
    plain = {"/robots.txt": robots("User-agent: *\nDisallow: /plain\n")}
    secure = {"/robots.txt": robots("User-agent: *\nDisallow: /secure\n")}
    with TwoFaced(plain, secure) as site:
        paths = ("/plain", "/secure")
        urls = [origin + path for origin in (site.origin, site.secure_origin) for path in paths]
        seen, _ = await crawl(*urls, settings=AT_ONCE)
        assert sorted(seen.answered) == [site.origin + "/secure", site.secure_origin + "/plain"]
        assert site.pages == ["/secure"]
        assert site.secure.pages == ["/plain"]


@on_reactor
async def test_the_sitemaps_of_a_site_need_no_second_fetch():
    class Mapping(Spider):
        def parse(self, response):
            middleware = middleware_of(self.crawler)
            urls = (response.url, "http://unknown.example/", "data:,")
            self.sitemaps = [middleware.sitemaps(url) for url in urls]

    file = robots(SECRET + "Sitemap: https://x/1.xml\nSitemap: https://x/2.xml\n")
    with Site({"/robots.txt": file}) as site:
        _, crawler = await crawl(site.url("/a"), spider=Mapping)
        assert crawler.spider.sitemaps == [("https://x/1.xml", "https://x/2.xml"), (), ()]
        assert site.count("/robots.txt") == 1


@on_reactor
async def test_a_spider_learns_the_verdict_on_a_request_without_sending_it():
    class Looking(Spider):
        def parse(self, response):
            middleware = middleware_of(self.crawler)
            exempt = {"dont_obey_robotstxt": True}
            bound = {"robots": {"agent": "OtherBot"}}
            self.verdicts = [
                middleware.verdict(scrapy.Request(url, meta=meta))
                for url, meta in [
                    (response.urljoin("/b"), {}),
                    (response.urljoin("/secret"), {}),
                    (response.urljoin("/") + "x/../secret", {}),
                    (response.urljoin("/b"), bound),
                    (response.urljoin("/secret"), exempt),
                    ("http://unknown.example/", {}),
                    ("data:,", {}),
                ]
            ]

    file = robots(SECRET + "\nUser-agent: OtherBot\nDisallow: /b\n")
    with Site({"/robots.txt": file}) as site:
        _, crawler = await crawl(site.url("/a"), spider=Looking)
        *verdicts, exempt, unknown, without_host = crawler.spider.verdicts
        assert [one.allowed for one in verdicts] == [True, False, False, False]
        assert [one.line for one in verdicts] == [0, 2, 2, 5]
        assert exempt is unknown is without_host is None
        assert site.count("/robots.txt") == 1
        counts = middleware_of(crawler).counts.of(site.origin)
        assert (counts.passed, counts.all_dropped) == (1, 0)


@on_reactor
async def test_a_store_that_cannot_be_used_is_one_warning(tmp_path, caplog):
    path = tmp_path / "robots.sqlite"
    path.write_bytes(b"rubbish" * 1000)
    others = [Site({"/robots.txt": robots(SECRET)}, f"127.0.0.{n}") for n in range(2, 5)]
    try:
        urls = [site.url(path) for site in others for path in ("/a", "/secret")]
        seen, _ = await crawl(*urls, settings={"ROBOTS_STORE": f"sqlite:{path}"})
        assert [site.pages for site in others] == [["/a"]] * 3
        ours = [r for r in caplog.records if r.name == "scrapy_robots_policy"]
        warnings = [r.getMessage() for r in ours if r.levelno >= logging.WARNING]
        assert len(warnings) == 1
        assert "store could not get: DatabaseError" in warnings[0]
        assert 1 <= seen.stats["robots/store/failed"] <= 6  # it is left unused after a fault
    finally:
        for site in others:
            site.close()


@pytest.mark.parametrize(
    ("dialect", "answered"), [("google", ["/open"]), ("rfc9309", ["/open", "/secret"])]
)
@on_reactor
async def test_ftp_has_a_robots_txt_only_where_the_dialect_says_so(dialect, answered, tmp_path):
    for name, text in (("robots.txt", SECRET), ("open", ""), ("secret", "")):
        (tmp_path / name).write_text(text)
    portal = Portal(FTPRealm(str(tmp_path)), [AllowAnonymousAccess()])
    port = reactor_of_the_suite().listenTCP(0, FTPFactory(portal), interface="127.0.0.1")
    try:
        origin = f"ftp://127.0.0.1:{port.getHost().port}"
        seen, _ = await crawl(
            f"{origin}/open", f"{origin}/secret", settings={**AT_ONCE, "ROBOTS_DIALECT": dialect}
        )
        assert sorted(seen.answered) == [origin + path for path in answered]
        assert seen.stats.get("robots/fetched", 0) == (dialect == "google")
    finally:
        await maybe_deferred_to_future(port.stopListening())


def reactor_of_the_suite():
    from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

    return reactor
