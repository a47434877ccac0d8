"""What must be true of the pace at which single hosts are visited, by what the hosts see."""

from __future__ import annotations

import logging
import select
import time
from contextlib import ExitStack
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
import scrapy
from scrapy.http.request import NO_CALLBACK

from scrapy_robots_policy import compat
from scrapy_robots_policy.admission.delay_queue import Asker
from scrapy_robots_policy.admission.delay_queues import MAX_QUEUES, DelayQueues
from scrapy_robots_policy.fetch.deadline import AFTER_THE_HANDLER
from scrapy_robots_policy.rep import CacheEntry, FetchResult
from scrapy_robots_policy.stores import ALONE
from scrapy_robots_policy.stores.sqlite import SqliteStore
from tests.crawls import (
    OURS,
    REACTORS,
    Chain,
    Middleware,
    Plan,
    Spider,
    crawl,
    crawl_apart,
    delays_of,
    middleware_of,
)
from tests.on_reactor import on_reactor, start, until
from tests.site import Answer, Opener, Site, moved, robots

pytestmark = pytest.mark.slow

THROTTLE = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.01}


def slow(seconds: float, text: str = "", **more: Any):
    return robots(f"User-agent: *\nCrawl-delay: {seconds}\n{text}", **more)


def gaps(*sites: Site) -> list[float]:
    times = sorted(hit.asked_at for site in sites for hit in site.hits)
    return [later - earlier for earlier, later in pairwise(times)]


def rests(*sites: Site) -> list[float]:
    """The seconds from the end of each visit to the next one."""
    hits = sorted((hit for site in sites for hit in site.hits), key=lambda hit: hit.asked_at)
    return [later.asked_at - earlier.answered_at for earlier, later in pairwise(hits)]


def pages(site: Site, count: int) -> list[str]:
    return [site.url(f"/{n}") for n in range(count)]


@pytest.mark.parametrize("throttle", [{}, THROTTLE], ids=["", "AutoThrottle"])
@pytest.mark.parametrize("kind", REACTORS)
def test_no_gap_is_shorter_than_the_site_asks(kind, throttle):
    with Site({"/robots.txt": slow(0.2)}) as site:
        seen = crawl_apart(Plan(pages(site, 5), {**OURS, **REACTORS[kind], **throttle}))
        assert len(seen.answered) == 5
        assert len(gaps(site)) == 5  # the robots.txt was a visit too
        assert min(gaps(site)) >= 0.2
        assert site.busiest == 1


class LastOneLater(Spider):
    """Asks for its last request when a delay is kept."""

    async def start(self):
        requests = [request async for request in super().start()]
        for request in requests[:-1]:
            yield request
        await until(lambda: delays_of(self.crawler))
        yield requests[-1]


@on_reactor
async def test_a_crawler_that_has_to_wait_waits_whatever_other_crawlers_the_crawl_is():
    # On a busy machine the rules may come before all requests are there. Nobody waits for a delay
    # that no request has asked for yet: so the quick crawler is the last one.
    text = "User-agent: slow\nCrawl-delay: 0.3\nUser-agent: quick\nDisallow: /x"
    with Site({"/robots.txt": robots(text)}) as site:
        agents = ("slow", "slow", "slow", "quick")
        requests = (
            scrapy.Request(site.url(f"/{number}"), meta={"robots": {"agent": agent}})
            for number, agent in enumerate(agents)
        )
        seen, _ = await crawl(*requests, spider=LastOneLater)
        assert len(seen.answered) == len(agents)
        assert min(gaps(site)) >= 0.3, site.paths


@on_reactor
async def test_a_page_waits_for_the_end_of_those_that_went_before_a_delay_was_asked_for():
    text = "User-agent: slow\nCrawl-delay: 0.3\nUser-agent: quick\nDisallow: /x"
    script = {"/robots.txt": robots(text)} | {f"/{n}": Answer(after=0.6) for n in range(3)}
    with Site(script) as site:
        requests = (
            scrapy.Request(site.url(f"/{number}"), meta={"robots": {"agent": agent}})
            for number, agent in enumerate(("quick", "quick", "quick", "slow"))
        )
        await crawl(*requests)
        assert site.paths[-1] == "/3"
        assert min(site.hits[-1].asked_at - hit.answered_at for hit in site.hits[:-1]) >= 0.3


