"""What must be true of the store on Redis where its server dies, hangs, is full or no Redis."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from tests.on_reactor import on_reactor
from tests.redis_server import Cluster, RedisServer
from tests.site import Answer, Site
from tests.stores.members import HOST, NEW, OLD, ORIGIN, Heard, members

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("needs_redis")]


@on_reactor
async def test_a_server_that_is_gone_holds_up_nobody_and_is_told_of_once():
    told = Heard()
    with RedisServer() as server:
        async with members(server.url, told=told, now=told.now) as (one, other):
            await one.put(ORIGIN, OLD)
            server.kill()
            assert await one.get(ORIGIN) == OLD
            assert await one.claim(ORIGIN) == await one.claim(ORIGIN)
            assert (await one.claim(ORIGIN)).granted
            assert await one.take(HOST, 60.0) == 0.0
            await one.put(ORIGIN, NEW)
            assert (await one.claim(ORIGIN)).record == NEW
            assert len(told.lost) == 1
            assert f"127.0.0.1:{server.port}/0 ConnectionError: " in told.lost[0]

            server.start()
            told.time += 60
            await one.put(ORIGIN, NEW)
            assert len(told.regained) == 1
            assert await other.get(ORIGIN) == NEW
            assert told.failed == []


@on_reactor
async def test_a_server_that_does_not_answer_is_waited_for_once():
    told = Heard()
    with RedisServer() as server:
        async with members(server.url, 1, told, now=told.now) as (store,):
            await store.put(ORIGIN, OLD)
            server.pause()
            for number in range(1000):
                assert (await store.claim(f"https://{number}.example")).granted
            assert store.link._faults == 1
            assert len(told.lost) == 1
            server.resume()
            told.time += 60
            assert (await store.claim("https://new.example")).granted
            assert len(told.regained) == 1


@on_reactor
async def test_one_tries_whether_a_server_is_back_and_the_others_do_not_wait_for_that():
    told = Heard()
    with RedisServer() as server:
        async with members(server.url, 1, told, now=told.now) as (store,):
            server.pause()
            await store.get(ORIGIN)
            told.time += 60
            answered = []

            async def get(number):
                await store.get(f"https://{number}.example")
                answered.append(number)

            await asyncio.gather(*map(get, range(50)))
            assert answered == [*range(1, 50), 0]
            assert len(told.lost) == 1


@on_reactor
async def test_the_longer_a_server_is_gone_the_less_often_it_is_tried():
    told = Heard()
    with RedisServer() as server:
        async with members(server.url, 1, told, now=told.now) as (store,):
            server.kill()
            tried = []
            for _ in range(2000):
                faults = store.link._faults
                await store.claim(ORIGIN)
                if store.link._faults > faults:
                    tried.append(told.time)
                told.time += 0.1
            gaps = [round(later - earlier) for earlier, later in pairwise(tried)]
            assert gaps == [1, 2, 4, 8, 16, *[30] * (len(gaps) - 5)]
            assert len(told.lost) == 1


@on_reactor
async def test_calls_that_fail_together_are_one_fault():
    told = Heard()
    with RedisServer() as server:
        async with members(server.url, 1, told, now=told.now) as (store,):
            await asyncio.gather(*(store.get(f"https://{n}.example") for n in range(10)))
            server.kill()
            await asyncio.gather(*(store.get(f"https://{n}.example") for n in range(10, 20)))
            server.start()
            await store.put(ORIGIN, OLD)
            told.time += 1.1  # the first pause is over
            await store.put(ORIGIN, NEW)
            with server.client() as client:
                assert client.exists(f"robots:{{{ORIGIN}}}:record")


@on_reactor
async def test_a_server_that_is_full_is_still_read():
    told = Heard()
    with RedisServer() as server, server.client() as client:
        async with members(server.url, told=told, now=told.now) as (one, other):
            await one.put(ORIGIN, OLD)
            client.config_set("maxmemory", "1")
            await one.put("https://other.example", OLD)
            assert (await one.claim("https://third.example")).granted
            assert await other.get(ORIGIN) == OLD
            assert len(told.lost) == 1
            assert "OutOfMemoryError" in told.lost[0]
            told.time += 60
            await other.get("https://nothing.example")
            assert told.regained == []  # it is as full as before
            client.config_set("maxmemory", "0")
            await one.put("https://other.example", OLD)
            assert len(told.regained) == 1


@on_reactor
async def test_a_replica_is_read():
    told = Heard()
    with RedisServer() as server, server.client() as client:
        async with members(server.url, told=told) as (one, other):
            await one.put(ORIGIN, OLD)
            client.replicaof("127.0.0.1", 1)
            assert (await one.claim("https://third.example")).granted
            assert await other.get(ORIGIN) == OLD
            assert len(told.lost) == 1
            assert "ReadOnlyError" in told.lost[0]


@on_reactor
async def test_a_server_that_was_started_anew_has_lost_its_scripts_and_nothing_else_is_lost():
    told = Heard()
    with RedisServer() as server:
        async with members(server.url, told=told) as (one, other):
            assert (await one.claim(ORIGIN)).granted
            server.kill()
            server.start()
            assert (await one.claim(ORIGIN)).granted
            assert not (await other.claim(ORIGIN)).granted
            assert told.lost == []


@on_reactor
async def test_what_others_keep_under_our_names_is_a_miss(redis):
    told = Heard()
    async with members(redis.url, 1, told) as (store,):
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
        assert told.lost == []
        assert len(told.failed) == 4


@on_reactor
async def test_what_is_no_redis_is_told_once_and_left_alone():
    told = Heard()
    with Site({"/": Answer(b"hello")}) as site:
        async with members(site.origin.replace("http:", "redis:"), 1, told) as (store,):
            assert await store.get(ORIGIN) is None
            assert (await store.claim(ORIGIN)).granted
            assert len(told.lost) == 1


@on_reactor
async def test_a_cluster_that_is_gone_holds_up_nobody():
    told = Heard()
    with Cluster(3) as cluster:
        async with members(cluster.url, 1, told, now=told.now) as (store,):
            await store.put(ORIGIN, OLD)
            for node in cluster.nodes:
                node.kill()
            assert (await store.claim(ORIGIN)).granted
            assert await store.get(ORIGIN) == OLD
            assert len(told.lost) == 1
