"""Two files as large as any engine reads: 15,000 plain rules, and 15,000 rules with wildcards."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

from peers import Peer

RULES = 15_000
AGENT = "FooBot"
COLUMNS = [
    "plain: parse",
    "plain: parse, first answer",
    "plain: each answer",
    "wildcards: each answer",
]

clock = time.thread_time


def plain() -> bytes:
    return _file(f"/section-{n * 7919 % RULES}/{n:x}/page" for n in range(RULES))


def wildcards() -> bytes:
    """No two alike: every one is of another word, sought anywhere in the path."""
    return _file(f"/*{n * 7919 % RULES:x}-{n:x}*/q{n}" for n in range(RULES))


def _file(paths: Iterator[str]) -> bytes:
    rules = "\n".join(f"Disallow: {path}" for path in paths)
    return f"User-agent: *\n{rules}\n".encode()


def urls(count: int) -> list[str]:
    return [f"https://example.com/section-{n * 31}/{n:x}/other-page-{n}?x=1" for n in range(count)]


def rows(peers: list[Peer]) -> list[list[str]]:
    return [[peer.name, *_cells(peer)] for peer in peers if peer.per_file > 1]


def _cells(peer: Peer) -> list[str]:
    body = plain()
    began = clock()
    rules = peer.parse(body)
    parsed = clock() - began
    peer.allowed(rules, urls(1)[0], AGENT)
    first = clock() - began
    each = _each(peer, rules, urls(200))
    wild = _each(peer, peer.parse(wildcards()), urls(10))
    return [f"{parsed * 1e3:.1f} ms", f"{first * 1e3:.1f} ms", f"{each * 1e6:.1f} µs", _time(wild)]


def _each(peer: Peer, rules: object, urls: list[str]) -> float:
    peer.allowed(rules, urls[0], AGENT)
    peer.allowed(rules, urls[1], AGENT)  # ours is laid out by the second
    peer.allowed(rules, urls[2], AGENT)
    times = []
    for url in urls:
        began = clock()
        peer.allowed(rules, url, AGENT)
        times.append(clock() - began)
    return statistics.median(times)


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds > 1e-3 else f"{seconds * 1e6:.0f} µs"
