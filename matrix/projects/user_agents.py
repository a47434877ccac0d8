"""scrapy-user-agents: each request has a User-Agent of a list."""

from __future__ import annotations

from typing import Any

import scrapy

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {
        "DOWNLOADER_MIDDLEWARES": {
            "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": None,
            "scrapy_user_agents.middlewares.RandomUserAgentMiddleware": 400,
        }
    }


class Spider(Pages, scrapy.Spider):
    """Nothing of its own."""
