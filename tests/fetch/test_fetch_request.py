"""What must be true of the request for a robots.txt: what it takes from a page's, what never."""

from __future__ import annotations

import gzip
from functools import partial

import pytest
import scrapy
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.settings import default_settings

from scrapy_robots_policy import compat
from scrapy_robots_policy.fetch import unpacking
from scrapy_robots_policy.fetch.order import FetchOrder
from scrapy_robots_policy.rep import DIALECTS, CacheEntry, FetchResult
from tests.crawls import Spider, crawl, middleware_of
from tests.missing import BROTLI
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, moved, robots

pytestmark = pytest.mark.slow  # whole crawls

SECRET = robots("User-agent: *\nDisallow: /secret\n")
PAGE_META = {"impersonate": "chrome", "cookiejar": 1, "dont_obey_robotstxt": False}


class Noting:
    """A downloader middleware that notes each request for a robots.txt."""

    requests: list[scrapy.Request]

    def process_request(self, request, spider=None):
        if request.url.endswith(("/robots.txt", "/r")):
            self.requests.append(request)


def noting():
    """(settings, the requests that will be noted)"""
    requests = []
    kind = type("Noted", (Noting,), {"requests": requests})
    return {"DOWNLOADER_MIDDLEWARES": {kind: 1000}}, requests


@on_reactor
async def test_a_robots_txt_goes_through_the_proxy_of_its_page():
    page = "http://site.invalid/a"
    with Site({"http://site.invalid/robots.txt": SECRET, page: Answer()}) as proxy:
        via = proxy.origin.replace("//", "//user:word@")
        secret = scrapy.Request("http://site.invalid/secret", meta={"proxy": via})
        seen, _ = await crawl(scrapy.Request(page, meta={"proxy": via}), secret)
        assert seen.answered == [page]
        assert sorted(proxy.paths) == [page, "http://site.invalid/robots.txt"]
        sent = {hit.headers.get("proxy-authorization") for hit in proxy.hits}
        assert sent == {"Basic dXNlcjp3b3Jk"}


@on_reactor
async def test_a_proxy_that_wants_other_credentials_opens_no_site():
    site = "http://site.invalid"
    with Site({f"{site}/robots.txt": [Answer(status=407), SECRET]}) as proxy:
        old, new = ({"proxy": proxy.origin.replace("//", f"//{who}:@")} for who in ("old", "new"))
        secret = scrapy.Request(f"{site}/secret", meta=new)
        seen, _ = await crawl(scrapy.Request(f"{site}/a", meta=old), secret)
        assert proxy.paths == [f"{site}/robots.txt"] * 2 + [f"{site}/a"]
        assert len({hit.headers["proxy-authorization"] for hit in proxy.hits[:2]}) == 2
    assert list(seen.dropped) == [secret.url]


@on_reactor
async def test_a_proxy_that_always_wants_other_credentials_leaves_the_site_unreachable():
    page = "http://site.invalid/a"
    with Site({"http://site.invalid/robots.txt": Answer(status=407)}) as proxy:
        seen, _ = await crawl(scrapy.Request(page, meta={"proxy": proxy.origin}))
        assert proxy.pages == ["http://site.invalid/robots.txt"]
    why = "robots.txt unreachable (refused by the proxy)"
    assert seen.dropped == {page: f"Forbidden by robots.txt: {why}"}


@on_reactor
async def test_a_site_itself_that_answers_407_has_no_robots_txt():
    with Site({"/robots.txt": Answer(status=407)}) as site:
        seen, _ = await crawl(site.url("/a"))
        assert seen.answered == [site.url("/a")]


@on_reactor
async def test_chosen_keys_and_headers_are_sent_with_every_redirect():
    settings, requests = noting()
    settings |= {"ROBOTS_FETCH_META": "impersonate,playwright", "ROBOTS_FETCH_HEADERS": ["X-Key"]}
    with Site({"/robots.txt": moved("/r"), "/r": SECRET}) as site:
        headers = {"X-Key": "1", "X-Other": "2", "Cookie": "c=1", "Authorization": "a"}
        await crawl(
            scrapy.Request(site.url("/a"), headers=headers, meta=PAGE_META), settings=settings
        )
        first, second, _ = site.hits
        for hit in (first, second):
            assert hit.headers["x-key"] == "1"
            assert not {"x-other", "cookie", "authorization"} & set(hit.headers)
        assert [request.meta["impersonate"] for request in requests] == ["chrome", "chrome"]
        assert not {"playwright", "cookiejar"} & set(requests[0].meta)


