"""SitemapSpider, from the robots.txt of the site."""

from __future__ import annotations

from typing import Any

from scrapy.spiders import SitemapSpider

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {}


class Spider(Pages, SitemapSpider):
    async def start(self) -> Any:
        self.sitemap_urls = [self.job.site + "/robots.txt"]
        async for request in SitemapSpider.start(self):
            yield request
