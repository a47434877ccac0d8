"""What a request costs whose host's rules are known: processor time, per request.

    python benchmarks/overhead.py [--rounds N] [--requests N]

One host, one file. In each round robots off, ours and stock take turns; medians over the rounds,
and of each round's difference to "off", which is what drifts least.
"""

from __future__ import annotations

import argparse
import statistics

from crawling import OFF, OURS, STOCK, Plan, crawl
from web import Reply, Web, hosts, robots

RULES = robots("User-agent: *\nDisallow: /no\nAllow: /no/but\nDisallow: /*.pdf$\n")
KINDS = {"robots off": OFF, "stock": STOCK, "ours": OURS}


def answer(_host: str, path: str) -> Reply:
    return RULES if path == "/robots.txt" else Reply()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--requests", type=int, default=2000)
    options = parser.parse_args()
    spent: dict[str, list[float]] = {name: [] for name in KINDS}
    with Web(hosts(1), answer) as web:
        urls = [web.url(web.addresses[0], f"/{n}") for n in range(options.requests)]
        for turn in range(options.rounds):
            names = list(KINDS)[turn % 3 :] + list(KINDS)[: turn % 3]
            for name in names:
                settings = {"CONCURRENT_REQUESTS": 16, **KINDS[name]}
                crawled = crawl(Plan(urls, settings))
                assert len(crawled.answered) == options.requests, crawled.stats
                spent[name].append(crawled.processor / options.requests * 1e6)
    print(f"{'':12} {'µs a request':>13} {'over off':>9} {'median of differences':>22}")
    off = statistics.median(spent["robots off"])
    for name, times in spent.items():
        middle = statistics.median(times)
        apart = statistics.median(
            mine - base for mine, base in zip(times, spent["robots off"], strict=True)
        )
        print(f"{name:12} {middle:13.1f} {middle / off - 1:9.1%} {apart:19.1f} µs")


if __name__ == "__main__":
    main()
