"""What must be true of a crawl that closes while requests wait."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from datetime import datetime, timedelta, timezone
from typing import ClassVar

import pytest
import scrapy
from scrapy.http.request import NO_CALLBACK

from scrapy_robots_policy import compat
from scrapy_robots_policy.report.report_writer import ReportWriter
from scrapy_robots_policy.stores import Claim, MemoryStore
from scrapy_robots_policy.stores.codec import decode
from tests.crawls import (
    OURS,
    REACTORS,
    Middleware,
    Plan,
    Spider,
    crawl,
    crawl_apart,
    middleware_of,
    waiting_in,
)
from tests.on_reactor import on_reactor, start, until
from tests.site import Answer, Site, robots

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", REACTORS)
def test_a_crawl_resumed_fetches_each_url_once_and_loses_none(kind, tmp_path):
    with Site({}) as dead, Site({"/robots.txt": robots("")}, "127.0.0.2") as on:
        dead.script["/robots.txt"] = robots("", after=None)
        urls = [dead.url(f"/{n}") for n in range(30)] + [on.url("/1"), on.url("/stop")]
        settings = {**OURS, **REACTORS[kind], "JOBDIR": str(tmp_path), "CONCURRENT_REQUESTS": 4}
        # Longer than `crawl_apart` waits for a crawl.
        settings["ROBOTS_FETCH_TIMEOUT"] = 300
        first = crawl_apart(Plan(urls, settings, interrupt_at=on.url("/stop")))
        assert sorted(first.answered) == sorted([on.url("/1"), on.url("/stop")])
        assert first.dropped == {}
        assert first.stats["robots/put_back"] == 30
        dead.script["/robots.txt"] = robots("")
        second = crawl_apart(Plan(urls, settings))
        assert Counter(first.answered + second.answered) == Counter(urls)
        assert Counter(dead.pages + on.pages) == Counter(f"/{n}" for n in range(30)) + Counter(
            ["/1", "/stop"]
        )


@pytest.mark.parametrize("kind", REACTORS)
def test_a_crawl_that_closes_while_a_robots_txt_waits_for_its_turn_loses_nothing(kind, tmp_path):
    """The rules have grown old when a page asks for them; the host has a long delay."""
    store = tmp_path / "robots.sqlite"
    settings = {
        **OURS,
        **REACTORS[kind],
        "JOBDIR": str(tmp_path / "job"),
        "ROBOTS_STORE": f"sqlite:{store}",
        "ROBOTS_TTL": 1,
    }
    paced = robots("User-agent: *\nCrawl-delay: 60\n")
    with Site({"/robots.txt": paced}) as site, Site({}, "127.0.0.2") as other:
        slow = Answer(after=1.5)  # longer than the rules are good for
        other.script = {"/robots.txt": robots(""), "/slow": slow, "/stop": Answer(after=0.5)}
        urls = [*(site.url(f"/{n}") for n in range(5)), other.url("/slow")]
        then = {other.url("/slow"): [site.url("/late"), other.url("/stop")]}
        plan = Plan(urls, settings, interrupt_at=other.url("/stop"), then=then)
        seen = crawl_apart(plan)
        assert seen.dropped == {}
        assert seen.stats["robots/put_back"] == 6
        assert site.paths == ["/robots.txt"]
        with closing(sqlite3.connect(store)) as connection:
            rows = connection.execute("SELECT origin, frame FROM records").fetchall()
        assert {decode(frame).latest.status for _, frame in rows} == {200}


class Closing(Spider):
    """Asks for "/stop" when `waiting` requests wait, and closes at it, when the request `download`
    has been made past the scheduler. The event `is_over` is set when that one has ended.
    """

    waiting = 0
    download = None
    is_over = None
    failure = None

    def may_stop(self):
        return waiting_in(self.crawler) >= self.waiting

    async def start(self):
        async for request in super().start():
            if request.url.endswith("/stop"):
                await until(self.may_stop)
            yield request

    def parse(self, response):
        super().parse(response)
        if response.url.endswith("/stop"):
            if self.download:
                start(self.ask())
            raise scrapy.exceptions.CloseSpider("enough")

    async def ask(self):
        try:
            await compat.download(self.crawler, self.download)
        except scrapy.exceptions.IgnoreRequest as error:
            self.failure = str(error)
        finally:
            self.is_over.set()


def soon():
    """A file whose site wants to be visited in some minutes, at the hour that it will be then."""
    opens, closes = (datetime.now(timezone.utc) + timedelta(minutes=m) for m in (3, 5))
    return robots(f"User-agent: *\nVisit-time: {opens:%H%M}-{closes:%H%M}")


WAITS = {
    "for the rules": lambda: robots("", after=None),
    "for its turn": lambda: robots("User-agent: *\nCrawl-delay: 60"),
    "for years, as the site asks": lambda: robots("User-agent: *\nCrawl-delay: 1e300"),
    "for a site that puts us off": lambda: Answer(status=503),
    "for the hour": soon,
}


@pytest.mark.parametrize("wait", WAITS)
@on_reactor
async def test_requests_that_wait_go_back_when_the_crawl_closes(wait):
    settings = {
        "ROBOTS_ON_UNREACHABLE": "defer",
        "ROBOTS_DIALECT": "seznam" if wait == "for the hour" else "rfc9309",
        "ROBOTS_FETCH_RETRIES": 0,
        "ROBOTS_FETCH_TIMEOUT": 300,  # longer than a test may take
        "ROBOTS_CRAWL_DELAY_OVER_MAX": "queue",
    }
    with Site({"/robots.txt": WAITS[wait]()}) as site, Site({}, "127.0.0.2") as other:
        other.script["/robots.txt"] = robots("")
        urls = [*(site.url(f"/{n}") for n in range(5)), other.url("/stop")]
        seen, crawler = await crawl(*urls, spider=Closing, waiting=5, settings=settings)
        assert (seen.answered, seen.dropped) == ([other.url("/stop")], {})
        assert seen.stats["robots/put_back"] == 5
        assert seen.stats["finish_reason"] == "enough"
        assert crawler.engine.downloader.active == set()
        assert site.pages == []


class NotingFleet(MemoryStore):
    """Grants everything, and notes the calls about turns. `calls` is of the class."""

    calls: ClassVar[list[tuple[str, bool]]] = []

    @property
    def coordinator(self):
        return self

    async def claim(self, origin):
        return Claim(granted=True, entry=None)

    def release(self, origin):
        """Nobody waits for it."""

    async def take(self, host, delay):
        self.calls.append(("take", False))
        return 0.0

    def leave(self, host, *, visited):
        self.calls.append(("leave", visited))

    async def close(self):
        self.calls.append(("close", False))


class ClosingMiddleware(Middleware):
    """Closes the crawl when the page comes, and drops it while the crawl closes."""

    async def process_request(self, request, spider=None):
        if request.url.endswith("/page"):
            compat.close_spider(self.crawler, "enough")
            await until(lambda: middleware_of(self.crawler).admission.concurrency.is_closing)
            raise scrapy.exceptions.IgnoreRequest


@on_reactor
async def test_a_turn_of_the_fleet_is_given_back_before_the_store_is_closed():
    NotingFleet.calls.clear()
    settings = {
        "ROBOTS_STORE": NotingFleet,
        "DOWNLOADER_MIDDLEWARES": {ClosingMiddleware: 900},
    }
    with Site({"/robots.txt": robots("User-agent: *\nCrawl-delay: 0.1")}) as site:
        _, crawler = await crawl(site.url("/page"), settings=settings)
        assert (site.pages, crawler.spider.lines[0].passed) == ([], 1)
    assert NotingFleet.calls == [("take", False), ("leave", False), ("close", False)]


@on_reactor
async def test_the_store_is_closed_even_if_the_report_fails(monkeypatch, caplog, tmp_path):
    NotingFleet.calls.clear()
    monkeypatch.setattr(ReportWriter, "write", lambda *_: 1 / 0)
    with Site({"/robots.txt": robots("")}) as site:
        report = str(tmp_path / "report.json")
        settings = {"ROBOTS_STORE": NotingFleet, "ROBOTS_REPORT": report}
        await crawl(site.url("/page"), settings=settings)
    assert NotingFleet.calls == [("close", False)]
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize("callback", [NO_CALLBACK, None])
@on_reactor
async def test_a_request_that_did_not_come_from_the_scheduler_is_dropped(callback):
    """Without NO_CALLBACK it looks like a page: the engine asks for its copy, while it is open."""
    with Site({"/robots.txt": robots("", after=None)}) as dead, Site({}, "127.0.0.2") as other:
        other.script |= {"/robots.txt": robots(""), "/last": Answer(gate="is over")}
        _, crawler = await crawl(
            *(other.url("/last"), other.url("/stop")),
            spider=Closing,
            may_stop=lambda _: other.count("/last"),
            download=scrapy.Request(dead.url(), callback),
            is_over=other.gate("is over"),
        )
        assert (
            crawler.spider.failure
            == "The crawl is closing; the request was still waiting for robots.txt"
        )
