"""scrapy-poet: a page object that asks for further pages by itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import attrs
import scrapy
from scrapy_poet import DummyResponse
from web_poet import HttpClient, WebPage
from web_poet.exceptions import HttpError

from matrix.crawls import PATHS, Job, Pages

from .poet import settings

__all__ = ["Spider", "settings"]


@attrs.define
class Home(WebPage):
    http: HttpClient

    async def more(self, job: Job) -> list[str]:
        """The other paths that were answered."""
        return [path for path in PATHS[1:] if await self._is_answered(job.site + path)]

    async def _is_answered(self, url: str) -> bool:
        try:
            await self.http.get(url)
        except HttpError:
            return False
        return True


class Spider(Pages, scrapy.Spider):
    async def start(self) -> AsyncIterator[Any]:
        yield self.request(PATHS[0])

    async def parse(self, response: DummyResponse, page: Home) -> None:
        self.seen.answered.extend([PATHS[0], *await page.more(self.job)])
