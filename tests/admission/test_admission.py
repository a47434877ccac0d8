"""What must be true of a request that is decided at once: all that decides about it is known."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from scrapy import Request

from scrapy_robots_policy.admission.admission import Admission
from scrapy_robots_policy.admission.crawl_policy import CrawlPolicy
from scrapy_robots_policy.admission.delay_queues import DelayQueues
from scrapy_robots_policy.config.request_config import RequestConfig
from scrapy_robots_policy.rep import DIALECTS, CacheEntry, FetchResult, tdmrep
from scrapy_robots_policy.rep.access import AccessOverrides
from scrapy_robots_policy.rep.delay_limit import DelayLimit
from scrapy_robots_policy.rep.documents import TDMREP, key_of
from scrapy_robots_policy.rep.preference import NO_USE, DeclaredUse
from scrapy_robots_policy.resolver.origin import OriginState
from scrapy_robots_policy.stores import ALONE
from tests.admission.test_delay_queue import Clock

ORIGIN = "http://example.com"
KEY = key_of(ORIGIN, TDMREP)
CONFIG = RequestConfig(DIALECTS["seznam"], "bot")
PAGE = Request(f"{ORIGIN}/page")
NOON = 12 * 3600.0  # of 1 January 1970, UTC
TRAINING = DeclaredUse(frozenset({"train-ai"}))
RESERVED = b'[{"location": "/*", "tdm-reservation": 1}]'


def rules_of(octets, key=ORIGIN):
    entry = CacheEntry(FetchResult(200), NOON, octets, NOON)
    dialect = CONFIG.dialect if key == ORIGIN else tdmrep.DIALECT
    return OriginState(key, AccessOverrides(), entry).rules(dialect, NOON)


def admission(known, use=NO_USE):
    """One that knows these files by their keys."""
    clock = Clock(NOON)
    delays = DelayQueues(ALONE, clock.now, clock.call_later)
    policy = CrawlPolicy(DelayLimit(), use, 600.0)
    engine = SimpleNamespace(slot_key=lambda _: "slot")
    return Admission(
        SimpleNamespace(signals=SimpleNamespace(connect=lambda *_: None)),
        SimpleNamespace(cached=lambda key, *_: known.get(key)),
        SimpleNamespace(engine=engine),
        delays,
        SimpleNamespace(policy=policy, dry_run=False),
        None,
        SimpleNamespace(on_tdmrep_forbidden=lambda _: None),
        clock.now,
    )


@pytest.mark.parametrize(
    ("robots", "use", "needs_tdmrep"),
    [
        (b"", TRAINING, True),
        (b"", NO_USE, False),
        (b"", DeclaredUse(frozenset({"search"})), False),
        (b"User-agent: *\nDisallow: /page", TRAINING, False),
        (b"User-agent: *\nDisallow: /.well-known/", TRAINING, False),
    ],
)
def test_a_request_waits_for_the_tdmrep_json_that_may_decide_about_it(robots, use, needs_tdmrep):
    rules = rules_of(robots)
    known = {ORIGIN: rules}
    before = admission(known, use).cached(PAGE, ORIGIN, CONFIG)
    assert before is (None if needs_tdmrep else rules)
    known[KEY] = rules_of(RESERVED, KEY)
    after = admission(known, use).cached(PAGE, ORIGIN, CONFIG)
    assert bool(after.reserved(PAGE.url)) is needs_tdmrep


@pytest.mark.parametrize("own", [{"obey": False, "robots_txt": b""}, {"robots_txt": b""}])
def test_what_the_user_has_set_for_a_host_needs_no_file_of_it(own):
    config = RequestConfig(CONFIG.dialect, "bot", **own)
    assert admission({}).cached_robots_txt(PAGE, ORIGIN, config).allowed(PAGE.url, "bot")
    if "obey" in own:
        assert admission({}, TRAINING).cached(PAGE, ORIGIN, config).tdmrep is None


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
