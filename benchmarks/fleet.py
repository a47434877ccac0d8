"""Eight crawlers at once: how often is a robots.txt fetched, and how fast do they go together?

    python benchmarks/fleet.py [--only shared|pace|killed] [--rounds N]

Each crawler has its own part of the pages, given to it at the start, so that whatever is lost is
lost by us. All is counted at the hosts. "against" are pages that the host had not allowed by then.

shared  300 hosts, each wanted by all crawlers; their robots.txt take up to half a second
pace    a host with `Crawl-delay: 1`; the gaps between two pages that it sees, in seconds
killed  a crawler with `kill -9` while others wait for the robots.txt that it fetches; and Redis
        with `kill -9`, away for three seconds, while every robots.txt is good for three; "after" is
        from ten seconds after its return on
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from crawling import OURS, STOCK, Crawled, Crawling, Plan
from redis_server import RedisServer
from table import Table
from web import Hit, Reply, Web, hosts, robots

CRAWLERS = 8
RULES = "User-agent: *\nDisallow: /closed/\n"
ROBOTS_TXT = "/robots.txt"
MEMORY = {**OURS, "ROBOTS_STORE": "memory:"}
Settings = dict[str, Any]


def shared_by(redis: RedisServer) -> Settings:
    return {**OURS, "ROBOTS_STORE": redis.url}


@dataclass
class Fleet:
    """Crawlers under way, each with its number in its User-Agent."""

    plans: list[Plan]
    crawling: list[Crawling] = field(init=False)

    def __post_init__(self) -> None:
        self.crawling = [Crawling(plan) for plan in self.plans]

    @classmethod
    def of(cls, parts: Iterable[list[str]], settings: Settings) -> Fleet:
        named = (
            Plan(part, {"RETRY_ENABLED": False, **settings, "USER_AGENT": f"BenchBot/{number}.0"})
            for number, part in enumerate(parts)
        )
        return cls(list(named))

    def kill(self, number: int) -> None:
        self.crawling[number].kill()

    def restart(self, number: int) -> None:
        self.crawling[number] = Crawling(self.plans[number])

    def results(self) -> list[Crawled]:
        return [crawling.result(300) for crawling in self.crawling]

    def lost(self, results: list[Crawled]) -> int:
        """What was neither answered nor dropped by the rule."""
        return sum(
            url not in crawled.answered and not by_the_rule(url, crawled.failed.get(url, ""))
            for plan, crawled in zip(self.plans, results, strict=True)
            for url in plan.urls
        )


def by_the_rule(url: str, why: str) -> bool:
    """Stock Scrapy only says as much; ours says which rule it was."""
    by_us = why.endswith("Disallow: /closed/")
    return "/closed/" in url and (by_us or why == "Forbidden by robots.txt")


def parts(web: Web, addresses: list[str], paths: list[str], seed: int = 5) -> list[list[str]]:
    """For each crawler other pages of the same hosts, in an order of its own."""
    made = []
    for number in range(CRAWLERS):
        urls = [web.url(host, f"{path}{number}") for host in addresses for path in paths]
        random.Random(seed + number).shuffle(urls)
        made.append(urls)
    return made


def files(log: list[Hit]) -> Counter[str]:
    """How often each host was asked for its robots.txt."""
    return Counter(hit.host for hit in log if hit.path == ROBOTS_TXT)


def pages(log: list[Hit]) -> list[Hit]:
    return [hit for hit in log if hit.path != ROBOTS_TXT]


def against(log: list[Hit]) -> int:
    """Pages of the closed half, and those asked for before any robots.txt was answered."""
    answered_at: dict[str, float] = {}
    for hit in log:
        if hit.path == ROBOTS_TXT and hit.answered_at:
            answered_at[hit.host] = min(hit.answered_at, answered_at.get(hit.host, hit.answered_at))
    return sum(
        hit.path.startswith("/closed/") or hit.asked_at < answered_at.get(hit.host, float("inf"))
        for hit in pages(log)
    )


def late(_: str, path: str) -> Reply:
    return robots(RULES, after=random.random() / 2) if path == ROBOTS_TXT else Reply(after=0.02)


def show_shared() -> None:
    addresses = hosts(300)
    table = Table(f"{CRAWLERS} crawlers, 300 hosts", "robots.txt", "most a host", *ALWAYS)
    with RedisServer() as redis, Web(addresses, late) as web:
        kinds = {"stock": STOCK, "ours, memory:": MEMORY, "ours, redis:": shared_by(redis)}
        for name, settings in kinds.items():
            fleet = Fleet.of(parts(web, addresses, ["/open/", "/closed/"]), settings)
            results = fleet.results()
            log = web.log()
            max_fetches = max(files(log).values())
            table.row(name, f"{files(log).total()}", f"{max_fetches}", *always(fleet, results, log))


ALWAYS = ("pages", "lost", "against", "s")


def always(fleet: Fleet, results: list[Crawled], log: list[Hit]) -> tuple[str, ...]:
    """The columns that all of these tables have."""
    lost, seconds = fleet.lost(results), span(results)
    return f"{len(pages(log))}", f"{lost}", f"{against(log)}", f"{seconds:.1f}"


def span(results: list[Crawled]) -> float:
    return max(crawled.ended for crawled in results) - min(crawled.began for crawled in results)


def paced(_: str, path: str) -> Reply:
    return robots("User-agent: *\nCrawl-delay: 1\n") if path == ROBOTS_TXT else Reply(after=0.02)


def show_pace() -> None:
    address, columns = "127.0.9.1", ("pages", "smallest gap", "mean gap", "under 1", "s")
    table = Table(f"{CRAWLERS} crawlers, one host", *columns)
    with RedisServer() as redis, Web([address], paced) as web:
        kinds = {"stock": STOCK, "ours, memory:": MEMORY, "ours, redis:": shared_by(redis)}
        for name, settings in kinds.items():
            fleet = Fleet.of(parts(web, [address], [f"/{n}/" for n in range(4)]), settings)
            results = fleet.results()
            times = [hit.asked_at for hit in pages(web.log())]
            gaps = [later - earlier for earlier, later in pairwise(times)]
            table.row(
                name,
                f"{len(times)}",
                f"{min(gaps):.4f}",
                f"{sum(gaps) / len(gaps):.3f}",
                f"{sum(gap < 1 for gap in gaps)}",
                f"{span(results):.1f}",
            )


SILENT = "127.0.9.2"  # answers for its robots.txt when it is asked a second time


class FirstInVain:
    def __init__(self) -> None:
        self.fetches = 0

    def __call__(self, host: str, path: str) -> Reply:
        if host == SILENT and path == ROBOTS_TXT:
            self.fetches += 1
            return robots(RULES, after=None if self.fetches == 1 else 0)
        return late(host, path)


def show_killed_crawler(rounds: int) -> None:
    addresses = [SILENT, *hosts(40)]
    table = Table("a crawler killed", "robots.txt", "hosts", "asked again after s", *ALWAYS)
    for number in range(1, rounds + 1):
        with RedisServer() as redis, Web(addresses, FirstInVain()) as web:
            urls = parts(web, addresses, ["/open/", "/closed/"], seed=number)
            fleet = Fleet.of(urls, shared_by(redis))
            victim = int(float(first(web, of_silent).agent.partition("/")[2]))
            time.sleep(1)  # the others want it, too
            fleet.kill(victim)
            killed = time.monotonic()
            fleet.restart(victim)
            results = fleet.results()
            log = web.log()
        fetches, again = files(log).total(), second(log) - killed
        rest = always(fleet, results, log)
        table.row(f"round {number}", f"{fetches}", f"{len(addresses)}", f"{again:.1f}", *rest)


def of_silent(hit: Hit) -> bool:
    return hit.host == SILENT and hit.path == ROBOTS_TXT


def first(web: Web, is_meant: Callable[[Hit], bool]) -> Hit:
    """The first such request, as soon as it has come."""
    while True:
        for hit in filter(is_meant, web.log(forget=False)):
            return hit
        time.sleep(0.05)


def second(log: list[Hit]) -> float:
    """When that robots.txt was asked for again."""
    times = [hit.asked_at for hit in log if of_silent(hit)]
    return times[1] if len(times) > 1 else float("nan")


KILLED, AWAY, TTL = 8.0, 3.0, 3.0  # seconds after the first request, and how long
BACK = 10.0  # seconds after its return, when all must have found it again


def show_killed_redis(rounds: int) -> None:
    addresses = hosts(20)
    paths = [f"/{half}/{n}/" for half in ("open", "closed") for n in range(20)]
    slow = {"ROBOTS_TTL": TTL, "DOWNLOAD_DELAY": 1.0, "LOG_LEVEL": "WARNING"}
    columns = ("robots.txt/s before", "without", "after", "warnings")
    table = Table("Redis killed", *columns, *ALWAYS)
    for number in range(1, rounds + 1):
        with RedisServer() as redis, Web(addresses, late) as web:
            fleet = Fleet.of(
                parts(web, addresses, paths, seed=number), {**shared_by(redis), **slow}
            )
            began = first(web, lambda _: True).asked_at
            time.sleep(KILLED)
            killed = time.monotonic()
            redis.kill()
            time.sleep(AWAY)
            redis.start()
            back = time.monotonic()
            results = fleet.results()
            log = web.log()
        warnings = sum(crawling.log.count(" WARNING: ") for crawling in fleet.crawling)
        ended = max(hit.asked_at for hit in log)
        rest = always(fleet, results, log)
        table.row(
            f"round {number}",
            f"{rate(log, began, killed):.1f}",
            f"{rate(log, killed, back):.1f}",
            f"{rate(log, back + BACK, ended):.1f}",
            f"{warnings}",
            *rest,
        )


def rate(log: list[Hit], since: float, until: float) -> float:
    """How many robots.txt were asked for in a second."""
    fetches = sum(hit.path == ROBOTS_TXT and since <= hit.asked_at < until for hit in log)
    return fetches / (until - since)


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("--only", choices=("shared", "pace", "killed"))
    reader.add_argument("--rounds", type=int, default=3)
    options = reader.parse_args()
    if options.only in (None, "shared"):
        show_shared()
    if options.only in (None, "pace"):
        show_pace()
    if options.only in (None, "killed"):
        show_killed_crawler(options.rounds)
        show_killed_redis(options.rounds)


if __name__ == "__main__":
    main()
