"""Rows of verdicts: the same answers as the rules give, as plain values."""

from __future__ import annotations

import doctest
from itertools import count, islice

import pytest

from scrapy_robots_policy.rep import DIALECTS, VerdictRow, parse, verdict_rows, verdicts

FILE = b"User-agent: *\nDisallow: /a\nAllow: /a/b\n\nUser-agent: Other\nDisallow: /\xff\x1b[2J\n"
URLS = ["/a/b", "https://example.com/a", "/c", "/%FF\x1b[2J"]


def test_its_example_answers_as_shown():
    results = doctest.testmod(verdict_rows)
    assert (results.attempted > 1, results.failed) == (True, 0)


def test_the_rows_are_the_verdicts_of_the_rules_in_order():
    agents = ["Bot", "Other/1.0 (+https://other.example)"]
    rows = list(verdicts(URLS, FILE, agents, DIALECTS))
    expected = []
    for url in URLS:
        for agent in agents:
            for name in DIALECTS:
                verdict = parse(FILE, name).verdict(url, agent)
                rule = str(verdict.rule or "")
                row = (url, verdict.agent, name, verdict.allowed, verdict.reason.name.lower())
                expected.append(VerdictRow(*row, verdict.line, rule))
    assert rows == expected
    assert {type(value) for row in rows for value in row} == {str, bool, int}


def test_one_url_needs_no_list():
    assert list(verdicts("/a", FILE)) == list(verdicts(["/a"], FILE))


def test_a_rule_in_a_row_is_printable():
    (row,) = verdicts(["/%FF%1B[2J"], FILE, "Other", "google")
    assert row.rule.isprintable()


def test_rows_are_made_when_they_are_asked_for():
    rows = verdicts((f"/a/{number}" for number in count()), FILE)
    assert [row.url for row in islice(rows, 3)] == ["/a/0", "/a/1", "/a/2"]


@pytest.mark.parametrize("dialects", ["x", ["google", "x"]])
def test_an_unknown_dialect_is_an_error_at_once(dialects):
    with pytest.raises(ValueError, match="x"):
        verdicts([], FILE, "Bot", dialects)


def test_pandas_takes_the_rows_as_they_are():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: pip install pandas")
    frame = pandas.DataFrame(verdicts(URLS, FILE, "Bot"))
    assert list(frame.columns) == list(VerdictRow._fields)
    assert list(frame.allowed) == [True, False, True, True]
