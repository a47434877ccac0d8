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
from scrapy_robots_policy.rep.dialects.options import Tie

MINE = Agent("MyBot", "google", ("mybot", "*"), "our own")


def test_a_dialect_does_not_differ_from_itself():
    assert [differences(name, name) for name in DIALECTS] == [{}] * len(DIALECTS)


def test_differences_hold_both_values():
    assert differences("google", "bing")["extension_ends_agents"] == (False, True)


def test_a_dialect_is_made_from_another_by_other_values_of_options():
    strict = DIALECTS["google"].but("strict", tie="disallow", missing_colon=False)
    assert (strict.name, strict.tie, strict.missing_colon) == ("strict", Tie.DISALLOW, False)
    assert set(differences("google", strict)) == {"tie", "missing_colon"}
    assert strict.sources["tie"].text == "set by hand"
    tied = b"User-agent: *\nAllow: /x\nDisallow: /x"
    assert parse(tied, "google").allowed("http://h/x", "FooBot")
    assert not parse(tied, strict).allowed("http://h/x", "FooBot")


@pytest.mark.parametrize(
    ("turned", "message"),
    [
        ({"tie": "never"}, "Dialect 'mine': tie is 'never', it must be 'allow' or 'disallow'"),
        ({"wildcards": 1}, "Dialect 'mine': wildcards is 1, it must be of type bool"),
        ({"size_limit": True}, "Dialect 'mine': size_limit is True, it must be of type int, 0 or"),
        ({"line_limit": -1}, "Dialect 'mine': line_limit is -1, it must be of type int, 0 or more"),
        (
            {"agent_keys": ("user-agent", 3)},
            "Dialect 'mine': agent_keys is ('user-agent', 3), it must be of type tuple with",
        ),
        ({"size_limit": 0}, "Dialect 'mine': size_limit is 0, with which no rule is obeyed;"),
        ({"rule_limit": 0}, "Dialect 'mine': rule_limit is 0, with which no rule is obeyed;"),
        ({"line_limit": 0}, "Dialect 'mine': line_limit is 0, with which no rule is obeyed;"),
        ({"agent_keys": ()}, "Dialect 'mine': agent_keys is empty, it must have one key or more"),
        ({"disallow_keys": ()}, "Dialect 'mine': disallow_keys is empty, it must have one key"),
        ({"allow_keys": ()}, "Dialect 'mine': allow_keys is empty, it must have one key or more"),
        ({"disallow_keys": ("",)}, "Dialect 'mine': disallow_keys has '', which no line can have"),
        ({"disallow_keys": ("no:",)}, "Dialect 'mine': disallow_keys has 'no:', which no line"),
        ({"agent_keys": (" bot",)}, "Dialect 'mine': agent_keys has ' bot', which no line can"),
        ({"agent_keys": ("b\not",)}, "Dialect 'mine': agent_keys has 'b\\not', which no line can"),
        ({"agent_keys": ("bot#",)}, "Dialect 'mine': agent_keys has 'bot#', which no line can"),
        ({"agent_keys": ("böt",)}, "Dialect 'mine': agent_keys has 'böt', which no line can have"),
        (
            {"disallow_keys": ("Allow",)},
            "Dialect 'mine': allow_keys has 'allow', which disallow_keys has too",
        ),
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
            "Dialect 'mine' has no option 'ties'; the options are bom, size_limit,",
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
