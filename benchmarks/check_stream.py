"""How fast `robots-policy check` and `scrapy robots check` answer a stream, and whether they grow.

    python benchmarks/check_stream.py [ROBOTS_TXT] [LINES]

Runs each command as a process of its own, feeds it LINES URLs (default: 1,000,000), reads what it
says, and looks at its memory as it goes. Linux only: memory is read from /proc.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import IO

from crawling import memory

RULES = b"User-agent: *\nDisallow: /*.pdf$\nDisallow: /*?session=\n" + b"".join(
    b"Disallow: /section%d/private\nAllow: /section%d/private/press\n" % (n, n) for n in range(100)
)
COMMANDS = {
    "robots-policy check": ["-m", "scrapy_robots_policy.commands", "check", "--robots"],
    "robots-policy check --quiet": [
        *("-m", "scrapy_robots_policy.commands", "check", "--quiet", "--robots"),
    ],
    "scrapy robots check": ["-m", "scrapy", "robots", "check", "--robots"],
}


def main() -> None:
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with TemporaryDirectory() as folder:
        robots = Path(sys.argv[1]) if len(sys.argv) > 1 else _written(Path(folder), RULES)
        urls = _written(Path(folder), *_urls(count))
        for name, command in COMMANDS.items():
            print(f"{name}:")
            with urls.open("rb") as stdin:
                _measure([sys.executable, *command, str(robots)], stdin, count)


def _measure(command: list[str], stdin: IO[bytes], count: int) -> None:
    began = perf_counter()
    process = subprocess.Popen(  # noqa: S603 - ourselves
        command, stdin=stdin, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    answers, tenths, first = 0, 0, 0.0
    while octets := os.read(process.stdout.fileno(), 1 << 16):
        first = first or perf_counter()
        answers += octets.count(b"\n")
        if answers * 10 // count > tenths:
            tenths = answers * 10 // count
            print(f"{answers:>9,} answers  {memory(process.pid)[0]:>6.1f} MiB")
    if not answers:
        sys.exit("it gave no answer")
    took = perf_counter() - first
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0  # it is waited for already
    spent = used.ru_utime + used.ru_stime
    print(f"{answers:,} URLs in {took:.2f} s, {answers / took:,.0f} a second")
    print(f"{spent:.2f} s of processor time, {answers / spent:,.0f} a second, start included")
    print(f"the start took {first - began:.2f} s more")


def _written(folder: Path, *pieces: bytes) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.txt"
    with path.open("wb") as file:
        file.writelines(pieces)
    return path


def _urls(count: int, batch: int = 1000) -> Iterator[bytes]:
    for start in range(0, count, batch):
        numbers = range(start, min(start + batch, count))
        urls = (
            f"https://example.com/section{n % 200}/private/{n}/page.html?id={n}" for n in numbers
        )
        yield "".join(f"{url}\n" for url in urls).encode()


if __name__ == "__main__":
    main()
