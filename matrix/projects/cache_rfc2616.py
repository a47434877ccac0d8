"""HTTPCACHE with RFC2616Policy: pages are kept as their headers say."""

from __future__ import annotations

from typing import Any

from matrix.crawls import Job

from . import cache_dummy
from .cache_dummy import Spider

__all__ = ["Spider", "settings"]


def settings(job: Job) -> dict[str, Any]:
    policy = "scrapy.extensions.httpcache.RFC2616Policy"
    return {**cache_dummy.settings(job), "HTTPCACHE_POLICY": policy}
