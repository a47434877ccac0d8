"""scrapy-inline-requests: a callback that waits for the answers of further requests."""

from __future__ import annotations

from typing import Any

import scrapy
from inline_requests import inline_requests
from scrapy.exceptions import IgnoreRequest

from matrix.crawls import PATHS, Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {}


class Spider(Pages, scrapy.Spider):
    async def start(self) -> Any:
        yield scrapy.Request(self.job.site + PATHS[0], self.parse_all)

    @inline_requests  # type: ignore[untyped-decorator]  # it has no types
    def parse_all(self, response: Any) -> Any:
        self.parse(response)
        for path in PATHS[1:]:
            try:
                answer = yield scrapy.Request(self.job.site + path)
            except IgnoreRequest:  # noqa: PERF203 - the other pages are asked for all the same
                self.seen.dropped.append(path)
            else:
                self.parse(answer)
