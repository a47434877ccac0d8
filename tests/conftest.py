"""What several tests share: one Redis, empty for each of them."""

from __future__ import annotations

import pytest

from scrapy_robots_policy import compat
from tests.redis_server import BINARY, RedisServer


@pytest.fixture(scope="session")
def needs_redis():
    if BINARY is None:
        pytest.skip("there is no redis-server on this machine")
    if not compat.has_asyncio():
        pytest.skip("redis-py needs asyncio")


@pytest.fixture(scope="session")
def running_redis(needs_redis):
    with RedisServer() as server:
        yield server


@pytest.fixture
def redis(running_redis):
    with running_redis.client() as client:
        client.flushall()
        client.config_resetstat()
    return running_redis
