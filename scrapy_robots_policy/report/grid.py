"""A table of many rows that a script in the page sorts and filters.

The first rows are HTML, for readers without scripts and for printing. All rows are data: JSON in a
script element that no browser runs. The page's script makes text of it, never HTML.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ..rep.escapes import shown
from .formats import change, elapsed, octets
from .html import more, text

SHOWN_ROWS = 10
MAX_TEXT = 120  # characters of a cell


class Noted(NamedTuple):
    """A number with a few words of ours after it. It is sorted as the number."""

    number: int
    note: str


Cell = str | int | float | Noted


TEXT = "text"  # the kind of a column that is sorted by its letters; the others are in `_FORMATS`
_FORMATS: Mapping[str, Callable[[float], str]] = MappingProxyType(
    {
        "count": lambda value: f"{value:,}",
        "time": lambda value: elapsed(value) if value else "",
        "seconds": lambda value: f"{value:.15g} s" if value else "",
        "change": change,
        "size": lambda value: octets(value) if value else "",
    }
)

# JSON is no HTML: nothing in it may end the script element, or begin a comment.
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def grid(label: str, columns: Mapping[str, str], rows: Sequence[Sequence[Cell]], total: int) -> str:
    """The table with its data; "" without rows.

    label    what the rows are, for the filter's field: "origins"
    columns  the name of each column, with its kind: how its cells are written
    total    how many rows there are in the data file
    """
    if not rows:
        return ""
    names, kinds = list(columns), list(columns.values())
    data = json.dumps(
        {
            "label": label,
            "kinds": kinds,
            "names": names,
            "rows": [list(map(_plain, kinds, row)) for row in rows],
            "total": total,
        },
        separators=(",", ":"),
    ).translate(_ESCAPES)
    head = "".join(
        f'<th scope="col"{_class(kind)}>{text(name)}</th>' for name, kind in columns.items()
    )
    body = "".join(_row(columns, row) for row in rows[:SHOWN_ROWS])
    rest = more(total - min(len(rows), SHOWN_ROWS))
    return (
        f'<div class="grid"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        f'{rest}<script type="application/json">{data}</script></div>'
    )


def _plain(kind: str, cell: Cell) -> Cell:
    """A cell as data: safe text, or a number in few digits; a time is not rounded twice."""
    if isinstance(cell, str):
        return _cut(shown(_cut(cell)))
    return round(cell, 3) if isinstance(cell, float) and kind != "time" else cell


def _cut(cell: str) -> str:
    """The start and the end of a long text: the end of an origin says whose it is."""
    half = MAX_TEXT // 2
    return cell if len(cell) <= MAX_TEXT else f"{cell[:half]}…{cell[1 - half :]}"


def _class(kind: str) -> str:
    return "" if kind == TEXT else ' class="number"'


def _row(columns: Mapping[str, str], row: Sequence[Cell]) -> str:
    cells = "".join(
        f'<td{_class(kind)} data-name="{text(name)}">{text(_written(kind, cell))}</td>'
        for (name, kind), cell in zip(columns.items(), row, strict=True)
    )
    return f"<tr>{cells}</tr>"


def _written(kind: str, cell: Cell) -> str:
    plain = _plain(kind, cell)
    if isinstance(plain, Noted):
        return _FORMATS[kind](plain.number) + plain.note
    return plain if isinstance(plain, str) else _FORMATS[kind](plain)
