"""Writes the texts about the findings of lint into docs/lint.md.

`make table`, or `python docs/lint_rules.py`. The texts are in owners/lint/rules.md.
"""

# ruff: noqa: INP001 - a script beside what it writes
from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from scrapy_robots_policy.owners.lint import KINDS, Kind

PAGE = Path(__file__).parent / "lint.md"
BEGIN, END = "<!-- rules:begin -->", "<!-- rules:end -->"
WIDTH = 125

CHAPTERS = {
    "R1": "The file",
    "R2": "Lines",
    "R3": "Groups",
    "R4": "Rules",
    "R5": "Other lines",
    "R6": "Engines",
}


def page() -> str:
    """docs/lint.md with the texts of today."""
    text = PAGE.read_text("utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{''.join(_sections())}{END}{tail}"


def _sections() -> Iterator[str]:
    chapters = {
        title: [kind for kind in KINDS.values() if kind.code.startswith(start)]
        for start, title in CHAPTERS.items()
    }
    for title, kinds in chapters.items():
        line = f"- {title}: {', '.join(map(_link, kinds))}"
        yield _wrapped(line, indent="  ") + "\n"
    yield "\n"
    for title, kinds in chapters.items():
        yield f"### {title}\n\n"
        yield from map(_section, kinds)


def _link(kind: Kind) -> str:
    """To the heading of its section."""
    anchor = f"{kind.code}-{kind.name}-{kind.severity.value}".lower()
    return f"[{kind.code}](#{anchor})"


def _section(kind: Kind) -> str:
    paragraphs = [kind.title, *kind.why.split("\n\n"), f"Fix: {kind.fix}"]
    wrapped = "\n\n".join(map(_wrapped, paragraphs))
    examples = "".join(
        f"```robots{_language(one.dialect)}\n{one.text}```\n\n" for one in kind.examples
    )
    return f"#### {kind.code} {kind.name} ({kind.severity.value})\n\n{wrapped}\n\n{examples}"


def _wrapped(text: str, indent: str = "") -> str:
    """`indent`: of all lines but the first."""
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _language(dialect: str) -> str:
    return "" if dialect == "rfc9309" else f" {dialect}"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
