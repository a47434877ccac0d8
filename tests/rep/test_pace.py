"""Crawl-delay: what a file asks, and who listens."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.rep import DIALECTS, parse
from scrapy_robots_policy.rep.delay import kept_delay, seconds

VALUES = {
    "10": 10.0,
    "0": 0.0,
    "4.5": 4.5,
    ".5": 0.5,
    "1e3": 1000.0,
    "5.": 5.0,
    "+5": 5.0,
    "1_0": None,
    "0x10": None,
    "1e": None,
    "1e999": None,
    ".": None,
    "\u0665": None,  # digits, but not ASCII ones
    "\xa05": None,  # a no-break space
    "-1": None,
    "-0": None,
    "": None,
    "5s": None,
    "1,5": None,
    "nan": None,
    "inf": None,
    "infinity": None,
    "9" * 400: None,
}


FILE = b"""\
User-agent: *
Disallow: /x
Crawl-delay: 5

User-agent: bingbot
User-agent: Slurp
User-agent: Yeti
User-agent: YandexBot
User-agent: Googlebot
User-agent: FooBot
Disallow: /y

User-agent: Slurp
User-agent: FooBot
Disallow: /z
Crawl-delay: 2.5
Crawl-delay: 7
Crawl-delay: soon
"""


@pytest.mark.parametrize(("value", "delay"), VALUES.items(), ids=lambda value: str(value)[:12])
def test_a_delay_is_a_number_of_seconds_from_zero_on(value: str, delay: float | None):
    assert seconds(value) == delay


@pytest.mark.parametrize(
    ("dialect", "agent", "delay"),
    [
        ("rfc9309", "OtherBot", 5.0),
        ("rfc9309", "FooBot", 7.0),  # both its groups bind it; the longest delay counts
        ("google", "Googlebot", None),  # not listened to
        ("yandex", "YandexBot", None),  # not since 2018
        ("apple", "Applebot", None),
        ("360", "360Spider", 5.0),  # no source: as rfc9309
        ("amazon", "Amazonbot", None),
        ("bing", "bingbot", 5.0),  # no delay of its own: that of "*" still holds
        ("yahoo", "Slurp", None),  # its first group alone binds it
        ("rfc9309", "Yeti", None),  # no delay of its own
        ("original1994", "OtherBot", None),
    ],
)
def test_the_delay_is_that_of_the_group_that_binds_the_crawler(
    dialect: str, agent: str, delay: float | None
):
    assert parse(FILE, dialect).crawl_delay(agent) == delay


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_delay_is_asked_where_no_group_binds_the_crawler(dialect: str):
    assert parse(b"User-agent: x\nCrawl-delay: 9", dialect).crawl_delay("FooBot") is None


@pytest.mark.parametrize(
    ("asked_for", "own", "longest", "kept"),
    [
        (10.0, None, 10.0, (10.0, "kept")),
        (11.0, None, 10.0, (10.0, "clamped to 10 s")),
        (11.0, None, 0.0, (0.0, "")),
        (None, None, 10.0, (0.0, "")),
        (11.0, 20.0, 10.0, (20.0, "set")),
        (11.0, 0.0, 10.0, (0.0, "")),
        (1e300, None, 1e300, (366 * 86_400.0, "kept")),
    ],
)
def test_a_delay_is_kept_within_the_users_limit(asked_for, own, longest, kept):
    delay = kept_delay(asked_for, own, longest)
    assert (delay.seconds, str(delay)) == kept
