"""What must be true of the SQLite store beside the contract: crashes, locks, other processes."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from scrapy_robots_policy import compat
from scrapy_robots_policy.rep import CacheEntry, FetchResult
from scrapy_robots_policy.rep.access_policy import DAY
from scrapy_robots_policy.stores import EntryError, GuardedStore, open_store, sqlite
from tests.on_reactor import on_reactor
from tests.stores.members import Events
from tests.stores.worker import OCTETS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
ORIGIN = "https://example.com"
NOW = 2_000_000_000.0
RECORD = CacheEntry(FetchResult(200), NOW, b"User-agent: *\n", NOW)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "robots.sqlite"


def worker(path, name, count):
    command = [sys.executable, "-m", "tests.stores.worker", f"sqlite:{path}", name, str(count)]
    return subprocess.Popen(command, cwd=ROOT, text=True, stdout=-1, stderr=-1)


def kept(path):
    """The file's origins, once it has been found whole."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {origin for (origin,) in connection.execute("SELECT origin FROM records")}


@on_reactor
async def test_an_entry_is_there_after_the_store_was_closed(path):
    first, second = sqlite.SqliteStore(path), sqlite.SqliteStore(path)
    await first.put(ORIGIN, RECORD)
    await first.close()
    assert await second.get(ORIGIN) == RECORD
    await second.close()


class KeepingCursors(sqlite3.Connection):
    """Frees no cursor. PyPy frees them at some time, CPython as soon as nobody uses them."""

    def execute(self, *args):
        cursor = super().execute(*args)
        vars(self).setdefault("cursors", []).append(cursor)
        return cursor


@on_reactor
async def test_a_new_file_needs_no_cursor_to_be_freed(path, monkeypatch):
    connect = partial(sqlite3.connect, factory=KeepingCursors)
    monkeypatch.setattr(sqlite.sqlite3, "connect", connect)
    store = sqlite.SqliteStore(path)
    await store.put(ORIGIN, RECORD)
    assert await store.get(ORIGIN) == RECORD
    await store.close()


@on_reactor
async def test_the_file_is_opened_at_the_first_call(path):
    store = open_store(f"sqlite:{path}")
    assert not path.parent.exists()
    assert await store.get(ORIGIN) is None
    assert path.exists()
    await store.close()


def test_by_default_the_file_is_in_the_data_folder_of_the_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert open_store("sqlite:").store.path == tmp_path / ".scrapy" / "robots.sqlite"
    inside = tmp_path / "project" / "package"
    inside.mkdir(parents=True)
    (tmp_path / "project" / "scrapy.cfg").write_text("[settings]\n")
    monkeypatch.chdir(inside)
    assert open_store("sqlite:").store.path == tmp_path / "project" / ".scrapy" / "robots.sqlite"
    assert open_store("sqlite:~/r").store.path == Path.home() / "r"


@pytest.mark.parametrize("path", ["C:/crawls/r", "/C:/crawls/r", "///c:/crawls/r", "////C:/r"])
def test_a_drive_of_windows_may_stand_behind_the_slashes_of_a_uri(monkeypatch, path):
    monkeypatch.setattr("sys.platform", "win32")
    assert open_store(f"sqlite:{path}").store.path == Path(path.lstrip("/")).absolute()


@pytest.mark.parametrize("path", ["//server/share/r", "/robots", "///robots", "C:r"])
def test_other_paths_keep_their_slashes_on_windows(monkeypatch, path):
    monkeypatch.setattr("sys.platform", "win32")
    assert open_store(f"sqlite:{path}").store.path == Path(path).absolute()


