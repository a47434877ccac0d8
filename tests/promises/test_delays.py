"""docs/waiting-and-delays.md: where a site asks for a delay, one request at a time goes there."""

from __future__ import annotations

from itertools import pairwise
from urllib.parse import urljoin

import pytest
import scrapy
from scrapy.exceptions import CloseSpider
from scrapy.http.request import NO_CALLBACK

from scrapy_robots_policy import compat
from tests.crawls import STEADY, Chain, Middleware, Spider
from tests.on_reactor import on_reactor
from tests.site import Answer, moved, robots

pytestmark = pytest.mark.slow  # whole crawls

DELAY = 10.0
OPEN, PACED = robots(""), robots("User-agent: *\nCrawl-delay: 10")
PAGE = Answer(after=1.0)
PAGES = [f"http://a.test/{n}" for n in range(5)]


def rests(*hits):
    """The seconds from the end of each visit to the begin of the next one."""
    inorder = sorted((hit for some in hits for hit in some), key=lambda hit: hit.began)
    return [round(later.began - earlier.ended, 3) for earlier, later in pairwise(inorder)]


def each(count, rest=DELAY):
    return [pytest.approx(rest, abs=0.1)] * count


@on_reactor
async def test_one_request_goes_at_a_time_and_the_next_one_a_delay_after_its_end(web):
    """The fetch of the robots.txt counts as a request."""
    site = web({"a.test": {"/robots.txt": PACED, "*": PAGE}})
    seen = await site.crawl(*PAGES)
    assert sorted(seen.answered) == PAGES
    assert rests(site.hits) == each(5)


