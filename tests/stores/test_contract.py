"""What is true of every store, whoever wrote it, and of the frames that stores keep."""

from __future__ import annotations

import random
import sqlite3
import zlib
from contextlib import closing, suppress
from dataclasses import fields, replace

import pytest
import pytest_twisted
from hypothesis import given
from hypothesis import strategies as st
from scrapy.utils.defer import deferred_from_coro

from scrapy_robots_policy.rep import CacheEntry, FetchResult
from scrapy_robots_policy.stores import (
    EntryError,
    MemoryStore,
    Store,
    decode,
    encode,
    open_store,
    retention,
)
from scrapy_robots_policy.stores.contract import check_contract
from tests.on_reactor import on_reactor
from tests.stores.entries import FULL, NO_FILE, ORIGIN, RECORDS
from tests.stores.own_store import FolderStore
from tests.traced_memory import tracing_memory

DAY = 86_400.0


def sqlite_file(request):
    return request.getfixturevalue("tmp_path") / "folder" / "robots.sqlite"


PLACES = {
    "memory": lambda _: "memory:",
    "sqlite": lambda request: f"sqlite:{sqlite_file(request)}",
    "redis": lambda request: request.getfixturevalue("redis").url,
    "own": lambda request: FolderStore(request.getfixturevalue("tmp_path")),  # of docs/stores.md
}
SHARED = [kind for kind in PLACES if kind != "memory"]


def closed_later(request, store):
    request.addfinalizer(lambda: pytest_twisted.blockon(deferred_from_coro(store.close())))
    return store


@pytest.fixture(params=SHARED)
def processes(request):
    """(the kind of a store that is shared, the same store twice, as two processes have it)."""
    stores = [open_store(PLACES[request.param](request)) for _ in range(2)]
    return request.param, *(closed_later(request, store) for store in stores)


@pytest.mark.parametrize("kind", PLACES)
@on_reactor
async def test_every_store_holds_to_the_contract(kind, request):
    def make():
        return open_store(PLACES[kind](request))

    assert isinstance(make(), Store)
    await check_contract(make, forgets=kind == "memory")


class Kept:
    """A store of a user's own that holds to the contract; the classes below do not."""

    def __init__(self):
        self.entries = {}

    def key(self, origin):
        return origin

    async def get(self, origin):
        return self.entries.get(self.key(origin))

    async def put(self, origin, entry):
        self.entries[self.key(origin)] = entry

    async def close(self):
        """Nothing to release."""


class Dirty(Kept):
    async def get(self, origin):
        return self.entries.get(origin, NO_FILE)


class FirstCounts(Kept):
    async def put(self, origin, entry):
        self.entries.setdefault(origin, entry)


class ByHost(Kept):
    def key(self, origin):
        return origin.rpartition("/")[2].partition(":")[0]


class Forgets(Kept):
    async def close(self):
        self.entries.clear()


@pytest.mark.parametrize(
    ("kind", "clause"),
    [
        (Dirty, "an origin that was never put has no entry"),
        (FirstCounts, "the last one counts"),
        (ByHost, "origins are kept apart"),
        (Forgets, "what was put is there after a new start"),
    ],
)
@on_reactor
async def test_the_contract_names_the_clause_that_a_store_breaks(kind, clause):
    kept = Kept()
    await check_contract(lambda: kept)
    store = kind()
    with pytest.raises(AssertionError, match=clause):
        await check_contract(lambda: store)


@on_reactor
async def test_a_second_process_sees_what_the_first_has_written(processes):
    _, one, other = processes
    await one.put(ORIGIN, FULL)
    assert await other.get(ORIGIN) == FULL
    await one.put("http://example.com", NO_FILE)
    await one.close()
    assert await other.get("http://example.com") == NO_FILE


def spoil_sqlite(request, value):
    with closing(sqlite3.connect(sqlite_file(request))) as connection, connection:
        connection.execute("UPDATE records SET frame = ?", (value,))


def spoil_redis(request, value):
    with request.getfixturevalue("redis").client() as client:
        client.set(f"robots:{{{ORIGIN}}}:record", value)


