"""A host that asks for half a second between two requests, among others that ask for nothing.

    python benchmarks/pace.py

20 pages of the first, 40 of each of ten others, shuffled. Gaps are what the host sees between two
requests in a row, the one for its robots.txt included; "others" is when their last page was
answered. All in seconds.
"""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

from crawling import OFF, OURS, STOCK, WITHOUT_REACTOR, Crawled, Plan, crawl
from web import Hit, Reply, Web, hosts, robots

ASKING, OTHERS = "127.0.9.1", hosts(10)
THROTTLE = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.05}
KINDS: dict[str, tuple[dict[str, Any], float | None]] = {
    "robots off": (OFF, None),
    "stock": (STOCK, None),
    "ours": (OURS, None),
    "ours, slots collected": (OURS, 0.1),
    "ours, DOWNLOAD_DELAY = 0.05": ({**OURS, "DOWNLOAD_DELAY": 0.05}, None),
    "ours, no reactor": ({**OURS, **WITHOUT_REACTOR}, None),
    "off, AutoThrottle": ({**OFF, **THROTTLE}, None),
    "ours, AutoThrottle": ({**OURS, **THROTTLE}, None),
    "ours, both": ({**OURS, **THROTTLE}, 0.1),
}


def answer(host: str, path: str) -> Reply:
    if path == "/robots.txt":
        return robots("User-agent: *\nCrawl-delay: 0.5" if host == ASKING else "")
    return Reply(after=0.02)


def gaps(log: list[Hit]) -> list[float]:
    times = [hit.asked_at for hit in log if hit.host == ASKING]
    return [later - earlier for earlier, later in pairwise(times)]


def others(crawled: Crawled, log: list[Hit]) -> float:
    return max(hit.answered_at for hit in log if hit.host != ASKING) - crawled.began


def main() -> None:
    print(
        f"{'':28} {'smallest gap':>12} {'mean gap':>9} {'under 0.5':>10} {'others':>7} {'all':>6}"
    )
    with Web([ASKING, *OTHERS], answer) as web:
        urls = [web.url(ASKING, f"/{n}") for n in range(20)]
        urls += [web.url(host, f"/{n}") for host in OTHERS for n in range(40)]
        random.Random(5).shuffle(urls)
        for name, (settings, collect) in KINDS.items():
            crawled = crawl(Plan(urls, settings, collect=collect))
            log = web.log()
            seen = gaps(log)
            print(
                f"{name:28} {min(seen):12.4f} {sum(seen) / len(seen):9.3f} "
                f"{sum(gap < 0.5 for gap in seen):10} {others(crawled, log):7.2f} "
                f"{crawled.seconds:6.1f}",
                flush=True,
            )
            assert len(crawled.answered) == len(urls)


if __name__ == "__main__":
    main()
