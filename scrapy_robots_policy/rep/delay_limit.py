"""The delay that is kept at a site: what the site asks for, within the user's limit.

Must not know: settings' names, or how a crawl slows down.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class OverMost(Enum):
    """What to do at a site that asks for a longer delay than the user's limit."""

    CLAMP = "clamp"  # keep the limit
    SKIP = "skip"  # drop its pages
    IGNORE = "ignore"  # keep no delay


@dataclass(frozen=True, slots=True)
class Delay:
    """The delay of a site, in seconds between two requests; 0: as fast as Scrapy goes.

    seconds  the delay that is kept
    asked    the delay that the site, or the user for it, asked for
    done     what became of that: "kept", "clamped", "skipped", "ignored", "set"; "" without one
    skips    the site's pages are dropped
    """

    seconds: float = 0.0
    asked: float = 0.0
    done: str = ""

    @property
    def skips(self) -> bool:
        return self.done == "skipped"

    def __str__(self) -> str:
        """`done`, with the limit where it was clamped: "kept", "clamped to 300 s"."""
        return f"clamped to {self.seconds:g} s" if self.done == "clamped" else self.done


NONE = Delay()


@dataclass(frozen=True, slots=True)
class DelayLimit:
    """The user's limit.

    obeys      whether sites' delays are kept at all
    most       the longest delay that is kept, in seconds
    over_most  what to do where a site asks for more
    """

    obeys: bool = True
    most: float = 300.0
    over_most: OverMost = OverMost.CLAMP

    def delay(self, asked: float | None, own: float | None) -> Delay:
        """The delay to keep where the site asks for `asked` seconds. The user's `own` delay for the
        site takes its place, without limit.
        """
        if own is not None:
            return Delay(own, own, "set") if own else NONE
        if not asked or not self.obeys:
            return NONE
        if asked <= self.most:
            return Delay(asked, asked, "kept")
        if self.over_most is OverMost.CLAMP:
            return Delay(self.most, asked, "clamped")
        return Delay(0.0, asked, "skipped" if self.over_most is OverMost.SKIP else "ignored")
