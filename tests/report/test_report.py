"""The counts of a crawl, their table, and the report."""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from inspect import getsource
from typing import Any

import pytest

from scrapy_robots_policy.rep import Reason, Rule, Verdict
from scrapy_robots_policy.report import summary
from scrapy_robots_policy.report.columns import aligned
from scrapy_robots_policy.report.counts import MAX_CAUSES, THE_REST, CrawlCounts, OriginCounts
from scrapy_robots_policy.report.earlier_report import EarlierReport, OriginFigures
from scrapy_robots_policy.report.formats import elapsed
from scrapy_robots_policy.report.histogram import DELAYS
from scrapy_robots_policy.report.page import page
from scrapy_robots_policy.report.report_files import ReportFiles
from scrapy_robots_policy.report.sections import sections
from scrapy_robots_policy.report.summary import Report, json_parts
from scrapy_robots_policy.report.text_table import table
from tests.docs.markdown import ROOT
from tests.missing import not_on_windows

pytestmark = pytest.mark.usefixtures("one_suffix_list")


def dropped_by(line: int, path: str = "/x") -> Verdict:
    return Verdict(False, Reason.RULE, "rfc9309", "bot", Rule(False, path, line))


UNREACHABLE = Verdict(False, Reason.UNREACHABLE, "google", "Bot", why="503")


def counts_of(
    origin: str, *dropped: Verdict, waits: Iterable[float] = (), **fields: Any
) -> OriginCounts:
    """The counts of an origin whose requests had these verdicts, and waited so many seconds."""
    crawl = CrawlCounts()
    for verdict in dropped:
        crawl.drop(origin, verdict, origin)
    for seconds in waits:
        crawl.wait(origin, seconds)
    return replace(crawl.of(origin), **fields)


def test_the_table_has_a_row_for_each_origin_and_each_cause_of_a_drop():
    dropped = map(dropped_by, (3, 9, 3))
    waits = (0.26, 0.04)
    rules = counts_of(
        "http://a.example", *dropped, waits=waits, mode="rules", why="200", fetches=1, passed=12
    )
    closed = counts_of("http://long.example:8080", UNREACHABLE, mode="disallow", why="503")
    assert table([rules, closed]) == (
        "origin                    mode      passed  dropped  waited  why\n"
        "http://a.example          rules         12        3   0.3 s  200\n"
        "                                                  2          line 3, Disallow: /x\n"
        "                                                  1          line 9, Disallow: /x\n"
        "http://long.example:8080  disallow       0        1       -  503\n"
        "                                                  1          robots.txt unreachable (503)"
    )


def test_control_characters_in_the_table_are_escaped():
    line = counts_of("http://a.example", dropped_by(1, "/\x1b[2Jcaf\xc3\xa9"), mode="rules")
    assert table([line]).endswith(r"  line 1, Disallow: /\x1b[2Jcafé")


def test_an_empty_table_has_its_head():
    assert table([]) == "origin  mode  passed  dropped  waited  why"


def test_origins_are_counted_apart_up_to_a_bound():
    counts = CrawlCounts(max_origins=2)
    first = counts.of("http://1")
    first.passed = 5
    for number in range(2, 10):
        counts.of(f"http://{number}").passed += 1
    assert counts.of("http://1") is first
    assert [(origin.origin, origin.passed) for origin in counts.origins] == [
        ("http://1", 5),
        ("http://2", 1),
        ("all others", 7),
    ]


def test_causes_of_drops_are_counted_apart_up_to_a_bound():
    line = counts_of("http://a", *map(dropped_by, range(1, MAX_CAUSES + 11)))
    assert len(line.dropped) == MAX_CAUSES + 1
    assert line.dropped["all others"] == 10


