"""What must be true of resolvers and delay queues that share a Redis: one fetches for all, one goes
at a time, and no harm is done where one of them, or the Redis, dies.
"""

from __future__ import annotations

import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import scrapy
from scrapy.utils.defer import maybe_deferred_to_future

from scrapy_robots_policy import compat
from scrapy_robots_policy.admission.delay_queue import Asker
from scrapy_robots_policy.admission.delay_queues import DelayQueues
from scrapy_robots_policy.exceptions import CrawlClosing
from scrapy_robots_policy.fetch.fetch_gate import FetchGate
from scrapy_robots_policy.rep import DIALECTS, AccessMode, FetchResult, origin_of
from scrapy_robots_policy.rep.access_policy import FOREVER, AccessOverrides, Step
from scrapy_robots_policy.resolver.cache import OriginCache
from scrapy_robots_policy.resolver.events import ResolverEvents
from scrapy_robots_policy.resolver.resolver import Resolver
from scrapy_robots_policy.resolver.sources import LEASE_PATIENCE, Sources
from scrapy_robots_policy.stores import StoreEvents, open_store
from scrapy_robots_policy.stores.redis import RedisStore
from scrapy_robots_policy.stores.redis.address import Address
from tests.on_reactor import Gate, all_of, on_reactor, start, until, until_idle
from tests.redis_server import RedisServer
from tests.stores.members import members

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("needs_redis")]

ORIGIN = "http://example.com"
RFC = DIALECTS["rfc9309"]
SECRET = FetchResult(200, b"User-agent: *\nDisallow: /secret\n")
OPEN = FetchResult(200, b"")
DOWN = FetchResult(503)
DEFERRING = RFC.but(
    "deferring",
    access=replace(
        RFC.access,
        unreachable=(Step(FOREVER, AccessMode.RULES, AccessMode.DEFER),),
        retry_first=0.3,
    ),
)


@dataclass
class World:
    """A site that gives its answers in turn, to whoever asks.

    later    seconds that are added to the clock
    fetches  the cache entry that each fetch began with; None for the first of an origin
    pages    the page that each fetch was for
    """

    outcomes: list[FetchResult | Exception]
    later: float = 0.0
    fetches: list[Any] = field(default_factory=list)
    pages: list[Any] = field(default_factory=list)
    gate: Gate = field(default_factory=Gate)

    async def fetch(self, order):
        turn = len(self.fetches)
        self.fetches.append(order.entry)
        self.pages.append(order.page)
        await self.gate.pass_()
        outcome = self.outcomes[min(turn, len(self.outcomes) - 1)]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def until_fetched(self, times=1):
        await until(lambda: len(self.fetches) >= times)

    @asynccontextmanager
    async def members(self, redis, count=2, **options):
        """So many resolvers, as so many processes have them. `options` are of their stores."""
        resolvers = [
            Resolver(
                Sources(
                    RedisStore(Address.of_uri(redis.url), StoreEvents(), **options),
                    self.fetch,
                    lambda page: None,
                    lambda: time.time() + self.later,
                    compat.sleep,
                    FetchGate(1, 1, time.monotonic, compat.call_later),
                    ResolverEvents(),
                    OriginCache(AccessOverrides()),
                ),
                600.0,
            )
            for _ in range(count)
        ]
        try:
            yield resolvers
        finally:
            for resolver in resolvers:
                await resolver.close()


def secret(rules):
    return rules.allowed(f"{ORIGIN}/secret", "bot")


def looks(redis):
    """How often a claim has been made, or given back, since the test began."""
    with redis.client() as client:
        return client.info("commandstats").get("cmdstat_eval", {"calls": 0})["calls"]


async def rules_of(resolvers, dialect=RFC):
    return await all_of([start(resolver.rules_for(ORIGIN, dialect)) for resolver in resolvers])


@on_reactor
async def test_one_process_fetches_for_all(redis):
    world = World([SECRET, OPEN])
    async with world.members(redis, 5) as resolvers:
        waiting = start(rules_of(resolvers))
        await world.until_fetched()
        await until(lambda: looks(redis) >= 20)  # of the four others
        world.gate.open()
        assert [secret(rules) for rules in (await all_of([waiting]))[0]] == [False] * 5
        assert world.fetches == [None]


@on_reactor
async def test_an_origin_that_is_queued_in_one_process_is_fetched_by_another(redis):
    world = World([SECRET])
    async with world.members(redis) as (one, other):
        waiting = [start(one.rules_for(ORIGIN, RFC, "one"))]
        await world.until_fetched()
        waiting.append(start(one.rules_for("http://next.example", RFC, "one")))
        await until(lambda: one.sources.gate._queue)
        waiting.append(start(other.rules_for("http://next.example", RFC, "other")))
        await world.until_fetched(2)
        world.gate.open()
        await all_of(waiting)
        assert world.pages == ["one", "other"]


@on_reactor
async def test_a_failed_fetch_counts_for_all_processes(redis):
    world = World([DOWN, OPEN])
    world.gate.open()
    async with world.members(redis) as resolvers:
        answers = await rules_of(resolvers)
        assert [rules.mode for rules in answers] == [AccessMode.DISALLOW] * 2
        assert len({rules.access.fresh_until for rules in answers}) == 1
        assert world.fetches == [None]


@on_reactor
async def test_deferred_requests_of_all_processes_wait_for_one_next_try(redis):
    world = World([DOWN, DOWN, SECRET])
    world.gate.open()
    async with world.members(redis, 4) as resolvers:
        answers = await rules_of(resolvers, DEFERRING)
        assert [secret(rules) for rules in answers] == [False] * 4
        assert len(world.fetches) == 3


