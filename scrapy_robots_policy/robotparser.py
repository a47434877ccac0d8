"""Our rules behind the interface of `scrapy.robotstxt.RobotParser`, with 2.18's `crawl_delay` and
the `sitemaps` of its pull request 8069.

The interface passes the body of a robots.txt only. So a failed fetch, redirects and caching remain
Scrapy's; for those, use the middleware.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.crawler import Crawler
from scrapy.robotstxt import RobotParser as ScrapyRobotParser

from .rep import RuleSet, parse
from .settings.crawl import one_sentence
from .settings.table import Values

if TYPE_CHECKING:
    from typing_extensions import Self  # typing has it from Python 3.11 on


class RobotParser(ScrapyRobotParser):
    """For the setting ROBOTSTXT_PARSER of stock Scrapy. The dialect is that of ROBOTS_DIALECT.

    Attributes:
        rules: the parsed file, as `rep.parse` returns it.

    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    @classmethod
    def from_crawler(cls, crawler: Crawler | None, robotstxt_body: bytes) -> Self:
        """Parse a file. Without a crawler, as in Scrapy's own tests, in the default dialect."""
        if crawler is None:
            return cls(parse(robotstxt_body))
        with one_sentence(crawler):  # Scrapy calls it once at start to see whether it works
            dialect = Values(crawler.settings, crawler.spider)["ROBOTS_DIALECT"]
        return cls(parse(robotstxt_body, dialect))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether the crawler may fetch the URL.

        Args:
            url: absolute, or its path and query.
            user_agent: a product token or a User-Agent header.

        """
        return self.rules.allowed(_text(url), _text(user_agent))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Seconds between two requests; None if the file asks for no delay in this dialect."""
        return self.rules.crawl_delay(_text(user_agent))

    def sitemaps(self) -> tuple[str, ...]:
        """The values of the Sitemap lines, each once, in the order of the file."""
        return self.rules.sitemaps


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
