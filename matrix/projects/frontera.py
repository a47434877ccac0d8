"""scrapy-frontera: the links of pages go to a frontier, which gives them to the scheduler."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import scrapy

from matrix.crawls import PATHS, Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {
        "SCHEDULER": "scrapy_frontera.scheduler.FronteraScheduler",
        "DOWNLOADER_MIDDLEWARES": {"scrapy_frontera.middlewares.SchedulerDownloaderMiddleware": 0},
        "SPIDER_MIDDLEWARES": {"scrapy_frontera.middlewares.SchedulerSpiderMiddleware": 0},
        "FRONTERA_SCHEDULER_REQUEST_CALLBACKS_TO_FRONTIER": ["parse"],
        "BACKEND": "frontera.contrib.backends.memory.FIFO",
    }


class Spider(Pages, scrapy.Spider):
    async def start(self) -> AsyncIterator[Any]:
        yield self.request(PATHS[0])

    def parse(self, response: Any) -> Any:
        super().parse(response)
        if response.url == self.job.site + PATHS[0]:
            yield from map(self.request, PATHS[1:])
