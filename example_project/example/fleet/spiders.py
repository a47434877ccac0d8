"""Requests the pages of the shared queue, and all pages that they link to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy.http import Response
from scrapy_redis.spiders import RedisSpider


class FleetSpider(RedisSpider):  # type: ignore[misc] # scrapy-redis has no types
    name = "fleet"

    async def start(self) -> AsyncIterator[Any]:
        for request in self.next_requests():  # scrapy-redis 0.9 has start_requests only
            yield request

    def parse(self, response: Response) -> Iterator[Any]:
        yield from response.follow_all(response.css("a::attr(href)").getall())
