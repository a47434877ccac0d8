"""What must be true of the other hosts' pages while some hosts are slow, or never answer."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
import scrapy
from scrapy.exceptions import CloseSpider

from scrapy_robots_policy import assembly, compat
from scrapy_robots_policy.fetch import fetch_gate
from scrapy_robots_policy.fetch import request as fetch_request
from tests.crawls import (
    REACTORS,
    Middleware,
    Plan,
    Spider,
    crawl,
    crawl_apart,
    middleware_of,
    waiting_in,
)
from tests.on_reactor import on_reactor, until
from tests.site import Answer, Site, free_port, moved, robots

pytestmark = pytest.mark.slow  # whole crawls, or much work

OPEN = robots("")


class UntilDone(Spider):
    """Closes when so many pages have come."""

    wanted = 0

    def parse(self, response):
        super().parse(response)
        if len(self.seen.answered) == self.wanted:
            raise CloseSpider("all are here")


@contextmanager
def silent_hosts(count: int) -> Iterator[list[str]]:
    """Hosts that accept connections and never answer, as origins."""
    with socket.create_server(("0.0.0.0", 0), backlog=1024) as server:
        port = server.getsockname()[1]
        yield [f"http://127.1.{n // 250}.{n % 250 + 1}:{port}" for n in range(count)]


SLOW = {
    "a long delay": robots("User-agent: *\nCrawl-delay: 60"),
    "a delay over the limit": robots("User-agent: *\nCrawl-delay: 86400"),
    "no answer": robots("", after=None),
}


@pytest.mark.parametrize("robots_txt", SLOW)
@on_reactor
async def test_a_slow_host_at_the_head_of_the_queue_delays_no_other(robots_txt):
    others = [Site({"/robots.txt": OPEN}, f"127.0.0.{n}") for n in range(2, 7)]
    with Site({"/robots.txt": SLOW[robots_txt]}) as site:
        urls = [site.url(f"/{n}") for n in range(400)]
        urls += [other.url(f"/{n}") for n in range(20) for other in others]
        seen, _ = await crawl(
            *urls,
            spider=UntilDone,
            wanted=100,
            settings={
                "CONCURRENT_REQUESTS": 4,
                "ROBOTS_MAX_WAITING": 200,
                "ROBOTS_CRAWL_DELAY_OVER_MAX": "queue",
                "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
            },
        )
        assert seen.stats["finish_reason"] == "all are here"
        assert not any(url.startswith(site.origin) for url in seen.answered)
        assert seen.stats["robots/put_back"] <= 200 + 4
    for other in others:
        other.close()


class FromOnePage(UntilDone):
    """Asks for `later` from one page. Opens the gate `late` when `waiting` requests wait."""

    async def start(self):
        async for request in super().start():
            yield request
        await until(lambda: waiting_in(self.crawler) >= self.waiting)
        self.late.set()

    def parse(self, response):
        super().parse(response)
        for url in self.later if response.url.endswith("/first") else ():
            yield scrapy.Request(url, super().parse, errback=self.fail)


@pytest.mark.parametrize("concurrent", [16, 150])
@on_reactor
async def test_a_host_that_never_answers_delays_no_host_that_had_as_many_waiting(concurrent):
    with Site({"/robots.txt": robots("", after=None)}) as dead, Site({}, "127.0.0.2") as late:
        late.script |= {"/robots.txt": robots("", gate="late")}
        later = [site.url(f"/{n}") for n in range(300) for site in (dead, late)]
        with Site({"/robots.txt": OPEN}, "127.0.0.3") as other:
            seen, _ = await crawl(
                other.url("/first"),
                spider=FromOnePage,
                later=later,
                late=late.gate("late"),
                waiting=199,
                wanted=301,
                settings={
                    "CONCURRENT_REQUESTS": concurrent,
                    "ROBOTS_FETCH_TIMEOUT": 300,  # longer than a test may take
                    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
                },
            )
        assert seen.stats["finish_reason"] == "all are here"
        assert dead.pages == []
        assert seen.stats["robots/put_back"] <= 150


class OwnSlots(Middleware):
    """Chooses the slots of a host when its requests come from the queue, before we are asked."""

    def process_request(self, request, spider=None):
        if "//127.0.0.2:" in request.url:
            request.meta[compat.SLOT_KEY] = "mine"


class WhenStopped(FromOnePage):
    """Opens the gate when no more is taken from the queue, and all redirects have been sent.

    The rules of `short` are known before its pages are asked for: none of them waits.
    """

    async def start(self):
        yield scrapy.Request(self.short.url("/known"))
        await until(lambda: self.short.pages)
        for request in self.requests:  # all are in the queue before one is taken
            self.crawler.engine.crawl(request.replace(callback=self.parse, errback=self.fail))
        redirected = [r.url for r in self.requests if r.url.startswith(self.short.origin)]
        await until(lambda: len(self.short.pages) > len(redirected))
        await until(self.takes_no_more)
        self.late.set()

    async def takes_no_more(self):
        waited = waiting_in(self.crawler)
        await compat.sleep(0.1)
        is_full = self.crawler.engine.downloader.needs_backout()
        return is_full and waiting_in(self.crawler) == waited > 0


@pytest.mark.parametrize("is_redirected", [True, False])
@on_reactor
async def test_a_host_whose_requests_are_queued_by_another_slot_delays_no_other(is_redirected):
    with (
        Site({"/robots.txt": robots("", after=None)}, "127.0.0.2") as dead,
        Site({"/robots.txt": OPEN}, "127.0.0.3") as short,
        Site({"/robots.txt": OPEN, "/first": Answer(gate="late")}, "127.0.0.4") as other,
    ):
        paths = [f"/{n}" for n in range(200)]
        short.script |= {path: moved(dead.url(path)) for path in paths}
        first = map((short if is_redirected else dead).url, paths)
        seen, _ = await crawl(
            other.url("/first"),
            *first,
            spider=WhenStopped,
            short=short,
            late=other.gate("late"),
            later=[other.url(f"/{n}") for n in range(20)],
            wanted=22,
            settings={
                "ROBOTS_MAX_WAITING": 20,
                "ROBOTS_FETCH_TIMEOUT": 300,  # longer than a test may take
                "REDIRECT_PRIORITY_ADJUST": -1,  # all are in the queue before one waits
                "DOWNLOADER_MIDDLEWARES": {} if is_redirected else {OwnSlots: 50},
                "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
            },
        )
        assert seen.stats["finish_reason"] == "all are here"
        assert dead.pages == []


@pytest.mark.parametrize("kind", REACTORS)
def test_hosts_that_never_answer_delay_no_other(kind):
    with silent_hosts(120) as dead, Site({"/robots.txt": OPEN}) as site:
        urls = [f"{origin}/{n}" for n in range(2) for origin in dead]
        urls += [site.url(f"/{n}") for n in range(20)]
        settings = {
            "ADDONS": {"scrapy_robots_policy.Addon": 500},
            **REACTORS[kind],
            "ROBOTS_MAX_FETCHES": 40,
            "CONCURRENT_REQUESTS": 8,
        }
        seen = crawl_apart(Plan(urls, settings, interrupt_at=site.url("/19")))
        assert sorted(seen.answered) == sorted(site.url(f"/{n}") for n in range(20))
        assert seen.dropped == {}


@pytest.mark.parametrize("kind", REACTORS)
def test_hosts_that_never_answer_delay_no_other_although_enough_requests_wait(kind):
    """All requests are scheduled at once, before any of them waits."""
    with silent_hosts(30) as dead, Site({"/robots.txt": OPEN}) as site:
        urls = [*(f"{origin}/" for origin in dead), *(site.url(f"/{n}") for n in range(5))]
        settings = {
            "ADDONS": {"scrapy_robots_policy.Addon": 500},
            **REACTORS[kind],
            "ROBOTS_MAX_WAITING": 20,
            "ROBOTS_FETCH_TIMEOUT": 30,
            "ROBOTS_FETCH_RETRIES": 0,
        }
        then = {site.url("/first"): urls}
        plan = Plan([site.url("/first")], settings, interrupt_at=site.url("/4"), then=then)
        seen = crawl_apart(plan)
        assert site.url("/4") in seen.answered
        assert seen.stats["robots/put_back"] == 30  # none was given up before


@on_reactor
async def test_hosts_that_never_answer_delay_no_other_when_they_hold_all_sockets(monkeypatch):
    monkeypatch.setattr(assembly, "max_sockets", lambda: 20)
    monkeypatch.setattr(fetch_gate, "YOUNG", 0.2)
    monkeypatch.setattr(fetch_request, "SHARE_IN_HASTE", 0.005)
    settings = {"ROBOTS_FETCH_TIMEOUT": 100, "ROBOTS_MAX_FETCHES": 10}
    with silent_hosts(50) as dead, Site({"/robots.txt": OPEN}) as site:
        urls = [*(f"{origin}/" for origin in dead), site.url("/page")]
        seen, _ = await crawl(*urls, spider=UntilDone, wanted=1, settings=settings)
        assert seen.answered == [site.url("/page")]
        assert "robots.txt unreachable (timeout)" in str(seen.dropped)


@pytest.mark.parametrize(
    ("wanted", "sockets", "max_open"), [(3, 768, 3), (4000, 768, 768), (4000, 1, 10)]
)
@on_reactor
async def test_as_many_fetches_are_under_way_as_the_user_and_the_system_allow(
    wanted, sockets, max_open, monkeypatch
):
    """Of so few open files as some systems allow, ROBOTS_MAX_FETCHES may be taken all the same."""
    monkeypatch.setattr(assembly, "max_sockets", lambda: sockets)
    settings = {"ROBOTS_MAX_FETCHES": 10, "ROBOTS_MAX_OPEN_FETCHES": wanted}
    _, crawler = await crawl(settings=settings)
    gate = middleware_of(crawler).resolver.sources.gate
    assert (gate.max_open, gate.sockets) == (max_open, max(sockets, 10))


@on_reactor
async def test_fetches_that_wait_for_their_turn_at_a_host_delay_no_other(monkeypatch):
    """A tdmrep.json takes its turn after the robots.txt, whose delay is long."""
    monkeypatch.setattr(assembly, "max_sockets", lambda: 20)
    settings = {"ROBOTS_MAX_FETCHES": 10, "ROBOTS_PURPOSE": "train-ai"}
    rules = {"/robots.txt": robots("User-agent: *\nCrawl-delay: 30")}
    with ExitStack() as sites:
        polite = [sites.enter_context(Site(rules, f"127.0.1.{n}")) for n in range(1, 51)]
        site = sites.enter_context(Site({"/robots.txt": OPEN}))
        urls = [*(one.url("/") for one in polite), site.url("/page")]
        seen, _ = await crawl(*urls, spider=UntilDone, wanted=1, settings=settings)
        assert seen.answered == [site.url("/page")]
        assert {hit.path for one in polite for hit in one.hits} == {"/robots.txt"}


@on_reactor
async def test_a_request_that_waited_in_a_queue_is_checked_by_the_current_rules():
    """400 pages queue at a host with a delay; after the first few its file forbids them."""
    answers = iter([robots("User-agent: *\nCrawl-delay: 0.2\n")])
    closed = robots("User-agent: *\nCrawl-delay: 0.2\nDisallow: /\n")
    with Site({}) as site:
        site.script["/robots.txt"] = lambda headers: next(answers, closed)
        seen, _ = await crawl(*(site.url(f"/{n}") for n in range(40)), settings={"ROBOTS_TTL": 1})
        fetches = [hit for hit in site.hits if hit.path == "/robots.txt"]
        assert len(fetches) >= 2
        forbidden_at = fetches[1].answered_at
        late = [
            hit.path
            for hit in site.hits
            if hit.asked_at > forbidden_at and hit.path != "/robots.txt"
        ]
        assert len(late) <= 1  # it was on its way
        assert len(seen.answered) + len(seen.dropped) == 40
        assert len(seen.dropped) >= 20


@on_reactor
async def test_the_dead_proxy_of_one_request_does_not_count_for_the_others():
    with Site({"/robots.txt": OPEN}) as site:
        proxied = scrapy.Request(
            site.url("/proxied"), meta={"proxy": f"http://127.0.0.1:{free_port()}"}, priority=10
        )
        urls = [site.url(f"/{n}") for n in range(10)]
        settings = {"ROBOTS_FETCH_RETRIES": 0, "RETRY_ENABLED": False}
        seen, _ = await crawl(proxied, *urls, settings=settings)
        assert sorted(seen.answered) == sorted(urls)
        assert "Forbidden" not in seen.dropped[site.url("/proxied")]


URLS = ["/a/../private/1", "/./private/2", "/%2e/private/3", "/a/%2E%2e/private/4"]


@pytest.mark.parametrize("kind", REACTORS)
def test_no_spelling_of_a_forbidden_path_is_fetched(kind):
    with Site(
        {"/robots.txt": robots("User-agent: *\nDisallow: /private\nDisallow: /a;b\n")}
    ) as site:
        urls = [site.url(path) for path in [*URLS, "/open", "/%70rivate/5", "/a%3Bb"]]
        settings = {"ADDONS": {"scrapy_robots_policy.Addon": 500}, **REACTORS[kind]}
        crawl_apart(Plan(urls, {**settings, "ROBOTS_DIALECT": "google"}))
        forbidden = [path for path in site.pages if "private" in path or path == "/a;b"]
        assert forbidden == []
        assert "/open" in site.pages
