"""The files of a crawl's report: they are tried before the crawl."""

from __future__ import annotations

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