def spoil_own(request, value):
    for file in request.getfixturevalue("tmp_path").iterdir():
        file.write_bytes(value)


SPOIL = {"sqlite": spoil_sqlite, "redis": spoil_redis, "own": spoil_own}
FRAME = encode(FULL)
# What `decode` reads as a frame: the mark of its layout, and something packed.
MARK = FRAME[:1]
BROKEN = {
    "nothing": b"",
    "rubbish": b"rubbish",
    "marked rubbish": MARK + b"rubbish",
    "another layout": b"\x02" + FRAME[1:],
    "cut": FRAME[:-1],
    "cut short": FRAME[:20],
    "more behind it": FRAME + b"x",
    "no JSON": MARK + zlib.compress(b"{\n"),
    "a list": MARK + zlib.compress(b"[]\n"),
    "too deep": MARK + zlib.compress(b"[" * 500_000 + b"\n"),
    "other fields": MARK + zlib.compress(b'{"latest": "x", "more": 1}\n'),
    "not UTF-8": MARK + zlib.compress(b"\xff\n"),
    "too long": MARK + bytes(13 * 2**20),
    "a bomb": MARK + zlib.compress(bytes(48 * 2**20), 1),
}


@pytest.mark.parametrize("value", ["rubbish", "cut", "too long", "a bomb"])
@on_reactor
async def test_nonsense_in_a_store_is_a_miss_and_can_be_replaced(processes, value, request):
    kind, one, other = processes
    await one.put(ORIGIN, FULL)
    SPOIL[kind](request, BROKEN[value])
    assert await other.get(ORIGIN) is None
    await other.put(ORIGIN, NO_FILE)
    assert await other.get(ORIGIN) == NO_FILE


KEPT = {"full": 30, "empty file": 30, "no file": 14, "outage": 30, "outage since the epoch": 30}


@pytest.mark.parametrize("name", KEPT)
def test_an_entry_is_kept_for_so_many_days(name):
    assert retention(RECORDS[name]) == KEPT[name] * DAY


@on_reactor
async def test_a_redis_lets_an_entry_go_when_it_is_of_no_more_use(redis):
    store = open_store(redis.url)
    with redis.client() as client:
        for name, days in KEPT.items():
            await store.put(name, RECORDS[name])
            left = client.ttl(f"robots:{{{name}}}:record")
            assert days * DAY - 120 < left <= days * DAY
    await store.close()


@on_reactor
async def test_a_file_lets_old_entries_go_some_at_a_time(tmp_path):
    """All of them at once would hold up the crawl, and lock out others, for seconds."""
    path, now = tmp_path / "robots.sqlite", 2_000_000_000.0

    def kept():
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute("SELECT count(*) FROM records").fetchone()[0]

    store = open_store(f"sqlite:{path}")
    for number in range(100):
        await store.put(f"{ORIGIN}:{number}", replace(FULL, asked_at=now - 31 * DAY))
    await store.put("http://young", replace(FULL, asked_at=now - 29 * DAY))
    for _ in range(20):
        await store.put(ORIGIN, replace(FULL, asked_at=now))
    assert 2 < kept() < 102
    for _ in range(100):
        await store.put(ORIGIN, replace(FULL, asked_at=now))
    assert kept() == 2
    assert await store.get("http://young") is not None
    await store.close()


@on_reactor
async def test_memory_drops_the_least_recently_used_entry():
    store = MemoryStore(max_entries=2)
    await store.put("http://a", FULL)
    await store.put("http://b", FULL)
    await store.get("http://a")
    await store.put("http://c", FULL)
    found = [await store.get(f"http://{name}") for name in "abc"]
    assert found == [FULL, None, FULL]


@on_reactor
async def test_memory_keeps_to_its_limit_of_bytes_and_always_keeps_the_newest_entry():
    store = MemoryStore(max_bytes=10_000)
    noise = random.Random(1)
    for _ in range(10):
        for number in range(20):
            await store.put(f"http://{number}", replace(FULL, body=noise.randbytes(900)))
    kept = [number for number in range(20) if await store.get(f"http://{number}")]
    assert 5 <= len(kept) <= 10
    assert kept == [*range(kept[0], 20)]
    await store.put(ORIGIN, replace(FULL, body=noise.randbytes(20_000)))
    assert await store.get(ORIGIN) is not None
    assert await store.get("http://19") is None


