"""Spiders for one site, each in another dialect: a dialect can be set at every level.

`python -m example.dialects` runs them together.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, ClassVar

import scrapy
from scrapy.http import Response
from twisted.python.failure import Failure

from example.extensions import LocalWeb
from example.web import AMBIGUOUS_PAGES, AMBIGUOUS_SITES
from scrapy_robots_policy import Disallowed

WEB_ONLY: dict[str, Any] = {"EXTENSIONS": {"example.extensions.LocalWeb": 500}}
BAIDU = {**WEB_ONLY, "ROBOTS_DIALECT": "baidu"}


class DialectSpider(scrapy.Spider):
    """Requests every page of the first site, in the project's dialect: google."""

    name = "as_project"
    sites = AMBIGUOUS_SITES
    custom_settings = WEB_ONLY

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.results: dict[str, str] = {}

    async def start(self) -> AsyncIterator[Any]:
        for path in AMBIGUOUS_PAGES:
            yield self.request("first", path)

    def request(self, site: str, path: str, **meta: Any) -> scrapy.Request:
        local = self.crawler.get_extension(LocalWeb)
        assert local is not None  # custom_settings enables it
        label = " ".join([self.name, site, path, *map(str, meta.values())])
        return scrapy.Request(
            local.web.origins[site] + path,
            self.parse,
            errback=self.fail,
            cb_kwargs={"label": label},
            meta=meta,
            dont_filter=True,
        )

    def parse(self, response: Response, label: str) -> None:
        self.results[label] = "fetched" if response.status == 200 else str(response.status)

    def fail(self, failure: Failure) -> None:
        label = failure.request.cb_kwargs["label"]  # type: ignore[attr-defined] # Scrapy sets it
        assert isinstance(failure.value, Disallowed), failure
        self.results[label] = f"refused: {failure.value.verdict.cause}"


class YandexSpider(DialectSpider):
    """The dialect is set by an attribute of the spider."""

    name = "as_yandex"
    robots_dialect = "yandex"


class BaiduSpider(DialectSpider):
    """The dialect is set by the spider's own settings."""

    name = "as_baidu"
    custom_settings = BAIDU


class MixedSpider(DialectSpider):
    """The dialect is set by a request, and by an override for a host."""

    name = "mixed"
    robots_overrides: ClassVar = {"127.0.0.3": {"dialect": "yahoo"}}

    async def start(self) -> AsyncIterator[Any]:
        for path in AMBIGUOUS_PAGES:
            yield self.request("first", path)
            yield self.request("first", path, robots={"dialect": "koster1996"})
            yield self.request("second", path)
