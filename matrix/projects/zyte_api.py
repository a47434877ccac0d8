"""scrapy-zyte-api in transparent mode: everything through the API."""

from __future__ import annotations

from typing import Any

import scrapy

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {
        "ADDONS": {"scrapy_zyte_api.Addon": 500},
        "ZYTE_API_KEY": "a",
        "ZYTE_API_URL": job.service,
    }


class Spider(Pages, scrapy.Spider):
    """Nothing of its own."""
