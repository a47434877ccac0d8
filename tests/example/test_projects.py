"""The example project's crawls and its fleet, run as a user runs them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from scrapy import version_info

from tests.missing import NO_REDIS, NO_SCRAPY_REDIS, has_redis, has_scrapy_redis
from tests.site import Site, robots

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[2] / "example_project"


def run_in_project(*arguments, **environment):
    """Python with these arguments in the project's folder, with the package of this checkout."""
    environment = {**os.environ, "PYTHONPATH": str(PROJECT.parent), **environment}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


ALL = ["/", "/list?session=1", "/news", "/private/", "/private/press/", "/report.pdf"]
BY_THE_RULES = ["/", "/news", "/private/press/"]
# the pages that are fetched of each site, and how its robots.txt is taken
SITES = {
    "rules": (BY_THE_RULES, "rules 3 3 200"),
    "busy": ([], "disallow 0 1 503"),  # closed until it answers otherwise
    "missing": (ALL, "allow 6 0 404"),  # the body is not read
    "moved": (BY_THE_RULES, "rules 3 3 200 after 1 redirect"),
    "slow": (ALL, "rules 6 0 200"),
    "silent": ([], "disallow 0 1 timeout"),
    "garbage": (ALL, "rules 6 0 200"),  # no rule can be read in it
}


def test_the_demo_fetches_what_each_site_allows_and_its_table_says_so(tmp_path):
    path = tmp_path / "log.json"
    command = ("-m", "scrapy", "crawl", "polite", "--loglevel", "WARNING")
    process = run_in_project(*command, "--set", f"SITE_LOG={path}")
    assert (process.returncode, " ERROR: " in process.stderr) == (0, False), process.stderr
    log = [(site, page) for site, page in json.loads(path.read_text()) if page != "/robots.txt"]
    printed = re.sub(r" \d+\.\d s ", " ", " ".join(process.stdout.split()))
    for site, (pages, row) in SITES.items():
        assert sorted(page for asked, page in log if asked == site) == pages
        assert f" {row} " in printed
    assert "1 line 7, Disallow: /private/" in printed
    assert printed.endswith("0 forbidden pages fetched, 8 refused")
    assert {site for site, _ in log[-len(ALL) :]} == {"slow"}  # no other site waits for it


def test_the_example_for_training_keeps_what_pages_permit(tmp_path):
    path = tmp_path / "items.json"
    command = ("-m", "scrapy", "crawl", "considerate", "--loglevel", "ERROR")
    process = run_in_project(*command, "--overwrite-output", str(path))
    assert (process.returncode, process.stderr) == (0, "")
    items = json.loads(path.read_text())
    pages = {re.sub("https?://[^/]+", "", item["url"]): item for item in items}
    assert sorted(pages) == ["/", "/draft/2", "/forum", "/news", "/offer"]
    assert pages["/offer"]["robots_tags"] == ["expired"]


@pytest.mark.skipif(not has_redis(), reason=NO_REDIS)
@pytest.mark.skipif(not has_scrapy_redis(), reason=NO_SCRAPY_REDIS)
def test_a_fleet_fetches_each_robots_txt_once_and_keeps_one_delay():
    # scrapy-redis makes requests of a class that Scrapy 2.16 warns of.
    form = "ignore:scrapy.http.FormRequest is deprecated" if version_info[:2] == (2, 16) else ""
    for _ in range(3):
        process = run_in_project("-m", "example.fleet", PYTHONWARNINGS=form)
        if "The robots.txt store" not in process.stderr:
            break  # else the machine stood still for so long that a crawler took the Redis for lost
    assert (process.returncode, "Traceback" in process.stderr) == (0, False), process.stderr
    assert re.search(r"^sites saw +77 +12$", process.stdout, re.MULTILINE)
    assert process.stdout.endswith("nothing too early.\n")


def test_a_second_client_of_the_core_fetches_politely_without_scrapy():
    pytest.importorskip("httpx")
    rules = "User-agent: *\nDisallow: /private\nCrawl-delay: 0.2"
    with Site({"/robots.txt": robots(rules)}) as site:
        urls = [site.url(path) for path in ("/a", "/private", "/b")]
        process = run_in_project("-X", "importtime", "-m", "example.with_httpx", *urls)
        lines = process.stdout.splitlines()
        assert sorted(site.paths) == ["/a", "/b", "/robots.txt"]
        visits = sorted((hit.asked_at, hit.answered_at) for hit in site.hits)
        rests = [later[0] - earlier[1] for earlier, later in pairwise(visits)]
    assert lines[0::2] == [f"{url}: 200" for url in urls[0::2]]
    assert lines[1] == f"{urls[1]}: refused by line 2, Disallow: /private"
    assert min(rests) >= 0.19
    assert not re.search(r"\| +(scrapy|twisted)$", process.stderr, re.MULTILINE)
