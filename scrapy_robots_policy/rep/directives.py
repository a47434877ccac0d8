"""The values of Crawl-delay, Request-rate and Visit-time lines.

RFC 9309 has none of them. Request-rate and Visit-time are from the "extended standard" of 1996.
Which crawlers a line binds is in `groups`, and which delay is kept in `delay_limit`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from .dialects.dialect import Dialect
from .dialects.options import CrawlDelay

PACE_KEYS = ("crawl-delay", "request-rate", "visit-time")

# All expressions are linear: no two parts that follow each other can match the same octet.
# The numbers that reppy (strtof), crawler-commons (Double) and robots-parser (Number) all read
# alike. They take an exponent, but not Python's "1_0", " 5" and "inf".
_NUMBER = re.compile(r"\+?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
# At most nine digits: no rate is longer, and int() of a long number is slow.
_RATE = re.compile(r"(\d{1,9})\s*/\s*(\d{1,9})(?!\d)\s*([smhd]?)", re.IGNORECASE | re.ASCII)
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_TIMES = re.compile(
    r"(\d\d):?([0-5]\d)\s*-\s*(\d\d):?([0-5]\d)\s*(?:(?:UTC|GMT|Z)\s*)?", re.IGNORECASE | re.ASCII
)
_DAY = 86_400
_MAX_VISIT_TIMES = 100  # spans for one crawler: each request asks all of them


@dataclass(frozen=True, slots=True)
class VisitTime:
    """A span of each day, in seconds after midnight UTC. It spans midnight if `end` < `start`."""

    start: int
    end: int

    def opens_in(self, now: float) -> float:
        """Seconds until the span begins; 0 within it. `now` is seconds since the epoch."""
        since_start = (now - self.start) % _DAY
        length = (self.end - self.start) % _DAY or _DAY
        return 0.0 if since_start < length else _DAY - since_start

    def __str__(self) -> str:
        return f"{_clock(self.start)}-{_clock(self.end)} UTC"


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}"


def visit_time(value: str) -> VisitTime | None:
    """The span of a Visit-time value, such as "0600-0845"; None if it cannot be read."""
    match = _TIMES.fullmatch(value)
    if not match:
        return None
    start, end = (int(match[i]) * 3600 + int(match[i + 1]) * 60 for i in (1, 3))
    return VisitTime(start, end) if max(start, end) <= _DAY else None


def read_visit_times(lines: Iterable[tuple[str, str]]) -> tuple[VisitTime, ...]:
    """The spans of the Visit-time lines among (key, value) lines; of very many, the first ones."""
    spans = (visit_time(value) for key, value in lines if key.lower() == "visit-time")
    return tuple(islice((span for span in spans if span is not None), _MAX_VISIT_TIMES))


def read_delay(lines: Iterable[tuple[str, str]], dialect: Dialect) -> float | None:
    """Seconds between two requests, from (key, value) lines: the longest delay that the dialect
    honours, None without any.
    """
    delays = [
        delay for key, value in lines if (delay := _delay(key.lower(), value, dialect)) is not None
    ]
    return max(delays, default=None)


def _delay(key: str, value: str, dialect: Dialect) -> float | None:
    if key == "crawl-delay" and dialect.crawl_delay is not CrawlDelay.IGNORED:
        return seconds(value)
    if key == "request-rate" and dialect.request_rate:
        return seconds_of_rate(value)
    return None


def seconds(value: str) -> float | None:
    """The seconds of a Crawl-delay value; None unless it is a finite number, 0 or more."""
    delay = float(value) if _NUMBER.fullmatch(value) else math.inf
    return delay if math.isfinite(delay) else None


def seconds_of_rate(value: str) -> float | None:
    """The seconds between two documents, of a Request-rate value; None if it cannot be read.

    "1/10s" gives 10, "100/24h" gives 864.
    """
    match = _RATE.match(value)
    if not match or not int(match[1]):
        return None
    return int(match[2]) * _UNITS[match[3].lower()] / int(match[1])
