"""The example project's crawl for training: what it drops by tag, by nofollow and by purpose."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import pytest

from scrapy_robots_policy.rep.documents import DOCUMENTS
from tests.example.example_runs import run_in_project

pytestmark = pytest.mark.slow

ASKED = ["/", "/draft", "/draft/2", "/forum", "/letter", "/news", "/offer"]
ITEMS = {"/": [], "/draft/2": [], "/forum": [], "/news": [], "/offer": ["expired"]}
CAUSES = ["1 line 2, Disallow: /private/", "1 line 3, Content-Usage: train-ai=n"]
TAGS = [
    "1 robots/tags/expired/marked",
    "1 robots/tags/nofollow/dropped",
    "1 robots/tags/noindex/dropped",
    "1 robots/tags/rel-nofollow/dropped",
    "1 robots/tags/use/dropped",
]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """What was printed, the items, and the paths asked for."""
    folder = tmp_path_factory.mktemp("site")
    items, log = folder / "items.json", folder / "log.json"
    command = ["-m", "scrapy", "crawl", "considerate", "--loglevel", "ERROR"]
    options = ["--set", f"SITE_LOG={log}", "--overwrite-output", str(items)]
    process = run_in_project(*command, *options)
    assert process.stderr == ""
    return process.stdout, json.loads(items.read_text()), json.loads(log.read_text())


def test_neither_disallowed_nor_nofollow_links_are_fetched(crawl):
    _, _, log = crawl

    assert sorted(path for _, path in log if path not in DOCUMENTS) == ASKED


def test_items_are_kept_as_their_pages_permit(crawl):
    _, items, _ = crawl

    assert {urlsplit(item["url"]).path: item.get("robots_tags", []) for item in items} == ITEMS


def test_the_end_of_the_crawl_shows_every_drop(crawl):
    printed, _, _ = crawl
    lines = [" ".join(line.split()) for line in printed.splitlines()]

    assert sorted(line for line in lines if ", " in line and line[0] == "1") == CAUSES
    assert [line for line in lines if "robots/tags/" in line] == TAGS
