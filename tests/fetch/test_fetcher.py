"""What must be true of one fetch: through Scrapy's engine, from a real site, to an outcome."""

from __future__ import annotations

import gzip
import socket
import threading
import zlib
from collections.abc import Callable
from dataclasses import replace
from traceback import extract_tb

import pytest
from scrapy import Request, signals
from scrapy.core.downloader import Downloader
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.test import get_crawler
from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.python.failure import Failure
from twisted.web.client import ResponseFailed

from scrapy_robots_policy import compat
from scrapy_robots_policy.commands.reading.download import fetch as fetch_by_command
from scrapy_robots_policy.exceptions import CrawlClosing, Disallowed
from scrapy_robots_policy.fetch import deadline, name_queue, transfer
from scrapy_robots_policy.fetch.causes import MAX_KEPT, FetchErrors, cause_of, is_fault_of
from scrapy_robots_policy.fetch.fetcher import Fetcher
from scrapy_robots_policy.fetch.order import MAX_OCTETS, FetchOrder, FetchPlace
from scrapy_robots_policy.fetch.request import RequestProfile
from scrapy_robots_policy.rep import DIALECTS, CacheEntry, FetchResult, parse
from scrapy_robots_policy.rep.cache_entry import remember
from scrapy_robots_policy.stores import decode, encode
from tests.crawls import Spider, crawl, middleware_of
from tests.on_reactor import WAIT_DEADLINE, on_reactor
from tests.site import PAGE, Answer, Site, free_port, moved, robots

pytestmark = pytest.mark.slow

RULES = "User-agent: *\nDisallow: /secret\n"
RFC = DIALECTS["rfc9309"]
LIMITED = RFC.but("limited", size_limit=1000)


class Asking(Spider):
    """Fetches one robots.txt and keeps the outcome."""

    question: FetchOrder

    async def start(self):
        self.outcome = await middleware_of(self.crawler).resolver.sources.fetch(self.question)
        for request in self.requests:
            yield request


async def fetch(origin, copy=None, dialect=RFC, spider=Asking, **settings):
    settings = {"ROBOTS_FETCH_RETRIES": 0, "ROBOTS_FETCH_TIMEOUT": 60, **settings}
    question = FetchOrder(origin, copy, dialect, Request(origin))
    seen, crawler = await crawl(spider=spider, settings=settings, question=question)
    return crawler.spider.outcome, seen


CAUSES = {
    "timeout": robots(RULES, after=None),
    "cut body": robots(RULES, promise=1000),
    "unreadable body": Answer(b"no gzip", headers={"Content-Encoding": "gzip"}),
}


@pytest.mark.parametrize("cause", CAUSES)
@on_reactor
async def test_a_failure_is_a_result_with_its_cause(cause):
    with Site({"/robots.txt": CAUSES[cause]}) as site:
        limit = 0.3 if cause == "timeout" else 30
        outcome, _ = await fetch(site.origin, ROBOTS_FETCH_TIMEOUT=limit)
        assert outcome == FetchResult(None, cause=cause)


@pytest.mark.parametrize("octets", [0, 5])
@on_reactor
async def test_a_reset_connection_is_a_result(octets):
    with Site({"/robots.txt": robots(RULES, reset=octets)}) as site:
        outcome, _ = await fetch(site.origin)
        assert outcome == FetchResult(None, cause="reset")


@on_reactor
async def test_a_closed_port_is_a_result():
    outcome, _ = await fetch(f"http://127.0.0.1:{free_port()}")
    assert outcome == FetchResult(None, cause="connection refused")


@on_reactor
async def test_a_host_without_an_address_is_a_result():
    outcome, _ = await fetch("http://no-such-host.invalid")
    assert outcome == FetchResult(None, cause="dns")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Scrapy 2.13 with a newer pyOpenSSL
@on_reactor
async def test_a_tls_error_is_a_result():
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=answer_without_tls, args=(server,), daemon=True).start()
        outcome, _ = await fetch(f"https://127.0.0.1:{server.getsockname()[1]}")
    assert outcome == FetchResult(None, cause="tls")


def answer_without_tls(server):
    connection, _ = server.accept()
    with connection:
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        connection.recv(10_000)


def test_the_errors_of_the_newest_origins_are_kept():
    errors = FetchErrors()
    for number in range(MAX_KEPT + 1):
        errors.note(f"http://{number}", OSError(number))
    assert errors.of("http://0") is None
    assert errors.of("http://1").args == (1,)
    errors.note("http://1", None)
    assert errors.of("http://1") is None


def test_an_error_that_gets_its_frames_back_is_given_without_them():
    """PyPy gives them back when the handler of the error is left; asyncio goes on in one there."""
    errors = FetchErrors()
    try:
        int("x")
    except ValueError as error:
        frames = error.__traceback__
        errors.note("http://1", error)
        error.__traceback__ = frames
    assert errors.of("http://1").__traceback__ is None