@on_reactor
async def test_by_default_only_the_proxy_and_the_user_agent_are_taken():
    settings, requests = noting()
    with Site({"/robots.txt": SECRET}) as site:
        headers = {"User-Agent": "MyBot/1", "X-Key": "1"}
        await crawl(
            scrapy.Request(site.url("/a"), headers=headers, meta=PAGE_META), settings=settings
        )
        assert site.hits[0].headers["user-agent"] == "MyBot/1"
        assert "x-key" not in site.hits[0].headers
        assert not {"impersonate", "cookiejar"} & set(requests[0].meta)


class PluginHandler(HTTP11DownloadHandler):
    """A download handler that is none of Scrapy's own, and notes the headers that it gets."""

    sent: list[tuple[str, dict[bytes, list[bytes]]]]

    lazy = False

    if compat.ASYNC_API:

        async def download_request(self, request):
            self.sent.append((request.url, dict(request.headers)))
            return await super().download_request(request)

    else:

        def download_request(self, request, spider):
            self.sent.append((request.url, dict(request.headers)))
            return super().download_request(request, spider)


def by_plugin():
    """(settings, the headers of each request that leaves)"""
    sent = []
    kind = type("Handler", (PluginHandler,), {"sent": sent})
    return {"DOWNLOAD_HANDLERS": {"http": kind}}, sent


class WithCredentials(Spider):
    http_user, http_pass, http_auth_domain = "user", "word", None


def with_credentials():
    """(settings, the kind of spider) of a crawl whose pages are asked for with a password"""
    if "HTTPAUTH_USER" in vars(default_settings):
        settings = {"HTTPAUTH_USER": "user", "HTTPAUTH_PASS": "word", "HTTPAUTH_DOMAIN": None}
        return settings, Spider
    return {}, WithCredentials


@on_reactor
async def test_no_header_leaves_without_a_value():
    """Download handlers of plugins send a header without a value as an empty one."""
    settings, sent = by_plugin()
    credentials, spider = with_credentials()
    settings |= {**credentials, "ROBOTS_FETCH_HEADERS": ["X-Key"]}
    with Site({"/robots.txt": SECRET}) as site:
        page = scrapy.Request(site.url("/a"), headers={"X-Key": ""})
        await crawl(page, settings=settings, spider=spider)
    (url, robots_headers), (_, page_headers) = sent
    assert url.endswith("/robots.txt")
    assert b"Authorization" in page_headers
    assert not {b"Authorization", b"X-Key"} & set(robots_headers)


# Scrapy before 2.19 takes no credentials from the meta of a request.
OF_META = ["/secret"] if "HTTPAUTH_USER" in vars(default_settings) else []


def answer_with_a_password(headers):
    is_known = headers.get("authorization") in {"Basic dXNlcjp3b3Jk", "Bearer key"}
    return SECRET if is_known else Answer(status=401)


# Settings and spider, what is dropped, how often robots.txt is asked for.
PASSWORDS = {
    "of its pages alone": ({"ROBOTS_FETCH_META": ["http_user", "http_pass"]}, Spider, OF_META, 2),
    "of HttpAuthMiddleware": (*with_credentials(), ["/secret"], 2),
    "in the default headers": (
        {"DEFAULT_REQUEST_HEADERS": {"authorization": "Bearer key"}},
        Spider,
        ["/secret"],
        2,
    ),
    "that the site does not know": (
        {"DEFAULT_REQUEST_HEADERS": {"Authorization": "Bearer other"}},
        Spider,
        [],
        2,
    ),
    "none": ({}, Spider, [], 1),
}


