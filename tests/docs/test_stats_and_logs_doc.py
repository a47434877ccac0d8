"""docs/stats-and-logs.md has each stat, each log line, each reason and each key of request.meta."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from scrapy_robots_policy import stats
from scrapy_robots_policy.admission.decider import HOPS_KEY, VERDICT_KEY
from scrapy_robots_policy.config import EXEMPT_KEY
from scrapy_robots_policy.config.request_config import META_KEY as CONFIG_KEY
from scrapy_robots_policy.fetch.request import CARRIED_META
from scrapy_robots_policy.rep import Reason
from scrapy_robots_policy.spidermiddlewares import META_KEY as TAGS_KEY
from tests.docs.markdown import blocks
from tests.house.sources import MODULES, nodes_of

PATH = Path(__file__).parents[2] / "docs" / "stats-and-logs.md"
PAGE = PATH.read_text("utf-8")
OTHERS = [
    PATH.with_name(name)
    for name in ("troubleshooting.md", "waiting-and-delays.md", "when-things-fail.md")
]


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def column(title: str, number: int) -> list[str]:
    rows = [row.split(" | ") for row in section(title).splitlines() if row.startswith("| ")][2:]
    return [row[number].strip("| ").partition("` (")[0].strip("`") for row in rows]


@cache
def log_lines() -> dict[str, str]:
    """The level of each log line by its text, with <name> for what is put in."""
    calls = [
        node
        for module in MODULES
        for node in nodes_of(module)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value) in {"logger", "log", "self.log"}
    ]
    lines = {}
    for call in calls:
        texts = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
        for text in texts:
            level = call.func.attr.replace("exception", "error").upper()
            lines[re.sub(r"%\((\w+)\)\w", r"<\1>", text)] = level
    return lines


def test_it_has_each_stat_and_no_other():
    shown = {name.partition("…")[0] for name in column("Stats", 0)} - {"robotstxt/"}
    assert {start for start, _ in map(stats.split, shown)} == set(stats.MEANINGS) - {
        stats.FORBIDDEN
    }


def test_it_has_each_log_line_and_no_other():
    assert set(column("Log lines", 1)) == set(log_lines())


def test_it_has_the_level_of_each_log_line():
    rows = dict(zip(column("Log lines", 1), column("Log lines", 0), strict=True))
    levels = {line: level for line, level in log_lines().items() if level != "LOG"}
    assert [line for line, level in levels.items() if level not in rows[line]] == []


def test_it_has_each_reason_with_its_words():
    rows = dict(zip(column("Reasons", 0), column("Reasons", 1), strict=True))
    assert list(rows) == [reason.name for reason in Reason]
    by_line = {Reason.RULE, Reason.USE_REFUSED}
    words = {reason.name: reason.value for reason in Reason if reason not in by_line}
    assert {name: rows[name] for name in words} == words


def test_it_has_the_keys_of_request_meta():
    keys = {CONFIG_KEY, EXEMPT_KEY, VERDICT_KEY, HOPS_KEY, TAGS_KEY, *CARRIED_META}
    assert keys <= set(column("Keys of request.meta", 0))


@pytest.mark.parametrize("block", [one for page in OTHERS for one in blocks(page)], ids=str)
def test_the_log_lines_of_other_pages_are_lines_of_the_log(block):
    if block.language == "text":
        level, _, line = block.text.strip().partition(": ")
        patterns = {re.sub(r"<\w+>", ".+", re.escape(text)): text for text in log_lines()}
        fitting = [text for pattern, text in patterns.items() if re.fullmatch(pattern, line)]
        rows = dict(zip(column("Log lines", 1), column("Log lines", 0), strict=True))
        rows_of_it = {rows[text] for text in fitting if len(text) > len("<sentence>")}
        assert level in {one for row in rows_of_it for one in row.split(" or ")}
