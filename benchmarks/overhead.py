"""What a request costs whose host's rules are known: processor time, per request.

    python benchmarks/overhead.py [--rounds N] [--requests N]

One host, one file, which is known before the measuring begins. In each round robots off, stock and
ours take turns, ours also without `RobotsTagMiddleware`, which reads the pages. Medians over the
rounds, and the least, which other work on the machine disturbs least. The same crawl takes some
4 % more or less from one process to the next: what differs by less, `turns.py` tells.
"""

from __future__ import annotations

import argparse
import statistics

from crawling import OFF, OURS, STOCK, Plan, crawl
from web import Reply, Web, hosts, robots

RULES = robots("User-agent: *\nDisallow: /no\nAllow: /no/but\nDisallow: /*.pdf$\n")
WITHOUT_TAGS = {
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "scrapy_robots_policy.RobotsPolicyMiddleware": 100,
    }
}
KINDS = {"robots off": OFF, "stock": STOCK, "ours": OURS, "ours, no tags": WITHOUT_TAGS}


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
            names = list(KINDS)[turn % 4 :] + list(KINDS)[: turn % 4]
            for name in names:
                settings = {"CONCURRENT_REQUESTS": 16, **KINDS[name]}
                crawled = crawl(Plan(urls, settings, first=web.url(web.addresses[0], "/first")))
                assert len(crawled.answered) == options.requests, crawled.stats
                spent[name].append(crawled.processor / options.requests * 1e6)
    print(f"{'':14} {'median µs':>10} {'over off':>9} {'least µs':>10} {'over off':>9}")
    base = spent["robots off"]
    for name, times in spent.items():
        middle, least = statistics.median(times), min(times)
        print(
            f"{name:14} {middle:10.1f} {middle / statistics.median(base) - 1:9.1%} "
            f"{least:10.1f} {least / min(base) - 1:9.1%}"
        )


if __name__ == "__main__":
    main()
