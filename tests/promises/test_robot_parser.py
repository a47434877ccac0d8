"""What must be true of our parser in stock Scrapy."""

from __future__ import annotations

import pytest
import scrapy
from scrapy.robotstxt import RobotParser as ScrapyRobotParser
from scrapy.utils.test import get_crawler

from scrapy_robots_policy import RobotParser
from tests.crawls import crawl
from tests.on_reactor import on_reactor
from tests.site import Site, robots

BODY = b"User-agent: mybot\nDisallow: /secret\nCrawl-delay: 2.5\n\nUser-agent: org\nDisallow: /\n"


def parser(body=BODY, **settings) -> RobotParser:
    crawler = get_crawler(scrapy.Spider, settings)
    return RobotParser.from_crawler(crawler, body)


def test_it_is_a_scrapy_robot_parser():
    assert isinstance(parser(), ScrapyRobotParser)


QUESTIONS = [
    ("https://x/secret", "MyBot/1.0 (+https://y)", False),
    ("https://x/open", "MyBot/1.0 (+https://y)", True),
    (b"https://x/secret", b"MyBot", False),
    # The default agent is no org, though its header speaks of one.
    ("https://x/", "Scrapy/2.19.0 (+https://scrapy.org)", True),
    ("https://x/", "org", False),
]


@pytest.mark.parametrize(("url", "agent", "allowed"), QUESTIONS)
def test_the_product_token_of_a_header_is_the_agent(url, agent, allowed):
    assert parser().allowed(url, agent) is allowed


def test_crawl_delay():
    assert parser().crawl_delay("MyBot/1.0") == 2.5
    assert parser().crawl_delay(b"other") is None


def test_sitemaps():
    body = b"Sitemap: https://x/1.xml\nUser-agent: *\nSitemap: /2.xml\nSitemap: https://x/1.xml\n"
    assert parser(body).sitemaps() == ("https://x/1.xml", "/2.xml")
    assert parser().sitemaps() == ()


def test_the_dialect_is_that_of_the_settings():
    body = b"User-agent: *\nDisallow: /a\nAllow: /a\n"
    assert parser(body, ROBOTS_DIALECT="rfc9309").allowed("https://x/a", "bot")
    assert not parser(body, ROBOTS_DIALECT="koster1996").allowed("https://x/a", "bot")


def test_without_a_crawler_it_reads_the_default_dialect():
    parser = RobotParser.from_crawler(None, BODY)
    assert not parser.allowed("https://x/secret", "MyBot")


@pytest.mark.slow
@on_reactor
async def test_a_wrong_dialect_stops_stock_scrapy_too():
    settings = {
        "ADDONS": {},
        "ROBOTSTXT_OBEY": True,
        "ROBOTSTXT_PARSER": "scrapy_robots_policy.RobotParser",
        "ROBOTS_DIALECT": "goggle",
    }
    with Site({}) as site:
        with pytest.raises(ValueError, match="ROBOTS_DIALECT is 'goggle'"):
            await crawl(site.url("/"), settings=settings)
        assert site.hits == []


@pytest.mark.slow
@on_reactor
async def test_stock_scrapy_obeys_with_it():
    with Site({"/robots.txt": robots("User-agent: *\nDisallow: /secret\n")}) as site:
        seen, _ = await crawl(
            site.url("/secret"),
            settings={
                "ADDONS": {},
                "ROBOTSTXT_OBEY": True,
                "ROBOTSTXT_PARSER": "scrapy_robots_policy.RobotParser",
            },
        )
        assert site.paths == ["/robots.txt"]
        assert seen.robots_stats["robotstxt/forbidden"] == 1
