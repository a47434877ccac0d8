"""A crawl's report, written when the crawl is over, where one is wanted.

Knows: the crawl's name, settings and stats. Must not know: what a report says, how it looks.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from scrapy.crawler import Crawler

from . import CrawlCounts, Files, Report

logger = logging.getLogger("scrapy_robots_policy")


class CrawlReport:
    """The report of one crawl, which begins now.

    files     where it is written; None: nowhere
    identity  the crawl's product token and the name of its dialect
    now       POSIX seconds
    """

    def __init__(
        self,
        crawler: Crawler,
        counts: CrawlCounts,
        files: Files | None,
        identity: tuple[str, str],
        now: Callable[[], float],
    ) -> None:
        self.crawler, self.counts, self.files, self.now = crawler, counts, files, now
        self.agent, self.dialect = identity
        self.began = now()

    def write(self, reason: str) -> None:
        """`reason` is the one for which the spider was closed."""
        files = self.files
        if files is None:
            return
        spider = self.crawler.spider
        try:
            files.write(self._report(reason))
        except OSError as error:
            logger.error(  # noqa: TRY400 - the sentence says it
                "The report of the crawl could not be written: %(error)s",
                {"error": error},
                extra={"spider": spider},
            )
        else:
            logger.info(
                "The report of the crawl is in %(path)s",
                {"path": files.page or files.data},
                extra={"spider": spider},
            )

    def _report(self, reason: str) -> Report:
        assert self.crawler.spider is not None  # it has just been closed
        assert self.crawler.stats is not None
        return Report(
            self.crawler.spider.name,
            self.agent,
            self.dialect,
            self.began,
            self.now(),
            reason,
            self.counts.origins,
            self.crawler.stats.get_stats(),
        )
