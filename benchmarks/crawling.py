"""One crawl in a process of its own, measured.

crawl(Plan(...)) -> Crawled
Crawling(Plan(...)), for several at a time
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import scrapy
from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.defer import Deferred

OFF = {"ROBOTSTXT_OBEY": False}
STOCK = {"ROBOTSTXT_OBEY": True}
OURS = {"ADDONS": {"scrapy_robots_policy.Addon": 500}}
WITHOUT_REACTOR = {"TWISTED_REACTOR_ENABLED": False}
OWN = {"TELNETCONSOLE_ENABLED": False, "LOG_LEVEL": "ERROR", "USER_AGENT": "BenchBot/1.0"}


@dataclass
class Plan:
    """One crawl.

    first       a URL that is answered before the others are asked for and measuring begins
    window      how many URLs may be asked for and not answered yet; None: all. Scrapy's queue looks
                at all hosts that it has requests of, whenever it gives one
    queued      whether the scheduler has all URLs before the first is taken
    whole       whether what comes before the answer to `first` is measured too
    stop_after  seconds until SIGINT comes, as by Ctrl-C
    sample      seconds between samples of memory
    collect     seconds between two collections of all idle slots, which Scrapy does every minute
    leftovers   whether open files and timers are counted at the start and at the end
    """

    urls: list[str]
    settings: dict[str, Any] = field(default_factory=dict)
    first: str = ""
    window: int | None = None
    queued: bool = False
    whole: bool = False
    stop_after: float | None = None
    sample: float | None = None
    collect: float | None = None
    leftovers: bool = False


@dataclass
class Crawled:
    """Times by the monotonic clock of the machine; `processor` in seconds, between both.

    answered   how often each URL was answered
    stopping   when SIGINT came, 0 if it did not
    memory     MiB resident, every `sample` seconds
    resident   MiB resident when the crawl was over
    peak       MiB resident at most, until then
    files      open files when the spider was opened, and when the engine had stopped
    timers     timers of the event loop at these times
    """

    began: float
    ended: float
    processor: float
    answered: dict[str, int]
    failed: dict[str, str]
    stats: dict[str, Any]
    stopping: float = 0.0
    memory: list[float] = field(default_factory=list)
    resident: float = 0.0
    peak: float = 0.0
    files: list[int] = field(default_factory=list)
    timers: list[int] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return self.ended - self.began


class Crawling:
    """A crawl under way. `log` is what it has written so far. `under`: a program that runs it."""

    def __init__(self, plan: Plan, under: Sequence[str] = ()) -> None:
        self.plan = plan
        self._out = TemporaryFile("a+")  # noqa: SIM115 - open as long as the crawl is of interest
        self._log = TemporaryFile("a+")  # noqa: SIM115 - as above
        self.process = subprocess.Popen(  # noqa: S603 - ourselves
            [*under, sys.executable, str(Path(__file__).resolve())],
            stdin=subprocess.PIPE,
            stdout=self._out,
            stderr=self._log,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)},
        )
        assert self.process.stdin is not None
        with self.process.stdin as stdin:
            json.dump(asdict(plan), stdin)

    @property
    def log(self) -> str:
        self._log.seek(0)
        return self._log.read()

    @property
    def resident(self) -> float:
        """MiB resident now; 0 if the process has ended."""
        return memory(self.process.pid)[0]

    def result(self, timeout: float = 1200) -> Crawled:
        """Wait for its end. A crawl that takes longer is killed."""
        try:
            self.process.wait(timeout)
        finally:
            self.kill()
        if self.process.returncode or "Traceback" in self.log:
            sys.stderr.write(self.log[-3000:])
        self._out.seek(0)
        return Crawled(**json.load(self._out))

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def memory(pid: int | str = "self") -> tuple[float, float]:
    """MiB resident now, and at most so far; 0 for a process that has ended."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    now, peak = ((status.partition(key)[2].split() or "0")[0] for key in ("VmRSS:", "VmHWM:"))
    return int(now) / 1024, int(peak) / 1024


