"""How a rule matches a URL, part by part: the same answer as the engine gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_robots_policy.rep import DIALECTS, Rule
from scrapy_robots_policy.rep.patterns import reading_of
from scrapy_robots_policy.rep.rule_match import match_of

CASES = {
    ("/a", "/abc"): ([("start", "/a")], "bc"),
    ("/a*b*c$", "/aXbYbZc"): (
        [("start", "/a"), ("any", "X"), ("part", "b"), ("any", "YbZ"), ("part", "c"), ("end", "")],
        "",
    ),
    ("/a*b*", "/aXbY"): ([("start", "/a"), ("any", "X"), ("part", "b"), ("any", "Y")], ""),
    ("*x", "/axx"): ([("start", ""), ("any", "/a"), ("part", "x")], "x"),
    ("/a$", "/a"): ([("start", "/a"), ("end", "")], ""),
    ("/a%2fb", "/a%2Fbc"): ([("start", "/a%2Fb")], "c"),
    ("/a$", "/ab"): None,
    ("/a*b", "/ac"): None,
}


@pytest.mark.parametrize(("path", "url"), CASES)
def test_each_part_has_what_it_matches(path, url):
    match = match_of(Rule(False, path, 1), url, DIALECTS["google"])
    if CASES[path, url] is None:
        assert match is None
    else:
        assert ([(part.kind, part.path) for part in match.parts], match.rest) == CASES[path, url]


TEXT = st.text(st.sampled_from("ab/*$%41?=."), max_size=12)


@pytest.mark.slow
@given(name=st.sampled_from(list(DIALECTS)), path=TEXT, url=TEXT, allow=st.booleans())
def test_the_parts_are_the_path_and_match_where_the_engine_does(name, path, url, allow):
    dialect, rule = DIALECTS[name], Rule(allow, path, 1)
    reading = reading_of(dialect)
    target = reading.path_of(f"/{url}")
    matches = any(p.matches(target) for p in reading.patterns(allow, path, f"/{url}"))
    match = match_of(rule, f"/{url}", dialect)
    assert (match is not None) is matches
    if match is not None:
        assert "".join(part.path for part in match.parts) + match.rest == target
        for part in match.parts:
            assert part.kind in ("any", "end") or part.rule == part.path
