"""Whole crawls: in this process on its reactor, or in one of their own on any.

`python -m tests.crawls` reads a `Plan` as JSON, crawls, and writes what was seen as JSON.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import scrapy
from scrapy import signals, version_info
from scrapy.crawler import AsyncCrawlerProcess, Crawler, CrawlerProcess, CrawlerRunner
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future

from scrapy_robots_policy import RobotsPolicyMiddleware, compat

# Of DOWNLOAD_DELAY. 2.19 warns of the older name; older versions do not know the new one.
STEADY: Mapping[str, Any] = (
    {"DOWNLOAD_DELAY_JITTER": 0} if version_info >= (2, 19) else {"RANDOMIZE_DOWNLOAD_DELAY": False}
)

ROOT = Path(__file__).parent.parent
OURS = {"ADDONS": {"scrapy_robots_policy.Addon": 500}}
QUIET = {
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,  # from Scrapy 2.19 on: it writes into the home folder
    "LOG_LEVEL": "DEBUG",
    "CLOSESPIDER_TIMEOUT": 120,
    "USER_AGENT": "Scrapy/2 (+https://tests.dev/bot)",  # without a contact there is a warning
}

# Scrapy before 2.17 leaves a disk queue open when it resumes a crawl.
OPEN_QUEUE = "ignore:unclosed file <_io.BufferedRandom:ResourceWarning"
# Scrapy before 2.16 asks asyncio for its policy, which Python 3.14 deprecates.
LOOP_POLICY = "ignore:'asyncio.get_event_loop_policy' is deprecated:DeprecationWarning"
TOLERATED = (
    *(("-W", OPEN_QUEUE) if version_info < (2, 17) else ()),
    *(("-W", LOOP_POLICY) if version_info < (2, 16) else ()),
)

ASYNCIO = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
SELECT = "twisted.internet.selectreactor.SelectReactor"
HTTPX = "scrapy.core.downloader.handlers._httpx.HttpxDownloadHandler"
REACTORS = {
    "asyncio": {"TWISTED_REACTOR": ASYNCIO},
    "select": {"TWISTED_REACTOR": SELECT},
    **({"none": {"TWISTED_REACTOR_ENABLED": False}} if version_info >= (2, 15) else {}),
}


@dataclass
class Seen:
    """The result of a crawl: URLs answered, URLs dropped with the cause, all stats."""

    answered: list[str] = field(default_factory=list)
    dropped: dict[str, str] = field(default_factory=dict)
    stats: dict[str, Any] = field(default_factory=dict)

    @property
    def robots_stats(self) -> dict[str, Any]:
        """All of the stats that speak of robots.txt, the stock ones and ours."""
        return {k: v for k, v in self.stats.items() if k.startswith(("robotstxt/", "robots/"))}


class Spider(scrapy.Spider):
    """Asks for its requests and notes what comes."""

    name = "test"
    requests: tuple[scrapy.Request, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.seen = Seen()
        self.verdicts: dict[str, Any] = {}
        self.errors: list[BaseException] = []

    async def start(self) -> AsyncIterator[Any]:
        for request in self.requests:
            yield request.replace(callback=self.parse, errback=self.fail)

    def parse(self, response: Any) -> Any:
        self.seen.answered.append(response.url)

    def closed(self, reason: str) -> None:
        middleware = self.crawler.get_downloader_middleware(RobotsPolicyMiddleware)
        self.lines = middleware.counts.origins if middleware else ()

    def fail(self, failure: Any) -> Any:
        self.seen.dropped[failure.request.url] = str(failure.value)
        self.errors.append(failure.value)
        self.verdicts[failure.request.url] = getattr(failure.value, "verdict", None)


class Chain(Spider):
    """Asks for one URL after the other: for the next one when the last was answered or dropped.

    ahead  the URLs after the first one, or requests
    """

    ahead: Sequence[scrapy.Request | str] = ()

    def parse(self, response: Any) -> Iterable[scrapy.Request]:
        super().parse(response)
        return self.next()

    def fail(self, failure: Any) -> Iterable[scrapy.Request]:
        super().fail(failure)
        return self.next()

    def next(self) -> Iterable[scrapy.Request]:
        if self.ahead:
            following, *self.ahead = self.ahead
            yield request_of(following).replace(callback=self.parse, errback=self.fail)


class CancellingSpider(Spider):
    """Cancels the one who asked first as soon as the robots.txt is asked for."""

    async def start(self) -> AsyncIterator[Any]:
        self.crawler.signals.connect(self.reached, signals.request_reached_downloader)
        self.first = deferred_from_coro(
            compat.download(self.crawler, scrapy.Request(self.requests[0].url))
        )
        self.first.addErrback(lambda _: None)
        async for request in super().start():
            yield request

    def reached(self, request: scrapy.Request) -> None:
        if request.url.endswith("/robots.txt"):
            # Without asyncio this runs inside of the download, before `first` is known.
            compat.call_later(0, self._cancel)

    def _cancel(self) -> None:
        self.first.cancel()


class InterruptedSpider(Spider):
    """Is interrupted, as by Ctrl-C, when `interrupt_at` has been answered.

    interrupts  how often: the second time stops Scrapy by force
    then        the URLs that are asked for when another one has been answered
    """

    interrupt_at = ""
    interrupts = 1
    then: Mapping[str, Sequence[str]] = MappingProxyType({})

    def parse(self, response: Any) -> Iterator[scrapy.Request]:
        super().parse(response)
        if response.url == self.interrupt_at:
            for _ in range(self.interrupts):
                signal.raise_signal(signal.SIGINT)
        for url in self.then.get(response.url, ()):
            yield scrapy.Request(url, self.parse, errback=self.fail)


class Middleware:
    """A downloader middleware that knows its crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Middleware:
        return cls(crawler)


