"""What must be true of the places in CONCURRENT_REQUESTS, in crawls that use them up."""

from __future__ import annotations

import sys
import time
from types import SimpleNamespace

import pytest
from scrapy import Request, signals, version_info
from scrapy.http.request import NO_CALLBACK
from scrapy.signalmanager import SignalManager
from scrapy.utils.httpobj import urlparse_cached

from scrapy_robots_policy import compat
from scrapy_robots_policy.admission.concurrency import Concurrency
from scrapy_robots_policy.admission.delay_queues import DelayQueues
from scrapy_robots_policy.exceptions import CrawlClosing
from scrapy_robots_policy.stores import ALONE
from tests.admission.test_delay_queue import Clock
from tests.crawls import Middleware, Spider, crawl, middleware_of
from tests.on_reactor import on_reactor, pending_timers, start, until_idle
from tests.site import Answer, Opener, Site, robots

pytestmark = pytest.mark.slow

OPEN = robots("")
NO_CALLBACKS = (lambda *_: None,) * 3


class Watching(Spider):
    """Notes what `look` sees when a page has come."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.noted = []

    def parse(self, response):
        super().parse(response)
        self.noted.append(self.look(self.crawler.engine.downloader))

    def look(self, downloader):
        raise NotImplementedError


def opening(site: Site):
    """An answer after which another site's robots.txt is let go."""

    def answer(_headers):
        site.gate("open").set()
        return Answer()

    return answer


class Places(Watching):
    def parse(self, response):
        super().parse(response)
        if response.url.endswith("/first"):
            yield response.follow("/last", callback=super().parse)

    def look(self, downloader):
        waiting = len(middleware_of(self.crawler).admission.concurrency.waiting)
        return downloader.total_concurrency, waiting


@on_reactor
async def test_a_place_is_lent_only_while_its_request_waits():
    with Site({"/robots.txt": robots("", gate="open")}) as late, Site({}, "127.0.0.2") as other:
        other.script |= {"/robots.txt": OPEN, "/last": opening(late)}
        urls = [late.url("/1"), late.url("/2"), other.url("/first")]
        seen, crawler = await crawl(*urls, spider=Places, settings={"CONCURRENT_REQUESTS": 2})
        assert sorted(seen.answered) == sorted([*urls, other.url("/last")])
        # Two pages wait, and their places belong to others; the number itself is not touched.
        assert crawler.spider.noted[0] == (2, 2)
        assert crawler.spider.noted[-1] == (2, 0)


class Counted(Places):
    def look(self, downloader):
        return {key: len(slot.active) for key, slot in downloader.slots.items()}


@on_reactor
async def test_a_request_counts_for_its_host_only_while_it_waits():
    with Site({"/robots.txt": robots("", gate="open")}) as late, Site({}, "127.0.0.2") as other:
        other.script |= {"/robots.txt": OPEN, "/last": opening(late)}
        urls = [late.url("/1"), late.url("/2"), other.url("/first")]
        _, crawler = await crawl(*urls, spider=Counted)
        # Two pages that wait, and the request for the robots.txt that they wait for.
        assert crawler.spider.noted[0]["127.0.0.1"] == 3
        assert crawler.spider.noted[-1].get("127.0.0.1", 0) == 0
        assert type(crawler.engine.downloader.active) is set


@on_reactor
async def test_a_dropped_request_gives_its_place_back():
    closed = robots("User-agent: *\nDisallow: /")
    sites = [Site({"/robots.txt": closed}, f"127.0.0.{n}") for n in range(2, 12)]
    with Site({"/robots.txt": OPEN}) as site:
        urls = [other.url(f"/{n}") for other in sites for n in range(5)]
        seen, crawler = await crawl(*urls, site.url(), settings={"CONCURRENT_REQUESTS": 3})
        assert seen.answered == [site.url()]
        assert len(seen.dropped) == 50
        assert crawler.engine.downloader.total_concurrency == 3
    for other in sites:
        other.close()


@pytest.mark.skipif(version_info < (2, 18), reason="0 means no limit from 2.18 on")
@on_reactor
async def test_without_a_limit_requests_are_not_limited():
    class Limits(Watching):
        def look(self, downloader):
            return downloader.total_concurrency

    with Site({"/robots.txt": robots(""), "/1": Answer(after=0.1)}) as site:
        urls = [site.url(f"/{n}") for n in range(5)]
        _, crawler = await crawl(*urls, spider=Limits, settings={"CONCURRENT_REQUESTS": 0})
        assert crawler.spider.noted == [0] * 5


