"""What must be true of the request for a robots.txt: what it takes from a page's, what never."""

from __future__ import annotations

import pytest
import scrapy

from tests.crawls import crawl
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, moved, robots

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


@on_reactor
async def test_a_hook_that_fails_makes_the_file_unreachable_and_is_logged(caplog):
    def failing(page, request):
        raise RuntimeError("of the hook")

    with Site({"/robots.txt": SECRET}) as site:
        seen, _ = await crawl(site.url("/a"), settings={"ROBOTS_FETCH_HOOK": failing})
        assert site.hits == []
        assert "RuntimeError while fetching" in seen.dropped[site.url("/a")]
        assert "A fault while fetching the robots.txt" in caplog.text


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
