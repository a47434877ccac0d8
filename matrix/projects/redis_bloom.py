"""scrapy-redis-bloomfilter: scrapy-redis, with a duplicate filter that takes less memory."""

from __future__ import annotations

from typing import Any

from matrix.crawls import Job

from . import redis_queue
from .redis_queue import Spider

__all__ = ["Spider", "settings"]


def settings(job: Job) -> dict[str, Any]:
    return {
        **redis_queue.settings(job),
        "SCHEDULER": "scrapy_redis_bloomfilter.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis_bloomfilter.dupefilter.RFPDupeFilter",
    }