SETTINGS = {
    "a shorter delay of Scrapy's": ({"DOWNLOAD_DELAY": 3, **STEADY}, DELAY),
    "AutoThrottle": ({"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.01}, DELAY),
    "the user's delay for the host": ({"ROBOTS_OVERRIDES": {"a.test": {"crawl_delay": 2}}}, 2.0),
    "no delay for the host": ({"ROBOTS_OVERRIDES": {"a.test": {"crawl_delay": 0}}}, None),
    "the longest that is kept": ({"ROBOTS_CRAWL_DELAY_MAX": 4}, 4.0),
    "none is kept": ({"ROBOTS_CRAWL_DELAY_MAX": 0}, None),
    "a dialect that reads none": ({"ROBOTS_DIALECT": "google"}, None),
    "a dialect that reads it": ({"ROBOTS_DIALECT": "bing"}, DELAY),
}


@pytest.mark.parametrize("name", SETTINGS)
@on_reactor
async def test_the_delay_is_the_users_and_the_dialects(name, web):
    settings, rest = SETTINGS[name]
    site = web({"a.test": {"/robots.txt": PACED, "*": PAGE}})
    seen = await site.crawl(*PAGES, settings=settings)
    assert sorted(seen.answered) == PAGES
    if rest is None:
        assert max(hit.began for hit in site.hits) < 1.0
    else:
        assert rests(site.visits()) == each(4, rest)


@on_reactor
async def test_a_longer_delay_of_scrapys_is_kept(web):
    site = web({"a.test": {"/robots.txt": PACED}})
    await site.crawl(*PAGES, settings={"DOWNLOAD_DELAY": 30, **STEADY})
    assert min(rests(site.visits())) >= 30.0 - 0.1


ONE_HOST = {
    "slots of its own": [
        scrapy.Request(url, meta={"download_slot": str(n)} if n % 2 else {})
        for n, url in enumerate(PAGES)
    ],
    "two schemes and a port": ["http://a.test/1", "https://a.test/2", "http://a.test:81/3"],
}


@pytest.mark.parametrize("kind", ONE_HOST)
@on_reactor
async def test_one_delay_is_kept_for_all_requests_to_a_host(kind, web):
    site = web({"a.test": {"/robots.txt": PACED}})
    seen = await site.crawl(*ONE_HOST[kind])
    assert len(seen.answered) == len(ONE_HOST[kind])
    assert min(rests(site.visits())) >= DELAY - 0.1


@on_reactor
async def test_if_a_crawl_is_several_crawlers_the_longest_delay_is_kept(web):
    text = "User-agent: slow\nCrawl-delay: 10\nUser-agent: quick\nCrawl-delay: 1"
    site = web({"a.test": {"/robots.txt": robots(text)}})
    agents = ["slow", "quick", "slow", "quick", "quick"]
    meta = [{"robots": {"agent": agent}} for agent in agents]
    await site.crawl(*(scrapy.Request(u, meta=m) for u, m in zip(PAGES, meta, strict=True)))
    assert min(rests(site.visits())) >= DELAY - 0.1


class UntilDone(Spider):
    """Closes when so many pages of b.test have come."""

    wanted = 0

    def parse(self, response):
        super().parse(response)
        self.wanted -= "//b.test" in response.url
        if not self.wanted:
            raise CloseSpider("all are here")


@on_reactor
async def test_other_hosts_do_not_wait(web):
    site = web({"a.test": {"/robots.txt": PACED}, "b.test": {"/robots.txt": OPEN}})
    urls = [*PAGES, *(f"http://b.test/{n}" for n in range(20))]
    settings = {"CONCURRENT_REQUESTS": 1}
    seen = await site.crawl(*urls, spider=UntilDone, wanted=20, settings=settings)
    assert seen.stats["finish_reason"] == "all are here"
    assert site.now < DELAY


@on_reactor
async def test_hundreds_of_hosts_with_a_delay_do_not_delay_those_without(web):
    slow = {f"slow{n}.test": {"/robots.txt": PACED} for n in range(200)}
    site = web({**slow, "b.test": {"/robots.txt": OPEN, "*": PAGE}})
    urls = [f"http://{host}/{n}" for n in range(2) for host in slow]
    urls += [f"http://b.test/{n}" for n in range(20)]
    await site.crawl(*urls)
    assert max(hit.ended for hit in site.visits("b.test")) < DELAY


@on_reactor
async def test_a_redirect_joins_the_queue_of_its_target_host(web):
    to_a = {f"/{n}": moved(f"http://a.test/from{n}") for n in range(3)}
    site = web({"b.test": {"/robots.txt": OPEN, **to_a}, "a.test": {"/robots.txt": PACED}})
    await site.crawl(*(f"http://b.test/{n}" for n in range(3)), *PAGES[:2])
    assert len(site.visits("a.test")) == 5
    assert rests(site.of("a.test")) == each(5)


@on_reactor
async def test_a_delay_is_kept_where_the_robots_txt_of_many_sites_lead_to_one_host(web):
    leading = {f"{n}.test": {"/robots.txt": moved("http://a.test/all.txt")} for n in range(3)}
    site = web({**leading, "a.test": {"/robots.txt": PACED}})
    settings = {"ROBOTS_OVERRIDES": {"a.test": {"crawl_delay": 10}}}
    await site.crawl(*(f"http://{host}/" for host in leading), settings=settings)
    assert len(site.of("a.test")) >= 3
    assert min(rests(site.of("a.test"))) >= DELAY - 0.1


CHANGES = {
    "a longer one": (robots("User-agent: *\nCrawl-delay: 30"), 30.0),
    "a shorter one": (robots("User-agent: *\nCrawl-delay: 2"), 2.0),
    "none": (OPEN, 0.0),
}


@pytest.mark.parametrize("kind", CHANGES)
@on_reactor
async def test_another_delay_of_a_renewed_file_holds_for_those_that_wait_already(kind, web):
    new, rest = CHANGES[kind]
    old = robots("User-agent: *\nCrawl-delay: 10", headers={"Cache-Control": "max-age=30"})
    site = web({"a.test": {"/robots.txt": [old, new], "*": PAGE}})
    seen = await site.crawl(*(f"http://a.test/{n}" for n in range(12)))
    assert len(seen.answered) == 12
    renewed_at = site.fetches()[1].ended
    # The first one after it may have had its turn already.
    later = [hit for hit in site.visits() if hit.began >= renewed_at][1:6]
    if rest:
        assert min(rests(later)) >= rest - 0.1
    assert later[-1].ended - later[0].began < (rest + 1.5) * 5


@on_reactor
async def test_a_delay_is_kept_for_pages_that_wait_when_a_site_first_asks_for_it(web):
    old = robots("", headers={"Cache-Control": "max-age=20"})
    site = web({"a.test": {"/robots.txt": [old, PACED], "*": Answer(after=8.0)}})
    urls = (f"http://a.test/{n}" for n in range(20))
    await site.crawl(*urls, settings={"CONCURRENT_REQUESTS": 1})
    renewed_at = site.fetches()[1].ended
    later = [hit for hit in site.visits() if hit.began > renewed_at]
    assert len(later) >= 3
    assert rests(later[1:]) == each(len(later) - 2)


@on_reactor
async def test_what_waited_is_judged_by_the_rules_of_the_moment_when_it_goes(web):
    closed = robots("User-agent: *\nCrawl-delay: 10\nDisallow: /")
    site = web({"a.test": {"/robots.txt": [PACED, closed]}})
    seen = await site.crawl(*(f"http://a.test/{n}" for n in range(40)), settings={"ROBOTS_TTL": 60})
    assert len(seen.answered) + len(seen.dropped) == 40
    forbidden_at = site.fetches()[1].ended
    assert [hit.url for hit in site.visits() if hit.began > forbidden_at] == []
    assert site.now < 200.0  # those that are refused wait for no turn


class Cache:
    """A downloader middleware that has the pages already."""

    def process_request(self, request, spider=None):
        if "/robots.txt" in request.url:
            return None
        return scrapy.http.Response(request.url)


@on_reactor
async def test_a_page_from_a_cache_costs_no_delay(web):
    site = web({"a.test": {"/robots.txt": PACED}})
    settings = {"DOWNLOADER_MIDDLEWARES": {Cache: 900}}
    seen = await site.crawl(*PAGES, settings=settings)
    assert len(seen.answered) == 5
    assert site.now <= DELAY + 1


class FetchesToken(Middleware):
    """Fetches another page of the site before each page."""

    async def process_request(self, request, spider=None):
        if request.callback is not NO_CALLBACK:
            token = scrapy.Request(urljoin(request.url, "/token"), NO_CALLBACK)
            await compat.download(self.crawler, token)


@on_reactor
async def test_a_middleware_that_fetches_from_the_site_before_a_page_stops_no_crawl(web, caplog):
    """The token waits for the turn that the page keeps: after a minute the next request gets it."""
    site = web({"a.test": {"/robots.txt": PACED}})
    settings = {"DOWNLOADER_MIDDLEWARES": {FetchesToken: 300}}
    seen = await site.crawl(*PAGES[:3], settings=settings)
    assert sorted(seen.answered) == PAGES[:3]
    assert site.pages.count("http://a.test/token") == 3
    assert [PAGES[0][:-1] in line for line in caplog.messages if "60 s" in line] == [True]


class LogsIn(Middleware):
    """Fetches another page of the site where a page was refused."""

    async def process_response(self, request, response, spider=None):
        if response.status != 401:
            return response
        login = scrapy.Request(response.urljoin("/login"), NO_CALLBACK)
        await compat.download(self.crawler, login)
        return request.replace(dont_filter=True)


@pytest.mark.parametrize("order", [50, 300], ids=["before ours", "after ours"])
@on_reactor
async def test_a_visit_is_over_when_its_transfer_is_whatever_a_middleware_does_then(order, web):
    pages = {"/0": [Answer(status=401), Answer()]}
    site = web({"a.test": {"/robots.txt": PACED, **pages}})
    seen = await site.crawl(*PAGES[:3], settings={"DOWNLOADER_MIDDLEWARES": {LogsIn: order}})
    assert sorted(seen.answered) == PAGES[:3]
    assert rests(site.hits) == each(5)


@on_reactor
async def test_a_page_waits_for_the_delay_after_a_robots_txt_that_is_fetched_anew(web):
    site = web({"a.test": {"/robots.txt": robots(PACED.body.decode(), after=3.0)}})
    seen = await site.crawl(PAGES[0], spider=Chain, ahead=PAGES[1:], settings={"ROBOTS_TTL": 15})
    assert len(seen.answered) == 5
    assert len(site.fetches()) >= 2
    assert min(rests(site.hits)) >= DELAY - 0.1


@on_reactor
async def test_the_delays_of_years_neither_stop_a_crawl_nor_fail(web):
    site = web({"a.test": {"/robots.txt": robots("User-agent: *\nCrawl-delay: 1e300")}})
    seen = await site.crawl(*PAGES[:3])
    assert rests(site.hits) == each(3, 300.0)
    assert len(seen.answered) == 3
