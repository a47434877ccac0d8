"""docs/fleets.md: processes that share a store fetch each robots.txt once, and none of them waits
for one that hangs.
"""

from __future__ import annotations

import pytest

from tests.model.shared_store import FleetStore, Shared
from tests.on_reactor import on_reactor
from tests.scripted import Timed
from tests.site import Answer, robots

pytestmark = pytest.mark.slow  # whole crawls

HOUR = 3600.0
RULES, CLOSED = robots("User-agent: *\nDisallow: /no"), robots("User-agent: *\nDisallow: /")
LATE = robots("User-agent: *\nDisallow: /no", after=20)
PATIENT = {"ROBOTS_FETCH_TIMEOUT": 1000}
NO_TIME = {"ROBOTS_TTL": 0}
BRIEF = robots("User-agent: *\nDisallow: /no", headers={"Cache-Control": "max-age=60"})

# What the site answers; for each of two processes its settings, and when it asks for a page; when
# the file is fetched, and when the pages go.
FLEETS = {
    "one fetches for all": ([LATE], ({}, [0]), ({}, [0]), [0], [20, 20]),
    "who comes late finds the file": ([RULES], ({}, [0]), ({}, [HOUR]), [0], [0, HOUR]),
    "a file without a lifetime is fetched once a second by all": (
        [RULES],
        (NO_TIME, [0, 1.0]),
        (NO_TIME, [0.5, 1.5]),
        [0, 1.0],
        [0, 0.5, 1.0, 1.5],
    ),
    "a lease is given back after a failure": (
        [Answer(status=503), RULES],
        ({}, [0]),
        ({}, [11]),
        [0, 11],
        [11],
    ),
    "who fails late has what others got meanwhile": (
        [Answer(status=503, after=400), RULES],
        (PATIENT, [0]),
        (PATIENT, [1]),
        [0, 303],
        [303, 400],
    ),
    "a newer file that is stale is fetched anew": (
        [RULES, BRIEF, CLOSED],
        ({}, [0, 25 * HOUR, 26 * HOUR]),
        ({"ROBOTS_TTL": 60}, [HOUR]),
        [0, HOUR, 25 * HOUR],
        [0, HOUR, 25 * HOUR],
    ),
}


def begin(site, shared, name, settings, times):
    """Begin the crawl of a process."""
    store = type("Store", (FleetStore,), {"shared": shared})
    plan = [(at, f"http://a.test/{name}/{at}") for at in times]
    return site.start(spider=Timed, plan=plan, settings={"ROBOTS_STORE": store, **settings})


@pytest.mark.parametrize("name", FLEETS)
@on_reactor
async def test_each_file_is_fetched_once_among_all(name, web):
    answers, one, other, fetches, visits = FLEETS[name]
    site = web({"a.test": {"/robots.txt": answers}})
    shared = Shared(site.time.now)
    crawls = [begin(site, shared, n, *process) for n, process in enumerate((one, other))]
    for crawl in crawls:
        await crawl.end()
    tolerance = {"abs": 3.0}  # a process that waits for another one looks every two seconds
    assert [hit.began for hit in site.fetches()] == pytest.approx(fetches, **tolerance)
    assert sorted(hit.began for hit in site.visits()) == pytest.approx(visits, **tolerance)


@on_reactor
async def test_a_process_that_hangs_with_a_lease_holds_up_the_others_for_five_minutes(web):
    site = web({"a.test": {"/robots.txt": RULES}})
    shared = Shared(site.time.now)
    shared.leases["http://a.test"] = object()
    await begin(site, shared, 0, {}, [0]).end()
    assert [hit.began for hit in site.fetches()] == pytest.approx([300], abs=3.0)
