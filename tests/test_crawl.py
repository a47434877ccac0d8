"""What must be true of whole crawls, on every kind of reactor."""

from __future__ import annotations

import pytest
from scrapy import version_info

from tests.crawls import OURS, REACTORS, Plan, Spider, crawl, crawl_apart, waiting_in
from tests.on_reactor import on_reactor
from tests.site import Answer, Opener, Site, moved, robots

pytestmark = pytest.mark.slow

SECRET = "User-agent: *\nDisallow: /secret\n"
PATHS = ["/a", "/b", "/secret", "/secret2", "/secret3"]
FORBIDDEN = "Forbidden by robots.txt: line 2, Disallow: /secret"


@pytest.mark.parametrize("kind", REACTORS)
@pytest.mark.parametrize("cancel_first", [False, True], ids=["", "first_asker_cancelled"])
def test_every_request_that_waited_is_checked(kind, cancel_first):
    with Site({"/robots.txt": robots(SECRET)}) as site:
        urls = [site.url(path) for path in PATHS]
        seen = crawl_apart(Plan(urls, {**OURS, **REACTORS[kind]}, cancel_first))
        assert site.paths[0] == "/robots.txt"
        assert site.count("/robots.txt") == 1
        assert site.pages == ["/a", "/b"]
        assert seen.dropped == {site.url(path): FORBIDDEN for path in PATHS[2:]}


@pytest.mark.skipif(version_info < (2, 14), reason="the hole came with 2.14")
def test_the_stock_middleware_sends_requests_that_waited_unchecked():
    # Should this fail, Scrapy has closed the hole, and README must no longer speak of it.
    with Site({"/robots.txt": robots(SECRET)}) as site:
        urls = [site.url(path) for path in PATHS]
        crawl_apart(Plan(urls, {"ROBOTSTXT_OBEY": True, **REACTORS["asyncio"]}))
        assert "/secret2" in site.pages


@pytest.mark.parametrize("kind", REACTORS)
def test_a_host_that_never_answers_delays_no_other(kind):
    # The pages of the late host would fill CONCURRENT_REQUESTS if they kept their places.
    healthy = [Site({"/robots.txt": robots(SECRET)}, f"127.0.0.{n}") for n in range(2, 12)]
    late = Site({"/robots.txt": robots(SECRET, gate="open")})
    page = Opener(30, late.gate("open"))
    try:
        for site in healthy:
            site.script |= {f"/{n}": page for n in range(3)}
        urls = [late.url(f"/{n}") for n in range(20)]
        urls += [site.url(f"/{n}") for n in range(3) for site in healthy]
        settings = {**OURS, **REACTORS[kind], "CONCURRENT_REQUESTS": 16}
        seen = crawl_apart(Plan(urls, settings))
        assert sorted(seen.answered) == sorted(urls)
        assert late.count("/robots.txt") == 1  # it was answered, and when the others were done
        assert late.busiest <= 8  # CONCURRENT_REQUESTS_PER_DOMAIN
    finally:
        for site in [late, *healthy]:
            site.close()


@pytest.mark.parametrize("kind", REACTORS)
def test_many_late_robots_txt_leave_connections_for_pages(kind):
    late = [Site({"/robots.txt": robots("", gate="open")}, f"127.0.0.{n}") for n in range(2, 12)]
    other = Site({"/robots.txt": robots("")})
    try:
        page = Opener(10, *(site.gate("open") for site in late))
        other.script |= {f"/{n}": page for n in range(10)}
        urls = [site.url() for site in late] + [other.url(f"/{n}") for n in range(10)]
        settings = {**OURS, **REACTORS[kind], "CONCURRENT_REQUESTS": 4}
        assert sorted(crawl_apart(Plan(urls, settings)).answered) == sorted(urls)
        assert [site.count("/robots.txt") for site in late] == [1] * 10
    finally:
        for site in [other, *late]:
            site.close()


