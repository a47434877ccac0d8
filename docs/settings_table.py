"""Writes the table of docs/settings.md from `scrapy_robots_policy.settings`.

`make table`, or `python docs/settings_table.py`. The links of a meaning are relative to docs/.
"""

# ruff: noqa: INP001 - a script beside what it writes
from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from scrapy_robots_policy.settings import SETTINGS, Setting

PAGE = Path(__file__).parent / "settings.md"
BEGIN, END = "<!-- settings:begin -->", "<!-- settings:end -->"


def rows() -> Iterator[tuple[str, ...]]:
    yield "setting", "value", "default", "meaning"
    yield ("---",) * 4
    for setting in SETTINGS.values():
        yield f"`{setting.name}`", setting.kind.words, default(setting), setting.meaning


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
    return "\n".join(f"| {' | '.join(row)} |" for row in rows())


def with_table(text: str) -> str:
    """The page with the present table between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
