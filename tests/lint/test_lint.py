"""What lint finds, where, and what it leaves alone. Every example of docs/lint.md is run."""

from __future__ import annotations

import gzip
import re
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_robots_policy.owners.lint import KINDS, Finding, Severity, lint, readable_lines
from scrapy_robots_policy.rep import DIALECTS, FetchResult, parse, product_token

EXAMPLES = [
    (code, example.dialect, example.text)
    for code, kind in KINDS.items()
    for example in kind.examples
]


def findings_in(body: str | bytes, dialect: str = "rfc9309") -> list[Finding]:
    return list(lint(body if isinstance(body, bytes) else body.encode(), dialect))


def of(code: str, body: str | bytes, dialect: str = "rfc9309") -> list[Finding]:
    return list(lint(body if isinstance(body, bytes) else body.encode(), dialect, select=[code]))


def marked(body: str | bytes, finding: Finding) -> str:
    """The characters that a finding is about."""
    body = body if isinstance(body, bytes) else body.encode()
    return readable_lines(body)[finding.line - 1][finding.column - 1 : finding.end - 1]


@pytest.mark.parametrize(("code", "dialect", "text"), EXAMPLES, ids=[e[0] for e in EXAMPLES])
def test_each_example_of_the_docs_has_its_finding(code, dialect, text):
    assert of(code, text, dialect)


def test_each_kind_has_an_example_or_a_case_below():
    cases_below = {"R101", "R102", "R103", "R107", "R112", *SERVED}
    assert {code for code, _, _ in EXAMPLES} | cases_below == set(KINDS)


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
    assert [finding for finding in findings_in(text) if finding.severity is not Severity.NOTE] == []


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n", " \t\n"])
def test_how_lines_end_makes_no_finding(end):
    text = "User-agent: *\nDisallow: /a\n\nDisalow: /b\nDisallow: /c d\n"
    places = [(finding.code, marked(text, finding)) for finding in findings_in(text)]
    ended = text.replace("\n", end)
    assert [(finding.code, marked(ended, finding)) for finding in findings_in(ended)] == places


USAGE = {"R504", "R505", "R506", "R507"}

PLACES = [
    ("R201", "User-agent: *\n  Disalow : /x\n", 2, "Disalow"),
    ("R202", "User-agent: *\nDisallow /x\n", 2, " "),
    ("R202", "User-agent: *\nDisallow /x:y\n", 2, " "),
    ("R202", "User-agent: *\nSitemap  https://a.b/s.xml\n", 2, " "),
    ("R203", "User-agent: *\n http://a.b/s.xml # c\n", 2, "http://a.b/s.xml"),
    ("R205", "User-agent: *\nDisallow: /a#b\n", 2, "#"),
    ("R206", "User-agent: * Disallow : /ä\n", 1, "Disallow :"),
    ("R206", "User-agent: *\nDisallow: /User-agent: a\n", 2, "User-agent:"),
    ("R206", "User-agent: *\nAllow: Sitemap: https://a.b/s.xml\n", 2, "Sitemap:"),
    ("R304", "User-agent: ok\nUser-agent: ä x\nDisallow: /\n", 2, "ä x"),
    ("R304", "User-agent:\nDisallow: /\n", 1, "User-agent:"),
    ("R306", "User-agent: ab, cd # e\nDisallow: /\n", 1, "ab, cd"),
    ("R307", "User-agent: *\nDisallow: /ä\nDisallow: /*\n", 3, "/*"),
    ("R308", "User-agent: *\nUser-agent: googelbot # c\nDisallow: /a\n", 2, "googelbot"),
    ("R309", "User-agent: *\nDisallow: /a\nUser-agent: x\n\nSitemap: https://a.b/c\n", 3, None),
    ("R311", "User-agent: *\nDisallow: /a\nUser-agent: x # c\nAllow: /b\n", 3, "User-agent: x"),
    ("R312", "User-agent: a\nAllow: /\nUser-agent: Claude-Web\nDisallow: /\n", 3, "Claude-Web"),
    ("R401", "User-agent: *\nDisallow: ä/b c\n", 2, "ä/b c"),
    ("R402", "User-agent: *\nDisallow: /ä$b\n", 2, "$"),
    ("R403", "User-agent: *\nAllow: /ä/%7ejoe\n", 2, "%7e"),
    ("R404", "User-agent: *\nDisallow: /x  # c\nAllow: /x\n", 2, "/x"),
    ("R405", "User-agent: *\nDisallow: /ä\n\nDisallow : /ä # b\n", 4, "/ä"),
    ("R407", "User-agent: *\nDisallow: /a\nDisallow: /ab # c\n", 3, "/ab"),
    ("R408", "User-agent: *\nDisallow: /ä/js/ # c\n", 2, "/ä/js/"),
    ("R409", "User-agent: *\nDisallow: /ä/.* # c\n", 2, ".*"),
    ("R409", "User-agent: *\nDisallow: /a(b|c)\n", 2, "(b|"),
    ("R409", "User-agent: *\nDisallow: /a[0-9]+\n", 2, "[0-9"),
    ("R409", "User-agent: *\nDisallow: /a\\?b\n", 2, "\\?"),
    ("R409", "User-agent: *\nDisallow: ^/a\n", 2, "^"),
    ("R503", "License: /ä.xml # c\nUser-agent: *\nDisallow: /a\n", 1, "/ä.xml"),
    ("R503", "User-agent: *\nLicense:\nDisallow: /a\n", 2, "License"),
    ("R508", "User-agent: *\nDisallow: /s\nSitemap: http://a.b/s.xml # c\n", 3, "http://a.b/s.xml"),
    ("R510", "User-agent: a\nCrawl-delay: 3600 # c\nDisallow: /\n", 2, "3600"),
    ("R501", "\n\nSitemap: /s.xml\n", 3, "/s.xml"),
    ("R503", "User-agent: *\nDisallow: /\nCrawl-delay: slow\n", 3, "slow"),
    ("R504", "User-agent: *\nContent-Usage: /a Train-AI=n\n", 2, "/a Train-AI=n"),
    ("R504", "User-agent: *\nContent-Usage:\n", 2, "Content-Usage"),
    ("R504", "User-agent: *\nContent-Signal: no\n", 2, "no"),
    ("R505", "Content-Usage: search=n # c\nUser-agent: *\n", 1, "Content-Usage: search=n"),
    ("R506", "User-agent: *\nContent-Usage: / ai-use=n\nContent-usage: / ai-use=y\n", 3, None),
    ("R507", "User-agent: *\nContent-Usage: bots=n\n", 2, "bots=n"),
    ("R507", "User-agent: *\nContent-Signal: search=maybe\n", 2, "search=maybe"),
    ("R507", "User-agent: *\nContent-Signal: use=summary\n", 2, "use=summary"),
]