@pytest.mark.parametrize("kind", REACTORS)
def test_a_robots_txt_may_wait_in_its_download_slot_longer_than_it_may_take(kind):
    """Two origins, one slot: ten pages of the first are in it; whichever of them comes back first
    asks for the second.
    """
    # A machine may stand still for some seconds. Ten turns in the slot take longer than that.
    settings = {"DOWNLOAD_DELAY": 0.8, "ROBOTS_FETCH_TIMEOUT": 4}
    with Site({"/robots.txt": robots("")}) as site, Site({"/robots.txt": robots("")}) as other:
        first, *rest = pages(site, 11)
        then = {first: rest, **{page: [other.url("/")] for page in rest}}
        seen = crawl_apart(Plan([first], OURS | REACTORS[kind] | settings, then=then))
        fetched_at = next(hit.asked_at for hit in other.hits if hit.path == "/robots.txt")
        assert fetched_at - site.hits[1].asked_at > 4 + AFTER_THE_HANDLER
    assert seen.dropped == {}
    assert len(seen.answered) == 12


class Collecting(Spider):
    """Has all idle slots of the downloader thrown away after each page."""

    def parse(self, response):
        super().parse(response)
        self.crawler.engine.downloader._slot_gc(age=-1000)
        assert not self.crawler.engine.downloader.slots


@on_reactor
async def test_a_delay_is_kept_after_scrapys_download_slot_is_gone():
    with Site({"/robots.txt": slow(0.2)}) as site:
        seen, _ = await crawl(*pages(site, 4), spider=Collecting)
        assert len(seen.answered) == 4
        assert min(gaps(site)) >= 0.2


