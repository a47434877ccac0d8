"""Whatever happens to sites over days, a crawl does what RFC 9309 and the docs permit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.checks import check, check_sitemaps
from tests.model.oracle import DAY, HOUR, POLICIES
from tests.model.plan import OBEYS, REDIRECTS, Manner, Plan
from tests.model.recorded import check_records
from tests.model.site_files import (
    OTHER_AGENT,
    PATHS,
    ROBOTS_TXT,
    TDMREP,
    Answer,
    File,
    TdmFile,
)
from tests.model.world import HOSTS, STORES, World
from tests.on_reactor import on_reactor
from tests.virtual_time import virtual_time

USUAL = Manner()

# Hypothesis takes up to 300 s to shrink a history that fails.
pytestmark = pytest.mark.timeout(900)


@dataclass(frozen=True)
class Step:
    """Time passes. Then a host may change, pages of it are asked for, and a crawl may be closed.

    answer  what the host answers from then on when it is asked for its robots.txt; None: as before
    tdmrep  the same for its tdmrep.json
    paths   the pages, all at once
    manner  how the crawl is asked for them
    seat    which of the crawls is asked, or closed
    days    so many days in a row the pages are asked for
    pauses  so many seconds the crawl is paused then
    pages_lead_to  the host to whose pages those of this one redirect from then on; "": they do not
    """

    seconds: float = 0.0
    host: str = HOSTS[0]
    answer: Answer | None = None
    tdmrep: Answer | None = None
    pages_take: float = 0.0
    pages_lead_to: str = ""
    paths: tuple[str, ...] = ()
    manner: Manner = USUAL
    seat: int = 0
    days: int = 1
    pauses: float = 0.0
    closes: bool = False

    async def happen(self, world: World) -> None:
        site = world.sites[self.host]
        await world.time.forward(self.seconds)
        site.answers[ROBOTS_TXT] = self.answer or site.answers[ROBOTS_TXT]
        site.answers[TDMREP] = self.tdmrep or site.answers[TDMREP]
        site.pages_take, site.pages_lead_to = self.pages_take, self.pages_lead_to
        for day in range(self.days):
            await world.time.forward(DAY if day else 0.0)
            await world.ask(self.seat, self.host, self.paths, self.manner)
        if self.pauses:
            await world.pause(self.seat, self.pauses)
        if self.closes:
            await world.reopen(self.seat)


# Where a redirect leads: to the place of a host's own document, or to another place.
PLACES = (*(f"http://{host}" for host in HOSTS), f"http://{HOSTS[1]}/elsewhere")


def often(usual, *others):
    """A strategy in which `usual` comes as often as all others together."""
    return st.just(usual) | st.sampled_from(others)


paths = st.frozensets(st.sampled_from(PATHS))
files = st.builds(
    File,
    paths | paths.map(lambda closed: closed | {TDMREP}),
    st.none() | paths,
    delay=often(0.0, 5.0, 40.0),
    has_sitemap=st.booleans(),
    untrained=paths,
    signal=often(None, True, False),
)


def answers_with(files):
    return st.builds(
        Answer,
        status=often(200, None, 503, 503, 429, 404, 403),
        file=files,
        lifetime=often(None, 0, 0, 90, 7200, 100 * int(DAY)),
        has_etag=st.booleans(),
        retry_after=often(None, 5, 120, int(DAY)),
        hops=often(0, 0, 1, 5, 6, 6, 11),
        leads_to=often("", *PLACES),
        takes=often(0.0, 0.5, 20.0, 45.0),
    )


answers = answers_with(files)
tdmreps = answers_with(st.builds(TdmFile, paths | st.none()))
dialects = st.sampled_from(list(POLICIES))
manners = often(
    USUAL,
    *(Manner(dialect) for dialect in POLICIES),
    Manner(agent=OTHER_AGENT),
    Manner(is_exempt=True),
    Manner(is_proxied=True),
)
plans = st.builds(
    Plan,
    dialects,
    st.sampled_from(list(STORES)),
    obeys=often("yes", "yes", *OBEYS),
    redirects=often(*REDIRECTS),
    purpose=often("", "search", "train-ai", "train-ai", "train-ai"),
    cuts_delays=st.booleans(),
    given=st.just(()) | files.map(lambda file: ((HOSTS[1], file),)),
    own_delays=often((), ((HOSTS[0], 7.0),), ((HOSTS[1], 60.0), (HOSTS[2], 0.0))),
    download_delay=often(0.0, 0.0, 8.0, 100.0),
)
short = st.sampled_from([0.0, 0.5, 1.0, 10.0, 60.0, 300.0])
long = st.sampled_from([HOUR, 6 * HOUR, 13 * HOUR, DAY, 1.5 * DAY, 1.5 * DAY, 3 * DAY, 31 * DAY])
steps = st.builds(
    Step,
    seconds=short | long,
    host=often(*HOSTS),
    answer=answers | st.none(),
    tdmrep=tdmreps | st.none(),
    pages_take=often(0.0, 3.0, 100.0),
    pages_lead_to=often("", "", "", *HOSTS),
    paths=st.lists(st.sampled_from(PATHS), max_size=2).map(tuple),
    manner=manners,
    seat=st.integers(0, 1),
    days=often(1, 1, 1, 1, 1, 1, 35),
    pauses=often(0.0, 0.0, 0.0, 0.0, 200.0, DAY),
    closes=often(False, False, False, False, False, True),
)


def histories(max_steps):
    """Most are long. One that fails shrinks to a short one."""
    lengths = st.integers(0, max_steps)
    return lengths.flatmap(lambda length: st.lists(steps, min_size=length, max_size=max_steps))


# Each time the same histories: a change meets no fault that it has not made. Without `derandomize`
# others are played.
@settings(max_examples=15, derandomize=True)
@given(plans, histories(max_steps=8))
@on_reactor
async def test_crawls_do_what_is_permitted(plan, history):
    await happens(plan, history)


@pytest.mark.slow
@settings(max_examples=240, derandomize=True)
@given(plans, histories(max_steps=25))
@on_reactor
async def test_crawls_do_what_is_permitted_however_much_happens(plan, history):
    await happens(plan, history)


async def happens(plan, history):
    """Play a history, and check all that was seen."""
    with TemporaryDirectory() as records, virtual_time() as time:
        world = World(time, plan, Path(records))
        await world.open()
        try:
            for step in history:
                await step.happen(world)
                check_sitemaps(world)
            await world.run_on()
        finally:
            await world.close()
        check(world)
        check_records(world)


@on_reactor
async def test_a_robots_txt_that_fails_while_a_page_waits_closes_the_site_to_it():
    """The page's tdmrep.json grows old at once, so the page is decided by what was renewed for it.
    Meanwhile its robots.txt grows old too, and is unreachable.
    """
    plan = Plan("rfc9309", "memory", purpose="train-ai", own_delays=((HOSTS[0], 7.0),))
    old, new = Answer(status=404, hops=1), Answer(takes=45.0)
    short_lived = Answer(file=TdmFile(), lifetime=0)
    await happens(
        plan,
        [
            Step(answer=old, tdmrep=short_lived, paths=("/a",), pauses=DAY),
            Step(answer=new, pauses=200.0),
        ],
    )
