"""What must be true of crawlers that share a Redis: one fetch for all, one pace for all, and no
harm where one of them, or the Redis, dies.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

import pytest
import scrapy

from scrapy_robots_policy import scrapy_versions
from scrapy_robots_policy.pace import Lane
from scrapy_robots_policy.policy import FLEET_PATIENCE, Notices, RobotsPolicy
from scrapy_robots_policy.rep import DIALECTS, Outcome, Stance
from scrapy_robots_policy.rep.access import FOREVER, Step, Wishes
from scrapy_robots_policy.stores import open_store
from scrapy_robots_policy.stores.link import CALM
from tests.crawls import OURS, REACTORS, ROOT, Plan, Spider, crawl, crawl_apart
from tests.on_reactor import Gate, all_of, on_reactor, start, until_idle
from tests.redis_server import RedisServer
from tests.site import Answer, Site, robots
from tests.test_pace import Cache

pytestmark = pytest.mark.usefixtures("needs_redis")

ORIGIN = "http://example.com"
RFC = DIALECTS["rfc9309"]
SECRET = Outcome(200, b"User-agent: *\nDisallow: /secret\n")
OPEN = Outcome(200, b"")
DOWN = Outcome(503)
DEFERRING = RFC.but(
    "deferring",
    access=replace(
        RFC.access, unreachable=(Step(FOREVER, Stance.RULES, Stance.DEFER),), retry_first=0.3
    ),
)


@dataclass
class World:
    """A site that gives its answers in turn, to whoever asks; `later` is added to the clock."""

    outcomes: list[Outcome | Exception]
    later: float = 0.0
    asked: list[Any] = field(default_factory=list)
    gate: Gate = field(default_factory=Gate)

    async def fetch(self, question):
        turn = len(self.asked)
        self.asked.append(question.known)
        await self.gate.pass_()
        outcome = self.outcomes[min(turn, len(self.outcomes) - 1)]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def is_asked(self, times=1):
        while len(self.asked) < times:
            await scrapy_versions.sleep(0.01)

    @asynccontextmanager
    async def members(self, redis, count=2):
        """So many policies, as so many processes have them."""
        policies = [
            RobotsPolicy(
                open_store(redis.url),
                self.fetch,
                lambda: time.time() + self.later,
                scrapy_versions.sleep,
                600.0,
                Wishes(),
                Notices(),
            )
            for _ in range(count)
        ]
        try:
            yield policies
        finally:
            for policy in policies:
                await policy.close()


def secret(ruling):
    return ruling.allowed(f"{ORIGIN}/secret", "bot")


def looks(redis):
    """How often a claim has been made, or given back, since the test began."""
    with redis.client() as client:
        return client.info("commandstats").get("cmdstat_eval", {"calls": 0})["calls"]


async def rulings_of(policies, dialect=RFC):
    return await all_of([start(policy.ruling(ORIGIN, dialect)) for policy in policies])


@on_reactor
async def test_one_asks_and_all_are_answered(redis):
    world = World([SECRET, OPEN])
    async with world.members(redis, 5) as policies:
        waiting = start(rulings_of(policies))
        await world.is_asked()
        while looks(redis) < 20:  # of the four others
            await scrapy_versions.sleep(0.01)
        world.gate.open()
        assert [secret(ruling) for ruling in (await all_of([waiting]))[0]] == [False] * 5
        assert world.asked == [None]


@on_reactor
async def test_that_a_site_is_unreachable_counts_for_all(redis):
    world = World([DOWN, OPEN])
    world.gate.open()
    async with world.members(redis) as policies:
        rulings = await rulings_of(policies)
        assert [ruling.stance for ruling in rulings] == [Stance.DISALLOW] * 2
        assert len({ruling.access.fresh_until for ruling in rulings}) == 1
        assert world.asked == [None]


@on_reactor
async def test_who_are_put_off_wait_for_one_who_asks_again(redis):
    world = World([DOWN, DOWN, SECRET])
    world.gate.open()
    async with world.members(redis, 4) as policies:
        rulings = await rulings_of(policies, DEFERRING)
        assert [secret(ruling) for ruling in rulings] == [False] * 4
        assert len(world.asked) == 3


@on_reactor
async def test_what_grew_old_is_renewed_by_one(redis):
    world = World([SECRET, OPEN])
    world.gate.open()
    async with world.members(redis, 4) as policies:
        await rulings_of(policies)
        world.later = 25 * 3600
        old = [policy.known(ORIGIN, RFC) for policy in policies]
        assert [secret(ruling) for ruling in old] == [False] * 4  # it holds meanwhile
        while not all(secret(policy.known(ORIGIN, RFC)) for policy in policies):
            await scrapy_versions.sleep(0.01)
        assert len(world.asked) == 2


@on_reactor
async def test_who_asks_for_too_long_is_waited_for_no_longer(redis):
    world = World([SECRET])
    async with world.members(redis) as (one, other):
        start(one.ruling(ORIGIN, RFC))
        await world.is_asked()
        later = time.time()

        async def sleep(seconds):
            nonlocal later
            later += seconds

        other.now, other.sleep = lambda: later, sleep
        waiting = start(other.ruling(ORIGIN, RFC))
        await world.is_asked(2)
        assert later > time.time() + FLEET_PATIENCE - 10
        world.gate.open()
        assert not secret((await all_of([waiting]))[0])


@on_reactor
async def test_a_fault_of_one_is_not_taken_for_the_sites(redis):
    world = World([RuntimeError("a bug"), SECRET])
    world.gate.open()
    async with world.members(redis) as (one, other):
        assert (await one.ruling(ORIGIN, RFC)).stance is Stance.DISALLOW
        assert not secret(await other.ruling(ORIGIN, RFC))
        assert len(world.asked) == 2


@on_reactor
async def test_who_stops_while_he_asks_leaves_it_to_the_others_at_once(redis):
    world = World([OPEN, SECRET])
    async with world.members(redis) as (one, other):
        stopped = start(one.ruling(ORIGIN, RFC))
        await world.is_asked()
        waiting = start(other.ruling(ORIGIN, RFC))
        await until_idle()
        began = time.monotonic()
        one.stop()
        assert await all_of([stopped]) == [None]
        await world.is_asked(2)
        assert time.monotonic() - began < 5  # a lease lasts 10 s
        world.gate.open()
        assert not secret((await all_of([waiting]))[0])


@on_reactor
async def test_a_redis_that_dies_while_they_wait_lets_each_ask_by_himself():
    world = World([SECRET])
    with RedisServer() as server:
        async with world.members(server, 3) as policies:
            waiting = start(rulings_of(policies))
            await world.is_asked()
            server.kill()
            await world.is_asked(3)
            world.gate.open()
            assert [secret(ruling) for ruling in (await all_of([waiting]))[0]] == [False] * 3


@on_reactor
async def test_an_answer_of_tomorrow_is_not_believed(redis):
    world = World([SECRET])
    world.gate.open()
    async with world.members(redis) as (one, other):
        one.now = lambda: time.time() + 30 * 24 * 3600
        await one.ruling(ORIGIN, RFC)
        await until_idle()
        assert not secret(await other.ruling(ORIGIN, RFC))
        assert len(world.asked) == 2


@on_reactor
async def test_a_turn_ends_with_its_own_visit(redis):
    store = open_store(redis.url)
    lane = Lane("host", store, time.monotonic, scrapy_versions.call_later)
    lane.asked["http://host"] = 60.0
    mine, others = scrapy.Request("http://host/1"), scrapy.Request("http://host/2")
    await lane.turn()
    lane.go(mine)
    for request in (mine, others):
        lane.reached(request)
    lane.visited(others)
    with redis.client() as client:
        await until_idle()
        assert client.get("robots:{host}:turn") != b""  # it is had
        lane.visited(mine)
        while client.get("robots:{host}:turn") != b"":  # until it rests
            await scrapy_versions.sleep(0.01)
        assert 58_000 < client.pttl("robots:{host}:turn") <= 60_000
    await store.close()


# Whole crawls.

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


@pytest.mark.parametrize("kind", [kind for kind in REACTORS if kind != "select"])
def test_three_crawlers_keep_one_delay(kind, settings):
    slow = robots("User-agent: *\nCrawl-delay: 0.4\n")
    with Site({"/robots.txt": slow, "/late": Answer(after=0.7)}) as site:
        urls = [site.url(path) for path in ("/1", "/late", "/2", "/3")]
        seen = at_once(*[Plan(urls, {**settings, **REACTORS[kind]})] * 3)
        assert [len(crawl.answered) for crawl in seen] == [4] * 3
        assert site.count("/robots.txt") == 1
        assert site.busiest == 1
        rests = [later.asked - earlier.answered for earlier, later in pairwise(site.hits)]
        assert min(rests) >= 0.4


@on_reactor
async def test_what_never_reaches_the_host_gives_the_turn_back_without_a_rest(redis):
    with Site({"/robots.txt": robots("User-agent: *\nCrawl-delay: 1\n")}) as site:
        began = time.monotonic()
        settings = {**store_at(redis), "DOWNLOADER_MIDDLEWARES": {Cache: 900}}
        seen, _ = await crawl(*(site.url(f"/{n}") for n in range(10)), settings=settings)
        assert len(seen.answered) == 10
        assert time.monotonic() - began < 5
        with redis.client() as client:
            assert [key for key in client.scan_iter() if b"turn" in key] == []


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
        assert min(later.asked - earlier.answered for earlier, later in pairwise(site.hits)) >= 0.2


def test_a_crawler_killed_while_it_fetches_holds_up_the_others_for_a_lease_at_most(settings):
    reached = threading.Event()
    answers = iter([Answer(after=None), robots(DISALLOWED)])

    def robots_txt(_):
        reached.set()
        return next(answers)

    with Site({"/robots.txt": robots_txt}) as site:
        plan = Plan([site.url("/a"), site.url("/secret")], settings)
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.crawls"], cwd=ROOT, stdin=-1, stdout=-1, stderr=-1
        )
        process.stdin.write(json.dumps(asdict(plan)).encode())
        process.stdin.close()
        assert reached.wait(30)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(10)
        process.stdout.close()
        process.stderr.close()
        began = time.monotonic()
        crawl_apart(plan)
        assert time.monotonic() - began < 20
        assert site.pages == ["/a"]
        assert site.count("/robots.txt") == 2


@on_reactor
async def test_a_crawl_without_its_redis_obeys_all_the_same_and_warns_once(caplog):
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


class Chain(Spider):
    """Asks for one page after the other."""

    def parse(self, response):
        super().parse(response)
        return self.next()

    def fail(self, failure):
        super().fail(failure)
        return self.next()

    def next(self):
        if self.then:
            yield scrapy.Request(self.then.pop(0), callback=self.parse, errback=self.fail)


@on_reactor
async def test_a_redis_that_dies_in_the_middle_lets_nothing_through_and_is_used_again(caplog):
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
        await crawl(one.url("/die"), spider=Chain, then=pages, settings=store_at(server))
        assert [site.pages for site in (one, other, third)] == [["/die"], ["/live"], ["/a"]]
        with server.client() as client:
            assert client.exists(f"robots:{{{third.origin}}}:record")
    told = [r.getMessage() for r in caplog.records if "store" in r.getMessage()]
    assert len(told) == 2
    assert "fails (ConnectionError: " in told[0]
    assert told[1] == f"The robots.txt store at 127.0.0.1:{server.port}/0 works again"


def store_at(server):
    return {"ROBOTS_STORE": server.url}


@on_reactor
async def test_a_wrong_password_is_nowhere_to_be_read(caplog, tmp_path):
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
        with pytest.raises(AssertionError) as told:
            crawl_apart(Plan([site.url("/a")], settings))
        assert site.paths == []
    assert "ROBOTS_STORE is 'redis:…': Redis needs asyncio: set TWISTED_REACTOR" in str(told.value)
    assert "secret" not in str(told.value)
