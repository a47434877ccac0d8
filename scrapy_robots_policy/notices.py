"""What the policy learns, told to the log, the stats, the tally and `robots_parsed`.

Knows: Scrapy's signals, stats and loggers. Must not know: how anything was learned or decided.
"""

from __future__ import annotations

import logging
from typing import Any

from scrapy.crawler import Crawler

from . import scrapy_versions
from .parser import RobotParser
from .policy import Notices, Ruling
from .rep.access import Result, Stance
from .report import Line, Tally

logger = logging.getLogger("scrapy_robots_policy")

# What is said of an origin whose stance is settled.
SAID = {
    Stance.RULES: "its rules hold",
    Stance.ALLOW: "open",
    Stance.DISALLOW: "closed",
    Stance.DEFER: "put off",
}


class CrawlNotices(Notices):
    """Tells of one crawl."""

    def __init__(self, crawler: Crawler, tally: Tally) -> None:
        self.crawler, self.tally = crawler, tally

    async def learned(self, ruling: Ruling, asker: Any, *, fetched: bool) -> None:
        self._count("fetched" if fetched else "store/hit")
        self._count(f"stance/{ruling.stance.value}")
        line = self.tally.of(ruling.origin)
        line.fetches += fetched
        if (line.stance, line.why) != (ruling.stance.value, ruling.access.why):
            self._say(ruling, line)
        if ruling.rules is not None and scrapy_versions.ROBOTS_PARSED is not None:
            parser = RobotParser(ruling.rules)
            signal = scrapy_versions.ROBOTS_PARSED
            await scrapy_versions.send(self.crawler, signal, robotparser=parser, request=asker)

    def _say(self, ruling: Ruling, line: Line) -> None:
        line.stance, line.why = ruling.stance.value, ruling.access.why
        trouble = ruling.access.result in (Result.UNREACHABLE, Result.FORBIDDEN)
        logger.log(
            logging.WARNING if trouble or ruling.stance is Stance.DISALLOW else logging.INFO,
            "robots.txt of %(origin)s: %(why)s, %(said)s (%(dialect)s)",
            {
                "origin": ruling.origin,
                "why": ruling.access.why,
                "said": SAID[ruling.stance],
                "dialect": ruling.dialect.name,
            },
            extra={"spider": self.crawler.spider},
        )

    def store_failed(self, verb: str, error: Exception) -> None:
        self._count("store/failed")
        logger.warning(
            "The robots.txt store could not %(verb)s: %(error)r; the crawl goes on without it",
            {"verb": verb, "error": error},
            extra={"spider": self.crawler.spider},
        )

    def failed(self, origin: str, error: BaseException) -> None:
        logger.error(
            "A fault while asking for the robots.txt of %(origin)s, which counts as unreachable",
            {"origin": origin},
            exc_info=error,
            extra={"spider": self.crawler.spider},
        )

    def _count(self, name: str) -> None:
        assert self.crawler.stats is not None  # the crawl has begun
        self.crawler.stats.inc_value(f"robots/{name}")