def test_a_project_that_was_deployed_as_an_egg_has_its_file_where_the_crawl_starts(
    tmp_path, monkeypatch
):
    """It has settings and no scrapy.cfg. Scrapy would crawl on without robots.txt there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "scrapy.settings.default_settings")
    assert open_store("sqlite:").store.path == tmp_path / ".scrapy" / "robots.sqlite"


def test_ten_processes_share_a_file_without_a_fault(path):
    workers = [worker(path, f"w{number}", 100) for number in range(10)]
    answers = [process.communicate(timeout=200) for process in workers]
    assert [process.returncode for process in workers] == [0] * 10, answers
    assert [errors for _, errors in answers] == [""] * 10
    assert kept(path) == {f"https://w{w}-{n}.example" for w in range(10) for n in range(100)}


@on_reactor
async def test_a_file_that_another_process_made_meanwhile_is_used(path, monkeypatch):
    """Both have seen that the file is empty; the other one is faster."""
    create, faster, slower = sqlite._create, sqlite.SqliteStore(path), sqlite.SqliteStore(path)

    def create_too_late(connection, path):
        monkeypatch.setattr(sqlite, "_create", create)
        faster._connection()
        create(connection, path)

    monkeypatch.setattr(sqlite, "_create", create_too_late)
    await slower.put(ORIGIN, RECORD)
    assert await faster.get(ORIGIN) == RECORD
    await slower.close()
    await faster.close()


@on_reactor
async def test_entries_are_whole_after_kill_9(path):
    process = worker(path, "w", 1_000_000)
    printed = [process.stdout.readline().strip() for _ in range(50)]
    process.kill()
    rest, _ = process.communicate(timeout=120)
    printed += rest.splitlines()  # whole lines only: one write each
    assert set(printed) <= kept(path)
    store = sqlite.SqliteStore(path)
    assert (await store.get(printed[-1])).octets == OCTETS
    await store.put(ORIGIN, RECORD)
    await store.close()


@on_reactor
async def test_old_entries_are_deleted(path):
    store = sqlite.SqliteStore(path)
    for age in (31, 29, 0):
        await store.put(f"{ORIGIN}:{age}", replace(RECORD, asked_at=NOW - age * DAY))
    await store.close()
    later = sqlite.SqliteStore(path)
    await later.put(ORIGIN, RECORD)
    await later.close()
    assert kept(path) == {ORIGIN, f"{ORIGIN}:29", f"{ORIGIN}:0"}


@on_reactor
async def test_a_long_crawl_deletes_old_entries_too(path):
    store = sqlite.SqliteStore(path)
    await store.put(ORIGIN, replace(RECORD, asked_at=NOW - 31 * DAY))
    for number in range(sqlite.SWEEP_EVERY):
        await store.put(f"{ORIGIN}:{number}", RECORD)
    await store.close()
    assert ORIGIN not in kept(path)


@on_reactor
async def test_what_a_month_has_left_is_deleted_by_and_by(path):
    """All of it at once would hold up the crawl, and lock out others, for seconds."""
    store = sqlite.SqliteStore(path)
    for number in range(100):
        await store.put(f"{ORIGIN}:{number}", replace(RECORD, asked_at=NOW - 31 * DAY))
    await store.close()
    later = sqlite.SqliteStore(path)
    await later.put(ORIGIN, RECORD)
    assert len(kept(path)) > 1 + 100 // 2
    for _ in range(100 * sqlite.SWEEP_EVERY // sqlite.SWEPT_AT_ONCE):
        await later.put(ORIGIN, RECORD)
    await later.close()
    assert kept(path) == {ORIGIN}


@on_reactor
async def test_to_find_old_entries_the_file_is_not_read_whole(path):
    """With a million entries the crawl would stand still for a second, at each tenth put."""
    store = sqlite.SqliteStore(path)
    await store.put(ORIGIN, RECORD)
    plan = store._connection().execute(f"EXPLAIN QUERY PLAN {sqlite._SWEEP}", (NOW, 1)).fetchall()
    await store.close()
    steps = [row[-1] for row in plan]
    assert any("records_by_age" in step for step in steps), steps
    assert not any(step.startswith("SCAN") for step in steps), steps


@on_reactor
async def test_a_reader_does_not_wait_for_a_writer(path):
    store = sqlite.SqliteStore(path)
    await store.put(ORIGIN, RECORD)
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert await store.get(ORIGIN) == RECORD
    await store.close()


@on_reactor
async def test_the_crawl_goes_on_while_the_store_waits_for_a_lock(path):
    store = sqlite.SqliteStore(path)
    await store.put(ORIGIN, RECORD)
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        compat.call_later(0.1, other.rollback)  # on the loop that a wait must not hold
        await store.put(f"{ORIGIN}:1", RECORD)
    assert await store.get(f"{ORIGIN}:1") == RECORD
    await store.close()


@on_reactor
async def test_a_lock_that_is_never_released_is_an_error(path, monkeypatch):
    monkeypatch.setattr(sqlite, "LOCKED_WAITS", (0.01,))
    store = sqlite.SqliteStore(path)
    await store.put(ORIGIN, RECORD)
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            await store.put(ORIGIN, RECORD)
    await store.close()


@on_reactor
async def test_a_file_that_stays_locked_is_not_used_for_a_while(path, monkeypatch):
    monkeypatch.setattr(sqlite, "LOCKED_WAITS", (0.01,))
    events = Events()
    store = GuardedStore(sqlite.SqliteStore(path), events, now=events.now)
    await store.put(ORIGIN, RECORD)
    tries = []
    connect = sqlite.SqliteStore._connection
    monkeypatch.setattr(
        sqlite.SqliteStore, "_connection", lambda self: tries.append(1) or connect(self)
    )
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        for _ in range(10):  # each try blocks the event loop until SQLite gives up
            await store.put(ORIGIN, RECORD)
    assert isinstance(open_store(f"sqlite:{path}"), GuardedStore)
    assert len(tries) == 2
    assert len(events.failed) == 1
    await store.close()


def spoil(path, sql):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(sql)


UNUSABLE = {
    "no_database": (lambda p: p.write_bytes(b"rubbish" * 1000), "not a database"),
    "a_folder": (lambda p: p.mkdir(), "unable to open"),
    "of_something_else": (lambda p: spoil(p, "CREATE TABLE t (a)"), "database of something else"),
    "of_something_else_with_our_number": (
        lambda p: spoil(p, f"CREATE TABLE records (a); PRAGMA user_version={sqlite.SCHEMA}"),
        "database of something else",
    ),
    "of_another_schema": (
        lambda p: spoil(p, f"PRAGMA application_id={sqlite.APPLICATION}; PRAGMA user_version=9"),
        "a store of schema 9; this version reads schema 1",
    ),
}


@pytest.mark.parametrize("kind", UNUSABLE)
@on_reactor
async def test_a_file_that_cannot_be_used_is_an_error_and_stays_unchanged(path, kind):
    make, words = UNUSABLE[kind]
    path.parent.mkdir()
    make(path)
    before = path.is_dir() or path.read_bytes()
    store = sqlite.SqliteStore(path)
    with pytest.raises((sqlite3.Error, ValueError), match=words):
        await store.get(ORIGIN)
    with pytest.raises((sqlite3.Error, ValueError), match=words):
        await store.put(ORIGIN, RECORD)
    await store.close()
    assert (path.is_dir() or path.read_bytes()) == before


@on_reactor
async def test_no_connection_is_left_to_a_file_that_cannot_be_used(path, monkeypatch):
    """The store tries anew for each site: each try would leave an open file."""
    path.parent.mkdir()
    UNUSABLE["of_something_else"][0](path)
    connections, connect = [], sqlite3.connect

    def connected(*arguments, **options):
        connections.append(connect(*arguments, **options))
        return connections[-1]

    monkeypatch.setattr(sqlite3, "connect", connected)
    with pytest.raises(ValueError, match="something else"):
        await sqlite.SqliteStore(path).get(ORIGIN)
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connections[0].execute("SELECT 1")


@on_reactor
async def test_a_damaged_file_is_an_error(path):
    store = sqlite.SqliteStore(path)
    for number in range(100):
        await store.put(f"{ORIGIN}:{number}", replace(RECORD, octets=os.urandom(2000)))
    await store.close()
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))
    with pytest.raises(sqlite3.DatabaseError):
        await store.get(f"{ORIGIN}:1")
    await store.close()


@on_reactor
async def test_a_damaged_index_gives_no_entry_of_another_origin(path):
    """One octet on the disk: the entry is whole, and SQLite reports nothing."""
    store = sqlite.SqliteStore(path)
    await store.put(f"{ORIGIN}:1", RECORD)
    await store.put(f"{ORIGIN}:2", RECORD)
    await store.close()
    octets = path.read_bytes()
    in_index = f"{ORIGIN}:2\2".encode()  # there the number of the row stands behind the origin
    assert octets.count(in_index) == 1
    path.write_bytes(octets.replace(in_index, f"{ORIGIN}:3\2".encode()))
    with pytest.raises(EntryError, match="of another origin"):
        await store.get(f"{ORIGIN}:3")
    await store.close()


@on_reactor
async def test_a_damaged_entry_is_an_error_and_can_be_replaced(path):
    store = sqlite.SqliteStore(path)
    await store.put(ORIGIN, RECORD)
    spoil(path, "UPDATE records SET frame = substr(frame, 1, 20)")
    with pytest.raises(ValueError, match="entry"):
        await store.get(ORIGIN)
    await store.put(ORIGIN, RECORD)
    assert await store.get(ORIGIN) == RECORD
    await store.close()


LIMITS = {
    "full": ("PRAGMA max_page_count = 6", "full"),
    "read_only": ("PRAGMA query_only = ON", "readonly"),
}


@pytest.mark.parametrize("kind", LIMITS)
@on_reactor
async def test_a_full_or_read_only_file_can_still_be_read(path, kind):
    pragma, words = LIMITS[kind]
    store = sqlite.SqliteStore(path)
    await store.put(ORIGIN, RECORD)
    store._connection().execute(pragma)
    with pytest.raises(sqlite3.OperationalError, match=words):
        await store.put(ORIGIN, replace(RECORD, octets=os.urandom(100_000)))
    assert await store.get(ORIGIN) == RECORD
    await store.close()


GONE = {
    "deleted": lambda path, _: path.unlink(),
    "replaced": lambda path, copy: copy.replace(path),
    "deleted with its folder": lambda path, _: shutil.rmtree(path.parent),
}


@pytest.mark.parametrize("verb", ["get", "put"])
@pytest.mark.parametrize("kind", GONE)
@on_reactor
async def test_a_file_that_is_gone_in_mid_crawl_is_an_error_once_and_is_made_anew(path, kind, verb):
    store, copy = sqlite.SqliteStore(path), path.parent.with_name("copy")
    await store.put(ORIGIN, RECORD)
    await store.close()
    shutil.copy(path, copy)
    await store.put(ORIGIN, RECORD)
    GONE[kind](path, copy)
    arguments = {"get": (), "put": (RECORD,)}[verb]
    with pytest.raises(FileNotFoundError, match="was deleted or replaced"):
        await getattr(store, verb)(ORIGIN, *arguments)
    await store.put(f"{ORIGIN}:1", RECORD)
    await store.close()
    assert f"{ORIGIN}:1" in kept(path)


@on_reactor
async def test_a_file_stays_open_where_the_process_changes_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = sqlite.SqliteStore(Path("robots.sqlite"))
    await store.put(ORIGIN, RECORD)
    monkeypatch.chdir("/")
    assert await store.get(ORIGIN) == RECORD
    await store.close()


@pytest.mark.parametrize("is_at_rest", [True, False])
@on_reactor
async def test_a_file_beside_which_no_other_can_be_made_is_read_if_all_is_in_it(path, is_at_rest):
    """So it is on a disk that is read-only, or that is full before the file is opened."""
    store = sqlite.SqliteStore(path)
    await store.put(ORIGIN, RECORD)
    if is_at_rest:
        await store.close()  # else its log has what was put
    copies = shutil.copytree(path.parent, path.parent.with_name("copies"))
    (copies / f"{path.name}-shm").unlink(missing_ok=True)
    (copies / f"{path.name}-shm").symlink_to("none/such")
    copy = sqlite.SqliteStore(copies / path.name)
    with nullcontext() if is_at_rest else pytest.raises(sqlite3.OperationalError, match="open"):
        assert await copy.get(ORIGIN) == RECORD
        assert await copy.get(f"{ORIGIN}:8080") is None
    with pytest.raises(sqlite3.OperationalError, match="open"):
        await copy.put(ORIGIN, RECORD)
    await store.close()
