"""A project deployed to scrapyd as an egg, with a store of its own in a file."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import scrapy

from matrix.crawls import Job, LogWarnings, Pages


def settings(job: Job) -> dict[str, Any]:
    return {"ROBOTS_STORE": "sqlite:"}


class Spider(Pages, scrapy.Spider):
    def __init__(self, job: str, **kwargs: Any) -> None:
        """`job` comes as text, as all arguments of scrapyd do."""
        super().__init__(**kwargs)
        self.job = Job(**json.loads(job))
        logging.getLogger().addHandler(LogWarnings(self.job.site))

    def closed(self, reason: str) -> None:
        self.seen.save(Path(self.job.folder, "seen.json"))
