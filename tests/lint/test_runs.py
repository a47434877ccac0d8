"""Findings of one kind are joined: how many there are, and what memory they take, is bounded."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.lint import KINDS, Edit, Finding, crawler_names, lint
from scrapy_robots_policy.lint.crawler_names import crawler_near
from scrapy_robots_policy.lint.runs import MAX_RUNS, in_runs
from tests.traced_memory import tracing_memory


def finding(line, code="R204", fix="remove it", dialects=()):
    return Finding(KINDS[code], line, 1, 2, "no key", fix, dialects, (Edit(line),))


def places(findings):
    return [(one.line, one.last) for one in in_runs(findings)]


RUNS = {
    "alone": ([4], [(4, 0)]),
    "one after the other": ([4, 5, 6], [(4, 6)]),
    "with a gap": ([4, 5, 7], [(4, 5), (7, 0)]),
    "in another order": ([7, 8, 2, 3, 4, 5, 6], [(2, 8)]),
    "twice in a line": ([4, 4, 5], [(4, 0), (4, 5)]),
}


@pytest.mark.parametrize("name", RUNS)
def test_lines_are_joined_that_follow_one_another(name):
    lines, joined = RUNS[name]
    assert places(map(finding, lines)) == joined


@pytest.mark.parametrize("other", [{"code": "R203"}, {"fix": "x"}, {"dialects": ("google",)}])
def test_other_faults_and_fixes_and_dialects_are_not_joined(other):
    assert places([finding(1), finding(2, **other), finding(2), finding(3, **other)]) == [
        *((1, 2), (2, 3)),
    ]


def test_of_very_many_findings_of_a_kind_the_last_one_stands_for_the_rest():
    lines = range(1, 2 * MAX_RUNS + 200, 2)
    *others, last = in_runs(map(finding, lines))
    assert [one.line for one in (*others, last)] == list(lines[:MAX_RUNS])
    assert last.message == f"no key (and 100 more like it, up to line {lines[-1]})"
    assert last.last == lines[-1]
    assert [edit.line for edit in last.edits] == list(lines[MAX_RUNS - 1 :])
    assert len(in_runs([*map(finding, lines), finding(1, "R203")])) == MAX_RUNS + 1


def test_a_file_with_a_fault_in_every_other_line_has_no_finding_for_each():
    assert len(lint(b"a\n\n" * (MAX_RUNS + 10), "original1994")) == MAX_RUNS


@pytest.mark.slow
def test_findings_are_joined_as_they_come():
    count = 60_000
    body = b"no key at\n" * count  # so large that no fix is offered, which is kept for each line
    with tracing_memory() as memory:
        (one,) = lint(body, "original1994", select=["R204"])
        taken = memory()[1] / count
    assert one.last == count
    assert taken < 200, taken  # octets


def test_a_name_is_compared_with_the_crawlers_of_its_first_letter_alone(monkeypatch):
    compared, is_slip = [], crawler_names._is_slip

    def noted(name, other):
        compared.append(other)
        return is_slip(name, other)

    monkeypatch.setattr(crawler_names, "_is_slip", noted)
    assert crawler_near("gptbott2") == ""
    assert crawler_near("Goglebot") == "Googlebot"
    assert {name[0] for name in compared} == {"g"}
    assert crawler_near("~~~~~~~~") == ""
