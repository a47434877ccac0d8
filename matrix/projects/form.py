"""FormRequest: a login, and a form that is forbidden."""

from __future__ import annotations

from typing import Any

import scrapy

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {}


class Spider(Pages, scrapy.Spider):
    def request(self, path: str) -> scrapy.Request:
        data = {"user": "a", "word": "b"}
        return scrapy.FormRequest(
            self.job.site + path, callback=self.parse, errback=self.drop, formdata=data
        )
