"""What must be true of the lines of events: they are made at once, in order, and flushed soon."""

from __future__ import annotations

import errno
import json
from collections import OrderedDict
from dataclasses import replace

import pytest
from scrapy import Request

from scrapy_robots_policy import compat
from scrapy_robots_policy.audit import record_lines, recorder
from scrapy_robots_policy.audit.chain import encode
from scrapy_robots_policy.audit.crawl_line import crawl_fields
from scrapy_robots_policy.audit.fields import seconds_of
from scrapy_robots_policy.audit.record_lines import MAX_STEMS
from scrapy_robots_policy.audit.recorder import MAX_EXCHANGES
from scrapy_robots_policy.config import RequestConfig
from scrapy_robots_policy.exceptions import CrawlClosing
from scrapy_robots_policy.fetch.exchange import Exchange
from scrapy_robots_policy.rep import DIALECTS, FetchResult, Origin
from scrapy_robots_policy.rep.access import remember
from scrapy_robots_policy.rep.access_policy import DAY
from scrapy_robots_policy.rep.use_answer import UseAnswer
from scrapy_robots_policy.resolver.events import Source
from scrapy_robots_policy.resolver.origin import OriginState
from tests.audit.records import (
    HERE,
    RULES,
    URLS,
    Recording,
    decisions_in,
    lines_in,
    octets_in,
    served,
    verified,
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


def gathered(recording):
    """The types of the lines that the next flush puts on the disk."""
    return [json.loads(line)["type"] for line in recording.recorder.writer._gathered]


@pytest.mark.parametrize("url", URLS[:2])
def test_the_line_of_a_decision_is_made_before_its_request_goes(recording, path, url):
    recording.decide(url)
    assert gathered(recording) == [*BEFORE[1:], "decision"]
    recording.decide(url)
    assert gathered(recording) == [*BEFORE[1:], "decision", "decision"]
    assert kinds(path) == BEFORE[:1]  # nothing is flushed for it


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


def full(_octets):
    raise OSError(errno.ENOSPC, "No space left on device")


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
    verified(path)


def test_a_robots_txt_is_flushed_within_a_second(recording, path):
    learn(recording)
    assert gathered(recording) == BEFORE[1:]
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


def test_what_is_gathered_is_written_when_the_crawl_ends(recording, path):
    recording.decide(URLS[0])
    recording.close()
    assert kinds(path) == [*BEFORE, "decision", "end"]
    assert lines_in(path)[-1]["sums"] == {"passed": 1, "robots": 1}
    assert recording.timer.calls == []


def test_a_line_says_what_was_so_at_the_event(recording, path):
    """Other middlewares and the spider may change a request after it was decided."""
    request = Request(URLS[0], meta={"robots": {"agent": "Other"}})
    config = RequestConfig(DIALECTS["google"], "Other")
    recording.decide(URLS[0], request, config=config)
    request.meta.clear()
    recording.close()
    (line,) = decisions_in(path)
    assert line["set_by"] == {"agent": "request.meta['robots']"}


UNREACHABLE = {"why": "503", "mode": "disallow"}
SPECIAL = {"why", "mode", "set_by", "obey", "crawl_delay", "forms", "waited", "dry_run"}


@pytest.mark.parametrize(
    ("result", "choices", "circumstances", "special"),
    [
        (served(RULES), {}, {"waited": 0.0001}, {}),
        (served(RULES), {}, {"waited": 0.5}, {"waited": 0.5}),
        (served(RULES), {"obey": False}, {}, {"obey": False}),
        (
            FetchResult(503),
            {},
            {"dry_run": True},
            {"why": "503", "dry_run": True, "mode": "disallow"},
        ),
    ],
)
def test_a_line_has_what_is_special_to_its_decision(path, result, choices, circumstances, special):
    recording = Recording(path, {HERE: result})
    config = replace(recording.default, **choices)
    recording.decide(URLS[0], config=config, **circumstances)
    recording.close()
    (line,) = decisions_in(path)
    assert {key: line[key] for key in line if key in SPECIAL} == special


def test_the_first_exempt_request_of_each_host_is_recorded(path):
    recording = Recording(path, {}, ROBOTS_AUDIT_PASSED="first")
    a, b = "https://a.example", "https://b.example"
    for url in (f"{a}/1", f"{a}/2", f"{b}/1", f"{a}?q=1", "https://me:word@A.example:443/3"):
        recording.recorder.on_exempt(Request(url), "for a test")
    recording.close()
    assert [line["url"] for line in decisions_in(path)] == [f"{a}/1", f"{b}/1"]
    assert lines_in(path)[-1]["sums"] == {"exempt": 5}


@pytest.mark.parametrize(
    ("passed", "purpose", "recorded"),
    [
        ("all", None, ["/", "/no", "/no/but", "/", "/no", "/no/but"]),
        ("first", None, ["/", "/no", "/no/but", "/no"]),
        ("first", "search", ["/", "/no", "/no/but", "/no"]),
        ("none", None, ["/no", "/no"]),
    ],
)
def test_of_the_requests_that_pass_those_are_recorded_that_are_wanted(
    path, passed, purpose, recorded
):
    recording = Recording(
        path, {HERE: served(RULES)}, ROBOTS_AUDIT_PASSED=passed, ROBOTS_PURPOSE=purpose
    )
    for url in ("/", "/no", "/no/but") * 2:
        recording.decide(f"{HERE}{url}")
    recording.close()
    assert [line["url"].removeprefix(HERE) for line in decisions_in(path)] == recorded
    assert lines_in(path)[-1]["sums"] == {"passed": 4, "refused/rule": 2, "robots": 1}


@pytest.mark.parametrize("on_error", ["stop", "warn"])
def test_nothing_is_kept_for_a_record_that_can_no_longer_be_written(path, on_error, monkeypatch):
    monkeypatch.setattr("scrapy_robots_policy.compat.close_spider", lambda *_: None)
    recording = Recording(path, {HERE: served(RULES)}, ROBOTS_AUDIT_ON_ERROR=on_error)
    recording.decide(URLS[0])
    recording.recorder.writer._file.write = full
    recording.timer.fire()
    assert gathered(recording) == []
    assert recording.timer.calls == []
    recording.close()
    assert decisions_in(path) == []


MANY = "".join(f"Disallow: /no{n}\nAllow: /no{n}/but\n" for n in range(30))
OTHERS = {
    "there": served(
        f"User-agent: *\n{MANY}Content-Signal: ai-train=no\nContent-Usage: /x train-ai=n"
    ),
    "none": FetchResult(404),
    "broken": FetchResult(503),
    "empty": served(""),
}
CONFIGS = [
    RequestConfig(DIALECTS["google"], "Other"),
    RequestConfig(DIALECTS["rfc9309"], "Bot", crawl_delay=2.0),
]


def decide_much(recording):
    """Decisions of all kinds, in an order in which the same comes again."""
    paths = ["/", "/no1", "/no1/but", "/no2/but", "/x", "/robots.txt", "/a/../no1", "/é?ü"]
    for turn in range(2):
        for origin in recording.states:
            for path in paths:
                recording.now += 1.25
                recording.decide(f"{origin}{path}")
                recording.decide(f"{origin}{path}", config=CONFIGS[turn], waited=0.5)
    recording.decide(f"{HERE}/no", dry_run=True)


ORDER = (
    *("type", "prev", "at", "url", "verdict", "reason", "line", "rule", "why", "refused_use"),
    *("preferences", "overridden", "results", "group", "group_line", "robots", "age", "agent"),
    *("dialect", "purposes", "mode", "crawl_delay", "forms", "waited", "dry_run", "hash"),
)


@pytest.mark.slow
@pytest.mark.parametrize("purpose", [None, "search", "search,train-ai"])
def test_lines_say_the_same_however_much_of_their_text_is_kept(tmp_path, purpose, monkeypatch):
    origins = {Origin(f"https://{name}.example"): result for name, result in OTHERS.items()}
    written = []
    for most in (0, 3, MAX_STEMS):
        monkeypatch.setattr(record_lines, "MAX_STEMS", most)
        path = tmp_path / f"{most}.jsonl"
        recording = Recording(path, {HERE: served(RULES), **origins}, ROBOTS_PURPOSE=purpose)
        decide_much(recording)
        recording.close()
        verified(path)
        for line in octets_in(path).splitlines():
            assert line == encode(json.loads(line)).encode()
        lines = decisions_in(path)
        assert all(sorted(line, key=ORDER.index) == list(line) for line in lines)
        apart = ("prev", "hash", "at", "age")  # they tell the time
        written.append([{key: line[key] for key in line if key not in apart} for line in lines])
    assert written[0] == written[1] == written[2]
    assert {line["reason"] for line in written[0]} >= {
        "rule",
        "no_group",
        "robots_txt",
        "unavailable",
    }


GROUPS = served("User-agent: bo\nAllow: /\n\nUser-agent: *\nDisallow: /no\n")
UNREACHABLE = served(""), *[FetchResult(503)] * 30  # a day after the other
# What came of the fetches so far, the dialect, the agent, and the seconds since the last fetch.
SITUATIONS = (
    ((GROUPS,), "rfc9309", "Bot", 1.0),
    ((GROUPS,), "original1994", "Bot", 1.0),  # reads the first group: "bo" is a part of "Bot"
    ((GROUPS,), "rfc9309", "bo", 1.0),
    ((GROUPS,), "rfc9309", "Bot", 2.0),
    ((GROUPS, GROUPS), "rfc9309", "Bot", 1.0),
    ((GROUPS, served("")), "rfc9309", "Bot", 1.0),
    ((FetchResult(404),), "rfc9309", "Bot", 1.0),
    (UNREACHABLE, "google", "Bot", 0.5 * DAY),  # its copy is used for 30 days
    (UNREACHABLE, "google", "Bot", 2 * DAY),  # then all is allowed
)


OF_FILE = ("sha256", "answered", "status", "failures")
APART = ("prev", "hash", "robots")  # they tell the place of a line


def recorded(path, situations):
    """The lines of decisions, each with what the line of its robots.txt says."""
    recording = Recording(path, {HERE: served("")})
    for results, dialect, agent, later in situations:
        entry, at = None, 0.0
        for number, result in enumerate(results):
            at = 2_000_000_000 + number * DAY
            entry = remember(entry, result, at)
        recording.states[HERE].entry, recording.now = entry, at + later
        recording.decide(URLS[0], config=RequestConfig(DIALECTS[dialect], agent))
    recording.close()
    files = {line["robots"]: line for line in lines_in(path) if line["type"] == "robots"}
    return [
        {key: line[key] for key in line if key not in APART}
        | {key: files[line["robots"]].get(key) for key in OF_FILE}
        for line in decisions_in(path)
    ]


@pytest.mark.slow
def test_a_decision_says_the_same_whatever_was_decided_before(tmp_path):
    alone = [recorded(tmp_path / f"{one}", [one_of]) for one, one_of in enumerate(SITUATIONS)]
    for order in (1, -1):
        expected = [line for lines in alone[::order] for line in lines]
        assert recorded(tmp_path / f"all{order}", SITUATIONS[::order]) == expected


CHOICES = [
    ({}, "cache"),
    ({"robots_txt": b""}, "override"),
    ({"obey": False, "crawl_delay": 1.0, "robots_txt": b""}, "override"),
]


@pytest.mark.parametrize(("choices", "source"), CHOICES)
def test_rules_that_the_user_has_set_are_said_to_be_so(recording, path, choices, source):
    recording.decide(URLS[0], config=RequestConfig(DIALECTS["rfc9309"], "Bot", **choices))
    recording.close()
    assert [line["source"] for line in lines_in(path) if line["type"] == "robots"] == [source]


def test_rules_before_any_user_agent_line_are_a_group_at_line_0(path):
    """docs/audit.md says so. Line 1 would be the rule itself."""
    recording = Recording(path, {HERE: served("Disallow: /no\n")})
    config = RequestConfig(DIALECTS["original1994"], "Bot")
    assert recording.decide(f"{HERE}/no", config=config) is not None
    recording.close()
    (line,) = decisions_in(path)
    assert (line["group_line"], line["line"]) == (0, 1)


WITH_PASSWORD = "https://me:secret@here.example/a/../no"
EVENTS = {
    "a decision": lambda recording: recording.decide(WITH_PASSWORD),
    "an exempt request": lambda recording: recording.recorder.on_exempt(Request(WITH_PASSWORD), ""),
    "a page": lambda recording: recording.recorder.on_page(WITH_PASSWORD, UseAnswer()),
}


@pytest.mark.parametrize("event", EVENTS)
def test_no_line_has_the_password_of_a_url(recording, path, event):
    EVENTS[event](recording)
    recording.close()
    assert "https://here.example/a/../no" in {line.get("url") for line in lines_in(path)}
    assert b"secret" not in octets_in(path)


def test_each_line_names_the_crawler_that_was_judged(path):
    recording = Recording(path, {HERE: served("User-agent: *\nDisallow: /no")})
    agents = ["one", "another", "one"]
    for agent in agents:
        config = RequestConfig(DIALECTS["rfc9309"], agent)
        assert recording.decide(URLS[0], config=config) is None
    recording.close()
    assert [line["agent"] for line in decisions_in(path)] == agents


ATTRIBUTES = {"robots_tags": {"noindex": "drop"}, "robots_user_agent": "OtherBot"}


def test_the_attributes_of_the_spider_that_are_read_are_in_the_record(path):
    recording = Recording(path, {})
    vars(recording.crawler.spider).update(ATTRIBUTES)
    fields = crawl_fields(recording.crawler, recording.settings, recording.now)
    recording.close()
    in_force = fields["settings"]
    assert {name: in_force.get(f"spider.{name}") for name in ATTRIBUTES} == ATTRIBUTES


def test_the_exchanges_of_a_lookup_are_bounded_in_number_and_recorded_once(recording, path):
    there = "https://there.example"
    exchange = Exchange(f"{there}/robots.txt", 1.0, 2.0, 200, "", {}, {})
    for _ in range(3 * MAX_EXCHANGES):
        recording.recorder.on_exchange(there, exchange)
    learn(recording)
    learn(recording)
    recording.close()
    first, second = (line for line in lines_in(path) if line["type"] == "robots")
    assert len(first["exchanges"]) == MAX_EXCHANGES
    assert "exchanges" not in second


def test_the_exchanges_of_lookups_that_a_fault_has_ended_are_bounded_in_number(
    recording, monkeypatch
):
    """Nothing is learned by such a lookup, so nobody asks for its exchanges."""
    monkeypatch.setattr(recorder, "MAX_LOOKUPS", 3)
    for number in range(10):
        there = f"https://{number}.example"
        exchange = Exchange(f"{there}/robots.txt", 1.0, 2.0, 200, "", {}, {})
        recording.recorder.on_exchange(there, exchange)
    kept = list(recording.recorder._exchanges)
    assert kept == [f"https://{number}.example" for number in (7, 8, 9)]


def test_of_what_can_be_made_again_less_is_kept_than_of_what_must_be_written_again(
    path, monkeypatch
):
    """A file that is forgotten makes the record longer; a group costs some microseconds."""
    monkeypatch.setattr(record_lines, "MAX_STEMS", 3)
    origins = [Origin(f"https://{number}.example") for number in range(10)]
    recording = Recording(path, {origin: served(RULES) for origin in origins})
    for origin in origins:
        recording.decide(f"{origin}/")
    kept = recording.recorder.lines
    assert (len(kept._written), len(kept._groups)) == (10, 3)
    recording.close()
    verified(path)


def test_no_exempt_request_goes_that_cannot_be_recorded(recording, monkeypatch):
    monkeypatch.setattr(compat, "close_spider", lambda *_: None)
    exempt(recording)
    recording.recorder.writer._file.write = full
    recording.timer.fire()
    with pytest.raises(CrawlClosing):
        exempt(recording)


def test_what_lines_refer_to_is_remembered_for_the_newest_only():
    kept = OrderedDict()
    for number in range(10):
        assert record_lines._keep(kept, number, str(number), 3) == str(number)
    assert list(kept) == [7, 8, 9]