@on_reactor
async def test_requests_enter_in_the_order_in_which_they_came():
    with Site({"/robots.txt": robots("", gate="open")}) as late, Site({}, "127.0.0.2") as other:
        other.script |= {"/robots.txt": OPEN, "/last": opening(late)}
        urls = [late.url(f"/{n}") for n in range(10)]
        await crawl(*urls, other.url("/last"), settings={"CONCURRENT_REQUESTS": 1})
        assert late.paths == ["/robots.txt", *(f"/{n}" for n in range(10))]
        assert late.busiest == 1


@on_reactor
async def test_a_request_that_was_refused_after_its_wait_counts_for_its_host_no_more():
    class Counted(Watching):
        def look(self, downloader):
            return {len(slot.active) for slot in downloader.slots.values()}

    with Site({"/robots.txt": robots("User-agent: *\nDisallow: /no\n", after=0.1)}) as site:
        urls = [site.url(f"/no/{n}") for n in range(5)]
        seen, crawler = await crawl(*urls, site.url("/last"), spider=Counted)
        assert len(seen.dropped) == 5
        assert crawler.spider.noted == [{0}]


class Downloader:
    """As much of Scrapy's downloader as places need."""

    total_concurrency = 1

    def __init__(self):
        self.active = set()

    def needs_backout(self):
        return len(self.active) >= self.total_concurrency

    def get_slot_key(self, request):
        return request.url


OLD, MINE = {compat.SLOT_KEY: "old.example"}, {compat.SLOT_KEY: "mine"}
SLOTS = {
    "copied by a redirect": ({"redirect_urls": ["http://old.example/"], **OLD}, "new.example"),
    "copied by the last of two redirects": (
        {"redirect_urls": ["http://first.example/", "http://old.example/"], **OLD},
        "new.example",
    ),
    "named by the user, of a redirected request": (
        {"redirect_urls": ["http://old.example/"], **MINE},
        "mine",
    ),
    "named by the user": (OLD, "old.example"),
    "none": ({"redirect_urls": ["http://old.example/"]}, "new.example"),
}


def engine_of_hosts():
    """The access to an engine whose slots have the names that Scrapy gives them."""
    downloader = Downloader()
    downloader.get_slot_key = lambda request: request.meta.get(
        compat.SLOT_KEY, urlparse_cached(request).hostname
    )
    engine = SimpleNamespace(downloader=downloader)
    crawler = SimpleNamespace(engine=engine, signals=SignalManager(engine))
    return compat.EngineAccess(crawler, lambda: None, lambda: False, lambda: None)


@pytest.mark.parametrize("slot", SLOTS)
def test_a_redirected_request_goes_through_the_slot_of_its_own_host(slot):
    """In that of the host it came from, it would keep the delay of that one."""
    meta, key = SLOTS[slot]
    request = Request("http://new.example/", meta=dict(meta))
    assert engine_of_hosts().slot_key(request) == key


def test_from_the_first_on_a_redirected_request_is_queued_by_the_slot_of_its_own_host():
    engine = engine_of_hosts()
    meta, _ = SLOTS["copied by a redirect"]
    for is_listened_to in (False, True):
        request = Request("http://new.example/", meta=dict(meta))
        engine.crawler.signals.send_catch_log(signals.request_scheduled, request=request)
        assert (compat.SLOT_KEY not in request.meta) is is_listened_to
        engine.slot_key(request)


@pytest.mark.parametrize("can_count", [True, False])
def test_a_request_counts_for_each_slot_by_which_the_queue_may_have_had_it(can_count):
    engine = engine_of_hosts()
    slots = {key: SimpleNamespace(active=set()) for key in ("mine", "new.example")}
    get_key = engine.downloader.get_slot_key
    engine._get_slot = (lambda r, *_: (get_key(r), slots[get_key(r)])) if can_count else None
    request = Request("http://new.example/", meta=dict(MINE))
    engine.crawler.spider = None
    keys, leave = engine.count_in_slots(request)
    assert keys == {"mine", "new.example"}
    assert all((request in slot.active) is can_count for slot in slots.values())
    leave()
    assert not any(slot.active for slot in slots.values())


