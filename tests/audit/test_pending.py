"""What must be true of events that are taken down: lines come soon, in order, and unchanged."""

from __future__ import annotations

import pytest
from scrapy import Request

from scrapy_robots_policy.audit import pending
from scrapy_robots_policy.audit.fields import seconds_of
from scrapy_robots_policy.audit.pending import MAX_PENDING, Pending
from scrapy_robots_policy.config import RequestConfig
from scrapy_robots_policy.fetch.exchange import Exchange
from scrapy_robots_policy.rep import DIALECTS, Origin
from scrapy_robots_policy.rep.access import remember
from scrapy_robots_policy.rep.use_answer import UseAnswer
from scrapy_robots_policy.resolver.events import Source
from scrapy_robots_policy.resolver.origin import OriginState
from tests.audit.records import (
    HERE,
    RULES,
    URLS,
    Recording,
    Timer,
    check,
    decisions_in,
    lines_in,
    served,
)

BEFORE = ["crawl", "dialect", "robots"]  # the first decision


@pytest.fixture
def path(tmp_path):
    return tmp_path / "audit.jsonl"


@pytest.fixture
def recording(path):
    return Recording(path, {HERE: served(RULES)})


def kinds(path):
    return [line["type"] for line in lines_in(path)]


def test_a_decision_is_on_the_disk_within_a_second_without_another_request(recording, path):
    recording.decide(URLS[0])
    recording.decide(URLS[1])
    ((seconds, _),) = recording.timer.calls
    assert seconds < 1
    recording.timer.fire()
    assert len(decisions_in(path)) == 2
    assert recording.timer.calls == []
    recording.decide(URLS[0])
    recording.timer.fire()
    assert len(decisions_in(path)) == 3


def learn(recording):
    """A robots.txt of another site comes."""
    there = Origin("https://there.example")
    entry = remember(None, served(RULES), recording.now)
    state = OriginState(there, recording.settings.access_overrides, entry)
    recording.recorder.on_learned(
        state.rules(recording.default.dialect, recording.now), Source.SITE
    )


def exempt(recording):
    recording.recorder.on_exempt(Request(URLS[0]), "for a test")


def page(recording):
    recording.recorder.on_page(URLS[0], UseAnswer())


@pytest.mark.parametrize(
    ("event", "kind"), [(learn, "robots"), (exempt, "decision"), (page, "page")]
)
def test_lines_stand_in_the_order_of_the_events_with_their_times(recording, path, event, kind):
    began = recording.now
    for step in (lambda _: recording.decide(URLS[0]), event, lambda _: recording.decide(URLS[1])):
        recording.now += 1
        step(recording)
    recording.now += 1
    recording.close()
    assert kinds(path) == [*BEFORE, "decision", kind, "decision", "end"]
    at = [seconds_of(line["at"]) - began for line in lines_in(path) if "at" in line]
    expected = [1, 3, 4] if kind == "robots" else [1, 2, 3, 4]
    assert at == pytest.approx(expected, abs=0.001)
    checked, differences = check(path)
    assert (checked.errors, checked.notes, differences) == ([], [], [])


def test_a_robots_txt_does_not_wait_in_memory_and_is_flushed_within_a_second(recording, path):
    lines = recording.recorder.writer.lines
    learn(recording)
    assert recording.recorder.writer.lines == lines + 2  # its dialect, and itself
    recording.timer.fire()
    assert kinds(path) == BEFORE


def test_exchanges_belong_to_the_fetch_that_they_brought(recording, path):
    """A decision may come while the robots.txt is fetched anew."""
    exchange = Exchange("https://here.example/robots.txt", 1.0, 2.0, 200, "", {}, {})
    recording.decide(URLS[0])
    recording.recorder.on_exchange(HERE, exchange)
    recording.timer.fire()
    recording.recorder.on_learned(
        recording.states[HERE].rules(recording.default.dialect, recording.now), Source.SITE
    )
    recording.close()
    robots = [line for line in lines_in(path) if line["type"] == "robots"]
    assert ["exchanges" in line for line in robots] == [False, True]


def test_what_is_pending_is_written_when_the_crawl_ends(recording, path):
    recording.decide(URLS[0])
    recording.close()
    assert kinds(path) == [*BEFORE, "decision", "end"]
    assert lines_in(path)[-1]["sums"] == {"passed": 1, "robots": 1}
    assert recording.timer.calls == []


def test_a_bounded_number_of_events_is_pending(recording):
    for count in range(1, 3 * MAX_PENDING):
        recording.decide(URLS[0])
        assert count - max(recording.recorder.writer.lines - len(BEFORE), 0) <= MAX_PENDING


def test_a_line_says_what_was_so_at_the_event(recording, path):
    """Other middlewares and the spider may change a request after it was decided."""
    request = Request(URLS[0], meta={"robots": {"agent": "Other"}})
    config = RequestConfig(DIALECTS["google"], "Other")
    recording.decide(URLS[0], request, config=config)
    request.meta.clear()
    recording.close()
    (line,) = decisions_in(path)
    assert line["set_by"] == {"agent": "request.meta['robots']"}


def test_the_first_exempt_request_of_each_host_is_recorded(path):
    recording = Recording(path, {}, ROBOTS_AUDIT_PASSED="first")
    for url in ("https://a.example/1", "https://a.example/2", "https://b.example/1"):
        recording.recorder.on_exempt(Request(url), "for a test")
    recording.close()
    assert [line["url"] for line in decisions_in(path)] == [
        "https://a.example/1",
        "https://b.example/1",
    ]
    assert lines_in(path)[-1]["sums"] == {"exempt": 3}


@pytest.mark.parametrize("on_error", ["stop", "warn"])
def test_nothing_is_kept_for_a_record_that_can_no_longer_be_written(path, on_error, monkeypatch):
    monkeypatch.setattr("scrapy_robots_policy.compat.close_spider", lambda *_: None)
    recording = Recording(path, {HERE: served(RULES)}, ROBOTS_AUDIT_ON_ERROR=on_error)
    recording.decide(URLS[0])
    recording.recorder.writer.on_error(OSError("full"))
    assert recording.timer.calls == []
    recording.close()
    assert decisions_in(path) == []


def test_an_event_whose_line_cannot_be_made_costs_no_other_its_line(monkeypatch):
    monkeypatch.setattr(pending, "MAX_PENDING", 10)
    timer, written, flushes = Timer(), [], []
    events = Pending(lambda: flushes.append(len(written)), timer)
    for event in ("one", 2, "three"):
        events.add(lambda text: written.append(text.upper()), event)
    with pytest.raises(AttributeError):
        timer.fire()
    events.add(written.append, "four")
    timer.fire()
    assert written == ["ONE", "THREE", "four"]
    assert flushes == [3]
