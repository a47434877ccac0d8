"""A rule set as an object: what it takes, what it holds, how it travels, where its limits are."""

from __future__ import annotations

import doctest
import gc
import pickle
from collections.abc import Callable
from itertools import islice, product
from string import ascii_lowercase

import pytest

from scrapy_robots_policy.rep import DIALECTS, Reason, RuleSet, Verdict, parse, ruleset
from scrapy_robots_policy.rep.binding import MAX_KEPT, RULE_OCTETS
from scrapy_robots_policy.rep.needles import Needles
from scrapy_robots_policy.rep.preference import USER_AGENT
from scrapy_robots_policy.rep.verdict import Details
from tests.calls import counting_calls
from tests.traced_memory import tracing_memory

WITHOUT_USAGE = b"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.pdf$\n"
FILE = WITHOUT_USAGE + b"Content-Signal: ai-train=no\n"
URL = "https://example.com/a/b/c.pdf"
MIB = 1024 * 1024


def test_the_examples_in_the_documentation_hold():
    assert doctest.testmod(ruleset).attempted > 4
    assert doctest.testmod(ruleset).failed == 0


WRONG: dict[str, tuple[Callable[[RuleSet], object], str]] = {
    "URL of octets": (lambda read: read.allowed(b"/a", "bot"), "url must be a str, not bytes"),
    "no URL": (lambda read: read.allowed(None, "bot"), "url must be a str, not NoneType"),
    "no URL, verdict": (lambda read: read.verdict(None, "bot"), "url must be a str, not NoneType"),
    "no URL, checker": (lambda read: read.checker("bot")(7), "url must be a str, not int"),
    "no URL, matching": (lambda read: read.matching(7, "bot"), "url must be a str, not int"),
    "no agent": (lambda read: read.allowed("/a", None), "agent must be a str, not NoneType"),
    "a list": (lambda read: read.allowed("/a", ["bot"]), "agent must be a str, not list"),
    "a key": (
        lambda read: read.allowed("/a", ("bot", "http://h")),
        "agent must be a str, not tuple",
    ),
    "a key of a token": (
        lambda read: (
            read.usage("/ok", "bot", ["bot"]),
            read.allowed("/a", (USER_AGENT, "bot", None)),
        ),
        "agent must be a str, not tuple",
    ),
    "a list, verdict": (lambda read: read.verdict("/a", []), "agent must be a str, not list"),
    "no agent, checker": (lambda read: read.checker(b"bot"), "agent must be a str, not bytes"),
    "no agent, group": (lambda read: read.group(None), "agent must be a str, not NoneType"),
    "no agent, usage": (lambda read: read.usage("/a", 7), "agent must be a str, not int"),
    "no URL, usage": (lambda read: read.usage(None, "bot"), "url must be a str, not NoneType"),
    "one token, usage": (
        lambda read: read.usage("/ok", "bot", "Google-Extended"),
        "tokens must be a collection of str, not str",
    ),
    "no agent, overridden": (
        lambda read: read.overridden("/a", b"bot"),
        "agent must be a str, not bytes",
    ),
    "no agent, delay": (lambda read: read.crawl_delay(7), "agent must be a str, not int"),
    "text": (lambda _: parse("User-agent: *"), "a robots.txt must be bytes, not str"),
    "no file": (lambda _: RuleSet(None, DIALECTS["google"]), "a robots.txt must be bytes, not Non"),
}


OF_SITES = b"User-agent: *\nDisallow: http://h/a\nDisallow: /b\n"
FILES = {"with usage": FILE, "without": WITHOUT_USAGE, "rules that name a site": OF_SITES}


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("dialect", ["rfc9309", "original1994"])
@pytest.mark.parametrize("name", WRONG)
def test_what_is_of_a_wrong_type_is_refused_with_a_sentence(name: str, dialect: str, file: str):
    ask, sentence = WRONG[name]
    read = parse(FILES[file], dialect)
    for _ in range(3):
        with pytest.raises(TypeError, match=sentence):
            ask(read)
        read.allowed("http://h/a", "bot")  # the next time the rules are laid out


def test_a_file_may_come_as_any_octets():
    assert not parse(bytearray(FILE)).allowed("/a", "bot")
    assert not parse(memoryview(FILE)).allowed("/a", "bot")


def test_a_rule_set_says_what_it_is():
    assert repr(parse(b"#" * 1234, "yandex")) == "<RuleSet of 1,234 octets, read as yandex>"


