"""scrapy-spider-metadata: the arguments of a spider have types."""

from __future__ import annotations

from typing import Any

import scrapy
from pydantic import BaseModel
from scrapy_spider_metadata import Args

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {}


class Parameters(BaseModel):
    pages: int = 1


class Spider(Args[Parameters], Pages, scrapy.Spider):
    metadata = {"title": "Matrix"}
