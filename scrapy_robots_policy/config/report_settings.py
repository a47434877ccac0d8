"""The values of the settings about the report: both are paths, which are tried before the crawl."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..report import Files
from ..report.base import Base
from .kinds import SettingError, path_in, shown


@dataclass(frozen=True, slots=True)
class ReportPath:
    """The path of a file that can be made now: after the crawl it is too late to complain."""

    words = "the path of a file that ends in .html or .json"

    def read(self, name: str, value: Any) -> Files:
        path = path_in(name, value, self.words)
        try:
            return Files.of(path)
        except ValueError as error:
            raise SettingError(f"{name} is {shown(value)}: {error}") from None


@dataclass(frozen=True, slots=True)
class BasePath:
    """The path of an earlier report's data. Before the second crawl there may be none yet."""

    words = "the path of a report's .json file"

    def read(self, name: str, value: Any) -> Path:
        path = Path(path_in(name, value, self.words))
        try:
            if path.exists():
                Base.read(path)
        except (OSError, ValueError) as error:
            raise SettingError(f"{name} is {shown(value)}: {error}") from None
        return path
