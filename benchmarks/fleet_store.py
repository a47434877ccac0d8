"""The store that a fleet shares, alone: how quick it is, and what an origin costs.

    python benchmarks/fleet_store.py [--origins N] [--only speed|cost|many]

speed  one process, one call at a time and 32 at a time; each get is of an origin that this process
       has not seen, so that its memory does not answer; the last column is the processor time of
       Redis, which bounds what all processes together can ask
cost   octets of Redis's memory for one origin of each kind, and on the wire, both ways: for the
       crawler that fetches its robots.txt, and for each that gets it from the store
many   a Redis filled with as many origins as are asked for, made from the real files as in
       memory.py; then what they take, how long each is kept, and how quick it still is
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import islice, pairwise
from typing import Any

from memory import bodies
from redis_server import RedisServer
from table import Table

from scrapy_robots_policy.rep import CacheEntry, FetchResult
from scrapy_robots_policy.stores import open_store
from scrapy_robots_policy.stores.codec import encode

AT_A_TIME = 32
DAY = 86_400  # seconds
FEW_LINES = b"User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n"


def record(body: bytes, status: int = 200) -> CacheEntry:
    now = time.time()
    outcome = FetchResult(status, media_type="text/plain", etag=f'"{hash(body):x}"')
    return CacheEntry(outcome, now, body if status == 200 else None, now)


def real(count: int, start: int = 0) -> Iterator[tuple[str, CacheEntry]]:
    return ((origin, record(body)) for origin, body in islice(bodies(start + count), start, None))


async def each(calls: Iterable[Callable[[], Awaitable[Any]]], at_a_time: int) -> list[float]:
    """Make all calls, so many at a time; the seconds that each took."""
    waiting, took = iter(calls), []

    async def worker() -> None:
        for call in waiting:
            began = time.perf_counter()
            await call()
            took.append(time.perf_counter() - began)

    await asyncio.gather(*(worker() for _ in range(at_a_time)))
    return took


async def show_speed(redis: RedisServer, count: int = 5000) -> None:
    table = Table("one process", "calls/s", "median ms", "p99 ms", "Redis's µs")
    entries = list(real(count))
    for at_a_time in (1, AT_A_TIME):
        redis.client.flushall()
        async with opened(redis) as writer, opened(redis) as reader:
            for name, calls in {
                "claim, release": [partial(claim, writer, origin) for origin, _ in entries],
                "put": [partial(writer.put, *pair) for pair in entries],
                "get": [partial(reader.get, origin) for origin, _ in entries],
                "get, known here": [partial(reader.get, origin) for origin, _ in entries],
                "take, leave": [partial(visit, writer, origin) for origin, _ in entries],
            }.items():
                began, busy = time.perf_counter(), processor(redis)
                took = sorted(await each(calls, at_a_time))
                seconds, busy = time.perf_counter() - began, processor(redis) - busy
                table.row(
                    f"{name}, {at_a_time} at a time",
                    f"{count / seconds:,.0f}",
                    f"{statistics.median(took) * 1000:.3f}",
                    f"{took[count * 99 // 100] * 1000:.3f}",
                    f"{busy / count * 1e6:.0f}",
                )


def processor(redis: RedisServer) -> float:
    """Seconds that the Redis has been busy."""
    times = redis.info("cpu")
    seconds: float = times["used_cpu_user"] + times["used_cpu_sys"]
    return seconds


@asynccontextmanager
async def opened(redis: RedisServer) -> AsyncIterator[Any]:
    store = open_store(redis.url)
    try:
        yield store
    finally:
        await store.close()


async def claim(store: Any, origin: str) -> None:
    assert (await store.claim(origin)).granted
    store.release(origin)


async def visit(store: Any, origin: str) -> None:
    host = origin.partition("://")[2]
    await store.take(host, 1.0)
    store.leave(host, visited=True)


KINDS: dict[str, Callable[[int], Iterator[tuple[str, CacheEntry]]]] = {
    "no file (404)": lambda count: (
        (f"https://www.site-{n}.example", record(b"", 404)) for n in range(count)
    ),
    "a file of three lines": lambda count: (
        (f"https://www.site-{n}.example", record(FEW_LINES)) for n in range(count)
    ),
    "the real files": real,
}


async def show_cost(redis: RedisServer, count: int = 20_000) -> None:
    table = Table("octets an origin", "file", "packed", "in Redis", "to fetch it", "to get it")
    for name, made in KINDS.items():
        redis.client.flushall()
        before, on_wire = used(redis), [wire(redis)]
        async with opened(redis) as writer, opened(redis) as reader:
            await each((partial(fetch, writer, *pair) for pair in made(count)), AT_A_TIME)
            on_wire.append(wire(redis))
            await each((partial(reader.get, origin) for origin, _ in made(count)), AT_A_TIME)
            on_wire.append(wire(redis))
        sizes = [(len(r.octets or b""), len(encode(r))) for _, r in islice(made(count), 5000)]
        file, packed = (statistics.mean(column) for column in zip(*sizes, strict=True))
        fetched, got = (later - earlier for earlier, later in pairwise(on_wire))
        measured = (octets / count for octets in (used(redis) - before, fetched, got))
        table.row(name, *(f"{figure:,.0f}" for figure in (file, packed, *measured)))


async def fetch(store: Any, origin: str, made: CacheEntry) -> None:
    """All calls of the store by a process that fetches a robots.txt for the first time."""
    assert await store.get(origin) is None
    assert (await store.claim(origin)).granted
    await store.put(origin, made)
    store.release(origin)


def used(redis: RedisServer) -> int:
    octets: int = redis.info("memory")["used_memory"]
    return octets


def wire(redis: RedisServer) -> int:
    """Octets that the Redis has sent and been sent so far."""
    stats = redis.info("stats")
    octets: int = stats["total_net_output_bytes"] + stats["total_net_input_bytes"]
    return octets


async def show_many(redis: RedisServer, count: int) -> None:
    redis.client.flushall()
    before, began, processor = used(redis), time.perf_counter(), time.process_time()
    async with opened(redis) as writer:
        await each((partial(writer.put, *pair) for pair in real(count)), AT_A_TIME)
    seconds, processor = time.perf_counter() - began, time.process_time() - processor
    octets, resident = used(redis) - before, redis.info("memory")["used_memory_rss"]
    print(f"\n{count:,} origins put in {seconds:,.0f} s, {processor:,.0f} s of processor time here")
    keys, apiece = redis.client.dbsize(), f"{octets / count:,.0f} octets an origin"
    print(f"{keys:,} keys, {apiece}: {mebi(octets)} used, {mebi(resident)} resident")
    lives = sorted(redis.client.ttl(redis.client.randomkey()) for _ in range(10_000))
    print(f"TTLs of 10,000 keys: from {lives[0] / DAY:.2f} to {lives[-1] / DAY:.2f} days")
    await show_gets(redis, count)


def mebi(octets: int) -> str:
    return f"{octets / 2**20:,.0f} MiB"


async def show_gets(redis: RedisServer, count: int) -> None:
    chance, hits, took = random.Random(5), 0, []
    async with opened(redis) as reader:
        for _ in range(10_000):
            began = time.perf_counter()
            origin = f"https://www.site-{chance.randrange(count)}.example"
            hits += await reader.get(origin) is not None
            took.append(time.perf_counter() - began)
    took.sort()
    print(f"{hits:,} of 10,000 chosen at random found,", end=" ")
    print(f"{statistics.median(took) * 1000:.2f} ms each, p99 {took[9_900] * 1000:.2f} ms")


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("--origins", type=int, default=1_000_000)
    reader.add_argument("--only", choices=("speed", "cost", "many"))
    options = reader.parse_args()
    with RedisServer() as redis:
        if options.only in (None, "speed"):
            asyncio.run(show_speed(redis))
        if options.only in (None, "cost"):
            asyncio.run(show_cost(redis))
        if options.only in (None, "many"):
            asyncio.run(show_many(redis, options.origins))


if __name__ == "__main__":
    main()
