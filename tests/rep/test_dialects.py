"""Dialects as data: what tells them apart, where their options come from, how a new one is made."""

from __future__ import annotations

import re

import pytest

from scrapy_robots_policy.rep import (
    DIALECTS,
    Agent,
    dialect_of,
    differences,
    parse,
)
from scrapy_robots_policy.rep.dialect import Precedence

MINE = Agent("MyBot", "google", ("mybot", "*"), "our own")


def test_a_dialect_does_not_differ_from_itself():
    assert [differences(name, name) for name in DIALECTS] == [{}] * len(DIALECTS)


def test_differences_hold_both_values():
    assert differences("google", "yandex")["extension_ends_agents"] == (False, True)


def test_a_dialect_is_made_from_another_by_other_values_of_options():
    strict = DIALECTS["google"].but("strict", precedence="first", index_html=False)
    assert (strict.name, strict.precedence) == ("strict", Precedence.FIRST)
    assert set(differences("google", strict)) == {"precedence", "index_html"}
    assert strict.sources["precedence"].text == "set by hand"
    rules = b"User-agent: *\nDisallow: /x\nAllow: /x"
    assert parse(rules, "google").allowed("http://h/x", "FooBot")
    assert not parse(rules, strict).allowed("http://h/x", "FooBot")


def test_what_no_source_says_is_as_in_the_standard():
    standard = DIALECTS["rfc9309"]
    for name, dialect in DIALECTS.items():
        assert name == "rfc9309" or {*differences(standard, dialect)} <= {*dialect.sources}


@pytest.mark.parametrize(
    ("turned", "message"),
    [
        (
            {"precedence": "last"},
            "Dialect 'mine': precedence is 'last', it must be 'longest' or 'first'",
        ),
        ({"wildcards": 1}, "Dialect 'mine': wildcards is 1, it must be of type bool"),
        ({"size_limit": True}, "Dialect 'mine': size_limit is True, it must be of type int, 0 or"),
        ({"rule_limit": -1}, "Dialect 'mine': rule_limit is -1, it must be of type int, 0 or more"),
        (
            {"tag_names": ("user-agent", 3)},
            "Dialect 'mine': tag_names is ('user-agent', 3), it must be of type tuple with",
        ),
        ({"size_limit": 0}, "Dialect 'mine': size_limit is 0, with which no rule is obeyed;"),
        ({"rule_limit": 0}, "Dialect 'mine': rule_limit is 0, with which no rule is obeyed;"),
        (
            {"tag_rules": ("NoIndex",)},
            "Dialect 'mine': tag_rules has 'NoIndex', it must have some of all, index, follow,",
        ),
        (
            {"tag_names": ("MyBot",)},
            "Dialect 'mine': tag_names has 'MyBot', it must have names in lower case",
        ),
        ({"access": "google"}, "Dialect 'mine': access is 'google', it must be of type AccessPol"),
        (
            {"agents": {"mybot": ("mybot", "*")}},
            "Dialect 'mine': agents has ('mybot', '*') under 'mybot', it must have each Agent",
        ),
        (
            {"agents": {"MyBot": MINE}},
            "Dialect 'mine': agents has the Agent 'MyBot' under 'MyBot', it must have each Agent",
        ),
        (
            {"agents": {"mybot": MINE, 1: MINE}},
            "Dialect 'mine': agents has the Agent 'MyBot' under 1, it must have each Agent",
        ),
        (
            {"ties": "allow"},
            "Dialect 'mine' has no option 'ties'; the options are text, size_limit,",
        ),
    ],
)
def test_a_wrong_option_or_value_is_refused_with_the_choices(
    turned: dict[str, object], message: str
):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        DIALECTS["rfc9309"].but("mine", **turned)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (3, "Dialect 3: name is 3, it must be of type str"),
        (None, "Dialect None: name is None, it must be of type str"),
        ("", "Dialect '': name must be a text that can be printed"),
        ("my\ndialect", "Dialect 'my\\ndialect': name must be a text that can be printed"),
    ],
)
def test_a_dialect_has_a_name_that_logs_and_records_can_hold(name: object, sentence: str):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        DIALECTS["rfc9309"].but(name)


def test_an_unknown_dialect_is_refused_with_the_choices():
    with pytest.raises(ValueError, match=r"^unknown dialect 'gogle'; the dialects are rfc9309, "):
        parse(b"", "gogle")


def test_a_dialect_stands_for_itself():
    assert dialect_of(DIALECTS["bing"]) is DIALECTS["bing"] is dialect_of("bing")
