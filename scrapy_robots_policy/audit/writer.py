"""Writes lines in a chain: gathers them for less than a second, goes on in a new file when full.

Each file of a crawl can be read by itself. It begins with the line of the crawl, and what later
lines refer to is written again in it. The line of the crawl is on the disk at once: a crawl may be
killed at any time, and a file without a line is no record.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from weakref import finalize

from ..compat import CallLater
from .chain import START, sealed
from .log_file import LogFile

MAX_GATHERED = 256 * 1024  # octets
FLUSH_AFTER = 0.5  # seconds; a line is on the disk within one second


class Writer:
    """The files of one crawl in one process.

    max_octets   the size on the disk from which on a new file is begun; 0: never
    on_new_file  called for each file but the first; gives the fields of its line of the crawl
    on_error     called once, with the OSError. After it nothing is written any more
    call_later   calls a function after some seconds; what it gives cancels that
    lines, hash  how many lines there are, and the hash of the latest
    """

    def __init__(
        self,
        path: Path,
        max_octets: int,
        on_new_file: Callable[[], str],
        on_error: Callable[[OSError], None],
        call_later: CallLater,
    ) -> None:
        """OSError where the file cannot be made."""
        self._wanted, self.max_octets = path, max_octets
        self.on_new_file, self.on_error, self.call_later = on_new_file, on_error, call_later
        self._file: LogFile | None = LogFile(path)
        self.paths = [self._file.path]
        self.lines, self.hash = 0, START
        self._gathered: list[bytes] = []
        self._size = 0
        self._octets_at_begin = 0  # of the present file, with the line of the crawl alone
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
        self._begin_file(crawl)
        assert self._file is not None  # it was written to
        self._undo = finalize(self, self._file.discard)

    def keep(self) -> None:
        """Keep the file whatever happens: the crawl has begun."""
        if self._undo is not None:
            self._undo.detach()

    def _begin_file(self, crawl: str) -> None:
        assert self._file is not None  # it has just been made
        try:
            self._file.write(self._chained("crawl", crawl))
        except OSError:
            self._file.discard()
            raise
        self._octets_at_begin = self._file.octets

    def write(self, kind: str, text: str) -> None:
        """Add a line to those that the next flush puts on the disk, within a second.

        text  its fields, as `members` gives them
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

    def make_room(self) -> None:
        """Go on in a new file if this one is full. Called between lines that belong together.

        The line of the crawl alone fills no file: a long one would have each request begin a file.
        """
        file = self._file
        if file is None or not self.max_octets or file.octets < self.max_octets:
            return
        if file.octets == self._octets_at_begin:
            return
        self.write("continued", "")
        self.flush()
        if self._file is None:
            return  # the disk is full
        self._file = None
        try:
            file.close()
            self._file = LogFile(self._wanted, file.number + 1)
            self._begin_file(self.on_new_file())
        except OSError as error:
            self._fail(error)
            return
        self.paths.append(self._file.path)

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
