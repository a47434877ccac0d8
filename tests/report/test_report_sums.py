"""What is summed over origins, how an earlier report is read, and what bounds the memory."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from scrapy_robots_policy.rep.preference import Preference
from scrapy_robots_policy.rep.use_answer import Result, UseResult
from scrapy_robots_policy.report import counts, earlier_report
from scrapy_robots_policy.report.charts import chart, class_labels
from scrapy_robots_policy.report.counts import (
    MAX_SAMPLES,
    THE_REST,
    CrawlCounts,
    OriginCounts,
    rule_text,
)
from scrapy_robots_policy.report.earlier_report import (
    Change,
    ChangedRule,
    EarlierReport,
    OriginFigures,
    changed_rules,
    changes,
)
from scrapy_robots_policy.report.formats import change, octets, span
from scrapy_robots_policy.report.grid import MAX_TEXT, SHOWN_ROWS, TEXT, Noted, grid
from scrapy_robots_policy.report.histogram import Histogram
from scrapy_robots_policy.report.html import MAX_ROWS, Bar, bars, html_table
from scrapy_robots_policy.report.page import page
from scrapy_robots_policy.report.sums import DomainSum, by_domain, by_rule, by_use
from tests.report.test_report import counts_of, data_of, dropped_by, report_of

pytestmark = pytest.mark.usefixtures("one_suffix_list")


TEXTS = {
    "line 3, Disallow: /x": "Disallow: /x",
    "line 12, Disallow: /line 3, x": "Disallow: /line 3, x",
    "robots.txt unreachable (503)": "robots.txt unreachable (503)",
    "all others": "all others",
}


@pytest.mark.parametrize("cause", TEXTS)
def test_a_rule_is_the_same_on_any_line(cause):
    assert rule_text(cause) == TEXTS[cause]


def test_rules_are_summed_over_lines_and_origins_with_their_samples():
    crawl = CrawlCounts()
    for number, line in enumerate((3, 9, 9, 3)):
        crawl.drop(f"http://{number % 2}.example", dropped_by(line), f"http://x/{number}")
    crawl.drop("http://2.example", dropped_by(1, "/y"), "http://user:secret@x/y\x1b[2J")
    first, second = by_rule(crawl.origins, crawl.samples)
    assert (first.text, first.dropped, first.origins) == ("Disallow: /x", 4, 2)
    assert first.samples == ["http://x/0", "http://x/1", "http://x/2"]
    assert second.samples == ["http://x/y\\x1b[2J"]  # no password, no control character


DOMAINS = {
    "https://www.example.co.uk": "example.co.uk",
    "http://a.b.example.com:8080": "example.com",
    "http://127.0.0.1:80": "127.0.0.1",
    "http://localhost": "localhost",
    "http://a.b.unknown": "b.unknown",
    "http://co.uk": "co.uk",
    "https://a.github.io": "github.io",
    "http://[::1]:81": "[::1]",
    "http://[::ffff:10.0.0.1]": "[::ffff:10.0.0.1]",
    THE_REST: THE_REST,
}


@pytest.mark.parametrize("origin", DOMAINS)
def test_an_origin_counts_for_its_registered_domain(origin):
    one = OriginCounts(origin, passed=3, dropped={"x": 2}, waited=1.5, held=2.0)
    assert by_domain([one]) == [DomainSum(DOMAINS[origin], 1, 3, 2, 3.5)]


def test_a_use_counts_once_for_an_origin():
    uses = {"http://a": ("License", "x"), "http://b": ("x",)}
    assert by_use(OriginCounts(name, usage=use) for name, use in uses.items()) == {
        "License": 1,
        "x": 2,
    }


def test_all_that_is_counted_has_a_bound(monkeypatch):
    monkeypatch.setattr(counts, "MAX_ALL_CAUSES", 50)
    monkeypatch.setattr(counts, "MAX_SAMPLED", 20)
    crawl = CrawlCounts(max_origins=10)
    for number in range(1000):
        origin = f"http://{number % 200}.example"
        crawl.drop(origin, dropped_by(number), "http://x/" + "y" * 5000)
        crawl.drop(origin, dropped_by(number, f"/{number}"), "http://x/")
        crawl.wait(origin, number / 10)
        crawl.hold(origin, number / 10)
    causes = sum(len(one.dropped) for one in crawl.origins)
    assert causes <= 50 + 11  # one "all others" for each entry
    assert sum(one.all_dropped for one in crawl.origins) == 2000
    assert len(crawl.samples) <= 20
    assert all(len(urls) <= MAX_SAMPLES for urls in crawl.samples.values())
    assert max(len(url) for urls in crawl.samples.values() for url in urls) <= 200
    assert 0 < len(crawl._texts) <= 50
    assert len(crawl.waits.counts) == len(crawl.waits.bounds) + 1
    assert crawl.waits.total == crawl.held.total == 1000


def test_the_results_for_declared_uses_have_a_bound_over_all_origins(monkeypatch):
    monkeypatch.setattr(counts, "MAX_ALL_CAUSES", 50)
    crawl = CrawlCounts(max_origins=10)
    for number in range(1000):
        line = Preference("Content-Usage", "train-ai", f"n;{number}", 1)
        results = (UseResult("train-ai", Result.REFUSED, line), UseResult("search", Result.GRANTED))
        crawl.note_uses(f"http://{number % 200}.example", results)
    assert sum(len(one.uses) for one in crawl.origins) <= 50 + 11  # one "all others" for each
    assert sum(sum(one.uses.values()) for one in crawl.origins) == 1000
    assert not any(
        "search" in use for one in crawl.origins for use in one.uses
    )  # no line is about it


def test_a_histogram_counts_each_value_in_its_class():
    histogram = Histogram.of((1.0, 10.0), (0, 1, 1.001, 10, 11, 1e9))
    assert histogram.counts == [2, 2, 2]
    assert class_labels(histogram, span) == ["to 1 s", "to 10 s", "over 10 s"]
    picture = chart("Waits", histogram, span)
    assert 'aria-label="Waits: to 1 s: 2, to 10 s: 2, over 10 s: 2"' in picture
    assert chart("Waits", Histogram((1.0,)), span) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.03, "30 ms"),
        (1, "1 s"),
        (300, "5 min"),
        (43200, "12 h"),
        (5400, "1.5 h"),
        (172800, "2 d"),
    ],
)
def test_a_bound_is_written_in_its_largest_unit(value, text):
    assert span(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0 B"), (999, "999 B"), (1500, "1.5 KB"), (512_000, "512 KB")]
)
def test_a_size_is_written_in_its_unit(value, text):
    assert octets(value) == text


@pytest.mark.parametrize(
    ("kind", "cell", "text"),
    [
        ("text", "<a>", "&lt;a&gt;"),
        ("count", 1234, "1,234"),
        ("change", 3, "+3"),
        *(("time", 75.0, "1 min 15 s"), ("time", 0.0, "")),
        *(("seconds", 1.5, "1.5 s"), ("seconds", 0, "")),
        *(("size", 1500, "1.5 KB"), ("size", 0, "")),
        ("size", Noted(512_000, ", cut"), "512 KB, cut"),
    ],
)
def test_a_cell_is_written_by_the_kind_of_its_column(kind, cell, text):
    made = grid("x", {"a": kind}, [(cell,)], 1)
    assert f'data-name="a">{text}</td>' in made
    assert ('class="number"' in made) is (kind != "text")


def test_numbers_have_few_digits_in_the_data_but_for_times_which_the_script_rounds():
    columns = {"a": "seconds", "b": "time"}
    assert f'"rows":[[0.333,{1 / 3}]]' in grid("x", columns, [(1 / 3, 1 / 3)], 1)


def test_a_list_says_how_much_more_there_is_only_where_there_is_more():
    rows = [("x", "1")] * (MAX_ROWS + 5)
    lists = [
        lambda count: bars([Bar(name, "", 1.0, figure) for name, figure in rows[:count]]),
        lambda count: html_table(("a", "b"), rows[:count], right={1}),
        lambda count: grid("x", {"a": TEXT}, [("x",)] * SHOWN_ROWS, count - MAX_ROWS + SHOWN_ROWS),
    ]
    for made in lists:
        assert ['<p class="more">and 5 more</p>' in made(len(rows)), "more" in made(MAX_ROWS)] == [
            True,
            False,
        ]


def test_numbers_of_a_table_stand_right_and_a_bar_has_its_detail():
    assert '<th>a</th><th class="number">b</th>' in html_table(("a", "b"), [("x", "1")], right={1})
    made = bars([Bar("x", "why", 1.0, "1"), Bar("y", "", 2.0, "2")])
    assert (made.count("<small>"), "<small>why</small>" in made) == (1, True)


def test_a_long_text_is_cut_in_a_table_and_keeps_its_end_which_says_whose_an_origin_is():
    made = grid("x", {"a": TEXT}, [("y" * 10_000 + ".example.org",)], 1)
    (cell,) = re.findall("<td[^>]*>([^<]*)<", made)
    assert cell.startswith("y" * (MAX_TEXT // 2) + "…y")
    assert cell.endswith("y.example.org")
    assert len(cell) == MAX_TEXT
    assert len(made) < 1000


@pytest.mark.parametrize("text", ["\x1b" * 50, "\x1b" * 10_000])
def test_an_escaped_text_is_no_longer_than_any_other(text):
    made = grid("x", {"a": TEXT}, [(text,)], 1)
    (cell,) = re.findall("<td[^>]*>([^<]*)<", made)
    assert len(cell) == MAX_TEXT


def test_a_difference_has_a_sign_and_nothing_has_none():
    assert [change(number) for number in (1200, -3, 0)] == ["+1,200", "-3", "0"]


def test_a_time_that_is_the_same_when_written_has_no_sign(tmp_path):
    earlier = written(tmp_path, data_of(report_of(OriginCounts("http://a.example", waited=1.0))))
    now = OriginCounts("http://a.example", waited=1.01)
    made = page(replace(report_of(now), base=earlier), "x.json")
    assert re.search(
        r"waited for robots.txt, in all(<[^>]*>)+1\.0 s(<[^>]*>)+1\.0 s(<[^>]*>)+0\.0 s<", made
    )


def written(tmp_path, data) -> EarlierReport:
    path = tmp_path / "base.json"
    path.write_text(json.dumps(data))
    return EarlierReport.read(path)


def test_an_earlier_report_is_read_back(tmp_path):
    fields = {"mode": "disallow", "why": "503", "trouble": True, "passed": 2, "waited": 1.5}
    one = counts_of("http://a.example", dropped_by(3), dropped_by(9), **fields)
    earlier = written(tmp_path, data_of(report_of(one)))
    assert earlier.origins == {"http://a.example": ("disallow", "503", 2, True)}
    assert (earlier.passed, earlier.dropped, earlier.trouble, earlier.waited) == (2, 2, 1, 1.5)
    assert earlier.rules == {"Disallow: /x": 2}


def test_a_report_of_an_older_version_is_read_too(tmp_path):
    data = data_of(report_of(OriginCounts("http://a.example", "rules", "200")))
    for name in ("held", "octets", "usage"):
        del data["origins"][0][name]
    assert written(tmp_path, data).held == 0.0


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {"origins": 5},
        {"origins": [5]},
        {"origins": [{"dropped": {"x": "y"}}]},
        "x",
        1e999,
    ],
)
def test_what_is_no_report_is_refused(tmp_path, data):
    with pytest.raises(ValueError, match="it is no report's data"):
        written(tmp_path, data)


@pytest.mark.parametrize("name", ["waited", "held"])
@pytest.mark.parametrize("seconds", [float("inf"), float("nan")])
def test_a_report_with_a_time_that_no_page_can_show_is_refused(tmp_path, name, seconds):
    data = data_of(report_of(OriginCounts("http://a.example", "rules", "200")))
    data["origins"][0][name] = seconds
    with pytest.raises(ValueError, match="it is no report's data"):
        written(tmp_path, data)


def test_an_earlier_report_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(earlier_report, "MAX_OCTETS", 10)
    with pytest.raises(ValueError, match="it has more than 10 octets"):
        written(tmp_path, data_of(report_of()))


def test_only_origins_of_both_crawls_that_are_read_otherwise_are_changes(tmp_path):
    same, other, gone = (OriginCounts(f"http://{n}.example", "rules", "200") for n in range(3))
    earlier = written(tmp_path, data_of(report_of(same, other, gone)))
    now = {
        same.origin: OriginFigures("rules", "200", 7, False),
        other.origin: OriginFigures("disallow", "503", 4, True),
        "http://new.example": OriginFigures("rules", "200", 1, False),
    }
    assert changes(earlier, now) == [
        Change(other.origin, "rules (200)", "disallow (503)", 0, 4),
    ]


def test_only_rules_that_drop_more_or_fewer_requests_are_changes():
    earlier = EarlierReport("", 0, 0, 0, 0.0, 0.0, {}, {"/a": 5, "/b": 2, "/c": 1})
    assert changed_rules(earlier, {"/a": 5, "/b": 1, "/d": 4}) == [
        *(ChangedRule("/d", 0, 4), ChangedRule("/b", 2, 1), ChangedRule("/c", 1, 0)),
    ]


def test_the_entry_that_many_origins_share_is_no_origin(tmp_path):
    one = OriginCounts("http://a.example", "rules", "200")
    rest = counts_of(THE_REST, dropped_by(3), waited=1.0)
    earlier = written(tmp_path, data_of(report_of(one, rest)))
    assert (list(earlier.origins), earlier.waited) == ([one.origin], 1.0)
    assert earlier.rules == {"Disallow: /x": 1}

    one.trouble = rest.trouble = True
    one.mode = rest.mode = "disallow"
    report = replace(report_of(one, rest), base=earlier)
    assert [change.origin for change in report.changes] == [one.origin]
    made = page(report, "x.json")
    for row in (
        "<td*>origins</td><td*>1</td><td*>1</td><td*>0<",
        "<td*>0</td><td*>1</td><td*>+1<",
    ):
        assert re.search(re.escape(row).replace(r"\*", "[^>]*"), made)
    (troubled,) = re.findall(r'"label":"origins in trouble".*?"total":(\d+)', made)
    assert int(troubled) == report.trouble == 1


@pytest.mark.slow
def test_a_page_of_many_origins_stays_small():
    lines = [
        counts_of(
            f"http://{number}.{'long' * 10}.example",
            dropped_by(2, f"/{number}"),
            mode="rules",
            why="200",
            passed=number,
        )
        for number in range(20_000)
    ]
    report = report_of(*lines)
    before = {line.origin: OriginFigures("allow", "404", 1, False) for line in lines}
    earlier = EarlierReport("", 1, 2, 3, 4.0, 5.0, before, {})
    assert len(page(replace(report, base=earlier), "x.json")) < 2_000_000
