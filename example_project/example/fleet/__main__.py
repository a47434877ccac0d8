"""Runs the fleet: a Redis, the sites, three crawlers. Then prints the result.

Exit status: 0 if every promise was kept, 1 if not, 2 if a program that it needs is missing.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from contextlib import ExitStack, closing
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from example.fleet import processes
from example.fleet.result import Result
from example.fleet.sites import ENTRANCES, SITES
from example.web import Web

PATIENCE = 90.0  # seconds
ALL_WELL = "All well: every robots.txt was fetched once, every open page once, nothing too early."


def main() -> int:
    reader = argparse.ArgumentParser(prog="example.fleet", description="Crawl as a fleet.")
    reader.add_argument(
        "--store", help="another ROBOTS_STORE, such as memory:, which is not shared"
    )
    store = reader.parse_args().store
    missing = _missing()
    if missing:
        print(f"The fleet needs {missing}", file=sys.stderr)  # noqa: T201 - the demo's output
        return 2
    result = _run(store)
    faults = list(result.faults())
    print(*result.table(), "", *(faults or [ALL_WELL]), sep="\n")  # noqa: T201 - as above
    return 1 if faults else 0


def _missing() -> str:
    if find_spec("scrapy_redis") is None:
        return "scrapy-redis: pip install scrapy-redis"
    if shutil.which("redis-server") is None:
        return "redis-server: apt install redis-server, brew install redis, or the like"
    return ""


def _run(store: str | None) -> Result:
    processes.end_by_signals()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        redis = stack.enter_context(processes.redis_server(folder))
        web = stack.enter_context(closing(Web(SITES)))
        print(f"{redis}, {len(SITES)} sites, {len(ENTRANCES)} crawlers\n", flush=True)  # noqa: T201 - as above
        origins = web.origins.values()
        reports = [folder / f"crawler-{number}.json" for number in range(len(ENTRANCES))]
        shared = {"REDIS_URL": redis, **({"ROBOTS_STORE": store} if store else {})}
        crawlers = []
        for path, report in zip(ENTRANCES, reports, strict=True):
            # Each crawler starts at one page of each site; all other URLs are in the shared queue.
            start = f"fleet:start_urls:{path}"
            processes.push(redis, start, (origin + path for origin in origins))
            own = {"REDIS_START_URLS_KEY": start, "ROBOTS_REPORT": report}
            crawlers.append(stack.enter_context(processes.crawler({**shared, **own})))
        if not all(processes.has_ended(crawler, PATIENCE) for crawler in crawlers):
            sys.exit(f"A crawler has not ended after {PATIENCE:g} s.")
        if not all(report.exists() for report in reports):
            sys.exit("A crawler has failed; its log is above.")
        return Result([json.loads(report.read_text("utf-8")) for report in reports], web.visits)


if __name__ == "__main__":
    sys.exit(main())