def call_later(seconds: float, function: Callable[[], None]) -> None:
    asyncio.get_running_loop().call_later(seconds, function)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def open_timers() -> int:
    if is_reactor_installed():
        from twisted.internet import reactor

        return len(reactor.getDelayedCalls())  # type: ignore[attr-defined]
    loop: Any = asyncio.get_running_loop()
    return sum(not timer.cancelled() for timer in loop._scheduled)  # noqa: SLF001 - it has no other


def crawl(plan: Plan, timeout: float = 1200) -> Crawled:
    return Crawling(plan).result(timeout)


class Spider(scrapy.Spider):
    """Asks for the URLs of its plan and measures itself."""

    name = "bench"
    plan: Plan
    is_over = False
    ended = 0
    has_ended: Deferred[None] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.answered: Counter[str] = Counter()
        self.ready: Deferred[None] = Deferred()
        self.seen = Crawled(0.0, 0.0, 0.0, {}, {}, {})

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> Spider:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.opened, signals.spider_opened)
        crawler.signals.connect(spider.stopped, signals.engine_stopped)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        if self.plan.first:
            yield scrapy.Request(self.plan.first, self.begin)
            await maybe_deferred_to_future(self.ready)
        if self.plan.queued:
            for url in self.plan.urls:
                self.crawler.engine.crawl(scrapy.Request(url, self.parse, errback=self.fail))
            return
        for number, url in enumerate(self.plan.urls):
            while self.plan.window is not None and number - self.ended >= self.plan.window:
                self.has_ended = Deferred()
                await maybe_deferred_to_future(self.has_ended)
            yield scrapy.Request(url, self.parse, errback=self.fail)

    def parse(self, response: Any) -> None:
        self.answered[response.url] += 1
        self.end()

    def fail(self, failure: Any) -> None:
        self.seen.failed[failure.request.url] = str(failure.value)[:100]
        self.end()

    def end(self) -> None:
        """A request has ended: `start` may give another one."""
        self.ended += 1
        if self.has_ended is not None and not self.has_ended.called:
            self.has_ended.callback(None)

    def begin(self, response: Any) -> None:  # noqa: ARG002 - Scrapy gives it
        if not self.plan.whole:
            self.measure()
        self.ready.callback(None)

    def measure(self) -> None:
        self.seen.began, self.seen.processor = time.monotonic(), time.process_time()

    def opened(self) -> None:
        self.measure()
        if self.plan.leftovers:
            self.count_leftovers()
        if self.plan.stop_after is not None:
            call_later(self.plan.stop_after, self.stop)
        if self.plan.sample is not None:
            self.sample()
        if self.plan.collect is not None:
            self.collect()

    async def stopped(self) -> None:
        if self.plan.leftovers:
            self.is_over = True
            await asyncio.sleep(1.0)  # the handlers close their connections now
            gc.collect()
            self.count_leftovers()

    def count_leftovers(self) -> None:
        self.seen.files.append(open_files())
        self.seen.timers.append(open_timers())

    def stop(self) -> None:
        self.seen.stopping = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    def collect(self) -> None:
        self.crawler.engine.downloader._slot_gc(age=-60)  # noqa: SLF001 - whatever their delay
        call_later(self.plan.collect or 1.0, self.collect)

    def sample(self) -> None:
        self.seen.memory.append(memory()[0])
        if not self.is_over:
            call_later(self.plan.sample or 1.0, self.sample)

    def closed(self, reason: str) -> None:  # noqa: ARG002 - Scrapy gives it
        self.is_over = True
        self.seen.ended = time.monotonic()
        self.seen.processor = time.process_time() - self.seen.processor
        self.seen.resident, self.seen.peak = memory()
        self.seen.answered = dict(self.answered)


def _main() -> None:
    plan = Plan(**json.load(sys.stdin))
    settings = {**OWN, **plan.settings}
    with_reactor = settings.get("TWISTED_REACTOR_ENABLED", True)
    if with_reactor:
        process: Any = CrawlerProcess(settings)
    else:
        from scrapy.crawler import AsyncCrawlerProcess

        process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(type("Spider", (Spider,), {"plan": plan}))
    process.crawl(crawler)
    process.start()
    crawler.spider.seen.stats = crawler.stats.get_stats()
    json.dump(asdict(crawler.spider.seen), sys.stdout, default=str)


if __name__ == "__main__":
    _main()
