"""docs/waiting-and-delays.md: a link that is forbidden takes no place in the scheduler."""

from __future__ import annotations

import gc
import json

import pytest
import scrapy

from scrapy_robots_policy import compat
from tests.crawls import Spider, middleware_of
from tests.on_reactor import on_reactor
from tests.site import Answer, moved, robots

pytestmark = pytest.mark.slow  # whole crawls

RULES = robots("User-agent: *\nDisallow: /no\nDisallow: /*?session")
FIRST = "http://a.test/first"


class Follows(Spider):
    """Follows `links` from its first page, each with an errback if `is_heard`."""

    links: tuple[str | scrapy.Request, ...] = ()
    is_heard = True

    async def parse(self, response):
        super().parse(response)
        if response.url != FIRST:
            return
        for link in self.links:
            request = scrapy.Request(link) if isinstance(link, str) else link
            errback = self.fail if self.is_heard else None
            yield request.replace(callback=self.parse, errback=errback)

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
async def test_who_waits_to_hear_of_a_link_hears_of_each_in_turn(web):
    site = web({"a.test": {"/robots.txt": RULES}})
    links = tuple(f"http://a.test/no/{n}" for n in range(100))
    seen = await site.crawl(FIRST, spider=Follows, links=links)
    assert sorted(seen.dropped) == sorted(links)
    assert seen.stats["item_scraped_count"] == 100
    assert seen.stats["scheduler/enqueued"] == seen.stats["scheduler/dequeued"] == 102
    assert site.pages == [FIRST, "http://b.test/instead"]


@on_reactor
async def test_each_request_for_a_forbidden_url_is_heard_of(web):
    site = web({"a.test": {"/robots.txt": RULES}})
    posts = [scrapy.Request("http://a.test/no", method="POST", body=body) for body in ("a", "b")]
    seen = await site.crawl(FIRST, spider=Follows, links=("http://a.test/no", *posts))
    assert seen.stats["item_scraped_count"] == seen.stats["robots/refused/rule"] == 3


@on_reactor
async def test_a_refused_request_has_its_depth_and_its_referer(web):
    site = web({"a.test": {"/robots.txt": RULES}})
    refused = []

    class Notes(Follows):
        def fail(self, failure):
            refused.append(failure.request)

    await site.crawl(FIRST, spider=Notes, links=("http://a.test/no",))
    assert [(one.meta["depth"], one.headers[b"Referer"]) for one in refused] == [
        (1, FIRST.encode())
    ]


class Mends:
    """A spider middleware of the user's: it takes sessions out, and has a page exempt."""

    def process_spider_output(self, response, result):
        return (self.mended(one) for one in result)

    async def process_spider_output_async(self, response, result):
        async for one in result:
            yield self.mended(one)

    def mended(self, request):
        if "session" in request.url:
            return request.replace(url=request.url.partition("?")[0])
        request.meta["dont_obey_robotstxt"] = True
        return request


class Renames:
    """A downloader middleware before ours: the page is fetched in another one's name."""

    def process_request(self, request, spider=None):
        request.headers["User-Agent"] = "OtherBot"


@on_reactor
async def test_a_link_is_refused_as_it_is_when_all_spider_middlewares_have_seen_it(web):
    site = web({"a.test": {"/robots.txt": RULES}})
    links = ("http://a.test/page?session=1", "http://a.test/no")
    settings = {"SPIDER_MIDDLEWARES": {Mends: 543}}
    await site.crawl(FIRST, spider=Follows, links=links, is_heard=False, settings=settings)
    assert sorted(site.pages) == [FIRST, "http://a.test/no", "http://a.test/page"]


@on_reactor
async def test_a_middleware_before_ours_may_change_what_is_judged(web):
    rules = robots("User-agent: *\nDisallow: /no\n\nUser-agent: OtherBot\nDisallow:")
    site = web({"a.test": {"/robots.txt": rules}})
    settings = {"DOWNLOADER_MIDDLEWARES": {Renames: 90}}
    links = ("http://a.test/no",)
    await site.crawl(FIRST, spider=Follows, links=links, is_heard=False, settings=settings)
    assert site.pages == [FIRST, "http://a.test/no"]


@on_reactor
async def test_what_scrapy_drops_for_its_length_is_not_judged(web):
    site = web({"a.test": {"/robots.txt": RULES}})
    links = ("http://a.test/no/" + "x" * 3_000,)
    seen = await site.crawl(FIRST, spider=Follows, links=links, is_heard=False)
    assert seen.stats["urllength/request_ignored_count"] == 1
    assert "robots/refused/rule" not in seen.stats


