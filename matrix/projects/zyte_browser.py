"""scrapy-zyte-api, everything as the API's browser shows it."""

from __future__ import annotations

from typing import Any

from matrix.crawls import Job

from . import zyte_api


def settings(job: Job) -> dict[str, Any]:
    return {**zyte_api.settings(job), "ROBOTS_FETCH_META": ["proxy", "zyte_api_automap"]}


class Spider(zyte_api.Spider):
    meta = {"zyte_api_automap": {"browserHtml": True}}
