"""Large files do not stop the crawl, whatever becomes of their pages."""

from __future__ import annotations

import pytest
import scrapy

from scrapy_robots_policy import compat
from tests.crawls import Spider
from tests.on_reactor import on_reactor
from tests.site import robots

pytestmark = pytest.mark.slow  # a whole crawl

HOSTS = [f"h{number}.test" for number in range(200)]
PACKED = HOSTS[:80]  # what the cache has forgotten by then
LARGE = robots("User-agent: *\nDisallow: /no\n" + "#" * 99 + "\n" + ("#" * 99 + "\n") * 1_000)


class Again(Spider):
    """Asks for a page of each host, and when all have come for a forbidden one of each."""

    async def start(self):
        for host in HOSTS:
            yield scrapy.Request(f"http://{host}/", self.parse)

    def parse(self, response):
        super().parse(response)
        if len(self.seen.answered) == len(HOSTS):
            self.tick()
            for host in PACKED:
                yield scrapy.Request(f"http://{host}/no", self.parse, errback=self.fail)

    def tick(self, before=0, turns=()):
        """Notes how many pages were refused in each turn of the loop."""
        refused = self.crawler.stats.get_value("robots/refused/rule", 0)
        self.in_turns = (*turns, refused - before)
        if refused < len(PACKED):
            compat.call_later(0, lambda: self.tick(refused, self.in_turns))


@on_reactor
async def test_large_files_that_were_packed_are_read_one_in_a_turn_of_the_loop(web):
    site = web({host: {"/robots.txt": LARGE} for host in HOSTS})
    settings = {"CONCURRENT_REQUESTS": 100}
    crawl = site.start(spider=Again, settings=settings)
    seen = await crawl.end()
    assert len(seen.dropped) == len(PACKED)
    assert len(site.fetches()) == len(HOSTS)
    assert max(crawl.crawler.spider.in_turns) <= 2
