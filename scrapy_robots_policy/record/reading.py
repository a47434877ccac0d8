"""Reads the files of a record line by line, and checks the chain while it reads.

A file may be packed, torn by a kill, or altered. Memory stays bounded whatever it holds.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from gzip import BadGzipFile, GzipFile
from os import fstat
from pathlib import Path
from typing import Any

from .fields import MAX_LINE, START, ChainError, bytes_beyond, opened

_STEP = 10_000  # lines between two calls of `on_progress`
_MAGIC = b"\x1f\x8b"
_NO_RECORD = "; is this a record of ROBOTS_AUDIT?"


class ReplayError(ValueError):
    """A line that cannot be replayed: what is wrong with it."""


class AuditError(Exception):
    """A file that is broken or no record: its path, the line, and what is wrong there."""


class UnreadableError(AuditError):
    """A file that cannot be read at all: it may well be a record."""


OnProgress = Callable[["RecordFile"], None]


class RecordFile:
    """One file of a record.

    Attributes:
        on_progress: called every few thousand lines.
        hash: that of the latest line.
        lines: how many lines were read.
        is_torn: whether the file ends within a line, or within a packed block: it was killed.
        notes: what is no error, and a reader should know.
        done: bytes of the file that were read, of `size`; a pipe has the size 0.

    """

    def __init__(self, path: Path, on_progress: OnProgress = lambda _: None) -> None:
        self.path, self.on_progress = path, on_progress
        self.hash = START
        self._last_type = ""
        self.lines = self.done = self.size = 0
        self.is_torn = False
        self.notes: list[str] = []

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The objects of the lines. AuditError at the first that is not as it was written."""
        try:
            for line_bytes in self._lines():
                self.lines += 1
                if self.lines % _STEP == 0:
                    self.on_progress(self)
                yield self._checked(line_bytes)
        except (BadGzipFile, zlib.error) as error:
            raise self.error(f"the next line cannot be unpacked ({error})") from None
        except OSError as error:
            raise UnreadableError(f"cannot read {self.path}: {error.strerror or error}") from None
        if not self.lines:
            raise self.error(f"it has no line{_NO_RECORD}")
        self._note_cut()
        if self.is_torn:
            good = f"{self.path} is good up to line {self.lines}"
            self.notes.append(f"{good}; what follows was cut off")

    def error(self, why: str) -> AuditError:
        """What is wrong with the latest line, or with the file where none was read."""
        line = f", line {self.lines}" if self.lines else ""
        return AuditError(f"{self.path}{line}: {why}")

    def _checked(self, line_bytes: bytes) -> dict[str, Any]:
        try:
            fields = opened(line_bytes)
        except ChainError as error:
            is_other = self.lines == 1 and bytes_beyond(line_bytes) < 0
            raise self.error(f"{error}{_NO_RECORD * is_other}") from None
        begins = fields["type"] == "crawl"
        if self.lines == 1:
            if not begins:
                raise self.error(
                    f"it is no line of a crawl, with which each file begins{_NO_RECORD}"
                )
        elif fields.get("prev") != self.hash and not (begins and fields.get("prev") == START):
            raise self.error("it does not follow the line before: a line was taken out or moved")
        elif begins:  # two records were joined
            self._note_cut()
        self.hash, self._last_type = fields["hash"], fields["type"]
        return fields

    def _note_cut(self) -> None:
        if self._last_type != "end":
            self.notes.append(
                f"{self.path}: the crawl that ends at line {self.lines} has no sums: it was "
                "killed, it still runs, or the disk was full"
            )

    def _lines(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            self.size = fstat(file.fileno()).st_size
            lines = GzipFile(fileobj=file) if file.peek(2).startswith(_MAGIC) else file
            try:
                while line := lines.readline(MAX_LINE + 1):
                    self.done = file.tell() if self.size else 0
                    yield from self._whole(line)
            except EOFError:  # the last packed block was cut
                self.is_torn = True

    def _whole(self, line: bytes) -> Iterator[bytes]:
        """The line without its end; nothing where the file was cut within it."""
        beyond = 0 if line.endswith(b"\n") else bytes_beyond(line)
        self.is_torn = not line.endswith(b"\n")
        if len(line) > MAX_LINE or beyond > 0:
            self.lines += 1
            too_long = f"it is longer than {MAX_LINE} bytes"
            raise self.error(too_long if len(line) > MAX_LINE else "bytes follow its hash")
        if beyond == 0:  # at most its line feed was cut off
            yield line.removesuffix(b"\n")
