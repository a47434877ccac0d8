"""Scrapy as it is installed."""

from __future__ import annotations

from typing import Any

import scrapy

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {}


class Spider(Pages, scrapy.Spider):
    """Nothing of its own."""
