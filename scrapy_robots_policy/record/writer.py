"""Writes the lines of a record: chains them, gathers them for less than a second, packs them.

The line of the crawl is on the disk at once: a crawl may be killed at any time, and a file without
a line is no record. A file belongs to one process alone, and no record is ever written over
(`numbered_file`).

Bytes go to the system without a buffer of Python's: after a disk was full nothing is left that
would be written a second time.
"""

from __future__ import annotations

import atexit
import os
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from weakref import finalize

from ..compat import CallLater
from ..numbered_file import GZ, numbered_file
from .fields import START, sealed

LEVEL = 1  # 72 bytes a decision; level 6 takes 60, and 12 us of processor time more
GZIP = 16 + zlib.MAX_WBITS  # for `zlib`: a stream with the header of a gzip file

MAX_GATHERED = 256 * 1024  # bytes
FLUSH_AFTER = 0.5  # seconds; a line is on the disk within one second


class LogFile:
    """One file that is being written. Every method may raise OSError."""

    def __init__(self, path: Path) -> None:
        self._descriptor, self.path = numbered_file(path)
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

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError:
            # The stream has a gap now. With an end after it, nothing before it could be unpacked.
            self._packer = None
            raise


class Writer:
    """The files of one crawl in one process.

    Attributes:
        on_error: called once, with the OSError. After it nothing is written any more.
        call_later: calls a function after some seconds; what it gives cancels that.
        lines, hash: how many lines there are, and the hash of the latest.

    """

    def __init__(
        self,
        path: Path,
        on_error: Callable[[OSError], None],
        call_later: CallLater,
    ) -> None:
        """OSError where the file cannot be made."""
        self.on_error, self.call_later = on_error, call_later
        self._file: LogFile | None = LogFile(path)
        self.path = self._file.path
        self.lines, self.hash = 0, START
        self._gathered: list[bytes] = []
        self._size = 0
        self._stop_timer: Callable[[], None] | None = None
        self._flushes_at_exit = False
        self._undo: finalize[[], Writer] | None = None

    @property
    def is_open(self) -> bool:
        return self._file is not None

    def begin(self, crawl: str) -> None:
        """Write the line of the crawl through to the disk. OSError, and no file, if that fails.

        No signal comes where another component fails before the spider is opened: then no crawl
        has begun, and the file is deleted with this object, or as the process ends.
        """
        assert self._file is not None  # it has just been made
        try:
            self._file.write(self._chained("crawl", crawl))
        except OSError:
            self._file.discard()
            raise
        self._undo = finalize(self, self._file.discard)

    def keep(self) -> None:
        """Keep the file whatever happens: the crawl has begun."""
        if self._undo is not None:
            self._undo.detach()

    def write(self, kind: str, text: str) -> None:
        """Add a line to those that the next flush puts on the disk, within a second.

        Args:
            text: its fields, as `members` gives them.

        """
        if self._file is None:
            return
        line = self._chained(kind, text)
        self._gathered.append(line)
        self._size += len(line)
        if self._stop_timer is None:
            self._stop_timer = self.call_later(FLUSH_AFTER, self.flush)
            self._flush_at_exit()
        if self._size >= MAX_GATHERED:
            self.flush()

    def flush(self) -> None:
        """Put all lines on the disk."""
        if self._stop_timer is not None:
            self._stop_timer()
            self._stop_timer = None
        if self._file is None:
            return
        gathered = b"".join(self._gathered)
        self._gathered, self._size = [], 0
        if not gathered:
            return
        self.keep()
        try:
            self._file.write(gathered)
        except OSError as error:
            self._fail(error)

    def close(self) -> bool:
        """Put the last lines on the disk. True if all lines of the record are there then."""
        self.flush()
        atexit.unregister(self.flush)
        file, self._file = self._file, None
        if file is None:
            return False
        try:
            file.close()
        except OSError as error:
            self.on_error(error)
            return False
        return True

    def _flush_at_exit(self) -> None:
        """A second Ctrl-C ends the loop, and the timer with it: the last lines are written then.

        It is asked for once. CPython's list of such functions may not shrink: if each flush asked
        anew, it would grow in a crawl of weeks. Before the first line nobody asks, as a crawl that
        never begins is never closed.
        """
        if not self._flushes_at_exit:
            self._flushes_at_exit = True
            atexit.register(self.flush)

    def _chained(self, kind: str, text: str) -> bytes:
        """The next line of the chain."""
        line, self.hash = sealed(kind, self.hash, text)
        self.lines += 1
        return line

    def _fail(self, error: OSError) -> None:
        atexit.unregister(self.flush)
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # it is known that nothing can be written
                file.close()
        self.on_error(error)
