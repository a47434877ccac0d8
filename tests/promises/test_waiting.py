"""README, docs/waiting-and-delays.md and docs/when-things-fail.md: what waits, and for how long."""

from __future__ import annotations

from collections import deque

import pytest
import scrapy
from scrapy import signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.exceptions import CloseSpider
from scrapy.http.request import NO_CALLBACK

from scrapy_robots_policy import RobotsPolicyMiddleware, compat
from tests.crawls import Middleware, Spider, waiting_in
from tests.on_reactor import on_reactor, start
from tests.site import Answer, robots

pytestmark = pytest.mark.slow  # whole crawls

OPEN, SECRET = robots(""), "User-agent: *\nDisallow: /no"


def urls_of(hosts, count):
    return [f"http://{host}/{n}" for n in range(count) for host in hosts]


@on_reactor
async def test_no_page_is_fetched_before_its_robots_txt_is_known(web):
    site = web({"a.test": {"/robots.txt": robots(SECRET, after=5.0)}})
    urls = [f"http://a.test/{name}/{n}" for n in range(50) for name in ("no", "yes")]
    seen = await site.crawl(*urls)
    assert site.urls[0] == "http://a.test/robots.txt"
    assert len(site.fetches()) == 1
    assert sorted(site.pages) == sorted(url for url in urls if "/yes/" in url)
    assert sorted(seen.dropped) == sorted(url for url in urls if "/no/" in url)
    assert min(visit.began for visit in site.visits()) >= 5.0


class GivesUp(Spider):
    """Gives up the request that asked first, as soon as the robots.txt is asked for."""

    async def start(self):
        self.crawler.signals.connect(self.reached, signals.request_reached_downloader)
        self.first = start(compat.download(self.crawler, scrapy.Request("http://a.test/first")))
        self.first.addErrback(lambda _: None)
        async for request in super().start():
            yield request

    def reached(self, request):
        if request.url.endswith("/robots.txt"):
            # Without asyncio this runs inside of the download, before `first` is known.
            compat.call_later(0, self.give_up)

    def give_up(self):
        self.first.cancel()


@on_reactor
async def test_who_waits_is_decided_though_the_one_who_asked_first_gives_up(web):
    site = web({"a.test": {"/robots.txt": robots(SECRET, after=5.0)}})
    seen = await site.crawl("http://a.test/no", "http://a.test/yes", spider=GivesUp)
    assert (site.pages, list(seen.dropped)) == (["http://a.test/yes"], ["http://a.test/no"])


SLOW = {
    "never answers": robots("", after=None),
    "answers late": robots("", after=500.0),
    "asks for a delay": robots("User-agent: *\nCrawl-delay: 60"),
    "asks for a delay over the limit": robots("User-agent: *\nCrawl-delay: 86400"),
    "puts us off": Answer(status=503),
}


class UntilDone(Spider):
    """Closes when so many pages of healthy hosts have come."""

    wanted = 0

    def parse(self, response):
        super().parse(response)
        self.wanted -= "healthy" in response.url
        if not self.wanted:
            raise CloseSpider("all are here")


@pytest.mark.parametrize("kind", SLOW)
@on_reactor
async def test_a_slow_host_at_the_head_of_the_queue_delays_no_other(kind, web):
    hosts = {f"healthy{n}.test": {"/robots.txt": robots("", after=0.1)} for n in range(5)}
    site = web({"slow.test": {"/robots.txt": SLOW[kind]}, **hosts})
    settings = {"CONCURRENT_REQUESTS": 4, "ROBOTS_MAX_WAITING": 200}
    settings |= {"ROBOTS_ON_UNREACHABLE": "defer", "ROBOTS_FETCH_TIMEOUT": 3600}
    urls = [*urls_of(["slow.test"], 400), *urls_of(hosts, 20)]
    seen = await site.crawl(*urls, spider=UntilDone, wanted=100, settings=settings)
    assert seen.stats["finish_reason"] == "all are here"
    assert site.now < 60.0
    assert seen.stats.get("robots/put_back", 0) <= 1 + 4


class InOneList(BaseScheduler):
    """A scheduler of another kind, as that of scrapy-redis is: one list, and no filter."""

    at_the_end = 0

    @classmethod
    def from_crawler(cls, crawler):
        scheduler = super().from_crawler(crawler)
        scheduler.requests = deque()
        return scheduler

    def enqueue_request(self, request):
        self.requests.append(request)
        return True

    def next_request(self):
        return self.requests.popleft() if self.requests else None

    def has_pending_requests(self):
        return bool(self.requests)

    def close(self, reason):
        InOneList.at_the_end = len(self.requests)


