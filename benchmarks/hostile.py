"""Hostile files, and how long ours and two peers take over them: parse and decide, decide again.

    python benchmarks/hostile.py [WORD ...]     only the files whose name holds one of the words

Each measurement runs in a process of its own, which is ended after 30 seconds. "memory" is by how
much the process grew at its largest. "verdict" is the answer with its rule. fastrobots is left out
where it is not installed.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from multiprocessing.connection import Connection
from typing import Any

SIZE = 500 * 1024 - 40  # octets: whole under the limit of 500 KiB
CAP = 30.0  # seconds
URL = "http://example.com/" + "a" * 10_000
AGENT = "FooBot"
CRAWLER = b"User-agent: FooBot\n"


def filled(line: bytes, size: int = SIZE) -> bytes:
    """The line again and again after a User-agent line, up to a size."""
    return CRAWLER + line * ((size - len(CRAWLER)) // len(line))


def rules(count: int) -> bytes:
    return b"".join(b"Disallow: /%d/*/x\n" % n for n in range(count))


FILES: dict[str, Callable[[], bytes]] = {
    "/*a*a*a*a*a*a*a*a*b, one short rule": lambda: CRAWLER + b"Disallow: /" + b"*a" * 8 + b"*b\n",
    "500 KiB of /*a*a*a…b, 10 stars a rule": lambda: filled(b"Disallow: /" + b"*a" * 10 + b"b\n"),
    "500 KiB of /*a*a*a…b, one rule": lambda: CRAWLER + b"Disallow: /" + b"*a" * (SIZE // 2) + b"b",
    "500 KiB of /*aaa…ab, one rule": lambda: CRAWLER + b"Disallow: /*" + b"a" * SIZE + b"b",
    "15,000 rules": lambda: CRAWLER + rules(15_000),
    "10,000 User-agent lines over 10,000 rules": lambda: (
        b"".join(b"User-agent: bot%d\n" % n for n in range(9_999)) + CRAWLER + rules(10_000)
    ),
    "500 KiB of one User-agent line, again and again": lambda: filled(CRAWLER),
    "500 KiB of groups of one rule": lambda: filled(CRAWLER + b"Disallow: /x\n"),
    "500 KiB of the prefixes of /aaa…": lambda: (
        CRAWLER + b"".join(b"Disallow: /" + b"a" * n + b"\n" for n in range(1_000))
    ),
    "one line of 500 KiB": lambda: CRAWLER + b"Disallow: /" + b"x" * SIZE,
    "500 KiB of line ends": lambda: b"\n" * SIZE,
    "500 KiB of carriage returns": lambda: b"\r" * SIZE,
    "500 KiB of spaces": lambda: CRAWLER + b" " * SIZE,
    "500 KiB of vertical tabs": lambda: filled(b"disallow " + b"\v" * 16_000 + b" x\n"),
    "500 KiB of #": lambda: b"#" * SIZE,
    "500 KiB of %41": lambda: CRAWLER + b"Disallow: /" + b"%41" * (SIZE // 3),
    "500 KiB of :": lambda: CRAWLER + b":" * SIZE,
    "500 KiB of NUL": lambda: b"\0" * SIZE,
}


def ask_ours(body: bytes) -> Callable[[], bool]:
    from scrapy_robots_policy.rep import parse

    read = parse(body, "rfc9309")
    return lambda: read.allowed(URL, AGENT)


def ask_ours_why(body: bytes) -> Callable[[], bool]:
    from scrapy_robots_policy.rep import parse

    read = parse(body, "rfc9309")

    def ask() -> bool:
        verdict = read.verdict(URL, AGENT)
        return verdict.allowed and verdict.rule is None

    return ask


def ask_protego(body: bytes) -> Callable[[], bool]:
    from protego import Protego

    read = Protego.parse(body.decode("utf-8", "ignore"))
    return lambda: bool(read.can_fetch(URL, AGENT))


def ask_fastrobots(body: bytes) -> Callable[[], bool]:
    from fastrobots import Robots

    read = Robots.parse(body.decode("utf-8", "ignore"))
    path = "/" + URL.split("/", 3)[3]  # it cannot read URLs
    return lambda: bool(read.allowed(path, AGENT))


PEERS = {"ours": ask_ours, "ours, verdict": ask_ours_why, "Protego": ask_protego}
if find_spec("fastrobots"):
    PEERS["fastrobots"] = ask_fastrobots


def measure(send: Connection, peer: str, name: str) -> None:
    """Send seconds: for parsing and a first decision, for a later decision; and KiB gained."""
    body = FILES[name]()
    PEERS[peer](b"")()  # what is imported and compiled once
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    ask = PEERS[peer](body)
    ask()
    first = time.perf_counter()
    ask()  # an index may be made at the second question
    second = time.perf_counter()
    for _ in range(5):
        ask()
    again = (time.perf_counter() - second) / 5
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    send.send((first - start, again, peak))


def run(peer: str, name: str) -> str:
    receive, send = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=measure, args=(send, peer, name))
    process.start()
    send.close()
    try:
        measured: Any = receive.recv() if receive.poll(CAP) else None
    except EOFError:
        measured = None
    finally:
        process.terminate()
        process.join()
    if measured is None:
        return f"{f'over {CAP:.0f} s':>30}"
    first, again, peak = measured
    return f"{first * 1e3:10.1f} ms {again * 1e3:9.2f} ms {peak / 1024:4.0f}M"


def main(words: list[str]) -> None:
    heading = "".join(f" | {peer:>30}" for peer in PEERS)
    print(f"{'first answer, a later one, memory':50}{heading}")
    for name in FILES:
        if words and not any(word in name for word in words):
            continue
        print(f"{name:50}" + "".join(f" | {run(peer, name)}" for peer in PEERS), flush=True)


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main(sys.argv[1:])
