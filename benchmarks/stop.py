"""SIGINT while requests wait for a dead host's robots.txt, and the crawl resumed from its JOBDIR.

    python benchmarks/stop.py

200 pages of hosts that never answer for their robots.txt, and 100 of one that does; after two
seconds comes SIGINT. Then the dead hosts come back to life, and the crawl is resumed.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from crawling import OURS, STOCK, WITHOUT_REACTOR, Plan, crawl
from web import Hit, Reply, Web, hosts, robots

DEAD, ALIVE = hosts(10), "127.0.9.1"
KINDS = {"stock": STOCK, "ours": OURS, "ours, no reactor": {**OURS, **WITHOUT_REACTOR}}
LIFE = 2.0  # seconds until SIGINT


def pages(log: list[Hit]) -> Counter[tuple[str, str]]:
    return Counter((hit.host, hit.path) for hit in log if hit.path != "/robots.txt")


def main() -> None:
    print(f"{'':18}  stop s  1st run  2nd run   once  never  more")
    for name, settings in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            report(name, settings, Path(folder))


def report(name: str, settings: dict[str, object], folder: Path) -> None:
    dead = folder / "dead"
    dead.touch()

    def answer(host: str, path: str) -> Reply:
        if path != "/robots.txt":
            return Reply(after=0.02)
        return robots("", after=None if host in DEAD and dead.exists() else 0)

    jobdir = {"JOBDIR": str(folder / "job"), "CONCURRENT_REQUESTS": 16, **settings}
    with Web([*DEAD, ALIVE], answer) as web:
        urls = [web.url(host, f"/{n}") for n in range(20) for host in DEAD]
        urls += [web.url(ALIVE, f"/{n}") for n in range(100)]
        try:
            first = crawl(Plan(urls, jobdir, stop_after=LIFE), timeout=120)
        except subprocess.TimeoutExpired:
            print(f"{name:18}   > 118, given up")
            return
        before = pages(web.log())
        dead.unlink()
        crawl(Plan(urls, jobdir))
        after = pages(web.log())
    both = before + after
    print(
        f"{name:18} {first.ended - first.stopping:7.2f} {before.total():8} {after.total():8} "
        f"{sum(times == 1 for times in both.values()):6} {len(urls) - len(both):6} "
        f"{sum(times > 1 for times in both.values()):5}",
        flush=True,
    )


if __name__ == "__main__":
    main()