@pytest.mark.parametrize("name", PASSWORDS)
@on_reactor
async def test_a_site_that_asks_for_a_password_gets_that_of_its_pages(name):
    settings, spider, dropped, tries = PASSWORDS[name]
    with Site({"/robots.txt": answer_with_a_password}) as site:
        meta = {"http_user": "user", "http_pass": "word"}
        pages = [scrapy.Request(site.url(path), meta=meta) for path in ("/a", "/secret")]
        seen, _ = await crawl(*pages, settings=settings, spider=spider)
        assert sorted(seen.dropped) == [site.url(path) for path in dropped]
        asked = [hit.headers for hit in site.hits if hit.path == "/robots.txt"]
    assert len(asked) == tries
    assert "authorization" not in asked[0]
    assert seen.stats["robotstxt/request_count"] == 1


@pytest.mark.parametrize("handler", ["Scrapy's own", "a plugin's"])
@on_reactor
async def test_a_plugin_asks_for_the_encodings_that_it_asks_for_with_pages(handler):
    settings = by_plugin()[0] if handler == "a plugin's" else {}
    with Site({"/robots.txt": SECRET}) as site:
        await crawl(site.url("/a"), settings=settings)
        robots_txt, page = (hit.headers["accept-encoding"] for hit in site.hits)
    assert robots_txt == (page if settings else "gzip, deflate")


# Encoding, settings, octets of comments, what is dropped.
PACKED = {
    "gzip by Scrapy's own": ("gzip", {}, 0, "/secret"),
    "br for a plugin": ("br", by_plugin()[0], 0, "/secret"),
    "br in gzip for a plugin": ("br, gzip", by_plugin()[0], 0, "/secret"),
    "br that nobody has asked for": ("br", {}, 0, "/secret"),
    "br that is very large": ("br", by_plugin()[0], 100_000_000, "/secret"),
    "br that Scrapy does not unpack": ("br", {"COMPRESSION_ENABLED": False}, 0, "/secret"),
}


def pack(octets, encoding):
    if encoding == "gzip":
        return gzip.compress(octets)
    reason = "brotli is not installed: `make test` on the newest Scrapy"
    return pytest.importorskip(BROTLI, reason=reason).compress(octets, quality=1)


@pytest.mark.parametrize("name", PACKED)
@on_reactor
async def test_an_encoded_file_is_read_or_closes_the_site(name):
    encoding, settings, comments, dropped = PACKED[name]
    octets = SECRET.body + b"#" * comments
    for one in encoding.split(", "):
        octets = pack(octets, one)
    answer = Answer(octets, headers={"Content-Encoding": encoding})
    with Site({"/robots.txt": answer}) as site:
        seen, _ = await crawl(site.url("/a"), site.url("/secret"), settings=settings)
        assert sorted(seen.dropped) == [site.url(path) for path in dropped.split()]


# Settings, octets of comments, what is dropped.
LEFT_TO_SCRAPY = {
    "as the others": ({}, 0, "/secret"),
    "very large": ({}, 100_000_000, "/a /secret"),
    "unpacked by nobody": ({"COMPRESSION_ENABLED": False}, 0, "/a /secret"),
}


@pytest.mark.parametrize("name", LEFT_TO_SCRAPY)
@on_reactor
async def test_where_only_scrapy_unpacks_a_file_it_is_read_or_closes_the_site(name, monkeypatch):
    settings, comments, dropped = LEFT_TO_SCRAPY[name]
    monkeypatch.setattr(unpacking, "decoders", dict)
    octets = pack(SECRET.body + b"#" * comments, "br")
    with Site({"/robots.txt": Answer(octets, headers={"Content-Encoding": "br"})}) as site:
        seen, _ = await crawl(site.url("/a"), site.url("/secret"), settings=settings)
        assert sorted(seen.dropped) == [site.url(path) for path in dropped.split()]


def answer_to(headers, refused, status):
    return Answer(status=status) if refused in headers else SECRET


@on_reactor
async def test_pages_that_are_asked_for_only_if_they_have_changed_close_no_site():
    settings = {"DEFAULT_REQUEST_HEADERS": {"If-Modified-Since": "Wed, 21 Oct 2025 07:28:00 GMT"}}
    script = {"/robots.txt": partial(answer_to, refused="if-modified-since", status=304)}
    with Site(script) as site:
        seen, _ = await crawl(site.url("/a"), site.url("/secret"), settings=settings)
        assert sorted(seen.dropped) == [site.url("/secret")]
        assert "if-modified-since" in site.hits[-1].headers


OF_OUR_MAKING = [400, 405, 406, 411, 412, 431]