@pytest.mark.parametrize("error", [CancelledError, CrawlClosing])
@on_reactor
async def test_a_fetch_that_ends_with_the_crawl_is_no_failure_of_the_site(error):
    """Else the store would keep that the site was unreachable."""

    async def admit(_request, _order, _hops):
        raise error

    noted, ended = [], []
    fetch = Fetcher(
        get_crawler(),
        admit,
        ended.append,
        lambda: 0.0,
        RequestProfile(1.0),
        3,
        lambda *fault: noted.append(fault),
        lambda *exchange: noted.append(exchange),
    )
    with pytest.raises(error):
        await fetch(FetchOrder("http://here.example", None, RFC, Request("http://here.example")))
    assert (noted, len(ended)) == ([], 1)


class SilentHandler(HTTP11DownloadHandler):
    """A download handler that gives no response, by mistake."""

    lazy = False

    if compat.ASYNC_API:

        async def download_request(self, request):
            return None

    else:

        def download_request(self, request, spider):
            return succeed(None)


FAILURES = {
    "timeout": {"ROBOTS_FETCH_TIMEOUT": 0.2},
    "TypeError": {"DOWNLOAD_HANDLERS": {"http": SilentHandler}},
}


@pytest.mark.parametrize("cause", FAILURES)
@on_reactor
async def test_no_failure_is_logged_as_an_error(cause, caplog):
    with Site({"/robots.txt": robots(RULES, after=None)}) as site:
        outcome, _ = await fetch(site.origin, **FAILURES[cause])
        assert outcome.cause == cause
        assert [
            r.getMessage() for r in caplog.records if r.levelname in ("ERROR", "CRITICAL")
        ] == []


@on_reactor
async def test_the_facts_of_a_response_are_kept():
    headers = {
        "Content-Type": "Text/Plain; charset=utf-8",
        "Cache-Control": "public, max-age=600",
        "ETag": '"1"',
        "Last-Modified": "Fri, 20 Nov 2026 00:00:00 GMT",
    }
    with Site({"/robots.txt": robots(RULES, headers=headers)}) as site:
        outcome, _ = await fetch(site.origin)
        assert outcome == FetchResult(
            200,
            RULES.encode(),
            media_type="text/plain",
            lifetime=600.0,
            etag='"1"',
            last_modified="Fri, 20 Nov 2026 00:00:00 GMT",
        )


LONG = b"x" * 15_000
EXCESSES = {
    "status": b"HTTP/1.1 1000 x\r\n",
    "status below 0": b"HTTP/1.1 -200 x\r\n",
    "ETag": b"HTTP/1.1 200 x\r\n" + b"".join(b"ETag: %d%s\r\n" % (n, LONG) for n in range(100)),
    "type": b"HTTP/1.1 200 x\r\n"
    + b"".join(b"Content-Type: %d%s\r\n" % (n, LONG) for n in range(100)),
    "target": b"HTTP/1.1 301 x\r\n"
    + b"".join(b"Location: /%d%s\r\n" % (n, LONG) for n in range(100)),
}


@pytest.mark.parametrize("kind", EXCESSES)
@on_reactor
async def test_what_a_site_answers_can_always_be_kept(kind):
    with Site({"/robots.txt": Answer(raw=EXCESSES[kind] + b"Content-Length: 0\r\n\r\n")}) as site:
        outcome, _ = await fetch(site.origin)
        entry = remember(None, outcome, 1.0)
        assert decode(encode(entry)) == entry
        assert site.paths == ["/robots.txt"]


@on_reactor
async def test_the_body_of_an_error_page_is_not_kept():
    with Site({"/robots.txt": robots(RULES, status=404)}) as site:
        outcome, _ = await fetch(site.origin)
        assert outcome == FetchResult(404, b"", media_type="text/plain")


@pytest.mark.parametrize("hops", [5, 6])
@on_reactor
async def test_five_redirects_are_followed_and_no_more(hops):
    script = {f"/{n}": moved(f"/{n + 1}") for n in range(1, hops)}
    script |= {"/robots.txt": moved("/1"), f"/{hops}": robots(RULES)}
    with Site(script) as site:
        outcome, _ = await fetch(site.origin)
        assert outcome.status == (200 if hops == 5 else 301)
        assert outcome.hops == tuple(site.url(f"/{n}") for n in range(1, 6))
        assert outcome.is_cut is (hops == 6)
        assert len(site.hits) == 6


