"""Millions of URLs as columns: `bulk.judge` beside loops over other parsers, and a run over files.

    python benchmarks/columns.py [--urls N] [--longest SECONDS] [--files N ...] [--folder FOLDER]

The URLs are made from the rules of real files, for 20,000 origins, of which the first has most (by
Zipf's law); and a million of one origin for each of three files. Every parser gets the same table
of Arrow and gives a column of answers. Peers are stopped after `--longest` seconds; their rate is
that of the URLs they came to. Times are processor times. What is printed on standard output is
Markdown.

`--files 1000000 10000000` then runs `robots-policy bulk` over as many URLs in Parquet: how long it
takes, and how much memory all its processes have at most.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import bulk as one_file
import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from corpus import COMMON, SITE, bodies, folder, paths_of_rules
from engine import machine, table
from peers import Peer, peers

from scrapy_robots_policy.bulk import judge, origins
from scrapy_robots_policy.rep import origin_of

ORIGINS = 20_000
AGENT = "FooBot"
PORTION = 1_000
KEPT = 10_000  # parsed files that the loop over a peer keeps

clock = time.process_time


class Sites:
    """The origins, each with a real file, and paths to make URLs of."""

    def __init__(self, files: list[bytes], count: int) -> None:
        sites = [f"https://site{at}.example" for at in range(count)]
        self.robots = pa.table(
            {
                "origin": sites,
                "status": pa.array([200] * count, pa.int32()),
                "body": [files[at % len(files)] for at in range(count)],
            }
        )
        own = [paths_of_rules(body)[:200] or ["/"] for body in files]
        self.sites = pa.array(sites)
        self.paths = pa.array([path for paths in own for path in paths])
        self.counts = np.array([len(paths) for paths in own])
        self.starts = np.concatenate([[0], np.cumsum(self.counts)[:-1]])
        share = 1 / np.arange(1, count + 1)
        self.upto = np.cumsum(share / share.sum())

    def urls(self, start: int, count: int) -> Any:
        """Some URLs: half of their paths are made from the file's rules, half any site has."""
        chance = np.random.default_rng(start)
        site = np.searchsorted(self.upto, chance.random(count)).clip(0, len(self.upto) - 1)
        file = site % len(self.counts)
        own = self.starts[file] + (chance.random(count) * self.counts[file]).astype(int)
        number = np.arange(start, start + count)
        path = pc.if_else(
            pa.array(number % 2 == 0),
            self.paths.take(pa.array(own)),
            pa.array(COMMON).take(pa.array(number // 2 % len(COMMON))),
        )
        ends = pc.cast(pa.array(number), pa.string())
        return pc.binary_join_element_wise(self.sites.take(pa.array(site)), path, "-", ends, "")


def of_one_file(name: str, count: int) -> tuple[Any, Any]:
    from_rules = paths_of_rules((folder() / name).read_bytes())
    urls = [SITE + one_file._path(number, from_rules) for number in range(count)]  # noqa: SLF001 - its own URLs
    body = (folder() / name).read_bytes()
    robots = pa.table({"origin": [SITE], "status": [200], "body": [body]})
    return pa.table({"url": urls}), robots


def loop(peer: Peer, urls: Any, robots: Any, longest: float) -> tuple[float, list[bool]]:
    """(seconds for a URL, the answers) of a loop as people write it."""
    by_origin = dict(zip(robots["origin"].to_pylist(), robots["body"].to_pylist(), strict=True))

    @lru_cache(KEPT)
    def check(site: str) -> Callable[[str], bool]:
        return peer.check(peer.parse(by_origin[site]), AGENT)

    answers: list[bool] = []
    began = clock()
    for start in range(0, urls.num_rows, PORTION):
        for url in urls["url"].slice(start, PORTION).to_pylist():
            parts = urlsplit(url)
            allowed = check(f"{parts.scheme}://{parts.netloc}")
            answers.append(allowed(peer.address(url)))
        if clock() - began > longest:
            break
    pa.array(answers)
    return (clock() - began) / len(answers), answers


def ours(urls: Any, robots: Any, dialect: str = "rfc9309") -> tuple[float, list[bool]]:
    began = clock()
    judged = judge(urls, robots, agents=AGENT, dialect=dialect)
    spent = clock() - began
    return spent / urls.num_rows, judged["robots_allowed"].to_pylist()


def compare(tables: dict[str, tuple[Any, Any]], longest: float) -> None:
    named = [peer for peer in peers() if not peer.name.startswith(("scrapy_robots", "urllib"))]
    known = ("Protego", "fastrobots", "jwm.robotstxt")
    rows = []
    for what, (urls, robots) in tables.items():
        seconds, _ = ours(urls, robots)
        _, in_google = ours(urls, robots, "google")
        row = [what, f"{1 / seconds:,.0f}"]
        for peer in named:
            if not peer.name.startswith(known):
                continue
            of_peer, answers = loop(peer, urls, robots, longest)
            note = f"{1 / of_peer:,.0f} ({of_peer / seconds:.1f} x)"
            if peer.name.startswith("jwm"):
                differ = sum(a != b for a, b in zip(answers, in_google, strict=False))
                note += f", {differ:,} of {len(answers):,} differ"
            row.append(note)
        rows.append(row)
    heads = [peer.name for peer in named if peer.name.startswith(known)]
    print(table(["URLs", "judge: URLs a second", *heads], rows))


def parts(urls: Any, robots: Any, where: Path) -> None:
    """Where the time of a row goes, in microseconds."""
    count = urls.num_rows
    file = where / "urls.parquet"
    pq.write_table(urls, file)
    times = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        began = clock()
        result = work()
        times[name] = (clock() - began) / count * 1e6
        return result

    timed("read", lambda: pq.read_table(file))
    timed("key", lambda: origins(urls["url"]))
    judged = timed("judge", lambda: judge(urls, robots, agents=AGENT))
    empty = robots.set_column(2, "body", pa.array([b""] * robots.num_rows))
    timed("judge without rules (key, sort, cells)", lambda: judge(urls, empty, agents=AGENT))
    one_each = pa.table({"url": pc.binary_join_element_wise(robots["origin"], "/x", "")})
    began = clock()
    judge(one_each, robots, agents=AGENT)
    times["parse, and the first answer of each file"] = (clock() - began) / count * 1e6
    beside = duckdb.connect()
    beside.register("keyed", urls.append_column("origin", origins(urls["url"])))
    beside.register("robots", robots.select(["origin", "status"]))
    timed("join, by DuckDB (sort included)", lambda: _joined(beside))
    timed("write", lambda: pq.write_table(judged, where / "out.parquet"))
    print(table(["part", "µs a row"], [[name, f"{one:.2f}"] for name, one in times.items()]))


PIECES = (
    "http://",
    "https://",
    "HTTP://",
    "ftp://",
    "//",
    "/",
    "?q=",
    "#f",
    "@",
    "user:pw@",
    "\\",
    "\t",
    "a",
    "b.test",
    "example.com",
    "bücher.de",
    "xn--bcher-kva.de",
    "127.0.0.1",
    "[::1]",
    "[",
    "]",
    ".",
    ":",
    ":080",
    "80",
    "443",
    "65536",
    "99999",
    "é",
    "ß",
    "。",
    "%41",
    "-",
    "_",
    " ",
    "\x00",
)


def keys(count: int) -> None:
    """Whether `origins` gives what `origin_of` does, for URLs that are put together by chance."""
    chance, differ, known = random.Random(59), 0, 0
    for _ in range(0, count, 100_000):
        urls = [
            chance.choice(PIECES[:6]) + "".join(chance.choices(PIECES, k=chance.randrange(1, 6)))
            for _ in range(100_000)
        ]
        wanted = [origin_of(url) for url in urls]
        known += sum(one is not None for one in wanted)
        found = origins(pa.array(urls)).to_pylist()
        differ += sum(a != b for a, b in zip(found, wanted, strict=True))
    print(
        f"\n`origins` differs from `origin_of` for {differ:,} of {count:,} made-up URLs, of which"
    )
    print(f"{known:,} have an origin.")


def _joined(connection: duckdb.DuckDBPyConnection) -> int:
    query = "SELECT url, status FROM keyed LEFT JOIN robots USING (origin) ORDER BY origin"
    return sum(batch.num_rows for batch in connection.sql(query).to_arrow_reader(PORTION))


def run_over_files(sites: Sites, count: int, where: Path) -> list[str]:
    """A row: URLs, seconds, processor seconds, MiB at most, MB written."""
    urls, robots, out = where / f"{count}", where / "robots.parquet", where / "out.parquet"
    if not urls.exists():
        urls.mkdir(parents=True)
        for start in range(0, count, 1_000_000):
            made = pa.table({"url": sites.urls(start, min(1_000_000, count - start))})
            pq.write_table(made, urls / f"{start:012}.parquet")
    pq.write_table(sites.robots, robots)
    command = [sys.executable, "-m", "scrapy_robots_policy.commands", "bulk", str(urls)]
    began = time.monotonic()
    process = subprocess.Popen(  # noqa: S603 - our own program
        [*command, str(robots), "-o", str(out), "--agent", AGENT, "--explain"],
        stdout=subprocess.DEVNULL,
    )
    most = 0
    while process.poll() is None:
        most = max(most, sum(map(_resident, _family(process.pid))))
        time.sleep(0.2)
    assert process.returncode == 0
    spent = time.monotonic() - began
    assert pq.ParquetFile(out).metadata.num_rows == count
    return [
        f"{count:,}",
        f"{spent:,.0f} s",
        f"{count / spent:,.0f}",
        f"{most / 1024 / 1024:,.0f} MiB",
        f"{out.stat().st_size / 1e6:,.0f} MB",
    ]


def _family(pid: int) -> Iterator[int]:
    yield pid
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from _family(int(child))


def _resident(pid: int) -> int:
    """Bytes in memory that no other process shares, and its part of the others."""
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) * 1024
    return 0


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--urls", type=int, default=10_000_000)
    parser.add_argument("--longest", type=float, default=20.0, help="seconds for one peer")
    parser.add_argument("--keys", type=int, default=10_000_000)
    parser.add_argument("--files", type=int, nargs="*", default=[])
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args(arguments)
    sites = Sites(bodies(), ORIGINS)
    print(f"{machine()}\n")
    with tempfile.TemporaryDirectory() as temporary:
        where = options.folder or Path(temporary)
        where.mkdir(exist_ok=True)
        if options.urls:
            urls = pa.table({"url": sites.urls(0, options.urls)})
            one = {name: of_one_file(name, 1_000_000) for name in one_file.FILES}
            tables = {f"{options.urls:,} of {ORIGINS:,} origins": (urls, sites.robots)}
            tables |= {f"1,000,000 of {name}": pair for name, pair in one.items()}
            compare(tables, options.longest)
            print()
            parts(urls, sites.robots, where)
            keys(options.keys)
        rows = [run_over_files(sites, count, where) for count in options.files]
        if rows:
            print()
            print(table(["URLs", "time", "URLs a second", "memory", "written"], rows))


if __name__ == "__main__":
    main(sys.argv[1:])
