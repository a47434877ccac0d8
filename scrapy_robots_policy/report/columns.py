"""Rows of text in aligned columns, for a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

_SPACES = re.compile("( +)")


def aligned(
    rows: Iterable[Sequence[str]],
    right: Collection[int] = (),
    painted: Callable[[str], str] = str,
) -> Iterator[str]:
    """A line for each row, its cells padded to the width of their column.

    rows     rows of equal length; each cell is printable text without a line end
    right    the columns, from 0, that are aligned to the right
    painted  gives a cell its colour
    """
    table = list(rows)
    widths = [max(map(width, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = zip(row, widths, strict=True)
        padded = (
            _padded(cell, painted(cell), room, at in right) for at, (cell, room) in enumerate(cells)
        )
        yield "  ".join(padded).rstrip()


def _padded(cell: str, painted: str, room: int, right: bool) -> str:
    space = " " * (room - width(cell))
    return space + painted if right else painted + space


def cut(text: str, room: int, end: str = "…") -> str:
    """The text in so many columns: where it is longer, its start and `end`."""
    if width(text) <= room:
        return text
    used = width(end)
    for at, character in enumerate(text):
        used += _columns(character)
        if used > room:
            return text[:at] + end
    return text


def wrapped(text: str, room: int) -> list[str]:
    """The text in lines of so many columns. Only a word that is wider than a line is broken; it
    begins where there is room.
    """
    lines, used = [""], 0
    for word in _SPACES.split(text):
        for piece in word if width(word) > room else [word]:
            columns = width(piece)
            if used and used + columns > room:
                lines.append("")
                used = 0
            if used or len(lines) == 1 or not piece.isspace():
                lines[-1] += piece
                used += columns
    return [line.rstrip() for line in lines if line.strip()]


def width(text: str) -> int:
    """The number of columns that a terminal takes for the text."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):  # a mark on the character before it
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
