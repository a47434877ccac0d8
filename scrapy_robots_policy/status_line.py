"""Once in LOGSTATS_INTERVAL, one line in the log about the requests that robots.txt holds up.

It is for those who wonder why a crawl stands still. No line is written while nothing waits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scrapy.crawler import Crawler

from . import compat
from .crawl_log import CrawlLog
from .formats import counted


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits now.

    Attributes:
        requests: lanes of the queue, and requests from elsewhere, that wait for a robots.txt.
        files: how many robots.txt they wait for.
        delayed: those that wait for their turn at a host.
        put_off: origins, of those in `files`, that are not asked again before some time.
        queued: requests that the scheduler's queue keeps for hosts that are not ready.
        is_full: whether as many are looked up as may be at a time.

    """

    requests: int = 0
    files: int = 0
    delayed: int = 0
    put_off: int = 0
    is_full: bool = False
    queued: int = 0

    def __str__(self) -> str:
        """One line, such as "120 requests wait for 31 files"; "" if nothing waits."""
        wait = "waits" if self.requests == 1 else "wait"
        parts = {
            f"{counted(self.requests, 'request')} {wait} for {counted(self.files, 'file')}": (
                self.requests
            ),
            f"{counted(self.delayed, 'request')} held by a Crawl-delay": self.delayed,
            f"{counted(self.put_off, 'origin')} put off": self.put_off,
            f"{counted(self.queued, 'request')} in the queue": self.queued,
            "no more files are asked for (ROBOTS_MAX_WAITING)": self.is_full,
        }
        return ", ".join(part for part, number in parts.items() if number)


class StatusLine:
    """Logs at each interval, from `start` to `stop`.

    Attributes:
        look: counts what waits now.
        on_time: called at each interval too.

    """

    def __init__(
        self, crawler: Crawler, look: Callable[[], Waiting], on_time: Callable[[], None]
    ) -> None:
        self.log, self.look, self.on_time = CrawlLog(crawler), look, on_time
        self.interval = crawler.settings.getfloat("LOGSTATS_INTERVAL")
        self._cancel: Callable[[], None] | None = None

    def start(self) -> None:
        """An interval of 0 means none, as for Scrapy's own line."""
        if self.interval > 0:
            self._cancel = compat.call_later(self.interval, self._tick)

    def stop(self) -> None:
        if self._cancel is not None:
            self._cancel()
            self._cancel = None

    def _tick(self) -> None:
        self.start()
        line = str(self.look())
        if line:
            self.log.info("robots.txt: %(line)s", {"line": line})
        self.on_time()
