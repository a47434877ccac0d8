"""What a request costs whose host's rules are known: processor time, per request.

    python benchmarks/overhead.py [--rounds N] [--requests N]

One host, one file, which is known before the measuring begins. In each round robots off, stock and
ours take turns, ours also without `RobotsTagMiddleware`, which reads the pages.

Printed are the median over the rounds, the least, which other work on the machine disturbs least,
and how far a kind is from robots off and from stock in the same round: the mean without the tenth
of the rounds at either end, and its standard error. The same crawl takes some 4 % more or less from
one process to the next, so that it takes hundreds of rounds to tell half a percent; `turns.py`
tells it sooner.
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
BASES = ("robots off", "stock")
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
    show(spent)


def show(spent: dict[str, list[float]]) -> None:
    beside = "".join(f"{'against ' + base:>26}" for base in BASES)
    print(f"{'':14} {'median µs':>10} {'least µs':>10}{beside}")
    for kind, times in spent.items():
        apart = "".join(difference(times, spent[base]) for base in BASES)
        print(f"{kind:14} {statistics.median(times):10.1f} {min(times):10.1f}{apart}")


def difference(times: list[float], base: list[float]) -> str:
    mean, error = trimmed([one - other for one, other in zip(times, base, strict=True)])
    return f"{mean:+11.1f} ± {error:4.1f} {mean / statistics.median(base):+7.2%}"


def trimmed(values: list[float]) -> tuple[float, float]:
    """The mean without the tenth at either end, and its standard error (Tukey and McLaughlin)."""
    cut = len(values) // 10
    kept = sorted(values)[cut : len(values) - cut]
    drawn_in = [kept[0]] * cut + kept + [kept[-1]] * cut
    return statistics.mean(kept), statistics.stdev(drawn_in) * len(values) ** 0.5 / len(kept)


if __name__ == "__main__":
    main()
