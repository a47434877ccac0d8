"""How fast a robots.txt is read and asked, side by side with the peers.

    python benchmarks/engine.py [--every N] [--rounds N]

In each round every peer reads every file, answers one question to each, then all questions twice;
the second time counts as warm. Peers take turns within a round, and medians over the rounds are
given as ratios to Protego: above 1 is faster. Times are this thread's processor time.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import large
from corpus import Asked, questions
from peers import Peer, peers

clock = time.thread_time


@dataclass
class Round:
    """Seconds: to parse all, to parse and answer once, to answer each file's questions warm."""

    parse: float
    first: float
    warm: list[float] = field(default_factory=list)


def measure(peer: Peer, asked: list[Asked]) -> Round:
    parse, allowed = peer.parse, peer.allowed
    gc.collect()
    gc.disable()
    began = clock()
    parsed = [parse(item.body) for item in asked]
    parse_time = clock() - began
    for rules, item in zip(parsed, asked, strict=True):
        attempt(allowed, rules, item.urls[0], item.agent)
    made = Round(parse_time, clock() - began)
    for rules, item in zip(parsed, asked, strict=True):
        urls = item.urls[: peer.per_file]
        ask(allowed, rules, urls, item.agent)
        began = clock()
        ask(allowed, rules, urls, item.agent)
        made.warm.append((clock() - began) / len(urls))
    gc.enable()
    return made


def attempt(allowed: Callable[..., bool], rules: Any, url: str, agent: str) -> None:
    """Peers fail on some files; that counts as an answer."""
    try:
        allowed(rules, url, agent)
    except Exception:  # noqa: BLE001 - whatever a peer raises
        return


def ask(allowed: Callable[..., bool], rules: Any, urls: list[str], agent: str) -> None:
    try:
        for url in urls:
            allowed(rules, url, agent)
    except Exception:  # noqa: BLE001 - whatever a peer raises
        return


def memory(peer: Peer, asked: list[Asked]) -> float:
    """Octets held for one file that was parsed and asked once, beside the file itself."""
    for item in asked[:50]:  # what is made once is not the files' cost
        peer.parse(item.body)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    parsed = [peer.parse(item.body) for item in asked]
    for rules, item in zip(parsed, asked, strict=True):
        attempt(peer.allowed, rules, item.urls[0], item.agent)
    gc.collect()
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return held / len(parsed)


def ratios(base: list[Round], other: list[Round]) -> list[float]:
    """For each file, how many times faster `other` answers, sorted."""
    per_file = zip(
        _medians(made.warm for made in base), _medians(made.warm for made in other), strict=True
    )
    return sorted(slow / fast for slow, fast in per_file)


def _medians(rows: Iterable[list[float]]) -> list[float]:
    return [statistics.median(column) for column in zip(*rows, strict=True)]


def _total(made: Round, asked: list[Asked]) -> float:
    return sum(one * len(item.urls) for one, item in zip(made.warm, asked, strict=True))


def _row(peer: Peer, made: list[Round], base: list[Round], asked: list[Asked]) -> list[str]:
    def ratio(of: Callable[[Round], float]) -> str:
        return f"{statistics.median(map(of, base)) / statistics.median(map(of, made)):.2f}"

    files = ratios(base, made)
    cuts = [files[int(len(files) * share)] for share in (0.01, 0.10, 0.50, 0.90, 0.99)]
    warm = statistics.median(_total(one, asked) for one in made)
    each = warm / sum(len(item.urls) for item in asked)
    return [
        peer.name,
        ratio(lambda one: one.parse),
        ratio(lambda one: one.first),
        ratio(lambda one: _total(one, asked)),
        *(f"{cut:.2f}" for cut in cuts),
        f"{each * 1e6:.2f} µs",
    ]


def machine() -> str:
    return (
        f"{platform.python_implementation()} {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    )


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="take every n-th file")
    parser.add_argument("--rounds", type=int, default=5)
    told = parser.parse_args(arguments)
    asked, all_peers = questions(told.every), peers()
    made: dict[str, list[Round]] = {peer.name: [] for peer in all_peers}
    for at in range(told.rounds):
        for peer in all_peers:
            print(f"round {at + 1} of {told.rounds}: {peer.name}", file=sys.stderr)
            made[peer.name].append(measure(peer, asked))
    base = made[all_peers[0].name]
    count = sum(len(item.urls) for item in asked)
    print(f"{len(asked)} files, {count} questions, {told.rounds} rounds; {machine()}.\n")
    head = ["times faster than Protego", "parse", "parse, first answer", "warm answer"]
    head += ["p1", "p10", "median file", "p90", "p99", "one answer"]
    print(table(head, [_row(peer, made[peer.name], base, asked) for peer in all_peers]))
    held = {peer.name: memory(peer, asked) for peer in all_peers}
    head = ["memory held beside the file", "octets a file", "share of Protego's"]
    print("\n" + table(head, _shares(held)))
    print("\n" + table(["one file of 500 KiB", *large.COLUMNS], large.rows(all_peers)))


def _shares(held: dict[str, float]) -> list[list[str]]:
    base = next(iter(held.values()))
    return [[name, f"{octets:.0f}", f"1/{base / octets:.1f}"] for name, octets in held.items()]


if __name__ == "__main__":
    main(sys.argv[1:])
