"""The fix of a finding, applied, changes no answer but in the dialects that the finding names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_robots_policy.owners.lint import Finding, edited, lint
from scrapy_robots_policy.owners.lint.findings import fixed
from scrapy_robots_policy.owners.lint.source_file import SourceFile
from scrapy_robots_policy.rep import DIALECTS, parse
from tests.lint.cases import CASES

SITE = "http://example.com"
SOMEBODY = "qzxj"


def changed(body: bytes, findings: Sequence[Finding]) -> list[tuple[str, str, str]]:
    """The answers that the fixes change where they should not."""
    after = edited(body, [edit for finding in findings for edit in finding.edits])
    named = {name for finding in findings for name in finding.dialects}
    return differing(body, after, DIALECTS.keys() - named)


def differing(body: bytes, after: bytes, dialects: Iterable[str]) -> list[tuple[str, str, str]]:
    """(dialect, crawler, path) for the answers that are not the same in two files."""
    paths, crawlers = questions(body)
    return [
        (name, crawler, path)
        for name in dialects
        for before, then in [(parse(body, name), parse(after, name))]
        for crawler in crawlers
        for path in paths
        if before.allowed(SITE + path, crawler) is not then.allowed(SITE + path, crawler)
    ]


def questions(body: bytes) -> tuple[list[str], list[str]]:
    """Paths that the rules are about, and the crawlers that are named, and another one."""
    sources = [SourceFile(body, DIALECTS[name]) for name in ("rfc9309", "google", "original1994")]
    values = {rule.path for source in sources for rule in source.every_rule}
    filled = {value.rstrip("$").replace("*", "x") for value in values}
    starts = {value if value.startswith("/") else "/" + value for value in filled} | {"/"}
    plain = {path.replace("%7E", "~") for path in starts}
    names = {line[1].partition("/")[0] for source in sources for line in source.agents}
    return sorted(plain | starts | {path + "x" for path in starts}), sorted({*names, SOMEBODY})


@pytest.mark.parametrize("case", [case for case in CASES if case.fixed is not None], ids=str)
def test_the_fix_of_a_case_changes_no_answer_that_the_finding_is_not_about(case):
    assert not changed(case.body, case.findings)


@pytest.mark.parametrize(("more", "is_fixed"), [(-2, True), (-1, False), (1, False)])
def test_nothing_is_fixed_in_a_file_that_some_dialect_cuts(more, is_fixed):
    """A line that is removed, or a space before a "#", would move what is read of it."""
    dialect = DIALECTS["rfc9309"].but("short", size_limit=100)
    body = b"Disallow: /c#d\nUser-agent: *\nDisallow: /a\nDisallow: /a\n#"
    findings = lint(body.ljust(dialect.size_limit + more, b" "), dialect, select=["R205", "R405"])
    assert [bool(finding.edits) for finding in findings] == [is_fixed] * 2


def test_a_rule_that_never_decides_comes_with_the_dialects_in_which_it_does():
    text = b"User-agent: *\nDisallow: /\nAllow: /x\n"
    (finding,) = lint(text, "koster1996", select=["R404"])
    deciding = {name for name in DIALECTS if parse(text, name).allowed(SITE + "/x", SOMEBODY)}
    assert all(name in finding.fix for name in deciding)


LINES = [
    "User-agent: *",
    "User-agent: a",
    "Useragent: b",
    "User-agent: b",
    "# c",
    "",
    "",
    "so",
    "Disallow: /",
    "Disallow: /a",
    "Disallow: /ab",
    "Disallow: /a#b",
    "disallow :/a",
    "Disallow:",
    "Allow: /",
    "Allow: /a",
    "Allow: /a*",
    "Allow: /%7Ea",
    "Disallow: /~a",
    "Dissallow: /a",
    "Disallow /a",
    "Crawl-delay: 1",
    "Disallow: /a$",
    "Allow: /a/index.html",
    "Disallow: /a*b",
    "Disallow: a",
    "Disallow: /*",
    "Allow: /a\0b",
    "Disallow: /a\0c",
    "Sitemap: /a",
    ": x",
]


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(["\n", "\r\n", "\r"])), max_size=12),
    st.sampled_from(["rfc9309", "google", "koster1996", "yandex", "original1994", "baidu"]),
    st.sampled_from(["\n", "\r\n", "\r", ""]),
)
def test_no_fix_changes_an_answer_that_the_finding_is_not_about(lines, dialect, every_end):
    """every_end  how all lines end; "": each as it does"""
    body = "".join(f"{line}{every_end or end}" for line, end in lines).encode()
    findings = lint(body, dialect)
    for finding in findings:
        if finding.edits:
            assert changed(body, [finding]) == [], finding
    after, _, left = fixed(body, findings, lambda body: lint(body, dialect), all_of=False)
    assert differing(body, after, DIALECTS) == []
    assert not any(finding.edits and not finding.dialects for finding in left)
