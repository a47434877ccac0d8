"""The values of a crawl's settings, read as the table says; and names that are no setting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrapy import Spider
from scrapy.settings import BaseSettings

from ..rep.nearest import nearest
from .settings_table import SETTINGS

OURS, SCRAPYS = "ROBOTS_", "ROBOTSTXT_"


class Values:
    """The values of a crawl's settings by name, read as they are asked for.

    A value of None counts as not set: an environment variable may be missing.
    """

    def __init__(self, settings: BaseSettings, spider: Spider | None = None) -> None:
        self.settings, self.spider = settings, spider

    def __getitem__(self, name: str) -> Any:
        """The value, or that of the spider's attribute. SettingError where it is wrong."""
        setting = SETTINGS[name]
        own = getattr(self.spider, setting.attribute, None) if setting.attribute else None
        if own is not None:
            return setting.kind.read(setting.attribute, own)
        value = self.settings.get(name) if is_set(self.settings, name) else None
        if value is None:
            value = setting.default
        return None if value is None else setting.kind.read(name, value)


def is_set(settings: BaseSettings, name: str) -> bool:
    """Whether anybody but Scrapy itself has set it: its default for ROBOTSTXT_OBEY is False."""
    return (settings.getpriority(name) or 0) > 0


def unknown_settings(settings: BaseSettings) -> Iterator[str]:
    """A sentence for each name that looks like one of our settings and is none."""
    for name in sorted(filter(_looks_ours, settings)):
        if name in SETTINGS or not is_set(settings, name):
            continue
        hint = _nearest(name.partition("_")[2]) or "; it has no effect here"
        yield f"{name} is no setting of scrapy_robots_policy{hint}"


def _nearest(word: str) -> str:
    """A question whether the setting was meant whose name ends in a word like this one."""
    for start in (OURS, SCRAPYS):
        words = [name.removeprefix(start) for name in SETTINGS if name.startswith(start)]
        near = nearest(word, words, start, likeness=0.6)  # DELAY: CRAWL_DELAY
        if near:
            return near
    return ""


def _looks_ours(name: object) -> bool:
    """Other packages may have settings that begin with ROBOTSTXT_. One that is ours but for its
    beginning is a mistake.
    """
    if not isinstance(name, str):
        return False
    return name.startswith(OURS) or (
        name.startswith(SCRAPYS) and name.replace(SCRAPYS, OURS, 1) in SETTINGS
    )
