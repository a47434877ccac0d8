"""Text for a terminal or a pipe: escaped, in columns that fit, and coloured on a terminal.

Whether a terminal reads escape sequences: colours and the line of progress need them.

What kept a robots.txt from coming, in a few words for people: the same in all verbs.

A verdict and JSON have the one or two words of `fetch.result`, for tables and for programs.

Rows of text in aligned columns, for a terminal.

Annotations of GitHub's workflows: lines of output that are shown beside a file.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any, TextIO

from ...rep.escapes import shown


def annotation(level: str, message: str, **properties: str | int) -> str:
    """A workflow command: `level` is error, warning or notice."""
    pairs = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{level} {pairs}::{_data(message)}"


def _data(text: str) -> str:
    return shown(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


if sys.platform == "win32":
    from ctypes import byref, windll
    from ctypes.wintypes import DWORD, HANDLE
    from msvcrt import get_osfhandle

    _ENABLE_VIRTUAL_TERMINAL_PROCESSING = 0x0004

    def reads_escapes(stream: TextIO) -> bool:
        """The console of Windows reads them only after a program has set this mode. One before
        Windows 10 has no such mode; NUL is a terminal for Python, and has no mode at all.
        """
        console, mode = HANDLE(get_osfhandle(stream.fileno())), DWORD()
        if not windll.kernel32.GetConsoleMode(console, byref(mode)):
            return False
        wanted = mode.value | _ENABLE_VIRTUAL_TERMINAL_PROCESSING
        return bool(windll.kernel32.SetConsoleMode(console, wanted))

else:

    def reads_escapes(stream: TextIO) -> bool:  # noqa: ARG001 - every terminal does
        return True


# No command has the other causes: they are of Scrapy's middlewares.
MEANINGS = {
    "dns": "no address is known for the host",
    "tls": "no secure connection can be made",
    "timeout": "no whole answer came in time",
    "reset": "the connection was closed before an answer had come",
    "cut body": "the connection was closed in the middle of the file",
    "unreadable body": "the Content-Encoding of the file cannot be taken off",
    "no HTTP": "what answers there is no web server",
    "304 unasked for": "the site says that a copy is current which nobody has",
    "refused by the proxy": "the proxy wants other credentials",
    "connection refused": "no server listens at that host and port",
    "connection failed": "no connection can be made",
}


def in_full(why: str) -> str:
    """A cause with its meaning: "dns, no address is known for the host". A status is as it was.

    why  as an `Access` has it: "dns", "timeout after 2 redirects", "503"
    """
    meaning = MEANINGS.get(why.partition(" after ")[0])
    return f"{why}, {meaning}" if meaning else why


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


Row = Sequence[str]

_COLOURS = {"red": "31", "green": "32", "yellow": "33", "blue": "34", "bold": "1", "dim": "2"}
_VERDICTS = {"allowed": "green", "disallowed": "red", "unreachable": "yellow"}
_NARROWEST = 8  # columns of the terminal that a last cell takes at least, if it is longer
_LONG_WORD = 24  # columns; longer words, such as paths, may be broken
_GAP = 2  # columns between two cells
MAX_LINE = 1_000  # characters that are shown of a line of a file, which may have millions
_program = ["scrapy robots"]


def set_up(name: str) -> None:
    """The name of the program, with which its errors start, and streams that take any text."""
    _program[0] = name
    sys.stdin = sys.stdin or _nothing("r")  # None where it was closed: `<&-`
    sys.stdout = _whole_writes(sys.stdout) if sys.stdout else _nothing("w")
    sys.stderr = sys.stderr or _nothing("w")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _nothing(mode: str) -> Any:
    return Path(os.devnull).open(mode)


def _whole_writes(stream: TextIO) -> TextIO:
    """The stream, where each text is written whole, or raises. With PYTHONUNBUFFERED, as in many
    containers, Python writes a part of a long one to a full disk or a closed pipe, and no more.
    """
    if not isinstance(getattr(stream, "buffer", None), io.RawIOBase):
        return stream
    octets = io.BufferedWriter(io.FileIO(stream.fileno(), "w", closefd=False))
    return io.TextIOWrapper(octets, stream.encoding, stream.errors, line_buffering=True)


def drop_output(stream: TextIO) -> None:
    """What is still to be written to a stream goes nowhere: nobody takes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def program() -> str:
    """The name of the program that was called."""
    return _program[0]


def paint(text: str, colour: str) -> str:
    """The text in a colour, where standard output shows colours."""
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if _has_colour() else text


