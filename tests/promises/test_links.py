"""docs/waiting-and-delays.md: a link that is forbidden takes no place in the scheduler."""

from __future__ import annotations

import json
from types import MappingProxyType

import pytest
import scrapy

from scrapy_robots_policy import compat
from tests.crawls import Spider
from tests.on_reactor import on_reactor
from tests.site import Answer, robots

pytestmark = pytest.mark.slow  # whole crawls

RULES = robots("User-agent: *\nDisallow: /no")
FIRST = "http://a.test/first"


class Follows(Spider):
    """Follows `links` from its first page."""

    links: tuple[str, ...] = ()
    meta = MappingProxyType[str, object]({})
    is_heard = True
    unfiltered = False

    async def parse(self, response):
        super().parse(response)
        if response.url != FIRST:
            return
        for url in self.links:
            yield scrapy.Request(
                url,
                self.parse,
                errback=self.fail if self.is_heard else None,
                meta=dict(self.meta),
                dont_filter=self.unfiltered,
            )

    def fail(self, failure):
        super().fail(failure)
        yield {"refused": failure.request.url}
        yield scrapy.Request("http://b.test/instead", self.parse)


@on_reactor
async def test_a_hundred_thousand_forbidden_links_leave_the_scheduler_empty(web):
    site = web({"a.test": {"/robots.txt": RULES}})
    links = tuple(f"http://a.test/no/{n}" for n in range(100_000))
    seen = await site.crawl(FIRST, spider=Follows, links=links, is_heard=False)
    assert seen.stats["robots/refused/rule"] == seen.stats["robotstxt/forbidden"] == 100_000
    assert seen.stats["scheduler/enqueued"] == 1
    assert site.pages == [FIRST]


@on_reactor
async def test_its_errback_is_called_and_what_comes_of_that_goes_on(web):
    site = web({"a.test": {"/robots.txt": RULES}})
    links = tuple(f"http://a.test/no/{n}" for n in range(100))
    seen = await site.crawl(FIRST, spider=Follows, links=links)
    assert sorted(seen.dropped) == sorted(links)
    assert seen.stats["item_scraped_count"] == 100
    assert site.pages == [FIRST, "http://b.test/instead"]


@on_reactor
async def test_a_refused_link_is_recorded_and_reported_as_any_refusal(tmp_path, web):
    site = web({"a.test": {"/robots.txt": RULES}})
    files = {"ROBOTS_AUDIT": tmp_path / "a.jsonl", "ROBOTS_REPORT": tmp_path / "r.json"}
    settings = {name: str(path) for name, path in files.items()}
    await site.crawl(FIRST, spider=Follows, links=("http://a.test/no/1",), settings=settings)
    lines = map(json.loads, (tmp_path / "a.jsonl").read_text().splitlines())
    [refused] = [line for line in lines if line.get("verdict") == "refused"]
    assert (refused["url"], refused["reason"]) == ("http://a.test/no/1", "rule")
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["refused"] == 1


LINKS = {
    "the same link is counted once": ({}, 1),
    "unless it asks not to be filtered": ({"unfiltered": True}, 3),
    "what is exempt goes": ({"meta": {"dont_obey_robotstxt": True}}, 0),
    "in a dry run it goes": ({"settings": {"ROBOTS_DRY_RUN": True}}, 0),
    "and where no robots.txt is obeyed": ({"settings": {"ROBOTSTXT_OBEY": False}}, 0),
}


@pytest.mark.parametrize("name", LINKS)
@on_reactor
async def test_which_links_are_refused(name, web):
    options, count = LINKS[name]
    site = web({"a.test": {"/robots.txt": RULES}})
    links = ("http://a.test/no",) * 3
    seen = await site.crawl(FIRST, spider=Follows, links=links, **options)
    assert seen.stats.get("item_scraped_count", 0) == count
    assert ("http://a.test/no" in site.pages) is not bool(count)


@on_reactor
async def test_what_is_not_known_yet_is_decided_as_it_goes(web):
    site = web({"a.test": {"/robots.txt": RULES}, "b.test": {"/robots.txt": RULES}})
    stale = robots("User-agent: *\nDisallow: /no", headers={"Cache-Control": "max-age=60"})
    late = {"/robots.txt": stale, "/first": Answer(after=100.0)}
    links = ("http://b.test/no", "http://a.test/no")
    for script in ({"/robots.txt": RULES}, late):
        site.hosts["a.test"] = script
        seen = await site.crawl(FIRST, spider=Follows, links=links)
        assert sorted(seen.dropped) == sorted(links)


class Starts(Spider):
    """Asks for forbidden pages at its start, when the first page has come."""

    async def start(self):
        yield scrapy.Request(FIRST, self.parse)
        while not self.seen.answered:
            await compat.sleep(1)
        for n in range(9):
            yield scrapy.Request(f"http://a.test/no/{n}", self.parse, errback=self.fail)


@on_reactor
async def test_start_requests_are_refused_likewise(web):
    site = web({"a.test": {"/robots.txt": RULES}})
    seen = await site.crawl(spider=Starts)
    assert (len(seen.dropped), seen.stats["scheduler/enqueued"]) == (9, 1)