MARKUP = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>$style &amp; \x1b[31m"
SAFE = MARKUP.replace("\x1b", "\\x1b")


def report_of(*lines: OriginCounts, **stats: int) -> Report:
    counts = {f"robots/{name}": count for name, count in stats.items()}
    return Report(MARKUP, "Bot", "google", 1e9, 1e9 + 75, "finished", lines, counts)


def data_of(report: Report) -> dict[str, Any]:
    """What the data file has."""
    data: dict[str, Any] = json.loads("".join(json_parts(report)))
    return data


def hostile() -> Report:
    """Every text that a site, a spider or an earlier report may choose is markup."""
    crawl = CrawlCounts()
    line = crawl.of(MARKUP)
    line.mode, line.why, line.trouble = "rules", MARKUP, True
    line.delay, line.paced, line.usage, line.octets = 5, MARKUP, (MARKUP,), 100
    for _ in range(3):
        crawl.drop(MARKUP, dropped_by(1, f"{MARKUP}é\u202e".encode().decode("latin-1")), MARKUP)
    crawl.wait(MARKUP, 1.5)
    crawl.hold(MARKUP, 2.5)
    crawl.sizes.add(100)
    crawl.of("http://second.example").usage = (f"{MARKUP} once more",)
    report = report_of(
        *crawl.origins,
        **{f"tags/{MARKUP}/dropped": 1, f"outcome/{MARKUP}": 1, f"dropped/{MARKUP}": 3},
    )
    before = {MARKUP: OriginFigures(MARKUP, MARKUP, 5, False)}
    base = EarlierReport(MARKUP, 1, 2, 3, 4.0, 5.0, before, {MARKUP: 6})
    return replace(report, samples=crawl.samples, histograms=crawl.histograms, base=base)


class Reader(HTMLParser):
    """The parts of a page: its tags, their attributes, and its texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.data: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        (self.data if self.cdata_elem == "script" else self.texts).append(data)


def test_names_that_sites_and_spiders_choose_are_text_in_the_page():
    read = Reader(page(hostile(), "report.json"))
    assert "img" not in read.tags
    assert [name for name, _ in read.attributes if name.startswith("on") or name == "style"] == []
    assert f"Disallow: {SAFE}é\\u202e" in read.texts
    assert read.texts.count(SAFE) >= 9  # the spider, the origin, its trouble, an outcome, a tag …
    assert f"{SAFE} once more" in read.texts


def test_the_data_of_the_tables_cannot_leave_its_script_element():
    read = Reader(page(hostile(), "report.json"))
    *tables, script = read.data
    assert ("type", "application/json") in read.attributes
    assert read.tags.count("script") == len(read.data) == len(tables) + 1
    assert script.startswith('"use strict";')
    for data in tables:
        assert not set("<>&") & set(data)
        assert data.isprintable()
    cells = [cell for data in tables for row in json.loads(data)["rows"] for cell in row]
    assert SAFE in cells
    assert MARKUP not in cells


def test_the_page_loads_nothing_and_admits_its_own_style_sheet_and_script_only():
    text = page(hostile(), "report 1.json")
    read = Reader(text)

    def digest(start, end):
        source = text.rpartition(start)[2].partition(end)[0]
        return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"

    (policy,) = (value for _, value in read.attributes if value and "default-src" in value)
    style, script = digest("<style>", "</style>"), digest("<script>", "</script>")
    assert policy == (
        f"default-src 'none'; style-src {style}; script-src {script}; "
        "require-trusted-types-for 'script'; trusted-types 'none'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    links = [value for name, value in read.attributes if name in ("href", "src")]
    assert links == ["data:,", "report%201.json"]
    for loading in ("url(", "@import", "fetch(", "XMLHttp", "innerHTML", "import("):
        assert loading not in text


@pytest.mark.slow
def test_the_page_has_the_worst_of_many_origins_and_the_data_has_all():
    lines = [OriginCounts(f"http://{number}.example", "rules", "200") for number in range(1, 1001)]
    for number, line in enumerate(lines, 1):
        line.dropped["line 2, Disallow: /"] = number
        line.longest_wait = number / 10
    report = report_of(*lines)
    text = page(report, "report.json")
    assert '<td data-name="origin">http://1000.example</td>' in text
    assert '<td data-name="origin">http://900.example</td>' not in text
    assert len(text) < 200_000
    assert [origin["dropped"] for origin in data_of(report)["origins"]] == [
        {"line 2, Disallow: /": number} for number in range(1, 1001)
    ]


def test_the_page_about_it_has_each_section_and_no_other():
    titles = re.findall(r'section\(f?"([^"]+)"', getsource(sections))
    rows = (ROOT / "docs" / "report.md").read_text("utf-8").partition("| figures |")[2]
    shown = re.findall(r"^\| ([^|]+) \|", rows.partition("\n\n")[0], re.MULTILINE)
    assert shown == [title.replace("{verb}", "Dropped") for title in titles]


def test_an_empty_section_is_left_out():
    counts = OriginCounts("http://a.example", "allow", "404", passed=3)
    texts = {text.strip() for text in Reader(page(report_of(counts), "r.json")).texts}
    assert {"Origins by access mode", "everything is allowed", "Nothing was dropped."} <= texts
    assert {"Waiting for a robots.txt", "Trouble", "Delays"} & texts == set()


def test_the_page_says_that_nothing_was_dropped_only_if_that_is_so():
    """Scrapy's DummyStatsCollector has no stats, so the reasons are not known."""
    counts = OriginCounts("http://a.example", "rules", "200", dropped={"line 2, Disallow: /": 1})
    assert "Nothing was dropped." not in page(report_of(counts), "r.json")
    assert "Nothing was dropped." in page(report_of(), "r.json")


@pytest.mark.parametrize(
    ("stat", "is_said", "is_not_said"),
    [
        (
            "would_drop/rule",
            {"What would be dropped, by rule ", "would be dropped"},
            "requests dropped",
        ),
        ("dropped/rule", {"Dropped, by rule ", "requests dropped"}, "would be dropped"),
    ],
)
def test_only_the_page_of_a_dry_run_says_that_requests_would_be_dropped(stat, is_said, is_not_said):
    line = OriginCounts(
        "http://a.example", "rules", "200", passed=3, dropped={"line 2, Disallow: /": 1}
    )
    texts = Reader(page(report_of(line, **{stat: 1}), "r.json")).texts
    assert is_said <= set(texts)
    assert is_not_said not in texts


HERE = "http://a.example"


@pytest.mark.parametrize(
    ("lines", "text", "is_shown"),
    [
        ([OriginCounts(HERE)], "Registered domains", False),
        ([OriginCounts(HERE), OriginCounts("http://b.example")], "Registered domains", True),
        ([OriginCounts(HERE, tdmrep="404")], "tdmrep.json", False),
        ([OriginCounts(HERE, tdmrep="200, no JSON")], "tdmrep.json", True),
        ([OriginCounts(HERE)], "Waiting for a turn", False),
        ([OriginCounts(HERE, held=2.0)], "Waiting for a turn", True),
        ([OriginCounts(HERE, dropped={"x": 1})], "Some of these URLs", False),
        ([OriginCounts(HERE)], "not fetched", True),
        ([OriginCounts(THE_REST)], "not fetched", False),
        ([OriginCounts(HERE, octets=512_000)], "512 KB", True),
        ([OriginCounts(HERE, octets=512_000, cut=True)], "512 KB, cut", True),
    ],
)
def test_the_page_shows_what_there_is_to_show(lines, text, is_shown):
    texts = {text.strip() for text in Reader(page(report_of(*lines), "r.json")).texts}
    assert (text in texts) is is_shown


def test_the_page_says_whether_waits_are_longer_or_shorter_than_before():
    base = EarlierReport("", 0, 0, 0, 10.0, 0.0, {}, {})
    report = replace(report_of(OriginCounts(HERE, waited=4.0, held=2.0)), base=base)
    assert {"-6.0 s", "+2.0 s"} <= set(Reader(page(report, "r.json")).texts)


def test_the_data_is_plain():
    fields = {"mode": "disallow", "why": "503", "trouble": True, "passed": 2}
    line = counts_of("http://a.example", UNREACHABLE, waits=[0.5], **fields)
    report = report_of(line, **{"dropped/unreachable": 1})
    assert data_of(report) == {
        "spider": MARKUP,
        "agent": "Bot",
        "dialect": "google",
        "began": "2001-09-09T01:46:40+00:00",
        "ended": "2001-09-09T01:47:55+00:00",
        "reason": "finished",
        "passed": 2,
        "dropped": 1,
        "stances": {"disallow": 1},
        "stats": {"robots/dropped/unreachable": 1},
        "origins": [
            {
                "origin": "http://a.example",
                "stance": "disallow",
                "why": "503",
                "trouble": True,
                "fetches": 0,
                "passed": 2,
                "dropped": {"robots.txt unreachable (503)": 1},
                "waits": 1,
                "waited": 0.5,
                "longest_wait": 0.5,
                "delay": 0.0,
                "paced": "",
                "tdmrep": "",
                "uses": {},
                "held": 0.0,
                "octets": 0,
                "cut": False,
                "usage": [],
            }
        ],
        "waited": 0.5,
        "held": 0.0,
        "rules": [
            {
                "text": "robots.txt unreachable (503)",
                "dropped": 1,
                "origins": 1,
                "samples": [],
            }
        ],
        "domains": [{"domain": "a.example", "origins": 1, "passed": 2, "dropped": 1, "lost": 0.5}],
        "usage": {},
        "compared": None,
        "histograms": {"delays": {"bounds": list(DELAYS), "counts": [0] * (len(DELAYS) + 1)}},
    }


def test_causes_that_look_the_same_are_counted_together():
    paths = ("/\xff", "/\xfe", "/\xfe")
    line = counts_of("http://a.example", *(dropped_by(1, path) for path in paths))
    (origin,) = data_of(report_of(line))["origins"]
    assert origin["dropped"] == {"line 1, Disallow: /\N{REPLACEMENT CHARACTER}": 3}


@pytest.mark.parametrize(
    ("name", "files"), [("a.html", ["a.html", "a.json"]), ("b.json", ["b.json"])]
)
def test_a_page_has_its_data_beside_it(tmp_path, name, files):
    ReportFiles.of(tmp_path / name).write(hostile())
    assert sorted(path.name for path in tmp_path.iterdir()) == files


@not_on_windows
def test_the_name_of_a_report_need_not_be_utf_8():
    assert 'href="a%FF%26b.json"' in page(hostile(), os.fsdecode(b"a\xff&b.json"))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("report", "it must be the path of a file that ends in .html or .json"),
        ("report.txt", "it must be the path of a file that ends in .html or .json"),
        ("no/such/report.html", "no file can be created there: No such file or directory"),
        pytest.param(
            "file/report.html",
            "no file can be created there: Not a directory",
            marks=not_on_windows,
        ),
        ("folder.html", "folder.html is a folder"),
        pytest.param(
            f"{'long' * 100}.html",
            "no file can be created there: File name too long",
            marks=not_on_windows,
        ),
        pytest.param("\ud800.html", ": surrogates not allowed", marks=not_on_windows),
        ("taken.html", "taken.json is a folder"),
    ],
)
def test_a_place_where_no_report_can_be_written_is_an_error(tmp_path, name, sentence):
    (tmp_path / "file").touch()
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "taken.json").mkdir()
    with pytest.raises(ValueError, match=r"\w") as error:
        ReportFiles.of(tmp_path / name)
    assert str(error.value).endswith(sentence)


