"""One crawl of a project of the matrix, in the environment that has its plugin.

`python -m matrix.crawls` reads a `Job` as JSON, crawls, and writes what was seen as JSON.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import AsyncIterator, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess

MODES: Mapping[str, Mapping[str, Any]] = {
    "off": {"ROBOTSTXT_OBEY": False},
    "stock": {"ROBOTSTXT_OBEY": True},
    "ours": {"ROBOTSTXT_OBEY": True},
}
OUR_ADDON = "scrapy_robots_policy.Addon"
# The forbidden page is the last: a plugin may give the page that it follows as the referer.
SPELLED = ("/spelled/%7Ex", "/spelled/%3Bx", "/spelled/%zz", "/spelled/a/../b", "/spelled/q?v=%2Fx")
PATHS = ("/", "/a", "/b?x=1", *SPELLED, "/moved", "/private/c")
ALWAYS = {
    "CLOSESPIDER_TIMEOUT": 60,
    "LOG_LEVEL": "INFO",
    "TELNETCONSOLE_ENABLED": False,
    "USER_AGENT": "MatrixBot/1.0 (+https://matrixbot.org/)",
}


@dataclass
class Job:
    """A project, how it treats robots.txt, the site, a folder of its own, and a service."""

    module: str
    mode: str
    site: str
    folder: str
    service: str = ""
    requires: list[str] = field(default_factory=list)


@dataclass
class Seen:
    """What a crawl saw: URLs answered and dropped, warnings, and the versions that ran."""

    answered: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Write it whole: a file that is there can be read."""
        unfinished = path.with_suffix(".part")
        unfinished.write_text(json.dumps(asdict(self)), "utf-8")
        unfinished.rename(path)


class Pages:
    """Asks for the pages of the site. A project makes a spider of it and of a spider class."""

    name = "matrix"
    job: Job
    meta: Mapping[str, Any] = {}

    def request(self, path: str) -> scrapy.Request:
        return scrapy.Request(
            self.job.site + path, self.parse, errback=self.drop, meta=deepcopy(self.meta)
        )

    async def start(self) -> AsyncIterator[Any]:
        for path in PATHS:
            yield self.request(path)

    def parse(self, response: Any) -> Any:
        self.seen.answered.append(response.url.removeprefix(self.job.site))

    def drop(self, failure: Any) -> None:
        self.seen.dropped.append(failure.request.url.removeprefix(self.job.site))

    @property
    def seen(self) -> Seen:
        return SEEN


SEEN = Seen()


class LogWarnings(logging.Handler):
    """Notes lines of the log, without the name of the site: it has another port each time."""

    def __init__(self, site: str) -> None:
        super().__init__(logging.WARNING)
        self.site = site

    def emit(self, record: logging.LogRecord) -> None:
        line = record.getMessage().partition("\n")[0]
        SEEN.warnings.append(f"{record.name}: {line.replace(self.site, '')}")


def settings_of(job: Job) -> dict[str, Any]:
    own: dict[str, Any] = import_module(f"matrix.projects.{job.module}").settings(job)
    addons = {**own.pop("ADDONS", {}), **({OUR_ADDON: 500} if job.mode == "ours" else {})}
    return {**ALWAYS, **own, **MODES[job.mode], "ADDONS": addons}


def main() -> None:
    job = Job(**json.load(sys.stdin))
    spider = import_module(f"matrix.projects.{job.module}").Spider
    logging.getLogger().addHandler(LogWarnings(job.site))
    process = CrawlerProcess(settings_of(job))
    process.crawl(type("Spider", (spider,), {"job": job}))
    process.start()
    names = ["Scrapy", *(name for name in job.requires if "<" not in name)]
    SEEN.versions = {name: version(name) for name in names}
    json.dump(asdict(SEEN), sys.stdout)


if __name__ == "__main__":
    # The projects import this module by its name: there must not be a second `SEEN`.
    import_module("matrix.crawls").main()