@pytest.mark.parametrize("target", ["/robots.txt", "/2", "", "ftp://127.0.0.1/", "http://[", "//"])
@on_reactor
async def test_a_redirect_to_no_valid_target_ends_the_fetch(target):
    with Site({"/robots.txt": moved(target), "/2": moved("/2")}) as site:
        outcome, _ = await fetch(site.origin)
        assert (outcome.status, outcome.is_cut) == (301, False)
        assert len(site.hits) <= 2


@on_reactor
async def test_a_location_in_utf_8_leads_to_the_path_that_it_names():
    location = "/räume".encode().decode("latin-1")  # the site sends each character as an octet
    with Site({"/robots.txt": moved(location), "/r%C3%A4ume": robots(RULES)}) as site:
        outcome, _ = await fetch(site.origin)
        assert outcome.octets == RULES.encode()
        assert fetch_by_command(site.url("/robots.txt"), "bot", 5) == outcome


@on_reactor
async def test_a_redirect_to_another_host_is_followed_offsite_and_without_its_credentials():
    with Site({"/r": robots(RULES)}, "127.0.0.2") as other:
        to = other.url("/r#top").replace("//", "//user:password@")
        with Site({"/robots.txt": moved(to)}) as site:
            kind = type("Asking", (Asking,), {"allowed_domains": ["127.0.0.1"]})
            outcome, _ = await fetch(site.origin, spider=kind)
        assert outcome.octets == RULES.encode()
        assert outcome.hops == (other.url("/r"),)
        assert "authorization" not in other.hits[0].headers


class Stopping(Asking):
    """Has each download stopped when its headers have come, or its first octets."""

    when = signals.headers_received

    async def start(self):
        self.crawler.signals.connect(self.stop, self.when)
        async for request in super().start():
            yield request

    def stop(self):
        raise StopDownload(fail=False)


STOPPED = {
    "after its headers": ("headers_received", RULES),
    "in its middle": ("bytes_received", "#\n" * 200_000 + RULES),  # too long for one chunk
}


@pytest.mark.parametrize("where", STOPPED)
@on_reactor
async def test_a_robots_txt_whose_download_the_spider_stops_does_not_count_as_the_whole(
    where, caplog
):
    signal, text = STOPPED[where]
    spider = type("Spider", (Stopping,), {"when": getattr(signals, signal)})
    with Site({"/robots.txt": robots(text)}) as site:
        outcome, _ = await fetch(site.origin, spider=spider)
        assert outcome == FetchResult(None, cause="StopDownload")
        assert faults(caplog) == []  # the user wanted it


@on_reactor
async def test_a_robots_txt_that_is_whole_when_the_spider_stops_its_download_is_read():
    spider = type("Spider", (Stopping,), {"when": signals.bytes_received})
    with Site({"/robots.txt": robots(RULES)}) as site:
        outcome, _ = await fetch(site.origin, spider=spider)
        assert outcome.octets == RULES.encode()


@on_reactor
async def test_a_page_that_refreshes_itself_is_not_followed():
    page = b'<html><meta http-equiv="refresh" content="0; url=/other"></html>'
    with Site({"/robots.txt": Answer(page, headers={"Content-Type": "text/html"})}) as site:
        await fetch(site.origin)
        assert site.paths == ["/robots.txt"]


@on_reactor
async def test_no_credentials_no_cookies_no_cache():
    cookie = {"Set-Cookie": "robots=1", "Content-Type": "text/plain"}
    settings = {
        "HTTPAUTH_USER": "user",
        "HTTPAUTH_PASS": "password",
        "HTTPAUTH_DOMAIN": None,
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_STORAGE": "scrapy.extensions.httpcache.FilesystemCacheStorage",
        "DEFAULT_REQUEST_HEADERS": {"Cookie": "own=1"},
    }
    spider = type("Asking", (Asking,), {"http_user": "user", "http_auth_domain": None})
    with Site({"/robots.txt": Answer(RULES.encode(), headers=cookie)}) as site:
        question = FetchOrder(site.origin, None, RFC, Request(site.origin))
        _, crawler = await crawl(
            site.url("/page"),
            spider=Asking if "HTTPAUTH_USER" in known_settings() else spider,
            settings=settings,
            question=question,
        )
        fetched, page = site.hits[0], site.hits[-1]
        assert (fetched.path, page.path) == ("/robots.txt", "/page")
        assert "authorization" in page.headers
        assert "authorization" not in fetched.headers
        assert "cookie" not in page.headers
        assert "cookie" not in fetched.headers
        stats = crawler.stats.get_stats()
        assert stats.get("httpcache/miss") == 1  # the page


def known_settings():
    from scrapy.settings import default_settings  # noqa: PLC0415

    return vars(default_settings)