@pytest.mark.parametrize(("code", "text", "line", "characters"), PLACES)
def test_a_finding_stands_where_the_fault_is(code, text, line, characters):
    finding = of(code, text)[0]
    whole = text.split("\n")[line - 1]
    assert (finding.line, marked(text, finding)) == (line, characters or whole)


def test_a_preference_that_is_not_obeyed_comes_with_the_line_that_is():
    text = "User-agent: a\nUser-agent: b\nContent-Signal: search=yes, ai-train=no\n"
    (finding,) = of("R506", text + "Content-Signal: ai-train=yes\nContent-Signal: search=yes\n")
    assert (finding.line, finding.message[:6]) == (4, "line 3")


@pytest.mark.parametrize(
    ("dialect", "between"),
    [
        ("baidu", "\n"),
        ("koster1996", "Allow: /\nUser-agent: a\n"),
        ("koster1996", "Allow: /\nUser-agent: a\nContent-Usage: search=y\n"),
    ],
)
def test_a_preference_that_binds_nobody_contradicts_none(dialect, between):
    text = f"User-agent: a\nContent-Usage: search=y\n{between}Content-Usage: search=n\n"
    assert of("R506", text)
    assert not of("R506", text, dialect)


def test_only_a_preference_that_binds_a_crawler_of_its_group_contradicts_another():
    two = "Content-Usage: search=y\nContent-Usage: search=n\n"
    text = f"User-agent: a\nUser-agent: b\nDisallow: /x\nUser-agent: b\n{two}"
    assert [finding.line for finding in of("R506", text)] == [5]
    assert not of("R506", text, "koster1996")
    one_group = f"User-agent: a\nContent-Usage: search=y\nUser-agent: a\n{two}".encode()
    dialect = DIALECTS["koster1996"].but("first group", extension_ends_agents=False)
    findings = lint(one_group, dialect, select=["R506"])
    assert [(finding.line, finding.last) for finding in findings] == [(2, 0), (4, 0)]


def test_a_sitemap_whose_key_has_no_colon_is_told_to_have_one():
    (finding,) = of("R501", "Sitemap  https://a.b/s.xml\n", "google")
    assert finding.message.startswith("'//a.b/s.xml' is no whole URL")
    assert finding.fix.startswith("put a colon after the key")
    (finding,) = of("R501", "Sitemap: //a.b/s.xml\n", "google")
    assert finding.fix.startswith("write https://")


@pytest.mark.parametrize(
    "label", ["tdm", "ai", "genai", "inference", "bots", "train-genai", "ai-output"]
)
def test_a_label_of_earlier_drafts_is_named_as_one(label):
    (finding,) = of("R507", f"User-agent: *\nContent-Usage: {label}=n\n")
    assert "label of earlier drafts: readers of aipref-vocab-08 ignore it" in finding.message


@pytest.mark.parametrize(
    ("delay", "pages"), [("3600", "24 pages"), ("50000", "1 page"), ("100000", "1 page")]
)
def test_a_long_delay_lets_a_crawler_fetch_one_page_a_day_at_least(delay, pages):
    (finding,) = of("R510", f"User-agent: a\nCrawl-delay: {delay}\nDisallow: /\n")
    assert finding.message.endswith(f" seconds is at most {pages} a day")


def test_the_sign_of_a_regular_expression_is_to_be_removed_and_nothing_put_before_it():
    (finding,) = of("R401", "User-agent: *\nDisallow: ^/a\n")
    assert finding.fix == "remove the ^"


def test_two_groups_that_are_joined_come_with_the_dialects_that_part_them():
    (finding,) = of("R302", "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /\n")
    parting = tuple(name for name, dialect in DIALECTS.items() if dialect.extension_ends_agents)
    assert finding.dialects == parting
    assert finding.message.endswith(f"{', '.join(parting[:-1])} and {parting[-1]} part them")


