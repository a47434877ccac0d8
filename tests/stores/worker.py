"""A process that uses a store with others: `python -m tests.stores.worker URI NAME COUNT`.

Puts COUNT records, reads each one back, and prints its origin once it is kept.
"""

from __future__ import annotations

import sys

from scrapy.utils.defer import deferred_f_from_coro_f
from scrapy.utils.reactor import install_reactor
from twisted.internet import task

from scrapy_robots_policy.rep import CacheEntry, FetchResult
from scrapy_robots_policy.stores import open_store

OCTETS = b"User-agent: *\nDisallow: /" + bytes(range(256)) * 8


@deferred_f_from_coro_f
async def work(_reactor: object, uri: str, name: str, count: str) -> None:
    store = open_store(uri)
    for number in range(int(count)):
        origin = f"https://{name}-{number}.example"
        record = CacheEntry(FetchResult(200), 1000.0 + number, OCTETS, 1000.0)
        await store.put(origin, record)
        assert await store.get(origin) == record
        print(origin, flush=True)  # noqa: T201 - told to the test
    await store.close()


if __name__ == "__main__":
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    task.react(work, sys.argv[1:])
