"""A clock that steps back and lifetimes of nothing change neither what is fetched nor how often."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import pairwise

import pytest

from scrapy_robots_policy import compat
from scrapy_robots_policy.compat import steady_clock
from scrapy_robots_policy.resolver.sources import MIN_LIFE
from tests.crawls import OURS, REACTORS, Chain, Plan, crawl, crawl_apart
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, robots

OPEN, CLOSED = "User-agent: *\nDisallow:\n", "User-agent: *\nDisallow: /\n"
DAY = 86_400


@pytest.fixture
def step_back(monkeypatch):
    """Puts the system's clock back by a day."""
    real = time.time
    return lambda: monkeypatch.setattr(time, "time", lambda: real() - DAY)


def test_the_clock_of_a_crawl_never_goes_back(step_back):
    now = steady_clock()
    before = now()
    step_back()
    assert before <= now() <= before + DAY / 2


SYSTEMS = {"linux": "CLOCK_BOOTTIME", "darwin": "CLOCK_MONOTONIC", "win32": None}


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_clock_of_a_crawl_goes_on_while_the_machine_sleeps(system, monkeypatch):
    clocks = {"monotonic": 100.0, SYSTEMS[system]: 100.0}
    for name in SYSTEMS.values():
        if name is not None:
            monkeypatch.delattr(time, name, raising=False)
    if SYSTEMS[system] is None:  # there `time.monotonic` goes on itself
        monkeypatch.delattr(time, "clock_gettime", raising=False)
    else:
        monkeypatch.setattr(time, SYSTEMS[system], SYSTEMS[system], raising=False)
        monkeypatch.setattr(time, "clock_gettime", clocks.__getitem__, raising=False)
    monkeypatch.setattr(time, "monotonic", lambda: clocks["monotonic"])
    monkeypatch.setattr(sys, "platform", system)
    now = steady_clock()
    before = now()
    clocks[SYSTEMS[system] or "monotonic"] += DAY
    assert now() - before == pytest.approx(DAY)


def test_a_system_without_such_a_clock_has_a_steady_one_all_the_same(monkeypatch):
    def refuse(clock):
        raise OSError(clock)

    monkeypatch.setattr(time, "clock_gettime", refuse, raising=False)
    now = steady_clock()
    assert now() <= now() <= time.time() + 60


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
            settings={"ROBOTS_TTL": 60, "ROBOTS_ERROR_TTL": 60, "ROBOTS_FETCH_RETRIES": 0},
        )
    assert site.count("/robots.txt") == 2
    assert (site.url("/0") in seen.answered) is not is_open_later
    assert (site.url("/1") in seen.answered) is is_open_later


@pytest.mark.slow
@pytest.mark.parametrize("kind", REACTORS)
def test_a_robots_txt_without_a_lifetime_is_not_fetched_for_each_page(kind):
    script = {f"/{n}": Answer(after=0.05) for n in range(50)}
    with Site({"/robots.txt": robots(OPEN), **script}) as site:
        urls = [site.url(path) for path in script]
        settings = {**OURS, **REACTORS[kind], "ROBOTS_TTL": 0, "CONCURRENT_REQUESTS": 1}
        seen = crawl_apart(Plan(urls, settings))
        times = [hit.asked_at for hit in site.hits if hit.path == "/robots.txt"]
    assert sorted(seen.answered) == sorted(urls)
    assert all(later - earlier >= MIN_LIFE * 0.99 for earlier, later in pairwise(times))
