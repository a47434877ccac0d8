"""How fast `scrapy robots check` answers a stream, and whether it grows on the way.

    python benchmarks/check_stream.py [ROBOTS_TXT] [LINES]

Runs the command as a process of its own, feeds it LINES URLs (default: 1,000,000), reads what it
says, and looks at its memory as it goes. Linux only: memory is read from /proc.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

RULES = b"User-agent: *\n" + b"".join(
    b"Disallow: /section%d/private\nAllow: /section%d/private/press\nDisallow: /*/tmp%d$\n"
    % (n, n, n)
    for n in range(100)
)
START = (
    "from scrapy.cmdline import execute; import scrapy.cmdline as c, sys;"
    "from scrapy_robots_policy.command import RobotsCommand;"
    "find = c._get_commands_from_entry_points;"
    "c._get_commands_from_entry_points = lambda *a: {**find(*a), 'robots': RobotsCommand()};"
    "execute(['scrapy', 'robots', 'check', '--robots', sys.argv[1]])"
)  # also where the package is not installed


def main() -> None:
    robots = Path(sys.argv[1]) if len(sys.argv) > 1 else _written()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    began = perf_counter()
    process = subprocess.Popen(  # noqa: S603 - ourselves
        [sys.executable, "-c", START, str(robots)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    threading.Thread(target=_feed, args=(process.stdin, count), daemon=True).start()
    answers = 0
    for line in process.stdout:
        answers += line[:1] in b"ad"
        if answers == 1:
            first = perf_counter()
        if answers % (count // 10) == 0:
            print(f"{answers:>9,} answers  {_kib(process.pid):>7,} KiB")
    process.wait()
    took = perf_counter() - first
    print(f"{answers:,} URLs in {took:.2f} s, {answers / took:,.0f} a second")
    print(f"the start took {first - began:.2f} s more")


def _written() -> Path:
    path = Path("/tmp/check_stream_robots.txt")  # noqa: S108 - a benchmark's own
    path.write_bytes(RULES)
    return path


def _feed(stdin, count: int) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    for lines in _urls(count):
        stdin.write(lines)
    stdin.close()


def _urls(count: int, batch: int = 1000) -> Iterator[bytes]:
    for start in range(0, count, batch):
        numbers = range(start, min(start + batch, count))
        urls = (
            f"https://example.com/section{n % 200}/private/{n}/page.html?id={n}" for n in numbers
        )
        yield "".join(f"{url}\n" for url in urls).encode()


def _kib(pid: int) -> int:
    """Resident memory."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0])


if __name__ == "__main__":
    main()
