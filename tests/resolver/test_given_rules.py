"""Files that the user gives in place of those of sites: parsed once, and kept within a bound."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.rep import DIALECTS
from scrapy_robots_policy.resolver.given_rules import MAX_ORIGINS, GivenRules

RFC = DIALECTS["rfc9309"]
SECRET = b"User-agent: *\nDisallow: /secret\n"
MIB = 1024 * 1024


def large(number: int) -> bytes:
    """Rules that take some two megabytes once they are laid out."""
    lines = (b"Disallow: /%d/%d\n" % (number, line) for line in range(15_000))
    return b"User-agent: *\n" + b"".join(lines)


def use(given: GivenRules, file: bytes, origin: str = "http://a.example") -> None:
    """What is laid out counts from the next use on."""
    for _ in range(3):
        given.of(origin, RFC, file).allowed(f"{origin}/x", "MyBot")


def test_a_file_for_many_origins_is_parsed_once():
    given = GivenRules()
    rules = [given.of(f"http://host-{n}.example", RFC, SECRET) for n in range(1000)]
    assert len({id(one.rules) for one in rules}) == 1
    assert len({one.origin for one in rules}) == 1000
    assert given.of("http://host-0.example", RFC, SECRET) is rules[0]


def test_a_file_in_two_dialects_is_two():
    given = GivenRules()
    rules = [given.of("http://a.example", DIALECTS[name], SECRET) for name in ("google", "bing")]
    assert [one.dialect.name for one in rules] == ["google", "bing"]
    assert [one.rules.dialect.name for one in rules if one.rules] == ["google", "bing"]


def test_the_rules_that_were_not_used_for_longest_are_forgotten():
    given = GivenRules(max_octets=8 * MIB)
    files = [large(number) for number in range(20)]
    for file in files:
        use(given, SECRET)  # it is small, and in use all the time
        use(given, file)
        assert given.octets <= 8 * MIB or len(given) == 1
    assert 2 <= len(given) < 20
    kept = given.of("http://a.example", RFC, SECRET)
    assert given.of("http://a.example", RFC, SECRET) is kept
    assert not given.of("http://a.example", RFC, files[0]).allowed("http://a.example/0/1", "MyBot")


def test_rules_that_take_more_than_all_may_are_kept_alone():
    given = GivenRules(max_octets=MIB // 2)
    use(given, SECRET)
    use(given, large(1))
    assert len(given) == 1
    assert given.octets > MIB // 2


def test_what_is_counted_is_what_is_kept():
    given = GivenRules(max_octets=4 * MIB)
    for number in range(10):
        use(given, large(number))
    for file in given._files.values():
        given.octets -= file.octets_held
    assert given.octets == 0


@pytest.mark.parametrize("origins", [MAX_ORIGINS, MAX_ORIGINS + 1])
def test_the_origins_of_a_file_have_a_bound(origins: int):
    given = GivenRules()
    for number in range(origins):
        given.of(f"http://host-{number}.example", RFC, SECRET)
    (file,) = given._files.values()
    assert len(file.by_origin) == (MAX_ORIGINS if origins == MAX_ORIGINS else 1)