def kind_of(spider: type[Spider], requests: Any, **attributes: Any) -> type[Spider]:
    all_requests = tuple(map(request_of, requests))
    return type("Spider", (spider,), {"requests": all_requests, **attributes})


def request_of(wanted: scrapy.Request | str) -> scrapy.Request:
    return wanted if isinstance(wanted, scrapy.Request) else scrapy.Request(wanted)


async def crawl(
    *requests: scrapy.Request | str,
    settings: Mapping[str, Any] | None = None,
    spider: type[Spider] = Spider,
    **attributes: Any,
) -> tuple[Seen, Crawler]:
    """Crawl on the reactor that runs. `attributes` are the spider's."""
    merged = {**QUIET, **OURS, "TWISTED_REACTOR": None, **(settings or {})}
    runner = CrawlerRunner(merged)
    crawler = runner.create_crawler(kind_of(spider, requests, **attributes))
    await maybe_deferred_to_future(runner.crawl(crawler))
    return _seen(crawler), crawler


def middleware_of(crawler: Crawler) -> RobotsPolicyMiddleware:
    middleware = crawler.get_downloader_middleware(RobotsPolicyMiddleware)
    assert middleware is not None
    return middleware


@contextmanager
def hidden(place: str) -> Iterator[None]:
    """While inside, an attribute of Scrapy is gone for this package; Scrapy itself still finds it.

    place  "module:Class.attribute"
    """
    module, _, rest = place.partition(":")
    name, _, attribute = rest.partition(".")
    owner = getattr(import_module(module), name)
    inherited = owner.__getattribute__

    def find(self: object, wanted: str) -> Any:
        reader = sys._getframe(1).f_globals.get("__name__", "")
        if wanted == attribute and reader.startswith("scrapy_robots_policy"):
            raise AttributeError(wanted)
        return inherited(self, wanted)

    owner.__getattribute__ = find
    try:
        yield
    finally:
        del owner.__getattribute__


def waiting_in(crawler: Crawler) -> int:
    """How many requests wait now that are in no queue."""
    return len(middleware_of(crawler).driver.news)


def delays_of(crawler: Crawler) -> dict[str, float]:
    """The delay that is kept, in seconds, for each download slot that has one."""
    lines = middleware_of(crawler).policy.turns.by_slot
    return {slot: line.delay for slot, line in lines.items()}


def _seen(crawler: Crawler) -> Seen:
    spider, stats = crawler.spider, crawler.stats
    assert isinstance(spider, Spider)
    assert stats is not None
    spider.seen.stats = stats.get_stats()
    return spider.seen


@dataclass
class Plan:
    urls: list[str]
    settings: dict[str, Any]
    cancel_first: bool = False
    interrupt_at: str = ""
    interrupts: int = 1
    then: dict[str, list[str]] = field(default_factory=dict)
    hidden: str = ""
    meta: dict[str, Any] = field(default_factory=dict)


def crawl_process(
    plan: Plan, *flags: str, timeout: float = 200, **options: Any
) -> subprocess.CompletedProcess[str]:
    """A finished crawl in a process of its own.

    flags    for Python
    options  those of `subprocess.run`
    """
    return subprocess.run(
        [sys.executable, *flags, "-m", "tests.crawls"],
        input=json.dumps(asdict(plan)),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        **options,
    )


def crawl_apart(plan: Plan, tolerated: Sequence[str] = TOLERATED) -> Seen:
    """Crawl in a process of its own, where a warning is an error but for those tolerated."""
    process = crawl_process(plan, "-W", "error", *tolerated)
    assert process.returncode == 0, process.stderr
    for bad in ("Warning", "ERROR", "CRITICAL", "Traceback"):
        assert bad not in process.stderr, process.stderr
    return Seen(**json.loads(process.stdout))


def crawl_killed(plan: Plan, when: threading.Event) -> None:
    """Begin to crawl in a process of its own, and kill it when something has come to pass."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.crawls"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdin is not None  # a pipe, as asked for
        with process.stdin as pipe:
            pipe.write(json.dumps(asdict(plan)).encode())
        assert when.wait(120)
    finally:
        process.kill()
        process.wait()


def _main() -> None:
    plan = Plan(**json.load(sys.stdin))
    kind = CancellingSpider if plan.cancel_first else InterruptedSpider
    attributes = {name: getattr(plan, name) for name in ("interrupt_at", "interrupts", "then")}
    requests = [scrapy.Request(url, meta=plan.meta) for url in plan.urls]
    spider = kind_of(kind, requests, **attributes)
    if str(plan.settings.get("ROBOTS_STORE")).startswith("redis"):
        from tests.redis_server import wait_for_answers  # noqa: PLC0415 - it imports redis-py

        wait_for_answers()
    settings = {**QUIET, "LOG_LEVEL": "WARNING", **plan.settings}
    if settings.get("TWISTED_REACTOR_ENABLED", True):
        process: Any = CrawlerProcess(settings)
    else:
        process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(spider)
    with hidden(plan.hidden) if plan.hidden else nullcontext():
        process.crawl(crawler)
        process.start()
    json.dump(asdict(_seen(crawler)), sys.stdout, default=str)


if __name__ == "__main__":
    _main()
