"""What must be true of the times in a record: one that contradicts itself is noticed."""

from __future__ import annotations

import time

import pytest

from scrapy_robots_policy.audit.fields import instant
from scrapy_robots_policy.fetch.exchange import Exchange
from scrapy_robots_policy.resolver.events import Source
from tests.audit.records import (
    HERE,
    RULES,
    Recording,
    check,
    forged,
    record,
    served,
    verified,
)

NOW = time.time()
LATER, SOONER = instant(NOW + 3600), instant(NOW - 3600)


@pytest.mark.parametrize(
    ("kind", "changes", "why"),
    [
        ("decision", {"at": "2096-01-01T00:00:00.000000Z"}, "the age 0 s of a file"),
        ("decision", {"at": SOONER}, "before"),  # the crawl began
        ("decision", {"exempt": "x", "at": LATER}, "before"),  # of the decision after it
        ("decision", {"exempt": "x", "at": SOONER}, "before"),
        ("end", {"at": SOONER}, "before"),
        ("end", {"at": "yesterday"}, "Invalid isoformat"),
        ("crawl", {"began": LATER}, "before"),
        ("decision", {"age": 5.0}, "the age 5 s of a file that was 0.000 s old"),
        ("robots", {"current": SOONER}, "the age 0 s of a file that was 3"),
        ("robots", {"answered": LATER}, "it rests on what came later"),
        ("robots", {"fresh_until": "2096-01-01T00:00:00.000000Z"}, "not until 2096-01-01T00:00"),
        ("robots", {"fresh_until": None}, "not until None"),
    ],
)
def test_times_that_contradict_each_other_are_an_error(tmp_path, kind, changes, why):
    recording = Recording(tmp_path / "audit.jsonl", {HERE: served(RULES)})
    for path in ("/", "/no"):
        recording.now += 1e-6  # those of the decisions differ, but not their ages
        recording.decide(f"{HERE}{path}")
    (path,) = recording.close()
    verified(path)
    forged(path, kind, **changes)
    checked, _ = check(path)
    assert len(checked.errors) == 1
    assert why in checked.errors[0]


def test_a_mode_that_did_not_hold_is_a_difference(tmp_path):
    (path,) = record(tmp_path / "audit.jsonl")
    forged(path, "decision", mode="allow")
    (difference,) = check(path)[1]
    assert "mode" not in difference.answers.now


@pytest.mark.parametrize(
    ("source", "ahead", "is_wrong"),
    [("site", 0, False), ("site", 1, True), ("store", 59, False), ("fleet", 61, True)],
)
def test_a_file_of_another_machine_may_be_ahead_by_what_clocks_differ(
    tmp_path, source, ahead, is_wrong
):
    recording = Recording(tmp_path / "audit.jsonl", {HERE: served(RULES)})
    recording.recorder.on_learned(
        recording.states[HERE].rules(recording.default.dialect, recording.now), Source(source)
    )
    before = recording.now
    recording.now -= ahead
    recording.decide(f"{HERE}/")
    (path,) = recording.close()
    forged(path, "crawl", began=instant(before - 100))
    assert bool(check(path)[0].errors) is is_wrong


@pytest.mark.parametrize(
    ("moments", "is_wrong"),
    [
        ([(-4, -3), (-3, -2)], False),
        ([(-3, -4)], True),  # answered before it was asked
        ([(-4, -2), (-3, -1)], True),  # two at a time
        ([(-4, 1)], True),  # answered after the file had come
    ],
)
def test_the_requests_for_a_file_go_one_after_the_other(tmp_path, moments, is_wrong):
    recording = Recording(tmp_path / "audit.jsonl", {HERE: served(RULES)})
    for asked, answered in moments:
        at = recording.now + asked, recording.now + answered
        exchange = Exchange(f"{HERE}/robots.txt", *at, 200, "", {}, {})
        recording.recorder.on_exchange(HERE, exchange)
    rules = recording.states[HERE].rules(recording.default.dialect, recording.now)
    recording.recorder.on_learned(rules, Source.SITE)
    recording.decide(f"{HERE}/")
    errors = check(*recording.close())[0].errors
    assert [" not in the order of their times" in error for error in errors] == [True] * is_wrong


def test_parts_that_were_joined_go_on_in_time_and_another_crawl_begins_anew(tmp_path):
    recording = Recording(tmp_path / "audit.jsonl", {HERE: served(RULES)}, ROBOTS_AUDIT_MAX_SIZE=1)
    for _ in range(3):
        recording.now += 10
        recording.decide(f"{HERE}/")
        recording.recorder.writer.flush()
    parts = recording.close()
    assert len(parts) == 3
    (sooner,) = record(tmp_path / "sooner.jsonl")
    joined = tmp_path / "joined.jsonl"
    joined.write_bytes(b"".join(path.read_bytes() for path in (*parts, sooner)))
    verified(joined)


def test_a_record_of_the_future_is_noted(tmp_path):
    (path,) = record(tmp_path / "audit.jsonl")
    forged(path, "end", at="2096-01-01T00:00:00.000000Z")
    (note,) = check(path, now=time.time())[0].notes
    assert "up to 2096-01-01T00:00:00.000000Z, which is still to come" in note
