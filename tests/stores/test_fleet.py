"""docs/fleets.md and docs/how-to/keep-between-runs.md: crawls that share a store."""

from __future__ import annotations

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import pairwise

import pytest
from scrapy.crawler import CrawlerRunner
from scrapy.http import Response
from scrapy.utils.defer import maybe_deferred_to_future

from scrapy_robots_policy import compat
from scrapy_robots_policy.stores import open_store
from tests.crawls import (
    OURS,
    QUIET,
    Middleware,
    Plan,
    Spider,
    crawl,
    crawl_apart,
    crawl_killed,
    kind_of,
)
from tests.on_reactor import all_of, on_reactor, start, until
from tests.site import Answer, Site, moved, robots
from tests.stores.entries import FULL

pytestmark = pytest.mark.slow  # whole crawls

SECRET = "User-agent: *\nDisallow: /secret\n"
DAY = 86_400.0


def rests_of(site):
    return [later.asked_at - hit.answered_at for hit, later in pairwise(site.hits)]


def test_three_processes_fetch_each_file_once_and_keep_a_delay_together(redis):
    tdmrep = robots('[{"location": "/secret", "tdm-reservation": 1}]', after=0.1)
    scripts = [
        {"/robots.txt": robots(f"{SECRET}Crawl-delay: 0.2\n"), "/a": Answer(after=0.1)},
        {"/robots.txt": Answer(status=503, after=0.1)},
        {"/robots.txt": robots("", after=0.1), "/.well-known/tdmrep.json": tdmrep},
        *[{"/robots.txt": robots(SECRET, after=0.1)}] * 3,
    ]
    settings = {**OURS, "ROBOTS_STORE": redis.url, "ROBOTS_PURPOSE": "train-ai"}
    settings["RETRY_TIMES"] = 0
    with ExitStack() as stack, ThreadPoolExecutor(3) as threads:
        places = [f"127.0.0.{number}" for number in range(1, 7)]
        sites = [stack.enter_context(Site(*pair)) for pair in zip(scripts, places, strict=True)]
        slow, down, *others = sites
        plan = Plan([site.url(path) for site in sites for path in ("/a", "/secret")], settings)
        seen = list(threads.map(crawl_apart, [plan] * 3))
        assert [site.count("/robots.txt") for site in sites] == [1] * 6
        assert others[0].count("/.well-known/tdmrep.json") == 1
        assert [site.pages for site in (slow, *others)] == [["/a"] * 3] * 5
        assert down.pages == []
        assert slow.busiest == 1
        assert min(rests_of(slow)) >= 0.2
    assert sum(one.stats.get("robots/fetched", 0) for one in seen) == 6
    assert not any("robots/store/failed" in one.stats for one in seen)


@on_reactor
async def test_a_file_that_is_too_old_is_fetched_by_one_process_when_the_host_has_rested(redis):
    text, asked_at = f"{SECRET}Crawl-delay: 0.5\n", time.time() - 3 * DAY
    with Site({"/robots.txt": robots(text)}) as site:
        store = open_store(redis.url)
        old = replace(FULL, asked_at=asked_at, fetched_at=asked_at, body=text.encode())
        await store.put(site.origin, old)
        assert await store.coordinator.take("127.0.0.1", 0.5) == 0.0
        store.coordinator.leave("127.0.0.1", visited=True)
        await store.close()
        began = time.monotonic()
        urls = [site.url("/a"), site.url("/secret")]
        crawls = [start(crawl(*urls, settings={"ROBOTS_STORE": redis.url})) for _ in range(2)]
        await all_of(crawls)
        assert (site.paths[0], site.count("/robots.txt")) == ("/robots.txt", 1)
        assert site.pages == ["/a"] * 2
        assert site.hits[0].asked_at - began >= 0.4


class Cache(Middleware):
    """Has an answer for each page, so that no page is asked of its host."""

    def process_request(self, request, spider=None):
        return None if request.url.endswith("robots.txt") else Response(request.url)


@on_reactor
async def test_a_request_that_never_reaches_the_host_gives_its_turn_back_without_a_delay(redis):
    with Site({"/robots.txt": robots("User-agent: *\nCrawl-delay: 0.5\n")}) as site:
        settings = {"ROBOTS_STORE": redis.url, "DOWNLOADER_MIDDLEWARES": {Cache: 900}}
        seen, _ = await crawl(*(site.url(f"/{n}") for n in range(10)), settings=settings)
        assert len(seen.answered) == 10
        with redis.client() as client:
            assert not [key for key in client.scan_iter() if b"turn" in key]


