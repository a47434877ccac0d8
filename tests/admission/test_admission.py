"""What must be true of a request that is decided at once: all that decides about it is known."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from scrapy import Request

from scrapy_robots_policy.admission.admission import Admission
from scrapy_robots_policy.admission.crawl_policy import CrawlPolicy
from scrapy_robots_policy.admission.decider import Decider
from scrapy_robots_policy.admission.delay_queue import Asker
from scrapy_robots_policy.admission.delay_queues import DelayQueues
from scrapy_robots_policy.config.request_config import RequestConfig
from scrapy_robots_policy.rep import DIALECTS, CacheEntry, FetchResult, tdmrep
from scrapy_robots_policy.rep.access_policy import AccessOverrides
from scrapy_robots_policy.rep.delay_limit import DelayLimit
from scrapy_robots_policy.rep.preference import NO_USE
from scrapy_robots_policy.resolver.origin import OriginState
from scrapy_robots_policy.stores import ALONE
from tests.admission.test_delay_queue import Clock
from tests.on_reactor import on_reactor, start, until_idle

ORIGIN = "http://example.com"
ASKER = Asker(ORIGIN, "bot", "seznam")
CONFIG = RequestConfig(DIALECTS["seznam"], "bot")
PAGE = Request(f"{ORIGIN}/page")
NOON = 12 * 3600.0  # of 1 January 1970, UTC


def rules_of(octets, key=ORIGIN, at=NOON):
    entry = CacheEntry(FetchResult(200), at, octets, at)
    dialect = CONFIG.dialect if key == ORIGIN else tdmrep.DIALECT
    return OriginState(key, AccessOverrides(), entry).rules(dialect, at)


def admission(known, *, dry_run=False, clock=None):
    """With the rules that are known, by origin."""
    clock = clock or Clock(NOON)
    delays = DelayQueues(ALONE, clock.now, clock.call_later)
    policy = CrawlPolicy(DelayLimit(), NO_USE, 600.0)
    engine = SimpleNamespace(slot_key=lambda _: "slot")
    return Admission(
        SimpleNamespace(),
        SimpleNamespace(
            cached=lambda _, origin, __: known.get(origin), needs_tdmrep=lambda *_: False
        ),
        SimpleNamespace(),
        SimpleNamespace(engine=engine, in_slots=tuple, watch_visits=lambda: None),
        delays,
        Decider(policy, None, None, clock.now, None, dry_run=dry_run),
        None,
        clock.now,
    )


@pytest.mark.parametrize(
    ("robots", "must_wait"),
    [
        (b"", False),
        (b"User-agent: *\nRequest-rate: 1/10", True),
        (b"User-agent: *\nRequest-rate: 1/1 1300-1400", True),
        (b"User-agent: *\nVisit-time: 1300-1400", True),
        (b"User-agent: *\nVisit-time: 1100-1400", False),
    ],
)
def test_a_request_waits_for_its_turn_and_for_the_visit_time(robots, must_wait):
    assert admission({}).must_wait(PAGE, rules_of(robots), CONFIG) is must_wait


def test_a_request_without_a_delay_waits_in_the_slot_of_one_that_has_one():
    one = admission({})
    assert one.must_wait(PAGE, rules_of(b"User-agent: *\nRequest-rate: 1/10"), CONFIG)
    another = OriginState(
        "http://another", AccessOverrides(), CacheEntry(FetchResult(200), NOON, b"", NOON)
    ).rules(CONFIG.dialect, NOON)
    assert one.must_wait(Request("http://another/page"), another, CONFIG)


@pytest.mark.parametrize(
    ("robots", "may_go"), [(b"", True), (b"User-agent: *\nRequest-rate: 1/1", False)]
)
def test_a_request_without_a_turn_does_not_go_where_newer_rules_ask_for_a_delay(robots, may_go):
    assert admission({})._may_go(PAGE, rules_of(robots), CONFIG, None) is may_go


def test_a_dry_run_waits_for_no_visit_time():
    closed = rules_of(b"User-agent: *\nVisit-time: 1300-1400")
    assert not admission({}, dry_run=True).must_wait(PAGE, closed, CONFIG)


@pytest.mark.parametrize(
    ("robots", "slot", "may_go"),
    [
        (b"User-agent: *\nRequest-rate: 1/10", "slot", True),
        (b"User-agent: *\nRequest-rate: 1/20", "slot", False),  # the new delay is not over
        (b"User-agent: *\nRequest-rate: 1/10\nVisit-time: 1300-1400", "slot", False),
        (b"", "slot", True),
        (b"User-agent: *\nRequest-rate: 1/10", "another slot", False),
    ],
)
def test_a_request_with_a_turn_goes_where_newer_rules_ask_for_that_turn_or_for_none(
    robots, slot, may_go
):
    clock = Clock(NOON)
    one = admission({}, clock=clock)
    turn_in = one.delays.queue("slot", ASKER, 10.0, since_visit=0.0)
    if slot != "slot":
        turn_in = one.delays._open(slot)
    clock.time += 10.0
    assert one._may_go(PAGE, rules_of(robots, at=clock.time), CONFIG, turn_in) is may_go


@pytest.mark.parametrize("is_saturated", [True, False])
def test_a_request_that_passes_at_once_lets_the_engine_take_another_one(is_saturated):
    one, passed = admission({}), []
    one.concurrency.is_saturated = is_saturated
    one.concurrency.took_from_idle_host = lambda: passed.append("another")
    one.decider.refuse_if_forbidden = lambda *_: None
    one.decider.let_pass = lambda *_: passed.append("this")
    assert one.decide_or_put_back(PAGE, rules_of(b""), CONFIG) is None
    assert passed == (["another"] if is_saturated else []) + ["this"]


class Way:
    """The way of one request. While it waits for a place, the next one of `events` happens."""

    def __init__(self, *events, fetched=None):
        self.clock, self.events, self.known = Clock(NOON), list(events), {}
        self.fetched, self.judged, self.passed = fetched, [], []
        self.admission = admission(self.known, clock=self.clock)
        self.admission.resolver.rules_for = self.fetch
        self.admission.resolver.has_newer = lambda rules: self.known.get(ORIGIN, rules) is not rules
        self.admission.concurrency.lend = lambda _: nullcontext()
        self.admission.concurrency.lend_again = lambda _: None
        self.admission.concurrency.reacquire = self.wait_for_a_place
        self.admission.counts = SimpleNamespace(hold=lambda *_: None, wait=lambda *_: None)
        self.admission.decider.refuse_if_forbidden = lambda _, rules, *_more: self.judged.append(
            rules
        )
        self.admission.decider.let_pass = lambda _, rules, *_more: self.passed.append(rules)

    async def wait_for_a_place(self, _request):
        if self.events:
            self.events.pop(0)(self)

    async def fetch(self, *_):
        return self.fetched

    def go(self, rules):
        return start(self.admission.admit(PAGE, ORIGIN, CONFIG, rules))


@on_reactor
async def test_rules_that_are_fresh_are_not_fetched_again_though_the_cache_forgot_them():
    way, rules = Way(), rules_of(b"")
    way.go(rules)
    await until_idle()
    assert way.passed == [rules]


@on_reactor
async def test_newer_rules_decide_about_a_request_that_waited_though_its_own_are_fresh():
    """For a dialect with a shorter lifetime the file may be fetched meanwhile."""
    rules, newer = rules_of(b""), rules_of(b"User-agent: *\nDisallow: /page")
    way = Way(lambda way: way.known.update({ORIGIN: newer}))
    way.go(rules)
    await until_idle()
    assert way.judged == [rules, newer]
    assert way.passed == [newer]


@on_reactor
async def test_rules_that_were_fetched_once_for_a_request_are_not_used_when_they_are_too_old():
    """Newer rules bring a delay. In the queue the request waits until these are too old, too."""
    rules, delay = rules_of(b""), b"User-agent: *\nRequest-rate: 1/10"

    def a_delay_comes(way):
        way.clock.time = rules.fresh_until
        way.known[ORIGIN] = rules_of(delay, at=way.clock.time)

    def all_is_too_old(way):
        way.clock.time = way.known.pop(ORIGIN).fresh_until

    way = Way(a_delay_comes, all_is_too_old, fetched=rules_of(b"", at=NOON + 3e5))
    way.go(rules)
    await until_idle()
    assert way.passed == []  # it is in the queue
    await way.clock.forward(10.0)
    assert way.events == []
    assert way.passed == [way.fetched]