@on_reactor
async def test_a_copy_makes_the_request_conditional():
    copy = CacheEntry(
        FetchResult(200, etag='"1"', last_modified="Fri, 20 Nov 2026 00:00:00 GMT"), 1.0, b""
    )
    with Site({"/robots.txt": Answer(status=304)}) as site:
        outcome, _ = await fetch(site.origin, copy)
        assert outcome.status == 304
        assert site.hits[0].headers["if-none-match"] == '"1"'
        assert site.hits[0].headers["if-modified-since"] == copy.latest.last_modified


@pytest.mark.parametrize(
    ("etag", "hits"), [('"1"', 1), ('W/"1"', 1), ("", 1), ('"2"', 2), ('W/"2"', 2)]
)
@on_reactor
async def test_a_304_that_names_another_file_than_the_copy_is_not_taken_for_an_answer(etag, hits):
    def answer(headers):
        is_asked = "if-none-match" in headers
        return Answer(status=304, headers={"ETag": etag}) if is_asked else robots(RULES)

    copy = CacheEntry(FetchResult(200, etag='"1"', last_modified="x"), 1.0, b"")
    with Site({"/robots.txt": answer}) as site:
        outcome, _ = await fetch(site.origin, copy)
        assert outcome.status == (304 if hits == 1 else 200)
        assert len(site.hits) == hits


UNASKED = "304 unasked for"
COPY = CacheEntry(FetchResult(200, etag='"1"'), 1.0, b"")
NOT_ASKED_ABOUT = {
    "no copy": (None, [False]),
    "a copy without validators": (replace(COPY, latest=FetchResult(200)), [False]),
    "the copy of another URL": (
        replace(COPY, latest=replace(COPY.latest, hops=("http://b/",))),
        [False],
    ),
    "another file than the copy, again and again": (COPY, [True, False]),
}


@pytest.mark.parametrize("kind", NOT_ASKED_ABOUT)
@on_reactor
async def test_a_304_that_nobody_asked_for_is_no_answer(kind):
    copy, conditional = NOT_ASKED_ABOUT[kind]
    with Site({"/robots.txt": Answer(status=304, headers={"ETag": '"2"'})}) as site:
        outcome, _ = await fetch(site.origin, copy)
        assert (outcome.status, outcome.cause) == (None, UNASKED)
        assert ["if-none-match" in hit.headers for hit in site.hits] == conditional


@pytest.mark.parametrize("encoding", ["gzip", "br", "rot13"])
@on_reactor
async def test_a_304_that_names_the_encoding_of_the_file_shows_that_the_copy_is_current(encoding):
    copy = CacheEntry(FetchResult(200, etag='"1"'), 1.0, b"")
    answer = Answer(status=304, headers={"Content-Encoding": encoding})
    with Site({"/robots.txt": answer}) as site:
        outcome, _ = await fetch(site.origin, copy)
        assert outcome.status == 304


@on_reactor
async def test_a_validator_goes_back_with_the_octets_with_which_it_came():
    etag = '"\x80é"'  # the site sends each character as an octet, and reads it so
    with Site({"/robots.txt": robots(RULES, headers={"ETag": etag})}) as site:
        first, _ = await fetch(site.origin)
        await fetch(site.origin, CacheEntry(first, 1.0, first.octets))
        await fetch(site.origin, CacheEntry(replace(first, etag='"…"'), 1.0, first.octets))
        assert [hit.headers.get("if-none-match") for hit in site.hits] == [None, etag, '"?"']


@on_reactor
async def test_a_validator_that_some_clients_cannot_send_is_not_sent():
    """With such a client no later fetch would come about, and the site's new rules be unknown."""
    latest = FetchResult(200, etag='"\x1b[2J"', last_modified="now\x01")
    with Site({"/robots.txt": robots(RULES)}) as site:
        await fetch(site.origin, CacheEntry(latest, 1.0, b""))
        assert not {"if-none-match", "if-modified-since"} & set(site.hits[0].headers)


@on_reactor
async def test_only_the_request_to_the_url_of_the_copy_is_conditional():
    with Site({"/robots.txt": moved("/r"), "/r": Answer(status=304)}) as site:
        latest = FetchResult(200, etag='"1"', hops=(site.url("/r"),))
        await fetch(site.origin, CacheEntry(latest, 1.0, b""))
        await fetch(site.origin, CacheEntry(replace(latest, hops=()), 1.0, b""))
        conditional = ["if-none-match" in hit.headers for hit in site.hits]
        assert conditional == [False, True, True, False]


PACKED = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "gzip, gzip": lambda octets: gzip.compress(gzip.compress(octets)),
    "identity": bytes,
}


@pytest.mark.parametrize("encoding", PACKED)
@on_reactor
async def test_a_packed_body_is_unpacked(encoding):
    answer = Answer(PACKED[encoding](RULES.encode()), headers={"Content-Encoding": encoding})
    with Site({"/robots.txt": answer}) as site:
        outcome, _ = await fetch(site.origin)
        assert outcome.octets == RULES.encode()


