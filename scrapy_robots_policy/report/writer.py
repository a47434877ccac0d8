"""The report of one crawl, from its begin to its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from os import fsencode
from typing import Any
from urllib.parse import quote

from scrapy.crawler import Crawler

from ..crawl_log import CrawlLog
from ..pages import render
from ..stats import PREFIX
from .counts import CrawlCounts
from .figures import Report, json_parts
from .files import ReportFiles


class ReportWriter:
    """Writes the report of one crawl, which begins now.

    Attributes:
        agent: the product token of the crawl; `dialect`: the name of its dialect.
        files: the files to write.
        now: returns seconds since the epoch.

    """

    def __init__(
        self,
        crawler: Crawler,
        counts: CrawlCounts,
        agent: str,
        dialect: str,
        files: ReportFiles,
        now: Callable[[], float],
    ) -> None:
        self.crawler, self.counts, self.now = crawler, counts, now
        self.agent, self.dialect = agent, dialect
        self.files = files
        self.began = now()
        self.log = CrawlLog(crawler)

    def write(self, reason: str) -> None:
        """Write the files. `reason`: why the spider was closed. Errors are logged, not raised."""
        try:
            report = self._report(reason)
            written = self.files.write(json_parts(report), partial(_page, report))
        except OSError as error:
            path = self.files.page or self.files.data
            self.log.error(  # noqa: TRY400 - a traceback would say no more
                "The report of the crawl could not be written to %(path)s: %(error)s",
                {"path": path, "error": error.strerror or error},
            )
        else:
            path = written.page or written.data
            self.log.info("The report of the crawl is in %(path)s", {"path": path})

    def _report(self, reason: str) -> Report:
        assert self.crawler.spider is not None  # it has just been closed
        return Report(
            self.crawler.spider.name,
            self.agent,
            self.dialect,
            self.began,
            self.now(),
            reason,
            self.counts.origins,
            self._figures(),
            self.counts.samples,
            self.counts.permissions,
        )

    def _figures(self) -> dict[str, float]:
        """The stats of robots.txt; none if the collector fails, such as when its server is gone."""
        assert self.crawler.stats is not None  # the crawl has just ended
        try:
            return _as_numbers(self.crawler.stats.get_stats())
        except Exception:  # a collector may raise any
            self.log.exception("The report of the crawl is written without the stats")
            return {}


def _page(report: Report, data: str) -> str:
    address = quote(fsencode(data))  # a name need not be UTF-8
    return render("report", report.spider, report=report, data=data, address=address)


def _as_numbers(stats: Mapping[str, Any]) -> dict[str, float]:
    """The stats of robots.txt. What is no number is not ours, and no page could show it."""
    numbers = ((name, _number(value)) for name, value in stats.items() if name.startswith(PREFIX))
    return {name: number for name, number in numbers if number is not None}


def _number(value: Any) -> float | None:
    """A stat as a number: scrapy-redis keeps stats in Redis, and gives text."""
    if isinstance(value, str):
        with suppress(ValueError, OverflowError):
            return int(float(value))
    return value if isinstance(value, int | float) else None
