"""What a request costs whose host's rules are known, to a microsecond: crawls that take turns.

    python benchmarks/turns.py [--rounds N] [--requests N]

As `overhead.py`, but all kinds of crawl live in one process, each with its own engine, and while
one asks for its next pages the others sleep. So whatever else the machine does hits all alike, and
differences show that are lost between one process and the next. What is not seen here is that a
process which has loaded less is a smaller one; there `overhead.py` has the word.
"""

from __future__ import annotations

import argparse
import gc
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import scrapy
from crawling import OWN
from overhead import KINDS, answer, show
from scrapy.crawler import Crawler, CrawlerProcess
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from web import Web, hosts

WARM_UP = 2  # rounds that do not count


class Turns:
    """Who crawls now. In each round every kind has one turn, in an order of chance."""

    def __init__(self, rounds: int) -> None:
        self.spent: dict[str, list[float]] = {kind: [] for kind in KINDS}
        self._asleep: dict[str, Deferred[bool]] = {}
        self._order: list[str] = []
        self._left = (rounds + WARM_UP) * len(KINDS)

    async def turn(self, kind: str) -> bool:
        """Sleep until it is the kind's turn. False: there is none any more."""
        turn: Deferred[bool] = Deferred()
        self._asleep[kind] = turn
        if len(self._asleep) == len(KINDS):
            self._wake()
        return await maybe_deferred_to_future(turn)

    def took(self, kind: str, seconds: float) -> None:
        self.spent[kind].append(seconds)

    def _wake(self) -> None:
        if not self._left:
            for turn in self._asleep.values():
                turn.callback(False)
            return
        self._left -= 1
        if not self._order:
            self._order = random.sample(list(KINDS), len(KINDS))
        gc.collect()  # lest a turn pay for what others have left behind
        self._asleep.pop(self._order.pop()).callback(True)


class Spider(scrapy.Spider):
    """Asks for some pages whenever it is its turn."""

    name = "turns"
    kind: str
    turns: Turns
    page: Callable[[str], str]
    requests: int
    asked = 0

    async def start(self) -> AsyncIterator[Any]:
        async for request in self.some(1):
            yield request
        while await self.turns.turn(self.kind):
            began = time.process_time()
            async for request in self.some(self.requests):
                yield request
            self.turns.took(self.kind, (time.process_time() - began) / self.requests)

    async def some(self, count: int) -> AsyncIterator[scrapy.Request]:
        """Requests; it goes on behind the last when all are answered."""
        self.awaited, self.answered = count, Deferred[None]()
        answered: Awaitable[None] = maybe_deferred_to_future(self.answered)
        for _ in range(count):
            self.asked += 1
            yield scrapy.Request(self.page(f"/{self.asked}"), self.parse, errback=self.parse)
        await answered

    def parse(self, _: Any) -> None:
        self.awaited -= 1
        if not self.awaited:
            self.answered.callback(None)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--requests", type=int, default=50, help="in a turn")
    options = parser.parse_args()
    turns = Turns(options.rounds)
    crawlers: dict[str, Crawler] = {}
    with Web(hosts(1), answer) as web:
        process = CrawlerProcess(OWN)
        for kind, settings in KINDS.items():
            known = {
                "kind": kind,
                "turns": turns,
                "page": staticmethod(lambda path: web.url(web.addresses[0], path)),
                "requests": options.requests,
                "custom_settings": {"CONCURRENT_REQUESTS": 16, **settings},
            }
            crawlers[kind] = process.create_crawler(type("Spider", (Spider,), known))
            process.crawl(crawlers[kind])
        process.start()
    pages = 1 + (options.rounds + WARM_UP) * options.requests
    for kind, crawler in crawlers.items():
        files = kind != "robots off"
        assert crawler.stats.get_value("robotstxt/response_count", 0) == files, kind
        assert crawler.stats.get_value("response_received_count") == pages + files, kind
    show({kind: [one * 1e6 for one in times[WARM_UP:]] for kind, times in turns.spent.items()})


if __name__ == "__main__":
    main()
