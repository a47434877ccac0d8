"""The fix of a finding, applied, changes no answer but in the dialects that the finding names."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_robots_policy.owners.lint import Finding, edited, lint
from scrapy_robots_policy.owners.lint.findings import fixed
from scrapy_robots_policy.owners.lint.source_file import SourceFile
from scrapy_robots_policy.rep import DIALECTS, parse

SITE = "http://example.com"
SOMEBODY = "qzxj"


def changed(
    body: bytes, findings: list[Finding], most: int | None = None
) -> list[tuple[str, str, str]]:
    """(dialect, crawler, path) for the answers that the fixes change where they should not.

    most  of so many paths and so many crawlers, evenly chosen
    """
    after = edited(body, [edit for finding in findings for edit in finding.edits])
    named = {name for finding in findings for name in finding.dialects}
    return differing(body, after, DIALECTS.keys() - named, most)


def differing(
    body: bytes, after: bytes, dialects: Iterable[str], most: int | None = None
) -> list[tuple[str, str, str]]:
    """(dialect, crawler, path) for the answers that are not the same in two files."""
    paths, crawlers = questions(body)
    return [
        (name, crawler, path)
        for name in dialects
        for before, then in [(parse(body, name), parse(after, name))]
        for crawler in chosen(crawlers, most)
        for path in chosen(paths, most)
        if before.allowed(SITE + path, crawler) is not then.allowed(SITE + path, crawler)
    ]


def chosen(items: list[str], most: int | None) -> list[str]:
    return items[:: 1 + len(items) // most] if most else items


def questions(body: bytes) -> tuple[list[str], list[str]]:
    """Paths that the rules are about, and the crawlers that are named, and another one."""
    sources = [SourceFile(body, DIALECTS[name]) for name in ("rfc9309", "google", "original1994")]
    values = {rule.path for source in sources for rule in source.every_rule}
    filled = {value.rstrip("$").replace("*", "x") for value in values}
    starts = {value if value.startswith("/") else "/" + value for value in filled} | {"/"}
    plain = {path.replace("%7E", "~") for path in starts}
    names = {line[1].partition("/")[0] for source in sources for line in source.agents}
    return sorted(plain | starts | {path + "x" for path in starts}), sorted({*names, SOMEBODY})


FIXES = [
    ("R101", "\ufeffUser-agent: *\nDisallow: /a\n", "User-agent: *\nDisallow: /a\n"),
    ("R101", "\ufeff\ufeffUser-agent: *\nDisallow: /a\n", None),
    ("R204", "User-agent: a\nso\r\nDisallow: /\n", "User-agent: a\nDisallow: /\n"),
    ("R204", "User-agent: *\nDisallow: /\nallowance /x\n", None),
    ("R204", f"User-agent: *\n{40 * ' '}Disallowing-some /\n", None),
    ("R204", "\ufeffUser-agents-of-all *\nDisallow: /\n", None),
    ("R204", "so\n\ufeffUser-agent: *\nDisallow: /\n", None),
    ("R205", "User-agent: *\nDisallow: /a#b#c", "User-agent: *\nDisallow: /a #b#c"),
    ("R303", "User-agent: a\r\n\r\nDisallow: /\r\n", "User-agent: a\r\nDisallow: /\r\n"),
    ("R303", "User-agent: a\n\n# b\n \nDisallow: /\n\n\n", "User-agent: a\n# b\nDisallow: /\n\n\n"),
    (
        "R403",
        "User-agent: *\nDisallow: /%7ej%2f%41 # %7E",
        "User-agent: *\nDisallow: /~j%2fA # %7E",
    ),
    ("R403", "User-agent: *\nDisallow: /%%341\n", None),
    ("R403", "User-agent: *\nDisallow: /%4%31\n", None),
    ("R403", "User-agent: *\nDisallow: /%%41%2f\n", None),
    ("R303", "User-agent: a\n\nAllow: /\nUser-agent: b\nDisallow: /\n", None),
    ("R404", "User-agent: *\nDisallow: /a\nAllow: /*\n", None),
    ("R404", "User-agent: *\nAllow: /a\nDisallow: /a\n", None),
    ("R404", "User-agent: *\nDisallow: /\nAllow: /x\n", None),
    ("R405", "User-agent: *\rDisallow: /a\rdisallow:/a\r", "User-agent: *\rDisallow: /a\r"),
    ("R405", "User-agent: b\nDisallow: /a\nUseragent: c\nDisallow: /a\n", None),
    ("R407", "User-agent: *\nDisallow: /a\0c\nDisallow: /ab\n", None),
    ("R407", "User-agent: *\nDisallow: /ab\n\0c\nDisallow: /a\n", None),
    ("R407", "User-agent: *\nDisallow: //\nDisallow: //example.com/a\n", None),
    ("R407", "User-agent: *\nDisallow: /a\nDisallow: /ab", "User-agent: *\nDisallow: /a\n"),
    # a blank line stays one, and no blank line comes where two returns are one line end to some
    ("R204", "User-agent: a\rso\n\nDisallow: /\n", "User-agent: a\n\nDisallow: /\n"),
    ("R204", "User-agent: a\rso\nso\r\n\rDisallow: /\n", "User-agent: a\r\n\rDisallow: /\n"),
    (
        "R204",
        "User-agent: a\r\rso\r\rUser-agent: b\rDisallow: /\r",
        "User-agent: a\r\rUser-agent: b\rDisallow: /\r",
    ),
    (
        "R407",
        "User-agent: *\nDisallow: /a\rDisallow: /ab\n\nUser-agent: b\n",
        "User-agent: *\nDisallow: /a\n\nUser-agent: b\n",
    ),
]


@pytest.mark.parametrize(("code", "text", "after"), FIXES)
def test_a_fix_is_applied_where_it_leaves_no_choice(code, text, after):
    body = text.encode()
    for dialect in ("rfc9309", "koster1996"):
        findings = lint(body, dialect, select=[code])
        edits = [edit for finding in findings for edit in finding.edits]
        assert after is None or findings
        assert edited(body, edits) == ((after or text).encode() if findings else body)
        assert not changed(body, findings)


@pytest.mark.parametrize(("more", "is_fixed"), [(-2, True), (-1, False), (1, False)])
def test_nothing_is_fixed_in_a_file_that_some_dialect_cuts(more, is_fixed):
    """A line that is removed, or a space before a "#", would move what is read of it."""
    dialect = DIALECTS["rfc9309"].but("short", size_limit=100)
    body = b"Disallow: /c#d\nUser-agent: *\nDisallow: /a\nDisallow: /a\n#"
    findings = lint(body.ljust(dialect.size_limit + more, b" "), dialect, select=["R205", "R405"])
    assert [bool(finding.edits) for finding in findings] == [is_fixed] * 2


def test_a_line_that_some_take_for_a_blank_one_is_not_removed():
    body = b"User-agent: a\n\0so\nUser-agent: b\nDisallow: /\n"
    (finding,) = lint(body, "original1994", select=["R204"])
    assert not finding.edits


def test_a_rule_that_decides_elsewhere_is_not_to_be_removed():
    text = b"User-agent: *\nDisallow: /\nAllow: /x\n"
    (finding,) = lint(text, "koster1996", select=["R404"])
    assert finding.line == 3
    assert not finding.edits
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
