"""`diff` says of each crawler that a file names whether an answer changes, and no more.

An answer is whether a page may be fetched, and which preferences hold for its use.
"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_robots_policy.commands.reading.inputs import rules_from
from scrapy_robots_policy.commands.reading.named_crawlers import named_crawlers
from scrapy_robots_policy.commands.verbs.file_changes import OPENS, USE, CrawlersChanges, changes_of
from scrapy_robots_policy.rep import DIALECTS, FetchResult
from scrapy_robots_policy.rep.preference import NO_USE
from scrapy_robots_policy.resolver.origin import NO_PACE, OriginRules

VALUES = [
    *("/", "/a", "/a/", "/a/b", "/b", "/x", "/a/x", "/a$", "/a/b$", "", "b", "b/"),
    *("/*b", "/*.c$", "*.c", "/a*", "/a/*", "/*/b$", "/*x", "/*a*b", "/%61/*", "http://h/a"),
]
LINES = st.one_of(
    st.builds("{}: {}".format, st.sampled_from(["Disallow", "Allow"]), st.sampled_from(VALUES)),
    st.sampled_from(["User-agent: *", "User-agent: Foo", "User-agent: Bar*", "User-agent: Ba"]),
    st.sampled_from(["Crawl-delay: 1", "Crawl-delay: 2", "Sitemap: /s", ""]),
    st.builds("Content-Usage: {} train-ai=y".format, st.sampled_from(VALUES)),
    st.builds("Content-Usage: {} train-ai=n".format, st.sampled_from(VALUES)),
    st.sampled_from(["Content-Signal: ai-train=no", "Content-Signal: ai-train=yes, search=yes"]),
    st.sampled_from(["License: http://h/1", "License: http://h/2"]),
)
PATHS = ["/" + "".join(parts) for n in range(5) for parts in product("ab/xq", repeat=n)]
PATHS += [path + ".c" for path in PATHS if len(path) < 5]
PATHS += ["http://h/a"]


def changed(before: OriginRules, after: OriginRules, crawler: str) -> list[str]:
    return [p for p in PATHS if before.allowed(p, crawler) is not after.allowed(p, crawler)]


def changed_in_use(before: OriginRules, after: OriginRules, crawler: str) -> list[str]:
    """The paths that both files let pass, and for whose use they state other preferences."""
    both = [p for p in PATHS if before.allowed(p, crawler) and after.allowed(p, crawler)]
    return [p for p in both if stated(before, p, crawler) != stated(after, p, crawler)]


def stated(file: OriginRules, path: str, crawler: str) -> set[tuple[str, str, str]]:
    return {(one.label, one.key, one.value) for one in file.preferences(path, crawler, NO_USE)}


@pytest.mark.slow
@given(st.lists(LINES, max_size=9), st.integers(0, 9), st.lists(LINES, max_size=2), st.data())
@settings(max_examples=400)
def test_a_change_is_shown_where_an_answer_changes_and_nowhere_else(
    lines: list[str], at: int, more: list[str], data: st.DataObject
):
    dialect = DIALECTS[data.draw(st.sampled_from(list(DIALECTS)))]
    gone = data.draw(st.integers(0, 2))
    changed_lines = [*lines[:at], *more, *lines[at + gone :]]
    texts = ["\n".join(["User-agent: *", *one]) for one in (lines, changed_lines)]
    before, after = (rules_from("", FetchResult(200, text.encode()), dialect) for text in texts)
    crawlers = {
        name: None for text in texts for name in named_crawlers("x", text.encode(), dialect)
    }
    shown = {name: one for one in changes_of(before, after, crawlers) for name in one.crawlers}
    for crawler in crawlers:
        changes = shown.get(crawler, CrawlersChanges([], [], (NO_PACE, NO_PACE)))
        of_rules = [change for change in changes.changes if change.kind != USE]
        of_use = [change for change in changes.changes if change.kind == USE]
        assert bool(of_rules) >= bool(changed(before, after, crawler)), crawler
        assert bool(of_use) >= bool(changed_in_use(before, after, crawler)), crawler
        for change in of_rules:
            answers = [file.verdict(change.path, crawler) for file in (before, after)]
            assert [a.cause for a in answers] == [change.before.cause, change.after.cause]
            assert [a.allowed for a in answers] == [change.kind != OPENS, change.kind == OPENS]
        for change in of_use:
            assert all(file.allowed(change.path, crawler) for file in (before, after))
            assert stated(before, change.path, crawler) != stated(after, change.path, crawler)
        paces = before.pace(crawler), after.pace(crawler)
        assert changes.paces == paces or paces[0] == paces[1]