SILENT = [
    ("R507", "User-agent: *\nContent-Signal: search=yes,ai-train=no,use=reference\nAllow: /\n"),
    ("R507", "Content-Signal: use=immediate\nUser-agent: *\nContent-Signal: use=full\n"),
    # each is for the User-agent line above it
    ("R506", "User-agent: a\nContent-Usage: b=n\nUser-agent: *\nContent-Usage: b=y\n"),
    # a mark before what says nothing
    ("R101", b"\xef\xbb\xbf# a\nUser-agent: *\nDisallow: /b\n"),
    ("R101", b"\xef\xbb\xbf\nUser-agent: *\nDisallow: /b\n"),
    ("R201", "User-agent: *\n".encode("utf-16")),
    ("R204", "User-agent: *\n\nDisallow: /a\n".encode("utf-16")),
    ("R206", "User-agent: *\nDisallow: /Special:Sitemap:x\nDisallow: /a # Allow: /b\n"),
    ("R302", "User-agent: *\nCrawl-delay: 1\n\nUser-agent: *\nDisallow: /\n"),
    ("R302", "User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nCrawl-delay: 2\nAllow: /\n"),
    ("R303", "User-agent: a\nDisallow /\n\nUser-agent: b\nDisallow: /\n"),
    ("R309", "User-agent: *\n\nSitemap: https://a.b/c\n"),
    ("R310", "User-agent: Perplexity-User\nAllow: /\nDisallow:\n"),
    ("R310", "User-agent: facebookexternalhit\nCrawl-delay: 1\nAllow: /a\n"),
    ("R312", "User-agent: anthropic-ai\nDisallow: /\n\nUser-agent: ClaudeBot/1.0\nAllow: /\n"),
    ("R312", "User-agent: anthropic-ai\nDisallow: /a/b\n\nUser-agent: *\nDisallow: /a\n"),
    ("R312", "User-agent: anthropic-ai\nAllow: /\nDisallow:\n"),
    # outside all groups it binds nobody: R505
    ("R506", "Content-Usage: search=y\nContent-Usage: search=n\nUser-agent: *\nDisallow: /\n"),
    ("R302", "User-agent: a\nCrawl-delay: 1\nDisallow: /\n\nUser-agent: b\nDisallow: /x\n"),
    ("R302", "User-agent: a\nDisallow: /\nUser-agent: b\nDisallow: /x\n"),
    # names that their owners cannot change, and names that work
    ("R304", "User-agent: MJ12bot\nUser-agent: archive.org_bot\nUser-agent: 008\nDisallow: /\n"),
    ("R304", "User-agent: Mediapartners-Google*\nDisallow:\n"),
    ("R304", "User-agent: Sogou web spider\nUser-agent: Googlebot/2.1\nDisallow: /\n"),
    (
        "R305",
        "User-agent: a\nDisallow: /\nUser-agent: A/1.0\nDisallow: /\nSitemap: https://b.c/d\n",
    ),
    ("R305", "User-agent: *\nDisallow: /a\n\nUser-agent: b\nUser-agent: *\nDisallow: /a\n"),
    ("R306", "User-agent: Mozilla/5.0 (compatible; Foo, Bar)\nDisallow: /\n"),
    ("R307", "User-agent: *\nDisallow: /\nAllow: /open\n"),
    ("R307", "User-agent: a\nDisallow: /\n"),
    ("R307", "User-agent: *\nUser-agent: a\nDisallow: /\n\nUser-agent: *\nAllow: /open\n"),
    ("R308", "User-agent: Googlebot\nUser-agent: Googlebots\nUser-agent: moogle\nDisallow: /\n"),
    ("R309", "User-agent: *\nDisallow: /a\nUser-agent: x\nDisalow: /b\n"),
    ("R309", "User-agent: *\nDisallow: /a\nUser-agent: x\nCrawl-delay: 3\n"),
    ("R309", "User-agent: *\nDisallow: /a\n\nUser-agent: *\nSitemap: https://a.b/c\n"),
    ("R102", "User-agent: * # caf\xe9\n# na\xefve\nDisallow: /\n".encode("latin-1")),
    ("R105", "<!-- robots -->\nUser-agent: *\nDisallow: /\n"),
    # the same rule, but for other crawlers, or not in every dialect
    ("R401", "User-agent: *\nAllow: Sitemap: https://a.b/s.xml\n"),
    ("R404", "User-agent: *\nDisallow: a\nAllow: /*\n"),
    # the stronger rule matches only a part of what the other one matches
    ("R404", "User-agent: *\nDisallow: *\nAllow: /$\n"),
    ("R404", "User-agent: *\nDisallow: *?\nAllow: /?\n"),
    ("R404", "User-agent: *\nDisallow: */a\nAllow: /*/a\n"),
    ("R404", "User-agent: *\nDisallow: /a\nAllow: /a%0A\nAllow: /*A$\n"),
    ("R405", "User-agent: b\nDisallow: /a\n\nUser-agent: *\nUser-agent: b\nDisallow: /a\n"),
    ("R405", "User-agent: b\nDisallow: /a\nUseragent: c\nDisallow: /a\n"),
    ("R405", "User-agent: *\nDisallow: /a\nAllow: /b\n\nUser-agent: *\nDisallow: /a\n"),
    ("R405", b"User-agent: *\nDisallow: /a\0b\nDisallow: /a\0c\n"),
    # a rule that allows comes near, or a blank line ends the group for some
    ("R407", "User-agent: *\nDisallow: /a\nDisallow: /a/b\nAllow: /a/\n"),
    ("R407", "User-agent: *\nDisallow: /a\nDisallow: /a/b\n\nUser-agent: *\nAllow: /a/b/c\n"),
    ("R407", "User-agent: *\nDisallow: /a/b\n\nDisallow: /a\n"),
    ("R407", "User-agent: *\nDisallow:\nDisallow: /a\nDisallow: /a/b\n"),
    ("R407", "User-agent: *\nDisallow: /a$\nDisallow: /a/b\n"),
    ("R406", "User-agent: *\nDisallow:\nAllow: /a\n"),
    ("R409", "User-agent: *\nDisallow: /.*\nDisallow: /*/.*\nDisallow: /*.*\nDisallow: /a.*\n"),
    ("R409", "User-agent: *\nDisallow: /a|b\nDisallow: /c(d)\nDisallow: /e[f]\nDisallow: /{g}\n"),
    ("R409", "User-agent: *\nDisallow: http://a.b/c/.*\n"),
    ("R408", "User-agent: *\nDisallow: /jsp\nDisallow: /a.cssx\nAllow: /css/\n"),
    ("R408", "User-agent: ExampleBot\nDisallow: /css/\n"),
    ("R408", "User-agent: *\nDisallow: /css/\nAllow: /css/*.css\n"),
    ("R408", "User-agent: *\nDisallow: /*.js\nDisallow: /js/$\nAllow: /*.js$\n"),
    ("R508", "User-agent: *\nDisallow: /s\nSitemap: http://a.b/s\nSitemap: http://c.d/s\n"),
    ("R508", "User-agent: *\nDisallow: /\nSitemap: http://a.b/s\n"),
    ("R510", "User-agent: a\nCrawl-delay: 60\nDisallow: /\n"),
    ("R601", "User-agent: *\nDisallow: /a\nAllow: /a/b\n"),
]


