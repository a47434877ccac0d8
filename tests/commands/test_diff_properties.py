"""`diff` says of each crawler that a file names whether an answer changes, and no more."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_robots_policy.commands.file_changes import CrawlersChanges, changes_of
from scrapy_robots_policy.commands.inputs import rules_from
from scrapy_robots_policy.commands.named_crawlers import named_crawlers
from scrapy_robots_policy.rep import DIALECTS, FetchResult
from scrapy_robots_policy.resolver.origin import OriginRules

VALUES = [
    *("/", "/a", "/a/", "/a/b", "/b", "/x", "/a/x", "/a$", "/a/b$", "", "b", "b/"),
    *("/*b", "/*.c$", "*.c", "/a*", "/a/*", "/*/b$", "/*x", "/*a*b", "/%61/*", "http://h/a"),
]
LINES = st.one_of(
    st.builds("{}: {}".format, st.sampled_from(["Disallow", "Allow"]), st.sampled_from(VALUES)),
    st.sampled_from(["User-agent: *", "User-agent: Foo", "User-agent: Bar*", "User-agent: Ba"]),
    st.sampled_from(["Crawl-delay: 1", "Crawl-delay: 2", "Sitemap: /s", ""]),
)
PATHS = ["/" + "".join(parts) for n in range(5) for parts in product("ab/xq", repeat=n)]
PATHS += [path + ".c" for path in PATHS if len(path) < 5]
PATHS += ["http://h/a"]


def changed(before: OriginRules, after: OriginRules, crawler: str) -> list[str]:
    return [p for p in PATHS if before.allowed(p, crawler) is not after.allowed(p, crawler)]


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
        changes = shown.get(crawler, CrawlersChanges([], [], (None, None)))
        assert bool(changes.changes) >= bool(changed(before, after, crawler)), crawler
        for change in changes.changes:
            answers = [file.verdict(change.path, crawler) for file in (before, after)]
            assert [a.cause for a in answers] == [change.before.cause, change.after.cause]
            assert answers[0].allowed is not answers[1].allowed
        delays = before.crawl_delay(crawler), after.crawl_delay(crawler)
        assert changes.delays == delays or delays[0] == delays[1]
