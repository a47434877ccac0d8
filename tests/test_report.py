"""What must be true of the tally and its table."""

from __future__ import annotations

from scrapy_robots_policy.rep import Reason, Rule, Verdict
from scrapy_robots_policy.report import Line, Tally, table
from scrapy_robots_policy.report.tally import MOST_CAUSES


def dropped_by(line: int) -> Verdict:
    return Verdict(False, Reason.RULE, "rfc9309", "bot", Rule(False, "/x", line))


def test_the_table_is_for_people():
    rules = Line("http://a.example", "rules", "200", fetches=1, passed=12)
    for number in (3, 9, 3):
        rules.drop(dropped_by(number))
    rules.wait(0.26)
    rules.wait(0.04)
    closed = Line("http://long.example:8080", "disallow", "503")
    closed.drop(Verdict(False, Reason.UNREACHABLE, "rfc9309", "bot", why="503"))
    assert table([rules, closed]) == (
        "origin                    stance    passed  dropped  waited  why\n"
        "http://a.example          rules         12        3   0.3 s  200\n"
        "                                                  2          line 3, Disallow: /x\n"
        "                                                  1          line 9, Disallow: /x\n"
        "http://long.example:8080  disallow       0        1       -  503\n"
        "                                                  1          robots.txt unreachable (503)"
    )


def test_an_empty_table_has_its_head():
    assert table([]) == "origin  stance  passed  dropped  waited  why"


def test_a_tally_has_a_line_for_each_origin_up_to_a_bound():
    tally = Tally(most_origins=2)
    first = tally.of("http://1")
    first.passed = 5
    for number in range(2, 10):
        tally.of(f"http://{number}").passed += 1
    assert tally.of("http://1") is first
    assert [(line.origin, line.passed) for line in tally.lines] == [
        ("http://1", 5),
        ("http://2", 1),
        ("all others", 7),
    ]


def test_a_line_knows_so_many_causes_and_no_more():
    line = Line("http://a")
    for number in range(1, MOST_CAUSES + 11):
        line.drop(dropped_by(number))
    assert len(line.dropped) == MOST_CAUSES + 1
    assert line.dropped["all others"] == 10
