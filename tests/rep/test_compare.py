"""The option that makes the difference, found by trying."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.rep import DIALECTS, parse
from scrapy_robots_policy.rep.engines import cause

CASES = [
    ("google", "yandex", "User-agent: Bot/2\nDisallow: /", "/x", {"agent_value"}),
    ("rfc9309", "baidu", "User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b", {"precedence"}),
    ("rfc9309", "baidu", "User-agent: *\nDisallow: .gif$", "/x.gif", {"no_slash"}),
    ("google", "rfc9309", "User-agent: *\nDisallow: /%7Ea", "/~a", {"percent"}),
    ("rfc9309", "google", "User-agent: *\nDisalow: /x", "/x", {"keys"}),
    ("rfc9309", "bing", "User-agent: a\nCrawl-delay: 1\nUser-agent: *\nDisallow: /", "/", None),
]


def question(body, path):
    return lambda dialect: parse(body.encode(), dialect).allowed(f"http://e.com{path}", "Bot")


@pytest.mark.parametrize(("here", "there", "body", "path", "options"), CASES)
def test_the_option_that_makes_the_difference_is_found(here, there, body, path, options):
    ask = question(body, path)
    why = cause(ask, DIALECTS[here], DIALECTS[there])
    if options is None:  # for `*` the list above makes no difference
        assert why is None
    else:
        assert why is not None
        assert set(why.options) == options
        assert not why.together


def test_where_no_option_does_it_alone_a_set_is_given_of_which_none_can_be_spared():
    here = DIALECTS["rfc9309"]
    there = here.but("there", keys="lenient", no_slash="anywhere")
    why = cause(question("User-agent: *\nDisalow: x", "/x"), here, there)
    assert why is not None
    assert (set(why.options), why.together) == ({"keys", "no_slash"}, True)
