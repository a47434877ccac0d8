"""The store that outlives the process: one SQLite file, shared by all crawls of a machine.

The file is in WAL mode: readers are never held up by writers, and what was written is whole
whenever a process is killed. A get takes the event loop's thread for some 30 microseconds, a put
for 80, most of it to pack; one put in a hundred takes some milliseconds, when SQLite moves its log
into the file. Where another process holds the lock, a call is made again while the crawl goes on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from .. import compat
from ..core.codec import EntryError, decode, encode
from ..rep.access import CacheEntry
from .protocol import KEPT

Result = TypeVar("Result")

SCHEMA = 1
APPLICATION = 0x726F626F  # "robo": tells our files from those of others
LOCKED_CALL = 0.02  # seconds that one call may wait for a lock; the whole crawl waits meanwhile
LOCKED_WAITS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8)  # between calls, while the crawl goes on
SWEEP_EVERY = 10  # entries put
SWEPT_AT_ONCE = 2 * SWEEP_EVERY  # all that a month has left would take seconds

_CREATE = (
    "CREATE TABLE records (origin TEXT PRIMARY KEY, asked_at REAL NOT NULL, frame BLOB NOT NULL)",
    "CREATE INDEX records_by_age ON records (asked_at)",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {SCHEMA}",
)
_SWEEP = "DELETE FROM records WHERE rowid IN (SELECT rowid FROM records WHERE asked_at < ? LIMIT ?)"
# The outer query reads the row itself. The index alone may lead to the row of another origin, where
# the file is damaged.
_GET = """
SELECT origin, frame FROM records WHERE rowid = (SELECT rowid FROM records WHERE origin = ?)
"""
_PUT = "INSERT OR REPLACE INTO records (origin, asked_at, frame) VALUES (?, ?, ?)"


class SqliteStore:
    """Entries as packed frames, by origin. The file is opened when it is first asked for.

    Everything raises sqlite3.Error or OSError where the file cannot be used, and ValueError where
    it is none of ours; the next call tries anew.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()  # where it stays, should the process change its folder
        self._opened: sqlite3.Connection | None = None
        self._until_sweep = 0

    async def get(self, origin: str) -> CacheEntry | None:
        frame = await self._patiently(lambda: _frame(self._connection(), origin))
        return None if frame is None else decode(frame)

    async def put(self, origin: str, entry: CacheEntry) -> None:
        frame = encode(entry)

        def insert() -> None:
            connection = self._connection()
            self._sweep(connection, entry.asked_at)
            connection.execute(_PUT, (origin, entry.asked_at, frame))

        await self._patiently(insert)

    async def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    async def _patiently(self, work: Callable[[], Result]) -> Result:
        """Do some work, again and again for about two seconds while others hold the lock."""
        for wait in LOCKED_WAITS:
            try:
                return work()
            except sqlite3.OperationalError as error:
                if not _is_locked(error):
                    raise
            await compat.sleep(wait)
        return work()

    def _connection(self) -> sqlite3.Connection:
        if self._opened is None:
            self._opened = _open(self.path)
        return self._opened

    def _sweep(self, connection: sqlite3.Connection, now: float) -> None:
        """Let some old entries go, now and then: no clock is needed, a new entry tells the time."""
        if self._until_sweep == 0:
            connection.execute(_SWEEP, (now - KEPT, SWEPT_AT_ONCE))
            self._until_sweep = SWEEP_EVERY
        self._until_sweep -= 1


def _frame(connection: sqlite3.Connection, origin: str) -> bytes | None:
    row: tuple[str, bytes] | None = connection.execute(_GET, (origin,)).fetchone()
    if row is None:
        return None
    owner, frame = row
    if owner != origin:
        raise EntryError(f"the row of {origin} is that of another origin: the file is damaged")
    return frame


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=LOCKED_CALL, isolation_level=None)
    try:
        connection.execute("BEGIN")  # so that all that is looked at is of one moment
        ours = _is_ours(connection, path)
        connection.execute("COMMIT")
        if not ours:
            _create(connection, path)
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _is_ours(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the tables are there; ValueError where others are."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    schema = connection.execute("PRAGMA user_version").fetchone()[0]
    if (application, schema) == (APPLICATION, SCHEMA):
        return True
    if application == APPLICATION:
        raise ValueError(
            f"{path} is a store of schema {schema}; this version reads schema {SCHEMA}"
        )
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise ValueError(f"{path} is a database of something else")
    return False


def _create(connection: sqlite3.Connection, path: Path) -> None:
    # The answer is a row. No transaction ends while it is open, and PyPy closes it at some time.
    connection.execute("PRAGMA journal_mode = WAL").close()
    connection.execute("BEGIN IMMEDIATE")
    if not _is_ours(connection, path):  # another process may have been faster
        for statement in _CREATE:
            connection.execute(statement)
    connection.execute("COMMIT")


def _is_locked(error: sqlite3.OperationalError) -> bool:
    # `sqlite_errorcode` is new in Python 3.11
    return "locked" in str(error)
