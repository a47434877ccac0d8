"""Hosts that make a crawl wait: how long do the other hosts' pages take?

    python benchmarks/slow_host.py [--only head queue dead broad] [--rounds N] [--cap SECONDS]
                                   [--kinds stock ours]

head  3,000 requests to one host come first in the spider's `start`, then 50 pages each of 20
      healthy hosts. The first host asks for two seconds between two requests, or never answers for
      its robots.txt. "ours, without it" is the same crawl without the first host: the mark.
queue The same with 100,000 requests, and the scheduler has all of them before the first is taken,
      as in a crawl that is resumed. (Scrapy takes some seconds to read so many from `start`.)
dead  900 hosts in an order of chance, with two pages each, and then with four. Every third host
      accepts the connection for its robots.txt and is silent. "robots off" is the mark to reach.
delay 300 healthy hosts with ten pages each beside 3,000 with three each, in an order of chance.
      The 3,000 ask for 60 seconds between two requests. "ours, no delay kept" is the mark to reach.
broad 10,000 hosts in an order of chance, with a page each. One in twenty is silent. "ours, without
      it" is the same crawl without the silent hosts: the mark to reach. It takes some minutes, and
      is run only if it is named.

Every page takes 20 ms. A crawl is over when the last page of a healthy host is there, or at
`--cap`; it is ended then, whatever else it waits for. Each runs in a process of its own, and the
kinds take turns within a round. Printed are the seconds until that last page, counted from the
first request that any host saw; the crawl's processor time until it was ended, its start included;
how many pages of healthy hosts were there, in the worst round; and how many of the others, on
average. Times are means over the rounds with their standard errors.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlsplit

from crawling import OFF, OURS, STOCK, Crawling, Plan
from figures import shown
from table import Table
from web import Hit, Reply, Web, hosts, robots

KINDS = {"robots off": OFF, "stock": STOCK, "ours": OURS}
NO_DELAY = "ours, no delay kept"
MARK = "ours, without it"
ALL_KINDS = [*KINDS, MARK, NO_DELAY]
CONCURRENT = 16
PAGE = 0.02  # seconds that a page takes
POLL = 0.5  # seconds between two looks at what the hosts have seen
COLUMNS = ["seconds", "processor s", "healthy pages", "others"]
RULES = "User-agent: *\nDisallow: /no\n"

FIRST, HEALTHY = "127.0.200.1", hosts(20)
PAGES = 50
MANY, BROAD = hosts(900), hosts(10_000)
QUICK, PACED = hosts(3_300)[:300], hosts(3_300)[300:]
DEAD_OF_MANY, DEAD_OF_BROAD = MANY[::3], BROAD[::20]
SILENT = robots("", after=None)


class Case(NamedTuple):
    """`slow`: the hosts that are not healthy; `reply`: their robots.txt; `urls`: by kind."""

    title: str
    hosts: list[str]
    slow: frozenset[str]
    reply: Reply
    urls: Callable[[Web], dict[str, list[str]]]
    queued: bool = False


class Reached(NamedTuple):
    """How far a crawl came, and in what time. `processor`: seconds, from its start."""

    seconds: float
    processor: float
    healthy: int
    others: int


def at_the_head(requests: int) -> Callable[[Web], dict[str, list[str]]]:
    def urls_by_kind(web: Web) -> dict[str, list[str]]:
        healthy = [web.url(host, f"/{n}") for n in range(PAGES) for host in HEALTHY]
        urls = [web.url(FIRST, f"/{n}") for n in range(requests)] + healthy
        return {**dict.fromkeys(KINDS, urls), MARK: healthy}

    return urls_by_kind


def in_any_order(pages: int) -> Callable[[Web], dict[str, list[str]]]:
    def urls_by_kind(web: Web) -> dict[str, list[str]]:
        return dict.fromkeys(KINDS, shuffled(web, MANY, pages))

    return urls_by_kind


def beside_paced(web: Web) -> dict[str, list[str]]:
    healthy = [web.url(host, f"/{n}") for n in range(10) for host in QUICK]
    urls = healthy + [web.url(host, f"/{n}") for n in range(3) for host in PACED]
    random.Random(18).shuffle(urls)
    return dict.fromkeys(("ours", NO_DELAY), urls)


def broad(web: Web) -> dict[str, list[str]]:
    dead = frozenset(DEAD_OF_BROAD)
    healthy = [host for host in BROAD if host not in dead]
    return {**dict.fromkeys(KINDS, shuffled(web, BROAD, 1)), MARK: shuffled(web, healthy, 1)}


def shuffled(web: Web, addresses: list[str], pages: int) -> list[str]:
    urls = [web.url(host, f"/{n}") for n in range(pages) for host in addresses]
    random.Random(18).shuffle(urls)
    return urls


DELAY = robots(RULES + "Crawl-delay: 2\n")
FIRST_HOSTS = {"Crawl-delay: 2": DELAY, "no robots.txt comes": SILENT}


def slow_at_the_head(requests: int, *, queued: bool) -> list[Case]:
    where, urls = "queue" if queued else "start", at_the_head(requests)
    return [
        Case(
            f"{requests:,} at the head of `{where}`: {reason}",
            [*HEALTHY, FIRST],
            frozenset([FIRST]),
            reply,
            urls,
            queued,
        )
        for reason, reply in FIRST_HOSTS.items()
    ]


CASES = {
    "head": slow_at_the_head(3_000, queued=False),
    "queue": slow_at_the_head(100_000, queued=True),
    "dead": [
        Case(
            f"300 dead hosts, {pages} pages each",
            MANY,
            frozenset(DEAD_OF_MANY),
            SILENT,
            in_any_order(pages),
        )
        for pages in (2, 4)
    ],
    "delay": [
        Case(
            "300 hosts beside 3,000 with Crawl-delay: 60",
            QUICK + PACED,
            frozenset(PACED),
            robots(RULES + "Crawl-delay: 60\n"),
            beside_paced,
        )
    ],
    "broad": [
        Case(
            "500 dead hosts of 10,000, a page each", BROAD, frozenset(DEAD_OF_BROAD), SILENT, broad
        ),
    ],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=CASES, default=["head", "dead"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cap", type=float, default=60.0)
    parser.add_argument("--kinds", nargs="+", choices=ALL_KINDS, default=ALL_KINDS)
    options = parser.parse_args()
    for name in options.only:
        for case in CASES[name]:
            measure(case, options)


def measure(case: Case, options: argparse.Namespace) -> None:
    quick = robots(RULES)

    def answer(host: str, path: str) -> Reply:
        if path == "/robots.txt":
            return case.reply if host in case.slow else quick
        return Reply(after=PAGE)

    table = Table(case.title, *COLUMNS)
    with Web(case.hosts, answer) as web:
        urls = case.urls(web)
        kinds = [kind for kind in urls if kind in options.kinds]
        reached: dict[str, list[Reached]] = {kind: [] for kind in kinds}
        for turn in range(options.rounds):
            for kind in random.Random(turn).sample(kinds, len(kinds)):
                web.log()
                settings = {"CONCURRENT_REQUESTS": CONCURRENT, **KINDS.get(kind, OURS)}
                if kind == NO_DELAY:
                    settings["ROBOTS_CRAWL_DELAY_MAX"] = 0
                plan = Plan(urls[kind], settings, queued=case.queued)
                reached[kind].append(watched(Crawling(plan), web, case.slow, options.cap))
    for kind, times in reached.items():
        wanted = sum(urlsplit(url).hostname not in case.slow for url in urls[kind])
        table.row(kind, *cells(times, wanted, options.cap))


def watched(crawling: Crawling, web: Web, slow: frozenset[str], cap: float) -> Reached:
    """Wait until all that is wanted of healthy hosts is there, or the cap; then end the crawl."""
    wanted = sum(urlsplit(url).hostname not in slow for url in crawling.plan.urls)
    before, deadline = of_children(), time.monotonic() + cap
    reached = Reached(0.0, 0.0, 0, 0)
    try:
        while reached.healthy < wanted and time.monotonic() < deadline:
            time.sleep(POLL)
            has_ended = crawling.process.poll() is not None
            reached = look(web.log(forget=False), slow)
            if has_ended:
                break
    finally:
        crawling.kill()
    return reached._replace(processor=of_children() - before)


def of_children() -> float:
    """Seconds of processor time that processes which have ended took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def look(log: list[Hit], slow: frozenset[str]) -> Reached:
    """From the first request that any host saw, to the last page of a healthy host."""
    pages = [hit for hit in log if hit.path != "/robots.txt" and hit.answered_at]
    healthy = [hit for hit in pages if hit.host not in slow]
    if not healthy:
        return Reached(0.0, 0.0, 0, len(pages))
    seconds = max(hit.answered_at for hit in healthy) - log[0].asked_at
    return Reached(seconds, 0.0, len({hit[:2] for hit in healthy}), len(pages) - len(healthy))


def cells(times: list[Reached], wanted: int, cap: float) -> list[str]:
    least = min(reached.healthy for reached in times)
    others = f"{sum(reached.others for reached in times) / len(times):.0f}"
    if least < wanted:
        return [f"over {cap:.0f}", "", f"{least} of {wanted}", others]
    seconds = [reached.seconds for reached in times]
    processor = [reached.processor for reached in times]
    return [shown(seconds), shown(processor), f"{least} of {wanted}", others]


if __name__ == "__main__":
    main()