def test_a_write_that_fails_leaves_the_old_files_and_no_other(tmp_path, monkeypatch):
    files = ReportFiles.of(tmp_path / "a.html")
    files.write(hostile())
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def parts_on_a_full_disk(_report):
        yield "{" * 100_000
        raise OSError("No space left on device")

    monkeypatch.setattr(summary, "json_parts", parts_on_a_full_disk)
    with pytest.raises(OSError, match="No space left on device"):
        files.write(report_of())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("text", ["", "<html>" * 10_000])
def test_a_page_and_its_data_stay_those_of_one_crawl_on_a_full_disk(tmp_path, monkeypatch, text):
    """The data fits into Python's buffer, so the disk refuses it late; the long page at once."""
    resource = pytest.importorskip("resource")
    files = ReportFiles.of(tmp_path / "a.html")
    files.write(hostile())
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(summary, "json_parts", lambda _report: ["{" * 5_000])
    monkeypatch.setattr("scrapy_robots_policy.report.page.page", lambda _report, _data: text)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000 if text else 1_000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            files.write(report_of())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_crawls_that_write_to_one_path_at_the_same_time_leave_a_whole_file(tmp_path, monkeypatch):
    files = ReportFiles.of(tmp_path / "a.json")
    texts = ["1" * 100_000, "2" * 50_000]

    def parts_of_two(_report):
        own = texts.pop()
        yield own
        if texts:
            files.write(report_of())
        yield own

    monkeypatch.setattr(summary, "json_parts", parts_of_two)
    files.write(report_of())
    assert files.data.read_text() == "2" * 100_000
    assert list(tmp_path.iterdir()) == [files.data]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (59.94, "59.9 s"), (75, "1 min 15 s"), (3600 * 30 + 61, "30 h 1 min")],
)
def test_durations_have_two_units_at_most(seconds, text):
    assert elapsed(seconds) == text