@pytest.mark.parametrize(
    "dialect", [DIALECTS["google"], DIALECTS["rfc9309"].but("mine", tie="disallow")]
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


def test_the_dialects_of_the_table_are_not_copied_with_a_rule_set():
    assert pickle.loads(pickle.dumps(parse(FILE, "google"))).dialect is DIALECTS["google"]


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


def test_a_verdict_reads_nothing_that_is_not_asked_for(monkeypatch):
    read = parse(FILE)
    read.verdict(URL, "bot")

    def fail(*_: object) -> None:
        raise AssertionError("the file is read again")

    monkeypatch.setattr(RuleSet, "_text", fail)
    verdict = read.verdict(URL, "bot")
    assert str(verdict) == "disallowed by line 4, Disallow: /*.pdf$"
    assert (verdict.allowed, verdict.reason, verdict.line) == (False, Reason.RULE, 4)
    assert read.verdict("/x", "bot").reason is Reason.NO_RULE


def limited(count: int, rule: bytes = b"Disallow: /x%d\n") -> RuleSet:
    lines = b"".join(rule % n for n in range(count - 1))
    return parse(
        b"User-agent: *\n" + lines + b"Disallow: /secret",
        DIALECTS["yandex"].but("y", rule_limit=30),
    )


@pytest.mark.parametrize(("count", "is_obeyed"), [(29, True), (30, False), (31, False)])
def test_from_so_many_rules_on_a_group_is_not_obeyed_by_any_answer(count: int, is_obeyed: bool):
    read = limited(count)
    reason = Reason.RULE if is_obeyed else Reason.OVER_SIZE
    assert [read.allowed("/secret", "bot") for _ in range(3)] == [not is_obeyed] * 3
    assert read.checker("bot")("/secret") is not is_obeyed
    verdict = limited(count).verdict("/secret", "bot")
    assert (verdict.allowed, verdict.reason) == (not is_obeyed, reason)
    assert bool(limited(count).matching("/secret", "bot")) is is_obeyed
    assert limited(count).verdict("/free", "bot").reason is not Reason.RULE


def test_a_name_that_stands_twice_in_one_list_binds_once():
    group = parse(b"User-agent: FooBot\nUser-agent: FooBot\nDisallow: /a").group("FooBot")
    assert group is not None
    assert group.lines == (1, 2)
    assert [rule.line for rule in group.rules] == [3]


def test_a_group_has_its_own_rules_and_lines_only():
    group_of_b = "User-agent: b\nDisallow: /2\n"
    body = f"User-agent: a\nDisallow: /1\n{group_of_b}User-agent: a\nDisallow: /3\n{group_of_b}"
    read = parse(body.encode())
    group = read.group("a")
    assert group is not None
    assert group.lines == (1, 5)
    assert [rule.line for rule in group.rules] == [2, 6]
    assert read.verdict("/3", "a").line == 6


@pytest.mark.parametrize("path", ["/x*a*b", "/x*a*b$", "*x*a*b"])
def test_the_first_question_finds_a_rule_with_several_wildcards(path: str):
    assert not parse(f"User-agent: *\nDisallow: {path}\n".encode()).allowed("/xaYb", "bot")


@pytest.mark.parametrize("precedence", ["longest", "first"])
def test_an_empty_rule_that_is_ignored_decides_nothing(precedence: str):
    options = {"empty_allow": "ignored", "empty_disallow": "ignored", "precedence": precedence}
    dialect = DIALECTS["google"].but("mine", **options)
    empty = b"User-agent: *\nDisallow:\nAllow:\n"
    assert parse(empty, dialect).verdict("/a", "bot").reason is Reason.NO_RULE
    assert not parse(empty + b"Disallow: /a\n", dialect).allowed("/a", "bot")


def test_a_user_agent_line_without_a_name_binds_nobody_where_names_are_looked_for_in_values():
    assert parse(b"User-agent:\nDisallow: /", "koster1996").allowed("/a", "FooBot")


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


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "yandex"])
def test_a_crawler_finds_its_group_without_a_look_into_all_others(dialect: str):
    def calls(count: int) -> int:
        names = map("".join, islice(product(ascii_lowercase, repeat=3), count))
        groups = "".join(f"User-agent: {name}\nDisallow: /{name}\n" for name in names)
        rules = parse(f"{groups}User-agent: FooBot\nDisallow: /a\n".encode(), dialect)
        with counting_calls() as counts:
            assert not rules.allowed("/a", "FooBot")
        return counts["call"] + counts["c_call"]

    calls(2_000)  # makes what is made once for all files
    assert calls(2_000) < calls(100) + 100


def test_few_of_the_rules_that_have_decided_are_kept():
    read = parse(b"User-agent: *\n" + b"".join(b"Disallow: /%06d\n" % n for n in range(1_000)))
    held = []
    for number in range(1_000):
        assert read.verdict(f"/{number:06}", "bot").line == number + 2
        held.append(read.octets_held)
    assert held[-1] - held[0] == (MAX_KEPT - 1) * RULE_OCTETS


