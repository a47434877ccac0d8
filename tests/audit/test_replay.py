"""What must be true of a replay: it says what the engine says, in any dialect, of any file."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import Request

from scrapy_robots_policy.audit import replay
from scrapy_robots_policy.audit.dialect_data import data_of, dialect_from, fingerprint
from scrapy_robots_policy.audit.fields import plain
from scrapy_robots_policy.audit.replay import Replay
from scrapy_robots_policy.config import RequestConfig
from scrapy_robots_policy.rep import DIALECTS, Dialect, FetchResult, Origin
from scrapy_robots_policy.rep.access_policy import HOUR
from scrapy_robots_policy.rep.cache_entry import remember
from scrapy_robots_policy.rep.dialects.dialect import options
from scrapy_robots_policy.rep.escapes import MAX_BRIEF
from scrapy_robots_policy.resolver.origin import OVERHEAD
from tests.audit.records import (
    HERE,
    RULES,
    SCHEMA,
    URLS,
    Recording,
    check,
    decisions_in,
    forged,
    lines_in,
    record,
    served,
    verified,
)
from tests.rep.strategies import ANY_DIALECT, DIALECT_NAMES, FILES, PATHS

STATUSES = st.sampled_from([None, 200, 204, 301, 401, 403, 404, 429, 500, 503])
RESULTS = st.builds(
    lambda status, octets: FetchResult(
        status,
        octets if status is not None and status // 100 == 2 else b"",
        cause="" if status else "timeout",
    ),
    STATUSES,
    FILES,
)
PURPOSES = st.sets(st.sampled_from(["search", "ai-input", "train-ai"])).map(sorted)
USAGE = b"User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /ab search=n\nDisallow: /x\n"


@pytest.mark.slow
@settings(max_examples=60)
@given(
    DIALECT_NAMES,
    RESULTS | FILES.map(lambda octets: served(octets + b"\n" + USAGE)),
    st.lists(PATHS, max_size=6),
    PURPOSES,
    st.sampled_from([None, "allow", "disallow", "defer"]),
)
def test_verify_says_what_the_engine_said(dialect, result, paths, purposes, on_unreachable):
    with tempfile.TemporaryDirectory() as folder:
        recording = Recording(
            Path(folder) / "audit.jsonl",
            {HERE: result},
            ROBOTS_DIALECT=dialect,
            ROBOTS_PURPOSE=purposes or None,
            ROBOTS_ON_UNREACHABLE=on_unreachable,
            ROBOTS_DEFER_TIMEOUT=0,
        )
        verdicts = [recording.decide(f"{HERE}{path}") for path in paths]
        checked, differences = check(*recording.close())
        lines = decisions_in(*recording.recorder.writer.paths)
    assert (checked.errors, checked.notes, differences) == ([], [], [])
    assert checked.decisions == len(paths)
    assert [line["verdict"] == "refused" for line in lines] == [
        verdict is not None for verdict in verdicts
    ]
    for line, verdict in zip(lines, verdicts, strict=True):
        if verdict is not None:
            assert line["reason"] == verdict.reason.name.lower()
            assert line.get("line", 0) == verdict.line


@pytest.mark.slow
@settings(max_examples=60)
@given(DIALECT_NAMES, DIALECT_NAMES, FILES, st.lists(PATHS, min_size=1, max_size=6))
def test_another_dialect_changes_what_the_engine_answers_otherwise(first, second, octets, paths):
    results = {HERE: served(octets)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "audit.jsonl"
        recording = Recording(path, results, ROBOTS_DIALECT=first)
        before = [recording.decide(f"{HERE}{path}") is None for path in paths]
        (path,) = recording.close()
        checked, _ = check(path, dialect=second)
        other = Recording(path, results, ROBOTS_DIALECT=second)
        after = [other.decide(f"{HERE}{path}") is None for path in paths]
        other.close()
    assert not checked.errors
    assert checked.changed == sum(one != two for one, two in zip(before, after, strict=True))


@pytest.mark.slow
@given(ANY_DIALECT)
def test_a_dialect_comes_back_from_its_data(dialect: Dialect):
    data = json.loads(json.dumps(data_of(dialect)))
    back = dialect_from(dialect.name, data)
    assert back == dialect.but(dialect.name, agents=back.agents)
    chains = {name: agent.chain for name, agent in dialect.agents.items()}
    assert {name: agent.chain for name, agent in back.agents.items()} == chains
    assert fingerprint(data_of(back)) == fingerprint(data)


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_the_data_has_all_options(dialect):
    assert set(data_of(dialect)) == set(options())


@pytest.mark.parametrize(
    "data",
    [
        {"agents": {"bot": []}},
        {"agents": {"bot": None}},
        {"line_limit": -1},
        {"tie": "never"},
        {"access": {"unreachable": []}},
        {"no_such_option": 1},
    ],
    ids=repr,
)
def test_data_that_somebody_made_up_is_refused(data):
    with pytest.raises(ValueError, match=r"^the dialect 'x' cannot be read: ."):
        dialect_from("x", data)


def test_another_value_is_another_fingerprint():
    google = DIALECTS["google"]
    prints = {fingerprint(data_of(google.but("google", **turn))) for turn in TURNS}
    assert len(prints) == len(TURNS)


TURNS = [{}, {"tie": "disallow"}, {"agents": {}}, {"rule_limit": 3}]


def test_a_record_from_before_a_setting_and_an_option_were_there_is_replayed(tmp_path):
    """The schema requires of `judged_by` what every record has."""
    (path,) = record(tmp_path / "audit.jsonl")
    crawl, dialect, *_ = lines_in(path)
    always = SCHEMA["$defs"]["crawl"]["properties"]["judged_by"]["required"]
    forged(path, "crawl", judged_by={name: crawl["judged_by"][name] for name in always})
    older = {name: value for name, value in dialect["options"].items() if name != "tie"}
    forged(path, "dialect", options=older, fingerprint=fingerprint(older))
    checked, differences = check(path)
    assert (checked.errors, differences, checked.decisions) == ([], [], len(URLS))


def test_a_changed_dialect_is_replayed_as_it_was(tmp_path, monkeypatch):
    dialect = DIALECTS["google"].but("google", tie="disallow")
    tied = served("User-agent: *\nAllow: /a\nDisallow: /a\n")
    recording = Recording(tmp_path / "audit.jsonl", {HERE: tied}, ROBOTS_DIALECT=dialect)
    assert recording.decide(f"{HERE}/a") is not None
    checked = verified(*recording.close(), has_notes=True)
    assert "the dialect google has changed since" in checked.notes[0]


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["mine"], ["mine", "mine#2"]),
        (["mine", "mine#2"], ["mine", "mine#2", "mine#2#2", "mine#2#3"]),
        (["mine#2", "mine"], ["mine#2", "mine#2#2", "mine", "mine#3"]),
    ],
)
def test_dialects_of_one_name_are_told_apart(tmp_path, names, labels):
    recording = Recording(tmp_path / "audit.jsonl", {HERE: served("User-agent: *\nAllow: /a\n")})
    google = DIALECTS["google"]
    dialects = [
        google.but(name, tie=tie, size_limit=size)
        for size, name in enumerate(names, 1000)
        for tie in ("allow", "disallow")
    ]
    for dialect in dialects:
        recording.decide(f"{HERE}/a", config=RequestConfig(dialect, "Bot"))
    paths = recording.close()
    assert [line["dialect"] for line in decisions_in(*paths)] == labels
    verified(*paths)


def test_what_another_dialect_would_have_fetched_is_not_known(tmp_path):
    rfc9309 = DIALECTS["rfc9309"]
    short = rfc9309.but("short", access=replace(rfc9309.access, redirects=1))
    cut = FetchResult(301, hops=("https://x.example/1",), is_cut=True)
    recording = Recording(tmp_path / "audit.jsonl", {HERE: cut}, ROBOTS_DIALECT=short)
    recording.decide(f"{HERE}/a")
    (path,) = recording.close()
    assert check(path)[0].unknown == 0
    checked, differences = check(path, dialect="google")
    assert (checked.unknown, checked.differ, differences) == (1, 0, [])


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("redis://user:hu@sh@store.example/0", "redis://store.example/0"),
        ("redis://user:hu'sh@store.example/0", "redis://store.example/0"),
        ("Sitemap: https://a.example\nmail@b", "Sitemap: https://a.example\nmail@b"),
        ("redis://store.example?password=hush&db=2", "redis://store.example?password=&db=2"),
        (b"Sitemap: https://u:p@a.example/", "Sitemap: https://a.example/"),
        ({"a.example": {"obey": False}}, {"a.example": {"obey": False}}),
        ({"one"}, ["one"]),
        (DIALECTS["google"], "google"),
        (served, "tests.audit.records.served"),
        ("mail@example.com", "mail@example.com"),
    ],
)
def test_settings_are_kept_without_secrets(value, kept):
    assert plain(value) == kept


@pytest.mark.parametrize(
    ("requested", "recorded"),
    [
        ("https://user:hush@here.example/x", f"{HERE}/x"),
        (f"{HERE}/to?url=http://me@x.example/", f"{HERE}/to?url=http://me@x.example/"),
        (f"{HERE}/a/../http://me@x.example/", f"{HERE}/a/../http://me@x.example/"),
    ],
)
def test_a_url_is_kept_as_the_rules_see_it(tmp_path, requested, recorded):
    rules = served("User-agent: *\nDisallow: /*http://me@\n")
    recording = Recording(tmp_path / "audit.jsonl", {HERE: rules})
    recording.decide(requested)
    recording.recorder.on_exempt(Request(requested), "the spider says so")
    (path,) = recording.close()
    assert [line["url"] for line in decisions_in(path)] == [recorded, recorded]
    verified(path)


def test_octets_stand_in_a_file_once(tmp_path):
    there = "https://there.example"
    results = {HERE: served(RULES), there: served(RULES)}
    recording = Recording(tmp_path / "audit.jsonl", results)
    recording.decide(f"{HERE}/no")
    recording.decide(f"{there}/no")
    lines = [line for line in lines_in(*recording.close()) if line["type"] == "robots"]
    assert [("octets" in line, line["origin"]) for line in lines] == [(True, HERE), (False, there)]
    assert check(*recording.recorder.writer.paths)[0].decisions == 2


@pytest.mark.parametrize(
    ("passed", "kept"),
    [
        ("all", ["/", "/no", "/no/but", "/no/x", "/yes?q=1", "/", "/no/but/2"]),
        ("first", ["/", "/no", "/no/but", "/no/x"]),
        ("none", ["/no", "/no/x"]),
    ],
)
def test_which_passes_are_recorded_is_the_users_choice(tmp_path, passed, kept):
    urls = [*URLS, f"{HERE}/", f"{HERE}/no/but/2"]
    (path,) = record(tmp_path / "audit.jsonl", urls, ROBOTS_AUDIT_PASSED=passed)
    assert [line["url"].removeprefix(HERE) for line in decisions_in(path)] == kept
    assert lines_in(path)[-1]["sums"] == {"passed": 5, "refused/rule": 2, "robots": 1}
    assert not check(path)[0].errors


@pytest.mark.slow
def test_a_long_rule_and_many_preferences_make_no_long_line(tmp_path):
    text = f"User-agent: *\nDisallow: /{'x' * 100_000}\nDisallow: /no{'*' * 100_000}\n"
    text += "".join(f"Content-Usage: key{n}={'v' * 1000}\n" for n in range(200))
    recording = Recording(tmp_path / "audit.jsonl", {HERE: served(text)})
    recording.decide(f"{HERE}/no")
    recording.decide(f"{HERE}/yes")
    (path,) = recording.close()
    refused, passed = decisions_in(path)
    assert len(refused["rule"]) == MAX_BRIEF
    assert len(passed["preferences"]) == 50
    verified(path)


@pytest.mark.slow
def test_the_robots_txt_files_that_a_replay_keeps_parsed_are_bounded_in_octets(
    tmp_path, monkeypatch
):
    origins = [Origin(f"https://{n}.example") for n in range(30)]
    recording = Recording(tmp_path / "audit.jsonl", dict.fromkeys(origins, served(RULES)))
    for origin in origins * 2:
        recording.decide(f"{origin}/no")
    (path,) = recording.close()
    monkeypatch.setattr(replay, "MAX_PARSED_OCTETS", 3 * OVERHEAD)
    with closing(sqlite3.connect("")) as kept:
        reader = Replay(kept)
        answers = [reader.read(fields) for fields in lines_in(path)]
        assert sum(one.state.octets for one in reader._parsed.values()) <= 3 * OVERHEAD
    assert [answer.agree for answer in answers if answer] == [True] * 60


def test_long_lines_that_a_packed_record_holds_in_few_octets_take_few_on_the_disk(tmp_path):
    (path,) = record(tmp_path / "audit.jsonl")
    forged(path, "robots", cause="x" * 1_000_000)
    with closing(sqlite3.connect("")) as kept:
        reader = Replay(kept)
        for fields in lines_in(path):
            reader.read(fields)
        pages, size = (
            kept.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size")
        )
    assert pages * size < 100_000


def test_the_groups_that_a_replay_keeps_of_a_file_are_bounded_in_number(tmp_path, monkeypatch):
    monkeypatch.setattr(replay, "MAX_GROUPS", 3)
    recording = Recording(tmp_path / "audit.jsonl", {HERE: served(RULES)})
    for number in range(10):
        recording.decide(URLS[0], config=replace(recording.default, agent=f"bot{number % 6}"))
    (path,) = recording.close()
    with closing(sqlite3.connect("")) as kept:
        reader = Replay(kept)
        answers = [reader.read(fields) for fields in lines_in(path)]
        (parsed,) = reader._parsed.values()
    assert len(parsed.groups) <= 3
    assert [answer.agree for answer in answers if answer] == [True] * 10


def test_the_group_is_that_of_the_moment_where_time_alone_changes_what_is_obeyed(tmp_path):
    """After a 503 yandex allows all for a day; google nothing for 12 hours, then obeys the copy."""
    recording = Recording(tmp_path / "audit.jsonl", {HERE: served(RULES)}, ROBOTS_DIALECT="yandex")
    state = recording.states[HERE]
    state.entry = remember(state.entry, FetchResult(503), recording.now)
    for _ in range(2):
        recording.decide(URLS[0])
        recording.now += 13 * HOUR
    _, differences = check(*recording.close(), dialect="google")
    reasons_and_groups = [
        (one.answers.now["reason"], one.answers.now.get("group")) for one in differences
    ]
    assert reasons_and_groups == [("unreachable", None), ("no_rule", "*")]


def test_the_group_in_a_record_is_that_of_the_moment_too(tmp_path):
    """Google obeys the copy 12 hours after a failure. A site is not asked twice in a second."""
    recording = Recording(tmp_path / "audit.jsonl", {HERE: served(RULES)}, ROBOTS_DIALECT="google")
    state = recording.states[HERE]
    for seconds in (0.0, 12 * HOUR - 0.5):
        recording.now += seconds
        state.entry = remember(state.entry, FetchResult(503), recording.now)
    for _ in range(2):
        recording.decide(URLS[0])
        recording.now += 0.7
    checked, differences = check(*recording.close())
    assert (checked.decisions, differences) == (2, [])


def test_a_delay_that_the_user_has_set_for_a_host_counts_in_a_replay(tmp_path):
    robots = served("User-agent: *\nCrawl-delay: 1000\n")
    settings = {"ROBOTS_CRAWL_DELAY_MAX": 10, "ROBOTS_CRAWL_DELAY_OVER_MAX": "skip"}
    settings["ROBOTS_DIALECT"] = "bing"
    recording = Recording(tmp_path / "audit.jsonl", {HERE: robots}, **settings)
    for crawl_delay in (None, 0.0):
        config = replace(recording.default, crawl_delay=crawl_delay)
        recording.decide(URLS[0], config=config)
    (path,) = recording.close()
    assert [line["verdict"] for line in decisions_in(path)] == ["refused", "passed"]
    checked, differences = check(path)
    assert (checked.decisions, checked.errors, differences) == (2, [], [])
