"""scrapy-sentry-errors: errors of the crawl go to Sentry."""

from __future__ import annotations

from typing import Any

import scrapy

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {
        "EXTENSIONS": {"scrapy_sentry_errors.extensions.Errors": 10},
        "SENTRY_DSN": job.service.replace("://", "://key@") + "1",
    }


class Spider(Pages, scrapy.Spider):
    """Nothing of its own."""
