"""How fast a robots.txt is read and asked, side by side with the peers.

    python benchmarks/engine.py [--every N] [--rounds N] [--urls N] [--only NAME ...]

In each round every peer reads every file, answers one question to each, then all questions twice;
the second time counts as warm. Peers take turns within a round, and medians over the rounds are
given as ratios to Protego: above 1 is faster. Times are this thread's processor time.

Then come tables of refusals (`refused.py`), of a million URLs of one file (`bulk.py`), of memory,
and of one large file (`large.py`). The column of wrong answers is explained in `wrong.py`. All that
is printed on standard output is Markdown. `--only robots_policy fastrobots` measures Protego and
the peers whose name holds one of these words.
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

import bulk
import large
import refused
from corpus import Case, questions
from peers import Peer, ask_all, peers
from wrong import right_answers, wrong_answers

clock = time.thread_time


@dataclass
class Round:
    """Seconds: to parse all, to parse and answer once, to answer each file's questions warm."""

    parse: float
    first: float
    warm: list[float] = field(default_factory=list)


def measure(peer: Peer, cases: list[Case]) -> Round:
    parse, allowed = peer.parse, peer.allowed
    firsts = [peer.address(item.urls[0]) for item in cases]
    gc.collect()
    gc.disable()
    began = clock()
    parsed = [parse(item.body) for item in cases]
    parse_time = clock() - began
    for rules, item, address in zip(parsed, cases, firsts, strict=True):
        attempt(allowed, rules, address, item.agent)
    made = Round(parse_time, clock() - began)
    for rules, item in zip(parsed, cases, strict=True):
        urls = [peer.address(url) for url in item.urls[: peer.per_file]]
        ask_all(allowed, rules, urls, item.agent)
        began = clock()
        ask_all(allowed, rules, urls, item.agent)
        made.warm.append((clock() - began) / len(urls))
    gc.enable()
    return made


def attempt(allowed: Callable[..., bool], rules: Any, url: str, agent: str) -> None:
    """Peers fail on some files; that counts as an answer."""
    try:
        allowed(rules, url, agent)
    except Exception:  # noqa: BLE001 - whatever a peer raises
        return


def memory(peer: Peer, cases: list[Case]) -> float:
    """Bytes held for one file that was parsed and asked once, beside the file itself."""
    for item in cases[:50]:  # what is made once is not the files' cost
        peer.parse(item.body)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    parsed = [peer.parse(item.body) for item in cases]
    for rules, item in zip(parsed, cases, strict=True):
        attempt(peer.allowed, rules, peer.address(item.urls[0]), item.agent)
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


def _total(made: Round, cases: list[Case]) -> float:
    return sum(one * len(item.urls) for one, item in zip(made.warm, cases, strict=True))


def _row(peer: Peer, made: list[Round], base: list[Round], cases: list[Case]) -> list[str]:
    def ratio(of: Callable[[Round], float]) -> str:
        return f"{statistics.median(map(of, base)) / statistics.median(map(of, made)):.2f}"

    files = ratios(base, made)
    cuts = [files[int(len(files) * share)] for share in (0.10, 0.50)]
    warm = statistics.median(_total(one, cases) for one in made)
    each = warm / sum(len(item.urls) for item in cases)
    return [
        peer.name,
        ratio(lambda one: one.parse),
        ratio(lambda one: one.first),
        ratio(lambda one: _total(one, cases)),
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
    parser.add_argument("--urls", type=int, default=bulk.URLS, help="of one file, for bulk.py")
    parser.add_argument("--only", nargs="+", default=[""], help="peers by a word of their names")
    options = parser.parse_args(arguments)
    cases = questions(options.every)
    protego, *others = peers()
    chosen = [peer for peer in others if any(word in peer.name for word in options.only)]
    every = [protego, *chosen]
    refusing = refused.refused(protego, cases)
    made: dict[str, list[Round]] = {peer.name: [] for peer in every}
    refusals: dict[str, list[refused.Refusals]] = {peer.name: [] for peer in every}
    for at in range(options.rounds):
        for peer in every:
            progress(f"round {at + 1} of {options.rounds}: {peer.name}")
            made[peer.name].append(measure(peer, cases))
            refusals[peer.name].append(refused.measure(peer, refusing))
    count = sum(len(item.urls) for item in cases)
    print(f"{len(cases)} files, {count} questions, {options.rounds} rounds; {machine()}.")
    show_speed(every, cases, made, refusals)
    show_refusals(every, refusing, refusals)
    show_bulk(every, options.urls)
    progress("memory, and one large file")
    held = {peer.name: memory(peer, cases) for peer in every if not peer.compiled}
    head = ["memory held beside the file", "bytes a file", "share of Protego's"]
    show(head, _shares(held))
    show(["one file of 500 KiB", *large.COLUMNS], large.rows(every))


def progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def show(head: list[str], rows: list[list[str]]) -> None:
    print("\n" + table(head, rows), flush=True)


def show_speed(
    every: list[Peer],
    cases: list[Case],
    made: dict[str, list[Round]],
    refusals: dict[str, list[refused.Refusals]],
) -> None:
    progress("wrong answers")
    right = right_answers(cases)
    count = f"{sum(len(item.urls) for item in cases):,}"
    base = made[every[0].name]
    rows = []
    for peer in every:
        wrong = "" if right is None else f"{wrong_answers(peer, cases, right):,}"
        refusal = f"{refused.mean(refusals[peer.name]) * 1e6:.2f} µs"
        rows.append([*_row(peer, made[peer.name], base, cases), refusal, wrong])
    head = ["times faster than Protego", "parse", "parse, first answer", "warm answer"]
    head += ["p10", "median file", "one answer", "one refusal, with its reason"]
    show([*head, "wrong answers"], rows)
    if right is None:
        print("\nWrong answers are not counted: jwm.robotstxt, Google's parser, is not installed.")
    else:
        print(f"\nA wrong answer is one that Google's own parser gives otherwise, of {count}.")


def show_refusals(
    every: list[Peer], refusing: list[Case], refusals: dict[str, list[refused.Refusals]]
) -> None:
    count = sum(len(item.urls) for item in refusing)
    print(f"\n{count} of the questions, to {len(refusing)} of the files, are refused by Protego.")
    base = refusals[every[0].name]
    rows = [refused.row(peer, refusals[peer.name], base) for peer in every]
    show(["a refusal, asked again", *refused.COLUMNS, "what it tells"], rows)


def show_bulk(every: list[Peer], urls: int) -> None:
    rows = []
    for peer in every:
        progress(f"{urls} URLs of one file: {peer.name}")
        rows.append(bulk.row(peer, urls))
    show([f"{urls:,} URLs of one file", *bulk.columns()], rows)


def _shares(held: dict[str, float]) -> list[list[str]]:
    base = next(iter(held.values()))
    return [[name, f"{size:.0f}", f"1/{base / size:.1f}"] for name, size in held.items()]


if __name__ == "__main__":
    main(sys.argv[1:])
