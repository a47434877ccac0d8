"""What 100,000 origins cost in memory: in the memory store, and as Protego objects in a dict.

    python benchmarks/memory.py [--origins N]

The origins are made from the real files in turn, each with a line of its own at the end, so that no
two bodies are equal and nothing can be shared. Each side runs in a process of its own, twice: once
for its resident size (what the kernel says), once for what it has allocated (tracemalloc).
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpus import folder

NOW = 1_800_000_000.0


def bodies(origins: int) -> Iterator[tuple[str, bytes]]:
    """(origin, its file) for as many origins as are asked for."""
    files = [path.read_bytes() for path in sorted(folder().iterdir())]
    for number in range(origins):
        origin = f"https://www.site-{number}.example"
        body = files[number % len(files)] + f"\nSitemap: {origin}/sitemap.xml\n".encode()
        yield origin, body


def hold_records(origins: int) -> Any:
    from scrapy_robots_policy.rep import CacheEntry, FetchResult
    from scrapy_robots_policy.stores import MemoryStore

    async def put_all() -> MemoryStore:
        store = MemoryStore(max_entries=origins, max_octets=1 << 40)
        for at, (origin, body) in enumerate(bodies(origins)):
            now = NOW + at / 7  # no two at the same instant
            outcome = FetchResult(200, media_type="text/plain", etag=f'"{hash(body):x}"')
            await store.put(origin, CacheEntry(outcome, now, body, now))
        return store

    return asyncio.run(put_all())


def hold_protego(origins: int) -> Any:
    from protego import Protego

    return {
        origin: Protego.parse(body.decode("utf-8", "ignore")) for origin, body in bodies(origins)
    }


SIDES = {"records in the memory store": hold_records, "Protego objects in a dict": hold_protego}


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def measure(side: str, origins: int, kind: str) -> float:
    """Bytes an origin."""
    SIDES[side](10)  # what is imported is no origin's
    gc.collect()
    if kind == "allocated":
        tracemalloc.start()
    before = resident()
    held = SIDES[side](origins)
    gc.collect()
    used = tracemalloc.get_traced_memory()[0] if kind == "allocated" else resident() - before
    del held
    return used / origins


def measure_apart(side: str, origins: int, kind: str) -> float:
    command = [sys.executable, __file__, "--origins", str(origins), "--side", side, "--kind", kind]
    return float(json.loads(subprocess.run(command, check=True, stdout=-1).stdout))  # noqa: S603


def time_a_call(origins: int) -> tuple[float, float]:
    """Seconds for one put and for one get, the mean over as many origins."""
    from scrapy_robots_policy.rep import CacheEntry, FetchResult
    from scrapy_robots_policy.stores import MemoryStore

    made = [
        (origin, CacheEntry(FetchResult(200), NOW, body, NOW)) for origin, body in bodies(origins)
    ]

    async def both() -> tuple[float, float]:
        store = MemoryStore()
        began = time.thread_time()
        for origin, record in made:
            await store.put(origin, record)
        between = time.thread_time()
        for origin, _ in made:
            await store.get(origin)
        return between - began, time.thread_time() - between

    put, get = asyncio.run(both())
    return put / origins, get / origins


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("--origins", type=int, default=100_000)
    reader.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    reader.add_argument("--kind", help=argparse.SUPPRESS)
    options = reader.parse_args()
    if options.side:
        print(json.dumps(measure(options.side, options.origins, options.kind)))
        return
    text = sum(len(body) for _, body in bodies(options.origins)) / options.origins
    print(f"{options.origins:,} origins, {text:,.0f} bytes of robots.txt each on average")
    for kind in ("resident", "allocated"):
        ours, theirs = (measure_apart(side, options.origins, kind) for side in SIDES)
        for side, used in zip(SIDES, (ours, theirs), strict=True):
            print(f"{kind:10} {side:30} {used:10,.0f} bytes an origin")
        print(f"{kind:10} Protego's take {theirs / ours:.1f} times as much")
    put, get = time_a_call(min(options.origins, 10_000))
    print(f"a put takes {put * 1e6:.0f} µs, a get {get * 1e6:.0f} µs, on average")


if __name__ == "__main__":
    main()
