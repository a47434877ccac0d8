"""How large a crawl grows whose hosts all have a large robots.txt.

    python benchmarks/memory.py [--share 0.1] [--kinds ours] [--cap MIB] [--seconds N]

1,000 hosts with 400 kB of plain rules each, then 300 hosts with 430 kB of rules with wildcards
each; no two files are the same. Two pages of each host are wanted, in an order of chance, so that
most hosts are met again when many others have been met in between. `--share 0.1` takes a tenth of
the hosts.

Each crawl runs in a process of its own. Printed are MiB resident, at most and when the crawl is
over; how many robots.txt the hosts were asked for (a cache that forgets has to ask again); and
seconds of processor time and by the clock. A crawl that grows beyond `--cap` MiB or takes longer
than `--seconds` is ended; its row says how far it had come, by the number of robots.txt.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from typing import NamedTuple

from crawling import OFF, OURS, STOCK, Crawled, Crawling, Plan
from table import Table
from web import Reply, Web, hosts, robots

KINDS = {"robots off": OFF, "stock": STOCK, "ours": OURS}
PAGES = 2
COLUMNS = ["peak MiB", "end MiB", "robots.txt", "processor s", "wall s"]


class Ended(NamedTuple):
    """A crawl that was ended."""

    memory: str
    seconds: float


class Case(NamedTuple):
    hosts: int
    size: int  # of each file
    rule: Callable[[int], str]


CASES = {
    "plain rules": Case(1_000, 400_000, lambda n: f"Disallow: /section-{n * 7919 % 65521}/{n:x}"),
    "wildcards": Case(300, 430_000, lambda n: f"Disallow: /*{n * 7919 % 65521:x}*/section-{n:x}"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--cap", type=float, default=4096.0)
    parser.add_argument("--seconds", type=float, default=600.0)
    options = parser.parse_args()
    for name, case in CASES.items():
        measure(name, case._replace(hosts=max(1, int(case.hosts * options.share))), options)


def measure(name: str, case: Case, options: argparse.Namespace) -> None:
    rules = text(case)

    def answer(host: str, path: str) -> Reply:
        return robots(f"{rules}\nDisallow: /{host}") if path == "/robots.txt" else Reply()

    table = Table(f"{case.hosts:,} hosts, {len(rules) // 1000} kB of {name}", *COLUMNS)
    with Web(hosts(case.hosts), answer) as web:
        urls = [web.url(host, f"/page-{n}") for host in web.addresses for n in range(PAGES)]
        random.Random(18).shuffle(urls)
        for kind in options.kinds:
            plan = Plan(urls, {"CONCURRENT_REQUESTS": 16, **KINDS[kind]})
            crawled = watched(Crawling(plan), options)
            files = sum(hit.path == "/robots.txt" for hit in web.log())
            table.row(kind, *cells(crawled, files))


def text(case: Case) -> str:
    rules, size = ["User-agent: *"], 0
    while size < case.size:
        rules.append(case.rule(len(rules)))
        size += len(rules[-1]) + 1
    return "\n".join(rules)


def watched(crawling: Crawling, options: argparse.Namespace) -> Crawled | Ended:
    began = time.monotonic()
    try:
        while crawling.process.poll() is None:
            seconds, memory = time.monotonic() - began, crawling.resident
            if memory > options.cap:
                return Ended(f"over {options.cap:.0f}", seconds)
            if seconds > options.seconds:
                return Ended(f"{memory:.0f}", seconds)
            time.sleep(0.1)
        return crawling.result()
    finally:
        crawling.kill()


def cells(crawled: Crawled | Ended, files: int) -> list[str]:
    if isinstance(crawled, Ended):
        return [crawled.memory, "ended", f"{files}", "", f"{crawled.seconds:.1f}"]
    return [
        f"{crawled.peak:.0f}",
        f"{crawled.resident:.0f}",
        f"{files}",
        f"{crawled.processor:.1f}",
        f"{crawled.seconds:.1f}",
    ]


if __name__ == "__main__":
    main()
