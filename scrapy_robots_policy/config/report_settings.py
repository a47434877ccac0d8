"""The files of a crawl's report, and of the one before: they are tried before the crawl."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from ..report.files import Files
from .kinds import SettingError


def report_files(path: Path | None) -> Files | None:
    """The files of a report. SettingError where they cannot be made: after the crawl it is too late
    to complain.
    """
    if path is None:
        return None
    try:
        return Files.of(str(path))
    except ValueError as error:
        raise SettingError(f"ROBOTS_REPORT is {str(path)!r}: {error}") from None


def report_base(path: Path | None) -> Path | None:
    """The data of an earlier report. Before the second crawl there may be none yet."""
    if path is None:
        return None
    from ..report.base import Base  # noqa: PLC0415 - few crawls have an earlier report

    try:
        with suppress(FileNotFoundError):
            Base.read(path)
    except ValueError as error:
        raise SettingError(f"ROBOTS_REPORT_BASE is {str(path)!r}: {error}") from None
    return path
