"""What must be true of the limit on a whole download: see also the slow answers in hostile/."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from scrapy_robots_policy import compat
from scrapy_robots_policy.fetch import deadline
from scrapy_robots_policy.fetch.deadline import limit_downloads
from scrapy_robots_policy.fetch.handlers import schemes_without_limit
from tests.crawls import OURS, REACTORS, Plan, crawl_apart
from tests.on_reactor import WAIT_DEADLINE
from tests.site import Answer, Site, robots

PLUGIN = {"http": "a_plugin.Handler", "https": None}
URL = "http://here.example/robots.txt"


class Handlers:
    """Download handlers whose answer never comes; `cancelled` counts the transfers that ended."""

    def __init__(self) -> None:
        self.cancelled = 0

    async def download_request_async(self, _request: Request) -> Response:
        try:
            return await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


@pytest.fixture
def handlers(monkeypatch):
    monkeypatch.setattr(deadline, "AFTER_THE_HANDLER", 0.0)
    made = Handlers()
    monkeypatch.setattr(compat, "async_handlers", lambda _: made)
    return made


def limited(settings, is_fetch=lambda _: True):
    limit_downloads(get_crawler(settings_dict={"DOWNLOAD_HANDLERS": settings}), is_fetch)


def download(handlers, request, patience=WAIT_DEADLINE):
    """In an event loop of its own: this thread may have the reactor's."""

    async def within() -> Response:
        return await asyncio.wait_for(handlers.download_request_async(request), patience)

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, within()).result(2 * WAIT_DEADLINE)


def test_a_transfer_ends_in_a_timeout_when_its_time_is_over(handlers):
    limited(PLUGIN)
    with pytest.raises(TimeoutError, match=r"did not come whole within 0\.01 s"):
        download(handlers, Request(URL, meta={"download_timeout": 0.01}))
    assert handlers.cancelled == 1


UNLIMITED = {
    "a page": (PLUGIN, lambda _: False, 0.01),
    "a handler that limits the whole": ({}, lambda _: True, 0.01),
    "a scheme of another handler": ({"https": "a_plugin.Handler"}, lambda _: True, 0.01),
    "no limit": (PLUGIN, lambda _: True, None),
    "a limit that is none": (PLUGIN, lambda _: True, "soon"),
    "a limit of no time": (PLUGIN, lambda _: True, -1),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", UNLIMITED)
def test_what_else_is_downloaded_is_not_limited(kind, handlers):
    settings, is_fetch, seconds = UNLIMITED[kind]
    limited(settings, is_fetch)
    with pytest.raises(asyncio.TimeoutError) as caught:
        download(handlers, Request(URL, meta={"download_timeout": seconds}), patience=0.1)
    assert "did not come whole" not in str(caught.value)


SCHEMES = {
    "twisted": ({}, set()),
    "httpx, by path": ({"http": "scrapy.core.downloader.handlers._httpx.X"}, {"http"}),
    "httpx, by class": ({"https": type("X", (), {"__module__": "scrapy._httpx"})}, {"https"}),
    "a plugin": ({"http": "a_plugin.Handler", "https": "a_plugin.Handler"}, {"http", "https"}),
    "a plugin named after Scrapy": ({"https": "scrapy_plugin.Handler"}, {"https"}),
    "switched off": ({"http": None, "https": None}, set()),
}


@pytest.mark.parametrize("kind", SCHEMES)
def test_handlers_that_may_not_limit_the_whole_are_known_by_their_module(kind):
    settings, schemes = SCHEMES[kind]
    crawler = get_crawler(settings_dict={"DOWNLOAD_HANDLERS": settings})
    assert schemes_without_limit(crawler.settings) == schemes


def test_the_handlers_that_scrapy_itself_chooses_count_as_those_of_the_project_do():
    """Without a reactor, Scrapy writes them into the setting that ends in _BASE."""
    chosen = {"DOWNLOAD_HANDLERS_BASE": {"http": "scrapy.core.downloader.handlers._httpx.X"}}
    assert schemes_without_limit(Settings(chosen)) == {"http"}


@pytest.mark.parametrize(
    "downloader",
    [
        None,
        SimpleNamespace(),
        SimpleNamespace(handlers=None),
        SimpleNamespace(handlers=SimpleNamespace()),
    ],
)
def test_a_downloader_without_such_handlers_is_left_alone(downloader):
    settings = Settings({"DOWNLOAD_HANDLERS": PLUGIN})
    crawler = SimpleNamespace(engine=SimpleNamespace(downloader=downloader), settings=settings)
    assert compat.async_handlers(crawler) is None
    limit_downloads(crawler, lambda _: True)


@pytest.mark.parametrize("has_loop", [True, False])
def test_handlers_are_limited_where_asyncio_runs_the_crawl_and_only_there(has_loop, monkeypatch):
    """Where another reactor runs it, nothing of asyncio can be awaited."""
    monkeypatch.setattr(compat, "has_asyncio", lambda: has_loop)
    handlers = Handlers()
    crawler = SimpleNamespace(engine=SimpleNamespace(downloader=SimpleNamespace(handlers=handlers)))
    assert compat.async_handlers(crawler) is (handlers if has_loop else None)


@pytest.mark.slow
@pytest.mark.parametrize("kind", REACTORS)
def test_a_robots_txt_that_drips_gives_its_place_in_the_download_slot_back(kind):
    drip = Answer(raw=b"HTTP/1.1 200 OK\r\nX: " + b"x" * 3000, drip=0.1)
    settings = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "ROBOTS_FETCH_TIMEOUT": 5}
    with Site({"/robots.txt": drip}) as site, Site({"/robots.txt": robots("")}) as other:
        urls = [site.url("/"), *(other.url(f"/{n}") for n in range(3))]
        seen = crawl_apart(Plan(urls, {**OURS, **REACTORS[kind], **settings}))
        assert sorted(seen.answered) == sorted(urls[1:])
        assert "timeout" in seen.dropped[urls[0]]
