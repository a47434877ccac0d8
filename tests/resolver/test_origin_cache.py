"""What must be true of the one cache of origins: its bounds, and what goes first."""

from __future__ import annotations

import random

import pytest

from scrapy_robots_policy.rep import DIALECTS, CacheEntry, FetchResult
from scrapy_robots_policy.rep.access_policy import AccessOverrides
from scrapy_robots_policy.resolver.cache import (
    MAX_UNWEIGHED,
    WEIGH_EVERY,
    WEIGHED_USES,
    OriginCache,
)
from scrapy_robots_policy.resolver.origin import OVERHEAD, OriginState
from scrapy_robots_policy.stores.codec import FRAME_OVERHEAD

SIZE = 10_000
LOTS = 10**9


def state(origin, size=SIZE):
    file = random.Random(origin).randbytes(size)  # it does not shrink
    entry = CacheEntry(FetchResult(200), 1.0, file, 1.0)
    return OriginState(origin, AccessOverrides(), entry)


def cache_of(*origins, **bounds):
    bounds = {"max_origins": 1000, "max_octets": LOTS, "max_ready_octets": LOTS, **bounds}
    cache = OriginCache(AccessOverrides(), **bounds)
    for origin in origins:
        cache.put(state(origin))
    return cache


def kept(cache, origins):
    return "".join(origin for origin in origins if cache.get(origin) is not None)


def test_beyond_the_number_the_least_recently_used_origin_is_dropped():
    cache = cache_of(*"abc", max_origins=3)
    cache.get("a")
    cache.put(state("d"))
    assert (kept(cache, "abcd"), len(cache)) == ("acd", 3)


def test_beyond_the_octets_the_least_recently_used_origin_is_dropped():
    cache = cache_of(*"abcdef", max_octets=3 * (SIZE + OVERHEAD))
    assert kept(cache, "abcdef")[-2:] == "ef"
    assert len(cache) < 5
    assert cache.octets <= cache.max_octets


def test_beyond_the_octets_of_parsed_rules_an_origin_is_packed_and_kept():
    cache = cache_of(*"abcdef", max_ready_octets=3 * (SIZE + OVERHEAD))
    assert (len(cache), cache.ready_octets) == (6, 3 * (SIZE + OVERHEAD))
    assert cache.packed_octets >= 3 * SIZE
    assert cache.get("a").entry == state("a").entry


def test_an_origin_that_is_put_again_counts_once():
    cache = cache_of(*"aaaaaaaaab", max_octets=3 * (SIZE + OVERHEAD))
    assert (kept(cache, "ab"), len(cache)) == ("ab", 2)
    assert cache.octets == 2 * (SIZE + OVERHEAD)


@pytest.mark.parametrize("max_ready_octets", [LOTS, 0])
def test_a_discarded_origin_frees_its_octets(max_ready_octets):
    cache = cache_of(*"ab", max_ready_octets=max_ready_octets)
    for origin in "abc":
        cache.discard(origin)
    assert (kept(cache, "abc"), len(cache), cache.octets) == ("", 0, 0)


def test_the_newest_origin_stays_however_large_it_is():
    cache = cache_of("a", "b", max_octets=SIZE // 2, max_ready_octets=SIZE // 2)
    assert kept(cache, "ab") == "b"


def test_an_origin_without_an_entry_is_not_packed():
    cache = cache_of(max_ready_octets=0)
    cache.put(OriginState("a", AccessOverrides()))
    cache.put(state("b"))
    assert kept(cache, "ab") == "b"


@pytest.mark.slow
def test_origins_without_a_file_count_in_the_octets_too():
    cache = cache_of(max_ready_octets=0, max_octets=100 * FRAME_OVERHEAD)
    for number in range(1000):
        cache.put(state(f"http://{number}.example", size=0))
    assert len(cache) < 100


def test_what_was_packed_and_put_again_is_not_replaced_by_what_it_was_before():
    cache = cache_of("a")
    before = cache.get("a")
    after = state("a", SIZE + 1)
    cache.put(after)
    for origin in "bcdefg":
        cache.put(state(origin))
        cache.get(origin)
    assert before is not after
    assert cache.get("a") is after


def test_rules_that_are_laid_out_count_even_if_no_origin_is_new():
    lines = b"".join(b"Disallow: /*%d*a%d$\n" % (n, n) for n in range(50))
    origins = "abcdefghijklmnopqrst"
    cache = cache_of()
    for origin in origins:
        entry = CacheEntry(FetchResult(200), 1.0, b"User-agent: *\n" + lines, 1.0)
        cache.put(OriginState(origin, AccessOverrides(), entry))
    cache.max_ready_octets = cache.ready_octets  # enough for all of them without their indexes
    for _ in range(WEIGHED_USES):
        for origin in origins:
            cache.get(origin).rules(DIALECTS["rfc9309"], 2.0).allowed("http://x/x", "Bot")
    held = [cache.get(origin).octets for origin in list(cache._ready)]
    assert sum(held) <= cache.max_ready_octets + (MAX_UNWEIGHED + 1) * max(held)
    assert len(held) < len(cache) == len(origins)


@pytest.mark.slow
def test_rules_that_are_laid_out_count_whatever_number_of_questions_each_origin_gets():
    """At the second question a file of 20 KB takes 300 KB. Two are asked of each origin."""
    lines = b"".join(b"Disallow: /*%d*a%d$\n" % (n, n) for n in range(1000))
    origins = [f"http://{n}.example" for n in range(40)]
    cache = cache_of(max_ready_octets=1_500_000)
    for origin in origins:
        entry = CacheEntry(FetchResult(200), 1.0, b"User-agent: *\n" + lines, 1.0)
        cache.put(OriginState(origin, AccessOverrides(), entry))
        for _ in range(2):
            rules = cache.get(origin).rules(DIALECTS["rfc9309"], 2.0)
            assert rules.allowed(f"{origin}/x", "Bot")
    held = [cache.get(origin).octets for origin in origins if origin in cache._ready]
    assert sum(held) <= cache.max_ready_octets + (MAX_UNWEIGHED + 1) * max(held)
    assert len(cache) == len(origins)


def test_what_is_to_be_weighed_is_bounded_in_number():
    """It would hold each origin of a long crawl, with its rules, whatever the cache forgets."""
    cache, names = cache_of(), [f"http://{number}.example" for number in range(50)]
    for name in names:
        cache.put(state(name, 1))
        cache.get(name)
    assert len(cache._unweighed) <= MAX_UNWEIGHED


def test_rules_that_are_laid_out_late_count_too():
    """A file may be asked for another crawler, or for its use, after many other questions."""
    cache = cache_of()

    def weigh():
        for number in range(MAX_UNWEIGHED + 1):
            cache.put(state(f"{number}", 0))
            cache.get(f"{number}")

    grown = OriginState("grown", AccessOverrides())
    cache.put(grown)
    for _ in range(WEIGHED_USES):
        cache.get("grown")
    weigh()
    grown.entry = state("grown").entry
    for _ in range(WEIGH_EVERY):
        cache.get("grown")
    weigh()
    assert cache.ready_octets == SIZE + (MAX_UNWEIGHED + 2) * OVERHEAD
