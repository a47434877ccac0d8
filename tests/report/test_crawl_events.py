"""The log lines and the counts of a crawl: see also test_policy_middleware.py."""

from __future__ import annotations

import logging
from datetime import datetime, timezone

import pytest
from pydispatch import dispatcher
from scrapy.utils.test import get_crawler

from scrapy_robots_policy import compat
from scrapy_robots_policy.rep import DIALECTS, CacheEntry, FetchResult, tdmrep
from scrapy_robots_policy.rep.access_policy import AccessOverrides
from scrapy_robots_policy.rep.delay_limit import Delay
from scrapy_robots_policy.rep.documents import TDMREP, key_of
from scrapy_robots_policy.report.counts import CrawlCounts
from scrapy_robots_policy.report.crawl_events import CrawlEvents
from scrapy_robots_policy.report.trouble_log import MAX_LINES
from scrapy_robots_policy.resolver.events import Source
from scrapy_robots_policy.resolver.origin import OriginState, rules_given
from tests.on_reactor import on_reactor

HERE, ELSEWHERE, BEYOND = (f"https://{host}.example" for host in ("here", "elsewhere", "beyond"))


@pytest.fixture
def events():
    """The events of a crawl whose report has room for two origins; all others share one entry."""
    return CrawlEvents(get_crawler(), CrawlCounts(max_origins=2), lambda: None, lambda rules: rules)


def log_delay(events, origin, seconds):
    delay = Delay(seconds, seconds, "kept") if seconds else Delay()
    rules = rules_given(origin, DIALECTS["rfc9309"], b"")
    events.on_rules(rules, "Bot", delay)


def test_what_a_site_says_about_use_is_noted_for_the_crawler_that_asked(events):
    text = b"User-agent: *\nAllow: /\n\nUser-agent: Bot\nContent-Usage: train-ai=n\n"
    rules = rules_given(HERE, DIALECTS["rfc9309"], text)
    events.on_rules(rules, "OtherBot", Delay())
    assert events.counts.of(HERE).usage == ()
    events.on_rules(rules, "Bot", Delay())
    assert events.counts.of(HERE).usage == ("Content-Usage: train-ai=n",)


def test_a_delay_is_logged_when_it_is_new_and_when_it_changes(events, caplog):
    caplog.set_level(logging.DEBUG, "scrapy_robots_policy")
    for seconds in (2.0, 2.0, 3.0, 0.0, 3.0):
        log_delay(events, HERE, seconds)
    assert len(caplog.records) == 3
    assert events.crawler.stats.get_value("robots/crawl_delay/kept") == 3
    assert events.counts.of(HERE).delay == 3.0


def test_origins_that_share_an_entry_have_no_delay_there(events, caplog):
    caplog.set_level(logging.DEBUG, "scrapy_robots_policy")
    for origin in (HERE, ELSEWHERE, BEYOND):
        log_delay(events, origin, 2.0)
    delays = {counts.origin: counts.delay for counts in events.counts.origins}
    assert delays == {HERE: 2.0, ELSEWHERE: 2.0, "all others": 0.0}
    assert len(caplog.records) == 2


def raised(function):
    """The exception that a function raises."""
    with pytest.raises(KeyError) as error:
        function()
    return error.value


def test_each_fault_is_an_error_once_however_many_origins_it_meets(events, caplog):
    caplog.set_level(logging.DEBUG, "scrapy_robots_policy")

    def one():
        raise KeyError("one")

    def other():
        raise KeyError("other")

    for fault in (one, other, one, other):
        events.on_fault(HERE, raised(fault))
    assert [line.levelname for line in caplog.records] == ["ERROR", "ERROR", "DEBUG", "DEBUG"]


def test_the_stat_of_the_oldest_copy_is_a_whole_number(events):
    for age in (12.5, 11.5, 13.75):
        events.on_obeyed(HERE, age)
    events.on_obeyed(key_of(HERE, TDMREP), 99.0)
    assert repr(events.crawler.stats.get_value("robots/age/max")) == "13"


