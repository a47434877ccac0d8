"""Many origins, a third of them in trouble, and an oracle that is not ours: `make soak`.

    python benchmarks/soak.py [--origins N] [--pages N] [--seed N] [--kind asyncio|none] [--off]

Every origin has rules of its own, made by chance. What they allow, Protego and urllib.robotparser
say; a URL about which the two differ is left out. Two origins in three answer as they should. Of
the others some answer late, with 503 or a reset first, with garbage, too little, packed or
redirected octets; some never answer, some want a delay, some close everything while the crawl goes
on. Printed: pages fetched against the rules, pages lost, memory, and what is left open at the end.
`--off` crawls without robots.txt: for the memory that Scrapy and the measuring take by themselves.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from urllib.robotparser import RobotFileParser

from crawling import OFF, OURS, WITHOUT_REACTOR, Crawled, Plan, crawl
from protego import Protego
from web import Hit, Reply, Web, hosts, robots

AGENT = "BenchBot"
NEVER_AFTER = 8  # seconds that a fetch may take
TTL = 20  # seconds that rules are good for
WINDOW = 1_500  # URLs that are asked for and not answered
WORDS = ("a", "b", "private", "tmp", "q.html", "x~y", "news")
Robots = Callable[[str, int], Reply]  # the answer for a file, by how often it was fetched before

TROUBLES: dict[str, Robots] = {
    "late": lambda text, _: robots(text, after=3),
    "503 first": lambda text, n: Reply(status=503) if n < 2 else robots(text),
    "reset first": lambda text, n: Reply(reset=True) if n < 2 else robots(text),
    "cut first": lambda text, n: robots(text, missing=500) if n < 2 else robots(text),
    "packed": lambda text, _: Reply(
        gzip.compress(text.encode()), kind="text/plain", headers="Content-Encoding: gzip\r\n"
    ),
    "redirected": lambda *_: Reply(status=301, headers="Location: /rules.txt\r\n"),
    "delay": lambda text, _: robots(text.replace("*\n", "*\nCrawl-delay: 0.2\n", 1)),
    "closes": lambda text, n: robots(text if n < 2 else "User-agent: *\nDisallow: /\n"),
    "404": lambda *_: Reply(status=404),
    "garbage": lambda *_: Reply(random.Random(1).randbytes(5000), kind="text/plain"),
    "cut": lambda text, _: robots(text, missing=500),
    "503": lambda *_: Reply(status=503),
    "broken gzip": lambda *_: Reply(b"none", headers="Content-Encoding: gzip\r\n"),
    "never": lambda *_: Reply(after=None),
}
OPEN = {"404", "garbage"}  # everything may be fetched of these
CLOSED = {"cut", "503", "broken gzip", "never"}  # and nothing of these


def trouble(host: str) -> str:
    """Which trouble an origin has; two of three have none, which is ""."""
    first, second = map(int, host.split(".")[2:])
    number = 200 * first + second
    return list(TROUBLES)[number // 3 % len(TROUBLES)] if number % 3 == 0 else ""


def rules_of(host: str, seed: int) -> str:
    chance = random.Random(f"{seed} {host}")
    lines = ["User-agent: *"]
    for _ in range(chance.randint(1, 6)):
        verb = chance.choice(("Allow", "Disallow", "Disallow"))
        lines.append(f"{verb}: /{'/'.join(chance.choices(WORDS, k=chance.randint(1, 2)))}")
    if chance.random() < 0.2:
        lines += ["User-agent: otherbot", "Disallow: /"]
    return "\n".join(lines) + "\n"


def paths(host: str, seed: int, count: int) -> list[str]:
    chance = random.Random(f"paths {seed} {host}")
    return [f"/{'/'.join(chance.choices(WORDS, k=2))}/{n}" for n in range(count)]


class Oracle:
    """What two other parsers make of an origin's rules."""

    def __init__(self, text: str) -> None:
        self.protego = Protego.parse(text)
        self.urllib = RobotFileParser()
        self.urllib.parse(text.splitlines())

    def allowed(self, path: str) -> bool | None:
        """None where the two differ."""
        url = f"http://example.com{path}"
        one, other = bool(self.protego.can_fetch(url, AGENT)), self.urllib.can_fetch(AGENT, url)
        return one if one == other else None


class Answers:
    """What the hosts say; each page takes up to 50 ms."""

    def __init__(self, seed: int) -> None:
        self.seed, self.fetches = seed, Counter[str]()
        self.noise = random.Random(seed)

    def __call__(self, host: str, path: str) -> Reply:
        """Connections are closed: Twisted would keep each for four minutes, idle, in a broad crawl
        more than a system allows.
        """
        reply = self._reply(host, path)
        return replace(reply, headers=reply.headers + "Connection: close\r\n")

    def _reply(self, host: str, path: str) -> Reply:
        if path not in ("/robots.txt", "/rules.txt"):
            return Reply(after=self.noise.uniform(0, 0.05))
        text, kind = rules_of(host, self.seed), trouble(host)
        if path == "/rules.txt" or not kind:
            return robots(text)
        self.fetches[host] += 1
        return TROUBLES[kind](text, self.fetches[host])


