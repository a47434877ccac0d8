"""How large a record of the crawl is, and how fast it is written and verified.

    python benchmarks/audit.py [--decisions N]

Decisions on a thousand robots.txt files are recorded without a crawl and verified: the time of
both, the octets of a decision, and the peak of memory of the check. What a record adds to a request
of a crawl measures `turns.py`.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scrapy import Request, Spider
from scrapy.utils.test import get_crawler

from scrapy_robots_policy.admission.listener import Decision
from scrapy_robots_policy.audit.recorder import Recorder
from scrapy_robots_policy.audit.verify import Check
from scrapy_robots_policy.config import PolicySettings
from scrapy_robots_policy.rep import FetchResult, Origin
from scrapy_robots_policy.rep.access_policy import AccessOverrides
from scrapy_robots_policy.rep.cache_entry import remember
from scrapy_robots_policy.resolver.origin import OriginState

FILES = 1000
RULES = "".join(f"Disallow: /section{n}/*/private\nAllow: /section{n}/*/open\n" for n in range(40))


def record(path: Path, decisions: int) -> float:
    """Seconds of processor time to record so many decisions."""
    crawler = get_crawler(settings_dict={"ROBOTS_AUDIT": str(path), "USER_AGENT": "Bot/1.0"})
    crawler.spider = Spider("bench")
    settings = PolicySettings.from_crawler(crawler)
    default = settings.configs.default
    recorder = Recorder(crawler, settings, time.time, lambda *_: lambda: None)
    now = time.time()
    files = []
    for n in range(FILES):
        result = FetchResult(200, f"User-agent: *\n{RULES}Disallow: /{n}\n".encode())
        origin = Origin(f"https://host{n}.example")
        state = OriginState(origin, AccessOverrides(), remember(None, result, now))
        files.append(state.rules(default.dialect, now))
    began = time.process_time()
    for n in range(decisions):
        rules = files[n % FILES]
        url = f"{rules.origin}/section{n % 50}/{n}/page.html?q={n * 7919 % 1000}"
        recorder.on_decided(Request(url), Decision((url,), rules, default, None, now + n / 1000))
    took = time.process_time() - began
    recorder.close("finished")
    return took


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--decisions", type=int, default=1_000_000)
    parser.add_argument("--verify", type=Path)
    options = parser.parse_args()
    if options.verify is not None:
        verify(options.verify)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "audit.jsonl.gz"
        took = record(path, options.decisions)
        size = path.stat().st_size / options.decisions
        print(f"recorded: {took / options.decisions * 1e6:.1f} us and {size:.0f} octets a decision")
        subprocess.run([sys.executable, __file__, "--verify", str(path)], check=True)  # noqa: S603 - this file


def verify(path: Path) -> None:
    began = time.perf_counter()
    checked = Check(None, print, lambda _file: None).run([path])
    took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    assert not checked.differ, checked
    assert not checked.errors, checked
    busy = time.process_time()
    print(
        f"verified: {checked.decisions:,} decisions in {took:.1f} s "
        f"({busy:.1f} s of the processor), peak {peak} MiB"
    )


if __name__ == "__main__":
    main()
