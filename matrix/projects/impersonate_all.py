"""scrapy-impersonate, everything as Chrome sends requests."""

from __future__ import annotations

from typing import Any

from matrix.crawls import Job

from .impersonate import Spider
from .impersonate import settings as of_pages

__all__ = ["Spider", "settings"]


def settings(job: Job) -> dict[str, Any]:
    return {**of_pages(job), "ROBOTS_FETCH_META": ["proxy", "impersonate"]}
