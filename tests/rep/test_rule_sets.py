"""A rule set as an object: what it takes, what it holds, how it travels, where its limits are."""

from __future__ import annotations

import doctest
import gc
import pickle
from collections.abc import Callable

import pytest

from scrapy_robots_policy.rep import DIALECTS, RuleSet, Verdict, parse, rules
from scrapy_robots_policy.rep.verdict import Details
from tests.traced_memory import tracing_memory

WITHOUT_USAGE = b"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.pdf$\n"
FILE = WITHOUT_USAGE + b"Content-Signal: ai-train=no\n"
URL = "https://example.com/a/b/c.pdf"
MIB = 1024 * 1024


def test_the_examples_in_the_documentation_hold():
    assert doctest.testmod(rules).attempted > 4
    assert doctest.testmod(rules).failed == 0


def test_a_file_may_come_as_any_bytes():
    assert not parse(bytearray(FILE)).allowed("/a", "bot")
    assert not parse(memoryview(FILE)).allowed("/a", "bot")


@pytest.mark.parametrize(
    "dialect", [DIALECTS["google"], DIALECTS["rfc9309"].but("mine", precedence="first")]
)
def test_a_rule_set_travels_to_other_processes_without_what_is_laid_out(dialect):
    read = parse(FILE, dialect)
    before = len(pickle.dumps(read))
    read.verdict(URL, "bot")
    packed = pickle.dumps(read)
    there = pickle.loads(packed)
    assert len(packed) == before
    assert there.dialect == dialect
    assert there.verdict(URL, "bot") == read.verdict(URL, "bot")


@pytest.mark.parametrize(
    ("url", "beaten", "usage"), [(URL, [3, 2], []), ("/a/b", [2], ["ai-train"])]
)
def test_a_verdict_travels_with_its_details_and_without_the_file(url, beaten, usage):
    verdict = parse(FILE + b"#" * 100_000).verdict(url, "bot")
    packed = pickle.dumps(verdict)
    there = pickle.loads(packed)
    assert len(packed) < 2_000
    assert there == verdict
    assert hash(there) == hash(verdict)
    assert there.group == verdict.group
    assert there.group is not None
    assert [rule.line for rule in there.beaten] == beaten
    assert [preference.key for preference in there.usage] == usage


def test_verdicts_are_equal_by_what_they_say():
    one, other = (parse(FILE).verdict(URL, "bot") for _ in range(2))
    assert one == other
    assert one != parse(FILE.replace(b"/a\n", b"/x\n")).verdict(URL, "bot")  # beaten is another
    assert one != Verdict(one.allowed, one.reason, one.dialect, one.agent, one.rule)
    assert Details() == Details()


def test_a_group_has_its_own_rules_and_lines_only():
    group_of_b = "User-agent: b\nDisallow: /2\n"
    body = f"User-agent: a\nDisallow: /1\n{group_of_b}User-agent: a\nDisallow: /3\n{group_of_b}"
    read = parse(body.encode())
    group = read.group("a")
    assert group is not None
    assert group.lines == (1, 5)
    assert [rule.line for rule in group.rules] == [2, 6]
    assert read.verdict("/3", "a").line == 6


def held_by(make: Callable[[], RuleSet]) -> tuple[RuleSet, int]:
    make()
    gc.collect()
    with tracing_memory() as memory:
        read = make()
        gc.collect()
        return read, memory()[0]


def rules_used_by(body: bytes, agents: int = 1) -> RuleSet:
    read = parse(bytes(bytearray(body)))
    for agent in range(agents):
        for _ in range(3):
            read.allowed("http://h/a", f"bot{chr(97 + agent % 26)}{chr(97 + agent // 26)}")
    return read


@pytest.mark.slow
def test_what_is_laid_out_for_many_crawlers_is_bounded():
    names = [f"bot{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(40)]
    shared = "".join(f"User-agent: {name}\n" for name in names)
    shared += "".join(f"Disallow: /{n:06}\n" for n in range(3_000))
    own = "".join(f"User-agent: {name}\nDisallow: /{name}\n" for name in names)
    body = (shared + own).encode()
    read, size = held_by(lambda: rules_used_by(body, len(names)))
    assert size < 12 * MIB
    assert not read.allowed("/botaa", "botaa")
    assert not read.allowed("/000007", "botnb")
    assert read.allowed("/botaa", "botab")


def ask_thrice(read: RuleSet, agent: str) -> None:
    for _ in range(3):
        read.allowed(URL, agent)


@pytest.mark.slow
@pytest.mark.parametrize(
    "ask",
    [
        lambda read, agent: read.allowed(URL, agent),
        ask_thrice,
        lambda read, agent: read.verdict(URL, agent),
        lambda read, agent: read.usage("/x", agent),
    ],
)
def test_a_new_name_with_every_question_takes_no_more_memory(ask):
    def ask_as(count: int) -> RuleSet:
        read = parse(FILE)
        for number in range(count):
            ask(read, f"{number:0500}")
        return read

    _, size = held_by(lambda: ask_as(3_000))
    assert size < MIB


def test_the_place_of_a_rule_may_be_far_down_in_a_file_without_a_limit():
    body = b"User-agent: *\nDisallow: /a\n#" + b"x" * (17 * MIB) + b"\nDisallow: /b\n"
    read = parse(body, "original1994")
    assert [read.verdict(url, "bot").line for url in ("/a", "/b", "/c")] == [2, 4, 0]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_url_that_begins_with_a_line_feed_is_read_alike_before_and_after_others(dialect: str):
    mine = DIALECTS[dialect].but("mine")  # nobody has asked in it yet
    read = parse(b"User-agent: *\nDisallow: /a\n", mine)
    answers = [read.allowed("\n/a", "bot"), read.allowed("http://h/x", "bot")]
    assert answers == [False, True]
    assert read.allowed("\n/a", "bot") is False


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_empty_allow_opens_nothing(dialect: str):
    """Also where the first rule that matches decides."""
    if dialect != "original1994":  # it reads no Allow
        assert not parse(b"User-agent: *\nAllow:\nDisallow: /", dialect).allowed("/x", "FooBot")


def test_a_question_is_answered_alike_after_others():
    rule_set = parse(b"User-agent: *\nDisallow: /a b", "original1994")
    assert rule_set.allowed("http://e.x/b", "FooBot")
    assert not rule_set.allowed("http://e.x/a b", "FooBot")
