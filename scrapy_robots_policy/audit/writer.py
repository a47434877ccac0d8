"""Writes lines in a chain: gathers them for less than a second, goes on in a new file when full.

Each file of a crawl can be read by itself. It begins with the line of the crawl, and what later
lines refer to is written again in it: `on_new_file` says that all this is to be written anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from .chain import START, sealed
from .log_file import LogFile

FLUSH_AFTER = 0.5  # seconds; a line is on the disk within one second
MAX_GATHERED = 256 * 1024  # octets
MAX_UNSEALED = 100  # lines; many at a time cost less than one now and then, as caches are warm

CallLater = Callable[[float, Callable[[], object]], Callable[[], None]]


class Writer:
    """The files of one crawl in one process.

    max_octets   the size on the disk from which on a new file is begun; 0: never
    call_later   calls a function after some seconds; what it gives cancels that
    on_new_file  called before the first line of each file but the first
    on_error     called once, with the OSError. After it nothing is written any more
    lines, hash  how many lines were flushed, and the hash of the latest
    """

    def __init__(
        self,
        path: Path,
        max_octets: int,
        call_later: CallLater,
        on_new_file: Callable[[], None],
        on_error: Callable[[OSError], None],
    ) -> None:
        """OSError where the file cannot be made."""
        self._wanted, self.max_octets, self.call_later = path, max_octets, call_later
        self.on_new_file, self.on_error = on_new_file, on_error
        self._file: LogFile | None = LogFile(path)
        self.paths = [self._file.path]
        self.lines, self.hash = 0, START
        self._unsealed: list[tuple[str, Mapping[str, Any]]] = []
        self._gathered: list[bytes] = []
        self._size = 0
        self._stop_timer: Callable[[], None] | None = None

    @property
    def is_open(self) -> bool:
        return self._file is not None

    def write(self, kind: str, fields: Mapping[str, Any]) -> None:
        """Add a line. It is on the disk within a second, as long as the event loop runs."""
        if self._file is None:
            return
        self._unsealed.append((kind, fields))
        if len(self._unsealed) >= MAX_UNSEALED or "octets" in fields:  # those of a whole robots.txt
            self._seal()
        if self._size >= MAX_GATHERED:
            self.flush()
        elif self._stop_timer is None:
            self._stop_timer = self.call_later(FLUSH_AFTER, self._on_time)

    def write_now(self, kind: str, fields: Mapping[str, Any]) -> None:
        """Add a line, and write all lines through: needs no event loop."""
        self._unsealed.append((kind, fields))
        self.flush()

    def flush(self) -> None:
        if self._file is None:
            return
        self._seal()
        gathered = b"".join(self._gathered)
        self._gathered, self._size = [], 0
        if not gathered:
            return
        try:
            self._file.write(gathered)
        except OSError as error:
            self._fail(error)

    def _seal(self) -> None:
        """Chain the lines that were added."""
        for kind, fields in self._unsealed:
            line, self.hash = sealed(kind, self.hash, fields)
            self.lines += 1
            self._gathered.append(line)
            self._size += len(line)
        self._unsealed.clear()

    def make_room(self) -> None:
        """Go on in a new file if this one is full. Called between lines that belong together."""
        file = self._file
        if file is None or not self.max_octets or file.octets < self.max_octets:
            return
        self.write("continued", {})
        self.flush()
        if self._file is None:
            return  # the disk is full
        try:
            self._file.close()
            self._file = None
            self._file = LogFile(self._wanted)
        except OSError as error:
            self._fail(error)
            return
        self.paths.append(self._file.path)
        self.on_new_file()

    def close(self) -> None:
        self._cancel()
        self.flush()
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:
                self.on_error(error)

    def _on_time(self) -> None:
        self._stop_timer = None
        self.flush()

    def _cancel(self) -> None:
        if self._stop_timer is not None:
            self._stop_timer()
            self._stop_timer = None

    def _fail(self, error: OSError) -> None:
        self._cancel()
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # it is known that nothing can be written
                file.close()
        self.on_error(error)
