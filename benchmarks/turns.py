"""What a request costs whose host's rules are known, to a few microseconds: crawls that take turns.

    python benchmarks/turns.py [--crawls N] [--rounds N] [--requests N] [--items N] [--places N]
                               [--kinds stock ours]

One host, one file, which is known before the measuring begins. Each crawl has a process of its own.
One of each kind live at the same time, and while one asks for its next pages the others sleep. So
whatever else the machine does hits all alike. What is left differs from process to process, by some
1 % as long as they live, as their memory happens to lie: so the crawls are short and many.

The time of Python's collector is taken apart, as it comes in a few large portions, and the larger
the more a process has loaded. `request` is the median over all rounds, `collector` the mean. How
far a kind is from robots off and from stock: for each crawl the mean difference within a round, and
the difference of what the collector took; over the crawls their mean, and its standard error. Both
means leave out the tenth at either end: what else runs on the machine may cost a crawl ten times
what is looked for.

`--items` says how many items the callback yields for each page, `--places` how many requests go at
a time. Both change how often the collector runs. For each response Scrapy makes a task for each of
`CONCURRENT_ITEMS` places: some 700 objects with the default of 100, and with 700 new objects
CPython 3.11 collects. So in a crawl of one place that yields nothing, a few objects more decide
whether the collector runs once in two responses, or in each.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import scrapy
from crawling import OFF, OURS, OWN, STOCK
from scrapy.crawler import CrawlerProcess
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from web import Reply, Web, hosts, robots

WARM_UP = 2  # rounds that do not count
AUDITED = "ours, audited"  # each request is written to the record of the crawl
RULES = robots("User-agent: *\nDisallow: /no\nAllow: /no/but\nDisallow: /*.pdf$\n")
WITHOUT_ADDON = {
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "scrapy_robots_policy.RobotsPolicyMiddleware": 100,
    }
}
KINDS = {
    "robots off": OFF,
    "stock": STOCK,
    "ours": OURS,
    "ours, no add-on": WITHOUT_ADDON,
    AUDITED: OURS,
}
BASES = ("robots off", "stock", "ours")


class Turn(NamedTuple):
    """Microseconds of processor time for each request."""

    request: float
    collector: float


class Sleeper:
    """A crawl in a process of its own, which sleeps until it is its turn."""

    def __init__(self, settings: dict[str, Any], **attributes: Any) -> None:
        self.turns: list[Turn] = []
        self._process = subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, str(Path(__file__).resolve()), "--crawl"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self._send({"settings": settings, "attributes": attributes})

    def turn(self) -> None:
        self._send("turn")
        self.turns.append(Turn(*self._answer()))

    def end(self) -> dict[str, Any]:
        """Its stats."""
        self._send("end")
        stats: dict[str, Any] = self._answer()
        self._process.wait(60)
        return stats

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _send(self, what: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(what) + "\n")

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


@dataclass
class Collector:
    """The processor time that Python's collector has taken, in seconds."""

    spent: float = 0.0
    began: float = 0.0

    def __call__(self, phase: str, _: Any) -> None:
        if phase == "start":
            self.began = time.process_time()
        else:
            self.spent += time.process_time() - self.began


class Spider(scrapy.Spider):
    """Asks for some pages each time it reads "turn"."""

    name = "turns"
    site: str
    requests: int
    items: int
    sent = 0

    async def start(self) -> AsyncIterator[Any]:
        gc.callbacks.append(collector := Collector())
        async for request in self.some(1):
            yield request
        gc.collect()  # from here on its large portions come after as many requests in every crawl
        while json.loads(sys.stdin.readline()) == "turn":
            began, collected = time.process_time(), collector.spent
            async for request in self.some(self.requests):
                yield request
            collected = collector.spent - collected
            rest = time.process_time() - began - collected
            write([share / self.requests * 1e6 for share in (rest, collected)])

    async def some(self, count: int) -> AsyncIterator[scrapy.Request]:
        """Requests; it goes on behind the last when all are answered."""
        self.awaited, self.answered = count, Deferred[None]()
        answered: Awaitable[None] = maybe_deferred_to_future(self.answered)
        for _ in range(count):
            self.sent += 1
            yield scrapy.Request(f"{self.site}/{self.sent}", self.parse, errback=self.count)
        await answered

    def parse(self, response: Any) -> Iterator[dict[str, Any]]:
        for number in range(self.items):
            yield {"url": response.url, "number": number}
        self.count(response)

    def count(self, _: Any) -> None:
        self.awaited -= 1
        if not self.awaited:
            self.answered.callback(None)


