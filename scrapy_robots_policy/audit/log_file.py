"""The file that a record is written to: opened for this process alone, flushed whole, packed.

A name that is taken gets a number: "audit.jsonl", "audit.2.jsonl". So no record is ever written
over, and processes with the same setting write to different files.

Octets go to the system without a buffer of Python's: after a disk was full nothing is left that
would be written a second time.
"""

from __future__ import annotations

import os
import stat
import zlib
from itertools import count
from pathlib import Path
from weakref import finalize

GZ = ".gz"
LEVEL = 1  # 72 octets a decision; level 6 takes 60, and 12 us of processor time more
GZIP = 16 + zlib.MAX_WBITS  # for `zlib`: a stream with the header of a gzip file
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def name_around_number(path: Path) -> tuple[str, str]:
    """(what stands before the number, what stands after it)"""
    stem, gz = (path.name[: -len(GZ)], GZ) if path.name.endswith(GZ) else (path.name, "")
    head, dot, suffix = stem.rpartition(".")
    return (head, f".{suffix}{gz}") if dot and head else (stem, gz)


def create(path: Path) -> tuple[int, Path]:
    """(the descriptor of a new file, its path). OSError where none can be made.

    What exists and is no file, such as a pipe, is opened as it is.
    """
    if path.exists() and not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
        return os.open(path, os.O_WRONLY), path
    head, tail = name_around_number(path)
    for number in count(1):
        name = path if number == 1 else path.with_name(f"{head}.{number}{tail}")
        try:
            return os.open(name, _FLAGS, 0o644), name
        except FileExistsError:
            if name.is_dir():
                raise
    raise AssertionError  # count() does not end


class LogFile:
    """One file that is being written. Every method may raise OSError."""

    def __init__(self, path: Path) -> None:
        self._descriptor, self.path = create(path)
        # Nobody calls `close` where a crawl fails before its spider is opened: no signal comes.
        self._close = finalize(self, os.close, self._descriptor)
        self._packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP) if path.suffix == GZ else None

    def write(self, lines: bytes) -> None:
        """Write whole lines through to the system. A packed file can be read up to here."""
        if self._packer is not None:
            lines = self._packer.compress(lines) + self._packer.flush(zlib.Z_SYNC_FLUSH)
        self._write(lines)

    def close(self) -> None:
        try:
            if self._packer is not None:
                self._write(self._packer.flush(zlib.Z_FINISH))
        finally:
            self._close()

    def discard(self) -> None:
        """Close it and delete it. What is no file, such as a pipe, stays."""
        self._close()
        if self.path.is_file():
            self.path.unlink()

    def _write(self, octets: bytes) -> None:
        left = memoryview(octets)
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError:
            # The stream has a gap now. With an end after it, nothing before it could be unpacked.
            self._packer = None
            raise
