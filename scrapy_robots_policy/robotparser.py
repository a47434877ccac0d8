"""Our rules behind the interface of `scrapy.robotstxt.RobotParser`.

Knows: that interface, 2.18's `crawl_delay` included. Must not know: outcomes of a fetch, which the
interface has no seat for: who wants those needs the middleware.
"""

from __future__ import annotations

from scrapy.crawler import Crawler
from scrapy.robotstxt import RobotParser as ScrapyRobotParser

from .config import Values, one_sentence
from .rep import RuleSet, parse


class RobotParser(ScrapyRobotParser):
    """For `ROBOTSTXT_PARSER` in stock Scrapy; reads the file in the dialect of ROBOTS_DIALECT."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    @classmethod
    def from_crawler(cls, crawler: Crawler | None, robotstxt_body: bytes) -> RobotParser:
        """Without a crawler, as Scrapy's own tests call it, in the default dialect."""
        if crawler is None:
            return cls(parse(robotstxt_body))
        with one_sentence(crawler):  # Scrapy calls it once at start to see whether it works
            dialect = Values(crawler.settings, crawler.spider)["ROBOTS_DIALECT"]
        return cls(parse(robotstxt_body, dialect))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        return self.rules.allowed(_text(url), _text(user_agent))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        return self.rules.crawl_delay(_text(user_agent))


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