def write(what: Any) -> None:
    sys.stdout.write(json.dumps(what, default=str) + "\n")
    sys.stdout.flush()


def crawl() -> None:
    plan = json.loads(sys.stdin.readline())
    process = CrawlerProcess({**OWN, **plan["settings"]})
    crawler = process.create_crawler(type("Spider", (Spider,), plan["attributes"]))
    process.crawl(crawler)
    process.start()
    write(crawler.stats.get_stats())


def answer(_host: str, path: str) -> Reply:
    return RULES if path == "/robots.txt" else Reply()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--crawls", type=int, default=40, help="of each kind")
    parser.add_argument("--rounds", type=int, default=28, help="in which each crawl has a turn")
    parser.add_argument("--requests", type=int, default=50, help="in a turn")
    parser.add_argument("--items", type=int, default=0, help="that a page gives")
    parser.add_argument("--places", type=int, default=16, help="for requests at a time")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--crawl", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.crawl:
        crawl()
        return
    with Web(hosts(1), answer) as web:
        site = web.url(web.addresses[0], "")
        show([taken(site, options) for _ in range(options.crawls)])


def taken(site: str, options: argparse.Namespace) -> dict[str, list[Turn]]:
    """The turns that one crawl of each kind takes."""
    with TemporaryDirectory() as folder, ExitStack() as killed:
        KINDS[AUDITED] = {**OURS, "ROBOTS_AUDIT": f"{folder}/audit.jsonl"}
        attributes = {"site": site, "requests": options.requests, "items": options.items}
        places = {"CONCURRENT_REQUESTS": options.places}
        sleepers = {
            kind: Sleeper({**KINDS[kind], **places}, **attributes) for kind in options.kinds
        }
        for sleeper in sleepers.values():
            killed.callback(sleeper.kill)
        for _ in range(WARM_UP + options.rounds):
            for sleeper in random.sample(list(sleepers.values()), len(sleepers)):
                sleeper.turn()
        for kind, sleeper in sleepers.items():
            check(kind, sleeper.end(), 1 + (WARM_UP + options.rounds) * options.requests)
    return {kind: sleeper.turns[WARM_UP:] for kind, sleeper in sleepers.items()}


def check(kind: str, stats: dict[str, Any], pages: int) -> None:
    """All pages have been answered, and the robots.txt was asked for once where it should be."""
    files = kind != "robots off"
    assert stats.get("robotstxt/response_count", 0) == files, kind
    assert stats["response_received_count"] == pages + files, kind


def show(crawls: list[dict[str, list[Turn]]]) -> None:
    bases = [base for base in BASES if base in crawls[0]]
    beside = "".join(f"{'against ' + base:>26}" for base in bases)
    print(f"{'':15} {'request µs':>10} {'collector µs':>12}{beside}")
    for kind in crawls[0]:
        turns = [turn for crawl in crawls for turn in crawl[kind]]
        request = statistics.median(turn.request for turn in turns)
        collector = statistics.mean(turn.collector for turn in turns)
        apart = "".join(difference(crawls, kind, base) for base in bases)
        print(f"{kind:15} {request:10.1f} {collector:12.1f}{apart}")


def difference(crawls: list[dict[str, list[Turn]]], kind: str, base: str) -> str:
    mean, error = trimmed([further(crawl[kind], crawl[base]) for crawl in crawls])
    whole = statistics.mean(sum(turn) for crawl in crawls for turn in crawl[base])
    return f"{mean:+11.1f} ± {error:4.1f} {mean / whole:+7.2%}"


def further(turns: list[Turn], base: list[Turn]) -> float:
    pairs = list(zip(turns, base, strict=True))
    request, _ = trimmed([one.request - other.request for one, other in pairs])
    return request + statistics.mean(one.collector - other.collector for one, other in pairs)


def trimmed(values: list[float]) -> tuple[float, float]:
    """The mean without the tenth at either end, and its standard error (Tukey and McLaughlin)."""
    cut = len(values) // 10
    kept = sorted(values)[cut : len(values) - cut]
    drawn_in = [kept[0]] * cut + kept + [kept[-1]] * cut
    return statistics.mean(kept), statistics.stdev(drawn_in) * len(values) ** 0.5 / len(kept)


if __name__ == "__main__":
    main()
