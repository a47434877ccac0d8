"""How fast and when a group asks to be visited.

Knows: the values of Crawl-delay, Request-rate and Visit-time lines. Must not know: who is bound by
them, nor how a crawler slows down.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from .dialects.dialect import Dialect
from .dialects.options import CrawlDelay

PACE_KEYS = ("crawl-delay", "request-rate", "visit-time")

# What reppy (strtof), crawler-commons (Double) and robots-parser (Number) all read as the same
# number: an exponent is part of it; Python's "1_0", " 5" and "inf" are not.
_NUMBER = re.compile(r"\+?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
# No more digits than a float can divide: a longer number is nobody's rate.
_RATE = re.compile(r"(\d{1,9})\s*/\s*(\d{1,9})(?!\d)\s*([smhd]?)", re.IGNORECASE | re.ASCII)
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_TIMES = re.compile(
    r"(\d\d):?(\d\d)\s*-\s*(\d\d):?(\d\d)\s*(?:UTC|GMT|Z)?\s*", re.IGNORECASE | re.ASCII
)
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class VisitTime:
    """A span of each day, in seconds from midnight UTC; past midnight if its end comes first."""

    start: int
    end: int

    def opens_in(self, now: float) -> float:
        """Seconds from `now`, since the epoch, until the span begins; 0 within it."""
        since_start = (now - self.start) % _DAY
        length = (self.end - self.start) % _DAY or _DAY
        return 0.0 if since_start < length else _DAY - since_start

    def __str__(self) -> str:
        return f"{_clock(self.start)}-{_clock(self.end)} UTC"


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}"


def visit_time(value: str) -> VisitTime | None:
    """The span of a Visit-time value, such as "0600-0845"; None where it is none."""
    found = _TIMES.fullmatch(value)
    if not found:
        return None
    start, end = (int(found[i]) * 3600 + int(found[i + 1]) * 60 for i in (1, 3))
    return VisitTime(start, end) if max(start, end) <= _DAY and _is_clock(found) else None


def _is_clock(found: re.Match[str]) -> bool:
    return int(found[2]) < 60 and int(found[4]) < 60


def read_visit_times(lines: Iterable[tuple[str, str]]) -> tuple[VisitTime, ...]:
    """The spans of all Visit-time lines, of (key, value) lines."""
    found = (visit_time(value) for key, value in lines if key.lower() == "visit-time")
    return tuple(span for span in found if span is not None)


def read_delay(lines: Iterable[tuple[str, str]], dialect: Dialect) -> float | None:
    """Seconds between two requests, from (key, value) lines; the longest if several are asked."""
    asked = [
        delay for key, value in lines if (delay := _delay(key.lower(), value, dialect)) is not None
    ]
    return max(asked, default=None)


def _delay(key: str, value: str, dialect: Dialect) -> float | None:
    if key == "crawl-delay" and dialect.crawl_delay is not CrawlDelay.IGNORED:
        return seconds(value)
    if key == "request-rate" and dialect.request_rate:
        return seconds_of_rate(value)
    return None


def seconds(value: str) -> float | None:
    """The seconds of a Crawl-delay value; None where it is no finite number from 0 on."""
    delay = float(value) if _NUMBER.fullmatch(value) else math.inf
    return delay if math.isfinite(delay) else None


def seconds_of_rate(value: str) -> float | None:
    """The seconds a document, of a Request-rate value: "1/10s" gives 10, "100/24h" gives 864."""
    found = _RATE.match(value)
    if not found or not int(found[1]):
        return None
    return int(found[2]) * _UNITS[found[3].lower()] / int(found[1])
