"""What must be true of waiting, refreshing and putting off; fetch, clock and sleep handed in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from scrapy.utils.defer import maybe_deferred_to_future

from scrapy_robots_policy import compat
from scrapy_robots_policy.exceptions import CrawlClosing
from scrapy_robots_policy.fetch.fetch_gate import FetchGate
from scrapy_robots_policy.rep import DIALECTS, AccessMode, CacheEntry, FetchResult
from scrapy_robots_policy.rep.access_policy import FOREVER, AccessOverrides, Step
from scrapy_robots_policy.resolver.cache import OriginCache
from scrapy_robots_policy.resolver.events import ResolverEvents, Source
from scrapy_robots_policy.resolver.resolver import Resolver
from scrapy_robots_policy.resolver.sources import MIN_LIFE, Sources
from scrapy_robots_policy.stores import MAX_SKEW, GuardedStore, MemoryStore
from tests.on_reactor import Gate, all_of, on_reactor, start, until_idle

ORIGIN = "http://example.com"
RFC, GOOGLE = DIALECTS["rfc9309"], DIALECTS["google"]
SECRET = FetchResult(200, b"User-agent: *\nDisallow: /secret\n")
OPEN = FetchResult(200, b"")
DOWN = FetchResult(None, cause="timeout")
DEFERRING = RFC.but(
    "deferring",
    access=replace(RFC.access, unreachable=(Step(FOREVER, AccessMode.RULES, AccessMode.DEFER),)),
)


@dataclass
class World:
    """A clock that moves when somebody sleeps, a store, a site that gives its answers in turn.

    fetches  the cache entry that each fetch began with; None for the first of an origin
    """

    outcomes: list[FetchResult | Exception]
    time: float = 1_000_000.0
    fetches: list[CacheEntry | None] = field(default_factory=list)
    learned: list[tuple[str, bool]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    lookups: list[bool] = field(default_factory=list)
    ages: list[float] = field(default_factory=list)
    tried: list[Any] = field(default_factory=list)
    store: Any = field(default_factory=MemoryStore)
    max_fetches: int = 100
    patience: float = 600.0
    overrides: AccessOverrides = field(default_factory=AccessOverrides)
    gate: Gate | None = None

    async def fetch(self, order):
        turn = len(self.fetches)
        self.fetches.append(order.entry)
        if self.gate:
            await self.gate.pass_()
        outcome = self.outcomes[min(turn, len(self.outcomes) - 1)]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def sleep(self, seconds):
        self.time += seconds

    def resolver(self) -> Resolver:
        sources = Sources(
            self.store,
            self.fetch,
            lambda page: page,
            lambda: self.time,
            self.sleep,
            FetchGate(self.max_fetches, 4000, lambda: self.time, compat.call_later),
            _Events(self),
            OriginCache(self.overrides),
        )
        return Resolver(sources, self.patience)


class _Events(ResolverEvents):
    def __init__(self, world):
        self.world = world

    async def on_learned(self, rules, page, source):
        self.world.learned.append((rules.mode.value, source is Source.SITE))

    def on_store_lookup(self, *, is_hit):
        self.world.lookups.append(is_hit)

    def on_obeyed(self, key, age):
        self.world.ages.append(age)

    def on_fetched(self, key, result, before, entry):
        self.world.tried.append((result, before, entry))

    def on_failed(self, verb, error):
        self.world.faults.append(f"{verb}: {error}")

    def on_fault(self, origin, error):
        self.world.faults.append(f"{origin}: {error}")


class BrokenStore:
    async def get(self, origin):
        raise OSError("locked")

    async def put(self, origin, record):
        raise OSError("full")

    async def close(self):
        raise OSError("gone")


def secret(rules):
    return rules.allowed(f"{ORIGIN}/secret", "bot")


@on_reactor
async def test_many_requests_wait_for_one_fetch():
    world = World([SECRET], gate=Gate())
    resolver = world.resolver()
    waiting = [start(resolver.rules_for(ORIGIN, RFC)) for _ in range(5)]
    await until_idle()
    world.gate.open()
    answers = await all_of(waiting)
    assert [secret(rules) for rules in answers] == [False] * 5
    assert len(world.fetches) == 1


@on_reactor
async def test_fetches_at_a_time_are_limited():
    world = World([SECRET], gate=Gate(), max_fetches=2)
    resolver = world.resolver()
    waiting = [start(resolver.rules_for(f"http://{number}.example", RFC)) for number in range(5)]
    await until_idle()
    assert len(world.fetches) == 2
    world.gate.open()
    await all_of(waiting)
    assert len(world.fetches) == 5


@on_reactor
async def test_a_resolver_that_stops_ends_all_waits_for_a_fetch():
    world = World([SECRET], gate=Gate(), max_fetches=1)
    resolver = world.resolver()
    waiting = [start(resolver.rules_for(f"http://{number}.example", RFC)) for number in range(3)]
    await until_idle()
    await resolver.close()
    for request in waiting:
        with pytest.raises(CrawlClosing):
            await maybe_deferred_to_future(request)
    assert len(world.fetches) == 1


@pytest.mark.parametrize("cancelled", [0, 2, 4])
@on_reactor
async def test_a_cancelled_request_does_not_affect_the_others(cancelled):
    world = World([SECRET], gate=Gate())
    resolver = world.resolver()
    waiting = [start(resolver.rules_for(ORIGIN, RFC)) for _ in range(5)]
    await until_idle()
    waiting.pop(cancelled).cancel()
    world.gate.open()
    answers = await all_of(waiting)
    assert [secret(rules) for rules in answers] == [False] * 4
    assert len(world.fetches) == 1


@on_reactor
async def test_a_cancelled_request_waits_no_more():
    world = World([SECRET], gate=Gate())
    resolver = world.resolver()
    gone, other = (start(resolver.rules_for(ORIGIN, RFC)) for _ in range(2))
    await until_idle()
    gone.addErrback(lambda _: None)
    gone.cancel()
    await until_idle()
    assert resolver.waiting()[0] == 1
    world.gate.open()
    await all_of([other])


@on_reactor
async def test_fresh_rules_need_no_wait():
    world = World([SECRET])
    resolver = world.resolver()
    assert resolver.cached(ORIGIN, RFC) is None
    rules = await resolver.rules_for(ORIGIN, RFC)
    assert resolver.cached(ORIGIN, RFC) is rules
    assert world.fetches == [None]


@on_reactor
async def test_one_fetch_serves_every_dialect():
    world = World([FetchResult(429)])
    resolver = world.resolver()
    stances = [(await resolver.rules_for(ORIGIN, d)).mode for d in (RFC, GOOGLE, RFC)]
    assert stances == [AccessMode.ALLOW, AccessMode.DISALLOW, AccessMode.ALLOW]
    assert world.fetches == [None]


CUT = {
    "redirects": FetchResult(301, hops=("http://x/",) * 5, is_cut=True),
    "octets": FetchResult(200, b"#" * (RFC.size_limit + 1), is_cut=True),
}


@pytest.mark.parametrize("cut", CUT)
@on_reactor
async def test_a_dialect_that_reads_more_than_was_fetched_fetches_again(cut):
    more = DIALECTS["original1994"]  # seven redirects, and files of any size
    world = World([CUT[cut], SECRET])
    resolver = world.resolver()
    assert secret(await resolver.rules_for(ORIGIN, RFC))
    assert resolver.cached(ORIGIN, more) is None
    assert not secret(await resolver.rules_for(ORIGIN, more))
    assert not secret(await resolver.rules_for(ORIGIN, RFC))
    assert len(world.fetches) == 2
    assert not world.faults


@pytest.mark.parametrize("cut", CUT)
@on_reactor
async def test_a_shorter_copy_is_used_if_the_whole_file_cannot_be_fetched(cut):
    more = RFC.but("more", size_limit=1 << 62, access=replace(RFC.access, redirects=10))
    world = World([CUT[cut], DOWN], patience=0.0)
    resolver = world.resolver()
    await resolver.rules_for(ORIGIN, RFC)
    rules = await resolver.rules_for(ORIGIN, more)
    assert rules.mode is (AccessMode.DISALLOW if cut == "redirects" else AccessMode.RULES)
    assert len(world.fetches) == 2
    assert not world.faults


@on_reactor
async def test_stale_rules_hold_while_they_are_fetched_again():
    world = World([SECRET, OPEN])
    resolver = world.resolver()
    first = await resolver.rules_for(ORIGIN, RFC)
    world.time = first.access.fresh_until + 1
    world.gate = Gate()
    assert resolver.cached(ORIGIN, RFC).rules is first.rules
    await until_idle()
    assert len(world.fetches) == 2
    assert not secret(await resolver.rules_for(ORIGIN, RFC))
    world.gate.open()
    await until_idle()
    assert secret(resolver.cached(ORIGIN, RFC))
    assert len(world.fetches) == 2


@on_reactor
async def test_stale_rules_are_not_made_anew_for_each_request():
    world = World([SECRET])
    resolver = world.resolver()
    first = await resolver.rules_for(ORIGIN, RFC)
    world.time = first.access.fresh_until + 1
    world.gate = Gate()
    assert all(resolver.cached(ORIGIN, RFC) is first for _ in range(3))


@on_reactor
async def test_stale_rules_hold_if_that_fetch_fails():
    world = World([SECRET, DOWN])
    resolver = world.resolver()
    first = await resolver.rules_for(ORIGIN, RFC)
    world.time = first.access.fresh_until + 1
    resolver.cached(ORIGIN, RFC)
    await until_idle()
    second = resolver.cached(ORIGIN, RFC)
    assert second.access.why == "timeout"
    assert second.rules is first.rules  # the same octets are not parsed again


@on_reactor
async def test_what_is_added_to_a_page_that_went_on_by_stale_rules_makes_no_second_fetch():
    """A second one would be made for a request with another proxy: this one has the same."""
    world = World([OPEN, DOWN])
    resolver = world.resolver()
    resolver.sources.variant = tuple
    first = await resolver.rules_for(ORIGIN, RFC, [])
    world.time, world.gate = first.access.fresh_until + 1, Gate()
    went_on = []
    assert resolver.cached(ORIGIN, RFC, went_on) is first
    went_on.append("User-Agent")
    world.time = first.access.holds_until + 1
    waiting = start(resolver.rules_for(ORIGIN, RFC, []))
    await until_idle()
    world.gate.open()
    await all_of([waiting])
    assert len(world.fetches) == 2


@on_reactor
async def test_rules_are_the_newest_until_another_dialect_has_the_file_fetched_again():
    world = World([OPEN, SECRET])
    resolver = world.resolver()
    long_lived = await resolver.rules_for(ORIGIN, DIALECTS["koster1996"])
    assert not resolver.has_newer(long_lived)
    world.time += 2.5 * 24 * 3600
    newer = await resolver.rules_for(ORIGIN, RFC)
    assert world.time < long_lived.fresh_until
    assert resolver.has_newer(long_lived)
    assert not resolver.has_newer(newer)
    page = await resolver.rules_for("http://another.example", RFC)
    assert resolver.has_newer(page.with_tdmrep(long_lived))


@on_reactor
async def test_requests_wait_if_rules_are_too_old_to_hold():
    world = World([SECRET, OPEN])
    resolver = world.resolver()
    first = await resolver.rules_for(ORIGIN, RFC)
    world.time = first.access.holds_until + 1
    assert resolver.cached(ORIGIN, RFC) is None
    assert secret(await resolver.rules_for(ORIGIN, RFC))


@on_reactor
async def test_a_deferred_request_waits_for_the_next_try():
    world = World([DOWN, DOWN, SECRET])
    resolver = world.resolver()
    began = world.time
    answers = await all_of([start(resolver.rules_for(ORIGIN, DEFERRING)) for _ in range(3)])
    assert [secret(rules) for rules in answers] == [False] * 3
    assert len(world.fetches) == 3
    assert world.time == began + 10 + 20  # the ladder's first wait, and its double
    assert world.learned == [("defer", True), ("defer", True), ("rules", True)]


@on_reactor
async def test_a_request_that_is_deferred_too_long_gets_that_reason():
    world = World([DOWN], patience=100.0)
    resolver = world.resolver()
    rules = await resolver.rules_for(ORIGIN, DEFERRING)
    assert rules.mode is AccessMode.DEFER
    assert not secret(rules)
    assert len(world.fetches) == 4  # after 0, 10, 30 and 70 s; the next try is after 150 s
    assert world.time == 1_000_070.0


@on_reactor
async def test_a_second_resolver_on_the_same_store_defers_too():
    world = World([DOWN, SECRET], patience=5.0)
    assert (await world.resolver().rules_for(ORIGIN, DEFERRING)).mode is AccessMode.DEFER
    began, world.patience = world.time, 600.0
    assert not secret(await world.resolver().rules_for(ORIGIN, DEFERRING))
    assert len(world.fetches) == 2
    assert world.time == began + 10


@on_reactor
async def test_a_second_resolver_on_the_same_store_fetches_nothing_while_rules_are_fresh():
    world = World([SECRET])
    await world.resolver().rules_for(ORIGIN, RFC)
    await until_idle()
    assert not secret(await world.resolver().rules_for(ORIGIN, RFC))
    assert world.fetches == [None]
    assert world.learned == [("rules", True), ("rules", False)]


@on_reactor
async def test_a_stale_stored_entry_is_used_while_it_is_fetched_again():
    world = World([SECRET, OPEN])
    first = await world.resolver().rules_for(ORIGIN, RFC)
    await until_idle()
    world.time = first.access.fresh_until + 1
    world.gate = Gate()
    second = world.resolver()
    assert not secret(await second.rules_for(ORIGIN, RFC))
    assert world.fetches[1].octets == SECRET.octets  # so that the fetch can be conditional
    world.gate.open()
    await until_idle()
    assert secret(second.cached(ORIGIN, RFC))


@on_reactor
async def test_a_store_that_fails_is_a_miss():
    world = World([SECRET])
    world.store = GuardedStore(BrokenStore(), _Events(world), now=lambda: world.time)
    resolver = world.resolver()
    assert not secret(await resolver.rules_for(ORIGIN, RFC))
    await resolver.close()
    assert world.faults == ["get: locked", "close: gone"]


@on_reactor
async def test_a_fault_in_the_fetch_counts_as_unreachable():
    world = World([RuntimeError("a bug"), SECRET])
    resolver = world.resolver()
    rules = await resolver.rules_for(ORIGIN, RFC)
    assert rules.mode is AccessMode.DISALLOW
    assert rules.access.why == "RuntimeError while fetching"
    assert world.faults == [f"{ORIGIN}: a bug"]
    world.time = rules.access.fresh_until
    assert (await resolver.rules_for(ORIGIN, RFC)).mode is AccessMode.RULES


@on_reactor
async def test_robots_txt_itself_is_allowed_if_nothing_else_is():
    rules = await World([DOWN]).resolver().rules_for(ORIGIN, RFC)
    answers = {path: rules.allowed(ORIGIN + path, "bot") for path in ("/robots.txt", "/", "/a")}
    assert answers == {"/robots.txt": True, "/": False, "/a": False}
    for path, allowed in answers.items():
        assert rules.verdict(ORIGIN + path, "bot").allowed is allowed


@on_reactor
async def test_results_are_stored_at_the_close():
    class SlowStore(MemoryStore):
        async def put(self, origin, record):
            await until_idle()
            await super().put(origin, record)

    world = World([SECRET], store=SlowStore())
    resolver = world.resolver()
    await resolver.rules_for(ORIGIN, RFC)
    await resolver.close()
    assert (await world.store.get(ORIGIN)).octets == SECRET.octets


WWW = "https://www.example.com"
FOUND = replace(SECRET, hops=(f"{WWW}/robots.txt",))


@pytest.mark.parametrize(
    ("outcome", "shared"),
    [
        (FOUND, True),
        (replace(FOUND, octets=b""), True),
        (replace(FOUND, hops=("http://x/", f"{WWW}:443/robots.txt")), True),
        (replace(FOUND, hops=(f"{WWW}/robots.txt?1",)), False),
        (replace(FOUND, hops=(f"{WWW}/user/robots.txt",)), False),
        (replace(FOUND, hops=(f"{WWW}/robots.txt", f"{WWW}/r")), False),
        (replace(FOUND, status=404), False),
        (replace(FOUND, status=302), False),
        (SECRET, False),
    ],
)
@on_reactor
async def test_the_target_of_redirects_gets_an_entry_if_it_is_a_robots_txt(outcome, shared):
    world = World([outcome])
    await world.resolver().rules_for(ORIGIN, RFC)
    await until_idle()
    record = await world.store.get(WWW)
    assert (record is not None) is shared
    if record is not None:
        assert (record.octets, record.latest.hops) == (outcome.octets, ())
        assert (await world.resolver().rules_for(WWW, RFC)).mode is AccessMode.RULES
        assert world.fetches == [None]


@on_reactor
async def test_the_users_overrides_are_stronger_than_the_dialect():
    world = World([SECRET, DOWN], overrides=AccessOverrides(lifetime=5.0))
    rules = await world.resolver().rules_for(ORIGIN, RFC)
    assert rules.access.fresh_until == world.time + 5.0


@on_reactor
async def test_the_age_of_stale_rules_is_reported():
    world = World([SECRET, DOWN, OPEN])
    resolver = world.resolver()
    first = await resolver.rules_for(ORIGIN, RFC)
    for _ in range(2):
        world.time += 24 * 3600
        resolver.cached(ORIGIN, RFC)
        await until_idle()
    assert world.ages == [24 * 3600, 48 * 3600]
    assert first.access.entry.octets == SECRET.octets
    world.time += 60
    await world.resolver().rules_for(ORIGIN, RFC)
    assert world.lookups == [False, True]
    assert world.ages[2:] == [60]


@on_reactor
async def test_rules_that_are_too_old_to_be_obeyed_have_no_age():
    """Nothing was asked of the site for long, in this crawl or since the one before."""
    world = World([SECRET])
    first = world.resolver()
    for resolver in (first, first, world.resolver()):
        rules = await resolver.rules_for(ORIGIN, RFC)
        await until_idle()
        world.time = rules.access.holds_until
    assert len(world.fetches) == 3
    assert world.ages == []


@on_reactor
async def test_the_age_is_that_of_what_is_obeyed_not_of_a_copy_that_is_not():
    world = World([SECRET, DOWN])
    resolver = world.resolver()
    await resolver.rules_for(ORIGIN, GOOGLE)
    world.time += 48 * 3600.0
    closed = await resolver.rules_for(ORIGIN, GOOGLE)
    assert closed.mode is AccessMode.DISALLOW
    await until_idle()
    world.time += 5.0
    await world.resolver().rules_for(ORIGIN, GOOGLE)
    assert world.ages == [5.0]


@pytest.mark.parametrize("then", [DOWN, RuntimeError("a bug")])
@pytest.mark.parametrize(
    ("page_answers", "stance"),
    [
        ([], AccessMode.DISALLOW),
        ([True], AccessMode.ALLOW),
        ([False], AccessMode.DISALLOW),
        ([True, False], AccessMode.DISALLOW),
        ([False, True], AccessMode.ALLOW),
    ],
)
@on_reactor
async def test_after_30_days_google_asks_whether_pages_are_answered(page_answers, stance, then):
    world = World([DOWN, then])
    resolver = world.resolver()
    await resolver.rules_for(ORIGIN, GOOGLE)
    for answers in page_answers:
        resolver.note_reachability(ORIGIN, answers=answers)
    for _ in range(31):
        world.time += 24 * 3600.0
        await resolver.rules_for(ORIGIN, GOOGLE)
        await until_idle()
    for _ in range(2):  # what is learned of pages holds on from try to try
        world.time += 3600
        assert (await resolver.rules_for(ORIGIN, GOOGLE)).mode is stance
    assert resolver.note_reachability("http://unknown.example", answers=True) is None


FAST_CLOCK = ["use: an entry that is 61 s ahead of this machine's clock"]


@pytest.mark.parametrize(
    ("ahead", "fetches", "faults"), [(MAX_SKEW - 1, 0, []), (MAX_SKEW + 1, 1, FAST_CLOCK)]
)
@on_reactor
async def test_a_stored_entry_of_the_future_is_not_used_and_is_reported(ahead, fetches, faults):
    """Another machine's clock may be ahead by some seconds, and no more."""
    world = World([SECRET])
    entry = CacheEntry(FetchResult(200), world.time + ahead, b"", world.time + ahead)
    await world.store.put(ORIGIN, entry)
    await world.resolver().rules_for(ORIGIN, RFC)
    assert (len(world.fetches), world.faults) == (fetches, faults)


@on_reactor
async def test_who_waited_for_a_file_gets_it_however_long_its_receivers_take():
    """With a lifetime of 0 it would be fetched again and again, and its pages wait for ever."""
    overrides = AccessOverrides(lifetime=0.0)
    world = World([SECRET, OSError("fetched again")], overrides=overrides)
    resolver = world.resolver()

    async def parsed(*_):
        world.time += MIN_LIFE + 1

    resolver.events.on_learned = parsed
    rules = await resolver.rules_for(ORIGIN, RFC)
    assert not rules.allowed(f"{ORIGIN}/secret", "x")
    assert len(world.fetches) == 1


@pytest.mark.parametrize(("sockets", "in_haste"), [(1, True), (2, False)])
@on_reactor
async def test_a_fetch_is_in_haste_while_more_than_half_of_the_sockets_are_taken(sockets, in_haste):
    world, orders = World([SECRET], max_fetches=1), []
    resolver = world.resolver()
    resolver.sources.gate.sockets = sockets
    fetch = resolver.sources.fetch

    async def noted(order):
        orders.append(order)
        return await fetch(order)

    resolver.sources.fetch = noted
    await resolver.rules_for(ORIGIN, RFC)
    assert [order.in_haste for order in orders] == [in_haste]
