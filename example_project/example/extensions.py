"""The demo's extensions: the local web, and the table at the end."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from scrapy import Request, signals
from scrapy.crawler import Crawler

from example.web import SITES, Site, Web
from scrapy_robots_policy import RobotsPolicyMiddleware
from scrapy_robots_policy.report.counts import OriginCounts

HEAD = ("its robots.txt", "mode", "passed", "refused", "waited", "why")
NUMBERS = {2, 3, 4}


class LocalWeb:
    """The sites, which answer until the crawl is over. SITE_LOG: a file for their log."""

    def __init__(self, sites: Sequence[Site], log_path: str | None) -> None:
        self.sites = sites
        self.web = Web(sites)
        self.log_path = log_path

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LocalWeb:
        sites = getattr(crawler.spidercls, "sites", SITES)
        extension = cls(sites, crawler.settings.get("SITE_LOG"))
        crawler.signals.connect(extension.close, signals.engine_stopped)
        return extension

    def close(self) -> None:
        self.web.close()
        if self.log_path:
            Path(self.log_path).write_text(json.dumps(self.web.log))


class Table:
    """Prints the result of the requests, by site."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Table:
        extension = cls(crawler)
        crawler.signals.connect(extension.begin, signals.engine_started)
        crawler.signals.connect(extension.show, signals.engine_stopped)
        return extension

    def begin(self) -> None:
        about = getattr(self.crawler.spidercls, "about", "")
        if about:
            print(about, flush=True)  # noqa: T201 - the demo's output

    def show(self) -> None:
        middleware = self.crawler.get_downloader_middleware(RobotsPolicyMiddleware)
        local = self.crawler.get_extension(LocalWeb)
        assert middleware is not None  # settings.py enables both
        assert local is not None
        cases = {local.web.origins[site.name]: site.about for site in local.sites}
        table = [HEAD, *rows(middleware.counts.origins, cases)]
        print("", *aligned(table), sep="\n")  # noqa: T201 - the demo's output
        self._show_tags()
        asked = (
            local.web.origins[name] + path for name, path in local.web.log if path != "/robots.txt"
        )
        verdicts = map(middleware.verdict, map(Request, asked))
        fetched = sum(verdict is not None and not verdict.allowed for verdict in verdicts)
        refused = sum(counts.all_refused for counts in middleware.counts.origins)
        report = self.crawler.settings.get("ROBOTS_REPORT")
        where = f", report in {Path(report).resolve()}" if report else ""
        print(f"\n{fetched} forbidden pages fetched, {refused} refused{where}")  # noqa: T201 - as above

    def _show_tags(self) -> None:
        assert self.crawler.stats is not None  # the crawl is over
        counts = self.crawler.stats.get_stats().items()
        tags = [f"{count} {name}" for name, count in sorted(counts) if "/tags/" in name]
        if tags:
            print("", *tags, sep="\n")  # noqa: T201 - the demo's output


def aligned(table: Sequence[Sequence[str]]) -> Iterator[str]:
    """A line for each row, its cells padded to the width of their column."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = enumerate(zip(row, widths, strict=True))
        padded = (cell.rjust(n) if at in NUMBERS else cell.ljust(n) for at, (cell, n) in cells)
        yield "  ".join(padded).rstrip()


def rows(origins: Iterable[OriginCounts], cases: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """A row for each origin, by its case, and below it one for each cause of refused requests."""
    for counts in origins:
        waited = f"{counts.longest_wait:.1f} s" if counts.waits else "-"
        passed, refused = str(counts.passed), str(counts.all_refused)
        case = cases.get(counts.origin, counts.origin)
        yield case, counts.mode, passed, refused, waited, counts.why
        for cause, n in sorted(counts.refused.items(), key=lambda item: -item[1]):
            yield "", "", "", str(n), "", cause
