"""Dialects as data: what tells them apart, where their options come from, how a new one is made."""

from __future__ import annotations

import re

import pytest

from scrapy_robots_policy.rep import (
    DIALECTS,
    Agent,
    Dialect,
    dialect_of,
    differences,
    parse,
)
from scrapy_robots_policy.rep.dialects.dialect import options
from scrapy_robots_policy.rep.dialects.options import Certainty, Tie
from tests.house.sources import MODULES, PACKAGE, text_of

MINE = Agent("MyBot", "google", ("mybot", "*"), "our own")


def test_google_differs_from_rfc9309_exactly_where_its_parser_and_its_pages_say_so():
    assert set(differences("rfc9309", "google")) == {
        "bom",  # skipped in part, too
        "line_limit",  # 16,663 octets of a line are kept
        *("agent_keys", "disallow_keys", "sitemap_keys"),  # misspellings
        "longer_keys",  # a key counts by its start
        "missing_colon",
        "agents",  # chains: Googlebot-Image → Googlebot; AdsBot-Google obeys only its own name
        "percent",  # nothing is decoded
        "index_html",
        "robots_txt_allowed",  # the library makes no exception
        "crawl_delay",  # ignored
        *("tag_names", "tag_rules"),  # page-level rules, of which RFC 9309 does not speak
        "access",  # 429 as 5xx; twelve hours, thirty days
    }


@pytest.mark.parametrize("option", options())
def test_every_option_is_acted_on(option: str):
    """A module reads it, beside those that give it its values."""
    values = PACKAGE / "rep" / "dialects"
    modules = [path for path in MODULES if values not in path.parents]
    assert any(re.search(rf"\.{option}\b", text_of(path)) for path in modules)


def test_a_dialect_does_not_differ_from_itself():
    assert [differences(name, name) for name in DIALECTS] == [{}] * len(DIALECTS)


def test_differences_hold_both_values():
    assert differences("google", "bing")["extension_ends_agents"] == (False, True)


@pytest.mark.parametrize("name", DIALECTS)
def test_every_option_has_a_source(name: str):
    sources = DIALECTS[name].sources
    assert set(sources) == set(options())
    assert [option for option, source in sources.items() if not source.text] == []


@pytest.mark.parametrize("name", DIALECTS)
def test_an_option_without_a_source_is_only_assumed(name: str):
    unsourced = [s for s in DIALECTS[name].sources.values() if s.text.startswith("no source")]
    assert {source.certainty for source in unsourced} <= {Certainty.ASSUMED}


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_is_experimental_if_more_than_half_of_its_options_are_assumed(name: str):
    sources = DIALECTS[name].sources.values()
    assumed = [source for source in sources if source.certainty is Certainty.ASSUMED]
    assert DIALECTS[name].is_experimental is (len(assumed) > len(sources) / 2)


def test_the_dialects_that_rest_on_code_or_a_standard_are_not_experimental():
    sound = {name for name, dialect in DIALECTS.items() if not dialect.is_experimental}
    assert sound == {"rfc9309", "google", "yandex", "original1994", "amazon"}
    assert not DIALECTS["google"].but("mine", tie="disallow").is_experimental
    assert Dialect("without any source").is_experimental


def test_the_dialects_are_those_that_settings_name():
    assert list(DIALECTS) == [
        *("rfc9309", "google", "bing", "yandex", "baidu", "koster1996", "original1994", "yahoo"),
        *("apple", "duckduckgo", "seznam", "naver", "sogou", "360", "amazon"),
    ]


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
