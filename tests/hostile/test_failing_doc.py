"""docs/when-things-fail.md gives the figures of the code; `kill -9` loses no more than it says."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from scrapy_robots_policy.fetch import order, unpacking
from scrapy_robots_policy.rep.escapes import MAX_BRIEF
from scrapy_robots_policy.resolver import fetch_gate, resolver
from scrapy_robots_policy.stores import guarded
from tests.crawls import OURS, Plan, crawl_apart, crawl_killed
from tests.site import PAGE, Site, robots

TEXT = " ".join(
    (Path(__file__).parents[2] / "docs" / "when-things-fail.md").read_text("utf-8").split()
)
FIGURES = (
    f"After {fetch_gate.YOUNG:g} s its fetch",
    f"more than {unpacking.MAX_ENCODINGS} encodings or {unpacking.MAX_MEMBERS} gzip members",
    f"{order.MAX_OCTETS // 1024**2} MiB at most",
    f"cut at {MAX_BRIEF} characters",
    f"waiting requests, {resolver.MAX_VARIANTS} in all",
    f"more than {resolver.MAX_SKEW:g} s in the future",
    f"within {guarded.CLOSE_WITHIN:g} s all the same",
)


@pytest.mark.parametrize("figure", FIGURES)
def test_the_page_gives_the_figures_of_the_code(figure):
    assert figure in TEXT


def until_quiet(folder):
    """Wait until the files of a folder have not grown for half a second."""
    deadline, quiet, before = time.monotonic() + 20, 0, None
    while quiet < 10 and time.monotonic() < deadline:
        sizes = {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
        quiet, before = (quiet + 1 if sizes == before else 0), sizes
        time.sleep(0.05)


@pytest.mark.slow
def test_a_crawl_that_is_killed_loses_no_more_than_what_waited(tmp_path):
    reached, most = threading.Event(), 20

    def now(_headers):
        until_quiet(tmp_path)  # Scrapy cannot read a queue again whose last line is half written
        reached.set()
        return PAGE

    with Site({"/robots.txt": robots("", after=None)}) as dead, Site({}, "127.0.0.2") as other:
        other.script |= {"/robots.txt": robots(""), "/now": now}
        urls = [dead.url(f"/{n}") for n in range(100)]
        urls.insert(15, other.url("/now"))
        settings = {**OURS, "JOBDIR": str(tmp_path), "ROBOTS_MAX_WAITING": most}
        settings |= {"CONCURRENT_REQUESTS": 4, "ROBOTS_FETCH_TIMEOUT": 300}
        crawl_killed(Plan(urls, settings), reached)
        assert dead.pages == []
        dead.script["/robots.txt"] = robots("")
        crawl_apart(Plan(urls, settings))
    # Scrapy itself may fetch a page again whose URL it had not yet written down as seen.
    assert len(set(dead.pages)) >= 100 - 2 * most - 4