LINES: dict[str, bytes] = {
    "plain rules": b"Disallow: /%06d\n",
    "long rules": b"Disallow: /section/%06d/of/the/site/with/a/long/name/for/its/pages\n",
    "wildcards behind one start": b"Disallow: /*?q=%06d\n",
    "wildcards behind many starts": b"Disallow: /%06d/*/x$\n",
    "many wildcards": b"Disallow: /%06d" + b"*abc*def*ghi" * 7 + b"\n",
    "anchors": b"Disallow: /%06d$\n",
    "User-agent lines": b"User-agent: bot%06d\n",
    "comments": b"# %06d\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("count", [30, 4_000])
@pytest.mark.parametrize("name", LINES)
def test_a_rule_set_knows_within_a_factor_of_two_how_much_memory_it_takes(name: str, count: int):
    body = b"User-agent: *\n" + b"".join(LINES[name] % n for n in range(count))
    read, octets = held_by(lambda: rules_used_by(body))
    assert octets / 2 < read.octets_held < octets * 2


@pytest.mark.slow
def test_a_url_tries_few_of_very_many_rules_with_short_parts(monkeypatch):
    pairs = ["".join(pair) for pair in product(ascii_lowercase, repeat=2)][::7]
    lines = "".join(f"Disallow: /*{one}*{two}\n" for one, two in product(pairs, repeat=2))
    check = parse(f"User-agent: *\n{lines}".encode()).checker("bot")
    assert not check(f"http://h/{pairs[3]}-{pairs[5]}")
    tried = []
    near = Needles.near
    monkeypatch.setattr(
        Needles, "near", lambda self, path: tried.extend(near(self, path)) or near(self, path)
    )
    assert check("http://h/some/page.html")
    assert len(tried) < len(pairs) ** 2 / 10


@pytest.mark.slow
def test_keys_within_keys_share_the_wildcards_behind_them():
    body = b"User-agent: *\n" + b"".join(b"Disallow: /%s*b\n" % (b"a" * n) for n in range(900))
    read, octets = held_by(lambda: rules_used_by(body))
    assert octets / 2 < read.octets_held < octets * 2


@pytest.mark.slow
def test_crawlers_that_the_same_lines_bind_share_what_is_laid_out():
    body = b"User-agent: *\n" + b"".join(b"Disallow: /%06d\n" % n for n in range(3_000))
    (one, of_one), (many, of_many) = (
        held_by(lambda: rules_used_by(body)),
        held_by(lambda: rules_used_by(body, 64)),
    )
    assert of_many < 1.2 * of_one
    assert many.octets_held < 1.2 * one.octets_held


USES: dict[str, bytes] = {
    "one preference": b"Content-Usage: /%06d train-ai=n\n",
    "many preferences": b"Content-Signal: /%06d search=yes, ai-train=no, ai-input=no, use=full\n",
    "many wildcards": b"Content-Usage: /%06d" + b"*ab" * 45 + b" train-ai=n\n",
    "long names": b"Content-Signal: /%06d " + b"a" * 500 + b"=no\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("agents", [1, 12])
@pytest.mark.parametrize("count", [30, 4_000])
@pytest.mark.parametrize("name", USES)
def test_a_rule_set_knows_what_the_use_of_pages_takes_and_bounds_it(
    name: str, count: int, agents: int
):
    body = b"User-agent: *\n" + b"".join(USES[name] % n for n in range(count))

    def read_for_agents() -> RuleSet:
        read = rules_used_by(body)
        for number in range(agents):
            read.usage(URL, f"bot{chr(97 + number % 26)}{chr(97 + number // 26)}")
        return read

    read, octets = held_by(read_for_agents)
    assert octets / 2 < read.octets_held < octets * 2
    assert octets < 20 * MIB


@pytest.mark.slow
def test_the_crawlers_that_are_remembered_are_bounded():
    """A crawl may send another User-Agent with every request."""

    def used_by(count: int) -> RuleSet:
        read = parse(b"User-agent: *\nDisallow: /a\n")
        for number in range(count):
            assert not read.allowed("http://h/a", f"bot/{number}")
        return read

    read, octets = held_by(lambda: used_by(6000))
    assert octets < 300_000
    assert read.octets_held < 100_000


@pytest.mark.slow
def test_what_is_laid_out_for_many_crawlers_is_bounded():
    names = [f"bot{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(40)]
    shared = "".join(f"User-agent: {name}\n" for name in names)
    shared += "".join(f"Disallow: /{n:06}\n" for n in range(3_000))
    own = "".join(f"User-agent: {name}\nDisallow: /{name}\n" for name in names)
    body = (shared + own).encode()
    read, octets = held_by(lambda: rules_used_by(body, len(names)))
    assert octets < 12 * MIB
    assert read.octets_held < 10 * MIB
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
        lambda read, agent: read.checker(agent)(URL),
        lambda read, agent: read.usage("/x", agent),
    ],
)
def test_a_new_name_with_every_question_takes_no_more_memory(ask):
    def ask_as(count: int) -> RuleSet:
        read = parse(FILE)
        for number in range(count):
            ask(read, f"{number:0500}")
        return read

    read, octets = held_by(lambda: ask_as(3_000))
    assert octets < MIB
    assert read.octets_held < MIB
