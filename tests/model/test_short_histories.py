"""Short histories, one for each thing that the drawn ones bring about seldom."""

from __future__ import annotations

import pytest

from tests.model.oracle import DAY
from tests.model.plan import Manner, Plan
from tests.model.site_files import PATHS, TDMREP, Answer, File, TdmFile
from tests.model.test_histories import Step, happens
from tests.model.world import HOSTS
from tests.on_reactor import on_reactor

SITE, OTHER, PRIVATE = HOSTS
A, B = PATHS
CLOSES_A, CLOSES_B = Answer(file=File(frozenset({A}))), Answer(file=File(frozenset({B})))
TO_OTHER = Answer(leads_to=f"http://{OTHER}")
TO_ELSEWHERE = Answer(leads_to=f"http://{OTHER}/elsewhere")
TO_PRIVATE = Answer(leads_to=f"http://{PRIVATE}")
DOWN = Answer(503)
RESERVES_A = Answer(file=TdmFile(frozenset({A})))
KOSTER, RFC = Manner("koster1996"), Manner("rfc9309")
PROXIED = Manner(is_proxied=True)
SLOW = Answer(file=File(delay=40.0))


def crawl(keeps="memory", **chosen):
    return Plan("rfc9309", keeps, **chosen)


def asks(host=SITE, answer=None, seconds=1.0, **more):
    """Some time later a host answers so, and its pages are asked for."""
    return Step(seconds, host, answer, paths=PATHS, **more)


def becomes(host, answer):
    return Step(0.0, host, answer)


