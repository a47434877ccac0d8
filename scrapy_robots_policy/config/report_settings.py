"""The files of a crawl's report, and of the one before: they are tried before the crawl."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from ..report.report_files import ReportFiles
from .kinds import SettingError


def report_files(path: Path, *, replaces: bool) -> ReportFiles:
    """The files of a report. SettingError where they cannot be made: after the crawl it is too late
    to complain.

    replaces  whether an earlier report of the same name is replaced
    """
    try:
        return ReportFiles.of(path, replaces=replaces)
    except ValueError as error:
        raise SettingError(f"ROBOTS_REPORT is {str(path)!r}: {error}") from None


def report_base(path: Path | None) -> Path | None:
    """The data of an earlier report. Before the second crawl there may be none yet."""
    if path is None:
        return None
    from ..report.earlier_report import EarlierReport  # noqa: PLC0415 - few crawls have an earlier report

    try:
        with suppress(FileNotFoundError):
            EarlierReport.read(path)
    except ValueError as error:
        raise SettingError(f"ROBOTS_REPORT_BASE is {str(path)!r}: {error}") from None
    return path
