"""docs/when-things-fail.md, docs/stores.md, docs/fleets.md: whatever a store does, its crawl goes
on, and what is forbidden stays forbidden.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from contextlib import closing, contextmanager
from itertools import pairwise

import pytest
from twisted.internet.defer import CancelledError

from scrapy_robots_policy import compat
from scrapy_robots_policy.rep import CacheEntry, FetchResult
from scrapy_robots_policy.stores import Claim, MemoryStore, guard, open_store
from tests.crawls import Chain, crawl
from tests.on_reactor import on_reactor, until
from tests.redis_server import RedisServer, Service
from tests.site import PAGE, Answer, Site, free_port, robots
from tests.stores.entries import FULL, NO_FILE, ORIGIN

pytestmark = pytest.mark.slow  # whole crawls

SECRET = "User-agent: *\nDisallow: /secret\n"
NONSENSE = CacheEntry(FetchResult("200"), "soon", "User-agent: *")


# A store of a user's own, in virtual time.


async def raises():
    msg = "the store\nis gone"
    raise OSError(msg)


async def hangs():
    await compat.sleep(10**6)


async def hangs_on():
    try:
        await hangs()
    except BaseException:  # noqa: BLE001 - that it is cancelled is what it ignores
        await hangs()


async def is_cancelled():
    raise CancelledError


async def is_cancelled_by_asyncio():
    raise asyncio.CancelledError


def gives(value):
    async def give():
        return value

    return give


class Faulty(MemoryStore):
    """Keeps entries and coordinates; each of its `verbs` does `fault` in place of its work."""

    verbs, fault = (), raises

    def __init__(self):
        super().__init__()
        self.calls = []

    @property
    def coordinator(self):
        return self

    async def _do(self, verb, work):
        self.calls.append(verb)
        return await (type(self).fault if verb in self.verbs else work)()

    async def get(self, origin):
        return await self._do("get", lambda: MemoryStore.get(self, origin))

    async def put(self, origin, entry):
        await self._do("put", lambda: MemoryStore.put(self, origin, entry))

    async def close(self):
        await self._do("close", gives(None))

    async def claim(self, _origin):
        return await self._do("claim", gives(Claim(granted=True, entry=None)))

    async def take(self, _host, _delay):
        return await self._do("take", gives(0.0))

    def release(self, _origin):
        if "release" in self.verbs:
            raise OSError

    def leave(self, _host, *, visited):
        if "leave" in self.verbs:
            raise OSError


VERBS = ("get", "put", "close", "claim", "take")
OWN = {
    **{f"{verb} raises": ([verb], raises) for verb in (*VERBS, "release", "leave")},
    **{f"{verb} hangs": ([verb], hangs) for verb in VERBS},
    "all raise": (VERBS, raises),
    "all hang": (VERBS, hangs),
    "all ignore that they are cancelled": (VERBS, hangs_on),
    "all are cancelled": (VERBS, is_cancelled),
    "all are cancelled by asyncio": (VERBS, is_cancelled_by_asyncio),
    "an entry is a text": (["get"], gives("User-agent: *\nAllow: /")),
    "an entry is full of nonsense": (["get"], gives(NONSENSE)),
    "a claim is nonsense": (["claim"], gives("yes")),
    "a claim has nonsense for an entry": (["claim"], gives(Claim(granted=False, entry=NONSENSE))),
    "a wait is nonsense": (["take"], gives("soon")),
    "a wait is no number": (["take"], gives(float("nan"))),
    "a wait is negative": (["take"], gives(-1)),
}


def faulty(verbs, fault):
    parts = {"verbs": verbs, "fault": staticmethod(fault)}
    parts["__deepcopy__"] = lambda self, _memo: self
    return type("OwnStore", (Faulty,), parts)


@pytest.mark.parametrize("case", OWN)
@on_reactor
async def test_whatever_an_own_store_does_the_crawl_obeys_and_ends(case, web):
    site = web({"a.test": {"/robots.txt": robots(f"{SECRET}Crawl-delay: 2\n")}})
    urls = [f"http://a.test/{path}" for path in ("a", "secret", "b")]
    seen = await site.crawl(*urls, settings={"ROBOTS_STORE": faulty(*OWN[case])})
    assert site.pages == [urls[0], urls[2]]
    assert list(seen.dropped) == [urls[1]]
    assert seen.stats["finish_reason"] == "finished"
    assert seen.stats["robots/store/failed"] >= 1
    first, second = site.visits()
    assert second.began - first.ended >= 2.0
    assert site.now < 60.0


@on_reactor
async def test_an_own_coordinator_holds_a_host_up_for_a_limited_time_only(web):
    """It is asked again then, and answers as before."""
    site = web({"a.test": {"/robots.txt": robots("User-agent: *\nCrawl-delay: 2\n")}})
    store = faulty(["take"], gives(float("inf")))()
    crawl = site.start("http://a.test/a", settings={"ROBOTS_STORE": store})
    await site.time.forward(700.0)
    assert store.calls.count("take") == 2
    assert (await crawl.close()).answered == []


@pytest.mark.parametrize("fault", [raises, hangs])
@on_reactor
async def test_a_store_that_fails_delays_not_every_host(fault, web):
    site = web({f"{n}.test": {"/robots.txt": robots(SECRET)} for n in range(50)})
    store = faulty(["get"], fault)()
    urls = [f"http://{n}.test/secret" for n in range(50)]
    seen = await site.crawl(urls[0], ahead=urls[1:], spider=Chain, settings={"ROBOTS_STORE": store})
    assert len(seen.dropped) == 50
    assert store.calls.count("get") < 10
    assert site.now < 50.0


@on_reactor
async def test_a_store_that_failed_is_used_again_and_one_that_is_full_is_read_on():
    inner = faulty(["put"], raises)()
    await MemoryStore.put(inner, ORIGIN, FULL)
    store = open_store(inner)
    await store.put(ORIGIN, NO_FILE)
    assert await store.get(ORIGIN) == FULL
    inner.verbs = ["get"]
    assert await store.get(ORIGIN) is None
    inner.verbs = []

    async def is_used():
        return await store.get(ORIGIN) == FULL

    await until(is_used)
    await store.put(ORIGIN, NO_FILE)
    assert await store.get(ORIGIN) == NO_FILE


# A file.


@contextmanager
def locked(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        yield


@contextmanager
def locked_for_writing(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def with_pragma(pragma):
    @contextmanager
    def limited(_path):
        connect = sqlite3.connect

        def connected(*args, **options):
            connection = connect(*args, **options)
            connection.execute(f"PRAGMA {pragma}")
            return connection

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sqlite3, "connect", connected)
            yield

    return limited


def written(data):
    @contextmanager
    def write(path):
        path.write_bytes(data)
        yield
        assert path.read_bytes() == data

    return write


@contextmanager
def damaged(path):
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))
    yield


@contextmanager
def of_something_else(path):
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE records (a)")
    before = path.read_bytes()
    yield
    assert path.read_bytes() == before


@contextmanager
def of_another_schema(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("PRAGMA user_version = 9")
    yield


# What is done to the file of an earlier crawl, and whether what it has is known all the same.
FILES = {
    "locked": (locked, False),
    "locked for writing": (locked_for_writing, True),
    "full": (with_pragma("max_page_count = 1"), True),
    "read-only": (with_pragma("query_only = ON"), True),
    "no database": (written(b"rubbish" * 1000), False),
    "damaged": (damaged, False),
    "a database of something else": (of_something_else, False),
    "of a later version": (of_another_schema, False),
}


@pytest.mark.parametrize("kind", FILES)
@on_reactor
async def test_whatever_happens_to_a_file_the_crawl_obeys_and_ends(kind, web, tmp_path):
    spoilt, is_known = FILES[kind]
    path = tmp_path / "folder" / "robots.sqlite"
    settings = {"ROBOTS_STORE": f"sqlite:{path}"}
    long = robots(SECRET + "# " + os.urandom(100_000).hex())
    site = web({"a.test": {"/robots.txt": long}, "b.test": {"/robots.txt": long}})
    await site.crawl("http://a.test/first", settings=settings)
    with spoilt(path):
        urls = [f"http://{name}.test/{path}" for path in ("a", "secret") for name in "ab"]
        seen = await site.crawl(*urls, settings=settings)
    assert sorted(site.pages) == ["http://a.test/a", "http://a.test/first", "http://b.test/a"]
    assert sorted(seen.dropped) == ["http://a.test/secret", "http://b.test/secret"]
    assert seen.stats["finish_reason"] == "finished"
    assert seen.stats["robots/store/failed"] >= 1
    assert len(site.fetches("a.test")) == 1 + (not is_known)


@on_reactor
async def test_a_damaged_index_gives_no_entry_of_another_origin(tmp_path):
    """One byte on the disk: the entry is whole, and SQLite reports nothing."""
    path = tmp_path / "robots.sqlite"
    store = open_store(f"sqlite:{path}")
    await store.put("http://a:1", FULL)
    await store.put("http://a:2", FULL)
    await store.close()
    data = path.read_bytes()
    in_index = b"http://a:2\2"  # there the number of the row stands behind the origin
    assert data.count(in_index) == 1
    path.write_bytes(data.replace(in_index, b"http://a:3\2"))
    assert await store.get("http://a:3") is None
    await store.close()


# A Redis.


@contextmanager
def as_it_is(_redis, _client):
    yield


@contextmanager
def paused(redis, _client):
    redis.pause()
    yield
    redis.resume()


@contextmanager
def full(_redis, client):
    client.config_set("maxmemory", "1")
    yield
    client.config_set("maxmemory", "0")


@contextmanager
def a_replica(_redis, client):
    client.replicaof("127.0.0.1", 1)
    yield
    client.replicaof("no", "one")


def has_at_our_keys(value):
    @contextmanager
    def filled(_redis, client):
        for key in client.scan_iter():
            client.delete(key)
            for each in (
                key,
                key.replace(b":record", b":lease"),
                key.replace(b":record", b":turn"),
            ):
                value(client, each)
        yield

    return filled


# What is done to the Redis of an earlier crawl, the address of the next crawl, and whether what the
# first crawl has learned is known all the same.
HERE, SOON = "redis://127.0.0.1:{port}", "?socket_timeout=0.2&socket_connect_timeout=0.2"
REDIS = {
    "nobody listens": (as_it_is, "redis://127.0.0.1:{free}", False),
    "no Redis": (as_it_is, "redis://127.0.0.1:{site}", False),
    "a wrong password": (as_it_is, "redis://me:hidden-word@127.0.0.1:{port}", False),
    "a password for one without": (as_it_is, "redis://:hidden-word@127.0.0.1:{port}", False),
    "no such database": (as_it_is, HERE + "/99", False),
    "no TLS": (as_it_is, "rediss://:hidden-word@127.0.0.1:{port}" + SOON, False),
    "hangs": (paused, HERE + SOON, False),
    "full": (full, HERE, True),
    "a replica": (a_replica, HERE, True),
    "lists at our keys": (has_at_our_keys(lambda client, key: client.lpush(key, "x")), HERE, False),
    "rubbish at our keys": (
        has_at_our_keys(lambda client, key: client.set(key, "x", px=500)),
        HERE,
        False,
    ),
}


@pytest.mark.parametrize("kind", REDIS)
@on_reactor
async def test_whatever_is_wrong_with_a_redis_the_crawl_obeys_and_ends(
    kind, redis, caplog, tmp_path
):
    caplog.set_level(logging.DEBUG)
    wrong, address, is_known = REDIS[kind]
    script = {"/robots.txt": robots(SECRET)}
    with Site(script) as site, Site(script, "127.0.0.2") as new, redis.client() as client:
        await crawl(site.url("/first"), settings={"ROBOTS_STORE": redis.url})
        ports = {"port": redis.port, "free": free_port(), "site": site.origin.rpartition(":")[2]}
        report = tmp_path / "report.html"
        settings = {"ROBOTS_STORE": address.format(**ports), "ROBOTS_REPORT": str(report)}
        with wrong(redis, client):
            urls = [each.url(path) for each in (new, site) for path in ("/a", "/secret")]
            seen, _ = await crawl(urls[0], ahead=urls[1:], spider=Chain, settings=settings)
    assert (site.pages, new.pages) == (["/a", "/first"], ["/a"])
    assert list(seen.dropped) == urls[1::2]
    assert seen.stats["finish_reason"] == "finished"
    assert seen.stats["robots/store/failed"] >= 1
    assert site.count("/robots.txt") == 1 + (not is_known)
    written = report.read_text("utf-8") + report.with_suffix(".json").read_text("utf-8")
    assert "hidden-word" not in caplog.text + str(seen) + written


@on_reactor
async def test_a_server_that_repeats_the_password_it_was_sent_is_not_quoted(caplog, needs_redis):
    caplog.set_level(logging.DEBUG)
    with RedisServer("--rename-command", "AUTH", "") as server, Site({}) as site:
        place = f"redis://me:hidden-word@127.0.0.1:{server.port}"
        seen, _ = await crawl(site.url("/a"), settings={"ROBOTS_STORE": place})
    assert seen.stats["robots/store/failed"] >= 1
    assert "unknown command 'AUTH'" in caplog.text
    assert "hidden-word" not in caplog.text


class GoingOn(Chain):
    """Asks for one URL after the other for as long as its method `goes_on` says so."""

    def next(self):
        return super().next() if self.goes_on() else ()


@on_reactor
async def test_a_redis_that_is_killed_under_a_crawl_lets_nothing_through_and_is_used_again(
    caplog, monkeypatch, needs_redis
):
    monkeypatch.setattr(guard, "CALM", 0.1)
    caplog.set_level(logging.INFO, "scrapy_robots_policy")

    def lines():
        messages = [record.getMessage() for record in caplog.records]
        return [line for line in messages if line.startswith("The robots.txt store")]

    with RedisServer() as server, Site({}) as slow, Site({}, "127.0.0.2") as other:

        def die(_):
            server.kill()
            return PAGE

        def live(_):
            server.start()
            return PAGE

        slow.script |= {"/robots.txt": robots(f"{SECRET}Crawl-delay: 0.1\n"), "/1": die, "/4": live}
        other.script |= {"/robots.txt": robots(SECRET)}
        first = [slow.url("/2"), slow.url("/secret"), other.url("/secret"), slow.url("/3")]
        more = [slow.url(f"/{n}") for n in range(4, 100)]
        await crawl(
            slow.url("/1"),
            spider=GoingOn,
            ahead=[*first, *more],
            goes_on=lambda _: len(lines()) < 2,
            settings={"ROBOTS_STORE": server.url},
        )
    assert other.pages == []
    assert {"/1", "/2", "/3", "/4"} <= set(slow.pages)
    assert "/secret" not in slow.pages
    hits = [hit for hit in slow.hits if hit.path != "/robots.txt"]
    assert min(later.asked_at - hit.answered_at for hit, later in pairwise(hits)) >= 0.1
    lost, regained = lines()
    assert "ConnectionError" in lost
    assert "works again" in regained


@on_reactor
async def test_after_a_failover_the_new_master_is_used(needs_redis):
    """The store is a class that makes its own client, as docs/fleets.md shows."""
    from scrapy_robots_policy.stores.redis import RedisStore  # noqa: PLC0415 - redis is an extra

    with Service() as redis, Site({"/robots.txt": robots(SECRET)}) as site:
        sites = [Site({"/robots.txt": robots(SECRET), "/a": Answer(after=0.1)}) for _ in range(50)]

        def die(_):
            redis.fail_over()
            return PAGE

        site.script["/die"] = die

        class SentinelStore(RedisStore):
            def __init__(self):
                super().__init__(redis.found())

        with redis.replica.client() as new_master:
            seen, _ = await crawl(
                site.url("/die"),
                spider=GoingOn,
                ahead=[site.url("/secret"), *(other.url("/a") for other in sites)],
                goes_on=lambda _: new_master.dbsize() < 4,  # the first site's may be there before
                settings={"ROBOTS_STORE": SentinelStore},
            )
            assert new_master.dbsize() >= 4
        assert list(seen.dropped) == [site.url("/secret")]
        for other in sites:
            other.close()
