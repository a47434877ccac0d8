"""HTTPCACHE in a DBM file, with RFC2616Policy."""

from __future__ import annotations

from typing import Any

from matrix.crawls import Job

from . import cache_rfc2616
from .cache_dummy import Spider

__all__ = ["Spider", "settings"]


def settings(job: Job) -> dict[str, Any]:
    storage = "scrapy.extensions.httpcache.DbmCacheStorage"
    return {**cache_rfc2616.settings(job), "HTTPCACHE_STORAGE": storage}
