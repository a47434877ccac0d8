"""A crawl where every third host's robots.txt is late, or never comes: which requests wait, too?

    python benchmarks/waiting.py [--quick]

90 hosts with 20 pages each, shuffled, 20 ms a page, CONCURRENT_REQUESTS = 16. "healthy" is when the
last page of a host with a quick robots.txt was answered, "all" is when the crawl was over; seconds.
"""

from __future__ import annotations

import argparse
import random
from functools import partial

from crawling import OFF, OURS, STOCK, WITHOUT_REACTOR, Crawled, Plan, crawl
from web import Hit, Reply, Web, hosts, robots

HOSTS, PAGES, PAGE, LATE = hosts(90), 20, 0.02, 20.0
SLOW = frozenset(HOSTS[::3])
CONCURRENT = 16
# A late host: its robots.txt, then its pages, 8 at a time. All late hosts come at once, though: 600
# pages through 16 places.
OWN_BOUND = LATE + PAGES * PAGE / 8
BOUND = LATE + len(SLOW) * PAGES * PAGE / CONCURRENT


def answer(after: float | None, host: str, path: str) -> Reply:
    """`after`: when the robots.txt of a slow host comes, in seconds; None: never."""
    if path != "/robots.txt":
        return Reply(after=PAGE)
    return robots("User-agent: *\nDisallow: /no", after=after if host in SLOW else 0)


def healthy(crawled: Crawled, log: list[Hit]) -> float:
    pages = (hit for hit in log if hit.host not in SLOW and hit.path != "/robots.txt")
    return max(hit.answered_at for hit in pages) - crawled.began


def most(log: list[Hit]) -> int:
    """The most pages that were under way at a time, as the hosts see it."""
    pages = [hit for hit in log if hit.path != "/robots.txt"]
    changes = sorted(
        [(hit.asked_at, 1) for hit in pages] + [(hit.answered_at, -1) for hit in pages]
    )
    under_way = busiest = 0
    for _, change in changes:
        under_way += change
        busiest = max(busiest, under_way)
    return busiest


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="leave out stock Scrapy: minutes")
    quick = parser.parse_args().quick
    # Stock Scrapy gets every help for the second table: no retries, the same time to wait.
    kinds = {
        "robots off": OFF,
        **({} if quick else {"stock": STOCK}),
        "ours": OURS,
        "ours, no reactor": {**OURS, **WITHOUT_REACTOR},
    }
    print(f"lower bound of one late host {OWN_BOUND:.1f} s, of all of them {BOUND:.1f} s")
    for after, more in (
        (LATE, {}),
        (None, {"ROBOTS_FETCH_TIMEOUT": LATE, "DOWNLOAD_TIMEOUT": LATE, "RETRY_ENABLED": False}),
    ):
        print(f"\nevery third robots.txt {'20 s late' if after else 'never comes'}")
        print(f"{'':18} {'healthy':>8} {'all':>8} {'pages':>6} {'most at a time':>15}")
        with Web(HOSTS, partial(answer, after)) as web:
            urls = [web.url(host, f"/{n}") for host in HOSTS for n in range(PAGES)]
            random.Random(5).shuffle(urls)
            for name, settings in kinds.items():
                crawled = crawl(Plan(urls, {"CONCURRENT_REQUESTS": CONCURRENT, **more, **settings}))
                log = web.log()
                print(
                    f"{name:18} {healthy(crawled, log):8.2f} {crawled.seconds:8.2f} "
                    f"{sum(crawled.answered.values()):6} {most(log):15}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
