"""Text for a terminal or a pipe: escaped, in columns that fit, and coloured on a terminal.

All verbs explain a failed fetch of a robots.txt in the same sentence. JSON and tables have the
short name of the failure (`fetch.result`).
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any, Literal, TextIO

from ...rep.escapes import shown


def annotation(level: str, message: str, **properties: str | int) -> str:
    """A workflow command: `level` is error, warning or notice."""
    pairs = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{level} {pairs}::{_data(message)}"


def _data(text: str) -> str:
    return shown(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


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

    Args:
        why: as an `Access` has it: "dns", "timeout after 2 redirects", "503".

    """
    meaning = MEANINGS.get(why.partition(" after ")[0])
    return f"{why}, {meaning}" if meaning else why


def aligned(table: Sequence[Sequence[str]], painted: Callable[[str], str] = str) -> Iterator[str]:
    """A line for each row, its cells padded to the width of their column.

    Args:
        table: rows of equal length; each cell is printable text without a line end.
        painted: gives a cell its colour.

    """
    widths = [max(map(width, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = zip(row, widths, strict=True)
        yield "  ".join(painted(one) + " " * (room - width(one)) for one, room in cells).rstrip()


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
_VERDICTS = {"allowed": "green", "refused": "red", "unreachable": "yellow"}
_GAP = 2  # columns between two cells
_WIDEST = 10_000  # columns, where standard output is no terminal
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
    binary = io.BufferedWriter(io.FileIO(stream.fileno(), "w", closefd=False))
    return io.TextIOWrapper(binary, stream.encoding, stream.errors, line_buffering=True)


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
    """Whether it is a terminal that does more than to show text. Of those of Windows, Windows
    Terminal does.
    """
    is_dumb = os.environ.get("TERM") == "dumb"
    is_old = sys.platform == "win32" and not os.environ.get("WT_SESSION")
    return stream.isatty() and not is_dumb and not is_old


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

    Cells are wrapped by rich, which comes with the extra `tools`; without it they are not.
    """
    table = [[_written(cell) for cell in row] for row in ((head, *rows) if head else rows)]
    for line in _wrapped(table, _room() - len(indent), max_width, painted):
        print_line(f"{indent}{line}".rstrip())


def _wrapped(
    table: list[list[str]], room: int, max_width: int, painted: Callable[[str], str]
) -> Iterable[str]:
    try:
        from rich.console import Console  # noqa: PLC0415 - an extra
        from rich.table import Table  # noqa: PLC0415 - as above
        from rich.text import Text  # noqa: PLC0415 - as above
    except ImportError:
        return aligned(table, painted=painted)
    grid = Table.grid(padding=(0, _GAP, 0, 0))
    for _ in table[0] if table else ():
        grid.add_column(max_width=max_width or None, overflow="fold")
    for row in table:
        grid.add_row(*(Text.from_ansi(painted(cell)) for cell in row))
    text, has_colour = io.StringIO(), _has_colour()
    system: Literal["standard"] | None = "standard" if has_colour else None
    Console(file=text, width=room, color_system=system, force_terminal=has_colour).print(grid)
    return text.getvalue().splitlines()


def print_sentence(sentence: str) -> None:
    """A sentence, on as many lines as the terminal needs for it."""
    print_columns([(sentence,)])


def print_groups(head: Row, groups: Mapping[str, Sequence[Row]]) -> None:
    """One table with a heading above each group."""
    rows = [head, *(row for group in groups.values() for row in group)]
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    for heading, group in [("", [head]), *groups.items()]:
        if heading:
            print_line(paint(heading, "bold"))
        padded = [
            [*(cell.ljust(room) for cell, room in zip(row, widths, strict=False)), row[-1]]
            for row in group
        ]
        print_columns(padded, indent="  ")


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
        return _WIDEST
    return shutil.get_terminal_size().columns


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


REFRESHED = 0.1  # seconds between two looks of a bar


class Progress:
    """The progress of a long run: a bar of rich's on standard error, if that is a terminal.

    Attributes:
        total: the number of steps; 0: not known. One step shows no progress.

    """

    def __init__(self, total: int = 0) -> None:
        self.total, self.done, self._shown_at = total, 0, 0.0
        self._bar = _bar() if total != 1 and _takes_escapes(sys.stderr) else None

    def step(self, what: str) -> None:
        self.done += 1
        of_all = f" of {self.total:,}" if self.total else ""
        self.show(f"{self.done:,}{of_all}  {what}", self.done, self.total)

    def show(self, line: str, done: int, total: int) -> None:
        """Show how much is done; `total`: 0 where nobody knows."""
        if self._bar is None or monotonic() - self._shown_at < REFRESHED:
            return
        self._shown_at = monotonic()
        (task,) = self._bar.task_ids
        self._bar.start()
        self._bar.update(
            task, description=shown(line), completed=done, total=total or None, refresh=True
        )

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()


@cache
def _bar() -> Any:
    """The one bar of the process; None without the extra `tools`."""
    try:
        from rich.console import Console  # noqa: PLC0415 - an extra
        from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415 - as above
        from rich.table import Column  # noqa: PLC0415 - as above
    except ImportError:
        return None
    text = Column(no_wrap=True, overflow="ellipsis")
    bar = Progress(
        BarColumn(20, table_column=Column(min_width=20)),
        TextColumn("{task.description}", markup=False, table_column=text),
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    bar.add_task("")
    return bar
