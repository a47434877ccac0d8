"""The delay that is kept at a site: the one that the site asks for, within the user's limit."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

# The numbers that reppy (strtof), crawler-commons (Double) and robots-parser (Number) all read
# alike. They take an exponent, but not Python's "1_0", " 5" and "inf". Linear.
_NUMBER = re.compile(r"\+?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE | re.ASCII)

LONGEST = 366 * 86_400.0
"""Seconds; a longer delay is kept as this one. Timers and stores fail for 1e300 seconds."""


def seconds(value: str) -> float | None:
    """The seconds of a Crawl-delay value; None unless it is a finite number, 0 or more."""
    delay = float(value) if _NUMBER.fullmatch(value) else math.inf
    return delay if math.isfinite(delay) else None


@dataclass(frozen=True, slots=True)
class Delay:
    """The delay of a site, in seconds between two requests; 0: as fast as Scrapy goes.

    Attributes:
        seconds: the delay that is kept.
        requested: the delay that the site asks for, or the user's own delay for the site.
        action: what is done: "kept", "clamped", "set"; "" without a delay.

    """

    seconds: float = 0.0
    requested: float = 0.0
    action: str = ""

    def __str__(self) -> str:
        """`action`, with the limit if it is clamped: "kept", "clamped to 300 s"."""
        return f"clamped to {self.seconds:g} s" if self.action == "clamped" else self.action


NO_DELAY = Delay()


def kept_delay(requested: float | None, own: float | None, longest: float) -> Delay:
    """The delay to keep where the site asks for `requested` seconds, at most `longest`. The user's
    `own` delay for the site takes its place, without limit.
    """
    if own is not None:
        return Delay(min(own, LONGEST), own, "set") if own else NO_DELAY
    if not requested or not longest:
        return NO_DELAY
    if requested <= longest:
        return Delay(min(requested, LONGEST), requested, "kept")
    return Delay(min(longest, LONGEST), requested, "clamped")
