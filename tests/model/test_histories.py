"""Whatever happens to sites over days, a crawl does what RFC 9309 and the docs permit."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.changing_site import PATHS, Answer, File
from tests.model.checks import check, check_sitemaps
from tests.model.oracle import DAY, HOUR, POLICIES
from tests.model.virtual_time import virtual_time
from tests.model.world import HOSTS, STORES, World
from tests.on_reactor import on_reactor

# Hypothesis takes up to 300 s to shrink a history that fails.
pytestmark = pytest.mark.timeout(900)


@dataclass(frozen=True)
class Step:
    """Time passes. Then a host may change, pages of it are asked for, and a crawl may be closed.

    answer  what the host answers from then on when it is asked for its robots.txt; None: as before
    paths   the pages, all at once
    seat    which of the crawls is asked, or closed
    days    so many days in a row the pages are asked for
    """

    seconds: float = 0.0
    host: str = HOSTS[0]
    answer: Answer | None = None
    pages_take: float = 0.0
    paths: tuple[str, ...] = ()
    seat: int = 0
    days: int = 1
    closes: bool = False

    async def happen(self, world: World) -> None:
        site = world.sites[self.host]
        await world.time.forward(self.seconds)
        if self.answer is not None:
            site.answer = self.answer
        site.pages_take = self.pages_take
        for day in range(self.days):
            await world.time.forward(DAY if day else 0.0)
            await world.ask(self.seat, self.host, self.paths)
        if self.closes:
            await world.reopen(self.seat)


def often(usual, *others):
    """A strategy in which `usual` comes as often as all others together."""
    return st.just(usual) | st.sampled_from(others)


closed = st.frozensets(st.sampled_from(PATHS))
files = st.builds(
    File,
    closed,
    st.none() | closed,
    delay=often(0.0, 5.0, 40.0),
    hours=often(None, (0, 6), (6, 7), (22, 2)),
    has_sitemap=st.booleans(),
)
answers = st.builds(
    Answer,
    status=often(200, None, 503, 503, 429, 404, 403),
    file=files,
    lifetime=often(None, 0, 0, 90, 7200, 100 * int(DAY)),
    has_etag=st.booleans(),
    retry_after=often(None, 5, 120, int(DAY)),
    hops=often(0, 0, 0, 1, 5, 6, 11),
    takes=often(0.0, 0.5, 20.0),
)
short = st.sampled_from([0.0, 0.5, 1.0, 10.0, 60.0, 300.0])
long = st.sampled_from([HOUR, 6 * HOUR, 13 * HOUR, DAY, 1.5 * DAY, 1.5 * DAY, 3 * DAY, 31 * DAY])
steps = st.builds(
    Step,
    seconds=short | long,
    host=often(*HOSTS),
    answer=answers | st.none(),
    pages_take=often(0.0, 3.0, 100.0),
    paths=st.lists(st.sampled_from(PATHS), max_size=2).map(tuple),
    seat=st.integers(0, 1),
    days=often(1, 1, 1, 1, 1, 1, 35),
    closes=often(False, False, False, False, False, True),
)


def histories(max_steps):
    """Most are long. One that fails shrinks to a short one."""
    lengths = st.integers(0, max_steps)
    return lengths.flatmap(lambda length: st.lists(steps, min_size=length, max_size=max_steps))


dialects = st.sampled_from(list(POLICIES))
keepers = st.sampled_from(list(STORES))


@settings(max_examples=15)
@given(dialects, keepers, histories(max_steps=8))
@on_reactor
async def test_crawls_do_what_is_permitted(dialect, keeps, history):
    await happens(dialect, keeps, history)


@pytest.mark.slow
@settings(max_examples=240)
@given(dialects, keepers, histories(max_steps=25))
@on_reactor
async def test_crawls_do_what_is_permitted_however_much_happens(dialect, keeps, history):
    await happens(dialect, keeps, history)


async def happens(dialect, keeps, history):
    """Play a history, and check all that was seen."""
    with virtual_time() as time:
        world = World(time, dialect, keeps)
        await world.open()
        try:
            for step in history:
                await step.happen(world)
                check_sitemaps(world)
            await world.run_on()
        finally:
            await world.close()
        check(world)
