"""Docstrings here list fields as `name   what it is`, in columns. In the site they become lists,
and examples become blocks of code.

A griffe extension: mkdocstrings reads docstrings as Markdown, which would join such lines.
"""

# ruff: noqa: INP001 - griffe loads it by its path
from __future__ import annotations

import re
from typing import Any

import griffe

ROW = re.compile(r"^(\S+(?:, \S+)*) {2,}(\S.*)$")


class DocstringLists(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = with_lists(obj.docstring.value)


def with_lists(text: str) -> str:
    return "\n\n".join(_with_list(paragraph) for paragraph in text.split("\n\n"))


def _with_list(paragraph: str) -> str:
    lines = paragraph.splitlines()
    if paragraph.startswith(">>> "):
        return f"```pycon\n{paragraph}\n```"
    if not lines or not ROW.match(lines[0]):
        return paragraph
    rows: list[str] = []
    for line in lines:
        row = ROW.match(line)
        if row and not line.startswith(" "):
            rows.append(f"- `{row[1]}`: {row[2]}")
        else:
            rows[-1] += f" {line.strip()}"
    return "\n".join(rows)