@on_reactor
async def test_all_members_of_a_gzip_body_are_read():
    body = gzip.compress(b"User-agent: *\n") + gzip.compress(b"Disallow: /secret\n")
    with Site({"/robots.txt": Answer(body, headers={"Content-Encoding": "gzip"})}) as site:
        outcome, _ = await fetch(site.origin)
        assert outcome.octets == RULES.encode()


@on_reactor
async def test_deflate_without_its_header_is_unpacked():
    packer = zlib.compressobj(wbits=-15)
    body = packer.compress(RULES.encode()) + packer.flush()
    with Site({"/robots.txt": Answer(body, headers={"Content-Encoding": "deflate"})}) as site:
        outcome, _ = await fetch(site.origin)
        assert outcome.octets == RULES.encode()


@on_reactor
async def test_a_long_body_is_cut_and_the_rest_not_loaded():
    rules = RULES.encode() + b"#" * 10_000_000
    with Site({"/robots.txt": Answer(rules)}) as site:
        outcome, seen = await fetch(site.origin, dialect=LIMITED)
        assert (outcome.octets, outcome.is_cut) == (rules[:1001], True)
        assert seen.stats["downloader/response_bytes"] < 1_000_000


@on_reactor
async def test_a_body_as_long_as_the_limit_is_whole():
    with Site({"/robots.txt": Answer(b"#" * 1000)}) as site:
        outcome, _ = await fetch(site.origin, dialect=LIMITED)
        assert outcome == FetchResult(200, b"#" * 1000)


@on_reactor
async def test_a_copy_that_was_cut_is_validated_only_for_dialects_that_read_no_more():
    cut = CacheEntry(FetchResult(200, etag='"1"', is_cut=True), 1.0, b"#" * 1001)
    with Site({"/robots.txt": Answer(status=304)}) as site:
        outcome, _ = await fetch(site.origin, cut, LIMITED)
        assert (outcome.status, outcome.is_cut) == (304, True)
        outcome, _ = await fetch(site.origin, cut, RFC)
        assert (outcome.status, outcome.cause) == (None, UNASKED)
        assert ["if-none-match" in hit.headers for hit in site.hits] == [True, False]


@on_reactor
async def test_there_is_a_limit_even_if_the_dialect_has_none():
    with Site({"/robots.txt": Answer(b"#" * (MAX_OCTETS + 1000))}) as site:
        outcome, _ = await fetch(site.origin, dialect=RFC.but("free", size_limit=1 << 62))
        assert len(outcome.octets) == MAX_OCTETS + 1


@on_reactor
async def test_a_body_is_unpacked_up_to_the_limit_only():
    bomb = gzip.compress(RULES.encode() + b"#" * 50_000_000)
    assert len(bomb) < 100_000
    with Site({"/robots.txt": Answer(bomb, headers={"Content-Encoding": "gzip"})}) as site:
        outcome, _ = await fetch(site.origin, dialect=RFC.but("wide", size_limit=100_000))
        assert outcome.octets.startswith(RULES.encode())
        assert len(outcome.octets) == 100_001


class AsksAgain:
    """A downloader middleware that has a request sent again, as those do that change proxies."""

    def process_response(self, request, response, spider=None):
        return request.replace() if response.body.startswith(b"banned") else response


@on_reactor
async def test_what_came_before_a_middleware_asked_again_does_not_count():
    text = "#" * 150_000 + "\n" + RULES
    banned = Answer(b"banned" + b" " * 150_000)
    dialect = RFC.but("limited", size_limit=200_000)
    with Site({"/robots.txt": [banned, robots(text)]}) as site:
        settings = {"DOWNLOADER_MIDDLEWARES": {AsksAgain: 555}}
        outcome, _ = await fetch(site.origin, dialect=dialect, **settings)
        assert (outcome.octets, outcome.is_cut) == (text.encode(), False)


class Moves:
    """A downloader middleware that sends a copy with another URL, as those of services do."""

    def process_request(self, request, spider=None):
        if request.url.endswith("/robots.txt"):
            return request.replace(url=request.url.replace("/robots.txt", "/through"))
        return None


@on_reactor
async def test_a_fetch_that_a_middleware_sent_as_another_request_is_under_way_no_more():
    with Site({"/through": robots(RULES)}) as site:
        settings = {"DOWNLOADER_MIDDLEWARES": {Moves: 555}}
        seen, crawler = await crawl(site.url("/page"), settings=settings)
        assert site.paths == ["/through", "/page"]
        assert len(seen.answered) == 1
        assert middleware_of(crawler).admission.concurrency.fetching == set()


