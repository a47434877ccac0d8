"""Text for a terminal or a pipe: safe to show, lined up, coloured where somebody looks.

Knows: terminals. Must not know: robots.txt.
"""

from __future__ import annotations

import json
import os
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

from ..rep.escapes import shown

_COLOURS = {"red": "31", "green": "32", "yellow": "33", "blue": "34", "bold": "1", "dim": "2"}


def width(text: str) -> int:
    """How many columns a terminal takes for it."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def paint(text: str, colour: str) -> str:
    """Coloured, if standard output is a terminal that nobody asked to stay plain."""
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if _has_colour() else text


def _has_colour() -> bool:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def say(line: str = "") -> None:
    sys.stdout.write(line + "\n")


def complain(sentence: object) -> None:
    """What is wrong, on standard error. It may quote a file, a URL or a setting."""
    sys.stderr.write(f"scrapy robots: {shown(str(sentence))}\n")


def say_json(value: Any) -> None:
    """One value on one line; ASCII, so nothing in it can steer a terminal."""
    sys.stdout.write(json.dumps(value) + "\n")


def say_columns(rows: Iterable[Sequence[str]], indent: str = "", most: int = 0) -> None:
    """Rows lined up; cells over `most` columns, if given, go on below. Cells are escaped."""
    table = [[shown(cell) for cell in row] for row in rows]
    if most:
        table = [line for row in table for line in _folded(row, most)]
    if not table:
        return
    widths = [max(map(width, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = [cell + " " * (room - width(cell)) for cell, room in zip(row, widths, strict=True)]
        say((indent + "  ".join(cells)).rstrip())


def _folded(row: list[str], most: int) -> list[list[str]]:
    columns = [textwrap.wrap(cell, most) for cell in row]
    return [list(line) for line in zip_longest(*columns, fillvalue="")]


def say_line(number: int, text: str, mark: str = " ") -> None:
    """A line of a file, numbered."""
    say(f"{mark} {number:>5} | {shown(text)}")


def say_caret(line: str, column: int, end: int, colour: str) -> None:
    """Under a line of a file: what is meant, from column (from 1) to before `end`."""
    before = width(shown(line[: column - 1]))
    meant = max(width(shown(line[column - 1 : end - 1])), 1)
    say(f"        | {' ' * before}{paint('^' * meant, colour)}")


class Progress:
    """How far a long run is, on standard error, where that is a terminal.

    total  how many steps there are; 0 where nobody knows
    """

    def __init__(self, total: int = 0) -> None:
        self.total, self.done = total, 0
        self.seen = total != 1 and sys.stderr.isatty()

    def step(self, what: str) -> None:
        self.done += 1
        of_all = f" of {self.total}" if self.total else ""
        self.show(f"{self.done}{of_all}  {shown(what)[:60]}")

    def show(self, line: str) -> None:
        """Show this line in place of the one before."""
        if self.seen:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()

    def end(self) -> None:
        if self.seen:
            sys.stderr.write("\r\x1b[K")
