"""The delay that a robots.txt asks of a crawler, by its Crawl-delay lines.

RFC 9309 has none of them. Which delay is kept is in `delay_limit`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from .dialects.dialect import Dialect
from .dialects.options import CrawlDelay
from .groups import Groups
from .lines import grammar_of

# Linear: no two parts that follow each other can match the same octet.
# The numbers that reppy (strtof), crawler-commons (Double) and robots-parser (Number) all read
# alike. They take an exponent, but not Python's "1_0", " 5" and "inf".
_NUMBER = re.compile(r"\+?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


def may_have_delay(body: bytes, dialect: Dialect) -> bool:
    """Whether a file may have a Crawl-delay that the dialect reads. Most have none."""
    reads = dialect.crawl_delay is not CrawlDelay.IGNORED
    return reads and b"-delay" in body[: dialect.size_limit].lower()


def delay_for(agent: str, groups: Groups, text: str, dialect: Dialect) -> float | None:
    """Seconds between two requests; None where the file asks the crawler for no delay."""
    delay = _longest(groups.pace_spans(agent, text), text, dialect)
    if delay is None and dialect.crawl_delay is CrawlDelay.OWN_OR_ALL:
        delay = _longest(groups.pace_spans_of_all(text), text, dialect)
    return delay


def _longest(spans: Iterable[tuple[int, int]], text: str, dialect: Dialect) -> float | None:
    directive = grammar_of(dialect).directive
    lines = (line for start, end in spans for line in directive.findall(text, start, end))
    delays = (seconds(value) for key, value in lines if key.lower() == "crawl-delay")
    return max((delay for delay in delays if delay is not None), default=None)


def seconds(value: str) -> float | None:
    """The seconds of a Crawl-delay value; None unless it is a finite number, 0 or more."""
    delay = float(value) if _NUMBER.fullmatch(value) else math.inf
    return delay if math.isfinite(delay) else None