DELAYS = "Crawl-delay: 1\n\nUser-agent: b\nCrawl-delay: 1\n\nUser-agent: *\n"
SENTENCES = [  # what the sentence, or the fix, must say
    ("R102", b"User-agent: *\xa0\nDisallow: /\n", "no-break space"),
    ("R102", b"User-agent: *\nDisallow:\xa0/a\n", "remove it"),
    ("R102", b"\0\0\1\0\3\0" + b"00\0\0\1\0\x20\0" * 99, "does not look like text"),
    ("R102", "User-agent: *\n".encode("utf-16-le"), "UTF-16"),
    ("R102", "# \u4e02\u5203\u6504\nUser-agent: *\n".encode("utf-16"), "UTF-16"),
    ("R203", "http://a.b/sitemap.xml\n", "write Sitemap: before it"),
    ("R203", "Video Sitemap: http://a.b/sitemap.xml\n", "write Sitemap:"),
    ("R203", "User-agent: *\nDisallowAITraining: /\n", "write Content-Signal: ai-train=no, or"),
    ("R203", "User-agent: *\nSignature-Agent: a.b\n", "they bind the crawlers of the group above"),
    ("R203", "User-agent: *\nMax-Crawl-Rate: 5\n", "write Crawl-delay:"),
    ("R203", "<!-- a: b -->\nUser-agent: *\n", "put # before the line"),
    ("R205", "User-agent: *\nDisallow: /a#b\n", "remove the rule if"),
    ("R205", "User-agent: *\nCrawl-delay: 1# b\n", "put a space before the #"),
    ("R206", "User-agent: * Disallow: /\n", "start a new line before it"),
    ("R206", "User-agent: *\nAllow: Sitemap: https://a.b/s\n", "remove Allow:"),
    (
        "R302",
        f"User-agent: a\n{DELAYS}Allow: /\nDisallow: /b\n",
        "Disallow: /b of line 9 binds all",
    ),
    ("R302", f"User-agent: a\n{DELAYS}Disallow: /\n", "(and 1 more group like it, up to line 7)"),
    ("R302", f"User-agent: a\n{DELAYS}Disallow: /\n", "'b' is joined with 'a' of line 1"),
    ("R305", "User-agent: *\nCrawl-delay: 1\n\nUser-agent: *\nDisallow: /\n", "read that one only"),
    ("R307", "User-agent: *\nDisallow: /\n\nUser-agent: bingbot\nAllow: /\n", "well but bingbot"),
    ("R307", "User-agent: *\nDisallow: /\n\nUser-agent: GPTBot\nAllow: /\n", "engines as well"),
    # "Disallow: /" in place of these would forbid the whole site
    ("R401", "User-agent: *\nDisallow: https://c.d.example/\n", "remove it"),
    ("R401", "User-agent: *\nDisallow: https://c.d.example/*\n", "remove it"),
    ("R401", "User-agent: *\nDisallow: http://c.d.example\n", "remove it"),
    ("R401", "User-agent: *\nDisallow: c.d.example/\n", "remove it"),
    ("R401", "User-agent: *\nDisallow: www.d.example\n", "remove it"),
    ("R401", "User-agent: *\nDisallow: https://c.d.example/a\n", "if it is one of this site"),
    ("R401", "User-agent: *\nDisallow: c.d.example/a\n", "if it is one of this site"),
    ("R401", "User-agent: *\nDisallow: jquery.min.js\n", "write / before it"),
    ("R501", "Sitemap:\nhttp://a.b/s.xml\n", "names no sitemap"),
    ("R502", "User-agent: *\nNoindex: /a\n", "X-Robots-Tag"),
    ("R510", "User-agent: *\nCrawl-delay: 86400\n", "at most 1 page a day"),
    ("R510", "User-agent: *\nCrawl-delay: 3600\n", "at most 24 pages a day"),
]


@pytest.mark.parametrize(("code", "text", "words"), SENTENCES)
def test_a_finding_says_what_its_reader_must_know(code, text, words):
    (finding,) = of(code, text)
    assert words in f"{finding.message}: {finding.fix}"


@pytest.mark.parametrize(
    ("code", "text", "more"),
    [
        (
            "R305",
            "".join(f"User-agent: a\nDisallow: /{n}\n\n" for n in range(4)),
            "2 more lines like it, up to line 10",
        ),
        (
            "R305",
            "".join(f"User-agent: a{n}\nDisallow: /{n}\n" for n in ("", "/1", "", "/2")),
            "1 more line like it, up to line 7",
        ),
        ("R305", "User-agent: a\nDisallow: /\nUser-agent: a\nUser-agent: a/1\nAllow: /\n", ""),
        ("R502", "User-agent: *\n" + "Noindex: /a\nAllow: /b\n" * 3, "2 more lines like it, up to"),
    ],
)
def test_one_fault_in_many_lines_is_one_finding(code, text, more):
    finding, *others = of(code, text)
    assert more in finding.message
    # A crawler that is named again in the same way, and with a version, are two faults.
    assert len(others) == (more == "")


@pytest.mark.parametrize(("code", "text"), SILENT)
def test_what_is_well_or_cannot_be_changed_has_no_finding(code, text):
    assert code not in {finding.code for finding in findings_in(text)}


def test_lines_that_follow_one_another_with_the_same_fault_are_one_finding():
    rules = "User-agent: *\nDisallow: /a # b\nDisallow: /c#d\nAllow: e\nAllow: f\n"
    text = f"one\ntwo\nthree\n\nfour\n{rules}"
    places = [(finding.code, finding.line, finding.last) for finding in findings_in(text)]
    assert places == [("R204", 1, 3), ("R204", 5, 0), ("R205", 8, 0), ("R401", 9, 10)]
    (first, *_) = findings_in(text)
    assert "(and so in the 2 lines after it)" in first.message
    assert [edit.line for edit in first.edits] == [1, 2, 3]


def test_findings_are_chosen_by_code_or_its_start():
    body = b"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a\n"
    codes = {
        select: {finding.code for finding in lint(body, select=select.split())}
        for select in ("R4", "R601", "R6 R405", "R2")
    }
    assert codes == {"R4": {"R405"}, "R601": {"R601"}, "R6 R405": {"R601", "R405"}, "R2": set()}


def test_a_sitemap_is_compared_with_the_address_of_the_file():
    text = b"Sitemap: http://www.example.com/s.xml\nSitemap: https://example.com/\n"
    rules = b"User-agent: *\nDisallow: /s\n" + text
    assert [f.code for f in lint(rules, url="https://example.com/robots.txt")] == ["R508"]
    assert lint(rules, url="https://other.example/robots.txt") == ()


@pytest.mark.parametrize(
    ("host", "sitemap", "codes"),
    [
        ("bücher.example", "http://www.bücher.example/s", ["R508"]),
        ("xn--bcher-kva.example", "https://bücher.example/s", ["R508"]),
        ("[2001:db8::1]", "http://[2001:db8::1]/s", ["R508"]),
        ("[2001:db8::1]", "http://[2001:db8::2]/s", []),
    ],
)
def test_a_sitemap_is_of_the_files_own_host_however_that_is_written(host, sitemap, codes):
    file = f"User-agent: *\nDisallow: /s\nSitemap: {sitemap}\n".encode()
    assert [one.code for one in lint(file, url=f"https://{host}/robots.txt")] == codes


FILE = b"User-agent: *\nDisallow: /a\n"
URL = "https://example.com/robots.txt"
SERVED = {
    "R108": FetchResult(200, FILE, media_type="text/html"),
    "R109": FetchResult(200, FILE, media_type="text/plain", hops=("https://a.example/r",) * 2),
    "R110": FetchResult(503),
    "R111": FetchResult(404),
}


