"""scrapy-selenium: pages in Chromium, inside of a downloader middleware."""

from __future__ import annotations

from shutil import which
from typing import Any

import scrapy
from scrapy_selenium import SeleniumRequest

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {
        "DOWNLOADER_MIDDLEWARES": {"scrapy_selenium.SeleniumMiddleware": 800},
        "SELENIUM_DRIVER_NAME": "chrome",
        "SELENIUM_DRIVER_EXECUTABLE_PATH": which("chromedriver"),
        "SELENIUM_BROWSER_EXECUTABLE_PATH": which("chromium"),
        "SELENIUM_DRIVER_ARGUMENTS": ["--headless", "--no-sandbox"],
    }


class Spider(Pages, scrapy.Spider):
    def request(self, path: str) -> scrapy.Request:
        return SeleniumRequest(url=self.job.site + path, callback=self.parse, errback=self.drop)