@pytest.mark.parametrize("status", OF_OUR_MAKING)
@on_reactor
async def test_what_the_server_may_refuse_for_a_header_of_ours_is_asked_for_without(status):
    settings = {"ROBOTS_FETCH_HEADERS": ["User-Agent", "X-Key"]}
    script = {"/robots.txt": partial(answer_to, refused="x-key", status=status)}
    with Site(script) as site:
        requests = [
            scrapy.Request(site.url(path), headers={"X-Key": "1", "User-Agent": "MyBot/1"})
            for path in ("/a", "/b", "/secret")
        ]
        seen, _ = await crawl(*requests, settings=settings)
        assert sorted(seen.dropped) == [site.url("/secret")]
        assert site.count("/robots.txt") == 2
        plain = site.hits[1].headers
        assert plain["user-agent"] == "MyBot/1"
        assert not {"accept", "accept-language", "x-key"} & set(plain)


@pytest.mark.parametrize(
    ("first", "second", "dropped", "tries"),
    [
        (400, Answer(status=400), 0, 2),
        (400, Answer(status=404), 0, 2),
        (400, Answer(status=503), 2, 2),
        (404, SECRET, 0, 1),
        (403, SECRET, 0, 1),
    ],
)
@on_reactor
async def test_the_plain_request_is_made_once_and_its_answer_counts(first, second, dropped, tries):
    with Site({"/robots.txt": [Answer(status=first), second]}) as site:
        settings = {"ROBOTS_FETCH_RETRIES": 0}
        seen, _ = await crawl(site.url("/a"), site.url("/secret"), settings=settings)
        assert len(seen.dropped) == dropped
        assert site.count("/robots.txt") == tries
        assert seen.stats["robotstxt/request_count"] == 1


@on_reactor
async def test_a_redirect_that_leads_to_a_refusal_is_followed_again_by_plain_requests():
    script = {"/robots.txt": moved("/r"), "/r": partial(answer_to, refused="accept", status=406)}
    with Site(script) as site:
        seen, _ = await crawl(site.url("/a"), site.url("/secret"))
        assert sorted(seen.dropped) == [site.url("/secret")]
        assert site.paths[:4] == ["/robots.txt", "/r", "/robots.txt", "/r"]
        assert ["accept" in hit.headers for hit in site.hits[:4]] == [True, True, False, False]


@on_reactor
async def test_a_refused_condition_is_not_sent_again():
    """A 412 answers a conditional request."""

    def answer(headers):
        is_conditional = "if-none-match" in headers
        return Answer(status=412) if is_conditional else robots_with_tag

    robots_with_tag = robots(
        SECRET.body.decode(), headers={"ETag": '"1"', "Cache-Control": "no-store"}
    )
    with Site({"/robots.txt": answer}) as site:
        copy = CacheEntry(FetchResult(200, etag='"1"'), 0.0, SECRET.body, 0.0)
        order = FetchOrder(site.origin, copy, DIALECTS["rfc9309"], scrapy.Request(site.origin))
        results = []

        class Fetching(Spider):
            async def start(self):
                results.append(await middleware_of(self.crawler).resolver.sources.fetch(order))
                async for request in super().start():
                    yield request

        await crawl(spider=Fetching)
        assert [result.status for result in results] == [200]
        assert ["if-none-match" in hit.headers for hit in site.hits] == [True, False]


@on_reactor
async def test_a_taken_header_does_not_come_beside_ours():
    settings, requests = noting()
    settings["ROBOTS_FETCH_HEADERS"] = ["accept-encoding", "x-key"]
    with Site({"/robots.txt": SECRET}) as site:
        headers = {"Accept-Encoding": "br", "X-Key": "1"}
        await crawl(scrapy.Request(site.url("/a"), headers=headers), settings=settings)
    sent = requests[0].headers
    assert sent.getlist("Accept-Encoding") == [b"gzip, deflate"]
    assert sent.getlist("X-Key") == [b"1"]


@on_reactor
async def test_a_taken_key_does_not_replace_ours():
    settings, requests = noting()
    settings["ROBOTS_FETCH_META"] = ["dont_obey_robotstxt", "download_timeout"]
    with Site({"/robots.txt": SECRET}) as site:
        page = scrapy.Request(site.url("/a"), meta={**PAGE_META, "download_timeout": 9})
        seen, _ = await crawl(page, settings=settings)
        assert seen.answered == [site.url("/a")]
        assert requests[0].meta["download_timeout"] == 30


