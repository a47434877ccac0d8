"""CrawlSpider: follows the links of pages."""

from __future__ import annotations

from typing import Any

import scrapy
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {}


class Spider(Pages, CrawlSpider):
    rules = (Rule(LinkExtractor(), callback="note", follow=True),)
    parse = CrawlSpider.parse

    def note(self, response: Any) -> None:
        Pages.parse(self, response)

    async def start(self) -> Any:
        yield scrapy.Request(self.job.site + "/")