@on_reactor
async def test_pages_are_loaded_as_before():
    page = Answer(gzip.compress(b"x" * 5000), headers={"Content-Encoding": "gzip"})
    with Site({"/robots.txt": robots(RULES), "/page": page}) as site:
        seen, _ = await crawl(site.url("/page"), settings={"ROBOTS_DIALECT": LIMITED})
        assert seen.answered == [site.url("/page")]
        assert seen.stats["httpcompression/response_bytes"] == 5000


@pytest.mark.parametrize(
    ("answers", "hits"),
    [
        ([Answer(status=503), robots(RULES)], 2),
        ([robots(RULES, promise=1000), Answer(status=500), robots(RULES)], 3),
        ([Answer(status=503)], 3),
        ([Answer(status=404)], 1),
        ([Answer(status=429)], 1),
        ([Answer(status=503, headers={"Retry-After": "3600"})], 1),
        ([robots(RULES, after=None)], 1),
    ],
    ids=["503", "cut", "503_always", "404", "429", "retry_after", "timeout"],
)
@on_reactor
async def test_a_failure_that_may_be_short_is_tried_again(answers, hits):
    with Site({"/robots.txt": answers}) as site:
        never = answers[-1].after is None
        timeout = 0.5 if never else 30
        outcome, seen = await fetch(
            site.origin, ROBOTS_FETCH_RETRIES=2, ROBOTS_FETCH_TIMEOUT=timeout
        )
        assert len(site.hits) == hits
        assert outcome.status == (None if never else answers[-1].status)
        assert seen.stats["robotstxt/request_count"] == 1


@pytest.mark.parametrize(
    ("quick", "cause", "lookups"),
    [(WAIT_DEADLINE, "dns", 3), (-1.0, "dns timeout", 1)],
    ids=["soon", "late"],
)
@on_reactor
async def test_a_name_is_looked_up_again_if_it_was_soon_known_to_have_no_address(
    quick, cause, lookups, monkeypatch
):
    """Each lookup of a name whose servers do not answer holds a thread for seconds."""
    hosts = []

    async def addresses_of(host, _timeout):
        hosts.append(host)
        return ()

    monkeypatch.setattr(name_queue, "addresses_of", addresses_of)
    monkeypatch.setattr(name_queue, "QUICK", quick)
    outcome, _ = await fetch("http://no-such-host.invalid", ROBOTS_FETCH_RETRIES=2)
    assert outcome == FetchResult(None, cause=cause)
    assert len(hosts) == lookups


@pytest.mark.parametrize(
    ("late_by", "cause", "hits"),
    [(WAIT_DEADLINE, "timeout", 1), (-WAIT_DEADLINE, "timeout while busy", 3)],
    ids=["in_time", "late"],
)
@on_reactor
async def test_a_timeout_of_a_process_that_was_busy_says_nothing_about_the_site(
    late_by, cause, hits, monkeypatch
):
    monkeypatch.setattr(transfer, "BUSY", late_by)
    with Site({"/robots.txt": robots(RULES, after=None)}) as site:
        outcome, _ = await fetch(site.origin, ROBOTS_FETCH_RETRIES=2, ROBOTS_FETCH_TIMEOUT=0.3)
        assert outcome == FetchResult(None, cause=cause)
        assert len(site.hits) == hits


@on_reactor
async def test_a_short_retry_after_is_obeyed_before_the_next_try():
    busy = Answer(status=503, headers={"Retry-After": "2"})
    with Site({"/robots.txt": [busy, robots(RULES)]}) as site:
        outcome, _ = await fetch(site.origin, ROBOTS_FETCH_RETRIES=1)
        assert outcome.status == 200
        first, second = site.hits
        assert second.asked_at - first.answered_at >= 2


class CountedPlace(FetchPlace):
    """Notes how many requests the site had when the place was given back, and taken again."""

    def __init__(self, site):
        self.site, self.events = site, []

    def give_back(self):
        self.events.append(("given back", len(self.site.hits)))

    async def take(self):
        self.events.append(("taken", len(self.site.hits)))


@on_reactor
async def test_while_a_fetch_waits_for_its_next_try_others_have_its_place():
    with Site({"/robots.txt": [Answer(status=503), robots(RULES)]}) as site:
        place = CountedPlace(site)
        question = FetchOrder(site.origin, None, RFC, Request(site.origin), place)
        settings = {"ROBOTS_FETCH_RETRIES": 1}
        await crawl(spider=Asking, settings=settings, question=question)
        assert len(site.hits) == 2
        assert place.events == [("given back", 1), ("taken", 1)]


class Innocent:
    """A middleware of the user's."""

    def process_request(self, request, spider=None):
        pass


class FaultyForRequests:
    def process_request(self, request, spider=None):
        if request.url.endswith("/robots.txt"):
            raise KeyError("of the middleware")