class Gives:
    """A store of a user's own that gives `value` for every origin."""

    value: object = None

    async def get(self, _origin):
        return self.value

    async def put(self, _origin, _entry):
        """Keeps nothing."""

    async def close(self):
        """Nothing to release."""


TIMES = ["soon", True, [], 1e15, -1e15, float("nan"), float("inf"), 10**400]
DATES = [*TIMES, -0.1, 2.6e11]
COUNTS = ["1", True, 1.0, -1, 2**63, None]
TEXTS = [1, None, b"x", ["x"]]
# What may not stand in an entry: a store may be shared, and hold anything.
WRONG = {
    "asked_at": [*DATES, None],
    "fetched_at": [*DATES, None],
    "failing_since": DATES,
    "failures": COUNTS,
    "unreachable_since": DATES,
    "body": ["Disallow: /", 1],
    "status": ["200", True, 200.0, -1, 1000],
    "cause": TEXTS,
    "media_type": TEXTS,
    "lifetime": TIMES,
    "retry_after": TIMES,
    "etag": TEXTS,
    "last_modified": TEXTS,
    "hops": [["x"], "x", (1,), None],
    "is_cut": [0, 1, "no", None],
    "site_answers": [0, 1, "no"],
    "latest": [None, "x", {}],
}
OF_ENTRY = {field.name for field in fields(CacheEntry)}
OF_RESULT = {field.name for field in fields(FetchResult)}


@pytest.mark.parametrize("name", sorted(OF_ENTRY | OF_RESULT))
@on_reactor
async def test_an_entry_with_a_wrong_fact_is_a_miss_and_the_store_is_used_on(name):
    given = Gives()
    store = open_store(given)
    for value in WRONG[name]:
        entries = [replace(FULL, **{name: value})] if name in OF_ENTRY else []
        if name in OF_RESULT:
            entries.append(replace(FULL, latest=replace(FULL.latest, **{name: value})))
        for given.value in ("no entry", *entries):
            assert await store.get(ORIGIN) is None, given.value
    given.value = FULL
    assert await store.get(ORIGIN) == FULL


@pytest.mark.slow
@given(
    st.builds(
        CacheEntry,
        latest=st.builds(
            FetchResult,
            st.none() | st.integers(100, 599),
            body=st.just(b""),
            cause=st.text(),
            etag=st.text(),
            hops=st.lists(st.text()).map(tuple),
            is_cut=st.booleans(),
        ),
        asked_at=st.floats(0, 1e11),
        body=st.none() | st.binary(),
        fetched_at=st.floats(0, 1e11),
        failing_since=st.none() | st.floats(0, 1e11),
        failures=st.integers(0, 1000),
        unreachable_since=st.none() | st.floats(0, 1e11),
    )
)
def test_decode_undoes_encode(entry):
    assert decode(encode(entry)) == entry


@pytest.mark.slow
def test_the_largest_file_fits_even_if_it_cannot_be_compressed():
    entry = replace(FULL, body=random.Random(1).randbytes(4 * 2**20))
    assert decode(encode(entry)) == entry


@pytest.mark.parametrize("kind", BROKEN)
def test_decode_of_anything_else_is_an_entry_error_of_one_short_line(kind):
    with pytest.raises(EntryError) as error:
        decode(BROKEN[kind])
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.slow
def test_what_would_unpack_to_too_many_bytes_is_not_unpacked():
    with tracing_memory() as memory:
        with pytest.raises(EntryError):
            decode(BROKEN["a bomb"])
        _, peak = memory()
    assert peak < 40 * 2**20


@pytest.mark.slow
@given(st.integers(1, len(FRAME) - 1), st.integers(1, 255))
def test_a_damaged_frame_never_gives_another_entry(place, damage):
    frame = bytearray(FRAME)
    frame[place] ^= damage
    with suppress(EntryError):
        # Some damage does none: what is repeated may be taken from more places than one.
        assert decode(bytes(frame)) == FULL
