"""One crawl of many pages: each says something, is asked for by its name, and links elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scrapy import Request, signals
from scrapy.http import HtmlResponse

from tests.crawls import Spider
from tests.site import Answer, robots

HERE = "https://site.example/folder/page?q=1"
LINKS = '<a href="/a">a</a> <a href="/b">b</a>'
LINKED = ("https://site.example/a", "https://site.example/b")


def links_of(html):
    return html.follow_all(css="a", dont_filter=True)


def asking(*urls):
    return lambda _html: [Request(url, dont_filter=True) for url in urls]


@dataclass
class Row:
    """A page, what the user wants of it, and what becomes of it.

    html     of the page, or its bytes
    tags     the request's robots_tags, and what else is in its `meta`
    make     the requests that the spider makes of it
    sent     those of them that go
    kept     whether the item of the page is kept, and `marks` are those that it gets
    """

    html: str | bytes = LINKS
    headers: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    make: Callable[[Any], Any] = links_of
    item: Callable[[str], Any] = lambda name: {"name": name}
    sent: tuple[str, ...] = LINKED
    kept: bool = True
    marks: tuple[str, ...] = ()

    @property
    def answer(self):
        body = self.html if isinstance(self.html, bytes) else self.html.encode()
        return Answer(body, headers={"Content-Type": "text/html; charset=utf-8", **self.headers})

    def request(self, name):
        meta = {**self.meta, "row": self, "name": name}
        if self.tags:
            meta["robots_tags"] = dict(self.tags)
        return Request(HERE, meta=meta, dont_filter=True)


class Following(Spider):
    """Makes an item of each page, and the requests that its row tells."""

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.items, spider.refused, spider.sent = {}, {}, defaultdict(list)
        crawler.signals.connect(spider.keep, signals.item_scraped)
        crawler.signals.connect(spider.refuse, signals.item_dropped)
        return spider

    def keep(self, item, response):
        self.items[response.meta["name"]] = item

    def refuse(self, item, response, exception):
        self.refused[response.meta["name"]] = exception

    def parse(self, response):
        name, row = response.meta["name"], response.meta["row"]
        yield row.item(name)
        if isinstance(response, HtmlResponse):
            for request in row.make(response):
                yield request.replace(callback=self.come, cb_kwargs={"name": name})

    def come(self, response, name):
        self.sent[name].append(response.url)


class FollowingAsync(Following):
    async def parse(self, response):
        for output in Following.parse(self, response):
            yield output


OPEN = {"/robots.txt": robots("")}
SITE = {**OPEN, "/folder/page": lambda request: request.meta.get("row", Row()).answer}
SETTINGS = {
    "USER_AGENT": "TestBot/1.0 (+https://tests.dev/bot)",
    "METAREFRESH_ENABLED": False,  # it fails on a page whose base is no URL
}


async def crawl_rows(web, rows, kind=Following, **settings):
    """The spider that has seen the pages, with the stats of the tags."""
    requests = (row.request(name) for name, row in rows.items())
    crawl = web({"site.example": SITE}).start(
        *requests, settings={**SETTINGS, **settings}, spider=kind
    )
    seen = await crawl.end()
    spider = crawl.crawler.spider
    assert ("log_count/ERROR" in seen.stats, spider.errors) == (False, [])
    prefix = "robots/tags/"
    spider.tag_stats = {
        name.removeprefix(prefix): count
        for name, count in seen.stats.items()
        if name.startswith(prefix)
    }
    return spider
