"""Crawl-delay and Request-rate: what a file asks, and who listens."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.rep import DIALECTS, parse
from scrapy_robots_policy.rep.directives import seconds, seconds_of_rate, visit_time

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

RATES = {
    "1/10s": 10.0,
    "1/10": 10.0,
    "100/24h": 864.0,
    "2/1m": 30.0,
    "1/1d": 86400.0,
    "1 / 10s 1800-1900": 10.0,
    "1/0": 0.0,
    "0/1": None,
    "10": None,
    "x/1": None,
    "\u0661/\u0665": None,
    "": None,
    "1/" + "9" * 400: None,
    "1/" + "1" * 5000: None,
}

FILE = b"""\
User-agent: *
Disallow: /x
Crawl-delay: 5

User-agent: bingbot
User-agent: Slurp
User-agent: Yeti
User-agent: SeznamBot
User-agent: YandexBot
User-agent: Googlebot
User-agent: FooBot
Disallow: /y

User-agent: Slurp
User-agent: FooBot
User-agent: SeznamBot
Disallow: /z
Crawl-delay: 2.5
Crawl-delay: 7
Crawl-delay: soon
Request-rate: 1/30s
"""


@pytest.mark.parametrize(("value", "delay"), VALUES.items(), ids=lambda value: str(value)[:12])
def test_a_delay_is_a_number_of_seconds_from_zero_on(value: str, delay: float | None):
    assert seconds(value) == delay


@pytest.mark.parametrize(("value", "delay"), RATES.items(), ids=lambda value: str(value)[:12])
def test_a_rate_is_documents_in_a_time(value: str, delay: float | None):
    assert seconds_of_rate(value) == delay


@pytest.mark.parametrize(
    ("dialect", "agent", "delay"),
    [
        ("rfc9309", "OtherBot", 5.0),
        ("rfc9309", "FooBot", 7.0),  # both its groups bind it; the longest delay counts
        ("google", "Googlebot", None),  # not listened to
        ("yandex", "YandexBot", None),  # not since 2018
        ("apple", "Applebot", None),
        ("360", "360Spider", None),  # as apple, for want of a source
        ("amazon", "Amazonbot", None),
        ("bing", "bingbot", 5.0),  # no delay of its own: that of "*" still holds
        ("yahoo", "Slurp", None),  # its first group alone binds it
        ("naver", "Yeti", None),  # no delay of its own
        ("naver", "OtherBot", 5.0),
        ("seznam", "SeznamBot", 30.0),  # listens to Request-rate
        ("original1994", "OtherBot", None),
    ],
)
def test_the_delay_is_that_of_the_group_that_binds_the_crawler(
    dialect: str, agent: str, delay: float | None
):
    assert parse(FILE, dialect).crawl_delay(agent) == delay


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_visit_time_is_for_the_user_agent_lines_right_above_it(dialect: str):
    file = b"User-agent: a\nVisit-time: 0100-0200\nUser-agent: b\nUser-agent: c\nDisallow: /x\n"
    times = [[str(time) for time in parse(file, dialect).visit_times(name)] for name in "abc"]
    assert times == [["01:00-02:00 UTC"], [], []]


@pytest.mark.parametrize("dialect", ["original1994", "duckduckgo"])
def test_a_time_among_rules_that_are_for_all_is_for_all(dialect: str):
    rules = parse(b"Disallow: /x\nVisit-time: 0100-0200\n\nUser-agent: a\nDisallow: /y\n", dialect)
    times = [[str(time) for time in rules.visit_times(name)] for name in ("FooBot", "a")]
    assert times == [["01:00-02:00 UTC"], []]


def test_for_yandex_the_times_are_those_of_every_record_that_binds_the_crawler():
    """By whatever of its names: a list counts by the longest name in it, be it another's."""
    file = (
        b"User-agent: Yandex\nUser-agent: longname9\nVisit-time: 0100-0200\nDisallow: /a\n\n"
        b"User-agent: YandexBot\nVisit-time: 0300-0400\nDisallow: /b\n\n"
        b"User-agent: *\nVisit-time: 0500-0600\nDisallow: /c\n"
    )
    times = [str(time) for time in parse(file, "yandex").visit_times("YandexBot")]
    assert times == ["01:00-02:00 UTC", "03:00-04:00 UTC"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_delay_is_asked_where_no_group_binds_the_crawler(dialect: str):
    assert parse(b"User-agent: x\nCrawl-delay: 9", dialect).crawl_delay("FooBot") is None


TIMES = {
    "0600-0845": "06:00-08:45 UTC",
    "06:00 - 08:45 UTC": "06:00-08:45 UTC",
    "2200-0400": "22:00-04:00 UTC",
    "0000-2400": "00:00-24:00 UTC",
    "0660-0700": None,
    "2500-2600": None,
    "0600": None,
    "morning": None,
    "\u0660600-0700": None,
    "": None,
}


@pytest.mark.parametrize(("value", "shown"), TIMES.items())
def test_a_visit_time_is_a_span_of_the_day(value: str, shown: str | None):
    hours = visit_time(value)
    assert (None if hours is None else str(hours)) == shown


HOUR = 3600
OPENS = [  # (span, hour of the day, hours until it opens)
    ("0600-0845", 6, 0),
    ("0600-0845", 8.5, 0),
    ("0600-0845", 8.75, 21.25),
    ("0600-0845", 5, 1),
    ("2200-0400", 23, 0),
    ("2200-0400", 3, 0),
    ("2200-0400", 4, 18),
    ("0000-2400", 12, 0),
    ("1200-1200", 3, 0),
]


@pytest.mark.parametrize(("value", "hour", "wait"), OPENS)
def test_a_span_opens_once_a_day(value: str, hour: float, wait: float):
    span = visit_time(value)
    assert span is not None
    assert span.opens_in(20_000 * 24 * HOUR + hour * HOUR) == wait * HOUR


def test_visit_times_are_those_of_the_group_that_binds_the_crawler():
    file = (
        b"User-agent: *\nDisallow: /x\nVisit-time: 0100-0200\n\n"
        b"User-agent: Foo\nDisallow: /x\nVisit-time: 0300-0400\nVisit-time: 0500-0600\n"
    )
    rules = parse(file, "seznam")
    assert [str(span) for span in rules.visit_times("Foo")] == [
        "03:00-04:00 UTC",
        "05:00-06:00 UTC",
    ]
    assert [str(span) for span in rules.visit_times("Bar")] == ["01:00-02:00 UTC"]
    assert parse(b"User-agent: *\nDisallow: /", "seznam").visit_times("Bar") == ()


def test_of_very_many_visit_times_the_first_ones_are_read():
    """Each request asks all of them, and their list becomes the cause of a refusal."""
    lines = b"".join(b"Visit-time: 06%02d-0700\n" % (number % 60) for number in range(10_000))
    spans = parse(b"User-agent: *\n" + lines, "seznam").visit_times("Foo")
    assert [str(span) for span in spans[:2]] == ["06:00-07:00 UTC", "06:01-07:00 UTC"]
    assert len(spans) == 100
