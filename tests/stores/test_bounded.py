"""What must be true of a cache that is bounded in number and in weight."""

from __future__ import annotations

from scrapy_robots_policy.stores.bounded import Bounded


def filled(count, weight, *keys, each=10):
    cache = Bounded(count, weight)
    for key in keys:
        cache.put(key, f"value of {key}", each)
    return cache


def kept(cache, keys):
    return "".join(key for key in keys if cache.get(key) is not None)


def test_beyond_the_number_the_oldest_entry_is_dropped_first():
    assert kept(filled(3, 1000, *"abcde"), "abcde") == "cde"


def test_beyond_the_weight_the_oldest_entry_is_dropped_first():
    cache = filled(100, 30, *"abcde")
    assert (kept(cache, "abcde"), cache.held) == ("cde", 30)


def test_the_entry_that_was_used_last_stays():
    cache = filled(3, 1000, *"abc")
    assert cache.get("a") == "value of a"
    cache.put("d", "value of d", 10)
    assert kept(cache, "abcd") == "acd"


def test_an_entry_that_is_put_again_has_its_new_weight():
    cache = filled(100, 100, *"aaaaaaaaaab")
    assert (kept(cache, "ab"), cache.held) == ("ab", 20)
    cache.put("a", "shorter", 1)
    assert (cache.get("a"), cache.held, len(cache)) == ("shorter", 11, 2)


def test_the_newest_entry_stays_however_heavy_it_is():
    cache = filled(100, 100, "a")
    cache.put("b", "value of b", 1000)
    assert kept(cache, "ab") == "b"


def test_an_entry_that_is_taken_out_has_no_weight():
    cache = filled(100, 100, *"ab")
    cache.pop("a")
    cache.pop("never there")
    assert (kept(cache, "ab"), cache.held) == ("b", 10)
