"""What docs/stores.md says is so: a store written from that page alone serves a crawl."""

from __future__ import annotations

import errno
import inspect
import os
from pathlib import Path

import pytest
from scrapy.settings import Settings

from scrapy_robots_policy import Store, compat
from scrapy_robots_policy.config import SettingError
from scrapy_robots_policy.config.store_settings import StoreSettings
from scrapy_robots_policy.rep import CacheEntry, FetchResult
from scrapy_robots_policy.stores import (
    ALONE,
    Claim,
    MemoryStore,
    coordinator_of,
    guarded,
    open_store,
)
from tests.crawls import OURS, REACTORS, Plan, crawl, crawl_apart, middleware_of
from tests.on_reactor import on_reactor
from tests.site import Site, robots
from tests.stores import own_store
from tests.stores.own_store import FOLDER, PAGE, PATH, FolderStore

pytestmark = pytest.mark.slow  # whole crawls, or much work

SECRET = "User-agent: *\nDisallow: /secret\n"
ORIGIN = "https://example.com"
RECORD = CacheEntry(FetchResult(404), 1.0)


@pytest.mark.parametrize("place", [PATH, FolderStore], ids=["path", "class"])
@on_reactor
async def test_the_store_of_the_page_saves_the_second_crawl_its_fetches(tmp_path, place):
    settings = {"ROBOTS_STORE": place, FOLDER: str(tmp_path / "robots")}
    with Site({"/robots.txt": robots(SECRET)}) as site:
        for _ in range(2):
            seen, _ = await crawl(site.url("/a"), site.url("/secret"), settings=settings)
            assert list(seen.dropped) == [site.url("/secret")]
            assert "robots/store/failed" not in seen.stats
        assert site.paths == ["/robots.txt", "/a", "/a"]
        assert seen.stats["robots/store/hit"] == 1


@pytest.mark.parametrize("loop", REACTORS)
def test_it_serves_crawls_in_any_event_loop(tmp_path, loop):
    place = f"{own_store.__name__}.FolderStore"
    settings = {**OURS, **REACTORS[loop], "ROBOTS_STORE": place, FOLDER: str(tmp_path / "robots")}
    with Site({"/robots.txt": robots(SECRET)}) as site:
        for _ in range(2):
            seen = crawl_apart(Plan([site.url("/a"), site.url("/secret")], settings))
            assert seen.stats["robots/dropped/rule"] == 1
        assert site.paths == ["/robots.txt", "/a", "/a"]


@on_reactor
async def test_it_may_be_shared_by_processes_that_put_the_same_entry_at_once(tmp_path, monkeypatch):
    one, other = FolderStore(tmp_path), FolderStore(tmp_path)
    pid, write = os.getpid(), Path.write_bytes

    def write_while_another_puts(part, octets):
        write(part, octets)
        with monkeypatch.context() as patches:
            patches.setattr(Path, "write_bytes", write)
            patches.setattr(os, "getpid", lambda: pid + 1)
            put = other.put(ORIGIN, RECORD)
            with pytest.raises(StopIteration):  # it is over at once
                put.send(None)

    monkeypatch.setattr(Path, "write_bytes", write_while_another_puts)
    await one.put(ORIGIN, RECORD)
    assert await one.get(ORIGIN) == RECORD


@on_reactor
async def test_a_put_that_fails_leaves_no_file(tmp_path, monkeypatch):
    """On a full disk each would leave one more."""

    def write_until_the_disk_is_full(part, octets):
        part.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write_until_the_disk_is_full)
    with pytest.raises(OSError, match="No space"):
        await FolderStore(tmp_path).put(ORIGIN, RECORD)
    assert list(tmp_path.iterdir()) == []


class Plain(MemoryStore):
    """Is made without arguments."""


class FromSettings(MemoryStore):
    @classmethod
    def from_settings(cls, settings):
        store = cls()
        store.seen = settings["NAME"]
        return store


OBJECT = MemoryStore()
OF_TEXT = "memory:"


def test_a_class_is_created_like_a_component_of_scrapy():
    class Crawler:
        settings = Settings({"NAME": "x", FOLDER: "y"})

    assert isinstance(open_store(Plain).store, Plain)
    assert open_store(FromSettings, crawler=Crawler).store.seen == "x"
    assert str(open_store(FolderStore, crawler=Crawler).store.folder) == "y"


def test_an_object_is_taken_as_it_is():
    assert open_store(OBJECT).store is OBJECT
    assert open_store(f"{__name__}.OBJECT").store is OBJECT
    assert isinstance(open_store(OBJECT), Store)


class NoClose:
    async def get(self, origin): ...
    async def put(self, origin, record): ...


class Fails(MemoryStore):
    def __init__(self):
        super().__init__()
        msg = "the server\nis not there"
        raise OSError(msg)


class Changeling(MemoryStore):
    """A class that makes something else."""

    def __new__(cls):
        return object()


class BadCoordinator(MemoryStore):
    coordinator = object()


