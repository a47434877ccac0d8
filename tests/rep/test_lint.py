"""What lint finds, where, and what it leaves alone. Every example of docs/lint.md is run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_robots_policy.lint import KINDS, Finding, Severity, lint, readable_lines
from scrapy_robots_policy.rep import DIALECTS, parse

DOCS = (Path(__file__).parents[2] / "docs" / "lint.md").read_text(encoding="utf-8")
SECTION = re.compile(
    r"^### (R\d{3}) ([a-z0-9-]+) \((\w+)\)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL
)
EXAMPLE = re.compile(r"^```robots ?(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SECTIONS = [found.groups() for found in SECTION.finditer(DOCS)]
EXAMPLES = [
    (code, dialect or "rfc9309", text)
    for code, _, _, section in SECTIONS
    for dialect, text in EXAMPLE.findall(section)
]


def found(body: str | bytes, dialect: str = "rfc9309") -> list[Finding]:
    return list(lint(body if isinstance(body, bytes) else body.encode(), dialect))


def of(code: str, body: str | bytes, dialect: str = "rfc9309") -> list[Finding]:
    return [finding for finding in found(body, dialect) if finding.code == code]


def marked(body: str | bytes, finding: Finding) -> str:
    """The characters that a finding is about."""
    octets = body if isinstance(body, bytes) else body.encode()
    return readable_lines(octets)[finding.line - 1][finding.column - 1 : finding.end - 1]


def test_docs_tell_every_kind_with_its_name_and_severity():
    told = [(code, name, severity) for code, name, severity, _ in SECTIONS]
    assert told == [(kind.code, kind.name, kind.severity.value) for kind in KINDS.values()]


@pytest.mark.parametrize(("code", "dialect", "text"), EXAMPLES, ids=[e[0] for e in EXAMPLES])
def test_each_example_of_the_docs_has_its_finding(code, dialect, text):
    assert of(code, text, dialect)


def test_each_kind_has_an_example_or_a_case_below():
    by_octets = {"R101", "R102", "R103", "R104", "R106", "R107"}
    assert {code for code, _, _ in EXAMPLES} | by_octets == set(KINDS)


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
    ],
)
def test_a_sound_file_has_no_warning(text):
    assert [finding for finding in found(text) if finding.severity is not Severity.NOTE] == []


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n", " \t\n"])
def test_how_lines_end_makes_no_finding(end):
    text = "User-agent: *\nDisallow: /a\n\nDisalow: /b\nDisallow: /c d\n"
    places = [(finding.code, marked(text, finding)) for finding in found(text)]
    ended = text.replace("\n", end)
    assert [(finding.code, marked(ended, finding)) for finding in found(ended)] == places


USAGE = {"R504", "R505", "R506", "R507"}

PLACES = [
    ("R201", "User-agent: *\n  Disalow : /x\n", 2, "Disalow"),
    ("R202", "User-agent: *\nDisallow /x\n", 2, " "),
    ("R205", "User-agent: *\nDisallow: /a#b\n", 2, "#"),
    ("R304", "User-agent: ok\nUser-agent: 1 x\nDisallow: /\n", 2, "1 x"),
    ("R401", "User-agent: *\nDisallow: ä/b c\n", 2, "ä/b c"),
    ("R402", "User-agent: *\nDisallow: /ä$b\n", 2, "$"),
    ("R403", "User-agent: *\nAllow: /ä/%7ejoe\n", 2, "%7e"),
    ("R404", "User-agent: *\nDisallow: /x  # c\nAllow: /x\n", 2, "/x"),
    ("R501", "\n\nSitemap: /s.xml\n", 3, "/s.xml"),
    ("R503", "User-agent: *\nDisallow: /\nCrawl-delay: slow\n", 3, "slow"),
    ("R504", "User-agent: *\nContent-Usage: /a Train-AI=n\n", 2, "/a Train-AI=n"),
    ("R504", "User-agent: *\nContent-Usage:\n", 2, "Content-Usage"),
    ("R504", "User-agent: *\nContent-Signal: no\n", 2, "no"),
    ("R505", "Content-Usage: search=n # c\nUser-agent: *\n", 1, "Content-Usage: search=n"),
    ("R506", "User-agent: *\nContent-Usage: / ai-use=n\nContent-usage: ai-use=y\n", 3, None),
    ("R507", "User-agent: *\nContent-Usage: bots=n\n", 2, "bots=n"),
    ("R507", "User-agent: *\nContent-Signal: search=maybe\n", 2, "search=maybe"),
]


@pytest.mark.parametrize(("code", "text", "line", "characters"), PLACES)
def test_a_finding_stands_where_the_fault_is(code, text, line, characters):
    finding = of(code, text)[0]
    whole = text.split("\n")[line - 1]
    assert (finding.line, marked(text, finding)) == (line, characters or whole)


def test_an_unheard_preference_is_told_with_the_line_that_is_heard():
    text = "User-agent: a\nUser-agent: b\nContent-Signal: search=yes, ai-train=no\n"
    (finding,) = of("R506", text + "Content-Signal: ai-train=yes\nContent-Signal: search=yes\n")
    assert (finding.line, finding.message[:6]) == (4, "line 3")


@pytest.mark.parametrize(
    "text",
    [
        "User-agent: *\nContent-Usage: train-ai=n, search=y\nContent-Usage: /ok train-ai=y\n",
        "Content-Signal: search=yes, ai-train=no\nUser-agent: *\nDisallow:\n",
        "License: https://example.com/license.xml\nUser-agent: *\nDisallow:\n",
        "User-agent: a\nContent-Usage: search=n\nAllow:\nUser-agent: b\nContent-Usage: search=y\n",
    ],
)
def test_what_is_well_said_of_use_has_no_finding(text):
    assert [finding.code for finding in found(text) if finding.code in USAGE] == []


def test_a_mark_at_the_start_spoils_line_1_for_those_who_keep_it():
    (finding,) = of("R101", b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n")
    keeping = {name for name, dialect in DIALECTS.items() if dialect.bom.value == "kept"}
    assert set(finding.dialects) == keeping
    assert keeping


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (b"User-agent: *\nDisallow: /caf\xe9\n", 2),
        ("\ufeffUser-agent: *\nDisallow: /\n".encode("utf-16-le"), 1),
        ("User-agent: *\n".encode("utf-16-be"), 1),
    ],
)
def test_other_encodings_than_utf8_are_found(body, line):
    assert [finding.line for finding in of("R102", body)] == [line]


@pytest.mark.slow
def test_a_file_over_the_limit_tells_who_reads_how_much():
    (finding,) = of("R103", b"User-agent: *\n" + b"Disallow: /abcdefgh\n" * 26_000)
    assert {"rfc9309", "yandex"} <= set(finding.dialects)
    assert "yandex obey none of it" in finding.message


def test_a_line_over_googles_limit_is_found_in_every_dialect():
    text = "User-agent: *\nDisallow: /" + "a" * 17_000 + "\n"
    cutting = {name for name, dialect in DIALECTS.items() if dialect.line_limit < 17_000}
    for dialect in ("rfc9309", "google"):
        (finding,) = of("R104", text, dialect)
        assert (finding.line, set(finding.dialects)) == (2, cutting)


def test_a_name_that_is_read_as_another_says_so():
    (finding,) = of("R304", "User-agent: Web Spider 2\nDisallow: /\n")
    assert "it is read as 'Web'" in finding.message
    assert not parse(b"User-agent: Web Spider 2\nDisallow: /").allowed("http://e.com/", "Web")


def test_control_characters_are_found():
    assert [finding.line for finding in of("R106", b"User-agent: *\nDisallow: /a\0b\x1b[2J\n")] == [
        2
    ]


@pytest.mark.slow
def test_a_group_of_too_many_rules_is_found():
    text = "User-agent: *\n" + "".join(f"Disallow: /{number}\n" for number in range(10_000))
    (finding,) = of("R107", text, "yandex")
    assert finding.dialects == ("yandex",)


def test_of_an_html_page_nothing_else_is_told():
    page = b"\n<!doctype HTML>\n<html>\nUser-agent: *\nDisalow: /\n"
    assert [finding.code for finding in found(page)] == ["R105"]


def test_a_rule_is_unreachable_just_when_the_engine_never_lets_it_decide():
    text = "User-agent: *\nDisallow: /a*b\nAllow: /a\nAllow: /a*b$\nAllow: /a*b\nDisallow: /a*bc\n"
    assert [finding.line for finding in of("R404", text)] == [2]
    first_wins = "User-agent: *\nDisallow: /\nAllow: /x\n"
    assert of("R404", first_wins) == []
    assert [finding.line for finding in of("R404", first_wins, "koster1996")] == [3]


def test_where_engines_part_the_knob_is_named_and_is_right():
    text = "User-agent: *\nDisallow: /a\nAllow: /a/b\n"
    findings = of("R601", text)
    by_knob = {finding.message.split("(")[1].split(")")[0]: finding for finding in findings}
    assert set(by_knob) == {"precedence", "allow_lines"}
    for finding in findings:
        for name in finding.dialects:
            assert not parse(text.encode(), name).allowed("http://example.com/a/b", "qzxj")
    turned = DIALECTS["rfc9309"].but("turned", precedence="first")
    assert not parse(text.encode(), turned).allowed("http://example.com/a/b", "qzxj")


def test_the_same_file_may_be_sound_in_one_dialect_and_not_in_another():
    typo = "User-agent: *\nDissallow: /x\n"
    assert {finding.code for finding in found(typo)} == {"R201"}
    assert {finding.code for finding in found(typo, "google")} == {"R602", "R601"}
    no_slash = "User-agent: *\nDisallow: .jpg$\n"
    assert of("R401", no_slash)
    assert not of("R401", no_slash, "baidu")


@pytest.mark.slow
@given(
    st.binary(max_size=300) | st.text(alphabet="Uuser-agntDisalow:*$/%7E# \n\r\0ä", max_size=200)
)
@example(b"\xef\x80\x80")  # google skips the first octet, half a mark
def test_any_octets_can_be_checked_and_findings_stand_in_the_file(body):
    octets = body if isinstance(body, bytes) else body.encode()
    for dialect in ("rfc9309", "google", "original1994"):
        lines = readable_lines(octets)
        for finding in lint(octets, dialect):
            assert 1 <= finding.line <= len(lines)
            assert 1 <= finding.column <= finding.end <= len(lines[finding.line - 1]) + 1
