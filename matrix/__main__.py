"""Runs the matrix and writes docs/matrix.md: `python -m matrix [-k NAME]`.

Each entry gets a virtual environment beside the one that runs this. It is kept, and made anew when
what it requires has changed, or with `--fresh`: then pip takes the newest versions.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from shutil import which

from tests.redis_server import RedisServer
from tests.site import Site

from .crawls import MODES, Job, Seen
from .entries import ENTRIES, Entry
from .page import page
from .results import Crawled, Row, compare
from .services import Service, zyte_api
from .site_script import script

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs" / "matrix.md"
DEADLINE = 180  # seconds for one crawl


@contextmanager
def _redis(_: Site) -> Iterator[str]:
    with RedisServer() as server:
        yield server.url


@contextmanager
def _zyte_api(_: Site) -> Iterator[str]:
    with Service(zyte_api) as service:
        yield service.url


@contextmanager
def _proxy(site: Site) -> Iterator[str]:
    yield site.origin.removeprefix("http://")


@contextmanager
def _nothing(_: Site) -> Iterator[str]:
    yield ""


SERVICES: dict[str, Callable[[Site], ExitStack]] = {
    "": _nothing,
    "proxy": _proxy,
    "redis": _redis,
    "zyte_api": _zyte_api,
}


def main() -> int:
    options = _options()
    rows, left_out = [], []
    for entry in ENTRIES:
        if options.name not in entry.name:
            continue
        if entry.needs and not any(map(which, entry.needs)):
            print(f"{entry.name}: left out, {' or '.join(entry.needs)} is not installed")
            left_out.append(entry)
            continue
        row = _run(entry, _python_of(entry, fresh=options.fresh))
        rows.append(row)
        print(
            f"{entry.name}: {'; '.join(row.faults) or 'ok'}", *row.warnings, sep="\n  ", flush=True
        )
    if left_out:
        print(f"{DOCS.relative_to(ROOT)} is not written: it would lose what was left out")
    elif not options.name:
        today = datetime.now(timezone.utc).date()
        DOCS.write_text(page(rows, today, platform.python_version()), "utf-8")
        print(f"{DOCS.relative_to(ROOT)} written")
    return int(any(row.faults for row in rows))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make matrix")
    parser.add_argument("-k", dest="name", default="", help="only entries with this in their name")
    parser.add_argument("--fresh", action="store_true", help="install everything anew")
    return parser.parse_args()


def _python_of(entry: Entry, *, fresh: bool) -> Path:
    """The Python of an environment with all that the entry requires."""
    folder = Path(sys.prefix).parent / f"matrix-{'-'.join(entry.requires) or 'scrapy'}"
    folder = folder.with_name(folder.name.replace("<", "-"))
    python = folder / "bin" / "python"
    if fresh or not (folder / "made").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "--quiet", "install"]
        subprocess.run([*pip, "--editable", ROOT, *entry.requires], check=True)
        (folder / "made").touch()
    return python


def _run(entry: Entry, python: Path) -> Row:
    return compare(entry, {mode: _crawled(entry, mode, python) for mode in MODES})


def _crawled(entry: Entry, mode: str, python: Path) -> Crawled:
    with ExitStack() as stack:
        site = stack.enter_context(Site(script(entry.site)))
        service = stack.enter_context(SERVICES[entry.service](site))
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="matrix-"))
        job = Job(
            entry.module,
            mode,
            entry.site or site.origin,
            folder,
            service,
            list(entry.requires),
        )
        for _ in range(entry.crawls):
            seen = _crawl(job, entry.runner, python)
        return Crawled(tuple(site.hits), seen)


def _crawl(job: Job, runner: str, python: Path) -> Seen:
    process = subprocess.run(
        [python, "-m", runner],
        input=json.dumps(asdict(job)),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    if process.returncode:
        raise SystemExit(f"{job.module}, {job.mode}:\n{process.stderr[-3000:]}")
    return Seen(**json.loads(process.stdout.splitlines()[-1]))


if __name__ == "__main__":
    sys.exit(main())