@pytest.mark.parametrize("kind", SLOW)
@on_reactor
async def test_around_a_scheduler_of_another_kind_a_slow_host_delays_no_other(kind, web):
    hosts = {f"healthy{n}.test": {"/robots.txt": robots("", after=0.1)} for n in range(5)}
    site = web({"slow.test": {"/robots.txt": SLOW[kind]}, **hosts})
    settings = {"CONCURRENT_REQUESTS": 4, "ROBOTS_MAX_WAITING": 500, "SCHEDULER": InOneList}
    settings |= {"ROBOTS_ON_UNREACHABLE": "defer", "ROBOTS_FETCH_TIMEOUT": 3600}
    urls = [*urls_of(["slow.test"], 400), *urls_of(hosts, 20)]
    seen = await site.crawl(*urls, spider=UntilDone, wanted=100, settings=settings)
    assert seen.stats["finish_reason"] == "all are here"
    assert site.now < 60.0
    assert InOneList.at_the_end + len(seen.answered) + len(seen.dropped) == len(urls)


class CountsThoseThatWait(UntilDone):
    most = 0

    def parse(self, response):
        self.most = max(self.most, waiting_in(self.crawler))
        super().parse(response)


@pytest.mark.parametrize("also", ["", "https", "proxy"])
@on_reactor
async def test_hosts_with_a_delay_stop_no_other_and_hold_no_memory(also, web):
    healthy = {f"healthy{n}.test": {"/robots.txt": robots("")} for n in range(10)}
    paced = robots("User-agent: *\nCrawl-delay: 60")
    slow = {f"slow{n}.test": {"/robots.txt": paced} for n in range(200)}
    secure = [url.replace("http:", "https:") for url in urls_of(slow, 2)]
    through_proxy = [scrapy.Request(url, meta={"proxy": "http://p.test:1"}) for url in secure]
    urls = [*urls_of(slow, 3), *{"": [], "https": secure, "proxy": through_proxy}[also]]
    urls += urls_of(healthy, 10)
    site = web({**healthy, **slow})
    settings = {"CONCURRENT_REQUESTS": 16, "ROBOTS_MAX_WAITING": 50}
    crawl = site.start(*urls, spider=CountsThoseThatWait, wanted=100, settings=settings)
    await crawl.end()
    assert site.now < 60.0
    assert crawl.crawler.spider.most <= 16


@on_reactor
async def test_pages_that_a_delay_keeps_are_fetched_in_the_end(web):
    paced = robots("User-agent: *\nCrawl-delay: 60")
    site = web({f"slow{n}.test": {"/robots.txt": paced} for n in range(20)})
    urls = urls_of([f"slow{n}.test" for n in range(20)], 3)
    seen = await site.crawl(*urls, settings={"CLOSESPIDER_TIMEOUT": 0})
    assert (sorted(seen.answered), site.now) == (sorted(urls), pytest.approx(180.0, abs=3.0))


@on_reactor
async def test_a_request_that_another_middleware_answers_holds_its_host_for_a_moment(web):
    site = web({"a.test": {"/robots.txt": OPEN}})
    urls = urls_of(["a.test"], 5)
    settings = {"DOWNLOADER_MIDDLEWARES": {Answers: 10}}
    seen = await site.crawl(*urls, settings=settings)
    assert (sorted(seen.answered), site.fetches()) == (sorted(urls), [])
    assert site.now <= 1.0


@on_reactor
async def test_a_third_of_the_hosts_that_never_answer_delay_no_other(web):
    hosts = {f"healthy{n}.test": {"/robots.txt": robots("", after=0.1)} for n in range(60)}
    dead = [f"dead{n}.test" for n in range(30)]
    site = web({**hosts, **{host: {"/robots.txt": robots("", after=None)} for host in dead}})
    settings = {"ROBOTS_MAX_FETCHES": 10, "ROBOTS_FETCH_TIMEOUT": 30}
    urls = [url for pair in zip(urls_of(hosts, 3), urls_of(dead, 6), strict=True) for url in pair]
    seen = await site.crawl(*urls, settings=settings)
    assert sorted(seen.answered) == sorted(urls_of(hosts, 3))
    assert sorted(seen.dropped) == sorted(urls_of(dead, 6))
    assert (
        max(visit.began for visit in site.visits()) < 30.0
    )  # before the first dead host is given up


@on_reactor
async def test_a_request_that_waits_holds_no_place(web):
    """Two places, and twenty hosts whose files come late: all are fetched at once."""
    late = {f"late{n}.test": {"/robots.txt": robots("", after=10.0)} for n in range(20)}
    site = web({**late, "other.test": {"/robots.txt": OPEN, "*": Answer(after=1.0)}})
    urls = [*urls_of(late, 1), *urls_of(["other.test"], 6)]
    await site.crawl(*urls, settings={"CONCURRENT_REQUESTS": 2})
    assert max(hit.began for hit in site.fetches()) < 1.0
    assert max(hit.ended for hit in site.visits("other.test")) < 10.0