@on_reactor
async def test_the_pages_of_slow_hosts_take_places_in_turn():
    class Counting(Spider):
        """Counts how many pages are in transfer."""

        busiest = 0

        def parse(self, response):
            super().parse(response)
            slots = self.crawler.engine.downloader.slots.values()
            urls = [request.url for slot in slots for request in slot.transferring]
            pages = [url for url in urls if not url.endswith("/robots.txt")]
            self.busiest = max(self.busiest, len(pages))

    late = [Site({"/robots.txt": robots("", gate="open")}, f"127.0.0.{n}") for n in range(1, 7)]
    healthy = Site({"/robots.txt": robots("")}, "127.0.0.8")
    try:
        healthy.script["/last"] = lambda _: [site.gate("open").set() for site in late] and Answer()
        urls = [site.url(f"/{n}") for n in range(8) for site in late]
        urls += [healthy.url("/first"), healthy.url("/last")]
        seen, crawler = await crawl(*urls, spider=Counting, settings={"CONCURRENT_REQUESTS": 4})
        assert sorted(seen.answered) == sorted(urls)
        assert crawler.spider.busiest <= 4
        assert crawler.engine.downloader.total_concurrency == 4
    finally:
        for site in [healthy, *late]:
            site.close()


class Counting(Spider):
    """Notes how many requests wait when a page has come, and sets the event `counted` then."""

    waiting = 0
    counted = None

    def parse(self, response):
        super().parse(response)
        self.waiting = max(self.waiting, waiting_in(self.crawler))
        self.counted.set()


@on_reactor
async def test_no_more_requests_wait_than_twice_the_limit():
    closed = robots("User-agent: *\nDisallow: /", gate="open")
    with Site({"/robots.txt": closed}) as late, Site({}, "127.0.0.2") as other:
        other.script["/robots.txt"] = robots("", after=0.3)
        urls = [*(late.url(f"/{n}") for n in range(50)), other.url("/")]
        settings = {
            "ROBOTS_MAX_WAITING": 5,
            "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        }
        seen, crawler = await crawl(
            *urls, spider=Counting, counted=late.gate("open"), settings=settings
        )
        assert seen.answered == [other.url("/")]
        assert 1 <= crawler.spider.waiting <= 10 + 16  # a burst of CONCURRENT_REQUESTS on top


@pytest.mark.parametrize("limit", [0, 1])
@on_reactor
async def test_a_crawl_in_which_no_request_may_wait_still_ends(limit):
    with (
        Site({"/robots.txt": robots("")}) as one,
        Site({"/robots.txt": robots("")}, "127.0.0.2") as two,
    ):
        urls = [site.url(f"/{n}") for n in range(5) for site in (one, two)]
        seen, _ = await crawl(*urls, settings={"ROBOTS_MAX_WAITING": limit})
        assert sorted(seen.answered) == sorted(urls)


# One row for each way a robots.txt can come, as it is read by rfc9309 and by google.
LADDER = {
    "200": (robots(SECRET), "rules", "rules"),
    "204": (Answer(status=204), "open", "open"),
    "404_with_rules": (robots("User-agent: *\nDisallow: /", status=404), "open", "open"),
    "401": (Answer(status=401), "open", "open"),
    "403": (Answer(status=403), "open", "open"),
    "410": (Answer(status=410), "open", "open"),
    "429": (Answer(status=429), "open", "closed"),
    "500": (Answer(status=500), "closed", "closed"),
    "503_with_rules": (robots("User-agent: *\nAllow: /", status=503), "closed", "closed"),
    "redirect_without_location": (Answer(status=302), "open", "open"),
    "redirect_loop": (moved("/robots.txt?2"), "open", "open"),
    "reset": (robots(SECRET, reset=5), "closed", "closed"),
    "cut_body": (robots(SECRET, promise=1000), "closed", "closed"),
    "timeout": (robots(SECRET, after=None), "closed", "closed"),
}
PAGES = {"rules": ["/a", "/b"], "open": PATHS, "closed": []}


@pytest.mark.parametrize("dialect", ["rfc9309", "google"])
@pytest.mark.parametrize("answer", LADDER)
@on_reactor
async def test_the_dialect_decides_how_the_first_answer_is_read(answer, dialect):
    script, *stances = LADDER[answer]
    with Site({"/robots.txt": script, "/robots.txt?2": moved("/robots.txt")}) as site:
        settings = {
            "ROBOTS_DIALECT": dialect,
            "ROBOTS_FETCH_RETRIES": 0,
            "ROBOTS_FETCH_TIMEOUT": 0.3 if answer == "timeout" else 30,
        }
        await crawl(*(site.url(path) for path in PATHS), settings=settings)
        assert site.pages == PAGES[stances[dialect == "google"]]
