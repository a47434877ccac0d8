"""docs/stores.md, docs/settings.md and docs/fleets.md: what ROBOTS_STORE may be."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy import version_info

from scrapy_robots_policy.settings.kinds import SettingError
from scrapy_robots_policy.stores import MemoryStore, open_store
from tests.certificate import certificate
from tests.crawls import OURS, REACTORS, Plan, crawl_apart
from tests.on_reactor import on_reactor
from tests.redis_server import RedisServer
from tests.site import Site, free_port, robots
from tests.stores import own_store
from tests.stores.entries import FULL, ORIGIN
from tests.stores.own_store import FOLDER, PATH, FolderStore

pytestmark = pytest.mark.slow  # whole crawls

SECRET = "User-agent: *\nDisallow: /secret\n"


OBJECT, OTHER, OF_TEXT = MemoryStore(), MemoryStore(), "memory:"
OWN = {
    "a path": PATH,
    "a class": FolderStore,
    "a path of an object": f"{__name__}.OTHER",
}
# Before Scrapy 2.17 each crawl of a runner has a copy of its settings, and of an object in them.
if version_info >= (2, 17):
    OWN["an object"] = OBJECT


@pytest.mark.parametrize("kind", OWN)
@on_reactor
async def test_a_store_of_a_users_own_saves_the_second_crawl_its_fetches(kind, web, tmp_path):
    site = web({"a.test": {"/robots.txt": robots(SECRET)}})
    settings = {"ROBOTS_STORE": OWN[kind], FOLDER: str(tmp_path / "robots")}
    for _ in range(2):
        seen = await site.crawl("http://a.test/a", "http://a.test/secret", settings=settings)
        assert list(seen.dropped) == ["http://a.test/secret"]
        assert "robots/store/failed" not in seen.stats
    assert (len(site.fetches()), len(site.pages)) == (1, 2)
    assert seen.stats["robots/store/hit"] == 1


@on_reactor
async def test_a_store_may_be_an_object(web):
    site = web({"a.test": {"/robots.txt": robots(SECRET)}})
    seen = await site.crawl("http://a.test/a", settings={"ROBOTS_STORE": MemoryStore()})
    assert seen.stats["robots/store/miss"] == 1
    assert "robots/store/failed" not in seen.stats


def test_the_store_of_the_page_serves_a_crawl_without_asyncio(tmp_path):
    place = f"{own_store.__name__}.FolderStore"
    settings = {**OURS, **REACTORS["select"], "ROBOTS_STORE": place, FOLDER: str(tmp_path / "r")}
    with Site({"/robots.txt": robots(SECRET)}) as site:
        seen = crawl_apart(Plan([site.url("/a"), site.url("/secret")], settings))
        assert seen.stats["robots/refused/rule"] == 1
    assert len([*(tmp_path / "r").iterdir()]) == 1


@on_reactor
async def test_a_put_of_the_store_of_the_page_that_fails_leaves_no_file(tmp_path, monkeypatch):
    """On a full disk each would leave one more."""

    def write_until_the_disk_is_full(part, _bodies):
        part.touch()
        raise OSError

    monkeypatch.setattr(Path, "write_bytes", write_until_the_disk_is_full)
    await open_store(FolderStore(tmp_path)).put(ORIGIN, FULL)
    assert list(tmp_path.iterdir()) == []


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


# A value that is no store, and what the error names.
WRONG = {
    "no module": ("no.such.Store", "ModuleNotFoundError"),
    "no name": ("os.path.Store", "NameError"),
    "a module": ("os.path", "get"),
    "a function": (len, "get"),
    "no close": (NoClose, "close"),
    "an object without close": (NoClose(), "close"),
    "it fails": (Fails, "OSError: the server is not there"),
    "it makes another thing": (Changeling, "get"),
    "a path of a text": (f"{__name__}.OF_TEXT", "text"),
    "a coordinator without methods": (BadCoordinator, "take"),
    "a dict": ({"password": "hidden"}, "dict"),
    "bytes": (b"redis://:hidden@host", "bytes"),
    "an address without a scheme": ("user:hidden@host.example", "memory:, sqlite:"),
    "misspelt": ("memroy:", "memory:, sqlite:"),
    "no colon": ("sqlite", "memory:, sqlite:"),
    "a file alone": ("cache.db", "No module named 'cache'); a file is sqlite:cache.db"),
    "more than memory": ("memory:user:hidden@host", "memory:"),
    "another server": ("postgres://user:hidden@host", "memory:, sqlite:"),
    "a folder": ("sqlite:/tmp/", "folder"),
    "a NUL": ("sqlite:a\0b", "NUL"),
    "a long name": ("sqlite:" + "x" * 300, "long"),
    "a file without a disk": ("sqlite::memory:", "memory:"),
    "a port of letters": ("redis://user:hidden@host:port", "Redis"),
    "a database of letters": ("redis://user:hidden@host/database", "Redis"),
    "no such option": ("redis://user:hidden@host?no_such_option=hidden", "Redis"),
    "an option of a wrong type": ("redis://user:hidden@host?socket_timeout=hidden", "Redis"),
    "half an IPv6 address": ("redis://user:hidden@[host", "Redis"),
    "no slashes": ("redis:user:hidden@host", "Redis"),
    "a # in the password": ("redis://:12#hidden@host", "Redis"),
    "a ? in the password": ("redis://me:12?hidden@host", "Redis"),
    "a / in the password": ("redis://:12/hidden@host", "Redis"),
}


@pytest.mark.parametrize("kind", WRONG)
@on_reactor
async def test_a_value_that_is_no_store_stops_the_spider_with_one_sentence_without_secrets(
    kind, web, tmp_path, caplog, needs_redis
):
    place, named = WRONG[kind]
    record = tmp_path / "audit.jsonl"
    site = web({})
    settings = {"ROBOTS_STORE": place, "ROBOTS_AUDIT": str(record)}
    with pytest.raises(SettingError, match="ROBOTS_STORE is ") as error:
        await site.crawl("http://a.test/", settings=settings)
    assert named in str(error.value)
    assert "\n" not in str(error.value)
    assert "hidden" not in str(error.value) + caplog.text
    assert site.hits == []
    assert not record.exists()


FILES = {
    "the project's folder": ("project/package", "", "project/.scrapy/robots.sqlite"),
    "where there is no project": ("else", "", "else/.scrapy/robots.sqlite"),
    "a relative path": ("else", "new/robots.db", "else/new/robots.db"),
    "the home folder": ("else", "~/robots.db", "home/robots.db"),
}


@pytest.mark.parametrize("kind", FILES)
@on_reactor
async def test_the_file_lies_where_the_docs_say_and_is_made_at_the_first_call(
    kind, tmp_path, monkeypatch
):
    start, path, expected = FILES[kind]
    for folder in ("project/package", "else", "home"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "project" / "scrapy.cfg").write_text("[settings]\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / start)
    store = open_store(f"sqlite:{path}")
    monkeypatch.chdir("/")
    assert not (tmp_path / expected).exists()
    await store.put(ORIGIN, FULL)
    assert (tmp_path / expected).exists()
    await store.close()


@on_reactor
async def test_an_address_of_a_redis_may_name_a_database_a_socket_and_an_option(redis):
    third, same, other = stores = [
        open_store(f"{redis.url}/3?decode_responses=true"),
        open_store(f"unix://{redis.socket}?db=3"),
        open_store(redis.url),
    ]
    await third.put(ORIGIN, FULL)
    assert (await same.get(ORIGIN), await other.get(ORIGIN)) == (FULL, None)
    for store in stores:
        await store.close()


@on_reactor
async def test_an_address_of_a_redis_may_demand_a_password_and_tls(tmp_path, needs_redis):
    port, cert, key = free_port(), tmp_path / "cert.pem", tmp_path / "key.pem"
    for file, data in zip((cert, key), certificate(), strict=True):
        file.write_bytes(data)
    files = ("--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert)
    options = ("--tls-port", port, "--tls-auth-clients", "no", "--requirepass", "p@ss/word")
    with RedisServer(*options, *files) as server:
        place = f"rediss://:p%40ss%2Fword@127.0.0.1:{port}"
        store = open_store(f"{place}?ssl_ca_certs={cert}")
        await store.put(ORIGIN, FULL)
        await store.close()
        with server.client(password="p@ss/word") as client:
            assert client.dbsize() == 1
        stranger = open_store(place)  # nobody has vouched for that certificate
        assert await stranger.get(ORIGIN) is None
        await stranger.close()


def test_with_a_redis_and_without_asyncio_the_crawl_does_not_start(needs_redis):
    settings = {**OURS, **REACTORS["select"], "ROBOTS_STORE": "redis://user:secret@host"}
    with Site({}) as site:
        with pytest.raises(AssertionError, match="asyncio") as error:
            crawl_apart(Plan([site.url("/a")], settings))
        assert site.paths == []
    assert "secret" not in str(error.value)