class Measuring(Spider):
    """Notes the delay that Scrapy itself keeps for the host of each page."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.slot_delays = []

    def parse(self, response):
        super().parse(response)
        (slot,) = self.crawler.engine.downloader.slots.values()
        self.slot_delays.append(slot.delay)


@on_reactor
async def test_a_longer_delay_of_the_user_is_kept():
    own = {"DOWNLOAD_SLOTS": {"127.0.0.1": {"delay": 0.3, "randomize_delay": False}}}
    if scrapy.version_info >= (2, 19):
        own = {"DOWNLOAD_SLOTS": {"127.0.0.1": {"delay": 0.3, "jitter": 0}}}
    with Site({"/robots.txt": slow(0.1)}) as site:
        _, crawler = await crawl(*pages(site, 3), settings=own, spider=Measuring)
        assert crawler.spider.slot_delays == [0.3] * 3
        assert min(gaps(site)) >= 0.1


@on_reactor
async def test_of_two_origins_in_a_download_slot_the_longer_delay_is_kept():
    # Two ports of one host: two files, one slot.
    with Site({"/robots.txt": slow(0.3)}) as one, Site({"/robots.txt": slow(0.1)}) as other:
        urls = [site.url(f"/{n}") for n in range(3) for site in (one, other)]
        seen, _ = await crawl(*urls)
        assert sorted(seen.answered) == sorted(urls)
        rules_at = max(
            hit.answered_at for s in (one, other) for hit in s.hits if "robots" in hit.path
        )
        after = [hit.asked_at for s in (one, other) for hit in s.hits if hit.asked_at > rules_at]
        assert len(after) >= 5
        assert min(b - a for a, b in pairwise(sorted(after))) >= 0.3


@on_reactor
async def test_of_one_origin_in_several_download_slots_the_delay_is_kept():
    """A spider that gives `meta=response.meta` to its requests copies the slot of another host."""
    with Site({"/robots.txt": slow(0.2)}) as site:
        slots = [{}, {"download_slot": "127.0.0.2"}, {"download_slot": "mine"}]
        urls = pages(site, 6)
        requests = [scrapy.Request(url, meta=slots[n % 3]) for n, url in enumerate(urls)]
        seen, _ = await crawl(*requests)
        assert sorted(seen.answered) == sorted(urls)
        assert min(gaps(site)) >= 0.2


class LogsIn(Middleware):
    """Fetches another page of the site where a page was refused."""

    async def process_response(self, request, response, spider=None):
        if response.status != 401:
            return response
        login = response.urljoin("/login")
        await compat.download(self.crawler, scrapy.Request(login, NO_CALLBACK))
        return request.replace(dont_filter=True)


@pytest.mark.parametrize("order", [50, 300], ids=["before ours", "after ours"])
@on_reactor
async def test_a_visit_is_over_when_its_transfer_is_whatever_a_middleware_does_then(order):
    with Site({"/robots.txt": slow(0.2), "/1": [Answer(status=401), Answer()]}) as site:
        urls = pages(site, 3)
        settings = {"DOWNLOADER_MIDDLEWARES": {LogsIn: order}}
        seen, _ = await crawl(*urls, settings=settings)
        assert sorted(seen.answered) == urls
        assert site.count("/login") == 1
        assert min(gaps(site)) >= 0.2


class FetchesToken(LogsIn):
    """Fetches another page of the site before each page."""

    async def process_request(self, request, spider=None):
        if request.callback is not NO_CALLBACK:
            token = scrapy.Request(urljoin(request.url, "/token"), NO_CALLBACK)
            await compat.download(self.crawler, token)


@on_reactor
async def test_a_middleware_that_fetches_from_the_site_before_a_page_stops_no_crawl(
    monkeypatch, caplog
):
    monkeypatch.setattr("scrapy_robots_policy.admission.delay_queue.MAX_HELD", 0.5)
    with Site({"/robots.txt": slow(0.1)}) as site:
        urls = pages(site, 4)
        settings = {"DOWNLOADER_MIDDLEWARES": {FetchesToken: 300}}
        seen, _ = await crawl(*urls, settings=settings)
        assert sorted(seen.answered) == urls
        assert site.count("/token") == 4
        [line] = [message for message in caplog.messages if "holds back" in message]
        assert f"<GET {urls[0]}>, whose turn came 0.5 s ago" in line


class SendsBack:
    """A downloader middleware that gives a request back once. Past the scheduler it comes again."""

    def process_request(self, request, spider=None):
        if request.callback is not NO_CALLBACK or request.meta.get("is_back"):
            return None
        request.meta["is_back"] = True
        return request


class FetchesPart(Spider):
    """Fetches more than the page itself, past the scheduler."""

    async def parse(self, response):
        await compat.download(
            self.crawler, scrapy.Request(response.urljoin("/part"), callback=NO_CALLBACK)
        )
        super().parse(response)


@on_reactor
async def test_a_request_that_another_middleware_gives_back_does_not_wait_for_its_own_end(caplog):
    with Site({"/robots.txt": slow(0.1)}) as site:
        settings = {"DOWNLOADER_MIDDLEWARES": {SendsBack: 300}}
        seen, _ = await crawl(*pages(site, 1), settings=settings, spider=FetchesPart)
        assert seen.answered == pages(site, 1)
        assert site.count("/part") == 1
        assert min(gaps(site)) >= 0.1
        assert "holds back" not in caplog.text


async def store_stale_copy(path: Path, site: Site, hours: float = 30) -> dict[str, str]:
    """Store a site's robots.txt as an earlier crawl has left it so many hours ago: from 24 on it is
    validated while it is used once more, from 48 on before. The result are the settings of the
    store.
    """
    asked_at = time.time() - hours * 3600
    octets = site.script["/robots.txt"].body
    store = SqliteStore(path)
    await store.put(site.origin, CacheEntry(FetchResult(200), asked_at, octets, asked_at))
    await store.close()
    return {"ROBOTS_STORE": f"sqlite:{path}"}


@pytest.mark.parametrize("slot", [None, "mine"], ids=["slot of its host", "slot of its own"])
@pytest.mark.parametrize("first", ["/first", "/secret"], ids=["", "after a page that is refused"])
@on_reactor
async def test_a_page_waits_for_the_delay_after_a_robots_txt_that_is_fetched_anew(
    first, slot, tmp_path
):
    with Site({"/robots.txt": slow(0.4, "Disallow: /secret", after=0.9)}) as site:
        settings = await store_stale_copy(tmp_path / "robots.sqlite", site)
        meta = {"download_slot": slot} if slot else {}
        ahead = [scrapy.Request(url, meta=meta) for url in pages(site, 3)]
        seen, _ = await crawl(site.url(first), settings=settings, spider=Chain, ahead=ahead)
        assert sorted(seen.answered)[:3] == pages(site, 3)
        assert site.count("/robots.txt") == 1
        assert min(rests(site)) >= 0.4, site.paths


@on_reactor
async def test_a_page_waits_for_the_delay_after_one_that_ended_after_a_new_robots_txt(tmp_path):
    with Site({"/robots.txt": robots(""), "/1": Answer(gate="renewed", after=0.5)}) as site:
        settings = await store_stale_copy(tmp_path / "robots.sqlite", site)
        renewed = site.gate("renewed")
        site.script["/robots.txt"] = lambda _: renewed.set() or slow(0.8)
        await crawl(site.url("/1"), settings=settings, spider=Chain, ahead=[site.url("/2")])
        assert site.paths[-1] == "/2"
        assert min(site.hits[-1].asked_at - hit.answered_at for hit in site.hits[:-1]) >= 0.8


@on_reactor
async def test_a_robots_txt_is_fetched_anew_at_once_where_its_delay_is_long_over(tmp_path):
    # To wait for it would take longer than the crawl may (CLOSESPIDER_TIMEOUT).
    with Site({"/robots.txt": slow(3600)}) as site:
        settings = await store_stale_copy(tmp_path / "robots.sqlite", site, hours=72)
        site.script["/robots.txt"] = robots("")
        settings["ROBOTS_CRAWL_DELAY_OVER_MAX"] = "queue"
        seen, _ = await crawl(site.url("/page"), settings=settings)
        assert seen.answered == [site.url("/page")]


@pytest.mark.parametrize("visit", ["an exempt page", "a redirect of another site's robots.txt"])
@on_reactor
async def test_a_delay_that_only_a_store_knows_counts_from_visits_that_nobody_judged(
    visit, tmp_path
):
    with Site({"/robots.txt": slow(0.5)}) as site, Site({}, "127.0.0.2") as other:
        other.script["/robots.txt"] = moved(site.url("/visit"))
        settings = await store_stale_copy(tmp_path / "robots.sqlite", site, hours=12)
        exempt = scrapy.Request(site.url("/visit"), meta={"dont_obey_robotstxt": True})
        first = exempt if visit == "an exempt page" else other.url("/page")
        await crawl(first, settings=settings, spider=Chain, ahead=pages(site, 2))
        assert site.paths == ["/visit", "/0", "/1"]
        assert min(rests(site)) >= 0.5


@on_reactor
async def test_a_delay_of_the_users_is_kept_from_the_first_robots_txt_on():
    with Site({"/robots.txt": moved("/moved"), "/moved": robots("")}) as site:
        settings = {"ROBOTS_OVERRIDES": {"127.0.0.1": {"crawl_delay": 0.3}}}
        await crawl(*pages(site, 2), settings=settings)
        assert site.paths[:2] == ["/robots.txt", "/moved"]
        assert len(site.paths) == 4
        assert min(rests(site)) >= 0.3


@on_reactor
async def test_a_delay_of_the_users_is_kept_where_another_sites_robots_txt_leads_first():
    with Site({"/1": moved("/2"), "/2": robots("")}) as site, Site({}, "127.0.0.2") as other:
        other.script["/robots.txt"] = moved(site.url("/1"))
        settings = {"ROBOTS_OVERRIDES": {"127.0.0.1": {"crawl_delay": 0.3}}}
        await crawl(other.url("/page"), settings=settings)
        assert site.paths == ["/1", "/2"]
        assert min(rests(site)) >= 0.3


@pytest.mark.parametrize("has_store", [False, True])
@on_reactor
async def test_a_delay_is_kept_where_the_robots_txt_of_many_sites_lead_to_one_host(
    has_store, tmp_path
):
    store = {"ROBOTS_STORE": f"sqlite:{tmp_path / 'robots.sqlite'}"} if has_store else {}
    with ExitStack() as sites:
        target = sites.enter_context(Site({"/robots.txt": slow(0.5)}))
        leading = {"/robots.txt": moved(target.url("/robots.txt"))}
        urls = [
            sites.enter_context(Site(leading, f"127.0.0.{n}")).url("/page") for n in range(2, 5)
        ]
        await crawl(*urls, settings={"ROBOTS_MAX_FETCHES": 1, **store})
        assert target.paths == ["/robots.txt"] * 3
        assert min(rests(target)) >= 0.5


class GivesUp(Spider):
    """Gives up all requests but the last one, each when it has reached the downloader."""

    async def start(self):
        self.reached = set()
        self.crawler.signals.connect(self.reach, scrapy.signals.request_reached_downloader)
        *others, last = self.requests
        for request in others:
            download = start(compat.download(self.crawler, request.replace(callback=NO_CALLBACK)))
            download.addErrback(lambda _: None)
            await until(lambda url=request.url: url in self.reached)
            download.cancel()
        yield last.replace(callback=self.parse)

    def reach(self, request):
        self.reached.add(request.url)


@on_reactor
async def test_a_request_that_was_cancelled_in_the_downloader_is_a_visit_all_the_same():
    # One at a time: what comes while the first one is answered queues in the download slot.
    settings = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    with Site({"/robots.txt": slow(0.2), "/0": Answer(after=1)}) as site:
        seen, _ = await crawl(*pages(site, 4), settings=settings, spider=GivesUp)
        assert seen.answered == [site.url("/3")]
        assert min(gaps(site)) >= 0.2, site.paths


class Contented(Spider):
    """Closes when it has `enough` pages."""

    def parse(self, response):
        super().parse(response)
        if len(self.seen.answered) == self.enough:
            raise scrapy.exceptions.CloseSpider("enough")


@on_reactor
async def test_other_hosts_do_not_wait():
    # The slow one waits for longer than the test may last.
    with Site({"/robots.txt": slow(250)}) as site, Site({}, "127.0.0.2") as other:
        other.script["/robots.txt"] = robots("")
        urls = pages(site, 3) + pages(other, 20)
        settings = {"CONCURRENT_REQUESTS": 1, "CLOSESPIDER_TIMEOUT": 0}
        seen, _ = await crawl(*urls, settings=settings, spider=Contented, enough=20)
        assert sorted(seen.answered) == sorted(pages(other, 20))
        assert seen.stats["finish_reason"] == "enough"


@on_reactor
async def test_a_redirect_joins_the_queue_of_its_target_host():
    with Site({"/robots.txt": slow(0.3)}) as site, Site({}, "127.0.0.2") as other:
        other.script |= {f"/{n}": moved(site.url(f"/from{n}")) for n in range(3)}
        other.script["/robots.txt"] = robots("")
        await crawl(*pages(other, 3), *pages(site, 2))
        assert len(site.hits) == 6
        assert min(gaps(site)) >= 0.3


@on_reactor
async def test_requests_beyond_the_limit_of_waiting_ones_still_go_one_by_one():
    # Those beyond ROBOTS_MAX_WAITING keep their places: all there are, in time.
    settings = {"CONCURRENT_REQUESTS": 2, "ROBOTS_MAX_WAITING": 3}
    with Site({"/robots.txt": slow(0.05)}) as site:
        seen, _ = await crawl(*pages(site, 12), settings=settings)
        assert len(seen.answered) == 12
        assert min(gaps(site)) >= 0.05


class Cache:
    """A downloader middleware that has the answers already."""

    def process_request(self, request, spider=None):
        if "/robots.txt" in request.url:
            return None
        return scrapy.http.Response(request.url)


@on_reactor
async def test_a_request_that_never_reaches_the_host_costs_no_delay():
    # A delay after each would take longer than the crawl may (CLOSESPIDER_TIMEOUT).
    with Site({"/robots.txt": slow(30)}) as site:
        seen, _ = await crawl(*pages(site, 20), settings={"DOWNLOADER_MIDDLEWARES": {Cache: 900}})
        assert len(seen.answered) == 20


@on_reactor
async def test_rules_that_expire_while_a_request_is_queued_are_not_used():
    # Rules of 1 s hold for 2 s at most; the request waits for its turn for 2.5 s.
    script = [slow(2.5), robots("User-agent: *\nDisallow: /")]
    with Site({"/robots.txt": script}) as site:
        seen, _ = await crawl(site.url("/page"), settings={"ROBOTS_TTL": 1})
        assert site.paths == ["/robots.txt", "/robots.txt"]
        assert list(seen.dropped) == [site.url("/page")]


def test_a_long_queue_ends_when_its_site_closes():
    # On this reactor a request is refused while the one before it gives its turn back.
    script = [slow(1), robots("User-agent: *\nDisallow: /")]
    settings = {**OURS, **REACTORS["select"], "ROBOTS_TTL": 1, "CONCURRENT_REQUESTS": 200}
    with Site({"/robots.txt": script}) as site:
        seen = crawl_apart(Plan(pages(site, 200), settings))
        assert len(seen.answered) + len(seen.dropped) == 200
        assert len(seen.answered) < 5


@pytest.mark.parametrize("first", [robots(""), slow(0.1)], ids=["none", "a shorter one"])
@on_reactor
async def test_a_new_delay_is_kept_for_requests_that_wait_already(first):
    script = {"/robots.txt": [first, slow(0.3)]} | {f"/{n}": Answer(after=0.2) for n in range(13)}
    settings = {"ROBOTS_TTL": 1, "CONCURRENT_REQUESTS": 1}
    with Site(script) as site:
        await crawl(*pages(site, 13), settings=settings)
        renewed_at = [hit.answered_at for hit in site.hits if hit.path == "/robots.txt"][1]
        visits = [hit.asked_at for hit in site.hits if hit.path != "/robots.txt"]
        later = [asked_at for asked_at in visits if asked_at > renewed_at]
        between = [after - before for before, after in pairwise(later)]
        assert len(between) >= 2
        assert min(between[1:]) >= 0.5  # the first may be between two that were on their way


@pytest.mark.parametrize("kind", REACTORS)
def test_a_longer_delay_is_kept_from_the_robots_txt_on_that_asks_for_it(kind):
    with Site({"/robots.txt": [slow(0.3), slow(1)]}) as site:
        settings = {**OURS, **REACTORS[kind], "ROBOTS_TTL": 1, "CLOSESPIDER_PAGECOUNT": 8}
        crawl_apart(Plan(pages(site, 200), settings))
        renewed = [hit.path for hit in site.hits].index("/robots.txt", 1)
        later = site.hits[renewed:]
        rests = [after.asked_at - before.answered_at for before, after in pairwise(later)]
        assert len(rests) >= 2
        assert min(rests) >= 1


class AskingLater(Spider):
    """Asks for `later` when the robots.txt of `site` has been asked for twice."""

    async def start(self):
        async for request in super().start():
            yield request
        await until(lambda: self.site.count("/robots.txt") == 2)
        yield scrapy.Request(self.later, self.parse)


@on_reactor
async def test_a_request_that_waits_for_its_rules_again_lends_its_place_again():
    # As above; but the second robots.txt comes after the page of another host only.
    script = [slow(2.5), robots("", gate="open")]
    settings = {"CONCURRENT_REQUESTS": 1, "ROBOTS_TTL": 1, "ROBOTS_FETCH_TIMEOUT": 300}
    with Site({"/robots.txt": script}) as site, Site({}, "127.0.0.2") as other:
        other.script |= {"/robots.txt": robots(""), "/": Opener(1, site.gate("open"))}
        page, later = site.url("/page"), other.url()
        seen, _ = await crawl(page, settings=settings, spider=AskingLater, site=site, later=later)
        assert seen.answered == [later, page]


LISTENERS = {
    "rfc9309": ("User-agent: *\nCrawl-delay: 0.3", True),
    "bing": ("User-agent: bingbot\nDisallow: /x\n\nUser-agent: *\nCrawl-delay: 0.3", True),
    "seznam": ("User-agent: *\nRequest-rate: 10/3", True),
    "google": ("User-agent: *\nCrawl-delay: 0.3", False),
    "yandex": ("User-agent: *\nCrawl-delay: 0.3", False),
}


@pytest.mark.parametrize("dialect", LISTENERS)
@on_reactor
async def test_a_delay_is_kept_if_the_dialect_reads_it(dialect):
    text, listens = LISTENERS[dialect]
    settings = {"ROBOTS_DIALECT": dialect, "ROBOTSTXT_USER_AGENT": "bingbot"}
    with Site({"/robots.txt": robots(text)}) as site:
        _, crawler = await crawl(*pages(site, 2), settings=settings)
        assert delays_of(crawler) == ({"127.0.0.1": 0.3} if listens else {})
        assert not listens or gaps(site)[-1] >= 0.3


SETTINGS = {
    "kept": ({}, 0.3),
    "clamped": ({"ROBOTS_CRAWL_DELAY_MAX": 0.2}, 0.2),
    "ignored": ({"ROBOTS_CRAWL_DELAY_MAX": 0.2, "ROBOTS_CRAWL_DELAY_OVER_MAX": "ignore"}, 0),
    "skipped": ({"ROBOTS_CRAWL_DELAY_MAX": 0.2, "ROBOTS_CRAWL_DELAY_OVER_MAX": "skip"}, None),
    "queued": ({"ROBOTS_CRAWL_DELAY_MAX": 0.2, "ROBOTS_CRAWL_DELAY_OVER_MAX": "queue"}, 0.3),
    "set": ({"ROBOTS_OVERRIDES": {"127.0.0.1": {"crawl_delay": 0.1}}}, 0.1),
    "off": ({"ROBOTS_CRAWL_DELAY": False}, 0),
    "set to none": ({"ROBOTS_OVERRIDES": {"127.0.0.1": {"crawl_delay": 0}}}, 0),
}
LOGGED = {
    "kept": "0.3 s (kept)",
    "clamped": "0.3 s (clamped to 0.2 s)",
    "ignored": "0.3 s (ignored)",
    "skipped": "0.3 s (skipped)",
    "queued": "0.3 s (queued)",
    "set": "0.1 s (set)",
}


@pytest.mark.parametrize("case", SETTINGS)
@on_reactor
async def test_the_action_for_a_delay_is_the_users_logged_once_and_counted(case, caplog):
    caplog.set_level(logging.DEBUG, "scrapy_robots_policy")
    settings, delay = SETTINGS[case]
    with Site({"/robots.txt": slow(0.3)}) as site:
        seen, crawler = await crawl(*pages(site, 3), settings=settings)
        assert delays_of(crawler) == ({"127.0.0.1": delay} if delay else {})
        lines = [r.getMessage() for r in caplog.records if "Crawl-delay of" in r.getMessage()]
        assert lines == (
            [f"Crawl-delay of {site.origin}: {LOGGED[case]}"] if case in LOGGED else []
        )
        counted = {k: v for k, v in seen.robots_stats.items() if "crawl_delay" in k}
        if delay is None:
            assert counted == {"robots/crawl_delay/skipped": 1, "robots/dropped/crawl_delay": 3}
            cause = "Forbidden by robots.txt: asks for too long a delay (0.3 s)"
            assert seen.dropped == dict.fromkeys(pages(site, 3), cause)
        else:
            assert counted == ({f"robots/crawl_delay/{case}": 1} if case in LOGGED else {})
            assert len(seen.answered) == 3
            assert min(gaps(site)) >= delay


@on_reactor
async def test_a_dry_run_counts_a_request_that_waits_once():
    with Site({"/robots.txt": slow(0.1, "Disallow: /1")}) as site:
        seen, _ = await crawl(*pages(site, 3), settings={"ROBOTS_DRY_RUN": True})
        assert len(seen.answered) == 3
        assert seen.robots_stats["robots/would_drop/rule"] == 1
        assert min(gaps(site)) >= 0.1


def hours(*minutes: int, also: str = ""):
    """A file whose visit time is from so many minutes from now until so many."""
    opens, closes = (datetime.now(timezone.utc) + timedelta(minutes=m) for m in minutes)
    return robots(f"User-agent: *\nVisit-time: {opens:%H%M}-{closes:%H%M}\n{also}")


@pytest.mark.parametrize("dialect", ["seznam", "rfc9309"])
@on_reactor
async def test_no_request_is_sent_outside_the_visit_time_if_the_dialect_reads_it(dialect):
    with Site({}) as open_, Site({}, "127.0.0.2") as shut:
        open_.script["/robots.txt"] = hours(-5, 5)
        shut.script["/robots.txt"] = hours(120, 130)
        seen, _ = await crawl(open_.url(), shut.url(), settings={"ROBOTS_DIALECT": dialect})
        assert open_.url() in seen.answered
        if dialect == "rfc9309":
            assert seen.dropped == {}
        else:
            assert "outside its visit time" in seen.dropped[shut.url()]
            assert seen.robots_stats["robots/dropped/visit_time"] == 1


class BeforeNoon(Spider):
    """By the clock of this crawl, it is noon when its first page has come."""

    async def start(self):
        noon = datetime.now(timezone.utc).replace(hour=12, minute=0, second=0).timestamp()
        admission = middleware_of(self.crawler).admission
        admission.now = lambda: noon if self.seen.answered else noon - 1.2
        admission.decider.now = admission.now
        async for request in super().start():
            yield request


@on_reactor
async def test_a_request_waits_until_the_visit_time_begins_and_delays_no_other():
    rules = robots("User-agent: *\nVisit-time: 1200-1300")
    with Site({"/robots.txt": rules}) as site, Site({}, "127.0.0.2") as other:
        other.script |= {"/robots.txt": robots(""), "/page": Answer(after=0.5)}
        urls = [other.url("/page"), site.url("/page")]
        seen, _ = await crawl(*urls, settings={"ROBOTS_DIALECT": "seznam"}, spider=BeforeNoon)
        assert seen.answered == urls
        assert site.hits[-1].asked_at >= other.hits[-1].answered_at


class TimePasses(Spider):
    """Ten minutes pass with the first page."""

    def parse(self, response):
        super().parse(response)
        admission = middleware_of(self.crawler).admission
        admission.now = admission.decider.now = lambda: time.time() + 600


@on_reactor
async def test_a_request_that_queues_until_the_visit_time_is_over_is_not_sent():
    with Site({"/robots.txt": hours(-5, 5, also="Request-rate: 1/1")}) as site:
        urls = pages(site, 2)
        seen, _ = await crawl(*urls, settings={"ROBOTS_DIALECT": "seznam"}, spider=TimePasses)
        (dropped,) = set(urls) - set(seen.answered)
        assert "outside its visit time" in seen.dropped[dropped]
        assert len(site.pages) == 1


@on_reactor
async def test_idle_queues_are_dropped():
    queues = DelayQueues(ALONE, time.monotonic, compat.call_later)
    for n in range(3 * MAX_QUEUES):
        queue = queues.queue(
            f"host{n}", Asker(f"http://host{n}", "bot", "rfc9309"), 10, since_visit=60
        )
        assert queue is not None
        assert queue.delay == 10
    assert len(queues.by_slot) <= 2 * MAX_QUEUES


LOOPS = REACTORS | {
    kind: {"TWISTED_REACTOR": f"twisted.internet.{kind}reactor.{name}"}
    for kind, name in {"poll": "PollReactor", "epoll": "EPollReactor"}.items()
    if hasattr(select, kind)  # not every system has it
}


@pytest.mark.parametrize("kind", LOOPS)
def test_timers_of_years_neither_stop_a_crawl_nor_fail(kind):
    """Some event loops count milliseconds in 31 bits, which are 24 days. asyncio and Twisted sleep
    no longer than that at a time, so this package sets timers of any length.
    """
    years = 1e8
    settings = {
        **OURS,
        **LOOPS[kind],
        "ROBOTS_CRAWL_DELAY_OVER_MAX": "queue",
        "ROBOTS_ON_UNREACHABLE": "defer",
        "ROBOTS_DEFER_TIMEOUT": 2 * years,
        "ROBOTS_ERROR_TTL": years,
        "ROBOTS_FETCH_TIMEOUT": years,
        "ROBOTS_FETCH_RETRIES": 0,
    }
    away = Answer(status=503, headers={"Retry-After": f"{years:.0f}"})
    with (
        Site({"/robots.txt": slow(years)}) as site,
        Site({"/robots.txt": away}, "127.0.0.2") as put_off,
        Site({}, "127.0.0.3") as other,
    ):
        chain = [other.url(f"/{number}") for number in range(10)]
        then = {url: [following] for url, following in pairwise(chain)}
        urls = [put_off.url(), site.url(), chain[0]]
        seen = crawl_apart(Plan(urls, settings, interrupt_at=chain[-1], then=then))
    assert (seen.answered, seen.dropped) == (chain, {})
    assert seen.stats["robots/put_back"] == 2