CANCELLED = Request("http://a.example/", meta={compat.SLOT_KEY: "a"})
OTHER = Request("http://a.example/other", meta={compat.SLOT_KEY: "a"})
IN_SLOT = {
    # the slots of the downloader, and whether the request is in one of them
    "on its way": ({"a": SimpleNamespace(transferring={CANCELLED}, queue=[])}, True),
    "queued": ({"a": SimpleNamespace(transferring={OTHER}, queue=[(CANCELLED, None)])}, True),
    "gone": ({"a": SimpleNamespace(transferring={OTHER}, queue=[(OTHER, None)])}, False),
    "its slot is gone": ({}, False),
    "no such attributes": ({"a": SimpleNamespace()}, False),
    "a queue of something else": ({"a": SimpleNamespace(queue=[object()])}, False),
}


@pytest.mark.parametrize("case", IN_SLOT)
def test_a_request_is_looked_for_in_its_slot_whatever_attributes_the_slot_has(case):
    slots, is_there = IN_SLOT[case]
    downloader = Downloader()
    downloader.slots = slots
    crawler = SimpleNamespace(engine=SimpleNamespace(downloader=downloader))
    engine = compat.EngineAccess(crawler, lambda: None, lambda: False, lambda: None)
    assert engine.is_in_slot(CANCELLED) is is_there


def test_a_downloader_of_the_users_says_itself_whether_it_is_full_after_room_was_made():
    downloader, made = Downloader(), []
    downloader.total_concurrency = 1
    crawler = SimpleNamespace(engine=SimpleNamespace(downloader=downloader))
    engine = compat.EngineAccess(crawler, lambda: made.append(1), pytest.fail, pytest.fail)
    assert not engine.can_lend
    assert not downloader.needs_backout()
    downloader.active.add(Request("http://a.example/"))
    assert downloader.needs_backout()
    assert made == [1, 1]


def pool_of_aiohttp():
    connector = SimpleNamespace(_limit=8)
    handler = SimpleNamespace(_session=SimpleNamespace(connector=connector))
    return handler, lambda: connector._limit


def pool_of_httpx(name):
    pool = SimpleNamespace(_max_connections=8)
    client = SimpleNamespace(_transport=SimpleNamespace(_pool=pool))
    return SimpleNamespace(**{name: client}), lambda: pool._max_connections


POOLS = {
    "aiohttp": (pool_of_aiohttp, 0),  # none
    "httpx": (lambda: pool_of_httpx("_default_client"), sys.maxsize),
    "httpx of Scrapy 2.15": (lambda: pool_of_httpx("_client"), sys.maxsize),
}


@pytest.mark.parametrize("kind", POOLS)
def test_no_pool_of_http_or_https_limits_what_late_robots_txt_leave(kind):
    make, limit = POOLS[kind]
    pools = {scheme: make() for scheme in ("http", "https")}
    handlers = SimpleNamespace(_get_handler=lambda scheme: pools[scheme][0])
    compat._lift_pool_limits(SimpleNamespace(handlers=handlers))
    assert [limit_now() for _, limit_now in pools.values()] == [limit, limit]


@on_reactor
async def test_a_wait_that_is_cancelled_leaves_no_timer(monkeypatch):
    timers = pending_timers(monkeypatch)
    waiting = start(compat.sleep(3600))
    waiting.addErrback(lambda _: None)
    await until_idle()
    assert len(timers) == 1
    waiting.cancel()
    await until_idle()
    assert timers == []


@on_reactor
async def test_with_a_downloader_of_the_users_a_request_has_kept_its_place_and_waits_for_none():
    downloader, request = Downloader(), Request("http://a.example/")
    downloader.active = {request, Request("http://b.example/")}  # it lets more be active than one
    crawler = SimpleNamespace(engine=SimpleNamespace(downloader=downloader))
    delays = DelayQueues(ALONE, time.monotonic, compat.call_later)
    places = Concurrency(crawler, 10, delays, *NO_CALLBACKS, sets_delays=False)
    with places.lend(request):
        going = start(places.reacquire(request))
        await until_idle()
        assert going.called


