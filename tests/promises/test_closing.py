"""docs/waiting-and-delays.md, docs/when-things-fail.md: a crawl that closes loses nothing."""

from __future__ import annotations

from collections import Counter

import pytest
import scrapy
from scrapy.http.request import NO_CALLBACK

from scrapy_robots_policy import compat
from tests.crawls import OURS, Plan, Spider, crawl_apart
from tests.on_reactor import on_reactor, start
from tests.site import Answer, Site, robots

pytestmark = pytest.mark.slow  # whole crawls

URLS = [f"http://a.test/{n}" for n in range(5)]
WAITS = {
    "for the rules": robots("", after=None),
    "for a turn": robots("User-agent: *\nCrawl-delay: 60"),
    "for years, as the site asks": robots("User-agent: *\nCrawl-delay: 1e300"),
    "for a site that puts us off": Answer(status=503),
}


# With our queue nothing has left it.
QUEUES = {
    "scrapy_robots_policy.RobotsPriorityQueue": 0,
    "scrapy.pqueues.DownloaderAwarePriorityQueue": 5,
}


@pytest.mark.parametrize("queue", QUEUES)
@pytest.mark.parametrize("is_paused", [False, True], ids=["", "paused"])
@pytest.mark.parametrize("wait", WAITS)
@on_reactor
async def test_requests_that_wait_go_back_to_the_scheduler_when_the_crawl_closes(
    wait, is_paused, queue, web
):
    site = web({"a.test": {"/robots.txt": WAITS[wait]}})
    settings = {"ROBOTS_ON_UNREACHABLE": "defer", "ROBOTS_FETCH_TIMEOUT": 3600}
    settings["SCHEDULER_PRIORITY_QUEUE"] = queue
    crawl = site.start(*URLS, settings=settings)
    await site.time.forward(20.0)
    if is_paused:
        crawl.crawler.engine.pause()
    seen = await crawl.close()
    assert (seen.answered, seen.dropped, site.pages) == ([], {}, [])
    assert seen.stats.get("robots/put_back", 0) == QUEUES[queue]
    assert seen.stats["scheduler/enqueued"] - seen.stats.get("scheduler/dequeued", 0) == 5
    assert crawl.crawler.engine.downloader.active == set()
    assert site.now < 30.0


class Downloading(Spider):
    """Asks for a page past the scheduler."""

    failure = ""

    async def start(self):
        start(self.ask())
        async for request in super().start():
            yield request

    async def ask(self):
        try:
            await compat.download(self.crawler, scrapy.Request(URLS[0], NO_CALLBACK))
        except scrapy.exceptions.IgnoreRequest as error:
            self.failure = str(error)


@on_reactor
async def test_a_request_that_did_not_come_from_the_scheduler_ends_with_ignore_request(web):
    site = web({"a.test": {"/robots.txt": robots("", after=None)}})
    crawl = site.start(URLS[1], spider=Downloading)
    await site.time.forward(1.0)
    await crawl.close()
    assert "closing" in crawl.crawler.spider.failure
    assert site.pages == []


def test_a_crawl_that_is_interrupted_and_resumed_from_jobdir_loses_nothing(tmp_path):
    """Nothing is fetched twice either."""
    with Site({}) as dead, Site({"/robots.txt": robots("")}, "127.0.0.2") as on:
        dead.script["/robots.txt"] = robots("", after=None)
        urls = [dead.url(f"/{n}") for n in range(30)] + [on.url("/1"), on.url("/stop")]
        settings = {**OURS, "JOBDIR": str(tmp_path), "CONCURRENT_REQUESTS": 4}
        settings["ROBOTS_FETCH_TIMEOUT"] = 300
        first = crawl_apart(Plan(urls, settings, interrupt_at=on.url("/stop")))
        assert sorted(first.answered) == sorted([on.url("/1"), on.url("/stop")])
        assert (first.dropped, first.stats["scheduler/dequeued"]) == ({}, 2)
        dead.script["/robots.txt"] = robots("")
        second = crawl_apart(Plan(urls, settings))
        assert Counter(first.answered + second.answered) == Counter(urls)
        asked_for = [f"/{n}" for n in range(30)] + ["/1", "/stop"]
        assert Counter(dead.pages + on.pages) == Counter(asked_for)