def test_a_killed_process_delays_the_others_by_one_lease_at_most(redis):
    reached = threading.Event()
    answers = iter([Answer(after=None), robots(SECRET)])

    def robots_txt(_):
        reached.set()
        return next(answers)

    with Site({"/robots.txt": robots_txt}) as site, redis.client() as client:
        plan = Plan([site.url("/a"), site.url("/secret")], {**OURS, "ROBOTS_STORE": redis.url})
        crawl_killed(plan, reached)
        lease = f"robots:{{{site.origin}}}:lease"
        assert 0 < client.pttl(lease) <= 10_000
        client.pexpire(lease, 200)  # nobody renews it
        crawl_apart(plan)
        assert (site.pages, site.count("/robots.txt")) == (["/a"], 2)
        assert client.pttl(lease) < 0  # it was given back


@on_reactor
async def test_a_crawl_that_closes_during_a_fetch_gives_the_lease_back(redis):
    answers = [Answer(after=None), robots(SECRET)]
    with Site({"/robots.txt": answers}) as site:
        settings = {**QUIET, **OURS, "TWISTED_REACTOR": None, "ROBOTS_STORE": redis.url}
        runner = CrawlerRunner(settings)
        crawler = runner.create_crawler(kind_of(Spider, [site.url("/a")]))
        ended = runner.crawl(crawler)
        await until(lambda: site.hits)
        compat.close_spider(crawler, "enough")
        await maybe_deferred_to_future(ended)
        with redis.client() as client:
            assert list(client.scan_iter()) == []
        await crawl(site.url("/a"), site.url("/secret"), settings={"ROBOTS_STORE": redis.url})
        assert site.pages == ["/a"]


# One file for all crawls of a machine.


@pytest.fixture
def path(tmp_path):
    return tmp_path / "robots.sqlite"


def kept(path):
    """The origins in the file, once it has been found whole."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {origin for (origin,) in connection.execute("SELECT origin FROM records")}


@on_reactor
async def test_a_second_crawl_fetches_nothing_whose_answer_is_fresh_whatever_its_dialect(web, path):
    script = {"/robots.txt": robots("User-agent: *\nDisallow: /a\nAllow: /a/b\n")}
    site = web({"a.test": script, "b.test": {"/robots.txt": Answer(status=404)}})
    for dialect in ("rfc9309", "koster1996"):
        settings = {"ROBOTS_STORE": f"sqlite:{path}", "ROBOTS_DIALECT": dialect}
        seen = await site.crawl("http://a.test/a/b", "http://b.test/b", settings=settings)
    assert len(site.fetches()) == 2
    assert seen.stats["robots/store/hit"] == 2


@on_reactor
async def test_an_answer_found_by_more_redirects_than_a_dialect_follows_is_asked_for_anew(
    web, path
):
    hops = {f"/{n}": moved(f"/{n + 1}") for n in range(1, 6)}
    site = web({"a.test": {"/robots.txt": moved("/1"), "/6": robots(SECRET), **hops}})
    for dialect, allowed in (("google", 1), ("koster1996", 0), ("google", 1)):
        settings = {"ROBOTS_STORE": f"sqlite:{path}", "ROBOTS_DIALECT": dialect}
        seen = await site.crawl("http://a.test/secret", settings=settings)
        assert len(seen.answered) == allowed
    assert [hit.url for hit in site.hits].count("http://a.test/robots.txt") == 2


@on_reactor
async def test_a_process_that_is_killed_leaves_the_file_whole(path):
    reached = threading.Event()

    def stuck(_):
        reached.set()
        return Answer(after=None)

    settings = {**OURS, "ROBOTS_STORE": f"sqlite:{path}"}
    with Site({"/robots.txt": robots(SECRET), "/stuck": stuck}) as site:
        crawl_killed(Plan([site.url("/stuck")], settings), reached)
        assert kept(path) == {site.origin}
        await crawl(site.url("/a"), site.url("/secret"), settings=settings)
        assert site.paths == ["/robots.txt", "/stuck", "/a"]


def test_processes_write_into_one_file_at_a_time_without_a_fault(path):
    settings = {**OURS, "ROBOTS_STORE": f"sqlite:{path}"}
    with ExitStack() as stack, ThreadPoolExecutor(2) as threads:
        script = {"/robots.txt": robots(SECRET)}
        places = [f"127.0.0.{number}" for number in range(1, 21)]
        sites = [stack.enter_context(Site(script, place)) for place in places]
        urls = [site.url(path) for site in sites for path in ("/a", "/secret")]
        seen = list(threads.map(crawl_apart, [Plan(urls, settings)] * 2))
        assert [len(one.answered) for one in seen] == [20] * 2
        assert not any("robots/store/failed" in one.stats for one in seen)
        assert kept(path) == {site.origin for site in sites}