@pytest.mark.parametrize("code", SERVED)
def test_how_a_site_serves_the_file_is_looked_at(code):
    result = SERVED[code]
    (finding,) = lint(result.body, url=URL, served=result)
    assert (finding.code, finding.line) == (code, 1)


def test_a_file_that_is_served_well_has_no_finding():
    assert lint(FILE, url=URL, served=FetchResult(200, FILE, media_type="text/plain")) == ()
    assert lint(FILE, url=URL, served=FetchResult(200, FILE)) == ()  # it may have no type


def test_without_a_file_the_finding_says_what_each_dialect_does_then():
    (finding,) = lint(b"", url=URL, served=SERVED["R110"])
    answers = {name for name in DIALECTS if name in finding.message}
    assert answers == set(DIALECTS)
    assert "nothing is allowed in rfc9309" in finding.message
    (finding,) = lint(b"", url=URL, served=FetchResult(429))
    assert finding.code == "R110"


def test_redirects_name_the_dialects_that_do_not_follow_so_many():
    (finding,) = lint(
        FILE, url=URL, served=FetchResult(200, FILE, hops=("https://a.example/",) * 6)
    )
    fewer = {name for name, dialect in DIALECTS.items() if dialect.access.redirects < 6}
    assert set(finding.dialects) == fewer != set()


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


def test_a_run_of_lines_goes_on_around_a_line_that_is_left_out():
    text = "one\ntwo # robots-lint: ignore R204\nthree\nfour\n"
    assert [(one.line, one.last) for one in of("R204", text)] == [(1, 0), (3, 4)]


def test_findings_are_left_out_by_code_or_its_start():
    body = b"User-agent: *\nDisallow: /a$b\nDisalow: /c\n"
    assert [one.code for one in lint(body, ignore=["R4"])] == ["R201"]
    assert [one.code for one in lint(body, select=["R2", "R4"], ignore=["R201"])] == ["R402"]


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
    assert [finding.code for finding in findings_in(text) if finding.code in USAGE] == []


def test_a_mark_at_the_start_spoils_line_1_for_those_who_keep_it():
    (finding,) = of("R101", b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n")
    keeping = {name for name, dialect in DIALECTS.items() if dialect.text.name == "PERL"}
    assert set(finding.dialects) == keeping
    assert keeping


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (b"User-agent: *\nDisallow: /caf\xe9\n", 2),
        ("\ufeffUser-agent: *\nDisallow: /\n".encode("utf-16-le"), 1),
        ("User-agent: *\n".encode("utf-16-be"), 1),
        ("User-agent: *\n".encode("utf-32"), 1),
        (b"User-agent: *\nDisallow: /a # \xe9\nDisallow: /\xe9\n", 3),
    ],
)
def test_other_encodings_than_utf8_are_found(body, line):
    assert [finding.line for finding in of("R102", body)] == [line]


@pytest.mark.slow
def test_a_file_over_the_limit_tells_who_reads_how_much():
    (finding,) = of("R103", b"User-agent: *\n" + b"Disallow: /abcdefgh\n" * 26_000)
    assert {"rfc9309", "yandex"} <= set(finding.dialects)
    assert "yandex obeys none of it" in finding.message


def test_a_dialect_with_limits_of_its_own_is_told_apart_from_the_others():
    head, own = b"User-agent: *\nDisallow: /", DIALECTS["rfc9309"].but
    (of_file,) = lint(head + b"a" * 600_000, own("own", size_limit=1000), select=["R103"])
    assert "own read the first 1,000 only; rfc9309, google" in of_file.message


def test_a_name_that_is_read_as_another_says_so():
    (finding,) = of("R304", "User-agent: Web Spider 2\nDisallow: /\n")
    assert "is read as 'Web'" in finding.message
    assert not parse(b"User-agent: Web Spider 2\nDisallow: /").allowed("http://e.com/", "Web")


# (dialect, the last User-agent line, whether it frees a crawler of the rules of all others)
FREEING = [
    *((dialect, "x", True) for dialect in DIALECTS),
    *((dialect, "MJ12bot", True) for dialect in ("rfc9309", "yandex", "original1994")),
    *((dialect, "FooBot/1.0", True) for dialect in ("rfc9309", "google", "koster1996")),
    *((dialect, "FooBot/1.0", False) for dialect in ("yandex", "original1994")),
    ("yandex", "YandexBot/3.0", True),
    ("google", "FooBot x", True),
    ("google", "*x", False),
    ("rfc9309", "", False),
    ("yandex", "", False),
    ("original1994", "", True),
]


@pytest.mark.parametrize(("dialect", "name", "is_freed"), FREEING)
def test_a_group_without_rules_is_found_where_it_binds_a_crawler(dialect, name, is_freed):
    findings = of("R309", f"User-agent: *\nDisallow: /\n\nUser-agent: {name}\n", dialect)
    assert [finding.line for finding in findings] == [4] * is_freed


# (dialect, the group of a crawler, whether it lacks rules that all others are bound by)
OWN_GROUPS = [
    *((dialect, "User-agent: foo\nDisallow: /b\n", True) for dialect in DIALECTS),
    ("360", "User-agent: foo\nUser-agent: y\nAllow: /b\n", True),
    ("rfc9309", "User-agent: foo\nCrawl-delay: 9\n", True),
    ("rfc9309", "User-agent: foo\nDisallow: /p?\n", True),
    # no finding: a rule of the group is about the same pages, or the group allows everything
    ("rfc9309", "User-agent: foo\nDisallow: /p\nDisallow: /b\n", False),
    ("rfc9309", "User-agent: foo\nDisallow: /b\nAllow: /p\n", False),
    ("rfc9309", "User-agent: foo\nDisallow: /\n", False),
    ("rfc9309", "User-agent: foo\nAllow: /\n", False),
    *((dialect, "User-agent: foo\nDisallow:\n", False) for dialect in DIALECTS),
    ("rfc9309", "User-agent: foo\n", False),  # R309
    # the same group, or no crawler's own
    ("rfc9309", "User-agent: *\nUser-agent: foo\nDisallow: /b\n", False),
    ("rfc9309", "User-agent: 1\nDisallow: /b\n", False),
    ("rfc9309", "User-agent: foo\nDisallow: /b\nUser-agent: foo\nDisallow: /p\n", False),
    ("koster1996", "User-agent: foo\nDisallow: /b\nUser-agent: foo\nDisallow: /p\n", True),
    ("yandex", "User-agent: foo\nCrawl-delay: 9\n\nUser-agent: z\nDisallow: /p\n", True),
    ("rfc9309", "User-agent: foo\nCrawl-delay: 9\n\nUser-agent: z\nDisallow: /p\n", False),
]


