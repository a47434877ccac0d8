"""The paths of files that each crawl of a project writes for itself.

`%(name)s` and `%(time)s` in a path stand for the spider's name and the time, as in the names of
Scrapy's feeds: so several spiders have one setting, and a file each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ..rep.escapes import listed, quoted
from .kinds import SettingError, wrong

NAME, TIME = "%(name)s", "%(time)s"


@dataclass(frozen=True, slots=True)
class PathTemplate:
    """The path of a file, in which the placeholders stand for something."""

    words: str = "the path of a file"
    placeholders: tuple[str, ...] = (NAME, TIME)

    def read(self, name: str, value: Any) -> str:
        template = fspath(value) if isinstance(value, PathLike) else value
        if not isinstance(template, str) or not template or "\0" in template:
            raise wrong(name, value, self.words)
        meant = "|".join(map(re.escape, ("%%", *self.placeholders)))
        if "%" in re.sub(meant, "", template):
            raise SettingError(
                f"{name} is {quoted(value)}; it may have '%' only in {listed(self.placeholders)}; "
                "write %% for any other '%'"
            )
        return template


def has_time(template: str) -> bool:
    """Whether the time is a part of the path."""
    return TIME in template.replace("%%", "")


def filled(template: str, name: str, now: datetime) -> Path:
    """The path for a spider's name; the time is written as in the names of Scrapy's feeds."""
    time = now.replace(tzinfo=None).isoformat(timespec="seconds").replace(":", "-")
    return Path(template % {"name": name, "time": time})
