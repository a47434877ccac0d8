"""uvloop: asyncio's event loop in C. Scrapy stops the spider where another loop runs."""

from __future__ import annotations

from typing import Any

import scrapy

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {"ASYNCIO_EVENT_LOOP": "uvloop.Loop"}


class Spider(Pages, scrapy.Spider):
    """Nothing of its own."""
