"""What the demo needs beside its spider: the local web, up for as long as it crawls.

Knows: Scrapy's signals. Must not know: how a decision is made, or shown.
"""

from __future__ import annotations

import json
from pathlib import Path

from scrapy import signals
from scrapy.crawler import Crawler

from example.web import Web


class LocalWeb:
    """Starts the sites before the crawl and ends them after it; SITE_LOG names a file for their log."""

    def __init__(self, log_path: str | None) -> None:
        self.web = Web()
        self.log_path = log_path

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LocalWeb:
        extension = cls(crawler.settings.get("SITE_LOG"))
        crawler.signals.connect(extension.close, signals.engine_stopped)
        return extension

    def close(self) -> None:
        self.web.close()
        if self.log_path:
            Path(self.log_path).write_text(json.dumps(self.web.log))
