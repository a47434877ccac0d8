"""What must be true of a page from another URL than that of its request.

A browser, or a service that fetches pages, follows redirects by itself. Scrapy sees the last page.
"""

from __future__ import annotations

import json
from typing import ClassVar

import pytest
from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.utils.test import get_crawler

from scrapy_robots_policy import Disallowed, RobotsPolicyMiddleware, compat
from scrapy_robots_policy.admission.decider import VERDICT_KEY
from scrapy_robots_policy.config.components import has_plugins
from tests.admission.test_crawl_delays import store_stale_copy
from tests.crawls import Chain, Spider, crawl, middleware_of, waiting_in
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, robots

SECRET = "User-agent: *\nDisallow: /secret\n"


class Browser:
    """A downloader middleware that stands for a browser. `targets`: where a URL leads to, with an
    answer of these `statuses`.
    """

    targets: ClassVar[dict[str, str]] = {}
    statuses: ClassVar[set[int]] = {200}

    def process_response(self, request, response, spider=None):
        if response.status not in self.statuses:
            return response
        return response.replace(url=self.targets.get(request.url, response.url))


def browser_with(targets, statuses=frozenset({200})):
    of_browser = {"targets": targets, "statuses": statuses}
    return {"DOWNLOADER_MIDDLEWARES": {type("TheBrowser", (Browser,), of_browser): 900}}


@pytest.mark.slow
@on_reactor
async def test_a_page_behind_a_redirect_that_its_site_forbids_does_not_reach_the_spider():
    with Site({"/robots.txt": robots(SECRET)}) as site:
        settings = browser_with({site.url("/a"): site.url("/secret")})
        seen, crawler = await crawl(site.url("/a"), site.url("/b"), settings=settings)
        assert seen.answered == [site.url("/b")]
        (error,) = crawler.spider.errors
        assert isinstance(error, Disallowed)
        assert (error.verdict.line, error.url) == (2, site.url("/secret"))
        assert seen.stats["robots/dropped/rule"] == 1
        assert site.paths.count("/robots.txt") == 1


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["", "User-agent: *\nDisallow: /\n"])
@on_reactor
async def test_the_robots_txt_of_the_site_decides_from_which_the_page_came(rules):
    with Site({"/robots.txt": robots("")}) as site, Site({}, "127.0.0.2") as other:
        other.script["/robots.txt"] = robots(rules)
        url, target = site.url("/a"), other.url("/b")
        seen, _ = await crawl(url, settings=browser_with({url: target}))
        assert seen.answered == ([] if rules else [target])
        assert list(seen.dropped) == ([url] if rules else [])
        assert other.paths == ["/robots.txt"]


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/b", "/secret"])
@pytest.mark.parametrize("known_by", ["nobody", "the crawl", "the store"])
@on_reactor
async def test_a_visit_of_a_browser_counts_for_the_delay_of_the_site_from_which_the_page_came(
    known_by, path, tmp_path
):
    script = {"/robots.txt": robots(f"{SECRET}Crawl-delay: 0.5\n")}
    with Site({}) as site, Site(script, "127.0.0.2") as other:
        settings = browser_with({site.url("/a"): other.url(path)})
        if known_by == "the store":
            settings |= await store_stale_copy(tmp_path / "robots.sqlite", other, hours=12)
        before = [other.url("/first")] if known_by == "the crawl" else []
        browsed_at = []

        class Following(Chain):
            def next(self):
                if self.ahead and self.ahead[0] == other.url("/next"):
                    browsed_at.append(site.hits[-1].answered_at)
                return super().next()

        first, *ahead = [*before, site.url("/a"), other.url("/next")]
        await crawl(first, settings=settings, spider=Following, ahead=ahead)
        assert other.paths[-1] == "/next"
        assert other.hits[-1].asked_at >= browsed_at[0] + 0.5


SAME = ["/a#top", "/a#", "/a"]