def paint_verdict(text: str) -> str:
    """A verdict's word in its colour; any other text as it is."""
    colour = _VERDICTS.get(text.strip())
    return paint(text, colour) if colour else text


def _has_colour() -> bool:
    """NO_COLOR is the strongest, then FORCE_COLOR, then whether it is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR", "")
    if forced:
        return forced not in ("0", "false")
    return _takes_escapes(sys.stdout)


def _takes_escapes(stream: TextIO) -> bool:
    """Whether it is a terminal that does more than to show text."""
    is_dumb = os.environ.get("TERM") == "dumb"
    return stream.isatty() and not is_dumb and reads_escapes(stream)


def print_line(line: str = "") -> None:
    sys.stdout.write(line + "\n")


class Blocks:
    """What is printed in blocks: an empty line stands between two of them, and none at the end."""

    def __init__(self) -> None:
        self.count = 0

    def begin(self) -> None:
        if self.count:
            print_line()
        self.count += 1


def print_error(sentence: object) -> None:
    """One line on standard error, in place of a progress that is shown there. The sentence may
    quote a file, a URL or a setting: escaped.
    """
    Progress().end()
    try:
        sys.stderr.write(f"{_program[0]}: {shown(str(sentence))}\n")
    except OSError:  # the exit status says it all the same
        drop_output(sys.stderr)


def print_json(value: Any) -> None:
    """One value on one line, in ASCII: no text in it can control a terminal."""
    sys.stdout.write(json.dumps(value) + "\n")


def print_csv(cells: Iterable[object]) -> None:
    """One line of CSV."""
    sys.stdout.write(",".join(csv_cell(str(cell)) for cell in cells) + "\n")


def csv_cell(text: str) -> str:
    """A cell of RFC 4180, on one line: control characters are escaped."""
    cell = shown(text)
    return '"{}"'.format(cell.replace('"', '""')) if '"' in cell or "," in cell else cell


def print_columns(
    rows: Iterable[Row],
    indent: str = "",
    max_width: int = 0,
    painted: Callable[[str], str] = str,
    head: Row = (),
) -> None:
    """Rows in aligned columns, below their heads. Cells are escaped, and wrapped: at `max_width`,
    if it is not 0, and so that a row fits the terminal. `painted` gives a cell its colour.

    Where a terminal is too narrow for the words of a row, its cells stand one below the other.
    """
    rows = list(rows)
    table = [[_written(cell) for cell in row] for row in ((head, *rows) if head else rows)]
    widths = _widths(table, max_width or sys.maxsize, _room() - len(indent))
    if widths is None:
        _print_below(rows, indent, painted, head)
        return
    lines = [line for row in table for line in _wrapped(row, widths)]
    for line in aligned(lines, painted=painted):
        print_line((indent + line).rstrip())


def _print_below(
    rows: Iterable[Row], indent: str, painted: Callable[[str], str], head: Row
) -> None:
    """The first cell of each row, and below it the others: each beside its head, if it has one."""
    for first, *others in rows:
        print_columns([(first,)], indent, painted=painted)
        cells = zip(head[1:], others, strict=True) if head else ((cell,) for cell in others if cell)
        print_columns(cells, indent + "  ", painted=painted)


def print_sentence(sentence: str) -> None:
    """A sentence, on as many lines as the terminal needs for it."""
    print_columns([(sentence,)])


def print_groups(head: Row, groups: Mapping[str, Sequence[Row]]) -> None:
    """One table with a heading above each group. What does not fit the terminal is cut."""
    room, end = _room(), _ellipsis()
    rows = [head, *(row for group in groups.values() for row in group)]
    lines = _with_room([[_written(cell) for cell in row] for row in rows], room - _GAP)
    for heading, group in [(None, [head]), *groups.items()]:
        if heading is not None:
            print_line(paint(heading, "bold"))
        for line in chain.from_iterable(islice(lines, len(group))):
            print_line(cut(f"  {line}", room, end))


def _with_room(table: list[list[str]], room: int) -> Iterator[list[str]]:
    """The lines of each row: one, or two with the first cell alone in the first, where else too
    little of the last cell would fit.
    """
    *widths, last = (max(map(width, column)) for column in zip(*table, strict=True))
    if sum(widths) + _GAP * len(widths) + min(last, _NARROWEST) <= room:
        return ([line] for line in aligned(table))
    beside = aligned([row[1:] for row in table])
    return ([row[0], f"  {line}"] for row, line in zip(table, beside, strict=True))


def _written(text: str) -> str:
    """The text as standard output shows it: escaped, also what its encoding does not have. So its
    width is known.
    """
    escaped = shown(text)
    if escaped.isascii():
        return escaped
    encoding = sys.stdout.encoding
    return escaped.encode(encoding, "backslashreplace").decode(encoding)


def _ellipsis() -> str:
    return "…" if _written("…") == "…" else "..."


def _room() -> int:
    """Columns of the terminal; no limit where standard output is none and COLUMNS says nothing."""
    if not (os.environ.get("COLUMNS") or sys.stdout.isatty()):
        return sys.maxsize
    return shutil.get_terminal_size().columns


def _widths(table: list[list[str]], max_width: int, room: int) -> list[int] | None:
    """The columns of the table, the widest ones made narrower until a row fits: first as far as no
    word is broken, then further, so that the longest words are broken first. None where words that
    are not long would be broken; those of a single column have no other place.
    """
    columns = list(zip(*table, strict=True))
    widths = [min(max(map(width, column)), max_width) for column in columns]
    words = [min(max(map(width, " ".join(column).split(" "))), max_width) for column in columns]
    room -= _GAP * (len(widths) - 1)
    long_word = _LONG_WORD if len(columns) > 1 else 1
    for least in (words, [min(word, long_word) for word in words]):
        _make_narrower(widths, least, room)
    return widths if sum(widths) <= room or len(columns) <= 1 else None


def _make_narrower(widths: list[int], least: list[int], room: int) -> None:
    """Take from the widest columns until all fit in the room, or each is at its least."""
    while sum(widths) > room:
        wider = [column for column in range(len(widths)) if widths[column] > least[column]]
        if not wider:
            break
        widest = max(wider, key=widths.__getitem__)
        second = max((other for other in widths if other < widths[widest]), default=0)
        surplus = min(widths[widest] - max(second, least[widest]), sum(widths) - room)
        widths[widest] -= max(surplus, 1)


def _wrapped(row: list[str], widths: list[int]) -> list[list[str]]:
    columns = [
        [cell] if width(cell) <= room else wrapped(cell, room)
        for cell, room in zip(row, widths, strict=True)
    ]
    return [list(line) for line in zip_longest(*columns, fillvalue="")]


def print_numbered(number: int, text: str, mark: str = " ", note: str = "") -> None:
    """A line of a file, with its number and a note. Of a long line its start."""
    start = _written(text[:MAX_LINE]) + _ellipsis() * (len(text) > MAX_LINE)
    print_line(f"{mark} {number:>5} | {start}{f'    <- {note}' if note else ''}")


def print_marked(number: int, text: str, column: int, end: int, colour: str) -> None:
    """A line of a file, with its number, and carets under a part of it: from `column`, from 1, to
    before `end`. Of a long line, what stands before and after `column`.
    """
    first = max(column - 1 - MAX_LINE // 2, 0) if len(text) > MAX_LINE else 0
    skipped = _ellipsis() * (first > 0)
    print_numbered(number, skipped + text[first:])
    before = width(skipped + _written(text[first : column - 1]))
    marked = width(_written(text[column - 1 : min(end - 1, first + MAX_LINE)]))
    print_line(f"        | {' ' * before}{paint('^' * max(marked, 1), colour)}")


def _size(stream: TextIO) -> tuple[int, int]:
    """(columns, lines) of the terminal that a stream is; the usual ones where it is none."""
    try:
        return os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        return 80, 24


class Progress:
    """The progress of a long run, on standard error, if that is a terminal.

    total  the number of steps; 0: not known. One step shows no progress
    """

    def __init__(self, total: int = 0) -> None:
        self.total, self.done = total, 0
        self.is_shown = total != 1 and _takes_escapes(sys.stderr)

    def step(self, what: str) -> None:
        self.done += 1
        of_all = f" of {self.total}" if self.total else ""
        self.show(f"{self.done}{of_all}  {what}")

    def show(self, line: str) -> None:
        """Show this line in place of the one before: cut, for of two rows only one is cleared."""
        if self.is_shown:
            room = shutil.get_terminal_size(_size(sys.stderr)).columns
            sys.stderr.write(f"\r\x1b[K{cut(shown(line), room - 1)}")
            sys.stderr.flush()

    def end(self) -> None:
        if self.is_shown:
            sys.stderr.write("\r\x1b[K")
