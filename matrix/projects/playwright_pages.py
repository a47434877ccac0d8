"""scrapy-playwright, pages in Chromium, robots.txt by Scrapy's own download handler."""

from __future__ import annotations

from shutil import which
from typing import Any

import scrapy

from matrix.crawls import Job, Pages

HANDLER = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"


def settings(job: Job) -> dict[str, Any]:
    return {
        "DOWNLOAD_HANDLERS": {"http": HANDLER, "https": HANDLER},
        "PLAYWRIGHT_LAUNCH_OPTIONS": {
            "executable_path": which("chromium") or which("google-chrome"),
            "args": ["--no-sandbox"],
        },
    }


class Spider(Pages, scrapy.Spider):
    meta = {"playwright": True}
