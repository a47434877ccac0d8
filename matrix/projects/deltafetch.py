"""scrapy-deltafetch: requests for pages that gave an item before are left out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import scrapy

from matrix.crawls import PATHS, Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {
        "SPIDER_MIDDLEWARES": {"scrapy_deltafetch.DeltaFetch": 100},
        "DELTAFETCH_ENABLED": True,
        "DELTAFETCH_DIR": job.folder,
    }


class Spider(Pages, scrapy.Spider):
    async def start(self) -> AsyncIterator[Any]:
        yield self.request(PATHS[0])

    def parse(self, response: Any) -> Any:
        super().parse(response)
        if response.url == self.job.site + PATHS[0]:
            yield from map(self.request, PATHS[1:])
        else:
            yield {"url": response.url}
