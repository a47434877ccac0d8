"""Rows of plain values as JSON lines or as CSV, escaped: the same for all verbs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from ..rep.escapes import shown
from .terminal import print_json


def print_rows(
    rows: Iterable[Mapping[str, Any]],
    output_format: str,
    heads: Iterable[str],
    *,
    with_head: bool = True,
) -> None:
    """Each row on a line: as CSV, with these columns after a head line, else as JSON."""
    if output_format != "csv":
        for row in rows:
            print_json(row)
        return
    columns = list(heads)
    if with_head:
        sys.stdout.write(",".join(columns) + "\n")
    for row in rows:
        sys.stdout.write(",".join(csv_cell(_text(row[column])) for column in columns) + "\n")


def csv_cell(text: str) -> str:
    """A cell of RFC 4180, on one line: control characters are escaped."""
    cell = shown(text)
    return '"{}"'.format(cell.replace('"', '""')) if '"' in cell or "," in cell else cell


def _text(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
