"""What a request costs in instructions of the processor: a count, which no other work disturbs.

    python benchmarks/instructions.py [--only known new] [--kinds stock ours]

known  a request whose host's rules are known
new    a request whose host is new: its robots.txt is fetched, read, and asked once

Valgrind counts (Debian: `apt install valgrind`), which takes minutes. Each crawl is run twice, with
few requests and with more: the difference is what the requests cost, without the start and the end
of the crawl. Python's collector is in it. Printed are thousands of instructions for one request,
and per cent more than robots off and than stock. Instructions are not seconds: one that waits for
memory takes longer. `turns.py` and `origins.py` measure seconds.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Callable

import origins
import overhead
from crawling import Crawling, Plan
from table import Table
from web import Reply, Web, hosts

KINDS = overhead.KINDS
COUNTED = re.compile(r"Collected : (\d+)")
VALGRIND = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null")
WINDOW = 16  # URLs that are asked for and not answered yet
TIMEOUT = 1_800.0  # seconds for a crawl, and for each of its requests
CASES: dict[str, tuple[str, Callable[[str, str], Reply], tuple[int, int]]] = {
    "known": ("a request, its host's rules known", overhead.answer, (100, 400)),
    "new": ("a request, its host new", origins.answer, (60, 240)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options = parser.parse_args()
    if shutil.which(VALGRIND[0]) is None:
        sys.exit("instructions.py needs valgrind (Debian: apt install valgrind)")
    for name in options.only:
        measure(name, ["robots off", "stock", *options.kinds])


def measure(name: str, kinds: list[str]) -> None:
    title, answer, (few, more) = CASES[name]
    table = Table(title, "thousands", "over off: %", "over stock: %")
    counts: dict[str, float] = {}
    with Web(hosts(more + 1), answer) as web:
        for kind in dict.fromkeys(kinds):
            difference = count(plan(web, name, more, kind)) - count(plan(web, name, few, kind))
            counts[kind] = difference / (more - few)
            over = (
                counts[kind] / counts[base] - 1 for base in ("robots off", "stock")[: len(counts)]
            )
            cells = [f"{share * 100:+.2f}" for share in over]
            table.row(kind, f"{counts[kind] / 1000:,.0f}", *cells, *[""] * (2 - len(cells)))


def plan(web: Web, name: str, requests: int, kind: str) -> Plan:
    first, *addresses = web.addresses
    if name == "known":
        urls = [web.url(first, f"/{n}") for n in range(requests)]
    else:
        urls = [web.url(address, "/page") for address in addresses[:requests]]
    settings = {"CONCURRENT_REQUESTS": WINDOW, "DOWNLOAD_TIMEOUT": TIMEOUT, **KINDS[kind]}
    return Plan(urls, settings, first=web.url(first, "/first"), window=WINDOW)


def count(of: Plan) -> int:
    crawling = Crawling(of, under=VALGRIND)
    answered = crawling.result(TIMEOUT).answered
    assert len(answered) == len(of.urls)
    counted = COUNTED.search(crawling.log)
    assert counted is not None, crawling.log[-2000:]
    return int(counted[1])


if __name__ == "__main__":
    main()
