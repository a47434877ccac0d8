"""docs/waiting-and-delays.md: a host that answers 429, or 503 with Retry-After, is left alone."""

from __future__ import annotations

from email.utils import formatdate
from itertools import pairwise

import pytest
from scrapy import Request

from scrapy_robots_policy.core import turns
from scrapy_robots_policy.core.agenda import Agenda
from tests.crawls import Chain
from tests.model.shared_store import PausingStore, Shared
from tests.on_reactor import on_reactor
from tests.scripted import Timed, Web
from tests.site import Answer, robots

pytestmark = pytest.mark.slow  # whole crawls

OPEN = robots("")
RETRY = {"RETRY_ENABLED": True, "RETRY_TIMES": 9, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
PAGES = [f"http://a.test/{n}" for n in range(4)]


def refusal(status=429, **headers):
    names = {"retry_after": "Retry-After"}
    return Answer(status=status, headers={names[name]: text for name, text in headers.items()})


async def first_is_refused(web, *answers, **settings) -> Web:
    """A crawl of four pages of a host, of which the first is refused, and one of another host."""
    site = web({"a.test": {"/robots.txt": OPEN, "/0": [*answers, Answer()]}})
    seen = await site.crawl(*PAGES, "http://b.test/", settings={**RETRY, **settings})
    assert set(seen.answered) >= {*PAGES[1:], "http://b.test/"}
    return site


def pauses(site):
    """The seconds between the visits of the first host that are a second or more."""
    times = [hit.began for hit in site.visits("a.test")]
    return [round(b - a) for a, b in pairwise(times) if b - a >= 1]


ASKED = {
    "seconds": (refusal(retry_after="30"), 30),
    "a date": (refusal(retry_after="DATE"), 40),
    "503 with seconds": (refusal(503, retry_after="30"), 30),
    "503 alone": (refusal(503), None),
    "more than is kept": (refusal(retry_after="86400"), 300),
    "no time": (refusal(), 5),
    "nonsense": (refusal(retry_after="soon"), 5),
}


@pytest.mark.parametrize("name", ASKED)
@on_reactor
async def test_the_host_is_left_alone_for_as_long_as_it_asks_and_other_hosts_go_on(name, web):
    answer, seconds = ASKED[name]

    def at_a_date(_request):
        return refusal(retry_after=formatdate(site.time.now() + 40, usegmt=True))

    site = web({"a.test": {"/robots.txt": OPEN, "/0": [answer, Answer()]}})
    if name == "a date":
        site.hosts["a.test"]["/0"] = [at_a_date, Answer()]
    seen = await site.crawl(*PAGES, "http://b.test/", settings=RETRY)
    assert sorted(seen.answered) == [*PAGES, "http://b.test/"]
    assert pauses(site) == ([] if seconds is None else [pytest.approx(seconds, abs=1)])
    assert seen.stats.get("robots/paused") == (None if seconds is None else 1)
    [other] = site.visits("b.test")
    assert other.began < 1


@on_reactor
async def test_without_a_time_each_pause_is_twice_as_long_until_a_page_comes(web):
    site = web({"a.test": {"/robots.txt": OPEN, "/0": [*[refusal()] * 4, Answer()]}})
    await site.crawl(PAGES[0], settings=RETRY)
    assert pauses(site) == [5, 10, 20, 40]
    often = {f"/{n}": [refusal(), Answer()] for n in range(3)}
    site = web({"a.test": {"/robots.txt": OPEN, **often}})
    await site.crawl(PAGES[0], spider=Chain, ahead=PAGES[1:], settings=RETRY)
    assert pauses(site) == [5, 5, 5]


@pytest.mark.parametrize(("longest", "expected"), [(0, []), (2, [2])])
@on_reactor
async def test_the_user_says_how_long_at_most(longest, expected, web):
    site = await first_is_refused(web, refusal(retry_after="30"), ROBOTS_PAUSE_MAX=longest)
    assert pauses(site) == expected


@on_reactor
async def test_a_delay_of_the_site_is_kept_as_well(web):
    paced = robots("User-agent: *\nCrawl-delay: 10")
    site = web({"a.test": {"/robots.txt": paced, "/1": [refusal(retry_after="30"), Answer()]}})
    seen = await site.crawl(*PAGES, settings=RETRY)
    assert sorted(seen.answered) == PAGES
    assert sorted(pauses(site)) == [10, 10, 10, 30]


@on_reactor
async def test_it_is_the_same_with_another_queue_of_the_scheduler(web):
    queue = "scrapy.pqueues.ScrapyPriorityQueue"
    answers = [refusal(retry_after="30")]
    site = await first_is_refused(web, *answers, SCHEDULER_PRIORITY_QUEUE=queue)
    assert pauses(site) == [30]


@on_reactor
async def test_all_three_processes_of_a_fleet_keep_a_pause(web):
    site = web({"a.test": {"/robots.txt": OPEN, "/0": [refusal(retry_after="30"), Answer()]}})
    store = type("Store", (PausingStore,), {"shared": Shared(site.time.now)})
    settings = {**RETRY, "ROBOTS_STORE": store}
    plans = [
        [(0, "http://a.test/0"), (10, "http://b.test/0")],
        [(at, f"http://a.test/of-the-second/{at}") for at in (0.1, 5, 10, 20)],
        [(3, "http://b.test/1"), (12, "http://a.test/of-the-third")],
    ]
    crawls = [site.start(spider=Timed, plan=plan, settings=settings) for plan in plans]
    seen = [await crawl.end() for crawl in crawls]
    assert [len(each.answered) for each in seen] == [2, 4, 2]
    began = sorted(hit.began for hit in site.visits("a.test"))
    assert [at for at in began if 2 < at < 29] == []
    assert sum(at >= 29 for at in began) == 5
    assert max(hit.began for hit in site.visits("b.test")) < 12


@on_reactor
async def test_a_pause_is_the_hosts_in_all_slots_and_no_other_hosts(web):
    site = web({"a.test": {"/robots.txt": OPEN, "/0": [refusal(retry_after="30"), Answer()]}})
    shared = {"download_slot": "shared"}
    plan = [
        (0.0, Request("http://a.test/0", meta=shared)),
        *((n / 2, f"http://a.test/{n}") for n in range(1, 9)),
        *((n / 2, Request(f"http://b.test/{n}", meta=shared)) for n in range(9)),
        *((n / 2, Request(f"http://c.test/{n}", meta={"download_slot": "a.test"})) for n in (3, 4)),
    ]
    plan.sort(key=lambda planned: planned[0])
    seen = await site.crawl(spider=Timed, plan=plan, settings=RETRY)
    assert len(seen.answered) == len(plan)
    assert [hit.url for hit in site.visits("a.test") if 0.5 < hit.began < 29.9] == []
    assert max(hit.began for host in ("b.test", "c.test") for hit in site.visits(host)) < 6


@on_reactor
async def test_of_hosts_that_share_a_paced_slot_one_has_a_pause_and_the_other_goes_on(web):
    paced = robots("User-agent: *\nCrawl-delay: 2")
    a = {"/robots.txt": paced, "/0": [refusal(retry_after="60"), Answer()]}
    site = web({"a.test": a, "b.test": {"/robots.txt": paced}})
    shared = {"download_slot": "shared"}
    urls = [f"http://{host}.test/{n}" for n in range(4) for host in "ab"]
    seen = await site.crawl(*(Request(url, meta=shared) for url in urls), settings=RETRY)
    assert sorted(seen.answered) == sorted(urls)
    [refused] = [hit for hit in site.visits("a.test") if hit.url.endswith("/0")][:1]
    later = [hit.began - refused.ended for hit in site.visits("a.test") if hit is not refused]
    assert min(at for at in later if at > 0) >= 59
    assert max(hit.began for hit in site.visits("b.test")) < 45


class CountingStore(PausingStore):
    """One that notes when a turn of the fleet is given back without a visit."""

    def leave(self, host, *, visited):
        if not visited:
            self.shared.given_back.append(self.shared.now())
        super().leave(host, visited=visited)


@on_reactor
async def test_who_waits_for_a_pause_gives_back_no_turn_that_another_request_has(web):
    """A page is under way, with the turn of the fleet, when an exempt one is answered 429."""
    paced = robots("User-agent: *\nCrawl-delay: 20")
    pages = {"/slow": Answer(after=200.0), "/exempt": refusal(retry_after="30")}
    site = web({"a.test": {"/robots.txt": paced, **pages}})
    shared = Shared(site.time.now)
    shared.given_back = []
    store = type("Store", (CountingStore,), {"shared": shared})
    exempt = Request("http://a.test/exempt", meta={"dont_obey_robotstxt": True})
    plan = [(0, "http://a.test/slow"), (25, exempt), (26, "http://a.test/1")]
    settings = {
        "ROBOTS_STORE": store,
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
    }
    await site.crawl(spider=Timed, plan=plan, settings=settings)
    assert shared.given_back == []
    slow, _, last = site.visits("a.test")
    assert last.began - slow.ended >= 19.9


def test_hosts_that_all_pause_are_not_looked_through_for_each_new_one(monkeypatch):
    """10,000 pauses are kept before any are looked for that have ended: here 100."""
    looks = []

    class Until(float):
        """The end of a pause, which notes that it is looked at."""

        def __gt__(self, now):
            looks.append(now)
            return float(self) > now

    monkeypatch.setattr(turns, "MAX_LINES", 100)
    every, hosts = turns.Turns(Agenda(), is_shared=False), [f"{n}.test" for n in range(2_000)]
    for host in hosts:
        every.pause(host, 60.0, 300.0, now=0.0)
        every.pauses[host].until = Until(60.0)
    assert not any(every.ask(host, host, host, now=1.0) for host in hosts)
    assert 0 < len(looks) < 3 * len(hosts)
