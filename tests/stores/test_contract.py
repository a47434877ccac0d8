"""What must be true of every store, and of the frames that all of them keep."""

from __future__ import annotations

import json
import random
import zlib
from dataclasses import fields, replace
from typing import Any

import pytest
import pytest_twisted
from hypothesis import given
from hypothesis import strategies as st
from scrapy.utils.defer import deferred_from_coro

from scrapy_robots_policy.fetch.order import MAX_OCTETS
from scrapy_robots_policy.rep import AccessPolicy, CacheEntry, FetchResult, judge
from scrapy_robots_policy.stores import (
    EntryError,
    MemoryStore,
    Store,
    codec,
    open_store,
    without_secrets,
)
from scrapy_robots_policy.stores.codec import checked, decode, encode
from tests.on_reactor import on_reactor
from tests.stores.own_store import FolderStore
from tests.traced_memory import tracing_memory

ORIGIN = "https://example.com"
FULL = CacheEntry(
    FetchResult(
        200,
        media_type="text/plain",
        lifetime=60.0,
        retry_after=3.5,
        etag='W/"1"',
        last_modified="Fri, 20 Nov 2026 00:00:00 GMT",
        hops=("https://www.example.com/robots.txt",),
        site_answers=True,
    ),
    asked_at=2000.5,
    octets=b"User-agent: *\nDisallow: /\xff\x00\n",
    fetched_at=1000.25,
)
RECORDS = {
    "full": FULL,
    "empty_file": replace(FULL, octets=b""),
    "no_file": CacheEntry(FetchResult(404), 1.0),
    "failing": CacheEntry(
        FetchResult(None, cause="timeout"), 9.0, b"#", 1.0, failing_since=2.0, failures=3
    ),
    "failing_after_429": CacheEntry(
        FetchResult(503), 9.0, b"#", 1.0, failing_since=2.0, failures=3, unreachable_since=0.0
    ),
}


PLACES = {
    "memory": lambda _: "memory:",
    "sqlite": lambda request: f"sqlite:{request.getfixturevalue('tmp_path') / 'r'}",
    "redis": lambda request: request.getfixturevalue("redis").url,
    "own": lambda request: FolderStore(request.getfixturevalue("tmp_path")),  # of docs/stores.md
}


@pytest.fixture(params=PLACES)
def store(request):
    opened = open_store(PLACES[request.param](request))
    yield opened
    pytest_twisted.blockon(deferred_from_coro(opened.close()))


def test_a_store_fulfils_the_protocol(store):
    assert isinstance(store, Store)


@on_reactor
async def test_an_unknown_origin_has_no_entry(store):
    assert await store.get(ORIGIN) is None


@pytest.mark.parametrize("name", RECORDS)
@on_reactor
async def test_an_entry_is_read_as_it_was_written(store, name):
    await store.put(ORIGIN, RECORDS[name])
    assert await store.get(ORIGIN) == RECORDS[name]


@on_reactor
async def test_the_last_entry_counts_and_origins_are_kept_apart(store):
    await store.put(ORIGIN, RECORDS["no_file"])
    await store.put(ORIGIN, FULL)
    await store.put("http://example.com", RECORDS["failing"])
    assert await store.get(ORIGIN) == FULL
    assert await store.get("http://example.com") == RECORDS["failing"]


@pytest.mark.parametrize("octets", [b"", bytes(range(256)) * 2048], ids=["empty", "512 KiB"])
@on_reactor
async def test_any_octets_of_any_length_are_kept(store, octets):
    await store.put(ORIGIN, replace(FULL, octets=octets))
    assert (await store.get(ORIGIN)).octets == octets


@on_reactor
async def test_a_store_may_be_closed_twice(store):
    await store.put(ORIGIN, FULL)
    await store.close()
    await store.close()


