"""Hosts whose names take long to look up: how many of the other hosts' pages come, and when?

    python benchmarks/slow_names.py [--hosts N] [--seconds N] [--cap SECONDS] [--kinds stock ours]

Many hosts in an order of chance, with a page each. Every fifth has a name whose servers do not
answer: that is known after five seconds, in which the name holds one of Twisted's ten threads. All
other names are looked up in 20 ms, and their robots.txt and pages come at once.

Printed are the seconds until the last page of a healthy host, counted from the first request that
any host saw; and how many of these pages came until the crawl's end, or until `--cap`.
"""

from __future__ import annotations

import argparse
import random
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from crawling import OFF, OURS, STOCK, Crawling, Plan
from scrapy.settings import BaseSettings
from table import Table
from web import Reply, Web, hosts, robots

KINDS = {"robots off": OFF, "stock": STOCK, "ours": OURS}
QUICK = 0.02  # seconds
SUFFIX = ".test"
RULES = robots("User-agent: *\nDisallow: /no\n")


class SlowNames:
    """An add-on. In its process `a-127-0-0-1.test` is 127.0.0.1, and other names below .test have
    no address, which is known after BENCH_SECONDS.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        self.seconds = settings.getfloat("BENCH_SECONDS")
        patched: dict[str, Callable[..., Any]] = {
            name: self.known(getattr(socket, name)) for name in ("gethostbyname", "getaddrinfo")
        }
        for name, function in patched.items():
            setattr(socket, name, function)

    def known(self, look_up: Callable[..., Any]) -> Callable[..., Any]:
        return lambda name, *rest, **named: look_up(self.address(name), *rest, **named)

    def address(self, name: Any) -> Any:
        text = name.decode() if isinstance(name, bytes) else str(name)
        if not text.endswith(SUFFIX):
            return name
        is_healthy = text.startswith("a-")
        threading.Event().wait(QUICK if is_healthy else self.seconds)
        if is_healthy:
            return text.removeprefix("a-").removesuffix(SUFFIX).replace("-", ".")
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hosts", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--cap", type=float, default=900.0)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options = parser.parse_args()
    title = f"{options.hosts:,} hosts, a fifth without an address"
    table = Table(title, "last page: s", "healthy pages")
    addresses = hosts(options.hosts)
    healthy = [address for number, address in enumerate(addresses) if number % 5]
    with Web(addresses, lambda _, path: RULES if path == "/robots.txt" else Reply()) as web:
        urls = [
            url_of(web, address, is_healthy=number % 5 > 0)
            for number, address in enumerate(addresses)
        ]
        random.Random(23).shuffle(urls)
        for kind in options.kinds:
            web.log()
            addons = {**KINDS[kind].get("ADDONS", {}), "slow_names.SlowNames": 600}
            settings = {**KINDS[kind], "ADDONS": addons, "BENCH_SECONDS": options.seconds}
            crawling = Crawling(Plan(urls, {**settings, "LOG_LEVEL": "CRITICAL"}))
            seconds, pages = watched(crawling, web, len(healthy), options.cap)
            table.row(kind, f"{seconds:.1f}", f"{pages:,} of {len(healthy):,}")


def url_of(web: Web, address: str, *, is_healthy: bool) -> str:
    name = f"{'a' if is_healthy else 'no'}-{address.replace('.', '-')}{SUFFIX}"
    return web.url(address, "/page").replace(address, name)


def watched(crawling: Crawling, web: Web, wanted: int, cap: float) -> tuple[float, int]:
    """(seconds until the last page, pages) when all are there, the crawl is over, or at the cap."""
    deadline, pages, log = time.monotonic() + cap, 0, web.log(forget=False)
    try:
        while pages < wanted and time.monotonic() < deadline:
            has_ended = crawling.process.poll() is not None
            log = web.log(forget=False)
            pages = sum(hit.path == "/page" and bool(hit.answered_at) for hit in log)
            if has_ended:
                break
            time.sleep(0.5)
    finally:
        crawling.kill()
    answered = [hit.answered_at for hit in log if hit.path == "/page" and hit.answered_at]
    return max(answered) - log[0].asked_at, pages


if __name__ == "__main__":
    main()
