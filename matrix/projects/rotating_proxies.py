"""scrapy-rotating-proxies: each request through a proxy of a list."""

from __future__ import annotations

from typing import Any

import scrapy

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {
        "ROTATING_PROXY_LIST": [job.service],
        "DOWNLOADER_MIDDLEWARES": {
            "rotating_proxies.middlewares.RotatingProxyMiddleware": 610,
            "rotating_proxies.middlewares.BanDetectionMiddleware": 620,
        },
    }


class Spider(Pages, scrapy.Spider):
    """Nothing of its own."""
