"""What must be true of a transfer by a download handler, and of the limit on its time: see also
test_name_queue.py, and the slow answers in hostile/.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler
from twisted.internet.defer import Deferred

from scrapy_robots_policy import compat
from scrapy_robots_policy.fetch.body import Bodies, Body
from scrapy_robots_policy.fetch.handlers import schemes_without_limit
from scrapy_robots_policy.fetch.transfer import guard_transfers
from tests.crawls import OURS, REACTORS, Plan, crawl_apart
from tests.on_reactor import on_reactor, pending_timers, start, until_idle
from tests.site import Answer, Site, robots

PLUGIN = {"http": "a_plugin.Handler", "https": None}
URL = "http://127.0.0.1/robots.txt"


class Handlers:
    """Download handlers whose answer never comes; `cancelled` counts the transfers that ended."""

    def __init__(self, settings) -> None:
        self.cancelled = 0
        handlers = SimpleNamespace()
        name = "download_request_async" if compat.ASYNC_API else "download_request"
        setattr(handlers, name, self._download)
        self.crawler = get_crawler(settings_dict={"DOWNLOAD_HANDLERS": settings})
        self.crawler.engine = SimpleNamespace(downloader=SimpleNamespace(handlers=handlers))
        guard_transfers(self.crawler)
        self._begin = getattr(handlers, name)

    def _download(self, _request, *_spider):
        answer = Deferred(lambda _: self._cancel())
        return compat.maybe_deferred_to_future(answer) if compat.ASYNC_API else answer

    def _cancel(self) -> None:
        self.cancelled += 1

    async def download(self, seconds, *, is_page=False):
        request = Request(URL, meta={"download_timeout": seconds})
        if is_page:
            return await self._answer(request)
        with Body(Bodies(self.crawler, lambda _: None), request, 100):
            return await self._answer(request)

    async def _answer(self, request):
        return await compat.maybe_deferred_to_future(
            compat.deferred_from_coro(self._begin(request))
        )


@on_reactor
async def test_a_transfer_ends_in_a_timeout_when_its_time_is_over(monkeypatch):
    timers = pending_timers(monkeypatch)
    handlers = Handlers(PLUGIN)
    failures = []
    start(handlers.download(5)).addErrback(failures.append)
    await until_idle()
    (end,) = timers
    end()
    await until_idle()
    (failure,) = failures
    assert failure.type is TimeoutError
    assert "did not come whole within 6 s" in str(failure.value)
    assert handlers.cancelled == 1


UNLIMITED = {
    "a page": (PLUGIN, True, 5),
    "a handler that limits the whole": ({}, False, 5),
    "a scheme of another handler": ({"https": "a_plugin.Handler"}, False, 5),
    "no limit": (PLUGIN, False, None),
    "a limit that is none": (PLUGIN, False, "soon"),
    "a limit of no time": (PLUGIN, False, -1),
}


@pytest.mark.parametrize("kind", UNLIMITED)
@on_reactor
async def test_what_else_is_downloaded_is_not_limited(kind, monkeypatch):
    settings, is_page, seconds = UNLIMITED[kind]
    timers = pending_timers(monkeypatch)
    handlers = Handlers(settings)
    downloading = start(handlers.download(seconds, is_page=is_page))
    await until_idle()
    assert timers == []
    downloading.addErrback(lambda _: None)
    downloading.cancel()
    await until_idle()
    assert handlers.cancelled == 1


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
    crawler = get_crawler(settings_dict={"DOWNLOAD_HANDLERS": PLUGIN})
    crawler.engine = SimpleNamespace(downloader=downloader)
    guard_transfers(crawler)


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