class FaultyForResponses:
    def process_response(self, request, response, spider=None):
        if request.url.endswith("/robots.txt"):
            raise KeyError("of the middleware")
        return response


def faults(caplog):
    """(level, where its traceback ends) of each fault in the log."""
    lines = [line for line in caplog.records if line.getMessage().startswith("A fault while")]
    return [(line.levelname, extract_tb(line.exc_info[2])[-1].name) for line in lines]


@pytest.mark.parametrize(
    ("middleware", "method"),
    [(FaultyForRequests, "process_request"), (FaultyForResponses, "process_response")],
)
@on_reactor
async def test_the_fault_of_a_middleware_is_logged_with_its_traceback_and_once_as_an_error(
    middleware, method, caplog
):
    caplog.set_level("DEBUG")
    with Site({"/robots.txt": robots("")}) as site, Site({}, "127.0.0.2") as other:
        other.script["/robots.txt"] = robots("")
        urls = [site.url("/"), other.url("/")]
        seen, _ = await crawl(*urls, settings={"DOWNLOADER_MIDDLEWARES": {middleware: 600}})
    assert "robots.txt unreachable (KeyError)" in seen.dropped[urls[0]]
    assert faults(caplog) == [("ERROR", method), ("DEBUG", method)]


class FailingHandler(HTTP11DownloadHandler):
    lazy = False
    error: Exception = KeyError("of the handler")

    if compat.ASYNC_API:

        async def download_request(self, request):
            raise self.error

    else:

        def download_request(self, request, spider):
            raise self.error


class FailingDownloader(Downloader):
    def fetch(self, request, spider=None):
        if request.url.endswith("/robots.txt"):
            return compat.deferred_from_coro(self.fails())
        return super().fetch(request, *filter(None, [spider]))

    async def fails(self):
        raise KeyError("of the downloader")


FAULTY_CLIENTS = {
    "download_request": {"DOWNLOAD_HANDLERS": {"http": FailingHandler}},
    "fails": {"DOWNLOADER": FailingDownloader},
}


@pytest.mark.parametrize("method", FAULTY_CLIENTS)
@on_reactor
async def test_the_fault_of_a_download_handler_or_a_downloader_is_logged_with_its_traceback(
    method, caplog
):
    with Site({}) as site:
        seen, _ = await crawl(site.url("/"), settings=FAULTY_CLIENTS[method])
    assert "robots.txt unreachable (KeyError)" in seen.dropped[site.url("/")]
    assert faults(caplog) == [("ERROR", method)]


class NoRouteOfAPlugin(Exception):  # noqa: N818 - plugins name theirs as they like
    pass


@pytest.mark.parametrize("error", [NoRouteOfAPlugin(), ValueError("no host has this name")])
@on_reactor
async def test_what_a_site_makes_a_download_handler_raise_is_no_fault(error, monkeypatch, caplog):
    monkeypatch.setattr(FailingHandler, "error", error)
    with Site({}) as site:
        settings = {"DOWNLOAD_HANDLERS": {"http": FailingHandler}}
        seen, _ = await crawl(site.url("/"), settings=settings)
    assert f"unreachable ({type(error).__name__})" in seen.dropped[site.url("/")]
    assert faults(caplog) == []


NO_FAULTS = {
    "no answer": ("http://127.0.0.1:1/", "connection refused"),
    "a name that no host may have": ("http://a*b/", "dns"),
    "a name that is no IDN": ("http://xn--\u2603/", "UnicodeEncodeError"),
}


class Dropping:
    """A middleware that wants no robots.txt."""

    error: Exception = IgnoreRequest()

    def process_request(self, request, spider=None):
        if request.url.endswith("/robots.txt"):
            raise self.error


# Disallowed: for the robots.txt it needs a page that is forbidden.
@pytest.mark.parametrize(
    "error", [IgnoreRequest(), Disallowed(parse(b"").verdict("http://h/", "Bot"))]
)
@on_reactor
async def test_a_robots_txt_that_a_middleware_drops_on_purpose_is_no_fault(
    error, monkeypatch, caplog
):
    monkeypatch.setattr(Dropping, "error", error)
    url = f"http://127.0.0.1:{free_port()}/"
    seen, _ = await crawl(url, settings={"DOWNLOADER_MIDDLEWARES": {Dropping: 600}})
    assert "robots.txt unreachable (dropped by a middleware)" in seen.dropped[url]
    assert faults(caplog) == []


class Rewriting:
    """A middleware that sends a new request, to the same site, in place of each robots.txt."""

    def process_request(self, request, spider=None):
        if request.url.endswith("/robots.txt"):
            return Request(request.url.replace("/robots.txt", "/through"))
        return None


