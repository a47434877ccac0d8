"""What holds for every file, every URL and every dialect, the ones nobody has made yet included."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from scrapy_robots_policy.rep import DIALECTS, Dialect, RuleSet, parse
from scrapy_robots_policy.rep.agents import chain_of
from scrapy_robots_policy.rep.dialect import (
    AgentMatch,
    BlankLine,
    SeveralGroups,
    Text,
)
from tests.rep.strategies import (
    AGENTS,
    ANY_DIALECT,
    DIALECT_NAMES,
    FILES,
    LONGEST,
    PATHS,
    TEXTS,
    URLS,
    VALUES,
    group_of,
    questions,
)

pytestmark = pytest.mark.slow

AGENT = "FooBot"


def ask_all(rules: RuleSet, urls: Iterable[str], agent: str = AGENT) -> list[bool]:
    return [rules.allowed(url, agent) for url in urls]


@given(FILES, DIALECT_NAMES.map(DIALECTS.__getitem__) | ANY_DIALECT, URLS, AGENTS)
@example(b"User-agent: *\nDisallow: *$", DIALECTS["yandex"], "http://h/a", AGENT)
@settings(max_examples=600)
def test_any_bytes_are_read_and_allowed_never_disagrees_with_verdict(
    body: bytes, dialect: Dialect, url: str, agent: str
):
    rules = parse(body, dialect)
    answers = ask_all(rules, [url] * 3, agent)
    verdict = rules.verdict(url, agent)
    assert answers == [verdict.allowed] * 3
    assert verdict.rule is None or verdict.rule.allow is verdict.allowed or not verdict.rule.path
    assert verdict.rule is None or verdict.rule in rules.group(agent).rules
    delay = rules.crawl_delay(agent)
    assert delay is None or delay >= 0
    assert all(isinstance(sitemap, str) for sitemap in rules.sitemaps)


EIGHT_RULES = st.lists(st.tuples(st.booleans(), VALUES), min_size=8, max_size=8)


@given(st.sampled_from(LONGEST), st.permutations(range(8)), EIGHT_RULES, URLS)
@settings(max_examples=300)
def test_where_the_longest_rule_decides_their_order_never_matters(
    dialect: str, order: list[int], rules: list[tuple[bool, str]], url: str
):
    shuffled = [rules[at] for at in order]
    one, other = parse(group_of(rules), dialect), parse(group_of(shuffled), dialect)
    assert one.allowed(url, AGENT) is other.allowed(url, AGENT)


URL_LISTS = st.lists(URLS, min_size=1, max_size=5)


LINE_ENDS = st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=1)


@given(DIALECT_NAMES, TEXTS, LINE_ENDS, URL_LISTS, AGENTS)
@settings(max_examples=400)
def test_the_kinds_of_line_ends_never_matter(
    dialect: str, text: str, ends: list[str], urls: list[str], agent: str
):
    lines = text.split("\n")
    ended = [line + ends[at % len(ends)] for at, line in enumerate(lines)]
    # A CR before an empty line's LF would be one line end, not two.
    assume(not any(one[-1] == "\r" and empty == "\n" for one, empty in pairwise(ended)))
    mixed = "".join(ended)
    assume(not re.search(r"\r\n", re.sub(r"(?<=[^\r\n])\r\n", "", mixed)))
    assume("\r\r" not in mixed or DIALECTS[dialect].text is not Text.YANDEX)
    plain = parse("".join(line + "\n" for line in lines).encode(), dialect)
    assert ask_all(plain, urls, agent) == ask_all(parse(mixed.encode(), dialect), urls, agent)


SILENT_LINES = st.tuples(
    st.sampled_from(["", "# c", "so", "a\0b", "# a long comment", "x" * 13]),
    LINE_ENDS.map(lambda ends: ends[0]),
)


@given(DIALECT_NAMES, st.lists(SILENT_LINES, max_size=12))
def test_a_rule_has_the_number_of_its_line_in_an_editor(dialect: str, lines: list[tuple[str, str]]):
    before = "".join(line + end for line, end in lines)
    assume("\r\r" not in before or DIALECTS[dialect].text is not Text.YANDEX)  # one line end there
    file = f"{before}User-agent: *\nDisallow: /\n"
    number = 2 + len(re.findall("\r\n|\r|\n", before))
    rules = parse(file.encode(), dialect)
    assert rules.verdict("/", AGENT).line == number
    assert rules.group(AGENT).lines == (number - 1,)


@given(DIALECT_NAMES, TEXTS, st.sets(st.integers(0, 11)), URL_LISTS, AGENTS)
@settings(max_examples=400)
def test_a_comment_after_what_a_line_says_never_matters(
    dialect: str, text: str, at: set[int], urls: list[str], agent: str
):
    """Of lines that say something: in some dialects a blank line is more than a comment is."""
    lines = text.split("\n")
    noted = [
        line + " # note: Disallow: /" if n in at and line.strip(" \t\x0b\x0c\0\ufeff") else line
        for n, line in enumerate(lines)
    ]
    one, other = parse(text.encode(), dialect), parse("\n".join(noted).encode(), dialect)
    assert ask_all(one, urls, agent) == ask_all(other, urls, agent)


WITH_COMMENT_LINES = [n for n, d in DIALECTS.items() if d.blank_line is not BlankLine.ENDS_AGENTS]
WITH_BLANK_LINES = [n for n, d in DIALECTS.items() if d.blank_line is BlankLine.NOTHING]


NOTHING_SAID = [
    *[(name, "  # a note: Disallow: /") for name in WITH_COMMENT_LINES],
    *[(name, " \t") for name in WITH_BLANK_LINES],
    ("yandex", ""),
]


@given(st.sampled_from(NOTHING_SAID), TEXTS, st.integers(1, 12), URL_LISTS, AGENTS)
@settings(max_examples=400)
def test_a_line_that_says_nothing_never_matters_where_it_ends_nothing(
    rule: tuple[str, str], text: str, at: int, urls: list[str], agent: str
):
    """For yandex: anywhere but between User-agent lines. The first line may hold a mark."""
    dialect, line = rule
    lines = text.split("\n")
    assume(at <= len(lines))
    if dialect == "yandex":
        assume(at == len(lines) or not lines[at].lower().lstrip().startswith("user"))
    longer = "\n".join([*lines[:at], line, *lines[at:]])
    one, other = parse(text.encode(), dialect), parse(longer.encode(), dialect)
    assert ask_all(one, urls, agent) == ask_all(other, urls, agent)


@given(TEXTS, URL_LISTS, AGENTS)
def test_for_yandex_a_line_with_only_a_comment_is_a_blank_line(
    text: str, urls: list[str], agent: str
):
    noted = text.replace("\n\n", "\n# note\n")
    one, other = parse(text.encode(), "yandex"), parse(noted.encode(), "yandex")
    assert ask_all(one, urls, agent) == ask_all(other, urls, agent)


ALL_CRAWLERS = [
    (name, agent)
    for name, dialect in DIALECTS.items()
    if dialect.agent_match is AgentMatch.EQUAL
    and dialect.several_groups is not SeveralGroups.HEAVIEST
    for agent in dialect.agents.values()
]


@given(st.sampled_from(ALL_CRAWLERS), st.data())
def test_of_a_crawlers_names_the_first_that_has_a_group_binds_it(crawler, data):
    name, agent = crawler
    names = [*dict.fromkeys([*agent.chain, "*", "otherbot"])]
    named = data.draw(st.lists(st.sampled_from(names), unique=True))
    body = b"\n\n".join(group_of([(False, f"/{names.index(own)}/")], own) for own in named)
    binding = next((own for own in agent.chain if own in named), None)
    rules = parse(body, name)
    group = rules.group(agent.name)
    assert (group.name if group else None) == binding
    closed = [n for n in range(len(names)) if not rules.allowed(f"http://h/{n}/", agent.name)]
    assert closed == ([names.index(binding)] if binding else [])


@given(st.permutations(chain_of("YandexBot", DIALECTS["yandex"].agents)), st.integers(0, 9))
def test_for_yandex_the_longest_fitting_name_binds_wherever_it_stands(names: list[str], most: int):
    named = names[:most]
    body = b"\n\n".join(group_of([(False, f"/{len(name)}/")], name) for name in named)
    group = parse(body, "yandex").group("YandexBot")
    assert (group.name if group else "") == max(named, key=len, default="")


@given(VALUES, PATHS)
def test_without_wildcards_a_rule_is_a_prefix(value: str, path: str):
    for name, dialect in DIALECTS.items():
        if not dialect.wildcards and value.isalnum() and (value + path).isascii():
            closed = parse(group_of([(False, "/" + value)]), name)
            assert closed.allowed(f"http://h{path}", AGENT) is not path.startswith("/" + value)


PLAIN = st.text("ab*$/", max_size=9).map(lambda value: "/" + value)
PLAIN_RULES = st.lists(st.tuples(st.booleans(), PLAIN), max_size=30)


def naively_allowed(rules: list[tuple[bool, str]], path: str) -> bool:
    """RFC 9309 §2.2.2 and §2.2.3 word by word: the longest match, and `Allow` among equals."""
    matching = [(0, True)]
    for allow, value in rules:
        expression = ".*".join(map(re.escape, value.removesuffix("$").split("*")))
        end = r"\Z" if value.endswith("$") else ""
        if re.match(expression + end, path, re.DOTALL):
            matching.append((len(value), allow))
    return max(matching)[1]


@given(PLAIN_RULES, st.lists(st.text("ab/", max_size=9).map("/{}".format), max_size=5))
@settings(max_examples=600)
@example([(False, "/*aa*a$"), (True, "/**a")], ["/aaa", "/aa", "/ba"])
@example([(False, "/ab*ba$"), (True, "/a")], ["/aba", "/abba"])
@example([(False, "/x"), (True, "/x")], ["/x"])
@example([(n % 2 == 0, f"/*{'ab'[n % 2]}*{'/a' * (n % 7)}b$") for n in range(300)], ["/ab/ab"])
def test_an_answer_is_that_of_the_standard_however_often_and_however_it_is_asked(
    rules: list[tuple[bool, str]], paths: list[str]
):
    urls = ["http://h" + path for path in paths]
    wanted = [naively_allowed(rules, path) for path in paths]
    read = parse(group_of(rules), "rfc9309")
    for _ in range(3):  # the second question lays the rules out
        assert ask_all(read, urls) == wanted
        assert [read.verdict(url, AGENT).allowed for url in urls] == wanted
        assert [read.allowed(url, AGENT) for url in urls] == wanted


@given(PLAIN_RULES, PATHS)
def test_where_the_first_match_decides_a_rule_is_a_prefix(rules: list[tuple[bool, str]], path: str):
    rules = [(allow, value.replace("*", "a").replace("$", "b")) for allow, value in rules]
    path = "/" + re.sub(r"[^ab/]", "", path)
    wanted = next((allow for allow, value in rules if path.startswith(value)), True)
    assert parse(group_of(rules), "koster1996").allowed("http://h" + path, AGENT) is wanted


@given(questions(), DIALECT_NAMES.map(DIALECTS.__getitem__) | ANY_DIALECT)
@settings(max_examples=400)
def test_the_first_question_is_answered_as_the_later_ones(
    question: tuple[list[tuple[bool, str]], list[str]], dialect: Dialect
):
    rules, urls = question
    read = parse(group_of(rules), dialect)
    later = [ask_all(read, urls) for _ in range(3)]
    assert later == [[parse(group_of(rules), dialect).allowed(url, AGENT) for url in urls]] * 3
