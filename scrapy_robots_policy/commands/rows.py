"""Plain values as lines of CSV: the same for all verbs."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from ..rep.escapes import shown


def print_csv(cells: Iterable[Any]) -> None:
    """One line of CSV."""
    sys.stdout.write(",".join(csv_cell(_text(cell)) for cell in cells) + "\n")


def csv_cell(text: str) -> str:
    """A cell of RFC 4180, on one line: control characters are escaped."""
    cell = shown(text)
    return '"{}"'.format(cell.replace('"', '""')) if '"' in cell or "," in cell else cell


def _text(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
