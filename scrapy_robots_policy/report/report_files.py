"""The files of a crawl's report: a page and its data beside it, or the data alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from os import fsencode
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from scrapy.crawler import Crawler

from ..crawl_log import CrawlLog
from ..stats import PREFIX
from ..whole_file import part_of, whole_file
from .counts import CrawlCounts
from .page import check_jinja2, render
from .summary import Report

if TYPE_CHECKING:
    from .summary import Report

PAGE, DATA = ".html", ".json"


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """The paths of a report's files.

    page      None if only the data is wanted
    replaces  whether files with these names are replaced; else the new ones get a number
    """

    page: Path | None
    data: Path
    replaces: bool = True

    @classmethod
    def of(cls, path: Path, *, replaces: bool = True) -> ReportFiles:
        """The files for a path that ends in .html or .json.

        ValueError, with the reason, if no files can be created there.
        """
        if path.suffix not in (PAGE, DATA):
            raise ValueError(f"it must be the path of a file that ends in {PAGE} or {DATA}")
        if path.suffix == PAGE:
            check_jinja2()
        files = cls(path if path.suffix == PAGE else None, path.with_suffix(DATA), replaces)
        try:
            with TemporaryFile(dir=path.parent), suppress(FileNotFoundError):
                part_of(path).stat()
        except OSError as error:
            raise ValueError(f"no file can be created there: {error.strerror}") from None
        except ValueError as error:  # the system's encoding has no such characters, for example
            raise ValueError(f"no file can have that name: {error}") from None
        for file in filter(None, (files.page, files.data)):
            if file.is_dir():
                raise ValueError(f"{file} is a folder")
        return files

    def write(self, report: Report) -> ReportFiles:
        """Write the files. The result has their names. On OSError all files are as they were."""
        if self.replaces:
            self._write(report)
            return self
        files = self._with_free_number()
        try:
            files._write(report)  # noqa: SLF001 - of the same class
        except BaseException:
            files.data.unlink(missing_ok=True)
            raise
        return files

    def _with_free_number(self) -> ReportFiles:
        """The first names that no file has: "report.json", "report.2.json". The data file is made,
        so that no crawl that ends at the same time, in whatever process, gets them, too.
        """
        for number in count(1):
            tail = "" if number == 1 else f".{number}"
            data = self.data.with_name(f"{self.data.stem}{tail}{DATA}")
            with suppress(FileExistsError):
                data.touch(exist_ok=False)
                return ReportFiles(self.page and data.with_suffix(PAGE), data)
        raise AssertionError  # count() does not end

    def _write(self, report: Report) -> None:
        # Only crawls with a report need them.
        from .summary import json_parts  # noqa: PLC0415

        with whole_file(self.data) as data:
            data.writelines(text.encode("utf-8", "replace") for text in json_parts(report))
            data.flush()  # a disk that is full must show it before the page is replaced
            if self.page is not None:
                with whole_file(self.page) as file:
                    name = self.data.name
                    text = render(
                        "report",
                        report.spider,
                        report=report,
                        data=name,
                        address=quote(fsencode(name)),  # a name need not be UTF-8
                    )
                    file.write(text.encode("utf-8", "replace"))


class ReportWriter:
    """Writes the report of one crawl, which begins now.

    agent    the product token of the crawl; `dialect`: the name of its dialect
    files    the files to write
    now      returns seconds since the epoch
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
            written = self.files.write(self._report(reason))
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
        )

    def _figures(self) -> dict[str, float]:
        """The stats of robots.txt; none if the collector fails, such as when its server is gone."""
        assert self.crawler.stats is not None  # the crawl has just ended
        try:
            return _as_numbers(self.crawler.stats.get_stats())
        except Exception:  # a collector may raise any
            self.log.exception("The report of the crawl is written without the stats")
            return {}


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
