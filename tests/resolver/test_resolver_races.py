"""What must be true of an origin's rules where the crawl stops, requests go, lives are short, or
other processes fetch, too.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pytest
from scrapy.utils.defer import maybe_deferred_to_future

from scrapy_robots_policy.exceptions import CrawlClosing
from scrapy_robots_policy.rep import CacheEntry
from scrapy_robots_policy.rep.access_policy import FOREVER, AccessMode, AccessOverrides, Step
from scrapy_robots_policy.resolver.sources import (
    LEASE_PATIENCE,
    LONGEST_PAUSE,
    MAX_VARIANTS,
    MIN_LIFE,
)
from scrapy_robots_policy.stores import Claim, GuardedStore, MemoryStore
from tests.admission.test_delay_queue import cancel
from tests.on_reactor import Gate, all_of, on_reactor, start, until_idle
from tests.resolver.test_resolver import (
    DEFERRING,
    DOWN,
    FOUND,
    OPEN,
    ORIGIN,
    RFC,
    SECRET,
    WWW,
    World,
    _Events,
    secret,
)

OPENING = (Step(FOREVER, AccessMode.ALLOW, AccessMode.ALLOW),)


@dataclass
class Watched(World):
    """Notes for which page each fetch is made."""

    pages: list = field(default_factory=list)

    async def fetch(self, order):
        self.pages.append(order.page)
        return await super().fetch(order)


@on_reactor
async def test_nothing_is_fetched_once_the_crawl_has_stopped():
    world = World([SECRET, OPEN])
    resolver = world.resolver()
    first = await resolver.rules_for(ORIGIN, RFC)
    world.time = first.access.fresh_until + 1
    resolver.stop()
    resolver.cached(ORIGIN, RFC)
    await until_idle()
    assert len(world.fetches) == 1
    assert not resolver._tasks  # one that began now would wait for ever: nobody ends it


@on_reactor
async def test_a_robots_txt_with_a_lifetime_of_zero_is_not_fetched_before_each_page():
    world = World([SECRET], overrides=AccessOverrides(lifetime=0.0))
    resolver = world.resolver()
    await resolver.rules_for(ORIGIN, RFC)
    for _ in range(3):
        assert not secret(resolver.cached(ORIGIN, RFC))
    world.time += MIN_LIFE - 0.1
    assert not secret(await resolver.rules_for(ORIGIN, RFC))
    await until_idle()
    assert len(world.fetches) == 1
    world.time += 0.1
    await resolver.rules_for(ORIGIN, RFC)
    assert len(world.fetches) == 2


@on_reactor
async def test_if_the_proxy_of_one_request_fails_those_of_the_others_are_tried():
    world = Watched([DOWN, SECRET], gate=Gate())
    resolver = world.resolver()
    waiting = [start(resolver.rules_for(ORIGIN, RFC, page)) for page in ("a", "b", "b", "c")]
    await until_idle()
    world.gate.open()
    assert [secret(rules) for rules in await all_of(waiting)] == [False] * 4
    assert world.pages == ["a", "b"]


@on_reactor
async def test_nothing_is_fetched_for_a_request_that_was_cancelled():
    world = Watched([DOWN, OPEN], gate=Gate())
    resolver = world.resolver()
    one, gone, another = (start(resolver.rules_for(ORIGIN, RFC, page)) for page in "abc")
    await until_idle()
    await cancel(gone)
    world.gate.open()
    await all_of([one, another])
    assert world.pages == ["a", "c"]


@on_reactor
async def test_a_few_requests_are_fetched_for_until_one_gets_an_answer():
    world = Watched([DOWN], gate=Gate())
    resolver = world.resolver()
    waiting = [start(resolver.rules_for(ORIGIN, RFC, page)) for page in range(3 * MAX_VARIANTS)]
    await until_idle()
    world.gate.open()
    await all_of(waiting)
    assert world.pages == list(range(MAX_VARIANTS))


@on_reactor
async def test_a_fault_in_a_fetch_of_stale_rules_is_not_met_again_for_each_request():
    world = World([SECRET, RuntimeError("a bug")])
    resolver = world.resolver()
    first = await resolver.rules_for(ORIGIN, RFC)
    world.time = first.access.fresh_until + MIN_LIFE
    for _ in range(3):
        assert not secret(resolver.cached(ORIGIN, RFC))
        await until_idle()
    assert len(world.faults) == 1


@on_reactor
async def test_an_origin_that_failed_is_fetched_after_all_others():
    world = Watched([DOWN, SECRET], max_fetches=1)
    resolver = world.resolver()
    failed = await resolver.rules_for(ORIGIN, RFC, "failed")
    world.time = failed.access.fresh_until
    world.gate = Gate()
    waiting = [
        start(resolver.rules_for(origin, RFC, page))
        for page, origin in {"busy": "http://a", "failed": ORIGIN, "new": "http://b"}.items()
    ]
    await until_idle()
    world.gate.open()
    await all_of(waiting)
    assert world.pages == ["failed", "busy", "new", "failed"]


@on_reactor
async def test_an_origin_is_put_off_only_until_it_is_asked_again():
    class Pausing(World):
        async def sleep(self, seconds):
            assert resolver.waiting() == (1, 1, 1)
            await super().sleep(seconds)
            self.gate = Gate()

    world = Pausing([DOWN, SECRET])
    resolver = world.resolver()
    waiting = start(resolver.rules_for(ORIGIN, DEFERRING))
    await until_idle()
    assert resolver.waiting() == (1, 1, 0)
    world.gate.open()
    assert not secret((await all_of([waiting]))[0])


@dataclass
class Dozing(World):
    """A sleep lasts until somebody ends it. It moves no clock."""

    sleeping: list[tuple[float, Gate]] = field(default_factory=list)

    async def sleep(self, seconds):
        self.sleeping.append((seconds, Gate()))
        await self.sleeping[-1][1].pass_()

    async def end_sleep(self, number=-1):
        seconds, gate = self.sleeping[number]
        self.time += seconds
        gate.open()
        await until_idle()


@on_reactor
async def test_a_dialect_that_defers_holds_no_other_dialect():
    world = Dozing([DOWN, SECRET])
    resolver = world.resolver()
    deferred = start(resolver.rules_for(ORIGIN, DEFERRING))
    await until_idle()
    assert resolver.waiting() == (1, 1, 1)
    world.time += MIN_LIFE
    impatient = RFC.but("impatient", access=replace(RFC.access, retry_first=MIN_LIFE))
    assert not secret(await resolver.rules_for(ORIGIN, impatient))
    assert not secret((await all_of([deferred]))[0])  # what the other has fetched is for all
    assert len(world.fetches) == 2
    await world.end_sleep()
    assert len(world.fetches) == 2
    assert not secret(resolver.cached(ORIGIN, RFC))


@on_reactor
async def test_of_two_dialects_that_defer_the_one_that_is_due_first_asks_first():
    world = Dozing([DOWN, SECRET])
    resolver = world.resolver()
    sooner = DEFERRING.but("sooner", access=replace(DEFERRING.access, retry_first=3.0))
    waiting = [start(resolver.rules_for(ORIGIN, dialect)) for dialect in (DEFERRING, sooner)]
    await until_idle()
    assert [seconds for seconds, _ in world.sleeping] == [10.0, 3.0]
    await world.end_sleep()
    assert [secret(rules) for rules in await all_of(waiting)] == [False, False]
    await world.end_sleep(0)
    assert len(world.fetches) == 2


@on_reactor
async def test_after_a_pause_there_is_one_more_try_even_where_time_has_changed_the_mode():
    steps = (Step(10.0, AccessMode.RULES, AccessMode.DEFER), *OPENING)
    opening = RFC.but("opening", access=replace(RFC.access, unreachable=steps))
    world = World([DOWN, SECRET])
    assert not secret(await world.resolver().rules_for(ORIGIN, opening))
    assert len(world.fetches) == 2


@on_reactor
async def test_a_pause_that_the_end_of_the_loop_cancels_wakes_the_requests():
    world = Dozing([DOWN, SECRET])
    resolver = world.resolver()
    waiting = start(resolver.rules_for(ORIGIN, DEFERRING))
    await until_idle()
    (task,) = resolver._tasks
    task.cancel()
    await until_idle()
    assert len(world.sleeping) == 2  # it has looked again, and waits anew
    resolver.stop()
    with pytest.raises(CrawlClosing):
        await maybe_deferred_to_future(waiting)


@on_reactor
async def test_origins_that_were_looked_up_are_kept_in_the_cache_alone():
    world = World([SECRET])
    resolver = world.resolver()
    resolver.cache.max_origins = 3
    origins = [f"http://{number}.example" for number in range(10)]
    for origin in origins:
        await resolver.rules_for(origin, RFC)
    assert [origin for origin in origins if resolver.cached(origin, RFC)] == origins[-3:]


@on_reactor
async def test_an_origin_that_leaves_the_cache_while_it_is_fetched_is_fetched_once():
    world = World([SECRET])
    resolver = world.resolver()
    first = await resolver.rules_for(ORIGIN, RFC)
    world.time = first.access.fresh_until + MIN_LIFE
    world.gate = Gate()
    resolver.cached(ORIGIN, RFC)
    resolver.cache.max_ready_octets = 0
    resolver.cache.put(resolver.cache.new_state("http://another"))
    resolver.cached(ORIGIN, RFC)
    await until_idle()
    assert len(world.fetches) == 2
    world.gate.open()
    await until_idle()


@on_reactor
async def test_what_redirects_lead_to_replaces_nothing_that_is_known():
    world = World([OPEN, FOUND], store=None)
    resolver = world.resolver()
    known = await resolver.rules_for(WWW, RFC)
    await resolver.rules_for(ORIGIN, RFC)
    assert resolver.cached(WWW, RFC) is known


@on_reactor
async def test_requests_go_on_at_the_end_of_a_crawl_even_if_a_fetch_cannot_be_cancelled():
    class Stubborn(World):
        cancelled = 0

        async def fetch(self, order):
            try:
                return await super().fetch(order)
            except BaseException:  # noqa: BLE001 - as a middleware may do
                self.cancelled += 1
                return await super().fetch(order)

    world = Stubborn([SECRET], gate=Gate())
    resolver = world.resolver()
    waiting = start(resolver.rules_for(ORIGIN, RFC))
    await until_idle()
    resolver.stop()
    await until_idle()
    assert (waiting.called, world.cancelled) == (True, 1)
    with pytest.raises(CrawlClosing):
        await maybe_deferred_to_future(waiting)
    world.gate.open()
    await until_idle()


@on_reactor
async def test_a_fetch_that_ends_with_its_event_loop_is_no_fault_and_opens_nothing():
    """`asyncio.run` cancels all tasks at Ctrl-C, without waiting for the crawl to close."""

    class Cancelled(World):
        async def fetch(self, order):
            raise asyncio.CancelledError

    world = Cancelled([])
    rules = await world.resolver().rules_for(ORIGIN, RFC)
    assert (rules.mode, world.faults) == (AccessMode.DISALLOW, [])


class FleetStore(MemoryStore):
    """Gives these claims in turn, the last one again and again. `calls`: what was called."""

    def __init__(self, *claims):
        super().__init__()
        self.claims, self.calls = list(claims), []

    @property
    def coordinator(self):
        return self

    async def put(self, origin, entry):
        await until_idle()
        await super().put(origin, entry)
        self.calls.append("put")

    async def claim(self, origin):
        return self.claims.pop(0) if len(self.claims) > 1 else self.claims[0]

    def release(self, origin):
        self.calls.append("release")

    async def take(self, host, delay):
        raise NotImplementedError

    def leave(self, host, *, visited):
        raise NotImplementedError


class HoldingStore(FleetStore):
    """Holds up what it is asked by this method."""

    def __init__(self, held):
        super().__init__(Claim(True, None))
        self.held, self.gate = held, Gate()

    async def get(self, origin):
        return await self._called("get") or await super().get(origin)

    async def claim(self, origin):
        return await self._called("claim") or await super().claim(origin)

    async def _called(self, verb):
        self.calls.append(verb)
        if verb == self.held:
            await self.gate.pass_()


def entry_of(result, at):
    return CacheEntry(result, at, result.octets, at)


@on_reactor
async def test_a_lease_is_given_back_when_the_entry_is_stored():
    world = World([SECRET], store=FleetStore(Claim(True, None)))
    resolver = world.resolver()
    await resolver.rules_for(ORIGIN, RFC)
    await resolver.close()
    assert world.store.calls == ["put", "release"]


@on_reactor
async def test_a_lease_is_given_back_after_a_fault():
    world = World([RuntimeError("a bug")], store=FleetStore(Claim(True, None)))
    await world.resolver().rules_for(ORIGIN, RFC)
    assert world.store.calls == ["release"]


@pytest.mark.parametrize("verb", ["get", "claim"])
@on_reactor
async def test_a_crawl_that_closes_while_its_store_is_asked_fetches_nothing_more(verb):
    world, inner = World([SECRET]), HoldingStore(verb)
    world.store = GuardedStore(inner, _Events(world))
    resolver = world.resolver()
    waiting = start(resolver.rules_for(ORIGIN, RFC))
    await until_idle()
    assert inner.calls[-1] == verb
    resolver.stop()
    with pytest.raises(CrawlClosing):
        await maybe_deferred_to_future(waiting)
    await until_idle()
    assert (world.faults, world.fetches) == ([], [])
    assert not resolver._tasks


@on_reactor
async def test_what_another_process_has_just_fetched_is_used_and_the_lease_given_back():
    world = World([OPEN])
    world.store = FleetStore(Claim(True, entry_of(SECRET, world.time)))
    assert not secret(await world.resolver().rules_for(ORIGIN, RFC))
    assert (world.fetches, world.store.calls) == ([], ["release"])


@pytest.mark.parametrize(
    ("outcomes", "of_fleet", "age"),
    [
        pytest.param([OPEN, SECRET], replace(OPEN, lifetime=60.0), -60, id="newer and stale"),
        pytest.param([replace(SECRET, lifetime=60.0)], OPEN, 60, id="older than ours"),
    ],
)
@on_reactor
async def test_an_entry_of_the_fleet_that_is_no_better_than_ours_is_not_used(
    outcomes, of_fleet, age
):
    world = World(outcomes, store=FleetStore(Claim(True, None)))
    resolver = world.resolver()
    first = await resolver.rules_for(ORIGIN, RFC)
    world.store.claims = [Claim(True, entry_of(of_fleet, world.time - age))]
    world.time = first.access.fresh_until
    resolver.cached(ORIGIN, RFC)
    await until_idle()
    assert not secret(resolver.cached(ORIGIN, RFC))


@pytest.mark.parametrize(("age", "fetches"), [(MIN_LIFE - 0.1, 0), (MIN_LIFE, 1)])
@pytest.mark.parametrize("known_by", ["the store", "the fleet"])
@on_reactor
async def test_a_robots_txt_without_a_lifetime_is_fetched_once_a_second_by_all_processes(
    known_by, age, fetches
):
    world = World([SECRET], overrides=AccessOverrides(lifetime=0.0))
    entry = entry_of(SECRET, world.time - age)
    world.store = FleetStore(Claim(True, entry if known_by == "the fleet" else None))
    if known_by == "the store":
        await world.store.put(ORIGIN, entry)
    assert not secret(await world.resolver().rules_for(ORIGIN, RFC))
    assert len(world.fetches) == fetches


@pytest.mark.parametrize(
    ("of_others", "mode", "next_try"),
    [
        pytest.param(SECRET, AccessMode.RULES, 10, id="the file"),
        pytest.param(DOWN, AccessMode.DISALLOW, 40, id="two failures"),
    ],
)
@on_reactor
async def test_a_failure_that_comes_late_counts_after_what_others_have_learned_meanwhile(
    of_others, mode, next_try
):
    world = World([DOWN], store=FleetStore(Claim(True, None)))
    entry = entry_of(of_others, world.time)
    if of_others is DOWN:
        entry = replace(entry, octets=None, failing_since=world.time, failures=2)

    async def late(order):
        world.time += 2 * LEASE_PATIENCE
        world.store.claims = [Claim(False, entry)]
        return DOWN

    world.fetch = late
    rules = await world.resolver().rules_for(ORIGIN, RFC)
    assert (rules.mode, rules.access.fresh_until) == (mode, world.time + next_try)


@on_reactor
async def test_while_another_process_fetches_it_is_asked_every_few_seconds():
    pauses = []

    class Asking(World):
        async def sleep(self, seconds):
            pauses.append(seconds)
            await super().sleep(seconds)

    world = Asking([SECRET], store=FleetStore(Claim(False, None)))
    assert not secret(await world.resolver().rules_for(ORIGIN, RFC))
    assert max(pauses) == LONGEST_PAUSE
    assert LEASE_PATIENCE < sum(pauses) <= LEASE_PATIENCE + LONGEST_PAUSE