@pytest.mark.parametrize(("dialect", "own_group", "is_found"), OWN_GROUPS)
def test_an_own_group_is_found_that_leaves_open_what_is_forbidden_to_all(
    dialect, own_group, is_found
):
    text = f"User-agent: *\nDisallow: /p\n\n{own_group}"
    findings = of("R311", text, dialect)
    assert [finding.line for finding in findings] == [4] * is_found
    if is_found:
        assert "Disallow: /p of line 2 does not bind it" in findings[0].message
        assert parse(text.encode(), dialect).allowed("/p", "foo")


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ("Disallow: /\n", None),
        ("Disallow: /a\nAllow: /a\n", None),
        ("Disallow: /a\nDisallow: /b\n", None),  # the own group repeats one
        ("Disallow: /a\nDisallow: /c\n", "/a of line 2 and Disallow: /c of line 3 do not"),
        ("Disallow: /a\n" + "Disallow: /c\n" * 4, "/c of line 4 and others do not"),
    ],
)
def test_an_own_group_is_compared_with_what_the_group_for_all_forbids(rules, named):
    findings = of("R311", f"User-agent: *\n{rules}User-agent: x\nDisallow: /b\n")
    assert [named in finding.message for finding in findings] == [True] * (named is not None)


# (dialect, a rule that a search engine's crawler is bound by, whether it forbids page parts)
PAGE_PARTS = [
    *(("rfc9309", rule, True) for rule in ("/a/css", "/a/js/*", "/*.js?", "/*.css*", "*.js$")),
    ("rfc9309", "/stylesheets/\nAllow: /*.js$", True),
    ("rfc9309", "/stylesheets/\nAllow: /*sheets/*.css$", False),
    ("original1994", "/js/", True),
    ("original1994", "/*.js", False),
    ("koster1996", "/a/js/*", False),
]


@pytest.mark.parametrize(("dialect", "rule", "is_found"), PAGE_PARTS)
def test_page_parts_are_forbidden_just_where_the_engine_forbids_them(dialect, rule, is_found):
    text = f"User-agent: Googlebot\nDisallow: {rule}\n"
    assert [finding.line for finding in of("R408", text, dialect)] == [2] * is_found


@pytest.mark.parametrize("more", ["", "User-agent: a\n"])
def test_a_blank_line_ends_no_group_where_a_mark_hides_its_only_user_agent_line(more):
    text = f"\ufeffUser-agent: *\n{more}\nDisallow: /x\n"
    (finding,) = of("R303", text)
    obeying = {name for name in DIALECTS if not parse(text.encode(), name).allowed("/x", "qzxj")}
    assert obeying.isdisjoint(finding.dialects)
    assert ("original1994" in finding.dialects) is bool(more)


def test_a_crawler_that_is_named_again_comes_with_what_each_dialect_reads():
    (finding,) = of("R305", "User-agent: a\nDisallow: /\n\nUser-agent: a\nDisallow: /b\n")
    assert "yahoo read that one only, others join the two" in finding.message
    assert "koster1996" in finding.dialects
    assert "yandex" not in finding.dialects


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
    def is_kept_out_by(value):
        crawler = product_token(second)
        return not parse(f"User-agent: {value}\nDisallow: /".encode(), dialect).allowed(
            "/", crawler
        )

    text = f"User-agent: {first}\nDisallow: /a\n\nUser-agent: {second}\nDisallow: /b\n"
    findings = of("R305", text, dialect)
    assert len(findings) == (is_kept_out_by(first) and is_kept_out_by(second))
    joins = not parse(text.encode(), dialect).allowed("/b", product_token(second))
    for finding in findings:
        assert finding.line == 4
        assert finding.message.startswith(
            f"'{second}' is the same crawler as '{first}' of line 1: "
        )
        assert finding.message.endswith("joins the two groups" if joins else "first group only")


def test_a_name_that_stands_twice_in_one_list_has_no_second_group():
    for second in ("a", "a/1"):
        assert of("R305", f"User-agent: a\nUser-agent: {second}\nDisallow: /b\n") == []


def test_names_that_differ_in_more_than_a_version_are_two_crawlers():
    for first, second in (("MJ12bot", "MJ13bot"), ("Sogou web spider", "Sogou inst spider")):
        text = f"User-agent: {first}\nDisallow: /a\n\nUser-agent: {second}\nDisallow: /b\n"
        assert of("R305", text) == []


def test_a_line_without_a_name_names_nobody_or_everybody():
    text = "User-agent:\nDisallow: /\n"
    for dialect, whom in (("rfc9309", "no"), ("original1994", "every")):
        (finding,) = of("R304", text, dialect)
        assert finding.message == f"the line names {whom} crawler"
        assert parse(text.encode(), dialect).allowed("http://e.com/", "FooBot") is (whom == "no")


def test_names_that_are_read_in_part_are_one_finding():
    text = "User-agent: a b\nDisallow: /\n\nUser-agent: ok\nUser-agent: c d\nDisallow: /\n"
    (finding,) = of("R304", text)
    assert finding.line == 1
    assert "(and 1 more name like it, up to line 5)" in finding.message


REDUNDANT = "Disallow: /a/b\nDisallow: /b\nDisallow: /a\nDisallow: /b/c\nDisallow: /a/d\n"


def test_redundant_rules_of_a_group_are_one_finding():
    text = f"User-agent: *\n{REDUNDANT}{REDUNDANT}\nUser-agent: a\n{REDUNDANT}"
    here, there = of("R407", text)
    places = [(f.line, [edit.line for edit in f.edits], f.fix) for f in (here, there)]
    assert places == [
        (2, [2, 5, 6, 7, 10, 11], "remove them"),
        (14, [14, 17, 18], "remove them"),
    ]
    assert here.message == (
        "line 4, Disallow: /a, forbids the pages of this rule (and 5 more rules like it: lines 5, "
        "6, 7 and others, up to line 11)"
    )
    assert there.message.endswith("(and 2 more rules like it: lines 17 and 18)")


