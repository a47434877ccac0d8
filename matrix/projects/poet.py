"""scrapy-poet: the page of a URL comes as a page object."""

from __future__ import annotations

from typing import Any

import scrapy
from scrapy_poet import DummyResponse
from web_poet import WebPage

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {"ADDONS": {"scrapy_poet.Addon": 300}}


class Title(WebPage):
    @property
    def url(self) -> str:
        return str(self.response.url)


class Spider(Pages, scrapy.Spider):
    def parse(self, response: DummyResponse, page: Title) -> None:
        self.seen.answered.append(page.url.removeprefix(self.job.site))
