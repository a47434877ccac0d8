"""What lint finds, where, what it says, and what it leaves alone.

Most of it is data: cases.jsonl. Here is what is about several kinds of findings, and what the
dialects themselves are asked. Every example of docs/lint.md is run.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_robots_policy.owners.lint import KINDS, Finding, edited, lint, readable_lines
from scrapy_robots_policy.rep import DIALECTS, FetchResult, parse, product_token
from tests.lint.cases import CASES

PARAMS = [
    pytest.param(case, id=str(case), marks=[pytest.mark.slow] * (case.rules > 0)) for case in CASES
]
EXAMPLES = [
    pytest.param(code, example.dialect, example.text, id=code)
    for code, kind in KINDS.items()
    for example in kind.examples
]
URL = "https://example.com/robots.txt"


def of(code: str, body: str | bytes, dialect: str = "rfc9309") -> list[Finding]:
    return list(lint(body if isinstance(body, bytes) else body.encode(), dialect, select=[code]))


def marked(body: bytes, finding: Finding) -> str:
    """The characters that a finding is about."""
    return readable_lines(body)[finding.line - 1][finding.column - 1 : finding.end - 1]


@pytest.mark.parametrize("case", PARAMS)
def test_each_case_has_its_findings_and_they_mark_say_and_fix_what_they_must(case):
    findings = case.findings
    lines = [] if case.silent else [*case.lines] or [case.line]
    assert [finding.line for finding in findings] == lines
    if case.marked:
        assert marked(case.body, findings[0]) == case.marked
    for finding in findings:
        assert case.says in f"{finding.message}: {finding.fix}"
        assert case.message in ("", finding.message)
        assert case.fix in ("", finding.fix)
        assert tuple(case.holds_in) in ((), finding.dialects)
    for crawler, path, is_allowed in case.ask:
        assert parse(case.body, case.dialect).allowed(path, crawler) is is_allowed
    if case.fixed is not None:
        edits = [edit for finding in findings for edit in finding.edits]
        assert edited(case.body, edits) == case.fixed.encode(case.encoding)


def test_each_finding_has_a_case_that_marks_one_that_is_silent_and_a_sentence():
    codes = {
        "marked": {case.code for case in CASES if case.marked},
        "silent": {case.code for case in CASES if case.silent},
        "says": {case.code for case in CASES if case.says or case.message or case.fix},
    }
    missing = {field: KINDS.keys() - having for field, having in codes.items()}
    assert not any(missing.values()), missing


@pytest.mark.slow
def test_each_finding_that_can_be_fixed_has_a_case_of_the_fix():
    fixable = {
        case.code
        for case in CASES
        if case.marked and any(finding.edits for finding in case.findings)
    }
    assert fixable == {case.code for case in CASES if case.fixed not in (None, case.text)}


@pytest.mark.parametrize(("code", "dialect", "text"), EXAMPLES)
def test_each_example_of_the_docs_has_its_finding(code, dialect, text):
    assert of(code, text, dialect)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing but a comment\n",
        "User-agent: *\nDisallow: /private\n",
        "User-agent: *\nDisallow:\n",
        "User-agent: Googlebot\nUser-agent: bingbot\nDisallow: /*.pdf$\n",
        "User-agent: 360Spider\nDisallow: /x\n",
        "User-agent: YandexBot/3.0\nDisallow: /x\n",
        "User-agent: a\nDisallow: /%C3%A4/%2F\n\nSitemap: https://example.com/s.xml\n",
        "User-agent: *\nContent-Usage: train-ai=n, search=y\nContent-Usage: /ok train-ai=y\n",
        "Content-Signal: search=yes, ai-train=no\nUser-agent: *\nDisallow:\n",
        "License: https://example.com/license.xml\nUser-agent: *\nDisallow:\n",
        "User-agent: a\nContent-Usage: search=n\nAllow:\nUser-agent: b\nContent-Usage: search=y\n",
    ],
)
def test_a_sound_file_has_no_finding(text):
    assert lint(text.encode()) == ()


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n", " \t\n"])
def test_how_lines_end_makes_no_finding(end):
    body = b"User-agent: *\nDisallow: /a\n\nDisalow: /b\nDisallow: /c d\n"
    ended = body.replace(b"\n", end.encode())
    places = [(finding.code, marked(body, finding)) for finding in lint(body)]
    assert [(finding.code, marked(ended, finding)) for finding in lint(ended)] == places


@pytest.mark.parametrize(
    "page",
    [
        b"\n<!doctype HTML>\n<html>\nUser-agent: *\nDisalow: /\n",
        b"<meta charset=utf-8><title>Not found</title>\nDisalow: /",
        b"<!-- a -->\n<p>b</p>",
        b"\xef\xbb\xbf\xef\xbb\xbf <html>",
        "\ufeff<html><p>a: b</p>".encode("utf-16-le"),
        b"<center><h1>404 Not Found</h1></center>",
    ],
)
def test_of_an_html_page_there_is_no_other_finding(page):
    assert [finding.code for finding in lint(page)] == ["R105"]


def test_lines_that_follow_one_another_with_the_same_fault_are_one_finding():
    rules = b"User-agent: *\nDisallow: /a # b\nDisallow: /c#d\nAllow: e\nAllow: f\n"
    findings = lint(b"one\ntwo\nthree\n\nfour\n" + rules)
    places = [(finding.code, finding.line, finding.last) for finding in findings]
    assert places == [("R204", 1, 3), ("R204", 5, 0), ("R205", 8, 0), ("R401", 9, 10)]
    assert "(and so in the 2 lines after it)" in findings[0].message
    assert [edit.line for edit in findings[0].edits] == [1, 2, 3]


@pytest.mark.parametrize(
    ("select", "ignore", "codes"),
    [
        ([], [], {"R201", "R402", "R405"}),  # R601 comes on request only
        (["R4"], [], {"R402", "R405"}),
        (["R601"], [], {"R601"}),
        (["R6", "R405"], [], {"R405", "R601"}),
        (["R5"], [], set()),
        ([], ["R4"], {"R201"}),
        (["R2", "R4"], ["R201"], {"R402", "R405"}),
    ],
)
def test_findings_are_chosen_and_left_out_by_code_or_its_start(select, ignore, codes):
    body = b"User-agent: *\nDisallow: /a$b\nDisalow: /c\nDisallow: /a$b\nAllow: /a$b/d\n"
    assert {finding.code for finding in lint(body, select=select, ignore=ignore)} == codes


# rules of a group, and the lines of them that are found
COMMENTS = [
    ("Disallow: /a$b # robots-lint: ignore R402\n", []),
    ("Disallow: /a$b # robots-lint: ignore\n", []),
    ("Disallow: /a$b # ROBOTS-LINT : ignore r4, R201\n", []),
    ("# robots-lint: ignore R402\n\n# more\nDisallow: /a$b\nDisallow: /\nDisallow: /c$d\n", [7]),
    ("Disallow: /a$b\nDisallow: /c$d # robots-lint: ignore-file R402\n", []),
    ("Disallow: /a$b # robots-lint: ignore R401\n", [2]),
    ("Disallow: /a$b # robots-lint: ignored\n", [2]),
    ("Disallow: /a$b\n# robots-lint: ignore R402", [2]),
    ("Disallow: /robots-lint:$b\n", [2]),
]


@pytest.mark.parametrize(("rules", "lines"), COMMENTS)
def test_a_comment_in_the_file_leaves_findings_out(rules, lines):
    findings = of("R402", f"User-agent: *\n{rules}")
    assert [finding.line for finding in findings] == lines


def test_a_mark_at_the_start_spoils_line_1_for_those_who_keep_it():
    (finding,) = of("R101", b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n")
    keeping = {name for name, dialect in DIALECTS.items() if dialect.text.name == "PERL"}
    assert set(finding.dialects) == keeping != set()


def test_a_dialect_with_limits_of_its_own_is_told_apart_from_the_others():
    own = DIALECTS["rfc9309"].but("own", size_limit=1000)
    (finding,) = lint(b"User-agent: *\n", own, size=600_000, select=["R103"])
    assert "own read the first 1,000 only; rfc9309, google" in finding.message


def test_redirects_name_the_dialects_that_do_not_follow_so_many():
    served = FetchResult(200, hops=("https://a.example/",) * 6)
    (finding,) = lint(b"", url=URL, served=served)
    fewer = {name for name, dialect in DIALECTS.items() if dialect.access.redirects < 6}
    assert set(finding.dialects) == fewer != set()


def test_without_a_file_the_finding_says_what_each_dialect_does_then():
    (finding,) = lint(b"", url=URL, served=FetchResult(503))
    assert {name for name in DIALECTS if name in finding.message} == DIALECTS.keys()


def test_two_groups_that_are_joined_come_with_the_dialects_that_part_them():
    (finding,) = of("R302", "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /\n")
    parting = tuple(name for name, dialect in DIALECTS.items() if dialect.extension_ends_agents)
    assert finding.dialects == parting
    assert finding.message.endswith(f"{', '.join(parting[:-1])} and {parting[-1]} part them")


@pytest.mark.parametrize("more", ["", "User-agent: a\n"])
def test_a_blank_line_ends_no_group_where_a_mark_hides_its_only_user_agent_line(more):
    text = f"\ufeffUser-agent: *\n{more}\nDisallow: /x\n"
    (finding,) = of("R303", text)
    obeying = {name for name in DIALECTS if not parse(text.encode(), name).allowed("/x", "qzxj")}
    assert obeying.isdisjoint(finding.dialects)
    assert ("original1994" in finding.dialects) is bool(more)


VERSIONS = [
    ("Googlebot", "Googlebot/2.1"),
    ("googlebot/2.1", "Googlebot"),
    ("Googlebot/1", "Googlebot/2"),
    ("Googlebot v2", "Googlebot"),
    ("MJ12bot", "MJ12bot/1.4"),
    ("Mozilla/5.0 (compatible; Googlebot/2.1)", "Googlebot"),
    ("YandexNews/4.0", "YandexNews"),
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("first", "second"), VERSIONS)
def test_a_crawler_is_named_again_by_a_version_just_where_both_lines_bind_it(
    dialect, first, second
):
    crawler = product_token(second)
    text = f"User-agent: {first}\nDisallow: /a\n\nUser-agent: {second}\nDisallow: /b\n"
    reads_first = parse(text.encode(), dialect).allowed("/b", crawler)
    how = "reads the first group only" if reads_first else "joins the two groups"
    message = f"'{second}' is the same crawler as '{first}' of line 1: {dialect} {how}"
    each = [parse(f"User-agent: {one}\nDisallow: /".encode(), dialect) for one in (first, second)]
    binds_both = not any(rules.allowed("/", crawler) for rules in each)
    found = [(finding.line, finding.message) for finding in of("R305", text, dialect)]
    assert found == [(4, message)] * binds_both


@pytest.mark.slow
def test_of_rules_that_never_decide_the_first_hundred_are_found():
    pairs = (f"Disallow: /{number}x\nAllow: /{number}x\n" for number in range(110))
    assert len(of("R404", "User-agent: *\n" + "".join(pairs))) == 100


@pytest.mark.slow  # 10,000 rules
def test_a_rule_is_needless_only_below_the_limits_of_all_dialects():
    """At its limit of 10,000 rules Yandex obeys none of them: with one fewer it would obey all."""
    needless = "Disallow: /00000\nDisallow: /00001/a\nAllow: /00002\n"
    rules = [f"Disallow: /{number:05}\n" for number in range(9_997)]
    below = lint("".join(["User-agent: *\n", *rules[:-1], needless]).encode())
    at_limit = lint("".join(["User-agent: *\n", *rules, needless]).encode())
    assert {finding.code for finding in below} == {"R404", "R405", "R407"}
    assert {finding.code for finding in at_limit} == {"R107"}


def test_lines_of_one_group_contradict_each_other_where_only_the_first_group_binds():
    dialect = DIALECTS["koster1996"].but("first group", extension_ends_agents=False)
    body = b"User-agent: a\nContent-Usage: search=y\nUser-agent: a\nContent-Usage: search=y\n"
    findings = lint(body + b"Content-Usage: search=n\n", dialect, select=["R506"])
    assert [(finding.line, finding.last) for finding in findings] == [(2, 0), (4, 0)]


def test_where_engines_part_the_option_is_named_and_is_right():
    text = b"User-agent: *\nDisallow: /a\nAllow: /a/b\n"
    findings = of("R601", text)
    assert {re.findall(r"\((\w+)\)", one.message)[0] for one in findings} == {
        "precedence",
        "allow_lines",
    }
    turned = DIALECTS["rfc9309"].but("turned", precedence="first")
    for dialect in [turned, *(name for finding in findings for name in finding.dialects)]:
        assert not parse(text, dialect).allowed("/a/b", "qzxj")


def test_where_engines_part_each_of_them_decides_about_the_url_as_it_is_said():
    """Both know no wildcards. To one of them the third rule is that of another path."""
    text = "User-agent: *\nDisallow: /a*\nDisallow: /*a\nDisallow: a\n"
    said = re.compile("'(.*)' is refused in rfc9309, but allowed in ")
    paths = {
        name: said.match(finding.message)[1]
        for finding in of("R601", text)
        for name in finding.dialects
        if "(wildcards)" in finding.message
    }
    assert {"koster1996", "original1994"} <= paths.keys()
    for name, path in paths.items():
        assert parse(text.encode(), name).allowed(path, "qzxj"), (name, path)


@pytest.mark.slow
@given(
    st.binary(max_size=300) | st.text(alphabet="Uuser-agntDisalow:*$/%7E# \n\r\0ä", max_size=200)
)
@example(b"\xef\x80\x80")  # google skips the first byte, half a mark
def test_any_bytes_can_be_checked_and_findings_stand_in_the_file(body):
    body = body if isinstance(body, bytes) else body.encode()
    lines = readable_lines(body)
    for dialect in ("rfc9309", "google", "original1994"):
        for finding in lint(body, dialect):
            assert 1 <= finding.line <= len(lines)
            assert 1 <= finding.column <= finding.end <= len(lines[finding.line - 1]) + 1