class Keeping:
    """A middleware that never lets a robots.txt go."""

    async def process_request(self, request, spider=None):
        if request.url.endswith("/robots.txt"):
            await maybe_deferred_to_future(Deferred())


@pytest.mark.parametrize("middleware", [Rewriting, Keeping])
@on_reactor
async def test_a_robots_txt_that_never_leaves_a_middleware_closes_its_site_and_not_the_crawl(
    middleware, monkeypatch, caplog
):
    monkeypatch.setattr(deadline, "MAX_IN_MIDDLEWARES", 0.1)
    with Site({"/robots.txt": robots("")}) as site:
        url = site.url("/")
        seen, _ = await crawl(url, settings={"DOWNLOADER_MIDDLEWARES": {middleware: 600}})
    assert "robots.txt unreachable (kept by a middleware)" in seen.dropped[url]
    assert site.paths == []
    assert faults(caplog) == []


@on_reactor
async def test_a_robots_txt_that_has_reached_the_downloader_is_kept_by_no_middleware(monkeypatch):
    ends: list[Callable[[], object]] = []
    call_later = compat.call_later

    def note(seconds, function):
        if seconds == deadline.MAX_IN_MIDDLEWARES:
            ends.append(function)
        return call_later(seconds, function)

    def answer(_headers):
        for end in ends:
            end()
        return robots(RULES)

    monkeypatch.setattr(compat, "call_later", note)
    with Site({"/robots.txt": answer}) as site:
        result, _ = await fetch(site.origin, DOWNLOADER_MIDDLEWARES={Innocent: 600})
    assert ends
    assert result.octets == RULES.encode()


@pytest.mark.parametrize("name", NO_FAULTS)
@on_reactor
async def test_what_comes_of_a_site_or_a_link_is_no_fault_of_a_middleware(name, caplog):
    url, cause = NO_FAULTS[name]
    settings = {"ROBOTS_FETCH_RETRIES": 0, "DOWNLOADER_MIDDLEWARES": {Innocent: 600}}
    seen, _ = await crawl(url, settings=settings)
    (dropped,) = seen.dropped.values()
    assert f"robots.txt unreachable ({cause})" in dropped
    assert faults(caplog) == []


def test_the_cause_is_found_in_a_chain_of_exceptions():
    outer, inner = RuntimeError(), TimeoutError()
    outer.__cause__ = inner
    assert cause_of(outer) == "timeout"
    assert cause_of(KeyError()) == "KeyError"


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        (Failure("sent RST_STREAM", RuntimeError), "connection failed"),
        (RuntimeError(), "connection failed"),
        (ConnectionResetError(), "reset"),
    ],
    ids=["a text", "an exception", "an exception that is known"],
)
def test_a_reason_need_not_be_a_failure_with_an_exception(reason, cause):
    """As Scrapy's handler of HTTP/2 gives reasons."""
    error = ResponseFailed([reason])
    assert cause_of(error) == cause
    assert not is_fault_of(error, set(), set())
    errors = FetchErrors()
    errors.note("http://1", error)
    assert errors.of("http://1") is error


def gzipped(octets):
    return gzip.compress(octets), {"Content-Encoding": "gzip"}


WRAPPED = '<html><head></head><body><pre style="a">{}</pre></body></html>'
LONG = RULES + "# &amp;\n" * 1000


@pytest.mark.parametrize("dialect", [RFC, LIMITED])
@pytest.mark.parametrize("text", [RULES, LONG])
@pytest.mark.parametrize("pack", [lambda octets: (octets, {}), gzipped])
@on_reactor
async def test_the_text_that_a_browser_has_put_into_a_page_is_read(pack, text, dialect):
    octets, headers = pack(WRAPPED.format(text).encode())
    with Site({"/robots.txt": Answer(octets, headers=headers)}) as site:
        seen, _ = await crawl(
            site.url("/a"), site.url("/secret"), settings={"ROBOTS_DIALECT": dialect}
        )
        assert sorted(seen.dropped) == [site.url("/secret")]
        assert site.count("/robots.txt") == 1


WIDE = Answer("User-agent: *\nDisallow: /\n".encode("utf-16"))


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (PAGE, "200, an HTML page, any rules in it are obeyed"),
        (WIDE, "200, in UTF-16 or UTF-32, which nobody can read, it forbids nothing"),
    ],
)
@on_reactor
async def test_the_log_warns_of_what_came_in_place_of_a_readable_robots_txt(answer, why, caplog):
    with Site({"/robots.txt": answer}) as site:
        seen, _ = await crawl(site.url("/a"))
        assert seen.answered == [site.url("/a")]
    (warning,) = [r.getMessage() for r in caplog.records if r.name == "scrapy_robots_policy"]
    assert why in warning
