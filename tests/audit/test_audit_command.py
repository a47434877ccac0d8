"""What must be true of `scrapy robots audit`: its words, its exit status, and what it writes."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import subprocess
import sys
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from scrapy import Request
from warcio.archiveiterator import ArchiveIterator

from scrapy_robots_policy.audit import audit_page, overview, writer
from scrapy_robots_policy.audit.words import time_words
from scrapy_robots_policy.rep import FetchResult
from scrapy_robots_policy.rep.documents import TDMREP, key_of
from scrapy_robots_policy.rep.preference import Place, Preference
from scrapy_robots_policy.rep.use_answer import answer as use_answer
from tests.audit.records import HERE, RULES, URLS, Recording, forged, record, served
from tests.commands.run import robots
from tests.crawls import crawl
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, moved

THERE = "https://there.example"


@pytest.fixture
def path(tmp_path):
    (path,) = record(tmp_path / "audit.jsonl")
    return path


def test_verify_says_that_all_agree(path):
    answer = robots("audit", "verify", path)
    assert answer.status == 0
    assert answer.lines[0] == ("9 lines, 1 robots.txt; 5 decisions made anew: 5 agree, 0 differ")
    last = json.loads(path.read_bytes().splitlines()[-1])["hash"]
    assert answer.lines[1] == f"{path} ends with {last}"


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="pipes have no names here")
@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_verify_reads_a_record_from_a_pipe(path, packed):
    reading, writing = os.pipe()
    os.write(writing, packed(path.read_bytes()))
    os.close(writing)
    answer = robots("audit", "verify", f"/dev/fd/{reading}")
    os.close(reading)
    assert answer.lines[0] == "9 lines, 1 robots.txt; 5 decisions made anew: 5 agree, 0 differ"
    assert answer.status == 0


def test_verify_speaks_of_one_line_and_of_one_decision(tmp_path):
    (path,) = record(tmp_path / "one.jsonl", URLS[:1])
    answer = robots("audit", "verify", path)
    decided = "1 robots.txt; 1 decision made anew: 1 agrees, 0 differ"
    assert answer.lines[0] == f"5 lines, {decided}"
    path.write_bytes(path.read_bytes().split(b"\n")[0] + b"\n")
    assert robots("audit", "verify", path).out.count("\n1 line, 0 robots.txt; 0 decisions") == 1


def test_verify_says_where_the_chain_is_broken(path):
    octets = path.read_bytes()
    path.write_bytes(octets.replace(b'"verdict":"refused"', b'"verdict":"passed" ', 1))
    answer = robots("audit", "verify", path)
    assert answer.status == 2
    assert f"broken: {path}, line 5: its octets do not match its hash" in answer.out


def test_verify_under_another_dialect_names_each_difference(path):
    answer = robots("audit", "verify", "--dialect", "original1994", path)
    assert answer.status == 1
    assert f"{path}, line 6: {HERE}/no/but\n" in answer.out
    assert "    recorded: passed: line 3, Allow: /no/but (group '*', line 1)" in answer.out
    assert "    now:      refused: line 2, Disallow: /no (group '*', line 1)" in answer.out
    assert "\n1 request would have gone the other way" in answer.out


def test_verify_gives_json(path):
    answer = robots("audit", "verify", "--json", "--dialect", "original1994", path)
    *differences, sums = map(json.loads, answer.lines)
    assert {one["url"] for one in differences} >= {f"{HERE}/no/but"}
    assert (sums["decisions"], sums["differ"], sums["changed"]) == (5, len(differences), 1)


def test_a_torn_record_is_no_error(path):
    path.write_bytes(path.read_bytes()[:-40])
    answer = robots("audit", "verify", path)
    assert answer.status == 0
    assert f"note: {path} is good up to line 8; what follows was cut off" in answer.out


def test_show_tells_the_story_of_a_url(path):
    answer = robots("audit", "show", path, URLS[1])
    assert answer.status == 0
    for words in (
        f"{HERE}/no\n",
        "refused, and why:",
        "line 2, Disallow: /no\n",
        "Bot (User-Agent: Bot/1.0)",
        f"{HERE}/robots.txt",
        f"{path}, line 5\n",
        "the same answer",
        f"octets       {len(RULES)}, SHA-256 {sha256(RULES.encode()).hexdigest()}\n",
        "fresh until  20",
        ">     2 | Disallow: /no    <- decides\n",
        "      1 | User-agent: *    <- the group that binds the crawler\n",
    ):
        assert words in answer.out, words
    assert "dry run" not in answer.out


def test_an_empty_line_stands_between_two_stories_and_none_at_the_end(tmp_path):
    (path,) = record(tmp_path / "audit.jsonl", (URLS[1], URLS[1]))
    lines = robots("audit", "show", path, URLS[1]).lines
    heads = [at for at, line in enumerate(lines) if line.endswith(f"  {URLS[1]}")]
    assert len(heads) == 2
    assert not lines[heads[1] - 1]
    assert lines[-1]


def test_show_shows_no_line_after_the_last_one_of_the_file(path):
    shown = robots("audit", "show", path, URLS[2]).out
    assert f"{RULES.count(chr(10))} | {RULES.splitlines()[-1]}" in shown
    assert f"{RULES.count(chr(10)) + 1} |" not in shown


def test_show_tells_of_a_request_that_only_a_dry_run_let_pass_and_of_a_missing_file(tmp_path):
    recording = Recording(tmp_path / "audit.jsonl", {HERE: FetchResult(503)}, ROBOTS_DRY_RUN=True)
    recording.decide(f"{HERE}/no", dry_run=True)
    shown = robots("audit", "show", *recording.close(), f"{HERE}/no").out
    assert "  dry run      the request was sent all the same\n" in shown
    assert "octets" not in shown


def test_verdicts_of_a_record_have_colours(path, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    for url, verdict in ((URLS[0], "\x1b[32mpassed\x1b[0m"), (URLS[1], "\x1b[31mrefused\x1b[0m")):
        assert f"\n{verdict}, and why:" in robots("audit", "show", path, url).out
    differences = robots("audit", "verify", path, "--dialect", "original1994").out
    assert "recorded: \x1b[32mpassed\x1b[0m: " in differences
    assert "now:      \x1b[31mrefused\x1b[0m: " in differences


def test_a_verdict_that_somebody_made_up_cannot_control_the_terminal(path):
    forged(path, "decision", verdict="\x1b[2Jpassed")
    for answer in (robots("audit", "show", path, URLS[0]), robots("audit", "verify", path)):
        assert "\\x1b[2Jpassed" in answer.out
        assert "\x1b" not in answer.out


@pytest.mark.parametrize(
    ("requested", "asked"),
    [
        ("/ü?q=a b", "/ü?q=a b"),
        ("/a|b#part", "/a|b"),
        ("/a", "/a#part"),
        ("", "/"),
        ("/", ""),
    ],
)
def test_show_finds_a_url_as_people_write_it(tmp_path, requested, asked):
    recording = Recording(tmp_path / "audit.jsonl", {HERE: served(RULES)})
    recording.decide(Request(f"{HERE}{requested}").url)
    (path,) = recording.close()
    assert robots("audit", "show", path, f"{HERE}{asked}").status == 0
    assert robots("audit", "show", path, f"{HERE}/other{asked}").status == 1


def test_show_marks_no_line_of_robots_txt_for_a_rule_of_tdmrep_json(tmp_path):
    reserved = (
        b'[{"location": "/no", "tdm-reservation": 1}, {"location": "/", "tdm-reservation": 0}]'
    )
    results = {HERE: served(RULES), key_of(HERE, TDMREP): served(reserved)}
    recording = Recording(tmp_path / "audit.jsonl", results, ROBOTS_PURPOSE="ai-input")
    recording.decide(f"{HERE}/yes")
    shown = robots("audit", "show", *recording.close(), f"{HERE}/yes").out
    assert "tdmrep.json rule 2, tdm-reservation: 0" in shown
    assert "4 | Content-Signal: ai-train=no    <- a preference on the use of the page\n" in shown
    assert shown.count("<- a preference") == 1


def test_show_tells_what_the_page_itself_said_about_its_use(tmp_path):
    recording = Recording(
        tmp_path / "audit.jsonl", {HERE: served(RULES)}, ROBOTS_PURPOSE="ai-input"
    )
    recording.decide(f"{HERE}/yes")
    own = Preference("tdm-reservation", "", "1", 0, Place.META)
    own_answer = use_answer((own,), recording.settings.use)
    recording.recorder.on_page(f"{HERE}/yes", own_answer)
    recording.recorder.on_page(f"{HERE}/other", own_answer)
    (path,) = recording.close()
    shown = robots("audit", "show", path, f"{HERE}/yes")
    assert shown.status == 0
    assert shown.out.count("The page was fetched.") == 1
    of_page = shown.out.partition("The page was fetched.")[2]
    for words in (
        f"preference   {own}\n",
        f"use          ai-input refused by {own}\n",
        f"{path}, line 5\n",
    ):
        assert words in of_page, words
    only_a_page = robots("audit", "show", path, f"{HERE}/other")
    assert (only_a_page.status, only_a_page.out.count("The page was fetched.")) == (0, 1)


def test_a_place_of_a_preference_that_is_not_known_here_is_shown_as_it_is(path):
    one = {"label": "Use", "key": "train", "value": "n", "line": 0, "place": "another header"}
    forged(path, "decision", preferences=[one])
    assert "; another header Use: train=n\n" in robots("audit", "verify", path).out
    shown = robots("audit", "show", path, URLS[0])
    assert "preference   another header Use: train=n\n" in shown.out


def test_show_says_where_nothing_is_recorded(path):
    answer = robots("audit", "show", path, f"{HERE}/other")
    assert (answer.status, answer.out) == (
        1,
        f"no decision about {HERE}/other is in the record\n",
    )


def test_show_says_why_a_record_may_have_nothing_about_a_url(tmp_path):
    (path,) = record(tmp_path / "audit.jsonl", ROBOTS_AUDIT_PASSED="none")
    assert robots("audit", "show", path, f"{HERE}/yes?q=1").lines == [
        f"no decision about {HERE}/yes?q=1 is in the record",
        f"note: {path}: of the requests that passed none are recorded (ROBOTS_AUDIT_PASSED)",
    ]
    path.write_bytes(path.read_bytes()[:-40])
    answer = robots("audit", "show", path, f"{HERE}/other")
    assert answer.status == 1
    assert f"note: {path} ends without the sums of the crawl: it was killed" in answer.out


def test_a_file_that_is_named_twice_counts_once(path, tmp_path):
    twice = (
        path,
        path.parent / "." / path.name,
        f"{path.parent}/../{path.parent.name}/{path.name}",
    )
    assert robots("audit", "verify", *twice) == robots("audit", "verify", path)
    shown = robots("audit", "show", *twice, URLS[1])
    assert shown == robots("audit", "show", path, URLS[1])
    assert page_of(*twice, tmp_path=tmp_path).text == page_of(path, tmp_path=tmp_path).text


def test_a_copy_of_a_record_that_counts_too_is_noted(path, tmp_path):
    (tmp_path / "copy.jsonl").write_bytes(path.read_bytes())
    answer = robots("audit", "verify", path, tmp_path / "copy.jsonl")
    note = f"{tmp_path / 'copy.jsonl'} has the same part of a crawl as {path}: it counts twice"
    assert (answer.status, answer.lines[0]) == (0, f"note: {note}")
    assert note in page_of(path, tmp_path / "copy.jsonl", tmp_path=tmp_path).text


def test_the_page_tells_two_files_of_one_name_apart(path, tmp_path):
    (tmp_path / "other").mkdir()
    (other,) = record(tmp_path / "other" / path.name)
    text = page_of(path, other, tmp_path=tmp_path).text
    assert f"{path}9finished" in text
    assert f"{other}9finished" in text


def test_show_refuses_a_record_with_a_decision_that_somebody_made_up(path):
    forged(path, "decision", verdict=None)
    answer = robots("audit", "show", path, f"{HERE}/other")
    assert (answer.status, answer.out) == (2, "")
    assert "a decision line that cannot be read: 'verdict' has the wrong type" in answer.err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "audit needs one of verify, show, report, warc"),
        (["verfy"], "not 'verfy'; did you mean verify?"),
        (["prove"], "audit takes verify, show, report, warc, not 'prove'"),
        (["verify"], "audit needs the FILE of a record"),
        (["verify", "none.jsonl"], "cannot read none.jsonl: No such file or directory"),
        (["verify", "none.jsonl", "--json"], "cannot read none.jsonl: No such file or directory"),
        (["show", "https://a.example/"], "audit show takes the FILE of a record, or several, and"),
        (["show", "none.jsonl"], "audit show takes the FILE of a record, or several, and then a"),
        (["show", "tests/site.py", "tests/site.py"], "audit show takes the FILE of a record, or"),
        (["show", "tests/site.py", "https://a.example/"], "; is this a record of ROBOTS_AUDIT?"),
        (["show", "none.jsonl", "https://a.example/"], "none.jsonl: No such file or directory"),
        (["show", "x", "https://a.example/", "--json"], "--json is for audit verify"),
        (["report", "x", "-o", "y", "--dialect", "google"], "--dialect is for audit verify"),
        (["verify", "x", "-o", "y"], "-o is for audit report"),
        (["report", "none.jsonl"], "audit report needs -o PAGE.html"),
        (["report", "none.jsonl", "-o", "x.html"], "none.jsonl: No such file or directory"),
        (["report", "x.jsonl", "-o", "./x.jsonl"], "-o ./x.jsonl is the record itself: name"),
        (["show", "none.jsonl", "/a"], "'/a' is no whole URL: write one such as https://example"),
        (["show", "none.jsonl", "a.example/x"], "no whole URL: write https://a.example/x"),
        (["report", "none.jsonl", "-o", "-"], "-o takes a FILE, not standard output"),
        (["warc", "none.jsonl", "-"], "audit warc takes a file to write, not standard output"),
        (["warc"], "audit warc takes the FILE of a record, or several, and then the WARC"),
        (["warc", "none.jsonl"], "audit warc takes the FILE of a record, or several, and then"),
        (["warc", "none.jsonl", "setup.cfg"], "setup.cfg is there already: name another file"),
        (["warc", "none.jsonl", "/no/such/folder"], "cannot write /no/such/folder: No such file"),
    ],
)
def test_a_wrong_question_gets_one_sentence(arguments, why):
    answer = robots("audit", *arguments)
    assert (answer.status, answer.out) == (2, "")
    assert why in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize("octets", [b"User-agent: *\nDisallow: /\n", b"", b"x", b"{}\n"])
def test_verify_asks_whether_a_file_that_is_no_record_was_meant_and_gives_no_hash(tmp_path, octets):
    (tmp_path / "x").write_bytes(octets)
    answer = robots("audit", "verify", tmp_path / "x")
    assert answer.status == 2
    assert "; is this a record of ROBOTS_AUDIT?\n" in answer.out
    assert "ends with" not in answer.out
    assert json.loads(robots("audit", "verify", "--json", tmp_path / "x").out)["hashes"] == {}


def test_verify_takes_a_record_whose_first_line_was_changed_for_a_record(path):
    path.write_bytes(path.read_bytes().replace(b'"part":1', b'"part":2', 1))
    answer = robots("audit", "verify", path)
    assert f"broken: {path}, line 1: its octets do not match its hash\n" in answer.out


LONG = "x" * 100_000


@pytest.mark.parametrize("verb", [["verify"], ["show"], ["report", "-o", "page.html"], ["warc"]])
@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("crawl", {"settings": None, "user_agent": 1}),
        ("robots", {"url": []}),
        ("robots", {"format": 2, "source": None}),  # only the line of a crawl has a format
        ("robots", {"exchanges": [{}]}),
    ],
)
def test_a_record_that_somebody_made_up_is_refused_in_one_sentence(tmp_path, verb, kind, changes):
    (path,) = record(tmp_path / "audit.jsonl")
    forged(path, kind, **changes)
    name, *options = verb
    more = {"show": [URLS[0]], "warc": [tmp_path / "out.warc"]}.get(name, [])
    answer = robots("audit", name, path, *more, *options)
    assert answer.status == 2
    assert f"a {kind} line that cannot be read" in answer.out + answer.err


def test_warc_of_a_record_with_half_a_character_is_refused_in_one_sentence(tmp_path):
    (path,) = record(tmp_path / "audit.jsonl")
    forged(path, "crawl", user_agent="\ud800")
    answer = robots("audit", "warc", path, tmp_path / "out.warc")
    assert (answer.status, answer.err) == (
        2,
        f"scrapy robots: {path}, line 1: it holds a character that a WARC cannot hold\n",
    )
    assert not (tmp_path / "out.warc").exists()


MOMENT = "2026-03-03T12:00:00.000000Z"
EXCHANGE = {
    "url": f"{HERE}/robots.txt",
    "asked": MOMENT,
    "answered": MOMENT,
    "status": 200,
    "cause": "",
    "sent": {},
    "received": {},
}


@pytest.mark.parametrize(
    ("kind", "changes", "why"),
    [
        ("crawl", {"user_agent": "x\r\n\r\nWARC/1.1"}, "is no line"),
        ("crawl", {"began": "x\r\nWARC-Type: x"}, "Invalid isoformat"),
        ("robots", {"url": "http://[::1/"}, "is no URL of a site"),
        ("robots", {"url": ""}, "is no URL of a site"),
        ("robots", {"url": f"{HERE}/\r\nWARC-Type: x"}, "is no line"),
        ("robots", {"answered": "x\r\nWARC-Type: x"}, "Invalid isoformat"),
        ("robots", {"sent": {"x\ny": ""}}, "is no line"),
        ("robots", {"received": {"x": "\r\n\r\nbody"}}, "is no line"),
    ],
)
def test_no_text_of_a_record_becomes_a_line_or_a_record_of_a_warc(tmp_path, kind, changes, why):
    (path,) = record(tmp_path / "audit.jsonl")
    changed = {"exchanges": [EXCHANGE | changes]} if kind == "robots" else changes
    forged(path, kind, **changed)
    answer = robots("audit", "warc", path, tmp_path / "out.warc")
    assert answer.status == 2
    assert "it cannot be written to a WARC: " in answer.err
    assert why in answer.err
    assert answer.err.count("\n") == 1
    assert not (tmp_path / "out.warc").exists()


@pytest.mark.parametrize("robots_line", [10**15, -1, 77])
def test_show_takes_no_file_for_an_exempt_request_that_names_one(tmp_path, robots_line):
    (path,) = record(tmp_path / "audit.jsonl")
    forged(path, "decision", exempt="x", robots=robots_line, agent="Bot", dialect="none")
    answer = robots("audit", "show", path, URLS[0])
    assert answer.status == 0
    assert "exempt by    x\n" in answer.out
    assert "Bot" not in answer.out.replace("Bot/", "")


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("crawl", {"package": LONG, "settings": {"X": LONG}, "spider": LONG, "agent": LONG}),
        ("crawl", {"purposes": [LONG]}),
        ("crawl", {"judged_by": {}, "format": LONG}),
        ("robots", {"source": LONG, "url": LONG, "answered": LONG}),
        ("robots", {"sha256": LONG}),
        ("decision", {"reason": LONG, "verdict": LONG, "group": LONG, "agent": LONG}),
        ("decision", {"rule": LONG, "url": URLS[0] + LONG}),
        ("decision", {"exempt": LONG, "reason": LONG, "set_by": {LONG: LONG}}),
        ("decision", {"preferences": [{"label": LONG, "key": LONG, "value": LONG, "line": 1}]}),
        ("end", {"reason": LONG, "sums": {LONG: 1}}),
    ],
)
def test_a_long_text_of_a_record_is_cut_at_the_terminal_and_on_the_page(tmp_path, kind, changes):
    (path,) = record(tmp_path / "audit.jsonl")
    forged(path, kind, **changes)
    page = tmp_path / "page.html"
    for verb, *options in (["verify"], ["show", URLS[0]], ["report", "-o", page]):
        answer = robots("audit", verb, path, *options)
        assert len(answer.out + answer.err) < len(LONG)
    answer = robots("audit", "show", path, URLS[0] + LONG)
    assert len(answer.out + answer.err) < 3 * len(LONG)  # what the user has typed is shown whole
    assert not page.exists() or len(page.read_text("utf-8")) < len(LONG)


VERBS = {"verify": ("{0}",), "show": ("{0}", f"{HERE}/no"), "report": ("{0}", "-o", "{1}")}


@pytest.mark.parametrize("verb", [*VERBS, "warc"])
def test_a_disk_of_temporary_files_that_is_full_gets_one_sentence(
    path, tmp_path, monkeypatch, verb
):
    connect = sqlite3.connect

    def connect_to_full(place):
        connection = connect(place)
        connection.execute("PRAGMA max_page_count = 3")
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_to_full)
    arguments = [one.format(path, tmp_path / "new") for one in VERBS.get(verb, ("{0}", "{1}"))]
    answer = robots("audit", verb, *arguments)
    assert answer.status == 2
    assert answer.err.endswith("temporary files (TMPDIR): database or disk is full\n")
    assert answer.err.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_broken_is_not_hidden_in_json(tmp_path):
    (tmp_path / "x").write_text("x\n")
    answer = robots("audit", "verify", "--json", tmp_path / "x")
    assert answer.status == 2
    assert json.loads(answer.out)["errors"]


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def page_of(*paths, tmp_path):
    page = tmp_path / "page.html"
    answer = robots("audit", "report", *paths, "-o", page)
    assert (answer.status, answer.err) == (0, "")
    parser = Tags()
    parser.feed(page.read_text("utf-8"))
    return parser


def test_the_page_says_who_crawled_what_was_refused_and_what_was_heard(tmp_path):
    results = {HERE: served(RULES), THERE: FetchResult(None, cause="timeout")}
    recording = Recording(
        tmp_path / "audit.jsonl.gz", results, ROBOTS_PURPOSE="search", ROBOTS_DIALECT="google"
    )
    for url in (*URLS, f"{THERE}/x"):
        recording.decide(url)
    parser = page_of(*recording.close(), tmp_path=tmp_path)
    assert "script" not in parser.tags
    for words in (
        *("Bot", "Bot/1.0", "google", "search"),
        *("robots.txt unreachable", "line 2, Disallow: /no", HERE, THERE),
        "Content-Signal: ai-train=no",
        "with the same answers",
        recording.recorder.writer.hash,
    ):
        assert words in parser.text, words


def test_a_tdmrep_json_is_not_counted_as_a_robots_txt(tmp_path):
    reserved = served(b'[{"location": "/", "tdm-reservation": 0}]')
    results = {HERE: served(RULES), key_of(HERE, TDMREP): reserved}
    recording = Recording(tmp_path / "audit.jsonl", results, ROBOTS_PURPOSE="ai-input")
    recording.decide(f"{HERE}/yes")
    (path,) = recording.close()
    verified = robots("audit", "verify", path).lines[0]
    assert ", 1 robots.txt, 1 tdmrep.json; 1 decision made anew" in verified
    text = " ".join(page_of(path, tmp_path=tmp_path).text.split())
    for count in ("1robots.txt recorded", "1tdmrep.json recorded", "cache of the process1"):
        assert count in text, count


def test_the_page_shows_the_group_of_a_control_token_as_the_log_does(tmp_path):
    rules = f"{RULES}\nUser-agent: Google-Extended\nDisallow: /\n"
    recording = Recording(
        tmp_path / "audit.jsonl", {HERE: served(rules)}, ROBOTS_PURPOSE="ai-input"
    )
    recording.decide(f"{HERE}/yes")
    text = page_of(*recording.close(), tmp_path=tmp_path).text
    assert "User-agent: Google-Extended, Disallow: /" in text
    assert "=Disallow" not in text


def test_the_page_counts_one_decision_that_is_made_otherwise_as_one(path, tmp_path):
    forged(path, "decision", rule="Allow: /forged", line=9)
    assert robots("audit", "report", path, "-o", tmp_path / "page.html").status == 1
    page = (tmp_path / "page.html").read_text("utf-8")
    assert " 1 decision had another answer when made again." in page


def test_the_page_says_that_a_record_was_cut_off_and_that_its_end_is_not_recorded(path, tmp_path):
    lines = path.read_bytes().splitlines(keepends=True)
    last = time_words(json.loads(lines[-1])["at"])
    cut_off, no_end = "A file was cut off in its last line", "ended not recorded"
    whole = page_of(path, tmp_path=tmp_path).text
    assert (cut_off in whole, no_end in whole, f"ended {last}" in whole) == (False, False, True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    torn = page_of(path, tmp_path=tmp_path).text
    assert (cut_off in torn, no_end in torn) == (True, True)


@pytest.mark.parametrize("dry_run", [True, False])
def test_the_page_of_a_dry_run_counts_what_would_be_refused(tmp_path, dry_run):
    recording = Recording(tmp_path / "audit.jsonl", {HERE: served(RULES)}, ROBOTS_DRY_RUN=dry_run)
    recording.decide(f"{HERE}/no", dry_run=dry_run)
    text = page_of(*recording.close(), tmp_path=tmp_path).text
    assert ("1would be refused" in text, "1requests refused" in text) == (dry_run, not dry_run)


def test_the_page_of_joined_records_speaks_of_each(tmp_path):
    (first,) = record(tmp_path / "1.jsonl", URLS, USER_AGENT="Old/1.0", ROBOTS_AUDIT_PASSED="none")
    (second,) = record(tmp_path / "2.jsonl")
    lines = first.read_bytes().splitlines(keepends=True)
    joined = tmp_path / "joined.jsonl"
    joined.write_bytes(b"".join(lines[:-1]) + second.read_bytes())
    text = page_of(joined, tmp_path=tmp_path).text
    for words in ("Old/1.0", "Bot/1.0", "passes recorded", "has no sums: it was killed"):
        assert words in text, words
    for latest in (lines[-2], second.read_bytes().splitlines()[-1]):
        assert json.loads(latest)["hash"] in text


@pytest.mark.parametrize(
    ("passed", "words"), [("all", ""), ("first", "only the first"), ("none", "none are recorded")]
)
def test_passes_that_are_not_recorded_are_not_taken_for_none(tmp_path, passed, words):
    paths = record(tmp_path / "audit.jsonl", URLS, ROBOTS_AUDIT_PASSED=passed)
    text = page_of(*paths, tmp_path=tmp_path).text
    notes = robots("audit", "verify", *paths).out
    if words:
        assert f"of the requests that passed {words}" in text
        assert f"of the requests that passed {words}" in notes
        assert "By the sums at the end 3 requests passed." in text
    assert ("passes recorded" in text) == ("note: " in notes) == bool(words)


def test_the_page_of_a_broad_crawl_says_that_there_is_more(tmp_path, monkeypatch):
    for module in (overview, audit_page):
        monkeypatch.setattr(module, "MAX_COUNTED", 2)
    origins = [f"https://{n}.example" for n in range(3)]
    results = {one: served(f"License: {one}/x\nUser-agent: *\nDisallow: /{one}") for one in origins}
    recording = Recording(tmp_path / "audit.jsonl", results, ROBOTS_PURPOSE="search")
    for one in origins:
        recording.decide(f"{one}/")
        recording.decide(f"{one}/{one}")
    text = page_of(*recording.close(), tmp_path=tmp_path).text
    assert "2or more origins" in text
    assert text.count("all others") == 2


def test_the_page_says_whether_all_parts_of_a_crawl_are_there(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "MAX_GATHERED", 2_000)
    urls = [f"{HERE}/page/{n}" for n in range(50)]
    first, second, *more = record(tmp_path / "a.jsonl", urls, ROBOTS_AUDIT_MAX_SIZE=5_000)
    whole = page_of(first, second, *more, tmp_path=tmp_path).text
    assert "which is not here" not in whole
    assert "taken out" not in whole
    alone = page_of(first, tmp_path=tmp_path).text
    assert f"{first} goes on in another file, which is not here" in alone
    page = tmp_path / "page.html"
    assert robots("audit", "report", first, *more, "-o", page).status == 2
    assert "a part was taken out or cut" in page.read_text("utf-8")


def test_text_of_a_site_is_no_markup_on_the_page(tmp_path):
    hostile = "<script>alert(1)</script>"
    results = {HERE: served(f"User-agent: *\nDisallow: /{hostile}\nLicense: {hostile}\n")}
    recording = Recording(tmp_path / "audit.jsonl", results, ROBOTS_PURPOSE="search")
    recording.decide(f"{HERE}/{hostile}")
    recording.decide(f"{HERE}/yes")
    parser = page_of(*recording.close(), tmp_path=tmp_path)
    assert "script" not in parser.tags
    assert f"Disallow: /{hostile}" in parser.text


def test_warc_without_its_library_names_the_extra(path, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "warcio.warcwriter", None)
    answer = robots("audit", "warc", path, tmp_path / "out.warc.gz")
    assert answer.status == 2
    assert "scrapy-robots-policy[warc]" in answer.err


def check_warc(target):
    checked = subprocess.run(
        [sys.executable, "-m", "warcio.cli", "check", "-v", str(target)],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
    assert "pass" in checked.stdout
    assert "fail" not in checked.stdout


@pytest.mark.slow
@on_reactor
async def test_all_exchanges_are_in_the_warc(tmp_path):
    path, target = tmp_path / "audit.jsonl", tmp_path / "out.warc.gz"
    octets = b"User-agent: *\nDisallow: /secret\n\xff\n"
    gone = Site({"/robots.txt": Answer(status=404)}, "127.0.0.2")
    script = {"/robots.txt": moved("/r2"), "/r2": Answer(octets)}
    with gone, Site(script) as site:
        await crawl(
            site.url("/a"),
            gone.url("/b"),
            "http://127.0.0.9:9/c",
            settings={"ROBOTS_AUDIT": path, "ROBOTS_FETCH_RETRIES": 0},
        )
    answer = robots("audit", "warc", path, target)
    assert (answer.status, answer.out) == (0, f"4 exchanges in {target}\n")
    check_warc(target)
    with target.open("rb") as file:
        records = [
            (r.rec_type, r.rec_headers["WARC-Target-URI"], r.content_stream().read())
            for r in ArchiveIterator(file)
        ]
    assert ("response", site.url("/r2"), octets) in records
    assert ("response", site.url("/robots.txt"), b"") in records
    assert ("response", gone.url("/robots.txt"), b"") in records
    assert [kind for kind, _, _ in records].count("request") == 3
    failures = [body for kind, _, body in records if kind == "metadata"]
    assert failures == [b'{"cause": "connection refused"}']


def test_warc_overwrites_nothing(path, tmp_path):
    (tmp_path / "out.warc.gz").write_bytes(b"precious")
    answer = robots("audit", "warc", path, tmp_path / "out.warc.gz")
    assert answer.status == 2
    assert (tmp_path / "out.warc.gz").read_bytes() == b"precious"


def test_a_broken_record_leaves_no_part_of_a_warc(path, tmp_path):
    path.write_bytes(path.read_bytes().replace(b"/no", b"/na"))
    answer = robots("audit", "warc", path, tmp_path / "out.warc.gz")
    assert (answer.status, (tmp_path / "out.warc.gz").exists()) == (2, False)