@pytest.mark.slow
@pytest.mark.parametrize("target", SAME)
@on_reactor
async def test_the_same_page_is_not_judged_twice(target):
    with Site({"/robots.txt": robots(SECRET)}) as site:
        url = site.url("/a")
        seen, _ = await crawl(url, settings=browser_with({url: site.url(target)}))
        assert len(seen.answered) == 1
        assert seen.stats["robots/passed"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("leads_on", [{200}, {200, 503}])
@on_reactor
async def test_a_page_that_is_tried_again_and_the_last_page_are_counted_once_each(leads_on):
    """Before, the last page was not counted where only a retry had led to it."""
    busy = Answer(status=503), Answer(body=b"a page")
    with Site({"/robots.txt": robots(SECRET), "/a": busy}) as site:
        url, target = site.url("/a"), site.url("/b")
        settings = browser_with({url: target}, leads_on)
        seen, _ = await crawl(url, settings=settings | {"RETRY_ENABLED": True, "RETRY_TIMES": 1})
        assert seen.answered == [target]
        assert site.paths.count("/a") == 2
        assert seen.stats["robots/passed"] == 2


@pytest.mark.slow
@on_reactor
async def test_a_page_that_its_callback_asks_for_again_is_not_counted_again():
    class TryingAgain(Spider):
        def parse(self, response):
            yield get_retry_request(response.request, spider=self, max_retry_times=1)

    with Site({"/robots.txt": robots(SECRET)}) as site:
        url = site.url("/a")
        settings = browser_with({url: site.url("/b")})
        seen, _ = await crawl(url, settings=settings, spider=TryingAgain)
        assert site.paths.count("/a") == 2
        assert seen.stats["robots/passed"] == 2


PASSING = {
    "no page of a host": ("about:blank", {}),
    "a dry run": ("/secret", {"ROBOTS_DRY_RUN": True}),
    "an exempt host": ("/secret", {"ROBOTS_OVERRIDES": {"127.0.0.1": {"obey": False}}}),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", PASSING)
@on_reactor
async def test_what_no_rule_binds_passes(kind):
    target, settings = PASSING[kind]
    with Site({"/robots.txt": robots(SECRET)}) as site:
        url = site.url("/a")
        target = site.url(target) if target.startswith("/") else target
        seen, _ = await crawl(url, settings={**browser_with({url: target}), **settings})
        assert seen.answered == [target]
        assert ("robots/would_drop/rule" in seen.stats) == (kind == "a dry run")


@pytest.mark.slow
@on_reactor
async def test_an_exemption_of_a_request_ends_with_its_site():
    exempt = {"dont_obey_robotstxt": True}
    with Site({}) as site, Site({"/robots.txt": robots(SECRET)}, "127.0.0.2") as other:
        targets = {site.url("/a"): other.url("/secret"), site.url("/b"): site.url("/secret")}
        requests = [Request(url, meta=dict(exempt)) for url in targets]
        seen, _ = await crawl(*requests, settings=browser_with(targets))
        assert seen.answered == [site.url("/secret")]
        assert list(seen.dropped) == [site.url("/a")]


@pytest.mark.slow
@on_reactor
async def test_the_verdict_and_the_record_are_of_the_page_that_came(tmp_path):
    path = tmp_path / "audit.jsonl"
    with Site({"/robots.txt": robots("User-agent: *\nAllow: /b\n")}) as site:
        url, target = site.url("/a"), site.url("/b")
        settings = {"ROBOTS_KEEP_VERDICTS": True, "ROBOTS_AUDIT": str(path)}
        settings |= browser_with({url: target})
        verdicts = []

        class Asking(Spider):
            def parse(self, response):
                verdicts.append(response.meta[VERDICT_KEY].line)

        await crawl(url, settings=settings, spider=Asking)
        assert verdicts == [2]
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert [line["url"] for line in lines if line["type"] == "decision"] == [url, target]


@pytest.mark.slow
@on_reactor
async def test_a_page_whose_new_site_is_slow_to_answer_holds_up_no_other_page():
    with Site({"/robots.txt": robots("")}) as site, Site({}, "127.0.0.2") as other:
        other.script["/robots.txt"] = robots("", after=None)
        settings = {**browser_with({site.url("/a"): other.url("/b")}), "CONCURRENT_REQUESTS": 1}
        settings["ROBOTS_FETCH_TIMEOUT"] = 300  # longer than the test may take
        urls = [site.url(f"/{name}") for name in "abc"]

        class Ending(Spider):
            def parse(self, response):
                super().parse(response)
                if len(self.seen.answered) == 2:
                    assert waiting_in(self.crawler) == 1
                    compat.close_spider(self.crawler, "enough")

        seen, _ = await crawl(*urls, settings=settings, spider=Ending)
        assert sorted(seen.answered) == urls[1:]
        assert seen.stats["robots/put_back"] == 1


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, False),
        ({"DOWNLOADER_MIDDLEWARES": {Browser: 900}}, True),
        ({"DOWNLOADER_MIDDLEWARES": {Browser: None}}, False),
        ({"DOWNLOADER_MIDDLEWARES": {f"{__name__}.Browser": 900}}, True),
        ({"DOWNLOADER_MIDDLEWARES": {RobotsPolicyMiddleware: 100}}, False),
        ({"DOWNLOAD_HANDLERS": {"https": "a_plugin.Handler"}}, True),
        ({"DOWNLOAD_HANDLERS": {"https": HTTP11DownloadHandler}}, False),
        ({"DOWNLOAD_HANDLERS": {"s3": "a_plugin.Handler"}}, False),
    ],
)
def test_only_crawls_with_code_that_may_follow_redirects_look_at_their_pages(settings, expected):
    crawler = get_crawler(Spider, settings)
    assert has_plugins(crawler.settings) is expected


@on_reactor
async def test_with_scrapys_own_parts_no_page_pays_for_it():
    _, crawler = await crawl(settings={})
    assert not hasattr(middleware_of(crawler), "process_response")