@pytest.mark.slow
@given(
    st.builds(
        CacheEntry,
        latest=st.builds(
            FetchResult,
            st.none() | st.integers(100, 599),
            octets=st.just(b""),
            cause=st.text(),
            etag=st.text(),
            hops=st.lists(st.text()).map(tuple),
            is_cut=st.booleans(),
        ),
        asked_at=st.floats(0, 1e11),
        octets=st.none() | st.binary(),
        fetched_at=st.floats(0, 1e11),
        failing_since=st.none() | st.floats(0, 1e11),
        failures=st.integers(0, 1000),
        unreachable_since=st.none() | st.floats(0, 1e11),
    )
)
def test_decode_undoes_encode(record):
    assert decode(encode(record)) == record


@pytest.mark.parametrize(
    "frame",
    [b"", b"\x02" + encode(FULL)[1:], encode(FULL)[:-1], encode(FULL)[:20], b"\x01rubbish"],
    ids=["empty", "other_version", "cut", "cut_short", "rubbish"],
)
def test_a_broken_frame_is_a_value_error(frame):
    with pytest.raises(ValueError, match="entry"):
        decode(frame)


def frame(facts: bytes, level: int = 9) -> bytes:
    """A frame with any facts in it, which `encode` would not make."""
    packer = zlib.compressobj(level, zdict=codec._OFTEN)
    return codec.VERSION + packer.compress(facts + b"\n") + packer.flush()


def facts_of(record: CacheEntry) -> dict[str, Any]:
    unpacker = zlib.decompressobj(zdict=codec._OFTEN)
    facts: dict[str, Any] = json.loads(unpacker.decompress(encode(record)[1:]).partition(b"\n")[0])
    return facts


def changed(owner: str, name: str, value: object) -> bytes:
    facts = facts_of(FULL)
    (facts if owner == "record" else facts["latest"])[name] = value
    return frame(json.dumps(facts).encode())


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        ("record", field.name)
        for field in fields(CacheEntry)
        if field.name not in ("latest", "octets")
    ]
    + [("latest", field.name) for field in fields(FetchResult) if field.name != "octets"],
)
def test_any_value_in_a_frame_gives_an_entry_of_the_right_types_or_a_value_error(owner, name):
    for value in ("x", [], {}, True, -1, 10**400, float("inf"), float("nan"), None):
        try:
            record = decode(changed(owner, name, value))
        except ValueError as error:
            assert "entry" in str(error), value  # noqa: PT017 - either will do
            continue
        assert decode(encode(record)) == record, value  # which refuses what JSON cannot hold
        times = [record.asked_at, record.fetched_at, record.failing_since, record.latest.lifetime]
        in_bounds = [abs(time) < codec.MAX_SECONDS for time in times if time is not None]
        assert all(in_bounds), value
        judge(record, 2000.0, AccessPolicy())


TIMES = ["soon", True, [], 1e15, -1e15, float("nan"), float("inf")]
INSTANTS = [*TIMES, -0.1, 2.6e11]  # in a record they are dates
COUNTS = ["1", True, 1.0, -1, 2**63, None]
TEXTS = [1, None, b"x", ["x"]]
# What may not stand in an entry: a store may be shared, and hold anything.
WRONG = {
    "asked_at": [*INSTANTS, None],
    "fetched_at": [*INSTANTS, None],
    "failing_since": INSTANTS,
    "failures": COUNTS,
    "unreachable_since": INSTANTS,
    "octets": ["Disallow: /", 1],
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
}


@pytest.mark.parametrize("name", WRONG)
def test_a_fact_of_the_wrong_type_or_size_is_refused_by_its_name(name):
    for value in WRONG[name]:
        wrong = []
        if name in {field.name for field in fields(CacheEntry)}:
            wrong.append(replace(FULL, **{name: value}))
        if name in {field.name for field in fields(FetchResult)}:
            wrong.append(replace(FULL, latest=replace(FULL.latest, **{name: value})))
        for entry in wrong:
            with pytest.raises(EntryError, match=f"an entry whose {name} is"):
                checked(entry)


def test_each_fact_of_an_entry_is_checked():
    names = [field.name for kind in (CacheEntry, FetchResult) for field in fields(kind)]
    assert {*WRONG, "latest"} == {*names}