def test_a_redundant_rule_that_a_comment_leaves_out_is_not_removed_with_the_others():
    comment = "Disallow: /b/c # robots-lint: ignore R407"
    (finding,) = of("R407", "User-agent: *\n" + REDUNDANT.replace("Disallow: /b/c", comment))
    assert [edit.line for edit in finding.edits] == [2, 6]


def test_a_former_name_is_noted_once_with_the_crawler_of_today():
    group = "User-agent: Claude-Web\nUser-agent: Anthropic-AI\nDisallow: /\n"
    (finding,) = of("R312", f"{group}\n{group}")
    assert (finding.line, finding.last) == (1, 2)
    assert finding.fix == "add the line User-agent: ClaudeBot"


NAMES = [
    ("GTPBot", "GPTBot"),
    ("googelbot", "Googlebot"),
    ("Gogglebot", "Googlebot"),
    ("BingBott", ""),
    ("CluadeBot", "ClaudeBot"),
    ("Bytespidr", "Bytespider"),
    ("Googlebot_Image", "Googlebot-Image"),
    ("Apple bot", "Applebot"),
    ("Binggbot", "bingbot"),
    ("Googlebot", ""),
    ("MSRBot", ""),
    ("Yetis", ""),
    ("Googlebot-Imagine", ""),
    ("Boogle", ""),
]


@pytest.mark.parametrize(("name", "meant"), NAMES)
def test_a_misspelt_crawler_is_one_character_off(name, meant):
    findings = of("R308", f"User-agent: {name}\nDisallow: /\n")
    assert [meant in finding.fix for finding in findings] == ([True] if meant else [])


UNSEEN = {
    "Disallow: /pri\u200bvate": "U+200B (zero width space)",
    "Disallow: /a\u202eb": "U+202E (right-to-left override)",
    "Disallow: /a\xa0b": "U+00A0 (no-break space)",
    "Disallow: /a\x85b": "U+0085",
    "User-agent: Google\xadbot": "U+00AD (soft hyphen)",
    "Sitemap: https://example.com/\ufeffa": "U+FEFF (zero width no-break space)",
}


@pytest.mark.parametrize(("line", "named"), UNSEEN.items(), ids=ascii)
def test_a_character_that_nobody_sees_is_found(line, named):
    (finding,) = of("R112", f"User-agent: *\nDisallow: /ä\n{line}\n".encode())
    at = next(at for at, character in enumerate(line) if not character.isascii())
    assert (finding.line, finding.column, finding.end) == (3, at + 1, at + 2)
    assert f"holds {named}, which" in finding.message
    assert finding.fix.endswith(quote(line[at]))


@pytest.mark.parametrize(
    "line",
    [
        "Disallow: /می\u200cخواهم",  # a word of Persian has a joiner in it
        "Disallow: /private # a\u200bb",
        "Disallow: /pri%E2%80%8Bvate",
        "# \u202e",
    ],
)
def test_a_character_that_says_something_or_is_not_read_is_no_unseen_one(line):
    assert of("R112", f"User-agent: *\n{line}\n".encode()) == []


@pytest.mark.slow
def test_a_group_of_too_many_rules_is_found():
    names = [f"User-agent: bot-{letter}\n" for letter in "tsrqponmlkjihgfedcba"]
    rules = [f"Disallow: /{number}\n" for number in range(10_000)]
    text = "".join(names + rules)
    (finding,) = of("R107", text, "yandex")
    assert finding.dialects == ("yandex",)
    assert "'bot-a'" in finding.message  # the same one in every run
    assert of("R107", text.replace("/0\n", "0\n"), "yandex") == []  # it ignores "Disallow: 0"


@pytest.mark.slow  # 10,000 rules
def test_a_rule_is_needless_only_below_the_limits_of_all_dialects():
    """At its limit of 10,000 rules Yandex obeys none of them: with one fewer it would obey all."""
    needless = "Disallow: /00000\nDisallow: /00001/a\nAllow: /00002\n"
    rules = [f"Disallow: /{number:05}\n" for number in range(9_997)]
    below = lint("".join(["User-agent: *\n", *rules[:-1], needless]).encode())
    at_limit = lint("".join(["User-agent: *\n", *rules, needless]).encode())
    assert {finding.code for finding in below} == {"R404", "R405", "R407"}
    assert {finding.code for finding in at_limit} == {"R107"}


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
    assert [finding.code for finding in findings_in(page)] == ["R105"]


@pytest.mark.parametrize(
    ("key", "fix"),
    [
        ("Disalow", "write Disallow:"),
        ("\xa0Disallow", "write Disallow: without U+00A0 (no-break space), which nobody sees"),
        ("Disallow\u200b", "write Disallow: without U+200B (zero width space), which nobody sees"),
    ],
)
def test_a_key_that_looks_right_has_its_unseen_character_named(key, fix):
    (finding,) = of("R201", f"User-agent: *\n{key}: /\n")
    assert finding.fix == fix


@pytest.mark.parametrize(
    ("dialect", "rules", "effect"),
    [
        ("google", "User-agent: *\nDisallow: /\n", "google obeys the rules in it"),
        ("google", "User-agent: *\n", "google reads no rule in it"),
        ("yandex", "User-agent: *\nDisallow: /\n", "yandex reads no rule in it"),
    ],
)
def test_of_an_html_page_lint_says_whether_its_rules_are_obeyed(dialect, rules, effect):
    page = f"<!DOCTYPE html>\n<html>\n{rules}</html>"
    (finding,) = findings_in(page.encode(), dialect)
    assert finding.message.endswith(effect)


@pytest.mark.parametrize(
    ("body", "message", "fix"),
    [
        (gzip.compress(b"User-agent: *\nDisallow: /\n"), "does not look like text", "Content-En"),
        (b"\xef\xbbUser-agent: *\nDisallow: /\n", "this byte is not UTF-8", "save the file"),
        (b"User-agent: *\nDisallow: /\xfc\n", "with URLs that are", "percent-encoded"),
    ],
    ids=["packed", "half a mark", "a path"],
)
def test_a_file_that_is_not_utf_8_gets_the_advice_that_is_right_for_it(body, message, fix):
    (finding,) = (one for one in findings_in(body) if one.code == "R102")
    assert message in finding.message
    assert fix in finding.fix


