"""A clock that steps back and lifetimes of nothing change neither what is fetched nor how often."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from scrapy_robots_policy import compat
from tests.crawls import Chain, crawl
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, robots

OPEN, CLOSED = "User-agent: *\nDisallow:\n", "User-agent: *\nDisallow: /\n"
DAY = 86_400


@pytest.fixture
def step_back(monkeypatch):
    """Puts the system's clock back by a day."""
    real = time.time
    return lambda: monkeypatch.setattr(time, "time", lambda: real() - DAY)


class TimePasses(Chain):
    """Time passes before the second URL is asked for."""

    time_passes: Callable[[], None]

    def next(self):
        type(self).time_passes()
        return super().next()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "is_open_later"),
    [(robots(OPEN), robots(CLOSED), False), (Answer(status=503), robots(OPEN), True)],
    ids=["closes", "503"],
)
@on_reactor
async def test_stale_rules_are_fetched_again_even_if_the_clock_steps_back(
    first, second, is_open_later, step_back, monkeypatch
):
    passed = 0

    def pass_ten_minutes():
        nonlocal passed
        passed = 600
        step_back()

    monkeypatch.setattr(compat, "_monotonic_clock", lambda: lambda: time.monotonic() + passed)
    with Site({"/robots.txt": [first, second]}) as site:
        seen, _ = await crawl(
            site.url("/0"),
            spider=TimePasses,
            time_passes=staticmethod(pass_ten_minutes),
            ahead=[site.url("/1")],
            settings={"ROBOTS_TTL": 60, "RETRY_TIMES": 0},
        )
    assert site.count("/robots.txt") == 2
    assert (site.url("/0") in seen.answered) is not is_open_later
    assert (site.url("/1") in seen.answered) is is_open_later
