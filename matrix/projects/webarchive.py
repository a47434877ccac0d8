"""scrapy-webarchive: what is fetched goes into an archive."""

from __future__ import annotations

from typing import Any

import scrapy

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {
        "EXTENSIONS": {"scrapy_webarchive.extensions.WaczExporter": 543},
        "SW_EXPORT_URI": f"{job.folder}/archive.wacz",
    }


class Spider(Pages, scrapy.Spider):
    """Nothing of its own."""
