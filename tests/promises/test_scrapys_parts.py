"""What must be true of a crawl if Scrapy lacks a private attribute that compat.py uses."""

from __future__ import annotations

import pytest
from scrapy.core.downloader import Downloader
from scrapy.exceptions import CloseSpider

from tests.crawls import OURS, REACTORS, Plan, Spider, crawl, crawl_apart, hidden
from tests.on_reactor import on_reactor
from tests.site import Site, robots

pytestmark = pytest.mark.slow

UNUSED = "what is ready in the queue may stay there for some seconds"
LATE_CLOSE = "a crawl that closes waits for robots.txt"
IN_MEMORY = "requests wait in memory, not in the scheduler's queue"

# The attribute, and the warnings of a crawl without it.
WITHOUT = {
    "scrapy.core.downloader:Downloader.handlers": [],
    "scrapy.core.downloader.handlers:DownloadHandlers._get_handler": [],
    "scrapy.core.engine:ExecutionEngine._slot": [UNUSED, LATE_CLOSE],
    "scrapy.core.engine:_Slot.nextcall": [UNUSED],
    "scrapy.core.engine:_Slot.close": [LATE_CLOSE],
    "scrapy.utils.reactor:CallLaterOnce.schedule": [UNUSED],
    "scrapy.pqueues:DownloaderAwarePriorityQueue.pqueues": [IN_MEMORY],
    "scrapy.pqueues:ScrapyPriorityQueue._start_queues": [],
}
AIOHTTP = "scrapy.core.downloader.handlers._aiohttp:AiohttpDownloadHandler"
WITHOUT_REACTOR = [
    "scrapy.core.engine:ExecutionEngine._slot",
    f"{AIOHTTP}._session",
    "aiohttp:BaseConnector._limit",
]


class Web:
    """Hosts whose pages wait for the rules, wait for their turn, or are forbidden."""

    def __init__(self):
        files = [
            robots("", after=0.2),
            robots("User-agent: *\nCrawl-delay: 0.05"),
            robots("User-agent: *\nDisallow: /"),
        ]
        self.sites = [
            Site({"/robots.txt": file}, f"127.0.0.{n}") for n, file in enumerate(files, 2)
        ]
        self.urls = [site.url(f"/{n}") for n in range(3) for site in self.sites]
        self.forbidden = sorted(url for url in self.urls if url.startswith(self.sites[2].origin))
        self.settings = {"CONCURRENT_REQUESTS": 2}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for site in self.sites:
            site.close()

    def check(self, seen):
        assert sorted(seen.dropped) == self.forbidden
        assert sorted([*seen.answered, *seen.dropped]) == sorted(self.urls)
        assert seen.stats["finish_reason"] == "finished"
        assert "log_count/ERROR" not in seen.stats


def warnings_in(caplog) -> list[str]:
    messages = [record.getMessage() for record in caplog.records]
    start = "This Scrapy or its DOWNLOADER is not as expected: "
    return [text.removeprefix(start) for text in messages if text.startswith(start)]


@pytest.mark.parametrize("place", WITHOUT)
@on_reactor
async def test_without_a_private_attribute_every_page_is_decided_and_one_warning_tells(
    place, caplog
):
    with Web() as web, hidden(place):
        seen, _ = await crawl(*web.urls, settings=web.settings)
        web.check(seen)
        assert warnings_in(caplog) == WITHOUT[place]


@pytest.mark.skipif("none" not in REACTORS, reason="Scrapy runs without a reactor from 2.15 on")
@pytest.mark.parametrize("place", WITHOUT_REACTOR)
def test_without_a_private_attribute_nor_a_reactor_every_page_is_decided(place):
    pytest.importorskip(place.partition(":")[0])  # aiohttp is of 2.19
    with Web() as web:
        settings = {**OURS, **REACTORS["none"], **web.settings}
        web.check(crawl_apart(Plan(web.urls, settings, hidden=place)))


class OwnDownloader(Downloader):
    """A user's downloader with a limit of its own."""

    def needs_backout(self):
        return super().needs_backout()


@on_reactor
async def test_with_a_downloader_of_the_users_every_page_is_decided(caplog):
    with Web() as web:
        seen, _ = await crawl(*web.urls, settings={**web.settings, "DOWNLOADER": OwnDownloader})
        web.check(seen)
        assert warnings_in(caplog) == []


@on_reactor
async def test_a_limit_of_scrapys_on_more_than_requests_is_kept(monkeypatch, caplog):
    counts_requests, asked_of = Downloader.needs_backout, []

    def needs_backout(self):
        asked_of.append(self)
        return counts_requests(self)

    monkeypatch.setattr(Downloader, "needs_backout", needs_backout)
    with Web() as web:
        seen, crawler = await crawl(*web.urls, settings=web.settings)
        web.check(seen)
        assert warnings_in(caplog) == []
        assert crawler.engine.downloader in asked_of


class Closing(Spider):
    """Closes at the page "/stop"; the robots.txt that other pages wait for comes after that."""

    def parse(self, response):
        super().parse(response)
        if response.url.endswith("/stop"):
            self.gate.set()
            raise CloseSpider("enough")


@pytest.mark.parametrize("place", WITHOUT)
@on_reactor
async def test_without_a_private_attribute_a_crawl_that_closes_ends_and_loses_no_page(place):
    with Site({"/robots.txt": robots("", gate="open")}) as late, Site({}, "127.0.0.2") as other:
        other.script["/robots.txt"] = robots("")
        urls = [late.url(f"/{n}") for n in range(3)]
        with hidden(place):
            seen, _ = await crawl(*urls, other.url("/stop"), spider=Closing, gate=late.gate("open"))
        assert seen.stats["finish_reason"] == "enough"
        left = seen.stats["scheduler/enqueued"] - seen.stats["scheduler/dequeued"]
        assert len(seen.answered) + left == 4
        assert "log_count/ERROR" not in seen.stats