def test_columns_are_aligned_by_their_width_on_a_terminal():
    rows = [("a", "1", "x"), ("日本", "10", ""), ("e\N{COMBINING ACUTE ACCENT}", "100", "y")]
    assert list(aligned(rows, right={1})) == [
        "a       1  x",
        "日本   10",
        "e\N{COMBINING ACUTE ACCENT}     100  y",
    ]
    assert list(aligned([])) == []


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("a.html", ["a.2.html", "a.2.json", "a.3.html", "a.3.json", "a.html", "a.json"]),
        ("a.b.json", ["a.b.2.json", "a.b.3.json", "a.b.json"]),
    ],
)
def test_reports_with_one_path_get_a_number_where_none_is_replaced(
    tmp_path, monkeypatch, name, names
):
    """Each crawl begins to write while another one, perhaps of another process, writes."""
    files = ReportFiles.of(tmp_path / name, replaces=False)
    texts, written = ["3", "2", "1"], []

    def parts_of_all(_report):
        own = texts.pop()
        if texts:
            written.append(files.write(report_of()))
        yield own

    monkeypatch.setattr(summary, "json_parts", parts_of_all)
    written.append(files.write(report_of()))
    assert [file.data.read_text() for file in written] == ["3", "2", "1"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_a_write_that_fails_leaves_no_file_with_a_number(tmp_path, monkeypatch):
    files = ReportFiles.of(tmp_path / "a.html", replaces=False)
    files.write(report_of())

    def page_on_a_full_disk(_report, _data):
        raise OSError("No space left on device")

    monkeypatch.setattr("scrapy_robots_policy.report.page.page", page_on_a_full_disk)
    with pytest.raises(OSError, match="No space left on device"):
        files.write(report_of())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "a.json"]
