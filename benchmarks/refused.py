"""What a refusal costs: a question whose answer is no, asked again, with the reason read.

A crawler that is refused wants to know why: of ours `verdict(...)` is asked, and its `allowed`,
`reason`, `rule` and `line` are read. Most peers give a bare no; that is what they are timed with.
All are asked the questions that Protego refuses. Those were asked once before the clock runs.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from corpus import Case
from peers import Peer, ask_all

COLUMNS = ["mean", "median file", "p99 file", "times faster than Protego", "times its bare answer"]

clock = time.thread_time


@dataclass(frozen=True)
class Refusals:
    """Seconds for one question, for each file that refuses some; `counts`: how many it refuses."""

    counts: list[int]
    with_reason: list[float]
    bare: list[float]

    def mean(self, times: list[float]) -> float:
        """Over all questions, so that a file counts as often as it refuses."""
        spent = sum(each * count for each, count in zip(times, self.counts, strict=True))
        return spent / sum(self.counts)


def refused(judge: Peer, cases: list[Case]) -> list[Case]:
    """Of each file the questions that `judge` refuses; a file that refuses none is left out."""
    kept = []
    for item in cases:
        rules = judge.parse(item.body)
        urls = [url for url in item.urls if not judge.allowed(rules, url, item.agent)]
        if urls:
            kept.append(Case(item.body, item.agent, urls))
    return kept


def measure(peer: Peer, cases: list[Case]) -> Refusals:
    refuse = peer.refuse or peer.allowed
    with_reason, bare = [], []
    for item in cases:
        rules = peer.parse(item.body)
        addresses = [peer.address(url) for url in item.urls[: peer.per_file]]
        with_reason.append(_each(refuse, rules, addresses, item.agent))
        bare.append(_each(peer.allowed, rules, addresses, item.agent))
    return Refusals([len(item.urls) for item in cases], with_reason, bare)


def _each(ask: Callable[..., Any], rules: Any, addresses: list[str], agent: str) -> float:
    ask_all(ask, rules, addresses, agent)
    began = clock()
    ask_all(ask, rules, addresses, agent)
    return (clock() - began) / len(addresses)


def mean(rounds: list[Refusals]) -> float:
    """Seconds for one refusal."""
    return statistics.median(one.mean(one.with_reason) for one in rounds)


def row(peer: Peer, rounds: list[Refusals], base: list[Refusals]) -> list[str]:
    columns = zip(*(one.with_reason for one in rounds), strict=True)
    files = sorted(map(statistics.median, columns))
    bare = statistics.median(one.mean(one.bare) for one in rounds)
    each = mean(rounds)
    return [
        peer.name,
        f"{each * 1e6:.2f} µs",
        f"{files[len(files) // 2] * 1e6:.2f} µs",
        f"{files[int(len(files) * 0.99)] * 1e6:.2f} µs",
        f"{mean(base) / each:.2f}",
        f"{each / bare:.2f}" if peer.refuse else "-",
        peer.reasons,
    ]
