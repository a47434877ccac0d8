"""What holds for every file, every URL and every dialect, the ones nobody has made yet included."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from random import Random

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from scrapy_robots_policy.rep import DIALECTS, Dialect, Group, RuleSet, parse
from scrapy_robots_policy.rep.agents import chain_of
from scrapy_robots_policy.rep.dialects.options import (
    AgentMatch,
    BlankLine,
    EmptyRule,
    NoSlash,
    Precedence,
    Records,
    Tie,
)
from scrapy_robots_policy.rep.index import EveryMatch
from scrapy_robots_policy.rep.lines import clean_text
from scrapy_robots_policy.rep.needles import FEW
from scrapy_robots_policy.rep.patterns import Pattern, reading_of, split_pattern
from scrapy_robots_policy.rep.url import URL_OCTETS, path_of
from tests.rep.strategies import (
    AGENTS,
    ANY_DIALECT,
    DIALECT_NAMES,
    FILES,
    LONGEST,
    PATHS,
    RULES,
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
def test_any_octets_are_read_and_allowed_never_disagrees_with_verdict(
    body: bytes, dialect: Dialect, url: str, agent: str
):
    rules = parse(body, dialect)
    # The first question is answered without an index, the second makes one.
    answers = ask_all(rules, [url] * 3, agent)
    verdict = rules.verdict(url, agent)
    assert answers == [verdict.allowed] * 3
    assert verdict.rule is None or verdict.rule.allow is verdict.allowed or not verdict.rule.path
    assert verdict.rule is None or verdict.rule in rules.group(agent).rules
    delay = rules.crawl_delay(agent)
    assert delay is None or delay >= 0
    assert all(isinstance(sitemap, str) for sitemap in rules.sitemaps)


@given(st.binary(max_size=300) | FILES, ANY_DIALECT)
@example(b"/cut\r\r/", DIALECTS["rfc9309"].but("made up", size_limit=6, double_returns=True))
def test_every_line_of_the_text_starts_with_a_line_feed(body: bytes, dialect: Dialect):
    text = clean_text(body, dialect)
    assert text[:1] == "\n"
    # Two returns that are one line end stay before it. The last line feed may be cut off.
    assert "\r" not in text.replace("\r\r\n", "\n").replace("\r\n", "\n")[:-1]
    assert len(text) <= len(body) + 1 + text.count("\r\r")
    lines = (line.removesuffix("\r\r") for line in text.split("\n"))
    assert max(map(len, lines)) <= dialect.line_limit


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
    assume("\r\r" not in mixed or not DIALECTS[dialect].double_returns)
    plain = parse("".join(line + "\n" for line in lines).encode(), dialect)
    assert ask_all(plain, urls, agent) == ask_all(parse(mixed.encode(), dialect), urls, agent)


SILENT_LINES = st.tuples(
    st.sampled_from(["", "# c", "so", "a\0b", "# a long comment", "x" * 13]),
    LINE_ENDS.map(lambda ends: ends[0]),
)


CUTTING = DIALECTS["yandex"].but("cutting", line_limit=14)  # "User-agent: *" is shorter


@given(
    DIALECT_NAMES.map(DIALECTS.__getitem__) | st.just(CUTTING), st.lists(SILENT_LINES, max_size=12)
)
@example(DIALECTS["yandex"], [("a\0b", "\r"), ("", "\r")])
@example(DIALECTS["yandex"], [("", "\r"), ("", "\r\n")])
@example(CUTTING, [("# " + "c" * 40, "\r"), ("", "\r"), ("x" * 13, "\r"), ("", "\r")])
@example(CUTTING, [("x" * 14, "\r"), ("", "\r"), ("x" * 15, "\r\n"), ("x" * 15, "\r")])
def test_a_rule_has_the_number_of_its_line_in_an_editor(
    dialect: Dialect, lines: list[tuple[str, str]]
):
    before = "".join(line + end for line, end in lines)
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


def number_of_rules(group: Group, dialect: Dialect) -> int:
    """How many rules count where a dialect has a limit: not those that it ignores."""
    starts = ("/", "*") if dialect.wildcards else ("/",)
    needs_slash = dialect.no_slash is NoSlash.IGNORED
    return sum(
        (not needs_slash or rule.path.startswith(starts))
        if rule.path
        else (dialect.empty_allow if rule.allow else dialect.empty_disallow)
        is not EmptyRule.IGNORED
        for rule in group.rules
    )


def decided_by_trying_all(rules: RuleSet, url: str, agent: str) -> tuple[bool, int]:
    """What the strongest of all rules that match says, and its line: found without any index, by
    a ranking of its own.
    """
    dialect = rules.dialect
    path = URL_OCTETS[dialect.percent](path_of(url))
    group = rules.group(agent)
    lines = group.rules if group and number_of_rules(group, dialect) < dialect.rule_limit else ()
    if lines and dialect.robots_txt_allowed and path == "/robots.txt":
        return True, 0
    # The longest decides, or the first; then what wins among equals, then the first.
    by_length = dialect.precedence is Precedence.LONGEST
    matching = [
        (pattern.length * by_length, favoured * by_length, -order, pattern.allow)
        for order, rule in enumerate(lines)
        for pattern in reading_of(dialect).patterns(rule.allow, rule.path, url)
        for favoured in [pattern.allow is (dialect.tie is Tie.ALLOW)]
        if pattern.matches(path)
    ]
    if not matching:
        return True, 0
    *_, order, allow = max(matching)
    return allow, lines[-order].line


@given(RULES, ANY_DIALECT | DIALECT_NAMES.map(DIALECTS.__getitem__), URL_LISTS)
@settings(max_examples=400)
def test_the_index_answers_as_trying_every_rule_does(
    rules: list[tuple[bool, str]], dialect: Dialect, urls: list[str]
):
    read = parse(group_of(rules), dialect)
    assert ask_all(read, urls) == [decided_by_trying_all(read, url, AGENT)[0] for url in urls]


@given(questions(), DIALECT_NAMES.map(DIALECTS.__getitem__) | ANY_DIALECT)
@settings(max_examples=400)
@example(([(False, "/"), (True, "$")], ["http://example.com"]), DIALECTS["rfc9309"])
@example(([(False, "/"), (True, "24/$")], ["http://24", "http://h"]), DIALECTS["rfc9309"])
@example(([(False, "/a")], ["http:/x", "http://h/a"]), DIALECTS["rfc9309"])
@example(([(False, "/a")], ["/x", "//h/a", "/a"]), DIALECTS["google"])
@example(([(False, "/a%24b")], ["http://h/", "http://h/a$b"]), DIALECTS["rfc9309"])
@example(([(False, "/a%2Ab")], ["http://h/", "http://h/a*b"]), DIALECTS["rfc9309"])
@example(([(False, "/a$")], ["http://h/", "http://h/a#b"]), DIALECTS["google"])
@example(([(False, "/ä")], ["http://h/", "http://h/ä"]), DIALECTS["google"])
@example(([(False, "/<")], ["http://h/", "http://h/<"]), DIALECTS["original1994"])
@example(([(False, ""), (True, "/a*b")], ["http://h/", "http://h/ab"]), DIALECTS["yandex"])
@example(([(False, "/"), (True, "/index.html")], ["http://h/"]), DIALECTS["google"])
@example(([(False, "/a"), (True, "/a/index.html")], ["http://h/a/"]), DIALECTS["google"])
@example(([(False, "/a"), (True, "/*/index.html")], ["http://h/a/"]), DIALECTS["google"])
@example(([(False, "/*u=%2Fa")], ["http://h/x?u=/a", "http://h/x/u=%2Fa"]), DIALECTS["rfc9309"])
@example(([(False, "/%7Ex")], ["http://h/~x", "http://h/%7ex"]), DIALECTS["rfc9309"])
@example(([(False, "http://h/a")], ["http://h/a", "http://g/a"]), DIALECTS["original1994"])
@example(([(False, "/<")], ["http://h/<"]), DIALECTS["rfc9309"].but("mine", percent="uri"))
@example(([(False, "//h/a")], ["http://h/a"]), DIALECTS["rfc9309"].but("x", no_slash="resolved"))
def test_however_often_and_however_it_is_asked_the_answer_is_the_same(
    question: tuple[list[tuple[bool, str]], list[str]], dialect: Dialect
):
    """By `allowed` for the first, second and third time, `verdict` before and after, `checker`."""
    rules, urls = question
    body = group_of(rules)
    read, judged = parse(body, dialect), parse(body, dialect)
    check = parse(body, dialect).checker(AGENT)
    wanted = [decided_by_trying_all(read, url, AGENT) for url in urls]
    allowed = [answer for answer, _ in wanted]
    for _ in range(3):
        assert ask_all(read, urls) == allowed
        assert [check(url) for url in urls] == allowed
    for rules in (read, judged):
        verdicts = [rules.verdict(url, AGENT) for url in urls]
        assert [(verdict.allowed, verdict.line) for verdict in verdicts] == wanted
    for url in urls:  # each as the first question
        assert parse(body, dialect).allowed(url, AGENT) is read.allowed(url, AGENT)


@pytest.mark.parametrize("dialect", ["rfc9309", "baidu"])
@pytest.mark.parametrize("letters", ["ab?", "abcdefgh?=/"])
def test_of_many_rules_with_wildcards_behind_the_same_start_the_strongest_decides(
    dialect: str, letters: str
):
    """Parts of one octet and of more, and of each kind more than are tried one by one."""
    chance = Random(9309)

    def text(length: int) -> str:
        return "".join(chance.choices(letters, k=length))

    ends = ["", "$", "*" + letters[0], "*" + letters]
    values = {f"/x*{text(chance.randint(1, 6))}{chance.choice(ends)}" for _ in range(4 * FEW)}
    many = [(chance.random() < 0.5, value) for value in sorted(values)]
    chance.shuffle(many)
    assert len(many) > FEW
    read = parse(group_of(many), DIALECTS[dialect].but("unlimited", rule_limit=1 << 30))
    for path in [text(length % 14) for length in range(80)]:
        url = f"http://h/x{path}"
        verdict = read.verdict(url, AGENT)
        wanted = decided_by_trying_all(read, url, AGENT)
        assert (verdict.allowed, verdict.line) == wanted
        assert [read.allowed(url, AGENT), read.checker(AGENT)(url)] == [wanted[0]] * 2


@given(RULES | st.lists(st.tuples(st.booleans(), VALUES), min_size=2 * FEW), DIALECT_NAMES, PATHS)
def test_every_pattern_that_matches_a_path_is_found_and_no_other(rules, dialect: str, path: str):
    reading = reading_of(DIALECTS[dialect])
    patterns = [
        pattern for allow, value in rules for pattern in reading.patterns(allow, value, "http://h/")
    ]
    tails = [(pattern.parts, pattern.anchored) for pattern in patterns]
    found = EveryMatch(tails).of(reading.path_of(path))
    tried = [at for at, one in enumerate(patterns) if one.matches(reading.path_of(path))]
    assert sorted(found) == tried


SITES = [
    "http://h",
    "http://h.",
    "http://h/",
    "http://h:80",
    "http://g",
    "http://i",
    "HTTP://h",
    "z",
]


@given(RULES, DIALECT_NAMES, st.lists(st.sampled_from(SITES), min_size=4), PATHS)
@example([(False, "a"), (False, "/b")], "rfc9309", ["http://h", "http://h", "http://h:80"], "/b")
@example([(False, "("), (False, "/b")], "rfc9309", ["http://h", "http://h", "http://h."], "/b")
def test_a_rule_set_answers_for_whatever_site_it_is_asked(
    rules: list[tuple[bool, str]], dialect: str, sites: list[str], path: str
):
    assume(DIALECTS[dialect].no_slash is not NoSlash.RESOLVED)  # there a rule may name its site
    read = parse(group_of(rules), dialect)
    urls = [site + path for site in sites]
    assert ask_all(read, urls) == [decided_by_trying_all(read, url, AGENT)[0] for url in urls]


@given(st.lists(st.tuples(st.booleans(), st.text("ab/", max_size=5)), max_size=40), st.text("ab/"))
@settings(max_examples=200)
def test_prefixes_of_prefixes_find_the_strongest(rules: list[tuple[bool, str]], path: str):
    for dialect in ("rfc9309", "koster1996", "yandex", "baidu"):
        read = parse(group_of([(allow, "/" + value) for allow, value in rules]), dialect)
        url = f"http://h/{path}"
        assert read.allowed(url, AGENT) is decided_by_trying_all(read, url, AGENT)[0]


@given(st.text("ab*$/", max_size=9), st.text("ab$/", max_size=9))
@settings(max_examples=400)
@example("*", "")
@example("a*$", "a")
@example("*a*a$", "a")
@example("ab*ba$", "aba")
@example("**a", "ba")
@example("*aa*a", "aa")
@example("a$$", "a")
def test_a_pattern_matches_as_its_expression_does(pattern: str, path: str):
    """RFC 9309 §2.2.3: "*" stands for anything, a final "$" for the end."""
    body = pattern.removesuffix("$")
    end = r"\Z" if pattern.endswith("$") else ""
    expression = ".*".join(map(re.escape, body.split("*"))) + end
    matches = re.match(expression, path, re.DOTALL) is not None
    assert Pattern(0, True, *split_pattern(pattern)).matches(path) is matches


ALL_CRAWLERS = [
    (name, agent)
    for name, dialect in DIALECTS.items()
    if dialect.agent_match is AgentMatch.EQUAL and dialect.own_records is not Records.HEAVIEST
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
