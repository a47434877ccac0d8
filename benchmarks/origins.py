"""A broad crawl: what one more origin costs, of which the crawl wants a single page.

    python benchmarks/origins.py [--rounds N] [--hosts N ...] [--kinds stock ours]
                                 [--files small real ...] [--from start queue ...]
                                 [--after SECONDS ...]

1,500 hosts, and then 8,000, with a robots.txt and one page each. So for every page a robots.txt is
fetched, read, and asked once. It is a small one, of five lines; or a real one, another one for each
host: those that `make bench` asks, as far as they let the page pass without a delay. Each crawl
runs in a process of its own; in each round robots off, stock and ours take turns, in an order of
chance.

The requests come from `start`, which gives all of them at once, or are in the scheduler's queue
before the first is taken, as most are in a broad crawl. Scrapy asks `start` for one in each turn of
the event loop while places are free, and requests that wait for a robots.txt of ours take none. So
there a turn of the loop has little to do, and all that it needs comes from far.

An answer comes at once, or so many seconds after its request, as from a machine that is not this
one. Then many more hosts than CONCURRENT_REQUESTS are asked for their robots.txt at a time.

Printed are the processor time of the whole crawl in seconds; what that is for one origin beyond
robots off, in milliseconds, most of which is the second request; how much it is against stock, per
cent, below 0 is cheaper; and the seconds that the crawl took. All are means with their standard
errors; the comparisons are made within a round.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import corpus
from crawling import OFF, OURS, OWN, STOCK, Crawled, Plan, crawl
from figures import shown
from table import Table
from web import Reply, Web, hosts, robots

from scrapy_robots_policy.rep import RuleSet, parse

KINDS = {"robots off": OFF, "stock": STOCK, "ours": OURS}
PLACES = {
    "start": False,
    "queue": True,
}  # whether the requests are queued before the first is taken
RULES = "User-agent: *\nDisallow: /no\nAllow: /no/but\nDisallow: /*.pdf$\nDisallow: /{host}/\n"
Runs = dict[str, list[Crawled]]
Answers = Callable[[str, str], Reply]


def answer(host: str, path: str) -> Reply:
    """No two hosts have the same robots.txt."""
    return robots(RULES.format(host=host)) if path == "/robots.txt" else Reply()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hosts", type=int, nargs="+", default=[1_500, 8_000])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--files", nargs="+", choices=FILES, default=list(FILES))
    parser.add_argument("--from", nargs="+", choices=PLACES, default=list(PLACES), dest="places")
    parser.add_argument("--after", type=float, nargs="+", default=[0.0])
    options = parser.parse_args()
    for count, files, place, seconds in product(
        options.hosts, options.files, options.places, options.after
    ):
        runs: Runs = {kind: [] for kind in options.kinds}
        with Web(hosts(count), later(FILES[files](count), seconds)) as web:
            urls = [web.url(host, "/page") for host in web.addresses]
            for turn in range(options.rounds):
                for kind in random.Random(turn).sample(options.kinds, len(options.kinds)):
                    runs[kind].append(measured(kind, urls, queued=PLACES[place]))
                    web.log()
        after = f", after {seconds:g} s" if seconds else ""
        show(f"{count:,} hosts, {files} files, from {place}{after}", runs)


def later(answer: Answers, seconds: float) -> Answers:
    """The same answers, so many seconds after their requests."""
    return lambda host, path: replace(answer(host, path), after=seconds)


def real(count: int) -> Answers:
    """Answers of that many hosts, each with a real robots.txt."""
    files = [body for body in corpus.bodies() if lets_pass(parse(body))]
    of_host = {host: files[n % len(files)] for n, host in enumerate(hosts(count))}
    return lambda host, path: (
        Reply(of_host[host], kind="text/plain") if path == "/robots.txt" else Reply()
    )


def lets_pass(rules: RuleSet) -> bool:
    agent = OWN["USER_AGENT"]
    return rules.allowed("http://example.com/page", agent) and not rules.crawl_delay(agent)


def measured(kind: str, urls: list[str], *, queued: bool) -> Crawled:
    crawled = crawl(Plan(urls, {"CONCURRENT_REQUESTS": 16, **KINDS[kind]}, queued=queued))
    files = 0 if kind == "robots off" else len(urls)
    assert len(crawled.answered) == len(urls), crawled.stats
    assert crawled.stats.get("robotstxt/response_count", 0) == files, crawled.stats
    return crawled


def show(title: str, runs: Runs) -> None:
    count = len(next(iter(runs.values()))[0].answered)
    table = Table(title, *COLUMNS)
    for kind, crawls in runs.items():
        processor = [crawled.processor for crawled in crawls]
        over_off = [
            (one.processor - off.processor) / count * 1e3
            for one, off in in_turn(crawls, runs.get("robots off"))
        ]
        over_stock = [
            (one.processor / stock.processor - 1) * 100
            for one, stock in in_turn(crawls, runs.get("stock"))
        ]
        wall = [crawled.seconds for crawled in crawls]
        table.row(kind, *(shown(values) for values in (processor, over_off, over_stock, wall)))


FILES = {"small": lambda _: answer, "real": real}
COLUMNS = ["processor s", "over off: ms an origin", "over stock: %", "wall s"]


def in_turn(crawls: list[Crawled], base: list[Crawled] | None) -> Iterator[tuple[Crawled, Crawled]]:
    """Each crawl with that of the other kind in the same round; nothing if it was left out."""
    return zip(crawls, base, strict=True) if base else iter(())


if __name__ == "__main__":
    main()
