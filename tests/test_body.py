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


PACKED = gzip.compress(b"User-agent: *")
UNREADABLE = {
    "too many encodings": (b"x", ["identity"] * (unpacking.MAX_ENCODINGS + 1)),
    "an encoding that was not asked for": (PACKED, ["br"]),
    "cut": (PACKED[:-9], ["gzip"]),
    "too many members": (gzip.compress(b"") * (unpacking.MAX_MEMBERS + 1), ["gzip"]),
}


@pytest.mark.parametrize("fault", UNREADABLE)
def test_a_whole_body_that_cannot_be_unpacked_is_an_error(fault):
    with pytest.raises(unpacking.UnreadableBodyError):
        unpacking.unpack(*UNREADABLE[fault], 1000, is_whole=True)


def test_of_a_body_that_was_cut_here_what_has_come_is_read():
    octets = unpacking.unpack(PACKED[:-9], ["gzip"], 1000, is_whole=False)
    assert octets
    assert b"User-agent: *".startswith(octets)


@pytest.mark.parametrize("encodings", [["identity"], ["gzip"], []])
def test_no_more_is_given_than_the_limit(encodings):
    octets = PACKED if encodings == ["gzip"] else b"User-agent: *"
    assert unpacking.unpack(octets, encodings, 5, is_whole=True) == b"User-"
