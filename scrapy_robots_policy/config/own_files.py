"""Each file that a crawl writes has one writer: of two, what the last one wrote would be left."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from scrapy.settings import BaseSettings
from w3lib.url import file_uri_to_path

from .kinds import SettingError
from .path_template import filled

Owned = tuple[str, Path]  # a setting, and a file that it names


def refuse_shared_file(files: Iterable[Owned]) -> None:
    """SettingError where two settings name the same file."""
    owners: dict[str, str] = {}
    for setting, path in files:
        # Not Path.absolute, which leaves ".." in it. Windows takes "A.json" and "a.json" for one.
        place = os.path.normcase(os.path.abspath(path))  # noqa: PTH100
        owner = owners.setdefault(place, setting)
        if owner != setting:
            raise SettingError(
                f"{owner} and {setting} both write {str(path)!r}; give each a file of its own"
            )


def feeds(settings: BaseSettings, name: str, now: datetime) -> Iterator[Owned]:
    """The files of Scrapy's feeds. `name`: the spider's."""
    for uri in map(str, settings.getdict("FEEDS")):
        path = file_uri_to_path(uri) if uri.startswith("file:") else uri
        try:
            yield "FEEDS", filled(path, name, now)
        except (KeyError, TypeError, ValueError):  # it has a placeholder that only feeds know
            continue
