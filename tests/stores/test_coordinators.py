"""What is true of every store by which processes agree: leases on origins, and turns at hosts."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
import pytest_twisted
from scrapy.utils.defer import deferred_from_coro

from scrapy_robots_policy import compat
from scrapy_robots_policy.stores import open_store
from tests.model.shared_store import FleetStore, Shared
from tests.on_reactor import all_of, on_reactor, start, until
from tests.redis_server import RedisServer
from tests.stores.entries import FULL, HOST, NEWER, ORIGIN, OUTAGE

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("needs_redis")]

LEASE, TURN = f"robots:{{{ORIGIN}}}:lease", f"robots:{{{HOST}}}:turn"


def of_redis(request):
    return request.getfixturevalue("redis").url


def of_a_user(_request):
    return type("OwnStore", (FleetStore,), {"shared": Shared(time.monotonic)})


@pytest.fixture(params=[of_redis, of_a_user])
def fleet(request):
    """The same store ten times, as ten processes have it."""
    yield from opened(request.param(request), 10)


@pytest.fixture
def pair(redis):
    """Two processes on a Redis."""
    yield from opened(redis.url, 2)


def opened(place, count):
    stores = [open_store(place) for _ in range(count)]
    yield stores
    for store in stores:
        pytest_twisted.blockon(deferred_from_coro(store.close()))


async def claim_granted(store):
    return (await store.coordinator.claim(ORIGIN)).granted


async def turn_granted(store, delay=0.3):
    return await store.coordinator.take(HOST, delay) == 0.0


@on_reactor
async def test_one_of_many_gets_a_lease_and_one_a_turn(fleet):
    claims = await all_of([start(store.coordinator.claim(ORIGIN)) for store in fleet])
    assert [claim.granted for claim in claims].count(True) == 1
    waits = await all_of([start(store.coordinator.take(HOST, 60.0)) for store in fleet])
    assert waits.count(0.0) == 1
    assert all(0 < wait <= 60.0 for wait in waits if wait)
    other = fleet[1].coordinator
    assert (await other.claim("http://example.com")).granted
    assert await other.take("other.example", 1.0) == 0.0


@on_reactor
async def test_a_lease_that_is_given_back_goes_to_the_next_with_the_entry(fleet):
    one, other = fleet[:2]
    assert (await one.coordinator.claim(ORIGIN)).entry is None
    other.coordinator.release(ORIGIN)  # which it does not have
    await one.put(ORIGIN, FULL)
    claim = await other.coordinator.claim(ORIGIN)
    assert (claim.granted, claim.entry) == (False, FULL)
    await one.put(ORIGIN, NEWER)
    one.coordinator.release(ORIGIN)
    await until(lambda: claim_granted(other))
    assert (await other.coordinator.claim(ORIGIN)).entry == NEWER
    assert await other.get(ORIGIN) == NEWER


@on_reactor
async def test_the_delay_follows_a_visit_but_not_an_unused_turn(fleet):
    one, other = (store.coordinator for store in fleet[:2])
    assert await one.take(HOST, 60.0) == 0.0
    other.leave(HOST, visited=False)  # which it does not have
    assert await other.take(HOST, 60.0) > 0
    one.leave(HOST, visited=False)
    await until(lambda: turn_granted(fleet[1], 60.0))
    other.leave(HOST, visited=True)
    await until(lambda: rests(other))
    assert 10 < await one.take(HOST, 60.0) <= 60.001
    assert 10 < await other.take(HOST, 0.5) <= 60.001


async def rests(coordinator):
    return await coordinator.take(HOST, 0.5) > 10


@on_reactor
async def test_what_a_killed_process_has_ends_within_ten_seconds_and_the_delay(pair, redis):
    """For as long as a process lives, it renews what it has."""
    one, other = pair
    assert await claim_granted(one)
    assert await turn_granted(one, 5.0)
    with redis.client() as client:
        assert 0 < client.pttl(LEASE) <= 10_000
        assert 0 < client.pttl(TURN) <= 15_000
        client.pexpire(LEASE, 600_000)  # it lives until it is renewed, whatever stalls
        await until(lambda: client.pttl(LEASE) <= 10_000)
        assert not await claim_granted(other)
        client.pexpire(LEASE, 50)  # as when nobody renews it
        await until(lambda: claim_granted(other))


@on_reactor
async def test_a_store_that_closes_gives_leases_back_and_leaves_hosts_their_delay(pair):
    """Whether the request of a turn was sent is not known by then."""
    one, other = pair
    assert await claim_granted(one)
    assert await turn_granted(one, 60.0)
    await one.close()
    assert await claim_granted(other)
    assert await other.coordinator.take(HOST, 60.0) > 50.0


async def visit(store):
    try:
        await store.coordinator.take(HOST, 60.0)
    finally:  # also where it is cancelled, as `FleetCoordinator` asks for
        store.coordinator.leave(HOST, visited=False)


@on_reactor
async def test_a_call_that_is_cancelled_takes_nothing(pair):
    """Whenever it is cancelled: a crawl that closes would hold up the others."""
    one, other = pair
    for steps in range(12):
        asking = start(visit(one))
        asking.addErrback(lambda _: None)
        for _ in range(steps):
            await compat.sleep(0)
        asking.cancel()
        await until(lambda: turn_granted(other, 60.0))
        other.coordinator.leave(HOST, visited=False)


@pytest.mark.parametrize("holder", ["", "somebody"], ids=["rest", "held"])
@on_reactor
async def test_no_key_of_another_program_holds_up_a_host_or_a_file_for_days(pair, redis, holder):
    one, _ = pair
    with redis.client() as client:
        client.set(TURN, holder, px=10**9)
        assert 0 < await one.coordinator.take(HOST, 5.0) <= 600.0
        assert client.pttl(TURN) <= 600_000
        client.set(LEASE, holder, px=10**9)
        assert not await claim_granted(one)
        assert client.pttl(LEASE) <= 10_000
        for key in (TURN, LEASE):
            client.set(key, holder)  # for ever
        assert await claim_granted(one)
        assert await turn_granted(one)


# What stands in place of a turn that the server lost: its value and life, and what is left then.
LOST = {
    "nothing": (None, 60_000),
    "a shorter rest": (("", 5_000), 60_000),
    "a longer rest": (("", 90_000), 90_000),
    "the turn of another": (("another", 15_000), 15_000),
}


@pytest.mark.parametrize("case", LOST)
@on_reactor
async def test_the_delay_follows_a_visit_whose_turn_the_server_has_lost(case, pair, redis):
    found, expected = LOST[case]
    one, _ = pair
    assert await turn_granted(one, 60.0)
    with redis.client() as client:
        client.flushall()
        if found is not None:
            client.set(TURN, found[0], px=found[1])
        one.coordinator.leave(HOST, visited=True)
        await one.close()
        assert expected - 10_000 < client.pttl(TURN) <= expected


HOUR = 3600.0
# Seconds since the beginning of an outage by the clock that saw it, and since it was put.
CLOCKS = {
    "the clocks agree": (0.0, 0.0, True),
    "the clocks agree, and the outage lasts": (HOUR, HOUR, True),
    "ours is a little ahead": (30.0, 0.0, True),
    "ours is an hour ahead": (HOUR, 0.0, False),
    "ours is an hour ahead, and the outage lasts": (2 * HOUR, HOUR, False),
}


@pytest.mark.parametrize("kind", CLOCKS)
@on_reactor
async def test_an_outage_is_no_longer_for_a_machine_whose_clock_is_ahead(kind, pair, redis):
    since, age, is_used = CLOCKS[kind]
    began = time.time() - since
    entry = replace(OUTAGE, asked_at=began, failing_since=began)
    one, other = pair
    await one.put(ORIGIN, entry)
    with redis.client() as client:
        key = f"robots:{{{ORIGIN}}}:record"
        client.pexpire(key, client.pttl(key) - int(1000 * age))
    assert (await other.get(ORIGIN) == entry) is is_used


@on_reactor
async def test_processes_tell_each_other_of_pauses(pair):
    one, other = (store.coordinator for store in pair)
    assert (one.shares_pauses, await other.pauses()) == (True, {})
    await one.pause("a.test", 30.0)
    await other.pause("b.test", 0.001)
    await one.pause("c.test", 3600.0)
    left = await other.pauses()
    assert left.keys() - {"b.test"} == {"a.test", "c.test"}
    assert 0 < left["a.test"] <= 30 < left["c.test"] <= 3600


@on_reactor
async def test_a_redis_that_is_gone_knows_of_no_pause():
    with RedisServer() as server:
        store = open_store(server.url)
        await store.coordinator.pause("a.test", 30.0)
        server.kill()
        await store.coordinator.pause("b.test", 30.0)
        assert await store.coordinator.pauses() == {}
        await store.close()
