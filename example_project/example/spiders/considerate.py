"""Collects texts to train a model, from the pages of one site that permit it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import scrapy
from scrapy.http import Response

from example.extensions import LocalWeb
from example.web import WISHFUL


class ConsiderateSpider(scrapy.Spider):
    name = "considerate"
    sites = (WISHFUL,)
    robots_purpose = "train-ai"
    robots_tags = {  # noqa: RUF012 - never changed
        "nofollow": "drop",
        "rel-nofollow": "drop",
        "noindex": "drop",
        "expired": "mark",
    }

    async def start(self) -> AsyncIterator[Any]:
        local = self.crawler.get_extension(LocalWeb)
        assert local is not None  # settings.py enables it
        yield scrapy.Request(f"{local.web.origins['wishful']}/")

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"url": response.url}
        yield from response.follow_all(response.css("a::attr(href)").getall())
