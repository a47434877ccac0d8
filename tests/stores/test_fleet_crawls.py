"""What must be true of whole crawls that share a Redis, and of those whose Redis is gone."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import pairwise

import pytest

from scrapy_robots_policy.rep import CacheEntry, FetchResult
from scrapy_robots_policy.rep.access_policy import DAY
from scrapy_robots_policy.stores.breaker import CALM
from tests.admission.test_crawl_delays import Cache
from tests.crawls import OURS, REACTORS, Chain, Plan, crawl, crawl_apart, crawl_killed
from tests.on_reactor import on_reactor
from tests.redis_server import RedisServer
from tests.site import Answer, Site, robots
from tests.stores.members import members

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("needs_redis")]

DISALLOWED = "User-agent: *\nDisallow: /secret\n"


@pytest.fixture
def settings(redis):
    return {**OURS, "ROBOTS_STORE": redis.url}


def at_once(*plans):
    with ThreadPoolExecutor(len(plans)) as threads:
        return list(threads.map(crawl_apart, plans))


def test_each_robots_txt_is_fetched_once_by_three_crawlers(settings):
    answer = robots(DISALLOWED, after=0.3)
    sites = [Site({"/robots.txt": answer}, f"127.0.0.{n}") for n in range(1, 11)]
    try:
        urls = [site.url(path) for site in sites for path in ("/a", "/secret")]
        seen = at_once(*[Plan(urls, settings)] * 3)
        assert [site.count("/robots.txt") for site in sites] == [1] * 10
        assert [site.pages for site in sites] == [["/a"] * 3] * 10
        learned = [f"robots/{way}" for way in ("fetched", "store/shared", "store/hit")]
        counts = [sum(crawl.stats.get(way, 0) for crawl in seen) for way in learned]
        assert counts[0] == 10
        assert sum(counts) == 30
    finally:
        for site in sites:
            site.close()


def test_each_tdmrep_json_is_fetched_once_by_three_crawlers(settings):
    place = "/.well-known/tdmrep.json"
    reserved = robots('[{"location": "/secret", "tdm-reservation": 1}]', after=0.3)
    with Site({"/robots.txt": robots(""), place: reserved}) as site:
        plan = Plan(
            [site.url("/a"), site.url("/secret")], {**settings, "ROBOTS_PURPOSE": "train-ai"}
        )
        seen = at_once(*[plan] * 3)
        assert (site.count("/robots.txt"), site.count(place)) == (1, 1)
        assert site.pages == ["/a"] * 3
        assert [list(crawl.dropped) for crawl in seen] == [[site.url("/secret")]] * 3


LIMITS = {
    "": {},
    "over the limit": {"ROBOTS_CRAWL_DELAY_MAX": 0.1, "ROBOTS_CRAWL_DELAY_OVER_MAX": "queue"},
}


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("kind", [kind for kind in REACTORS if kind != "select"])
def test_three_crawlers_keep_one_delay(kind, limit, settings):
    slow = robots("User-agent: *\nCrawl-delay: 0.4\n")
    with Site({"/robots.txt": slow, "/late": Answer(after=0.7)}) as site:
        urls = [site.url(path) for path in ("/1", "/late", "/2", "/3")]
        seen = at_once(*[Plan(urls, {**settings, **REACTORS[kind], **LIMITS[limit]})] * 3)
        assert [len(crawl.answered) for crawl in seen] == [4] * 3
        assert site.count("/robots.txt") == 1
        assert site.busiest == 1
        rests = [later.asked_at - earlier.answered_at for earlier, later in pairwise(site.hits)]
        assert min(rests) >= 0.4


# The first page of a process that has kept no delay so far, and the age of the fleet's copy.
STALE = {
    "the page is refused while the copy is validated": ("/secret", 1.5 * DAY),
    "the copy is too old to be used": ("/page", 3 * DAY),
}


@pytest.mark.parametrize("kind", STALE)
@on_reactor
async def test_a_robots_txt_is_fetched_anew_after_the_delay_of_another_process(kind, redis):
    page, age = STALE[kind]
    text, rests_from = f"{DISALLOWED}Crawl-delay: 1\n", []

    def end_visit(_):
        """Have the host rest, as another process does that has just visited it."""
        rests_from.append(time.monotonic())
        with redis.client() as client:
            client.set("robots:{127.0.0.1}:turn", "", px=1000)
        return Answer()

    def robots_txt(_):
        other.gate("fetched").set()
        return robots(text)

    script = {"/robots.txt": robots(""), "/visit": end_visit, "/until": Answer(gate="fetched")}
    with Site({"/robots.txt": robots_txt}) as site, Site(script, "127.0.0.2") as other:
        asked_at = time.time() - age
        entry = CacheEntry(FetchResult(200), asked_at, text.encode(), asked_at)
        async with members(redis.url, 1) as (store,):
            await store.put(site.origin, entry)
        ahead = [site.url(page), other.url("/until")]  # the crawl lasts until the file has come
        settings = store_at(redis)
        await crawl(other.url("/visit"), spider=Chain, ahead=ahead, settings=settings)
        assert site.paths[0] == "/robots.txt"
        assert site.hits[0].asked_at - rests_from[0] >= 1.0


@on_reactor
async def test_a_request_that_never_reaches_the_host_gives_its_turn_back_without_a_delay(redis):
    # A rest after each would take longer than the crawl may (CLOSESPIDER_TIMEOUT).
    with Site({"/robots.txt": robots("User-agent: *\nCrawl-delay: 30\n")}) as site:
        settings = {**store_at(redis), "DOWNLOADER_MIDDLEWARES": {Cache: 900}}
        seen, _ = await crawl(*(site.url(f"/{n}") for n in range(20)), settings=settings)
        assert len(seen.answered) == 20
        with redis.client() as client:
            assert [key for key in client.scan_iter() if b"turn" in key] == []


def test_a_delay_of_years_outlives_the_crawl_that_kept_it(settings, redis):
    endless = robots("User-agent: *\nCrawl-delay: 1e300\n")
    with Site({"/robots.txt": endless}) as site, Site({}, "127.0.0.2") as other:
        store = {**settings, "ROBOTS_CRAWL_DELAY_OVER_MAX": "queue"}
        once = {**store, "ROBOTS_OVERRIDES": {"127.0.0.1": {"crawl_delay": 0.01}}}
        crawl_apart(Plan([site.url("/first")], once))  # the robots.txt is known from here on
        other.script |= {"/robots.txt": robots(""), "/stop": Answer(after=0.5)}
        urls = [site.url("/second"), other.url("/stop")]
        seen = crawl_apart(Plan(urls, store, interrupt_at=other.url("/stop")))
        assert seen.stats["robots/put_back"] == 1
        assert "robots/store/failed" not in seen.stats
        assert site.pages == ["/first"]


@on_reactor
async def test_a_delay_is_kept_where_the_redis_dies_in_the_middle():
    with RedisServer() as server, Site({}) as site:

        def die(_):
            server.kill()
            return Answer()

        slow = robots("User-agent: *\nCrawl-delay: 0.2\n")
        site.script |= {"/robots.txt": slow, "/1": die}
        seen, _ = await crawl(*(site.url(f"/{n}") for n in range(4)), settings=store_at(server))
        assert len(seen.answered) == 4
        rests = [later.asked_at - earlier.answered_at for earlier, later in pairwise(site.hits)]
        assert min(rests) >= 0.2


def test_a_crawler_that_is_killed_during_a_fetch_delays_the_others_by_one_lease_at_most(settings):
    reached = threading.Event()
    answers = iter([Answer(after=None), robots(DISALLOWED)])

    def robots_txt(_):
        reached.set()
        return next(answers)

    with Site({"/robots.txt": robots_txt}) as site:
        plan = Plan([site.url("/a"), site.url("/secret")], settings)
        crawl_killed(plan, reached)
        crawl_apart(plan)
        assert site.pages == ["/a"]
        assert site.count("/robots.txt") == 2


@on_reactor
async def test_a_crawl_without_its_redis_still_obeys_and_warns_once(caplog):
    caplog.set_level(logging.DEBUG)
    with RedisServer() as server, Site({"/robots.txt": robots(DISALLOWED)}) as site:
        server.kill()
        urls = [site.url("/a"), site.url("/secret")]
        seen, _ = await crawl(*urls, settings=store_at(server))
    assert site.pages == ["/a"]
    assert seen.stats["robots/store/lost"] == 1
    warnings = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert len(warnings) == 1
    assert warnings[0].startswith(f"The robots.txt store at 127.0.0.1:{server.port}/0 fails (Conn")


@on_reactor
async def test_a_redis_that_drops_turns_first_is_warned_of(caplog):
    caplog.set_level(logging.INFO, "scrapy_robots_policy")
    options = ("--maxmemory", "100mb", "--maxmemory-policy", "volatile-ttl")
    with RedisServer(*options) as server, Site({"/robots.txt": robots(DISALLOWED)}) as site:
        await crawl(site.url("/a"), settings=store_at(server))
    warnings = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert len(warnings) == 1
    assert "has the maxmemory-policy volatile-ttl" in warnings[0]


@on_reactor
async def test_a_redis_that_is_lost_for_a_while_lets_no_request_through_and_is_used_again(caplog):
    caplog.set_level(logging.INFO, "scrapy_robots_policy")
    with RedisServer() as server, ExitStack() as stack:
        one, other, third = (
            stack.enter_context(Site({"/robots.txt": robots(DISALLOWED)}, f"127.0.0.{n}"))
            for n in (1, 2, 3)
        )

        def die(_):
            server.kill()
            return Answer()

        def live(_):
            server.start()
            return Answer(after=CALM)

        one.script["/die"], other.script["/live"] = die, live
        pages = [other.url("/secret"), one.url("/secret"), other.url("/live"), third.url("/a")]
        await crawl(one.url("/die"), spider=Chain, ahead=pages, settings=store_at(server))
        assert [site.pages for site in (one, other, third)] == [["/die"], ["/live"], ["/a"]]
        with server.client() as client:
            assert client.exists(f"robots:{{{third.origin}}}:record")
    lines = [r.getMessage() for r in caplog.records if "store" in r.getMessage()]
    assert len(lines) == 2
    assert "fails (ConnectionError: " in lines[0]
    assert lines[1] == f"The robots.txt store at 127.0.0.1:{server.port}/0 works again"


def store_at(server):
    return {"ROBOTS_STORE": server.url}


@on_reactor
async def test_a_wrong_password_appears_nowhere(caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    report = tmp_path / "report.html"
    with RedisServer("--requirepass", "other") as server, Site({"/robots.txt": OPEN_TEXT}) as site:
        url = server.url.replace("://", "://user:hidden-word@")
        settings = {"ROBOTS_STORE": url, "ROBOTS_REPORT": str(report)}
        seen, _ = await crawl(site.url("/a"), settings=settings)
    assert site.pages == ["/a"]
    written = report.read_text("utf-8") + report.with_suffix(".json").read_text("utf-8")
    assert "invalid username-password pair" in caplog.text
    assert "hidden-word" not in caplog.text + str(seen) + written


OPEN_TEXT = robots("")


def test_without_asyncio_the_crawl_does_not_start():
    settings = {**OURS, **REACTORS["select"], "ROBOTS_STORE": "redis://user:secret@host"}
    with Site({"/robots.txt": OPEN_TEXT}) as site:
        with pytest.raises(AssertionError) as error:
            crawl_apart(Plan([site.url("/a")], settings))
        assert site.paths == []
    assert "ROBOTS_STORE is 'redis:…': Redis needs asyncio: set TWISTED_REACTOR" in str(error.value)
    assert "secret" not in str(error.value)
