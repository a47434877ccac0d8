"""What must be true of crawls that share one SQLite store: one after the other, killed, at once."""

from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.crawls import OURS, Plan, crawl_apart, crawl_killed
from tests.site import Answer, Site, moved, robots

pytestmark = pytest.mark.slow

SECRET = "User-agent: *\nDisallow: /secret\n"


@pytest.fixture
def settings(tmp_path):
    return {**OURS, "ROBOTS_STORE": f"sqlite:{tmp_path / 'robots.sqlite'}"}


def kept(settings):
    """The origins in the file, once it has been found whole."""
    with closing(sqlite3.connect(settings["ROBOTS_STORE"].removeprefix("sqlite:"))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {origin for (origin,) in connection.execute("SELECT origin FROM records")}


def test_a_second_crawl_fetches_no_robots_txt_while_they_are_fresh(settings):
    missing = Site({"/robots.txt": Answer(status=404)}, "127.0.0.2")
    with missing, Site({"/robots.txt": robots(SECRET)}) as site:
        urls = [site.url("/a"), site.url("/secret"), missing.url("/b")]
        crawl_apart(Plan(urls, settings))
        second = crawl_apart(Plan(urls, settings))
        assert site.paths == ["/robots.txt", "/a", "/a"]
        assert missing.paths == ["/robots.txt", "/b", "/b"]
        assert second.stats.pop("robots/age/max") < 3600
        assert second.robots_stats == {
            "robotstxt/forbidden": 1,
            "robots/dropped/rule": 1,
            "robots/passed": 2,
            "robots/stance/allow": 1,
            "robots/stance/rules": 1,
            "robots/store/hit": 2,
        }


def test_another_dialect_reads_the_entries_of_the_first(settings):
    with Site({"/robots.txt": robots("User-agent: *\nDisallow: /a\nAllow: /a/b\n")}) as site:
        for dialect, pages in (("google", ["/a/b"]), ("koster1996", ["/a/b"])):
            crawl_apart(Plan([site.url("/a/b")], {**settings, "ROBOTS_DIALECT": dialect}))
            assert site.pages == pages
        assert site.count("/robots.txt") == 1


def test_an_entry_of_a_dialect_that_follows_fewer_redirects_is_fetched_again(settings):
    script = {f"/{n}": moved(f"/{n + 1}") for n in range(1, 6)}
    with Site({"/robots.txt": moved("/1"), "/6": robots(SECRET), **script}) as site:
        for dialect, fetched in (("google", 1), ("koster1996", 1), ("google", 2)):
            crawl_apart(Plan([site.url("/secret")], {**settings, "ROBOTS_DIALECT": dialect}))
            assert site.count("/secret") == fetched
        assert site.count("/robots.txt") == 2


def test_a_store_on_a_disk_that_is_full_or_read_only_is_read(settings, tmp_path):
    with Site({"/robots.txt": robots(SECRET)}) as site:
        urls = [site.url("/a"), site.url("/secret")]
        crawl_apart(Plan(urls, settings))
        (tmp_path / "robots.sqlite-shm").symlink_to("none/such")  # SQLite cannot make it
        crawl_apart(Plan(urls, settings))
        assert site.paths == ["/robots.txt", "/a", "/a"]


def test_a_crawl_killed_in_the_middle_leaves_a_store_that_is_whole(settings):
    reached = threading.Event()

    def stuck(_):
        reached.set()
        return Answer(after=None)

    with Site({"/robots.txt": robots(SECRET), "/stuck": stuck}) as site:
        plan = Plan([site.url("/stuck"), site.url("/secret")], settings)
        crawl_killed(plan, reached)
        assert kept(settings) == {site.origin}
        crawl_apart(Plan([site.url("/a"), site.url("/secret")], settings))
        assert site.count("/robots.txt") == 1
        assert site.pages == ["/a", "/stuck"]


def test_ten_crawls_at_once_share_a_store_without_a_lock_error(settings):
    sites = [Site({"/robots.txt": robots(SECRET)}, f"127.0.0.{n}") for n in range(1, 11)]
    try:
        urls = [site.url(path) for site in sites for path in ("/a", "/secret")]
        plans = [Plan(urls[2 * n :] + urls[: 2 * n], settings) for n in range(10)]
        with ThreadPoolExecutor(10) as threads:
            seen = list(threads.map(crawl_apart, plans))
        assert [len(crawl.answered) for crawl in seen] == [10] * 10
        assert [crawl.stats["robots/dropped/rule"] for crawl in seen] == [10] * 10
        assert not [crawl for crawl in seen if "robots/store/failed" in crawl.stats]
        assert kept(settings) == {site.origin for site in sites}
    finally:
        for site in sites:
            site.close()