@pytest.mark.slow
def test_a_store_that_fails_now_and_then_has_warnings_for_the_first_times_only(events, caplog):
    caplog.set_level(logging.DEBUG, "scrapy_robots_policy")
    for _ in range(1_000):
        events.on_lost("redis.example", "OutOfMemoryError")
        events.on_regained("redis.example")
    levels = [record.levelname for record in caplog.records]
    assert levels == ["WARNING", "INFO"] * MAX_LINES + ["DEBUG"] * 2 * (1_000 - MAX_LINES)
    assert events.crawler.stats.get_value("robots/store/lost") == 1_000


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        (Source.SITE, ""),
        (Source.STORE, "; from the store, as of 2026-11-27 02:09:04 UTC, fresh for 10 s"),
        (Source.FLEET, ""),
        (Source.CACHE, ""),
    ],
)
@on_reactor
async def test_the_log_says_how_old_an_answer_of_the_store_is(events, source, kept, caplog):
    state = OriginState(HERE, AccessOverrides())
    asked_at = datetime(2026, 11, 27, 2, 9, 4, tzinfo=timezone.utc).timestamp()
    state.entry = state.remember(FetchResult(503), asked_at)
    await events.on_learned(state.rules(DIALECTS["rfc9309"], asked_at + 5), None, source)
    (line,) = caplog.messages
    assert line == f"robots.txt of {HERE}: 503, nothing is allowed (rfc9309{kept})"


# What the next tries of three origins that share an entry bring, one after the other, and how many
# of the origins are in trouble by their own lines or in the sum.
TRIES = {
    "all close at once": ([[503, 503, 503]], 3),
    "they go on failing": ([[503, 404, 503], [503, 404, 503], [503, 404, 503]], 2),
    "one closes again": ([[503, 404, 404], [404, 404, 404], [503, 404, 404]], 2),
}


@pytest.mark.parametrize("case", TRIES)
@on_reactor
async def test_each_origin_that_closes_is_counted_once_where_several_share_an_entry(events, case):
    tries, in_trouble = TRIES[case]
    for origin in (HERE, ELSEWHERE):
        events.counts.of(origin)
    states = [OriginState(f"{BEYOND}:{port}", AccessOverrides()) for port in range(1, 4)]
    for now, statuses in enumerate(tries):
        for state, status in zip(states, statuses, strict=True):
            state.entry = state.remember(FetchResult(status), float(now))
            await events.on_learned(state.rules(DIALECTS["rfc9309"], now), None, Source.SITE)
    assert events.trouble.lines == in_trouble
    shared = events.counts.of(BEYOND)
    assert (shared.mode, shared.why, shared.trouble) == ("", "", False)


def test_a_tdmrep_json_that_is_forbidden_is_not_counted_for_each_page_beyond_the_origins(events):
    for origin in (HERE, ELSEWHERE):
        events.counts.of(origin)
    for page in range(10):
        events.counts.of(BEYOND).tdmrep = f"404 of another origin, before page {page}"
        events.on_tdmrep_forbidden(BEYOND)
    assert not events.crawler.stats.get_value("robots/tdmrep/forbidden")


@on_reactor
async def test_a_tdmrep_json_that_is_allowed_again_is_reported_as_it_was(events):
    entry = CacheEntry(FetchResult(200), 0.0, b"[]", 0.0)
    reserved = OriginState(key_of(HERE, TDMREP), AccessOverrides(), entry).rules(
        tdmrep.DIALECT, 0.0
    )
    await events.on_learned(reserved, None, Source.SITE)
    for report in (events.on_tdmrep_forbidden, lambda _: events.on_tdmrep_allowed(reserved)):
        report(HERE)
        report(HERE)
    assert events.counts.of(HERE).tdmrep == "200"
    assert events.crawler.stats.get_value("robots/tdmrep/forbidden") == 1


RECEIVERS = {
    "none": ([], False),
    "one of this signal": ([("crawl", "parsed")], True),
    "one of another signal": ([("crawl", "closed")], False),
    "one in another crawl": ([("other crawl", "parsed")], False),
    "one of all signals": ([("crawl", dispatcher.Any)], True),
    "one in all crawls": ([(dispatcher.Any, "parsed")], True),
    "one of everything": ([(dispatcher.Any, dispatcher.Any)], True),
}


@pytest.mark.parametrize("connected", RECEIVERS)
def test_a_signal_has_receivers_while_one_is_connected(connected):
    crawls = {"crawl": get_crawler(), "other crawl": get_crawler()}
    has_some = compat.has_receivers(crawls["crawl"], "parsed")
    links, is_heard = RECEIVERS[connected]

    def receive():
        """Nobody sends."""

    for where, signal in links:
        sender = crawls[where].signals.sender if where in crawls else where
        dispatcher.connect(receive, signal, sender)
        assert compat.has_receivers(crawls["crawl"], "parsed") is is_heard
        dispatcher.disconnect(receive, signal, sender)
    assert [has_some, compat.has_receivers(crawls["crawl"], "parsed")] == [False, False]


def test_where_nobody_knows_the_receivers_of_a_signal_it_is_sent(monkeypatch):
    crawler = get_crawler()
    monkeypatch.delattr("scrapy.signalmanager.dispatcher")  # as with signals of another library
    assert compat.has_receivers(crawler, "parsed")
