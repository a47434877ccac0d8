"""spidermon: checks the stats of the crawl, those of robots.txt among them."""

from __future__ import annotations

from typing import Any

import scrapy
from spidermon import Monitor, MonitorSuite, monitors

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {
        "SPIDERMON_ENABLED": True,
        "EXTENSIONS": {"spidermon.contrib.scrapy.extensions.Spidermon": 500},
        "SPIDERMON_SPIDER_CLOSE_MONITORS": ["matrix.projects.spidermon_checks.Suite"],
    }


@monitors.name("robots.txt")
class Requests(Monitor):  # type: ignore[misc]  # spidermon has no types
    @monitors.name("there were answers")
    def test_responses(self) -> None:
        assert self.data.stats["response_received_count"] > 0


class Suite(MonitorSuite):  # type: ignore[misc]
    monitors = [Requests]


class Spider(Pages, scrapy.Spider):
    """Nothing of its own."""
