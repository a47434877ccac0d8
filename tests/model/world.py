"""Sites that change, and processes that crawl them, in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import scrapy
from scrapy import signals
from scrapy.crawler import CrawlerRunner
from scrapy.http import Request, Response
from scrapy.utils.defer import maybe_deferred_to_future

from scrapy_robots_policy import compat
from scrapy_robots_policy.exceptions import Disallowed
from tests.crawls import OURS, QUIET, middleware_of
from tests.model.changing_site import Fetch, Web
from tests.model.oracle import DAY, HOUR, POLICIES, TDMREP_POLICY, Policy, objection
from tests.model.plan import Manner, Plan
from tests.model.shared_store import FleetStore, KeptStore, Shared
from tests.model.site_files import AGENT, ROBOTS_TXT
from tests.on_reactor import Gate
from tests.scripted import download_handler
from tests.virtual_time import VirtualTime

HOSTS = ("192.88.99.1", "192.88.99.2", "10.0.0.1")  # the last one is private
STORES = {"memory": None, "kept": KeptStore, "fleet": FleetStore}
AT_ONCE = {
    "USER_AGENT": f"{AGENT} (+https://tests.dev/bot)",
    "CONCURRENT_REQUESTS": 1000,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1000,
    "RETRY_ENABLED": False,
    "RETRY_TIMES": 0,
    "CLOSESPIDER_TIMEOUT": 0,
    "LOGSTATS_INTERVAL": 0,  # else a line of the log is due each minute of virtual time
}


@dataclass(eq=False)
class Asked:
    """A page that a crawl was asked for.

    dialect                the name of that in which its robots.txt is read
    first_host             that of the page whose redirects have led to this one; "": there is none
    passed_at, refused_at  when it passed, or was refused; None: it was not
    verdict                that on the page; None: there is none
    """

    process: int
    host: str
    path: str
    manner: Manner
    dialect: str
    began: float
    first_host: str = ""
    passed_at: float | None = None
    refused_at: float | None = None
    verdict: Any = None
    has_ended: bool = False

    @property
    def at(self) -> float | None:
        """When it was decided."""
        return self.refused_at if self.passed_at is None else self.passed_at

    @property
    def is_exempt(self) -> bool:
        """Whether no robots.txt is to be asked. Redirects take that to no other host."""
        return self.manner.is_exempt and self.first_host in ("", self.host)


class Spider(scrapy.Spider):
    """Asks for nothing itself, and is not idle before its gate is open."""

    name = "model"
    gate: Gate

    async def start(self):
        await self.gate.pass_()
        return
        yield


class World:
    """Sites, and the crawls that visit them. A crawl that is closed is followed by another one.

    closed_at  when the crawls were closed, by their number
    stats      what they have counted
    pauses     (the number of a crawl, from when on it was paused, until when)
    records    the folder of their records
    """

    def __init__(self, time: VirtualTime, plan: Plan, records: Path) -> None:
        self.time, self.plan, self.keeps = time, plan, plan.keeps
        self.web = Web(
            HOSTS,
            time.now,
            lambda document, asked: policy_of(document, asked).redirects,
            partial(objection, plan.redirects),
        )
        self.sites, self.faults = self.web.sites, self.web.faults
        self.shared, self.records = Shared(time.now), records
        self.asked: list[Asked] = []
        self.crawls: dict[int, Crawl] = {}  # those that are open, by their number
        self.closed_at: dict[int, float] = {}
        self.stats: dict[int, dict[str, Any]] = {}
        self.pauses: list[tuple[int, float, float]] = []

    async def ask(self, seat: int, host: str, paths: Iterable[str], manner: Manner) -> None:
        """Ask one of the crawls for pages of a host."""
        crawl = self._crawl(seat)
        for path in paths:
            crawl.ask(host, path, manner)
        await self.time.forward(0)

    async def pause(self, seat: int, seconds: float) -> None:
        """Pause the engine of one of the crawls for some time."""
        crawl, began = self._crawl(seat), self.time.now()
        engine = crawl.crawler.engine
        engine.pause()
        await self.time.forward(seconds)
        engine.unpause()
        self.pauses.append((crawl.number, began, self.time.now()))
        engine._slot.nextcall.schedule()  # as the engine does every five seconds
        await self.time.forward(0)

    async def open(self) -> None:
        while len(self.crawls) < (2 if self.keeps == "fleet" else 1):
            number = len(self.crawls) + len(self.closed_at)
            self.crawls[number] = Crawl(self, number)
            await self.time.forward(0)

    async def reopen(self, seat: int) -> None:
        """Close one of the crawls, and have another one ask for what is in the scheduler then."""
        put_back = await self._close(self._crawl(seat))
        self.asked = [asked for asked in self.asked if asked not in put_back]
        await self.open()
        for asked in put_back:
            manner = replace(asked.manner, is_exempt=asked.is_exempt)
            self.crawls[max(self.crawls)].ask(asked.host, asked.path, manner)
        await self.time.forward(0)

    async def run_on(self) -> None:
        """Let time pass until all requests have ended."""
        await self.time.until(lambda: all(asked.has_ended for asked in self.asked), DAY)
        waiting = [asked for asked in self.asked if not asked.has_ended]
        assert not waiting, f"these requests wait for ever: {waiting}"

    async def close(self) -> None:
        while self.crawls:
            await self._close(self._crawl(0))
        await self.time.forward(HOUR)  # Scrapy leaves a transfer that is cancelled to its handler
        assert self.time.is_over, "something waits although all crawls have ended"

    def record(self, process: int) -> Path:
        return self.records / f"{process}.jsonl"

    def known_fetches(self, process: int, host: str, document: str) -> list[Fetch]:
        """The fetches of a host's document that have ended, and of which a crawl may know."""
        return [f for f in self.sites[host].fetches[document] if self._is_known(f, process)]

    def passed_on(self, process: int, host: str, document: str) -> list[Fetch]:
        """The same of those that were redirected to the host's document."""
        return [f for f in self.sites[host].passed_on[document] if self._is_known(f, process)]

    def _is_known(self, fetch: Fetch, process: int) -> bool:
        if fetch.is_superseded:
            return False
        if self.keeps == "memory" and fetch.process != process:
            return False
        return fetch.ended < inf and fetch.ended <= self.closed_at.get(fetch.process, inf)

    def work_together(self, process: int, other: int) -> bool:
        return process == other or self.keeps == "fleet"

    def _crawl(self, seat: int) -> Crawl:
        numbers = sorted(self.crawls)
        return self.crawls[numbers[seat % len(numbers)]]

    async def _close(self, crawl: Crawl) -> list[Asked]:
        """Close a crawl, and give the requests that are in its scheduler then.

        It waits for the pages that are under way, and for nothing else.
        """
        self.closed_at[crawl.number] = self.time.now()
        queued = await crawl.close()
        self.stats[crawl.number] = crawl.crawler.stats.get_stats()
        del self.crawls[crawl.number]
        visits = [visit for site in self.sites.values() for visit in site.visits]
        pages = [visit for visit in visits if visit.process == crawl.number and not visit.fetch]
        ended = [self.closed_at[crawl.number], *(visit.ended for visit in pages)]
        assert self.time.now() <= max(ended), "the crawl closes late"
        mine = [asked for asked in self.asked if asked.process == crawl.number]
        left = [asked for asked in mine if not asked.has_ended]
        assert queued == len(left), f"{queued} are in the scheduler of {left}"
        return left