@pytest.mark.parametrize("closes_first", [True, False])
@on_reactor
async def test_a_crawl_that_closes_just_when_a_time_has_come_ends_the_wait_for_it(
    closes_first, monkeypatch
):
    crawler = SimpleNamespace(engine=None)
    clock = Clock()
    at_once = compat.call_later

    def call_later(seconds, call):
        return (clock.call_later if seconds else at_once)(seconds, call)

    monkeypatch.setattr(compat, "call_later", call_later)
    delays = DelayQueues(ALONE, clock.now, clock.call_later)
    places = Concurrency(crawler, 10, delays, *NO_CALLBACKS, sets_delays=False)
    ended = []
    start(places.sleep(10)).addCallbacks(ended.append, lambda failure: ended.append(failure.type))
    await until_idle()
    # With asyncio the wait does not go on before both have happened.
    events = [places._close, lambda: clock.fire(10)]
    for event in events if closes_first else reversed(events):
        event()
    await until_idle()
    assert ended == [CrawlClosing if closes_first else None]


@on_reactor
async def test_robots_txt_fetches_at_a_time_are_limited():
    # Nobody is answered before two are asked.
    sites = [Site({}, f"127.0.0.{n}") for n in range(1, 7)]
    opener = Opener(2, *(site.gate("open") for site in sites))
    late = robots("", after=0.05, gate="open")
    for site in sites:
        site.script["/robots.txt"] = lambda headers: opener(headers) and late
    await crawl(
        *(site.url() for site in sites),
        settings={"ROBOTS_MAX_FETCHES": 2, "CONCURRENT_REQUESTS": 16},
    )
    spans = [(site.hits[0].asked_at, site.hits[0].answered_at) for site in sites]
    together = max(sum(a <= start < b for a, b in spans) for start, _ in spans)
    assert together == 2
    for site in sites:
        site.close()


@on_reactor
async def test_pages_never_take_more_places_than_the_limit():
    late = [Site({"/robots.txt": robots("", after=n / 50)}, f"127.0.0.{n}") for n in range(1, 7)]
    for site in late:
        site.script |= {f"/{n}": Answer(after=0.01) for n in range(10)}
    urls = [site.url(f"/{n}") for n in range(10) for site in late]
    seen, _ = await crawl(*urls, settings={"CONCURRENT_REQUESTS": 3})
    assert sorted(seen.answered) == sorted(urls)
    pages = [hit for site in late for hit in site.hits if hit.path != "/robots.txt"]
    assert max(sum(a.asked_at <= b.asked_at < a.answered_at for a in pages) for b in pages) <= 3
    for site in late:
        site.close()


class FetchesToken(Middleware):
    """Fetches a page of another site for each page."""

    async def process_request(self, request, spider=None):
        if request.callback is not NO_CALLBACK:
            token = self.crawler.settings["TOKEN_URL"]
            await compat.download(self.crawler, Request(token, NO_CALLBACK))


@pytest.mark.parametrize("order", [50, 300], ids=["before ours", "after ours"])
@on_reactor
async def test_what_a_middleware_fetches_for_a_page_does_not_wait_for_the_place_of_the_page(order):
    with Site({"/robots.txt": OPEN}) as site, Site({}, "127.0.0.2") as other:
        other.script |= {"/robots.txt": robots("", after=0.1)}
        urls = [site.url(f"/{n}") for n in range(4)]
        seen, _ = await crawl(
            *urls,
            settings={
                "CONCURRENT_REQUESTS": 2,
                "DOWNLOADER_MIDDLEWARES": {FetchesToken: order},
                "TOKEN_URL": other.url("/token"),
            },
        )
        assert sorted(seen.answered) == urls
        assert other.count("/token") == 4


class Changing(Spider):
    """Sets the limit anew while requests wait."""

    def parse(self, response):
        super().parse(response)
        if response.url.endswith("/change"):
            self.crawler.engine.downloader.total_concurrency = 2
            self.changed.set()


@on_reactor
async def test_a_spider_may_change_the_limit():
    with Site({"/robots.txt": robots("", gate="open")}) as late, Site({}, "127.0.0.2") as other:
        other.script["/robots.txt"] = OPEN
        # No page is answered before two are asked for.
        opener, page = Opener(2, late.gate("two")), Answer(after=0.01, gate="two")
        late.script |= {f"/{n}": lambda headers: opener(headers) and page for n in range(20)}
        urls = [late.url(f"/{n}") for n in range(20)]
        seen, crawler = await crawl(
            *urls,
            other.url("/change"),
            spider=Changing,
            changed=late.gate("open"),
            settings={"CONCURRENT_REQUESTS": 8},
        )
        assert len(seen.answered) == 21
        assert late.busiest == 2
        assert crawler.engine.downloader.total_concurrency == 2