@on_reactor
async def test_pages_never_take_more_places_than_the_limit(web):
    """The files of six hosts come at one moment, when their 48 pages wait."""
    late = {f"{n}.test": {"/robots.txt": robots("", after=9.0)} for n in range(6)}
    site = web({host: {**script, "*": Answer(after=1.0)} for host, script in late.items()})
    await site.crawl(*urls_of(late, 8), settings={"CONCURRENT_REQUESTS": 4})
    under_way = [
        sum(other.began <= hit.began < other.ended for other in site.visits())
        for hit in site.visits()
    ]
    assert max(under_way) == 4


@pytest.mark.parametrize("limit", [0, 1, 5])
@on_reactor
async def test_a_crawl_ends_however_few_requests_may_wait(limit, web):
    hosts = {f"{n}.test": {"/robots.txt": robots("", after=1.0)} for n in range(3)}
    seen = await web(hosts).crawl(*urls_of(hosts, 5), settings={"ROBOTS_MAX_WAITING": limit})
    assert sorted(seen.answered) == sorted(urls_of(hosts, 5))


@on_reactor
async def test_no_more_files_are_looked_up_than_requests_may_wait(web):
    hosts = {f"{n}.test": {"/robots.txt": robots("", after=None)} for n in range(100)}
    site = web(hosts)
    crawl = site.start(*urls_of(hosts, 5), settings={"ROBOTS_MAX_WAITING": 20})
    await site.time.forward(20.0)
    seen = await crawl.close()
    assert len(site.fetches()) == 20
    left = seen.stats["scheduler/enqueued"] - seen.stats.get("scheduler/dequeued", 0)
    assert (left, seen.dropped) == (500, {})


@on_reactor
async def test_robots_txt_fetches_at_a_time_are_limited(web):
    """After two seconds without an answer a fetch counts no more."""
    hosts = {f"{n}.test": {"/robots.txt": robots("", after=7.0)} for n in range(30)}
    site = web(hosts)
    await site.crawl(*urls_of(hosts, 1), settings={"ROBOTS_MAX_FETCHES": 10})
    began = sorted(hit.began for hit in site.fetches())
    assert [began[9], began[10], began[20]] == pytest.approx([0.0, 2.0, 4.0], abs=0.1)


@on_reactor
async def test_while_the_engine_is_paused_no_request_goes_whose_wait_has_ended(web):
    site = web({"a.test": {"/robots.txt": robots("", after=5.0)}})
    crawl = site.start(*urls_of(["a.test"], 3))
    await site.time.forward(1.0)
    crawl.crawler.engine.pause()
    await site.time.forward(20.0)
    assert site.pages == []
    crawl.crawler.engine.unpause()
    crawl.crawler.engine._slot.nextcall.schedule()  # as the engine does every five seconds
    seen = await crawl.end()
    assert len(seen.answered) == 3


class FetchesToken(Middleware):
    """Fetches something of its own for each page, from another host."""

    async def process_request(self, request, spider=None):
        if "/token" not in request.url and not request.url.endswith("robots.txt"):
            token = scrapy.Request("http://tokens.test/token", NO_CALLBACK)
            await compat.download(self.crawler, token)


@on_reactor
async def test_what_a_middleware_fetches_for_a_page_does_not_wait_for_the_place_of_the_page(web):
    site = web({"a.test": {"/robots.txt": OPEN}, "tokens.test": {"/robots.txt": OPEN}})
    settings = {"CONCURRENT_REQUESTS": 1, "DOWNLOADER_MIDDLEWARES": {FetchesToken: 300}}
    seen = await site.crawl(*urls_of(["a.test"], 3), settings=settings)
    assert len(seen.answered) == 3


class AsksAgain(Spider):
    """When the first page is there, asks the middleware about a second one."""

    def parse(self, response):
        ours = self.crawler.get_downloader_middleware(RobotsPolicyMiddleware)
        self.answer = ours.process_request(scrapy.Request("http://a.test/second"))
        super().parse(response)


class Answers:
    """A middleware before ours that has all pages."""

    def process_request(self, request, spider=None):
        return scrapy.http.HtmlResponse(request.url, body=b"kept")


@on_reactor
async def test_a_known_robots_txt_decides_at_once_without_a_coroutine(web):
    site = web({"a.test": {"/robots.txt": OPEN}})
    crawl = site.start("http://a.test/first", spider=AsksAgain)
    await crawl.end()
    assert crawl.crawler.spider.answer is None


@on_reactor
async def test_each_minute_the_log_says_what_is_waited_for(web, caplog):
    caplog.set_level("INFO")
    hosts = [f"{n}.test" for n in range(3)]
    site = web({host: {"/robots.txt": robots("", after=200.0)} for host in hosts})
    settings = {"LOGSTATS_INTERVAL": 60, "ROBOTS_FETCH_TIMEOUT": 300}
    await site.crawl(*urls_of(hosts, 1), settings=settings)
    lines = [line for line in caplog.messages if "3 requests wait" in line]
    assert len(lines) == 3
