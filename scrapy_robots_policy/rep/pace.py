"""How fast and when a group asks to be visited.

Knows: the values of Crawl-delay and Request-rate lines. Must not know: who is bound by them, nor
how a crawler slows down.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from .dialect import Dialect
from .knobs import CrawlDelay

# No more digits than a float can divide: a longer number is nobody's rate.
_RATE = re.compile(r"(\d{1,9})\s*/\s*(\d{1,9})(?!\d)\s*([smhd]?)", re.IGNORECASE)
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


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
    """The seconds of a Crawl-delay value; None where it is no number from 0 on."""
    try:
        delay = float(value)
    except ValueError:
        return None
    return delay if math.isfinite(delay) and delay >= 0 else None


def seconds_of_rate(value: str) -> float | None:
    """The seconds for a document, of a Request-rate value: "1/10s" gives 10, "100/24h" gives 864."""
    found = _RATE.match(value)
    if not found or not int(found[1]):
        return None
    return int(found[2]) * _UNITS[found[3].lower()] / int(found[1])
