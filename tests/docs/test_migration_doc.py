"""What docs/migration.md says is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import scrapy
from twisted.python.failure import Failure

from scrapy_robots_policy.fetch.causes import MAX_KEPT
from scrapy_robots_policy.fetch.fetcher import MISUNDERSTOOD
from tests.crawls import Spider, crawl
from tests.on_reactor import on_reactor

PAGE = Path(__file__).parents[2] / "docs" / "migration.md"
TEXT = PAGE.read_text("utf-8")
SETTINGS, ERRBACK = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.slow
@on_reactor
async def test_its_errback_finds_the_network_error_of_a_dead_host(caplog):
    caplog.set_level("INFO")
    names: dict[str, object] = {}
    exec(ERRBACK, names)
    settings: dict[str, object] = {}
    exec(SETTINGS, settings)

    class Crawling(Spider):
        def fail(self, failure: Failure) -> None:
            names["MySpider"].on_error(self, failure)

    request = scrapy.Request("http://no-such-host.invalid/")
    await crawl(
        request, spider=Crawling, settings={"ADDONS": settings["ADDONS"], "ROBOTS_FETCH_RETRIES": 0}
    )
    (line,) = [r.getMessage() for r in caplog.records if r.name == "test"]
    assert line.startswith(request.url)
    assert "Disallowed" not in line
    assert "lookup" in line.lower() or "resolve" in line.lower()


def test_its_numbers_are_those_of_the_code():
    assert f"{MAX_KEPT:,} other sites" in TEXT
    *first, last = map(str, sorted(MISUNDERSTOOD))
    assert f"a {', '.join(first)} or {last} for robots.txt" in TEXT


def test_its_links_have_targets():
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", TEXT)
    assert [path for path in linked if not (PAGE.parent / path).exists()] == []
