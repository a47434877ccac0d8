"""A crawl of nothing but forbidden pages: what 300 refusals cost.

    python benchmarks/refusals.py [--rounds N] [--urls N] [--rules N] [--cap SECONDS]

One host, whose robots.txt has 20,000 rules, once without wildcards and once with a wildcard in
every rule. A first page is allowed, and awaited; every other page that the crawl wants is
forbidden, by a rule of its own. "robots off" fetches these pages, to show what Scrapy itself takes.

Each crawl runs in a process of its own, and the kinds take turns within a round. Measured is the
whole crawl, so the robots.txt is fetched and read in it. Both times are in seconds, as a mean with
its standard error. "of stock" is the processor time divided by that of stock in the same round:
below 1 is cheaper than stock. A crawl that takes longer than `--cap` seconds is ended.
"""

from __future__ import annotations

import argparse
import random
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field

from crawling import OFF, OURS, STOCK, Crawled, Plan, crawl
from figures import ratio, shown
from table import Table
from web import Reply, Web, hosts, robots

KINDS = {"robots off": OFF, "stock": STOCK, "ours": OURS}
BASE = "stock"


@dataclass
class Times:
    """Seconds, of each round."""

    processor: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    ended: bool = False  # by the cap

    def add(self, crawled: Crawled) -> None:
        self.processor.append(crawled.processor)
        self.wall.append(crawled.seconds)


def plain(number: int) -> str:
    return f"/{number * 7919 % 65_521:x}/{number:x}"


def wildcard(number: int) -> str:
    return f"/*{number * 7919 % 65_521:x}*/{number:x}"


FILES: dict[str, Callable[[int], str]] = {"plain": plain, "wildcards": wildcard}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--urls", type=int, default=300)
    parser.add_argument("--rules", type=int, default=20_000)
    parser.add_argument("--cap", type=float, default=180.0)
    options = parser.parse_args()
    for name, path in FILES.items():
        rules = "".join(f"Disallow: {path(n)}\n" for n in range(options.rules))
        text = f"User-agent: *\n{rules}"
        numbers = random.Random(18).sample(range(options.rules), options.urls)
        paths = [path(n).replace("*", "some") + "/page.html" for n in numbers]
        table = Table(f"{name}: {options.rules:,} rules, {len(text) // 1024} KiB", *COLUMNS)
        measure(table, text, paths, options)


COLUMNS = ["processor s", "wall s", "of stock", "refused"]


def measure(table: Table, text: str, paths: list[str], options: argparse.Namespace) -> None:
    def answer(_: str, path: str) -> Reply:
        return robots(text) if path == "/robots.txt" else Reply()

    times = {kind: Times() for kind in KINDS}
    refused = dict.fromkeys(KINDS, 0)
    with Web(hosts(1), answer) as web:
        urls = [web.url(web.addresses[0], path) for path in paths]
        first = web.url(web.addresses[0], "/")
        for turn in range(options.rounds):
            for kind in random.Random(turn).sample(list(KINDS), len(KINDS)):
                if times[kind].ended:
                    continue
                try:
                    crawled = crawl(Plan(urls, KINDS[kind], first, whole=True), options.cap)
                except subprocess.TimeoutExpired:
                    times[kind].ended = True
                else:
                    times[kind].add(crawled)
                    refused[kind] = len(crawled.failed)
    for kind, spent in times.items():
        table.row(kind, *cells(spent, times[BASE], options.cap), str(refused[kind]))


def cells(spent: Times, base: Times, cap: float) -> list[str]:
    if spent.ended:
        return ["", f"over {cap:.0f}", ""]
    beside = "" if base.ended else ratio(spent.processor, base.processor)
    return [shown(spent.processor), shown(spent.wall), beside]


if __name__ == "__main__":
    main()
