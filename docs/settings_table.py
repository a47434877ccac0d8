"""Writes the settings of docs/settings.md from `scrapy_robots_policy.settings`.

`make table`, or `python docs/settings_table.py`. The links of a meaning are relative to docs/.
"""

# ruff: noqa: INP001 - a script beside what it writes
from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from scrapy_robots_policy.settings.table import SETTINGS, Setting

PAGE = Path(__file__).parent / "settings.md"
BEGIN, END = "<!-- settings:begin -->", "<!-- settings:end -->"


FIRST = (
    "ROBOTS_DIALECT",
    "ROBOTSTXT_USER_AGENT",
    "ROBOTS_OVERRIDES",
    "ROBOTS_STORE",
    "ROBOTS_PURPOSE",
    "ROBOTS_REPORT",
)
SELDOM = (
    "ROBOTS_FETCH_TIMEOUT",
    "ROBOTS_FETCH_META",
    "ROBOTS_FETCH_HOOK",
    "ROBOTS_REDIRECTS",
    "ROBOTS_REDIRECT_HOSTS",
    "ROBOTS_MAX_FETCHES",
    "ROBOTS_MAX_WAITING",
)
GROUPS = {
    "The six that matter first": FIRST,
    "For what a crawl obeys and tells": [
        name for name in SETTINGS if name not in (*FIRST, *SELDOM)
    ],
    "How robots.txt files are fetched, and what waits": SELDOM,
}


def sections() -> Iterator[str]:
    """A heading for each setting, so that it can be linked and found."""
    for title, names in GROUPS.items():
        yield f"## {title}"
        for name in names:
            setting = SETTINGS[name]
            words = setting.kind.words
            yield f"### {name}"
            value = f"*{words[0].upper()}{words[1:]}; default: {default(setting)}.*"
            yield f"{value} {setting.meaning}"


def default(setting: Setting) -> str:
    """The default as it would stand in settings.py, with double quotes as all of the docs have."""
    value = setting.default
    if value is None:
        return setting.no_value
    if isinstance(value, bool):
        return f"`{value}`"
    if isinstance(value, float):
        return f"`{value:g}`"
    return f"`{json.dumps(value)}`"


def table() -> str:
    return "\n\n".join(sections())


def with_table(text: str) -> str:
    """The page with the present settings between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
