"""Requests every page that the sites of the local web link to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import scrapy
from scrapy.http import Response

from example.extensions import LocalWeb


class PoliteSpider(scrapy.Spider):
    name = "polite"
    about = (
        "Seven sites on this machine differ in their robots.txt only. A spider asks each for its\n"
        "home page and the five pages linked there; two of the sites are in trouble. It takes 7 s."
    )

    async def start(self) -> AsyncIterator[Any]:
        local = self.crawler.get_extension(LocalWeb)
        assert local is not None  # settings.py enables it
        for origin in local.web.origins.values():
            yield scrapy.Request(f"{origin}/", self.parse_home)

    def parse_home(self, response: Response) -> Iterator[scrapy.Request]:
        links = response.css("a::attr(href)").getall()
        yield from response.follow_all(links, callback=self.parse_page)

    def parse_page(self, response: Response) -> Iterator[dict[str, str]]:
        yield {"url": response.url}
