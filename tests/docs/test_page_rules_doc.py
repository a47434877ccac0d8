"""What docs/page-rules.md says is so."""

from __future__ import annotations

import re
from pathlib import Path

from scrapy_robots_policy.rep.preference import PURPOSES
from scrapy_robots_policy.tags.actions import DEFAULTS, Action

PAGE = Path(__file__).parents[2] / "docs" / "page-rules.md"


def column(title: str) -> list[str]:
    """The first column of the table whose head starts with `title`, without marks."""
    table = PAGE.read_text("utf-8").partition(f"\n| {title} |")[2].partition("\n\n")[0]
    return re.findall(r'^\| `"?([\w-]+)"?` \|', table, re.MULTILINE)


def test_its_tables_have_exactly_the_parts_actions_and_purposes_of_the_code():
    assert set(column("part")) == set(DEFAULTS)
    assert column("action") == [action.value for action in Action]
    assert set(column("purpose")) == set(PURPOSES)
