"""What must be true of bodies as they come in: see also test_fetcher.py."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import pytest

from scrapy_robots_policy.fetch import unpacking

BOMBS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "gzip, many members": lambda octets: gzip.compress(octets[: len(octets) // 50]) * 50,
}


@pytest.mark.parametrize("kind", BOMBS)
def test_no_more_is_unpacked_than_is_read(kind):
    packed, limit = BOMBS[kind](bytes(10_000_000)), 100_000
    tracemalloc.start()
    octets = unpacking.unpack(packed, [kind.partition(",")[0]], limit, is_whole=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert octets == bytes(limit)
    assert peak < 20 * limit