NEEDS = "a store has get, put and close (docs/stores.md)"
WRONG = {
    "no_module": ("no.such.Store", "'no.such.Store': it cannot be imported: ModuleNotFoundError"),
    "no_name": ("os.path.Store", "'os.path.Store': it cannot be imported: NameError: Module"),
    "a_module": ("os.path", f"'os.path': it has no method get; {NEEDS}"),
    "a_function": (len, "it has no method get"),
    "no_close": (NoClose, f"it has no method close; {NEEDS}"),
    "an_object_without": (NoClose(), "it has no method close"),
    "fails": (Fails, "it cannot be created: OSError: the server is not there"),
    "needs_arguments": (FolderStore, "it cannot be created: TypeError"),
    "another_thing": (Changeling, "it has no method get"),
    "a_text": (f"{__name__}.OF_TEXT", "it is the import path of a text, not of a store"),
    "coordinator": (BadCoordinator, "its coordinator must have the methods claim, release, take"),
    "a_dict": ({"password": "hidden"}, "is of type dict: it has no method put"),
    "octets": (b"redis://:hidden@host", "is of type bytes: it has no method get"),
    "address": ("user:hidden@host.example", "it names no store; the choices are memory:, sqlite:"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_value_that_is_no_store_is_an_error_of_one_sentence(case):
    place, sentence = WRONG[case]
    with pytest.raises(SettingError, match="ROBOTS_STORE is ") as error:
        StoreSettings.from_settings(Settings({"ROBOTS_STORE": place})).open()
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    assert "hidden" not in str(error.value)


@on_reactor
async def test_a_store_that_cannot_be_created_stops_the_spider_and_leaves_no_record(
    caplog, tmp_path
):
    record = tmp_path / "audit.jsonl"
    settings = {"ROBOTS_STORE": f"{__name__}.Fails", "ROBOTS_AUDIT": str(record)}
    with Site({"/robots.txt": robots("")}) as site:
        with pytest.raises(SettingError, match="it cannot be created: OSError"):
            await crawl(site.url(), settings=settings)
        assert site.hits == []
    assert not record.exists()
    assert [r.name for r in caplog.records if r.levelname == "ERROR"] == ["scrapy_robots_policy"]


class Coordinated(MemoryStore):
    """Notes what its coordinator is asked for."""

    def __init__(self):
        super().__init__()
        self.calls = []
        self.coordinator = self

    async def claim(self, origin):
        self.calls.append("claim")
        return Claim(granted=True, entry=None)

    def release(self, origin):
        self.calls.append("release")

    async def take(self, host, delay):
        self.calls.append(f"take {delay:g}")
        return 0.0

    def leave(self, host, *, visited):
        self.calls.append(f"leave {visited}")


@on_reactor
async def test_the_coordinator_of_a_store_is_used():
    with Site({"/robots.txt": robots(SECRET + "Crawl-delay: 0.01\n")}) as site:
        _, crawler = await crawl(site.url("/a"), settings={"ROBOTS_STORE": Coordinated})
        store = middleware_of(crawler).resolver.sources.store.store
        store.calls.remove("release")  # when the entry is stored, while the page goes on
        assert store.calls == ["claim", "take 0.01", "leave True"]
    assert coordinator_of(MemoryStore()) is ALONE


class Hangs:
    """Never answers."""

    async def _hang(self, *_):
        await compat.sleep(3600)

    get = put = close = _hang


class PutHangs(MemoryStore):
    async def put(self, *_):
        await compat.sleep(3600)


class CloseHangs(MemoryStore):
    async def close(self):
        await compat.sleep(3600)


@pytest.mark.parametrize(
    ("store", "limit", "seconds"),
    [(PutHangs, "answer_within", 3.0), (CloseHangs, "close_within", 0.1)],  # `get` has 3 s too
)
@on_reactor
async def test_one_method_that_hangs_does_not_keep_the_spider_from_closing(
    store, limit, seconds, monkeypatch
):
    monkeypatch.setitem(guarded.GuardedStore.__init__.__kwdefaults__, limit, seconds)
    with Site({"/robots.txt": robots(SECRET)}) as site:
        urls = [site.url("/a"), site.url("/secret")]
        seen, _ = await crawl(*urls, settings={"ROBOTS_STORE": store})
        assert seen.stats["finish_reason"] == "finished"
        assert site.pages == ["/a"]
        assert seen.stats["robots/store/failed"] == 1


@on_reactor
async def test_a_store_that_hangs_stops_neither_the_crawl_nor_its_end(monkeypatch):
    for limit in ("answer_within", "close_within"):
        monkeypatch.setitem(guarded.GuardedStore.__init__.__kwdefaults__, limit, 0.1)
    with Site({"/robots.txt": robots(SECRET)}) as site:
        urls = [site.url("/a"), site.url("/secret")]
        seen, _ = await crawl(*urls, settings={"ROBOTS_STORE": Hangs})
        assert site.pages == ["/a"]
        assert list(seen.dropped) == [site.url("/secret")]
        assert seen.stats["robots/store/failed"] == 2  # get and close; put was not tried again


def test_the_figures_of_the_page_are_those_of_the_code():
    text = " ".join(PAGE.split())
    for sentence in (
        f"`get` and `put` have {guarded.ANSWER_WITHIN:g} seconds, `close` has",
        f"`close` has {guarded.CLOSE_WITHIN:g}",
        "unused for a second, then two, up to 30",
    ):
        assert sentence in text
    assert inspect.iscoroutinefunction(FolderStore.get)
