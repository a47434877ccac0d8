"""What must be true of the store on Redis where its server dies, hangs, is full or no Redis."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from itertools import pairwise
from types import SimpleNamespace

import pytest
from redis.asyncio import Redis
from redis.asyncio.sentinel import MasterNotFoundError
from redis.exceptions import ClusterDownError, MovedError, ResponseError

from scrapy_robots_policy import compat
from scrapy_robots_policy.stores.redis import connection
from scrapy_robots_policy.stores.redis.address import CONNECTIONS, Address
from scrapy_robots_policy.stores.redis.connection import Connection
from tests.on_reactor import on_reactor
from tests.redis_server import Cluster, RedisServer
from tests.site import Answer, Site
from tests.stores.members import HOST, NEW, OLD, ORIGIN, Events, members

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("needs_redis")]


@on_reactor
async def test_a_lost_server_delays_no_call_and_is_reported_once():
    events = Events()
    with RedisServer() as server:
        async with members(server.url, events=events, now=events.now) as (one, other):
            await one.put(ORIGIN, OLD)
            server.kill()
            assert await one.get(ORIGIN) == OLD
            assert await one.claim(ORIGIN) == await one.claim(ORIGIN)
            assert (await one.claim(ORIGIN)).granted
            assert await one.take(HOST, 60.0) == 0.0
            await one.put(ORIGIN, NEW)
            assert (await one.claim(ORIGIN)).entry == NEW
            assert len(events.lost) == 1
            assert f"127.0.0.1:{server.port}/0 ConnectionError: " in events.lost[0]

            server.start()
            events.time += 60
            await one.put(ORIGIN, NEW)
            assert len(events.regained) == 1
            assert await other.get(ORIGIN) == NEW
            assert events.failed == []


async def never(*_args):
    await compat.sleep(3600)


async def fails(*_args):
    raise OSError


@on_reactor
async def test_a_call_ends_whatever_its_client_does(monkeypatch):
    monkeypatch.setattr(connection, "ANSWER_WITHIN", 0.01)
    for client in (SimpleNamespace(call=call, aclose=call) for call in (never, fails)):
        events = Events()
        opened = Connection(Address("a name"), events, events.now)
        opened._opened = client
        assert await opened.ask(lambda client: client.call()) is None
        assert len(events.lost) == 1
        await opened.close()


# A fault, whether the call was to write, and how many of three calls are tried then.
FAULTS = {
    "the server is full": (ResponseError("OOM"), True, 3),
    "the server has no memory to read": (ResponseError("OOM"), False, 1),
    "a cluster has no node for the key": (ClusterDownError("down"), True, 1),
    "the server is gone": (OSError("gone\nINFO: all is well"), True, 1),
}


@pytest.mark.parametrize("kind", FAULTS)
@on_reactor
async def test_a_server_that_refuses_is_asked_again_and_one_that_is_gone_is_not(kind):
    fault, writes, tried = FAULTS[kind]
    calls, events = [], Events()

    async def call(client):
        calls.append(client)
        raise fault

    opened = Connection(Address("a name"), events, events.now)
    opened._opened = SimpleNamespace()
    for _ in range(3):
        assert await opened.ask(call, writes=writes) is None
    assert len(calls) == tried
    assert events.lost == [f"a name {type(fault).__name__}: {str(fault).splitlines()[0]}"]


@on_reactor
async def test_nothing_is_kept_of_a_call_that_has_ended():
    async def call(_client):
        return 1

    events = Events()
    opened = Connection(Address("a name"), events, events.now)
    opened._opened = SimpleNamespace()
    assert [await opened.ask(call) for _ in range(3)] == [1, 1, 1]
    assert opened._calls == set()


@pytest.mark.parametrize(
    ("error", "reported"),
    [
        (
            MasterNotFoundError("No master found for 'mine' : <Redis(password=hidden)> - Error"),
            "a name MasterNotFoundError: No master found for 'mine'",
        ),
        (
            MovedError("15808 127.0.0.1:6381"),
            "a name it is a node of a cluster: write redis+cluster://host:port",
        ),
        (
            ResponseError("The user can't run this command script: 0f841ec, on @user_script:12."),
            "a name ResponseError: The user can't run this command",
        ),
        (
            ResponseError(
                "Error running script (call to f_0f841ec): @user_script:12: @user_script: 12: "
                "-READONLY You can't write against a read only replica."
            ),
            "a name ResponseError: READONLY You can't write against a read only replica.",
        ),
    ],
)
@on_reactor
async def test_a_fault_is_reported_without_passwords_and_with_what_to_write(error, reported):
    async def call(_client):
        raise error

    events = Events()
    opened = Connection(Address("a name"), events, events.now)
    opened._opened = SimpleNamespace()
    await opened.ask(call)
    assert events.lost == [reported]


@on_reactor
async def test_a_server_that_repeats_what_it_was_sent_is_reported_without_the_password():
    events = Events()
    with RedisServer("--rename-command", "AUTH", "") as server:
        url = server.url.replace("://", "://user:hidden-word@")
        async with members(url, 1, events=events) as (store,):
            assert (await store.claim(ORIGIN)).granted
    assert events.lost == [f"127.0.0.1:{server.port}/0 ResponseError: unknown command 'AUTH'"]


POLICIES = {
    "volatile-ttl": ["volatile-ttl"],
    "volatile-random": ["volatile-random"],
    "allkeys-random": ["allkeys-random"],
    "volatile-lru": [],
    "allkeys-lfu": [],
    "noeviction": [],
}


@pytest.mark.parametrize("policy", POLICIES)
@on_reactor
async def test_a_policy_that_drops_turns_is_reported_once(policy):
    events = Events()
    with RedisServer("--maxmemory", "100mb", "--maxmemory-policy", policy) as server:
        async with members(server.url, 1, events=events) as (store,):
            for _ in range(3):
                await store.claim(ORIGIN)
        assert (events.policies, events.lost, events.failed) == (POLICIES[policy], [], [])


@on_reactor
async def test_a_server_without_a_limit_of_memory_drops_nothing():
    events = Events()
    with RedisServer("--maxmemory-policy", "volatile-ttl") as server:
        async with members(server.url, 1, events=events) as (store,):
            await store.claim(ORIGIN)
    assert events.policies == []


@on_reactor
async def test_a_user_who_may_not_ask_for_the_policy_is_no_fault_of_the_server():
    events = Events()
    with RedisServer("--rename-command", "INFO", "") as server:
        async with members(server.url, 1, events=events) as (store,):
            await store.claim(ORIGIN)
    assert (events.policies, events.lost, events.failed) == ([], [], [])


@on_reactor
async def test_only_one_call_waits_for_a_server_that_does_not_answer(monkeypatch):
    events = Events()
    with RedisServer() as server:
        async with members(server.url, 1, events, now=events.now) as (store,):
            await store.put(ORIGIN, OLD)
            server.pause()
            monkeypatch.setattr(connection, "ANSWER_WITHIN", 0.5)
            for number in range(1000):
                assert (await store.claim(f"https://{number}.example")).granted
            assert store.connection.breaker.faults == 1
            assert len(events.lost) == 1
            server.resume()
            monkeypatch.undo()
            events.time += 60
            assert (await store.claim("https://new.example")).granted
            assert len(events.regained) == 1


@on_reactor
async def test_a_server_that_answers_just_in_time_but_too_seldom_counts_as_lost(monkeypatch):
    monkeypatch.setattr(connection, "ANSWER_WITHIN", 0.5)
    monkeypatch.setattr(connection, "PLACE_WITHIN", 0.1)
    events = Events()

    async def answer(_client):
        await asyncio.sleep(0.3)
        return True

    async with members("redis://nowhere.invalid", 1, events, now=events.now) as (store,):
        ask = store.connection.ask
        answers = await asyncio.gather(*(ask(answer) for _ in range(4 * CONNECTIONS)))
        assert answers[-1] is None
        assert len(events.lost) == 1


@on_reactor
async def test_one_call_tries_a_lost_server_and_the_others_do_not_wait(monkeypatch):
    monkeypatch.setattr(connection, "ANSWER_WITHIN", 0.5)
    events = Events()
    with RedisServer() as server:
        async with members(server.url, 1, events, now=events.now) as (store,):
            server.pause()
            await store.get(ORIGIN)
            events.time += 60
            answered = []

            async def get(number):
                await store.get(f"https://{number}.example")
                answered.append(number)

            await asyncio.gather(*map(get, range(50)))
            assert answered == [*range(1, 50), 0]
            assert len(events.lost) == 1


@on_reactor
async def test_a_call_that_is_cancelled_just_when_it_is_answered_is_cancelled(redis):
    """A lookup of a crawl that closes would go on otherwise, and wait for ever."""
    async with members(redis.url, 1) as (store,):

        async def answered(_client):
            asking.cancel()
            return b"answer"

        asking = asyncio.ensure_future(store.connection.ask(answered))
        with pytest.raises(asyncio.CancelledError):
            await asking


@on_reactor
async def test_a_lost_server_is_tried_less_and_less_often():
    events = Events()
    with RedisServer() as server:
        async with members(server.url, 1, events, now=events.now) as (store,):
            server.kill()
            tried = []
            for _ in range(2000):
                faults = store.connection.breaker.faults
                await store.claim(ORIGIN)
                if store.connection.breaker.faults > faults:
                    tried.append(events.time)
                events.time += 0.1
            gaps = [round(later - earlier) for earlier, later in pairwise(tried)]
            assert gaps == [1, 2, 4, 8, 16, *[30] * (len(gaps) - 5)]
            assert len(events.lost) == 1


@on_reactor
async def test_a_flapping_server_is_reported_lost_once_and_regained_once_it_stays():
    events = Events()
    with RedisServer() as server:
        async with members(server.url, 1, events, now=events.now) as (store,):
            for pause in (1.0, 2.0):
                server.kill()
                await store.claim(ORIGIN)
                server.start()
                events.time += pause
                await store.claim(ORIGIN)
                assert store.connection.breaker.permits()  # it is used again
            assert (len(events.lost), events.regained) == (1, [])
            events.time += 60
            assert (await store.claim(ORIGIN)).granted
            assert len(events.regained) == 1


@on_reactor
async def test_calls_that_fail_at_the_same_time_are_one_fault():
    events = Events()
    with RedisServer() as server:
        async with members(server.url, 1, events, now=events.now) as (store,):
            await asyncio.gather(*(store.get(f"https://{n}.example") for n in range(10)))
            server.kill()
            await asyncio.gather(*(store.get(f"https://{n}.example") for n in range(10, 20)))
            server.start()
            await store.put(ORIGIN, OLD)
            events.time += 1.1  # the first pause is over
            await store.put(ORIGIN, NEW)
            with server.client() as client:
                assert client.exists(f"robots:{{{ORIGIN}}}:record")


@on_reactor
async def test_a_server_that_is_full_is_still_read():
    events = Events()
    with RedisServer() as server, server.client() as client:
        async with members(server.url, events=events, now=events.now) as (one, other):
            await one.put(ORIGIN, OLD)
            client.config_set("maxmemory", "1")
            await one.put("https://other.example", OLD)
            assert (await one.claim("https://third.example")).granted
            assert await other.get(ORIGIN) == OLD
            assert len(events.lost) == 1
            assert "OutOfMemoryError" in events.lost[0]
            events.time += 60
            await other.get("https://nothing.example")
            assert events.regained == []  # it is as full as before
            client.config_set("maxmemory", "0")
            await one.put("https://other.example", OLD)
            assert len(events.regained) == 1


WRITES = {
    "a claim": lambda store: store.claim("https://third.example"),
    "an entry": lambda store: store.put("https://third.example", NEW),
}


@pytest.mark.parametrize("kind", WRITES)
@on_reactor
async def test_a_replica_can_be_read_by_who_could_not_write_to_it(kind):
    events = Events()
    with RedisServer() as server, server.client() as client:
        async with members(server.url, events=events, now=events.now) as (one, other):
            await one.put(ORIGIN, OLD)
            client.replicaof("127.0.0.1", 1)
            await WRITES[kind](other)
            events.time += 60
            assert await other.get(ORIGIN) == OLD
            assert len(events.lost) == 1
            assert "ReadOnlyError" in events.lost[0]
            assert events.regained == []


@on_reactor
async def test_the_new_master_is_used_where_its_address_leads_to_it_after_a_failover():
    """The old master lives on as a replica, and its connections stay open: a name or a proxy stands
    for both servers.
    """
    events = Events()
    with RedisServer() as old, RedisServer() as new, old.client() as client:
        route = [old.port]
        gateway = await asyncio.start_server(partial(relay, route), "127.0.0.1", 0)
        url = f"redis://127.0.0.1:{gateway.sockets[0].getsockname()[1]}"
        async with members(url, 1, events=events, now=events.now) as (store,):
            await store.put(ORIGIN, OLD)
            client.replicaof("127.0.0.1", new.port)
            route[:] = [new.port]
            await store.put(ORIGIN, NEW)
            with new.client() as of_new:
                assert of_new.exists(f"robots:{{{ORIGIN}}}:record")
            assert events.lost == []
        gateway.close()


@on_reactor
async def test_a_connection_to_an_old_server_that_became_a_replica_is_closed(monkeypatch):
    """Before Redis 7 the error of a script does not begin with its name."""
    client, closed = Redis(), []

    async def disconnect(*, inuse_connections):
        closed.append(inuse_connections)

    async def call(_client):
        raise ResponseError("Error running script (call to f_0f841ec): -READONLY You can't write")

    opened = Connection(Address("a name"), Events(), time.monotonic)
    opened._opened = client
    monkeypatch.setattr(client.connection_pool, "disconnect", disconnect)
    assert await opened.ask(call, writes=True) is None
    assert closed == [False]


async def relay(route, reader, writer):
    """Connect a client to the server that has the route now."""
    there = await asyncio.open_connection("127.0.0.1", route[0])
    await asyncio.gather(pass_on(reader, there[1]), pass_on(there[0], writer))


async def pass_on(reader, writer):
    while octets := await reader.read(65536):
        writer.write(octets)
    writer.close()


@on_reactor
async def test_a_replica_grants_every_lease():
    with RedisServer() as server, server.client() as client:
        async with members(server.url, 1) as (store,):
            client.replicaof("127.0.0.1", 1)
            assert (await store.claim(ORIGIN)).granted


@on_reactor
async def test_a_store_that_closes_while_cancelled_calls_end_leaves_no_connection_open():
    with RedisServer() as server, server.client() as client:
        for steps in range(4, 14):  # of the way to the answer; it connects on the way
            async with members(server.url) as (store, _):
                call = asyncio.create_task(store.get(ORIGIN))
                for _ in range(steps):
                    await asyncio.sleep(0)
                call.cancel()
                await store.close()
            await asyncio.wait_for(until_alone(client), 5)


async def until_alone(client):
    while len(client.client_list()) > 1:
        await compat.sleep(0.01)


@on_reactor
async def test_a_store_that_was_closed_opens_no_new_connection():
    with RedisServer() as server, server.client() as client:
        async with members(server.url, 1) as (store,):
            await store.put(ORIGIN, OLD)
            await store.close()
            assert (await store.claim(ORIGIN)).granted
            await store.put(ORIGIN, NEW)
            assert client.info("clients")["connected_clients"] == 1


@on_reactor
async def test_after_a_restart_of_the_server_the_scripts_are_loaded_again():
    events = Events()
    with RedisServer() as server:
        async with members(server.url, events=events) as (one, other):
            assert (await one.claim(ORIGIN)).granted
            server.kill()
            server.start()
            assert (await one.claim(ORIGIN)).granted
            assert not (await other.claim(ORIGIN)).granted
            assert events.lost == []


@on_reactor
async def test_a_value_of_another_program_under_our_key_is_a_miss(redis):
    events = Events()
    async with members(redis.url, 1, events) as (store,):
        with redis.client() as client:
            for origin, value in (("https://a", "rubbish"), ("https://b", "")):
                client.set(f"robots:{{{origin}}}:record", value)
                assert await store.get(origin) is None
            client.lpush("robots:{https://c}:record", "rubbish")
            assert await store.get("https://c") is None
            client.lpush("robots:{https://d}:lease", "rubbish")
            client.pexpire("robots:{https://d}:lease", 60_000)
            assert (await store.claim("https://d")).granted
            client.set("robots:{https://e}:lease", "for ever")
            assert (await store.claim("https://e")).granted
            await store.put("https://c", OLD)
            assert client.type("robots:{https://c}:record") == b"string"
        assert events.lost == []
        assert len(events.failed) == 3


@on_reactor
async def test_a_server_that_is_no_redis_is_reported_once_and_not_used():
    events = Events()
    with Site({"/": Answer(b"hello")}) as site:
        async with members(site.origin.replace("http:", "redis:"), 1, events) as (store,):
            assert await store.get(ORIGIN) is None
            assert (await store.claim(ORIGIN)).granted
            assert len(events.lost) == 1


@on_reactor
async def test_a_lost_cluster_delays_no_call():
    events = Events()
    with Cluster(3) as cluster:
        async with members(cluster.url, 1, events, now=events.now) as (store,):
            await store.put(ORIGIN, OLD)
            for node in cluster.nodes:
                node.kill()
            assert (await store.claim(ORIGIN)).granted
            assert await store.get(ORIGIN) == OLD
            assert len(events.lost) == 1