def change(page, request):
    request.headers["X-Page"] = page.url.rpartition("/")[2]


def another(page, request):
    return scrapy.Request(request.url, headers={"X-Page": "a"}, dont_filter=True)


@pytest.mark.parametrize("hook", [change, another])
@on_reactor
async def test_a_hook_may_change_the_request_or_return_another(hook):
    with Site({"/robots.txt": SECRET}) as site:
        urls = [site.url("/a"), site.url("/secret")]
        seen, _ = await crawl(*urls, settings={"ROBOTS_FETCH_HOOK": hook})
        assert site.hits[0].headers["x-page"] == "a"
        assert seen.answered == urls[:1]


def not_exempt(page, request):
    return request.replace(meta={"dont_obey_robotstxt": False})


def with_the_pages_meta(page, request):
    return request.replace(meta={**request.meta, **page.meta})


@pytest.mark.parametrize(
    "settings",
    [
        {"ROBOTS_FETCH_HOOK": not_exempt},
        {"ROBOTS_FETCH_HOOK": with_the_pages_meta},
        {"ROBOTS_FETCH_META": ["redirect_urls"]},
    ],
)
@on_reactor
async def test_no_fetch_waits_for_itself_whatever_meta_it_takes_from_the_page(settings):
    with Site({"/robots.txt": SECRET}) as site, Site({"/robots.txt": SECRET}, "127.0.0.2") as other:
        other.script["/moved"] = moved(site.url("/a"))
        seen, _ = await crawl(other.url("/moved"), settings=settings)
        assert seen.answered == [site.url("/a")]
        assert site.count("/robots.txt") == 1


@on_reactor
async def test_a_hook_may_return_one_request_for_many_origins():
    sites = [Site({"/robots.txt": SECRET}, f"127.0.0.{n}") for n in range(1, 9)]
    shared = scrapy.Request(sites[0].url("/robots.txt"), dont_filter=True)
    settings = {"ROBOTS_FETCH_HOOK": lambda page, request: shared}
    seen, _ = await crawl(
        *(site.url(path) for site in sites for path in ("/a", "/secret")), settings=settings
    )
    assert sorted(seen.answered) == sorted(site.url("/a") for site in sites)
    assert sorted(seen.dropped) == sorted(site.url("/secret") for site in sites)
    assert not any("unreachable" in why for why in seen.dropped.values())
    assert sites[0].count("/robots.txt") == len(sites)
    assert shared.meta == {}
    for site in sites:
        site.close()


@pytest.mark.parametrize("hook", [change, another])
@on_reactor
async def test_a_plain_request_has_no_header_of_the_hook(hook):
    with Site({"/robots.txt": partial(answer_to, refused="x-page", status=431)}) as site:
        settings = {"ROBOTS_FETCH_HOOK": hook}
        seen, _ = await crawl(site.url("/a"), site.url("/secret"), settings=settings)
        assert sorted(seen.dropped) == [site.url("/secret")]
        assert site.count("/robots.txt") == 2


@on_reactor
async def test_a_hook_that_fails_makes_the_file_unreachable_and_is_logged(caplog):
    def failing(page, request):
        raise RuntimeError("of the hook")

    with Site({"/robots.txt": SECRET}) as site:
        seen, _ = await crawl(site.url("/a"), settings={"ROBOTS_FETCH_HOOK": failing})
        assert site.hits == []
        assert "RuntimeError while fetching" in seen.dropped[site.url("/a")]
        assert f"A fault while fetching {site.url('/robots.txt')}" in caplog.text


@on_reactor
async def test_a_hook_that_returns_the_pages_own_request_makes_the_file_unreachable(caplog):
    """Neither is the page fetched in place of the robots.txt, nor is its request let through."""
    with Site({"/robots.txt": SECRET}) as site:
        urls = [site.url("/a"), site.url("/secret")]
        settings = {"ROBOTS_FETCH_HOOK": lambda page, request: page}
        seen, _ = await crawl(*urls, settings=settings)
        assert site.hits == []
        assert sorted(seen.dropped) == urls
        assert "the request of the page itself" in caplog.text
