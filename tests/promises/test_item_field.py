"""docs/audit.md: each item may have the verdict by which its page was fetched."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

import attrs
import pytest
import scrapy

from tests.crawls import Spider
from tests.on_reactor import on_reactor
from tests.site import Answer, moved, robots

pytestmark = pytest.mark.slow  # whole crawls

BODY = "User-agent: *\nDisallow: /no\nAllow: /no/a"
RULES = robots(BODY)
GONE = Answer(status=404)
SETTINGS = {"ROBOTS_ITEM_FIELD": "robots"}


@dataclass
class DataItem:
    url: str
    robots: Any = None


@attrs.define
class AttrsItem:
    url: str
    robots: Any = None


class FieldItem(scrapy.Item):
    url = scrapy.Field()
    robots = scrapy.Field()


class OtherItem(scrapy.Item):
    url = scrapy.Field()


class Scraping(Spider):
    made = ()

    def parse(self, response):
        super().parse(response)
        self.made = [make(url=response.url) for make in (dict, DataItem, AttrsItem, FieldItem)]
        self.made.append(OtherItem(url=response.url))
        yield from self.made


@on_reactor
async def test_each_kind_of_item_gets_the_verdict_where_it_has_the_field(web):
    site = web({"a.test": {"/robots.txt": RULES}})
    crawl = site.start("http://a.test/no/a", spider=Scraping, settings=SETTINGS)
    await crawl.end()
    plain, data, attributes, fields, other = crawl.crawler.spider.made
    expected = {
        "allowed": True,
        "reason": "rule",
        "rule": "Allow: /no/a",
        "line": 3,
        "agent": "Scrapy",
        "dialect": "rfc9309",
        "sha256": sha256(BODY.encode()).hexdigest(),
    }
    given = (plain, asdict(data), attrs.asdict(attributes), dict(fields))
    assert [one["robots"] for one in given] == [expected] * 4
    assert dict(other) == {"url": "http://a.test/no/a"}
    assert json.loads(json.dumps(plain)) == plain


CASES = {
    "there is no robots.txt": ("http://b.test/", {}, "unavailable"),
    "a dry run lets it pass": ("http://a.test/no", {"ROBOTS_DRY_RUN": True}, "rule"),
    "after a redirect it is that of the last page": ("http://a.test/to", {}, "no_rule"),
    "no robots.txt is asked about it": (
        "http://a.test/no",
        {"ROBOTS_OVERRIDES": {"a.test": {"obey": False}}},
        None,
    ),
}


@pytest.mark.parametrize("name", CASES)
@on_reactor
async def test_what_the_field_says(name, web):
    url, settings, reason = CASES[name]
    site = web(
        {
            "a.test": {"/robots.txt": RULES, "/to": moved("http://c.test/")},
            "b.test": {"/robots.txt": moved("http://b.test/gone"), "/gone": GONE},
            "c.test": {"/robots.txt": RULES},
        }
    )
    crawl = site.start(url, spider=Scraping, settings=SETTINGS | settings)
    await crawl.end()
    verdict = crawl.crawler.spider.made[0].get("robots")
    assert (verdict and verdict["reason"]) == reason
    assert verdict is None or verdict["allowed"] is (name != "a dry run lets it pass")
