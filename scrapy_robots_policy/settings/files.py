"""The paths of files that a crawl writes, with the spider's name and the time in them."""

from __future__ import annotations

import re
from datetime import datetime
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ..rep.escapes import listed, quoted
from .kinds import Kind, SettingError

NAME, TIME = "%(name)s", "%(time)s"


def _path(name: str, value: Any) -> str:
    template = fspath(value) if isinstance(value, PathLike) else value
    if not isinstance(template, str) or not template or "\0" in template:
        raise ValueError
    if "%" in re.sub(f"%%|{re.escape(NAME)}|{re.escape(TIME)}", "", template):
        raise SettingError(
            f"{name} is {quoted(value)}; it may have '%' only in {listed((NAME, TIME))}; "
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


REPORT = Kind("the path of a file that ends in .html or .json", _path)
RECORD = Kind("the path of a file", _path)