@on_reactor
async def test_stale_rules_are_fetched_again_by_one_process(redis):
    world = World([SECRET, OPEN])
    world.gate.open()
    async with world.members(redis, 4) as resolvers:
        await rules_of(resolvers)
        world.later = 25 * 3600
        old = [resolver.cached(ORIGIN, RFC) for resolver in resolvers]
        assert [secret(rules) for rules in old] == [False] * 4  # it holds meanwhile
        await until(lambda: all(secret(resolver.cached(ORIGIN, RFC)) for resolver in resolvers))
        assert len(world.fetches) == 2


@on_reactor
async def test_a_fetch_that_takes_too_long_is_taken_over_by_another_process(redis):
    world = World([SECRET])
    async with world.members(redis) as (one, other):
        start(one.rules_for(ORIGIN, RFC))
        await world.until_fetched()
        began = later = time.time()

        async def sleep(seconds):
            nonlocal later
            later += seconds

        other.now = other.sources.now = lambda: later
        other.sources.sleep = sleep
        waiting = start(other.rules_for(ORIGIN, RFC))
        await world.until_fetched(2)
        assert later - began > LEASE_PATIENCE - 10
        world.gate.open()
        assert not secret((await all_of([waiting]))[0])


@on_reactor
async def test_a_fault_in_one_process_is_not_shared(redis):
    world = World([RuntimeError("a bug"), SECRET])
    world.gate.open()
    async with world.members(redis) as (one, other):
        assert (await one.rules_for(ORIGIN, RFC)).mode is AccessMode.DISALLOW
        assert not secret(await other.rules_for(ORIGIN, RFC))
        assert len(world.fetches) == 2


@on_reactor
async def test_a_process_that_stops_during_a_fetch_releases_the_lease_at_once(redis):
    world = World([OPEN, SECRET])
    # A lease that lasts so long ends in time only if it is given back.
    async with world.members(redis, lasting=600.0) as (one, other):
        stopped = start(one.rules_for(ORIGIN, RFC))
        await world.until_fetched()
        waiting = start(other.rules_for(ORIGIN, RFC))
        await until_idle()
        one.stop()
        with pytest.raises(CrawlClosing):
            await maybe_deferred_to_future(stopped)
        await world.until_fetched(2)
        world.gate.open()
        assert not secret((await all_of([waiting]))[0])


@on_reactor
async def test_after_the_loss_of_redis_each_process_fetches_by_itself():
    world = World([SECRET])
    with RedisServer() as server:
        async with world.members(server, 3) as resolvers:
            waiting = start(rules_of(resolvers))
            await world.until_fetched()
            server.kill()
            await world.until_fetched(3)
            world.gate.open()
            assert [secret(rules) for rules in (await all_of([waiting]))[0]] == [False] * 3


@on_reactor
async def test_an_entry_from_the_future_is_not_used(redis):
    world = World([SECRET])
    world.gate.open()
    async with world.members(redis) as (one, other):
        one.now = one.sources.now = lambda: time.time() + 30 * 24 * 3600
        await one.rules_for(ORIGIN, RFC)
        await until_idle()
        assert not secret(await other.rules_for(ORIGIN, RFC))
        assert len(world.fetches) == 2


@on_reactor
async def test_a_turn_ends_with_its_visit(redis):
    store = open_store(redis.url)
    queues = DelayQueues(store, time.monotonic, compat.call_later)
    queue = queues.queue("host", Asker("http://host", "bot", "rfc9309"), 60.0, since_visit=60.0)
    mine, exempt = scrapy.Request("http://host/1"), scrapy.Request("http://host/2")
    async with queue.turn(mine) as turn:
        turn.used()
    for request in (mine, exempt):
        queues.reached(request)
    queues.release_gone({mine})
    with redis.client() as client:
        await until_idle()
        assert client.get("robots:{host}:turn") != b""  # this process holds it
        queues.release_gone(set())
        await until(lambda: client.get("robots:{host}:turn") == b"")  # the host rests
        assert 58_000 < client.pttl("robots:{host}:turn") <= 60_000
    await store.close()


@on_reactor
async def test_processes_that_name_other_download_slots_for_a_host_share_its_turn(redis):
    async def visit(queue):
        async with queue.turn(scrapy.Request("http://host/2")):
            pass

    asker = Asker("http://host", "bot", "rfc9309")
    async with members(redis.url) as stores:
        one, other = (
            DelayQueues(store, time.monotonic, compat.call_later).queue(slot, asker, 0.3, 0.3)
            for store, slot in zip(stores, ("host", "mine"), strict=True)
        )
        async with one.turn(scrapy.Request("http://host/1")):
            waiting = start(visit(other))
            await until(lambda: other.free_at > time.monotonic() or waiting.called)
            assert not waiting.called
        await all_of([waiting])


@on_reactor
async def test_a_host_that_has_two_slots_in_a_process_is_visited_by_one_request_of_the_fleet(redis):
    under_way, most = set(), 0

    async def visit(queues, slot, url, seconds):
        nonlocal most
        asker = Asker(origin_of(url), "bot", "rfc9309")
        queue, request = queues.queue(slot, asker, 0.2, since_visit=0.2), scrapy.Request(url)
        async with queue.turn(request) as turn:
            turn.used()
        queues.reached(request)
        under_way.add(request)
        most = max(most, len(under_way))
        await compat.sleep(seconds)
        under_way.remove(request)
        queues.left(request)

    async with members(redis.url) as stores:
        one, other = (DelayQueues(store, time.monotonic, compat.call_later) for store in stores)
        await all_of(
            [
                start(visit(one, "http", "http://host/1", 0.1)),
                start(visit(one, "https", "https://host/1", 1.0)),
                start(visit(other, "host", "http://host/2", 0.1)),
            ]
        )
    assert most == 1
