"""The delay that is kept at a site: the delay that the site asks for, within the user's limit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class OverMax(Enum):
    """What to do at a site that asks for a longer delay than the user's limit."""

    CLAMP = "clamp"  # keep the limit
    SKIP = "skip"  # drop its pages
    IGNORE = "ignore"  # keep no delay
    QUEUE = "queue"  # keep the whole delay: its pages wait for as long as the crawl lives


LONGEST = 366 * 86_400.0
"""Seconds; a longer delay is kept as this one. Timers and stores fail for 1e300 seconds."""


@dataclass(frozen=True, slots=True)
class Delay:
    """The delay of a site, in seconds between two requests; 0: as fast as Scrapy goes.

    seconds    the delay that is kept
    requested  the delay that the site asks for, or the user's own delay for the site
    action     what is done: "kept", "clamped", "skipped", "ignored", "queued", "set"; "" without a
               delay
    """

    seconds: float = 0.0
    requested: float = 0.0
    action: str = ""

    @property
    def skips(self) -> bool:
        """Whether the site's pages are dropped."""
        return self.action == "skipped"

    def __str__(self) -> str:
        """`action`, with the limit if it is clamped: "kept", "clamped to 300 s"."""
        return f"clamped to {self.seconds:g} s" if self.action == "clamped" else self.action


NO_DELAY = Delay()


@dataclass(frozen=True, slots=True)
class DelayLimit:
    """The user's limit.

    obeys      whether sites' delays are kept at all
    max_delay  the longest delay that is kept, in seconds
    over_max   what to do where a site asks for a longer delay
    """

    obeys: bool = True
    max_delay: float = 300.0
    over_max: OverMax = OverMax.CLAMP

    def delay(self, requested: float | None, own: float | None) -> Delay:
        """The delay to keep where the site asks for `requested` seconds. The user's `own` delay for
        the site takes its place, without limit.
        """
        if own is not None:
            return Delay(own, own, "set") if own else NO_DELAY
        if not requested or not self.obeys:
            return NO_DELAY
        if requested <= self.max_delay:
            return Delay(requested, requested, "kept")
        if self.over_max is OverMax.CLAMP:
            return Delay(self.max_delay, requested, "clamped")
        if self.over_max is OverMax.QUEUE:
            return Delay(min(requested, LONGEST), requested, "queued")
        return Delay(0.0, requested, "skipped" if self.over_max is OverMax.SKIP else "ignored")
