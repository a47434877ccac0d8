"""scrapy-impersonate: pages as Chrome asks for them, robots.txt by Scrapy's own handler."""

from __future__ import annotations

from typing import Any

import scrapy

from matrix.crawls import Job, Pages

HANDLER = "scrapy_impersonate.ImpersonateDownloadHandler"


def settings(job: Job) -> dict[str, Any]:
    return {"DOWNLOAD_HANDLERS": {"http": HANDLER, "https": HANDLER}}


class Spider(Pages, scrapy.Spider):
    meta = {"impersonate": "chrome"}
