"""The warnings of one crawl about robots.txt files in trouble.

A broad crawl meets thousands of origins whose robots.txt is in trouble: it refuses all pages, or is
no robots.txt. The first ones have a warning each; then one line in a while has the sum.
"""

from __future__ import annotations

from collections import Counter

from .crawl_log import CrawlLog
from .formats import counted

MAX_LINES = 20
MAX_REASONS = 5
MAX_COUNTED = 100


class TroubleLog:
    """The warnings of one crawl."""

    def __init__(self, log: CrawlLog) -> None:
        self.log = log
        self.lines = 0
        self._reasons: Counter[str] = Counter()

    def takes_line(self, why: str) -> bool:
        """Whether one more origin gets a line of its own; else it is counted for the sum."""
        self.lines += 1
        if self.lines <= MAX_LINES:
            return True
        has_room = why in self._reasons or len(self._reasons) < MAX_COUNTED
        self._reasons[why if has_room else "other reasons"] += 1
        return False

    def sum_up(self) -> None:
        """Log the origins since the last sum, if there are any."""
        count = self._reasons.total()
        if not count:
            return
        self.log.warning(
            "Trouble with the robots.txt of %(count)s (%(why)s)",
            {"count": counted(count, "more origin"), "why": self._why()},
        )
        self._reasons.clear()

    def _why(self) -> str:
        """The commonest reasons: "503: 40, timeout: 17"."""
        parts = [f"{why}: {count}" for why, count in self._reasons.most_common(MAX_REASONS)]
        return ", ".join([*parts, *(["…"] if len(self._reasons) > MAX_REASONS else [])])
