"""2,000 real robots.txt files in a WARC, 100,000 URLs, and one command: who may fetch what.

    python -m example.verdicts FOLDER

The folder holds robots.txt files, each named as its host. What is made lies in `verdicts/`.
"""

from __future__ import annotations

import gzip
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

FILES, URLS = 2_000, 100_000
CRAWLERS = "Googlebot,GPTBot"
COMMON = ("/", "/about", "/search?q=robots", "/images/logo.png", "/admin/", "/news/2026/11/28")
_RULE = re.compile(rb"(?im)^\s*(?:dis)?allow\s*:\s*(/[!-~]*)")


def main(folder: Path) -> int:
    made = Path("verdicts")
    made.mkdir(exist_ok=True)
    files = sorted(path for path in folder.iterdir() if path.is_file())[:FILES]
    with (made / "robots.warc.gz").open("wb") as warc:
        for path in files:
            warc.write(gzip.compress(_record(path.name, path.read_bytes())))
    urls = "\n".join(_urls(files, random.Random(2026)))  # noqa: S311 - the same for everybody
    (made / "urls.txt").write_text(urls, "utf-8")
    names = [str(made / name) for name in ("urls.txt", "robots.warc.gz", "verdicts.parquet")]
    command = ["bulk", *names[:2], "-o", names[2], "--agents", CRAWLERS, "--explain"]
    print(f"robots-policy {' '.join(command)}\n", flush=True)  # noqa: T201 - the demo's output
    program = [sys.executable, "-m", "scrapy_robots_policy.commands"]
    return subprocess.run([*program, *command], check=False).returncode  # noqa: S603 - as above


def _record(host: str, body: bytes) -> bytes:
    """A response as a crawler keeps it."""
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + body
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-11-28T00:00:00Z\r\n"
        f"WARC-Target-URI: https://{host}/robots.txt\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(answer)}\r\n\r\n"
    )
    return head.encode() + answer + b"\r\n\r\n"


def _urls(files: list[Path], chance: random.Random) -> Iterator[str]:
    """Half of the paths are made from the rules of the site."""
    for path in files:
        rules = [rule.decode() for rule in _RULE.findall(path.read_bytes())]
        for number in range(URLS // len(files)):
            own = chance.choice(rules or COMMON) if number % 2 else chance.choice(COMMON)
            yield f"https://{path.name}{own.rstrip('$').replace('*', 'x')}"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