TRAINS = crawl(purpose="train-ai")
DRY_RUN = crawl(obeys="dry run")
HISTORIES = {
    "one fetch for two sites": (
        crawl(),
        [becomes(OTHER, CLOSES_A), asks(SITE, TO_OTHER), asks(OTHER)],
    ),
    "one fetch for two sites, kept": (
        crawl("kept"),
        [becomes(OTHER, CLOSES_A), asks(SITE, TO_OTHER, closes=True), asks(OTHER)],
    ),
    "one fetch for two sites, in a fleet": (
        crawl("fleet"),
        [becomes(OTHER, CLOSES_A), asks(SITE, TO_OTHER), asks(OTHER, seat=1)],
    ),
    "a redirect to another place of a site": (
        crawl(),
        [becomes(OTHER, CLOSES_A), asks(SITE, TO_ELSEWHERE), asks(OTHER, CLOSES_B)],
    ),
    "a redirect to a site that fails": (
        crawl(),
        [becomes(OTHER, DOWN), asks(SITE, TO_OTHER), asks(OTHER, CLOSES_B)],
    ),
    "a redirect to a site that is known": (
        crawl(),
        [asks(OTHER, CLOSES_A), becomes(OTHER, CLOSES_B), asks(SITE, TO_OTHER), asks(OTHER)],
    ),
    "many redirects to a site that is not known": (
        crawl(),
        [
            becomes(OTHER, CLOSES_A),
            asks(SITE, Answer(hops=6, leads_to=f"http://{OTHER}"), manner=KOSTER),
            asks(OTHER),
        ],
    ),
    "redirects in a circle": (
        crawl(),
        [becomes(OTHER, Answer(leads_to=f"http://{SITE}")), asks(SITE, TO_OTHER), asks()],
    ),
    "a redirect to a private address": (crawl(), [asks(SITE, TO_PRIVATE)]),
    "a redirect to a private address that is named": (
        crawl(redirects="to private hosts"),
        [becomes(PRIVATE, CLOSES_A), asks(SITE, TO_PRIVATE)],
    ),
    "a redirect to another site where none may lead there": (
        crawl(redirects="on the site"),
        [asks(SITE, TO_OTHER)],
    ),
    "a dialect that follows more redirects": (
        crawl(),
        [asks(SITE, Answer(hops=6, file=CLOSES_A.file)), asks(SITE, manner=KOSTER)],
    ),
    "a dialect that follows fewer redirects": (
        crawl(),
        [asks(SITE, Answer(hops=6, file=CLOSES_A.file), manner=KOSTER), asks(SITE)],
    ),
    "two dialects at a site that fails": (
        crawl(),
        [asks(SITE, DOWN), asks(manner=Manner("google")), asks(manner=Manner("original1994"))],
    ),
    "a site that does not answer, once its answer is stale": (
        Plan("original1994", "memory"),
        [asks(SITE, Answer(None, takes=20.0)), asks(seconds=DAY / 2), asks(manner=RFC)],
    ),
    "two names": (
        crawl(),
        [
            asks(SITE, Answer(file=File(frozenset({A}), frozenset({B})))),
            asks(manner=Manner(agent="otherbot")),
        ],
    ),
    "a page about which nothing is asked": (crawl(), [asks(manner=Manner(is_exempt=True))]),
    "a dry run": (DRY_RUN, [asks(SITE, CLOSES_A), asks()]),
    "a dry run with a delay": (
        DRY_RUN,
        [asks(SITE, Answer(file=File(frozenset({A}), delay=5.0))), asks()],
    ),
    "a dry run for a purpose": (
        crawl(obeys="dry run", purpose="train-ai"),
        [Step(0.0, tdmrep=RESERVES_A), asks(), asks()],
    ),
    "a dry run for a purpose, where no page may be fetched": (
        crawl(obeys="dry run", purpose="train-ai"),
        [asks(SITE, Answer(file=File(frozenset(PATHS))), tdmrep=RESERVES_A)],
    ),
    "a crawl that obeys nothing": (crawl(obeys="no"), [asks(SITE, CLOSES_A), asks()]),
    "a line that refuses training": (
        TRAINS,
        [asks(SITE, Answer(file=File(untrained=frozenset({A})))), asks()],
    ),
    "a signal that refuses training": (TRAINS, [asks(SITE, Answer(file=File(signal=False)))]),
    "a refusal of training that is not about the purpose": (
        crawl(purpose="search"),
        [Step(0.0, tdmrep=RESERVES_A), asks(SITE, Answer(file=File(signal=False)))],
    ),
    "a tdmrep.json": (TRAINS, [Step(0.0, tdmrep=RESERVES_A), asks(), asks()]),
    "a tdmrep.json where no page may be fetched": (
        TRAINS,
        [asks(SITE, Answer(file=File(frozenset(PATHS))), tdmrep=RESERVES_A)],
    ),
    "a tdmrep.json that may not be fetched": (
        TRAINS,
        [asks(SITE, Answer(file=File(frozenset({TDMREP}))), tdmrep=RESERVES_A)],
    ),
    "a tdmrep.json that comes late": (
        TRAINS,
        [asks(tdmrep=Answer(file=TdmFile(frozenset({A})), takes=20.0)), asks()],
    ),
    "a tdmrep.json that grows stale before the robots.txt": (
        TRAINS,
        [
            asks(tdmrep=Answer(file=TdmFile(), lifetime=90)),
            asks(tdmrep=RESERVES_A, seconds=300.0),
        ],
    ),
    "a tdmrep.json that is forbidden while its fetch waits for its turn": (
        crawl(purpose="train-ai", own_delays=((SITE, 60.0),)),
        [
            Step(0.0, SITE, tdmrep=Answer(file=TdmFile(), lifetime=90), paths=(A,)),
            asks(SITE, Answer(file=File(frozenset({TDMREP}))), 1.5 * DAY, tdmrep=RESERVES_A),
        ],
    ),
    "a tdmrep.json that is forbidden for another crawler while both wait for it": (
        crawl(purpose="train-ai", own_delays=((SITE, 60.0),)),
        [
            Step(0.0, SITE, tdmrep=Answer(file=TdmFile(), lifetime=90), paths=(A,)),
            asks(
                SITE,
                Answer(file=File(frozenset({TDMREP}), own=frozenset())),
                1.5 * DAY,
                tdmrep=RESERVES_A,
                manner=Manner(agent="otherbot"),
            ),
            asks(),
        ],
    ),
    "a tdmrep.json that fails": (TRAINS, [asks(tdmrep=DOWN), asks(seconds=60.0)]),
    "a tdmrep.json that fails, and a copy": (
        TRAINS,
        [
            asks(tdmrep=Answer(file=RESERVES_A.file, lifetime=90)),
            asks(tdmrep=Answer(429), seconds=300.0),
            asks(seconds=5.0),
        ],
    ),
    "a tdmrep.json for two sites": (
        TRAINS,
        [Step(0.0, OTHER, tdmrep=RESERVES_A), asks(SITE, tdmrep=TO_OTHER), asks(OTHER)],
    ),
    "a proxy that lets no robots.txt through": (crawl(), [asks(manner=PROXIED), asks()]),
    "a site that fails, and a proxy that does, too": (
        crawl(),
        [asks(SITE, DOWN), asks(manner=PROXIED)],
    ),
    "a proxy, and a dialect that follows more redirects": (
        crawl(),
        [asks(SITE, Answer(hops=6), manner=PROXIED), asks(manner=KOSTER)],
    ),
    "a delay that is too long": (crawl(cuts_delays=True), [asks(SITE, SLOW), asks()]),
    "a delay of the user's": (crawl(own_delays=((SITE, 7.0),)), [asks(SITE, SLOW), asks()]),
    "pages that are under way when a delay begins": (
        crawl(),
        [asks(SITE, Answer(lifetime=0), pages_take=300.0), asks(SITE, SLOW, 150.0)],
    ),
    "no delay, by the user's will": (crawl(own_delays=((SITE, 0.0),)), [asks(SITE, SLOW), asks()]),
    "a delay of the user's, and redirects that lead there": (
        crawl(own_delays=((OTHER, 7.0),)),
        [
            asks(OTHER, Answer(file=File(frozenset(PATHS)))),
            becomes(OTHER, Answer(hops=2)),
            asks(SITE, TO_ELSEWHERE),
        ],
    ),
    "a file of the user's": (
        crawl(given=((SITE, CLOSES_A.file),)),
        [asks(SITE, CLOSES_B), asks(OTHER, TO_OTHER), asks()],
    ),
    "a file of the user's with a delay, for which nobody has looked": (
        crawl(purpose="train-ai", given=((OTHER, SLOW.file),)),
        [asks(OTHER, manner=Manner(is_exempt=True)), asks(SITE, tdmrep=TO_OTHER)],
    ),
    "pages that redirect to a site that closes them": (
        crawl(),
        [becomes(OTHER, CLOSES_A), asks(SITE, pages_lead_to=OTHER)],
    ),
    "pages about which nothing is asked, and that redirect elsewhere and back": (
        crawl(),
        [
            Step(0.0, OTHER, CLOSES_A, pages_lead_to=SITE),
            asks(SITE, CLOSES_B, manner=Manner(is_exempt=True), pages_lead_to=OTHER),
        ],
    ),
    "pages that redirect to a site with a delay": (
        crawl(),
        [becomes(OTHER, SLOW), asks(SITE, pages_lead_to=OTHER), asks(SITE)],
    ),
    "a page that a redirect has led to a site that does not answer, and another one": (
        crawl(),
        [
            becomes(OTHER, Answer(None, takes=20.0)),
            asks(SITE, pages_lead_to=OTHER),
            asks(OTHER),
            asks(SITE, seconds=60.0),
        ],
    ),
    "a redirect to a host with a delay of which only the store knows": (
        Plan("original1994", "kept", own_delays=((OTHER, 60.0),)),
        [
            asks(OTHER, DOWN),
            Step(200.0, closes=True),
            asks(SITE, TO_OTHER),
            asks(OTHER),
        ],
    ),
    "a delay of which only the store knows, after pages and redirects that nobody has judged": (
        crawl("kept"),
        [
            asks(OTHER, SLOW, closes=True),
            asks(OTHER, seconds=7200.0, manner=Manner(is_exempt=True)),
            asks(SITE, TO_ELSEWHERE, closes=True),
            asks(OTHER),
        ],
    ),
    "a delay of the user's at a host to which only redirects lead": (
        crawl(own_delays=((OTHER, 7.0),)),
        [becomes(OTHER, Answer(hops=2)), asks(SITE, TO_ELSEWHERE), asks(OTHER, Answer(hops=2))],
    ),
    "an engine that is paused while a robots.txt is fetched": (
        crawl(),
        [asks(SITE, Answer(file=CLOSES_A.file, takes=20.0), pauses=DAY), asks()],
    ),
    "an answer that grows too old while the engine is paused": (
        crawl(),
        [asks(SITE, Answer(lifetime=90, takes=20.0), pauses=DAY / 2)],
    ),
    "a robots.txt that comes too late": (
        crawl(),
        [asks(SITE, Answer(takes=45.0)), asks(seconds=60.0), asks(seconds=60.0)],
    ),
    "a tdmrep.json that is no JSON": (TRAINS, [asks(tdmrep=Answer(file=TdmFile(None)))]),
    "Scrapy's delay, and a longer one": (
        crawl(download_delay=8.0),
        [asks(SITE, SLOW, pages_take=3.0), asks()],
    ),
    "a delay, and a longer one of Scrapy's": (
        crawl(download_delay=100.0),
        [asks(SITE, Answer(file=File(delay=40.0)), pages_take=100.0), asks(pages_take=100.0)],
    ),
}


@pytest.mark.parametrize(("plan", "history"), HISTORIES.values(), ids=HISTORIES)
@on_reactor
async def test_a_crawl_does_what_is_permitted_in(plan, history):
    await happens(plan, history)