def questions(addresses: list[str], seed: int, count: int) -> Iterator[tuple[str, str, bool]]:
    """(host, path, whether it may be fetched), for what the oracle has an answer to."""
    for host in addresses:
        kind, oracle = trouble(host), Oracle(rules_of(host, seed))
        for path in paths(host, seed, count):
            allowed = oracle.allowed(path)
            if kind in OPEN or kind in CLOSED:
                yield host, path, kind in OPEN
            elif allowed is not None:
                yield host, path, allowed


def against(log: list[Hit], right: dict[tuple[str, str], bool]) -> list[Hit]:
    """The pages that were fetched though the host had said no, or had not said yes."""
    answers: dict[str, list[float]] = {}
    for hit in log:
        if hit.path == "/robots.txt":
            answers.setdefault(hit.host, []).append(hit.answered_at or float("inf"))
    return [hit for hit in log if (hit.host, hit.path) in right and _is_wrong(hit, right, answers)]


def _is_wrong(
    hit: Hit, right: dict[tuple[str, str], bool], answers: dict[str, list[float]]
) -> bool:
    times, kind = answers.get(hit.host, []), trouble(hit.host)
    first = int(kind.endswith(" first"))  # the answer that counts
    if not right[hit.host, hit.path] or len(times) <= first or hit.asked_at < times[first]:
        return True
    # Half a second for what had passed already.
    return kind == "closes" and len(times) > 1 and hit.asked_at > times[1] + 0.5


def lost(urls: dict[str, bool], crawled: Crawled) -> Counter[str]:
    """How many are neither answered nor dropped; answered twice; dropped though they were open."""
    counts: Counter[str] = Counter()
    for url, is_right in urls.items():
        times = crawled.answered.get(url, 0)
        counts["lost"] += not times and url not in crawled.failed
        counts["fetched twice"] += times > 1
        host = url.split("/")[2].partition(":")[0]
        counts["open and dropped"] += is_right and not times and trouble(host) != "closes"
    return counts


def show(crawled: Crawled, log: list[Hit], right: dict[tuple[str, str], bool], port: int) -> int:
    urls = {f"http://{host}:{port}{path}": answer for (host, path), answer in right.items()}
    wrong, counts = against(log, right), lost(urls, crawled)
    print(f"{len(urls)} URLs in {crawled.seconds:.1f} s, {crawled.processor:.1f} s of processor")
    print(f"answered {len(crawled.answered)}, dropped {len(crawled.failed)}")
    print(f"fetched against the rules: {len(wrong)}")
    for name, count in counts.items():
        print(f"{name}: {count}")
    size = max(len(crawled.memory) // 4, 1)
    quarters = [max(crawled.memory[n : n + size], default=0) for n in range(0, 4 * size, size)]
    print("MiB, maximum of each quarter:", ", ".join(f"{one:.1f}" for one in quarters))
    print(f"open files: {crawled.files}, timers: {crawled.timers} (at the start, at the end)")
    for cause, times in Counter(crawled.failed.values()).most_common(8):
        print(f"  {times:6} {cause}")
    for hit in wrong[:10]:
        print(f"  wrong: {trouble(hit.host) or 'none'} {hit}")
    return int(bool(wrong) or bool(counts["lost"]) or bool(counts["open and dropped"]))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--origins", type=int, default=20_000)
    parser.add_argument("--pages", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=("asyncio", "none"), default="asyncio")
    parser.add_argument("--off", action="store_true")
    options = parser.parse_args()
    addresses = hosts(options.origins)
    settings = {
        **(OFF if options.off else OURS),
        **(WITHOUT_REACTOR if options.kind == "none" else {}),
        "CONCURRENT_REQUESTS": 64,
        "CONCURRENT_ITEMS": 2,  # Scrapy starts as many tasks for each response: half of the time
        "ROBOTS_FETCH_TIMEOUT": NEVER_AFTER,
        "ROBOTS_TTL": TTL,
        "RETRY_ENABLED": False,
        "USER_AGENT": AGENT,
    }
    requests = questions(addresses, options.seed, options.pages)
    right = {(host, path): allowed for host, path, allowed in requests}
    with Web(addresses, Answers(options.seed)) as web:
        urls = [web.url(host, path) for host, path in right]
        random.Random(7).shuffle(urls)
        plan = Plan(urls, settings, window=WINDOW, sample=0.5, leftovers=True)
        crawled = crawl(plan, timeout=7200)
        return show(crawled, web.log(), right, web.port)


if __name__ == "__main__":
    sys.exit(main())