def test_a_rule_is_unreachable_just_when_the_engine_never_lets_it_decide():
    text = "User-agent: *\nDisallow: /a*b\nAllow: /a\nAllow: /a*b$\nAllow: /a*b\nDisallow: /a*bc\n"
    assert [finding.line for finding in of("R404", text)] == [2]
    behind_stars = "User-agent: *\nDisallow: */a\nAllow: */a\nDisallow: *\nAllow: /\n"
    assert [finding.line for finding in of("R404", behind_stars)] == [2, 4]
    first_wins = "User-agent: *\nDisallow: /\nAllow: /x\n"
    assert of("R404", first_wins) == []
    assert [finding.line for finding in of("R404", first_wins, "koster1996")] == [3]


@pytest.mark.slow
def test_of_rules_that_never_decide_the_first_hundred_are_found():
    pairs = (f"Disallow: /{number}x\nAllow: /{number}x\n" for number in range(110))
    assert len(of("R404", "User-agent: *\n" + "".join(pairs))) == 100


def test_a_group_that_the_dialect_does_not_read_beats_no_rule():
    text = "User-agent: *\nDisallow: /a\n\nUser-agent: *\nAllow: /a\n"
    assert [finding.line for finding in of("R404", text)] == [2]
    assert of("R404", text, "koster1996") == []


def test_a_line_below_a_user_agent_line_is_not_to_become_a_comment():
    below, apart = of("R204", "User-agent: *\nwhat\nDisallow: /a\n\nwhat\n")
    assert (below.fix, apart.fix) == ("remove it", "remove it, or put # before it")


def test_where_engines_part_the_option_is_named_and_is_right():
    text = "User-agent: *\nDisallow: /a\nAllow: /a/b\n"
    findings = of("R601", text)
    by_option = {finding.message.split("(")[1].split(")")[0]: finding for finding in findings}
    assert set(by_option) == {"precedence", "allow_lines"}
    for finding in findings:
        for name in finding.dialects:
            assert not parse(text.encode(), name).allowed("http://example.com/a/b", "qzxj")
    turned = DIALECTS["rfc9309"].but("turned", precedence="first")
    assert not parse(text.encode(), turned).allowed("http://example.com/a/b", "qzxj")


def test_rules_about_which_engines_part_for_one_reason_are_one_finding():
    findings = of("R601", "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /c\nAllow: /c/d\n")
    assert [finding.line for finding in findings] == [3, 3]
    assert all(finding.message.endswith("), and 1 more rule") for finding in findings)


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


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("Crawl-delay: 1", "Crawl-delay"),
        ("Request-rate: 1/10s", "Request-rate"),
        ("Visit-time: 0100-0200", "Visit-time"),
        ("Allow: /a", "Allow"),
        ("Disallow: /*a", "wildcards"),
        ("Disallow: /a$", "wildcards"),
    ],
)
def test_a_line_that_a_crawlers_engine_does_not_read_is_found(line, what):
    (finding,) = of("R502", f"User-agent: MojeekBot\n{line}\nDisallow: /b\n")
    assert finding.message == f"MojeekBot does not read this: original1994 knows no {what}"
    assert not of("R502", f"User-agent: MojeekBot\nDisallow: /b\n\nUser-agent: *\n{line}\n")


@pytest.mark.parametrize("path", [b"/a", "/часть".encode(), b"/caf\xe9"])
def test_where_engines_part_is_found_in_any_script(path):
    findings = of("R601", b"User-agent: *\nDisallow: %b\nAllow: %b/b\n" % (path, path))
    assert {finding.line for finding in findings} == {3}


def test_the_same_file_may_be_sound_in_one_dialect_and_not_in_another():
    typo = "User-agent: *\nDissallow: /x\n"
    assert {finding.code for finding in findings_in(typo)} == {"R201"}
    assert {finding.code for finding in findings_in(typo, "google")} == {"R602"}
    no_slash = "User-agent: *\nDisallow: .jpg$\n"
    assert of("R401", no_slash)
    assert not of("R401", no_slash, "baidu")
    orphan = "Disallow: /a\nUser-agent: *\nDisallow: /b\n"
    assert of("R301", orphan)
    assert not of("R301", orphan, "original1994")


# (dialect, rules for all crawlers, the line that keeps them out of the whole site; 0: none does)
WHOLE_SITE = [
    ("rfc9309", "Disallow: /\nDisallow:\n", 2),
    ("yandex", "Disallow: /\nDisallow:\n", 0),
    ("koster1996", "Disallow:\nDisallow: /\n", 0),
    ("rfc9309", "Disallow: /a\nDisallow: *\n", 3),
    ("koster1996", "Disallow: /*\n", 0),
    ("baidu", "Disallow: /a\n\nDisallow: /\n", 0),
    ("original1994", "Disallow: /%\n", 0),
    ("rfc9309", "Disallow: /$\n", 0),
]


@pytest.mark.parametrize(("dialect", "rules", "line"), WHOLE_SITE)
def test_all_crawlers_are_kept_out_just_when_the_engine_keeps_them_out(dialect, rules, line):
    lines = [finding.line for finding in of("R307", f"User-agent: *\n{rules}", dialect)]
    assert lines == [line] * (line > 0)


@pytest.mark.parametrize(("value", "raw"), [("/ä\x7f", "%7F"), ('/ä "b', "%20")])
def test_a_rule_that_never_matches_names_the_character_that_no_url_holds(value, raw):
    """The dialect escapes the letter, so that is not the reason."""
    (finding,) = of("R401", f"User-agent: *\nDisallow: {value}\n", "google")
    assert finding.fix == f"write {raw}"


@pytest.mark.parametrize("value", ['"a"', "a/./b", "a/../b", "?x", "http://h/a", "//h/a"])
def test_where_a_rule_is_a_reference_it_can_match_what_the_reference_resolves_to(value):
    assert not of("R401", f"User-agent: *\nDisallow: {value}\n", "original1994")
    assert of("R401", "User-agent: *\nDisallow: mailto:x\nDisallow: http:/a\n", "original1994")


@pytest.mark.slow
@given(
    st.binary(max_size=300) | st.text(alphabet="Uuser-agntDisalow:*$/%7E# \n\r\0ä", max_size=200)
)
@example(b"\xef\x80\x80")  # google skips the first byte, half a mark
def test_any_bytes_can_be_checked_and_findings_stand_in_the_file(body):
    body = body if isinstance(body, bytes) else body.encode()
    for dialect in ("rfc9309", "google", "original1994"):
        lines = readable_lines(body)
        for finding in lint(body, dialect):
            assert 1 <= finding.line <= len(lines)
            assert 1 <= finding.column <= finding.end <= len(lines[finding.line - 1]) + 1
