"""The values of a crawl's settings, read as the table says."""

from __future__ import annotations

from typing import Any

from scrapy import Spider
from scrapy.settings import BaseSettings

from .settings_table import SETTINGS


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
