"""Stores on one Redis, as so many processes have them."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from scrapy_robots_policy.rep import CacheEntry, FetchResult
from scrapy_robots_policy.stores import StoreEvents
from scrapy_robots_policy.stores.redis import RedisStore
from scrapy_robots_policy.stores.redis.address import Address

ORIGIN, HOST = "https://example.com", "example.com"
OLD = CacheEntry(FetchResult(200), 1000.0, b"User-agent: *", 1000.0)
NEW = CacheEntry(FetchResult(200), 2000.0, b"User-agent: *", 2000.0)


@dataclass
class Events(StoreEvents):
    """Notes the events of a store, and has a clock that only a test moves."""

    failed: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    regained: list[str] = field(default_factory=list)
    policies: list[str] = field(default_factory=list)
    time: float = 0.0

    def on_failed(self, verb, error):
        self.failed.append(f"{verb} {error}")

    def on_lost(self, store, why):
        self.lost.append(f"{store} {why}")

    def on_regained(self, store):
        self.regained.append(store)

    def on_dangerous_policy(self, store, policy):
        self.policies.append(policy)

    def now(self):
        return self.time


@asynccontextmanager
async def members(url, count=2, events=None, **options):
    """So many stores on one Redis, as so many processes have them."""
    events = events or Events()
    stores = [RedisStore(Address.of_uri(url), events, **options) for _ in range(count)]
    try:
        yield stores
    finally:
        for store in stores:
            await store.close()
