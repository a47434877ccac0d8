"""What must be true of the rules that an entry gives, as time passes and entries change."""

from __future__ import annotations

import json

import pytest
from twisted.internet.defer import CancelledError, Deferred

from scrapy_robots_policy.fetch import order
from scrapy_robots_policy.rep import DIALECTS, AccessMode, CacheEntry, FetchResult, tdmrep
from scrapy_robots_policy.rep.access_policy import AccessOverrides
from scrapy_robots_policy.rep.dialects.dialect import NO_LIMIT
from scrapy_robots_policy.rep.documents import TDMREP, key_of
from scrapy_robots_policy.resolver.origin import MAX_AGENTS, OriginState, Waiter

ORIGIN = "http://example.com"
KEY = key_of(ORIGIN, TDMREP)
PAGE = f"{ORIGIN}/page"
HOUR = 3600.0
RFC, GOOGLE = DIALECTS["rfc9309"], DIALECTS["google"]


def state(key=ORIGIN, octets=b""):
    entry = CacheEntry(FetchResult(200), 0.0, octets, 0.0)
    return OriginState(key, AccessOverrides(), entry)


def tdmrep_of(*reservations):
    return json.dumps([{"location": "/*", "tdm-reservation": one} for one in reservations]).encode()


def reservations(state):
    return [one.value for one in state.rules(tdmrep.DIALECT, 1.0).reservations.preferences(PAGE)]


def test_an_entry_means_something_else_when_time_has_passed():
    failing = CacheEntry(FetchResult(503), 0.0, b"", -25 * HOUR, 0.0, 1)
    failed = OriginState(ORIGIN, AccessOverrides(), failing)
    modes = [failed.rules(GOOGLE, hours * HOUR).mode for hours in (1, 11, 13)]
    assert modes == [AccessMode.DISALLOW, AccessMode.DISALLOW, AccessMode.RULES]


def test_whether_a_site_answers_is_remembered_until_it_is_known_anew():
    """A store, or another process, has seen an answer. In this crawl no page was asked for yet."""
    before = FetchResult(None, cause="timeout", site_answers=True)
    failing = OriginState(ORIGIN, AccessOverrides(), CacheEntry(before, 0.0))
    failed = FetchResult(None, cause="timeout")
    assert failing.remember(failed, HOUR).latest.site_answers is True
    failing.answers = False
    assert failing.remember(failed, HOUR).latest.site_answers is False


@pytest.mark.parametrize("end_of_line", ["\n", "\r", "\r\n"])
def test_of_a_line_that_a_fetch_has_cut_nothing_is_read(monkeypatch, end_of_line):
    """Where a dialect has no limit of its own. "Allow: /a/b" is cut to a rule that opens more."""
    free = RFC.but("free", size_limit=NO_LIMIT)
    lines = end_of_line.join(["User-agent: *", "Disallow: /z", "Allow: /a/b"])
    limit = len(lines) - len("/b")
    monkeypatch.setattr(order, "MAX_OCTETS", limit)
    cut, whole = (state(octets=lines.encode()[:end]) for end in (limit + 1, limit))
    paths = [
        [rule.path for rule in one.rules(free, 1.0).rules.group("bot").rules]
        for one in (cut, whole)
    ]
    assert paths == [["/z"], ["/z", "/a"]]


def test_the_delays_that_are_kept_for_one_file_are_bounded_in_number():
    rules = state(octets=b"User-agent: *\nCrawl-delay: 1").rules(RFC, 1.0)
    for number in range(3 * MAX_AGENTS):
        rules.pace(f"bot{number}")
    assert len(rules._pace) <= MAX_AGENTS


def test_a_new_tdmrep_json_is_read_anew():
    document = state(KEY, tdmrep_of(1))
    assert reservations(document) == ["1"]
    document.entry = state(KEY, tdmrep_of(0)).entry
    assert reservations(document) == ["0"]


def test_what_a_tdmrep_json_takes_is_counted():
    document = state(KEY, tdmrep_of(*[1] * 1000))
    before = document.octets
    document.rules(tdmrep.DIALECT, 1.0)
    assert document.octets > before + 1000


def test_rules_are_joined_with_the_newest_tdmrep_json_and_live_no_longer_than_it():
    rules = state().rules(RFC, 1.0)
    for reservation, lifetime in ((1, 5.0), (0, 7.0)):
        document = state(KEY, tdmrep_of(reservation))
        document.overrides = AccessOverrides(lifetime=lifetime)
        own = document.rules(tdmrep.DIALECT, 1.0)
        joined = rules.with_tdmrep(own)
        assert [one.value for one in joined.reserved(PAGE)] == [str(reservation)]
        assert joined.fresh_until == lifetime < rules.fresh_until
        assert rules.with_tdmrep(own) is joined.with_tdmrep(own) is joined


def test_a_request_that_goes_on_at_once_may_cancel_another_one_that_waits():
    origin = state()
    first, second = (Waiter(Deferred(), page) for page in "ab")
    origin.waiters += [first, second]
    second.news.addErrback(lambda failure: failure.trap(CancelledError))
    first.news.addCallback(lambda _: second.news.cancel())
    origin.wake()
    assert second.news.called
    assert not origin.waiters