def test_what_is_no_entry_is_refused():
    for value in ("x", None, replace(FULL, latest=None)):
        with pytest.raises(EntryError, match="no entry but"):
            checked(value)


BROKEN_FACTS = {
    "no_json": b"{",
    "a_list": b"[]",
    "a_number": b"1",
    "too_deep": b"[" * 500_000,
    "an_unknown_field": json.dumps({**facts_of(FULL), "more": 1}).encode(),
    "a_field_less": json.dumps({k: v for k, v in facts_of(FULL).items() if k != "latest"}).encode(),
    "hops_are_a_text": json.dumps(
        {**facts_of(FULL), "latest": {**facts_of(FULL)["latest"], "hops": "x"}}
    ).encode(),
    "latest_is_a_text": json.dumps({**facts_of(FULL), "latest": "x"}).encode(),
    "not_utf_8": b"\xff",
    "a_long_line": b" " * (codec.MAX_FACTS + 1) + json.dumps(facts_of(FULL)).encode(),
}


@pytest.mark.parametrize("kind", BROKEN_FACTS)
def test_broken_facts_are_a_value_error(kind):
    with pytest.raises(EntryError, match="entry"):
        decode(frame(BROKEN_FACTS[kind]))


def as_read_by_0_1_0(frame: bytes) -> CacheEntry:
    """As its `decode` does it: a fact that it does not know is an error."""
    unpacker = zlib.decompressobj(zdict=codec._OFTEN)
    line, _, octets = unpacker.decompress(frame[1:]).partition(b"\n")
    facts = json.loads(line)
    known = "latest asked_at fetched_at failing_since failures has_octets"
    assert [*facts] == known.split()
    latest = facts.pop("latest")
    known = "status cause media_type lifetime retry_after etag last_modified hops is_cut"
    assert [*latest] == [*known.split(), "site_answers"]
    result = FetchResult(**{**latest, "hops": tuple(latest["hops"])})
    return CacheEntry(result, octets=octets if facts.pop("has_octets") else None, **facts)


@pytest.mark.parametrize("name", RECORDS)
def test_version_0_1_0_reads_all_that_it_knows_of_an_entry(name):
    known = replace(RECORDS[name], unreachable_since=None)
    assert as_read_by_0_1_0(encode(RECORDS[name])) == known
    assert decode(encode(known)) == known


LATER = json.dumps({"unreachable_since": 7.0, "of_a_later_version": [1]}).encode()
BEHIND = {
    "rubbish": b"x",
    "a_stream_that_is_cut": codec._packed(LATER)[:-1],
    "a_list": codec._packed(b'["unreachable_since"]'),
    "no_json": codec._packed(b"{"),
    "a_wrong_type": codec._packed(b'{"unreachable_since": "x"}'),
}


def test_facts_that_a_later_version_has_added_are_left_out():
    entry = decode(encode(RECORDS["failing"]) + codec._packed(LATER))
    assert entry == replace(RECORDS["failing"], unreachable_since=7.0)


@pytest.mark.parametrize("kind", BEHIND)
def test_what_else_stands_behind_an_entry_is_a_value_error(kind):
    with pytest.raises(EntryError, match="entry"):
        decode(encode(FULL) + BEHIND[kind])


LONG = "x" * 100_000
LONG_FACTS = {
    "a_long_name": {**facts_of(FULL), LONG: 1},
    "a_long_value": {**facts_of(FULL), "asked_at": LONG},
}


@pytest.mark.parametrize("kind", LONG_FACTS)
def test_the_error_about_a_broken_entry_is_a_short_line(kind):
    with pytest.raises(EntryError) as caught:
        decode(frame(json.dumps(LONG_FACTS[kind]).encode()))
    assert len(str(caught.value)) < 200


@pytest.mark.slow
def test_a_value_that_would_unpack_to_too_many_octets_is_not_unpacked():
    bomb = frame(bytes(6 * codec.MAX_UNPACKED), level=1)
    assert len(bomb) < codec.MAX_FRAME
    with tracing_memory() as memory:
        with pytest.raises(EntryError, match="unpacks to more than"):
            decode(bomb)
        _, peak = memory()
    assert peak < 4 * codec.MAX_UNPACKED


