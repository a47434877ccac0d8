"""Arguments of a wrong type: each public function refuses them at once, with a sentence.

What a `RuleSet` refuses is in `test_rule_sets`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath

import pytest

from scrapy_robots_policy.lint import lint
from scrapy_robots_policy.rep import (
    DIALECTS,
    AccessPolicy,
    CacheEntry,
    FetchResult,
    RuleSet,
    add_agents,
    advance,
    judge,
    origin_of,
    parse,
    product_token,
    verdicts,
)
from scrapy_robots_policy.rep.page_tags import read_header, read_meta, tags_of
from scrapy_robots_policy.rep.preference import DeclaredUse
from scrapy_robots_policy.rep.verdict import refuse

POLICY = AccessPolicy()
FETCHED = FetchResult(200, b"User-agent: *\nDisallow: /a\n")
ENTRY = CacheEntry(FETCHED, 5.0)
RULES = parse(FETCHED.octets)
GOOGLE = DIALECTS["google"]


class Url:
    """As `yarl.URL` and `httpx.URL`: it is no string, and its text is a URL."""

    def __str__(self) -> str:
        return "https://example.com/a"


class Text(str):
    __slots__ = ()


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "origin of a number": (lambda: origin_of(3), "url must be a str, not int"),
    "origin of octets": (lambda: origin_of(b"http://h/"), "url must be a str, not bytes"),
    "origin of a URL object": (lambda: origin_of(Url()), "url must be a str, not Url"),
    "origin of nothing": (lambda: origin_of(None), "url must be a str, not NoneType"),
    "allowed, a URL object": (lambda: RULES.allowed(Url(), "a"), "url must be a str, not Url"),
    "allowed, a path": (
        lambda: RULES.allowed(PurePosixPath("/a"), "a"),
        "url must be a str, not PurePosixPath",
    ),
    "answers, no function": (
        lambda: RULES.answers("a", None),
        "describe must be a function of a verdict, not NoneType",
    ),
    "usage, a token of octets": (
        lambda: RULES.usage("/b", "a", [b"Google-Extended"]),
        "each of tokens must be a str, not bytes",
    ),
    "usage, a number of tokens": (
        lambda: RULES.usage("/b", "a", 3),
        "tokens must be a collection of str, not int",
    ),
    "a rule set in a dialect's name": (
        lambda: RuleSet(b"", "google"),
        "dialect must be of type Dialect, not str",
    ),
    "token of no header": (lambda: product_token(None), "header must be a str, not NoneType"),
    "token of octets": (lambda: product_token(b"MyBot/1"), "header must be a str, not bytes"),
    "rows of no URLs": (lambda: verdicts(None, b""), "urls must be a str or several, not NoneType"),
    "rows of octets": (lambda: verdicts(b"/a", b""), "urls must be a str or several, not bytes"),
    "rows of a URL object": (
        lambda: verdicts(Url(), b""),
        "urls must be a str or several, not Url",
    ),
    "rows with a URL of octets": (
        lambda: list(verdicts([b"/a"], b"")),
        "url must be a str, not bytes",
    ),
    "rows for an agent of octets": (
        lambda: verdicts("/a", b"", b"MyBot"),
        "agents must be a str or several, not bytes",
    ),
    "rows for agents of octets": (
        lambda: verdicts("/a", b"", [b"MyBot"]),
        "each of agents must be a str, not bytes",
    ),
    "rows in no dialect": (
        lambda: verdicts("/a", b"", "*", None),
        "dialects must be a str or several, not NoneType",
    ),
    "agents in a list": (
        lambda: add_agents([GOOGLE.agents["googlebot"]]),
        "table must be of type Mapping, not list",
    ),
    "an agent's name": (
        lambda: add_agents(GOOGLE.agents, "MyBot"),
        "agent must be of type Agent, not str",
    ),
    "advance by text": (
        lambda: advance(None, FetchResult(200, "x"), 5.0, POLICY),
        "fetched.octets must be of type bytes, not str",
    ),
    "advance by a status of text": (
        lambda: advance(None, FetchResult("200"), 5.0, POLICY),
        "fetched.status must be of type int, not str",
    ),
    "advance from an access": (
        lambda: advance(judge(ENTRY, 5.0, POLICY), FETCHED, 5.0, POLICY),
        "previous must be of type CacheEntry, not Access",
    ),
    "advance by a file": (
        lambda: advance(None, b"", 5.0, POLICY),
        "fetched must be of type FetchResult, not bytes",
    ),
    "advance without a moment": (
        lambda: advance(None, FETCHED, None, POLICY),
        "now must be seconds since the epoch, not NoneType",
    ),
    "advance in a dialect": (
        lambda: advance(None, FETCHED, 5.0, GOOGLE),
        "policy must be of type AccessPolicy, not Dialect",
    ),
    "judge a result": (
        lambda: judge(FETCHED, 5.0, POLICY),
        "entry must be of type CacheEntry, not FetchResult",
    ),
    "judge without a moment": (
        lambda: judge(ENTRY, None, POLICY),
        "now must be seconds since the epoch, not NoneType",
    ),
    "judge by a name": (
        lambda: judge(ENTRY, 5.0, "google"),
        "policy must be of type AccessPolicy, not str",
    ),
    "a header of octets": (
        lambda: list(read_header(b"noindex")),
        "value must be a str, not bytes",
    ),
    "a tag of octets": (
        lambda: list(read_meta("robots", b"noindex")),
        "content must be a str, not bytes",
    ),
    "a tag's name of octets": (
        lambda: list(read_meta(b"robots", "noindex")),
        "name must be a str, not bytes",
    ),
    "tags for octets": (lambda: tags_of((), b"MyBot", GOOGLE), "agent must be a str, not bytes"),
    "tags in a dialect's name": (
        lambda: tags_of((), "MyBot", "google"),
        "dialect must be of type Dialect, not str",
    ),
    "a use by a purpose": (
        lambda: refuse(RULES.verdict("/b", "MyBot"), "train-ai"),
        "use must be of type DeclaredUse, not str",
    ),
    "one purpose": (
        lambda: DeclaredUse("train-ai"),
        "purposes must be a collection of str, not str",
    ),
    "one token": (
        lambda: DeclaredUse(tokens="Google-Extended"),
        "tokens must be a collection of str, not str",
    ),
    "lint of text": (lambda: lint("User-agent: *"), "a robots.txt must be bytes, not str"),
    "lint of nothing": (lambda: lint(None), "a robots.txt must be bytes, not NoneType"),
    "lint, one code": (
        lambda: lint(b"", select="R601"),
        "select must be a collection of str, not str",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_argument_of_a_wrong_type_is_refused_with_a_sentence(name: str):
    call, sentence = WRONG[name]
    with pytest.raises(TypeError, match=f"^{re.escape(sentence)}$"):
        call()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"purposes": frozenset({"train"})}, "purpose 'train' is none of "),
        ({"level": "all"}, "level 'all' is none of "),
    ],
)
def test_a_use_that_no_site_can_refuse_is_refused_itself(wrong: dict[str, object], sentence: str):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        DeclaredUse(**wrong)


def test_a_kind_of_string_is_a_string():
    url, agent = Text("https://example.com/a"), Text("MyBot/1.0")
    assert origin_of(url) == "https://example.com"
    assert product_token(agent) == "MyBot"
    assert not RULES.allowed(url, agent)
    assert [row.allowed for row in verdicts(url, FETCHED.octets, agent)] == [False]


def test_the_linter_takes_what_the_parser_takes():
    file = FETCHED.octets
    assert lint(bytearray(file)) == lint(memoryview(file)) == lint(file)
