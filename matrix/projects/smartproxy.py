"""scrapy-zyte-smartproxy: everything through the proxy of Zyte."""

from __future__ import annotations

from typing import Any

import scrapy

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {
        "DOWNLOADER_MIDDLEWARES": {"scrapy_zyte_smartproxy.ZyteSmartProxyMiddleware": 610},
        "ZYTE_SMARTPROXY_ENABLED": True,
        "ZYTE_SMARTPROXY_APIKEY": "a",
        "ZYTE_SMARTPROXY_URL": f"http://{job.service}",
    }


class Spider(Pages, scrapy.Spider):
    """Nothing of its own."""
