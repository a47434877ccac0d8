"""docs/when-things-fail.md gives the figures of the code; `kill -9` loses no more than it says."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from scrapy_robots_policy.fetch import fetch_gate, order, unpacking
from scrapy_robots_policy.rep.escapes import MAX_BRIEF
from scrapy_robots_policy.resolver import sources
from scrapy_robots_policy.stores import MAX_SKEW, guarded
from tests.crawls import OURS, Plan, crawl_apart, crawl_killed
from tests.site import PAGE, Site, robots

TEXT = " ".join(
    (Path(__file__).parents[2] / "docs" / "when-things-fail.md").read_text("utf-8").split()
)
FIGURES = (
    f"After {fetch_gate.YOUNG:g} s without an answer a fetch",
    f"sockets ({fetch_gate.MAX_SOCKETS:,}), or {fetch_gate.FILES_LEFT} fewer",
    f"more than {unpacking.MAX_ENCODINGS} encodings or {unpacking.MAX_MEMBERS} gzip members",
    f"{order.MAX_OCTETS // 1024**2} MiB at most",
    f"cut at {MAX_BRIEF} characters",
    f"waiting requests, {sources.MAX_VARIANTS} in all",
    f"more than {MAX_SKEW:g} s in the future",
    f"within {guarded.ANSWER_WITHIN + guarded.CLOSE_WITHIN:g} s all the same",
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


MOST = 20  # requests that may wait


def lost_by_a_kill(folder, settings, silent):
    """How many of 100 pages are not asked for when a crawl goes on that was killed while their host
    did not answer `silent`.
    """
    reached = threading.Event()

    def now(_headers):
        until_quiet(folder)  # Scrapy cannot read a queue again whose last line is half written
        reached.set()
        return PAGE

    unanswered = robots("", after=None)
    with Site(dict.fromkeys(silent, unanswered)) as dead, Site({}, "127.0.0.2") as other:
        other.script |= {"/robots.txt": robots(""), "/now": now}
        urls = [dead.url(f"/{n}") for n in range(100)]
        urls.insert(2, other.url("/now"))
        settings = {**settings, "JOBDIR": str(folder), "CONCURRENT_REQUESTS": 4}
        crawl_killed(Plan(urls, settings), reached)
        assert {hit.path for hit in dead.hits} <= set(silent)
        dead.script.update(dict.fromkeys(silent, robots("")))
        before = len(dead.hits)
        crawl_apart(Plan(urls, settings))
        return 100 - len({hit.path for hit in dead.hits[before:]} - {"/robots.txt"})


@pytest.mark.slow
def test_a_crawl_that_is_killed_loses_no_more_than_scrapy_loses_and_what_waited(tmp_path):
    ours = {**OURS, "ROBOTS_MAX_WAITING": MOST, "ROBOTS_FETCH_TIMEOUT": 300}
    lost = lost_by_a_kill(tmp_path / "ours", ours, ["/robots.txt"])
    # From 2.14 to 2.18 Scrapy itself may lose its whole queue: what is in it stands in the list of
    # URLs that were seen at once, in the queue's own list at a clean end only.
    pages = [f"/{n}" for n in range(100)]
    lost_by_scrapy = lost_by_a_kill(tmp_path / "off", {"ROBOTSTXT_OBEY": False}, pages)
    assert lost <= lost_by_scrapy + 2 * MOST, (lost, lost_by_scrapy)
