"""Where the record of a crawl is written, and which decisions it has."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from .kinds import SettingError, shown, wrong


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """The record of one crawl.

    template    its path, with `%(name)s` and `%(time)s`
    passed      which requests that pass are recorded: "all", "first" or "none"
    stops       whether the crawl closes when the record can no longer be written
    max_octets  the size of a file from which on the record goes on in a new one; 0: any
    """

    template: str
    passed: str = "all"
    stops: bool = True
    max_octets: int = 0

    def path(self, name: str, now: datetime) -> Path:
        """The path for a spider's name; the time is written as in the names of Scrapy's feeds."""
        return Path(_filled(self.template, name, now.isoformat(timespec="seconds")))


def _filled(template: str, name: str, time: str) -> str:
    return template % {"name": name, "time": time.replace(":", "-")}


@dataclass(frozen=True, slots=True)
class AuditPath:
    words = "the path of a file"

    def read(self, name: str, value: Any) -> str:
        path = fspath(value) if isinstance(value, PathLike) else value
        if not isinstance(path, str) or not path or "\0" in path:
            raise wrong(name, value, self.words)
        try:
            _filled(path, "", "")
        except (KeyError, TypeError, ValueError):
            raise SettingError(
                f"{name} is {shown(value)}; "
                "of what begins with '%', only %(name)s and %(time)s stand for something there"
            ) from None
        return path
