"""HTTPCACHE with DummyPolicy: every page is kept, for ever."""

from __future__ import annotations

from typing import Any

import scrapy

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": job.folder}


class Spider(Pages, scrapy.Spider):
    """Nothing of its own."""