@on_reactor
async def test_a_redirect_to_a_forbidden_page_is_refused_once(web):
    site = web({"a.test": {"/robots.txt": RULES, "/to-no": moved("http://a.test/no")}})
    links = ("http://a.test/to-no",)
    seen = await site.crawl(FIRST, spider=Follows, links=links, is_heard=False)
    assert site.pages == [FIRST, "http://a.test/to-no"]
    assert seen.stats["robots/refused/rule"] == 1


@on_reactor
async def test_a_refused_link_is_recorded_and_reported_as_any_refusal(tmp_path, web):
    site = web({"a.test": {"/robots.txt": RULES}})
    files = {"ROBOTS_AUDIT": tmp_path / "a.jsonl", "ROBOTS_REPORT": tmp_path / "r.json"}
    settings = {name: str(path) for name, path in files.items()}
    links = ("http://a.test/no/1",)
    await site.crawl(FIRST, spider=Follows, links=links, is_heard=False, settings=settings)
    lines = map(json.loads, (tmp_path / "a.jsonl").read_text().splitlines())
    [refused] = [line for line in lines if line.get("verdict") == "refused"]
    assert (refused["url"], refused["reason"]) == ("http://a.test/no/1", "rule")
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["refused"] == 1


LINKS = {
    "the same link is counted once": ({}, {}, 1),
    "unless it asks not to be filtered": ({"dont_filter": True}, {}, 3),
    "what is exempt goes": ({"meta": {"dont_obey_robotstxt": True}}, {}, 0),
    "in a dry run it goes": ({}, {"ROBOTS_DRY_RUN": True}, 0),
    "and where no robots.txt is obeyed": ({}, {"ROBOTSTXT_OBEY": False}, 0),
    "or the middleware is off": (
        {},
        {"DOWNLOADER_MIDDLEWARES": {"scrapy_robots_policy.RobotsPolicyMiddleware": None}},
        0,
    ),
}


@pytest.mark.parametrize("is_heard", [False, True])
@pytest.mark.parametrize("name", LINKS)
@on_reactor
async def test_which_links_are_refused(name, is_heard, web):
    options, settings, count = LINKS[name]
    site = web({"a.test": {"/robots.txt": RULES}})
    links = (scrapy.Request("http://a.test/no", **options),) * 3
    seen = await site.crawl(
        FIRST, spider=Follows, links=links, is_heard=is_heard, settings=settings
    )
    assert seen.stats.get("robots/refused/rule", 0) == count
    assert seen.stats.get("item_scraped_count", 0) == count * is_heard
    assert ("http://a.test/no" in site.pages) is not bool(count)
    assert (seen.stats["scheduler/enqueued"] == 1) is (count > 0 and not is_heard)


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


@on_reactor
async def test_rules_that_take_long_to_compare_decide_in_turn(web):
    slow = robots("User-agent: *\n" + "".join(f"Disallow: /*/x{n}*/y\n" for n in range(300)))
    site = web({"a.test": {"/robots.txt": slow}})
    links = tuple(f"http://a.test/a/x{n}/y" for n in range(50))
    seen = await site.crawl(FIRST, spider=Follows, links=links, is_heard=False)
    assert seen.stats["robots/refused/rule"] == 50
    assert seen.stats["scheduler/enqueued"] == 51


class Starts(Spider):
    """Asks for forbidden pages when the first page has come, and for one of them as a link."""

    async def start(self):
        yield scrapy.Request(FIRST, self.parse)
        while not self.seen.answered:
            await compat.sleep(1)
        for n in range(9):
            yield scrapy.Request(f"http://a.test/no/{n}", self.parse)

    def parse(self, response):
        super().parse(response)
        yield scrapy.Request("http://a.test/no/1", self.parse)


@on_reactor
async def test_start_requests_are_refused_likewise(web):
    site = web({"a.test": {"/robots.txt": RULES}})
    seen = await site.crawl(spider=Starts)
    assert seen.stats["robots/refused/rule"] == 9
    assert seen.stats["scheduler/enqueued"] == 1


@on_reactor
async def test_a_link_that_is_dropped_as_a_duplicate_is_not_kept(web):
    site = web({"a.test": {"/robots.txt": robots("")}})
    kept = []

    class Links(Spider):
        def parse(self, response):
            super().parse(response)
            for _ in range(100 if response.url.endswith("/0") else 0):
                yield scrapy.Request("http://a.test/1", self.parse)

        def closed(self, reason):
            gc.collect()
            kept.extend(middleware_of(self.crawler).driver.judged)

    await site.crawl("http://a.test/0", spider=Links)
    assert site.pages == ["http://a.test/0", "http://a.test/1"]
    assert kept == []
