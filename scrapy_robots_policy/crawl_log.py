"""The log of a crawl."""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from typing import Any

from scrapy.crawler import Crawler


class CrawlLog(logging.LoggerAdapter):  # type: ignore[type-arg]  # generic from Python 3.11 on
    """Gives each line the spider of its crawl, as Scrapy's own lines have it: where one process
    runs several crawls, log handlers tell them apart by that.
    """

    def __init__(self, crawler: Crawler, name: str = "scrapy_robots_policy") -> None:
        super().__init__(logging.getLogger(name), {})
        self.crawler = crawler

    def process(
        self, msg: Any, kwargs: MutableMapping[str, Any]
    ) -> tuple[Any, MutableMapping[str, Any]]:
        """Add the spider of now: most objects that write lines are made before there is one."""
        kwargs["extra"] = {**kwargs.get("extra", {}), "spider": self.crawler.spider}
        return msg, kwargs

    def has_handler(self, level: int) -> bool:
        """Whether a handler writes lines of this level.

        Scrapy sets LOG_LEVEL on its handler, not on the loggers. So without this check, a line that
        is not written would cost as much as one that is: for each origin of a broad crawl.
        """
        parent: logging.Logger | None = self.logger
        while parent is not None:
            for handler in parent.handlers:
                if handler.level <= level:
                    return True
            parent = parent.parent if parent.propagate else None
        return False
