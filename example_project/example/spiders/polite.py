"""Asks every site of the local web for every page it links to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import scrapy
from scrapy.http import Response, TextResponse

from example.extensions import LocalWeb


class PoliteSpider(scrapy.Spider):
    name = "polite"

    async def start(self) -> AsyncIterator[Any]:
        web = self.crawler.get_extension(LocalWeb).web
        for origin in web.origins.values():
            yield scrapy.Request(f"{origin}/", self.parse_home)

    def parse_home(self, response: TextResponse) -> Iterator[scrapy.Request]:
        yield from response.follow_all(css="a", callback=self.parse_page)

    def parse_page(self, response: Response) -> Iterator[dict[str, str]]:
        yield {"url": response.url}