class Crawl:
    """One process: Scrapy's engine with all of the package, and a web of the test's own."""

    def __init__(self, world: World, number: int) -> None:
        self.world, self.number, self.gate = world, number, Gate()
        self.now = world.time.now
        handler = download_handler(partial(world.web.respond, number))
        store = STORES[world.keeps]
        settings = {**QUIET, **OURS, **AT_ONCE, "TWISTED_REACTOR": None}
        settings["DOWNLOAD_HANDLERS"] = {"http": handler, "https": handler}
        settings |= {
            "ROBOTS_KEEP_VERDICTS": True,
            "ROBOTS_FETCH_HOOK": preparing(world.web, number),
        }
        settings |= world.plan.settings
        settings["ROBOTS_AUDIT"] = str(world.record(number))
        if store is not None:
            settings["ROBOTS_STORE"] = type("Store", (store,), {"shared": world.shared})
        runner = CrawlerRunner(settings)
        self.crawler = runner.create_crawler(type("Spider", (Spider,), {"gate": self.gate}))
        self.crawler.signals.connect(self._scheduled, signals.request_scheduled)
        self.crawler.signals.connect(self._reached, signals.request_reached_downloader)
        self.ended = runner.crawl(self.crawler)

    def ask(self, host: str, path: str, manner: Manner) -> None:
        dialect = manner.dialect or self.world.plan.dialect
        asked = Asked(self.number, host, path, manner, dialect, self.now())
        self.world.asked.append(asked)
        request = Request(
            f"http://{host}{path}",
            self._answered,
            errback=self._failed,
            meta={"page": asked, **manner.meta},
            dont_filter=True,
        )
        self.crawler.engine.crawl(request)

    async def close(self) -> int:
        """Close the crawl, and give the number of requests that are in its scheduler then."""
        compat.close_spider(self.crawler, "enough")
        self.gate.open()
        await self.world.time.until(lambda: self.ended.called, DAY)
        await maybe_deferred_to_future(self.ended)
        stat = self.crawler.stats.get_value
        return stat("scheduler/enqueued", 0) - stat("scheduler/dequeued", 0)

    def sitemaps(self, host: str) -> tuple[str, ...]:
        return middleware_of(self.crawler).sitemaps(f"http://{host}/")

    def _reached(self, request: Request) -> None:
        """A request is in Scrapy's downloader, where it may wait for DOWNLOAD_DELAY."""
        request.meta["reached"] = self.now()
        asked = request.meta.get("page")
        if asked is not None:
            if asked.at is not None:
                self.world.faults.append(("decided twice", asked))
            asked.passed_at = self.now()
            asked.verdict = request.meta.get("robots_verdict")

    def _scheduled(self, request: Request) -> None:
        """A request is in the scheduler. The redirect of a page is another page."""
        asked = request.meta["page"]
        if asked.passed_at is not None:
            led_to = replace(asked, host=urlsplit(request.url).hostname, began=self.now())
            led_to.first_host = asked.first_host or asked.host
            led_to.passed_at = led_to.verdict = None
            self.world.asked.append(led_to)
            asked.has_ended, request.meta["page"] = True, led_to

    def _answered(self, response: Response) -> None:
        response.meta["page"].has_ended = True

    def _failed(self, failure: Any) -> None:
        asked = failure.request.meta["page"]
        asked.has_ended = True
        asked.refused_at = self.now()
        if isinstance(failure.value, Disallowed):
            asked.verdict = failure.value.verdict
        else:
            self.world.faults.append(failure)


def preparing(web: Web, process: int) -> Callable[[Request, Request], None]:
    """A ROBOTS_FETCH_HOOK: the request of a fetch has the page that waits for it. It is a function,
    because Scrapy copies its settings deeply.
    """

    def prepare(page: Request, fetch: Request) -> None:
        web.prepare(process, fetch, page.meta["page"])

    return prepare


def policy_of(document: str, asked: Asked) -> Policy:
    """The table by which a document is read for a page."""
    return POLICIES[asked.dialect] if document == ROBOTS_TXT else TDMREP_POLICY
