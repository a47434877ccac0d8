"""Twenty thousand pages of five hundred hosts, each with a trouble of its own.

    python benchmarks/soak.py [--hosts N] [--pages N]

Every host has an open and a closed half. Some answer for their robots.txt late, with 503 at first,
by a reset, with garbage, or with rules that change on the way and close what was open; some want a
delay, some never answer. All rules are good for five seconds only. Told: what was fetched against
the rules that the host had given by then, what was lost, and how memory went.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable

from crawling import OURS, Crawled, Plan, crawl
from web import Hit, Reply, Web, hosts, robots

RULES = "User-agent: *\nDisallow: /closed/\n"
ALL_CLOSED = "User-agent: *\nDisallow: /\n"
Robots = Callable[[int], Reply]  # the answer by how often it has been asked for

TROUBLES: dict[str, Robots] = {
    "none": lambda _: robots(RULES),
    "late": lambda _: robots(RULES, after=3),
    "503 first": lambda asked: Reply(status=503) if asked < 2 else robots(RULES),
    "reset first": lambda asked: Reply(reset=True) if asked < 2 else robots(RULES),
    "garbage": lambda _: Reply(random.Random(1).randbytes(5000), kind="text/plain"),
    "404": lambda _: Reply(status=404),
    "closes": lambda asked: robots(RULES if asked < 2 else ALL_CLOSED),
    "503 always": lambda _: Reply(status=503),
    "never": lambda _: Reply(after=None),
    "delay": lambda _: robots(RULES + "Crawl-delay: 0.2\n"),
}
CLOSED = {"503 always", "never"}  # nothing may be fetched of these
FAIL_ONCE = {"503 first", "reset first"}  # the second answer counts
OPEN = {"garbage", "404"}  # and everything of these


def trouble(host: str) -> str:
    first, second = map(int, host.split(".")[2:])
    return list(TROUBLES)[(200 * first + second) % len(TROUBLES)]


class Answers:
    """What the hosts say; each page takes up to 50 ms."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.noise = random.Random(5)

    def __call__(self, host: str, path: str) -> Reply:
        if path != "/robots.txt":
            return Reply(after=self.noise.uniform(0, 0.05))
        self.asked[host] += 1
        return TROUBLES[trouble(host)](self.asked[host])


def against(log: list[Hit]) -> list[Hit]:
    """The pages that were fetched though the host had said no, or had not said yes."""
    heard: dict[str, list[float]] = {}
    for hit in log:
        if hit.path == "/robots.txt":
            heard.setdefault(hit.host, []).append(hit.answered or float("inf"))
    return [hit for hit in log if hit.path != "/robots.txt" and is_wrong(hit, heard)]


def is_wrong(hit: Hit, heard: dict[str, list[float]]) -> bool:
    kind = trouble(hit.host)
    times = heard.get(hit.host, [])
    if kind in CLOSED or len(times) <= (kind in FAIL_ONCE) or hit.asked < times[kind in FAIL_ONCE]:
        return True
    if kind == "closes" and len(times) > 1 and hit.asked > times[1] + 0.5:
        return True  # half a second for what had passed already
    return kind not in OPEN and hit.path.startswith("/closed/")


def lost(urls: list[str], crawled: Crawled) -> list[str]:
    """What was neither answered nor dropped with a word."""
    return [url for url in urls if url not in crawled.answered and url not in crawled.failed]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", type=int, default=500)
    parser.add_argument("--pages", type=int, default=40)
    options = parser.parse_args()
    addresses = hosts(options.hosts)
    settings = {
        **OURS,
        "CONCURRENT_REQUESTS": 32,
        "ROBOTS_FETCH_TIMEOUT": 10,
        "ROBOTS_TTL": 5,
        "RETRY_ENABLED": False,
    }
    with Web(addresses, Answers()) as web:
        paths = [f"/{half}/{n}" for half in ("open", "closed") for n in range(options.pages // 2)]
        urls = [web.url(host, path) for host in addresses for path in paths]
        random.Random(7).shuffle(urls)
        crawled = crawl(Plan(urls, settings, sample=1.0))
        log = web.log()
    fetched = Counter(trouble(hit.host) for hit in log if hit.path != "/robots.txt")
    files = Counter(trouble(hit.host) for hit in log if hit.path == "/robots.txt")
    print(f"{'trouble':14} {'robots.txt':>10} {'pages':>7}")
    for kind in TROUBLES:
        print(f"{kind:14} {files[kind]:10} {fetched[kind]:7}")
    memory = crawled.memory
    size = len(memory) // 4
    quarters = [max(memory[n * size : (n + 1) * size]) for n in range(4)]
    print(f"\n{len(urls)} URLs in {crawled.seconds:.1f} s, {crawled.processor:.1f} s of processor")
    print(f"answered {len(crawled.answered)}, dropped {len(crawled.failed)}")
    print(f"against the rules: {len(against(log))}")
    print(f"lost: {len(lost(urls, crawled))}")
    print("MiB, the most in each quarter:", ", ".join(f"{most:.1f}" for most in quarters))
    causes = Counter(crawled.failed.values())
    for cause, times in causes.most_common(12):
        print(f"  {times:6} {cause}")


if __name__ == "__main__":
    main()