def test_a_frame_that_is_too_long_is_not_unpacked():
    with pytest.raises(EntryError, match=r"octets; the limit is"):
        decode(codec.VERSION + bytes(codec.MAX_FRAME))


@pytest.mark.slow
def test_the_largest_file_fits_even_if_it_cannot_be_compressed():
    record = replace(FULL, octets=random.Random(1).randbytes(MAX_OCTETS))
    assert decode(encode(record)) == record


@pytest.mark.slow
@given(st.integers(1, len(encode(FULL)) - 1), st.integers(1, 255))
def test_a_damaged_frame_never_gives_another_entry(place, damage):
    frame = bytearray(encode(FULL))
    frame[place] ^= damage
    try:
        # Some damage does none: what is repeated may be taken from more places than one.
        assert decode(bytes(frame)) == FULL
    except ValueError as error:
        assert "entry" in str(error)  # noqa: PT017 - either will do


@on_reactor
async def test_memory_drops_the_least_recently_used_entry():
    store = MemoryStore(max_entries=2)
    await store.put("http://a", FULL)
    await store.put("http://b", FULL)
    await store.get("http://a")
    await store.put("http://c", FULL)
    assert await store.get("http://a") == FULL
    assert await store.get("http://b") is None
    assert await store.get("http://c") == FULL


@on_reactor
async def test_memory_keeps_to_its_limit_of_octets():
    store = MemoryStore(max_octets=10_000)
    for number in range(100):
        octets = bytes(range(256)) * 4 + str(number).encode()
        await store.put(f"http://{number}", replace(FULL, octets=octets))
        assert store.octets <= 10_000
    kept = [number for number in range(100) if await store.get(f"http://{number}")]
    assert len(kept) > 1
    assert kept == [*range(kept[0], 100)]


@on_reactor
async def test_in_memory_an_entry_that_is_put_again_counts_once():
    store, other = MemoryStore(), MemoryStore()
    await store.put("http://a", replace(FULL, octets=bytes(1000)))
    for each in (store, store, other):
        await each.put("http://a", FULL)
    assert store.octets == other.octets
    assert await store.get("http://a") == FULL


@on_reactor
async def test_the_newest_entry_stays_in_memory_however_large_it_is():
    store = MemoryStore(max_octets=1)
    await store.put("http://a", FULL)
    await store.put("http://b", FULL)
    assert (await store.get("http://a"), await store.get("http://b")) == (None, FULL)


@pytest.mark.parametrize("uri", ["memroy:", "memory", "", "sqlite"])
def test_a_uri_of_no_store_is_an_error_that_names_the_choices(uri):
    with pytest.raises(ValueError, match=r"choices are memory:, sqlite:"):
        open_store(uri)


def test_the_uri_of_memory_has_no_path():
    with pytest.raises(ValueError, match="nothing may follow memory:"):
        open_store("memory:here")


class Secret:
    def __repr__(self):
        return "hush"


@pytest.mark.parametrize(
    ("place", "as_shown"),
    [
        ("redis://user:hush@there/0", "'redis:…'"),
        ("redis:user:hush@there", "'redis:…'"),
        ("sqlite:robots.sqlite", "'sqlite:robots.sqlite'"),
        ("memroy:", "'memroy:'"),
        (Secret(), "of type Secret"),
        ({"password": "hush"}, "of type dict"),
        (5, "5"),
    ],
)
def test_a_place_is_shown_without_secrets(place, as_shown):
    assert without_secrets(place) == as_shown


def test_what_a_class_makes_must_be_a_store():
    class Kind(MemoryStore):
        @classmethod
        def from_crawler(cls, crawler):
            return object()

    with pytest.raises(ValueError, match="it has no method get"):
        open_store(Kind, crawler=object())


def test_a_coordinator_must_have_all_methods():
    store = MemoryStore()
    store.coordinator = object()
    with pytest.raises(ValueError, match="its coordinator must have the methods"):
        open_store(store)
