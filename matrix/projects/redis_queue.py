"""scrapy-redis: scheduler and duplicate filter in Redis."""

from __future__ import annotations

from typing import Any

import scrapy

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "REDIS_URL": job.service,
    }


class Spider(Pages, scrapy.Spider):
    """Nothing of its own."""
