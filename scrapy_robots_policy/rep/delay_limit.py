"""What becomes of the delay that a site asks for: kept, cut, left aside, or too long for us.

Knows: the site's word, the user's limit and the user's own word. Must not know: settings' names,
how a crawl slows down.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class OverMost(Enum):
    """What is done where a site asks for more than the user's limit."""

    CLAMP = "clamp"  # go as slowly as the limit
    SKIP = "skip"  # leave the site alone
    IGNORE = "ignore"  # go as fast as without its word


@dataclass(frozen=True, slots=True)
class Delay:
    """`asked` and `seconds` between two requests; 0: as fast as Scrapy goes.

    done   what has become of what was asked for, in a word; "" where nothing was
    skips  the site is left alone
    """

    seconds: float = 0.0
    asked: float = 0.0
    done: str = ""

    @property
    def skips(self) -> bool:
        return self.done == "skipped"

    def __str__(self) -> str:
        """What is done: "kept", "clamped to 300 s"."""
        return f"clamped to {self.seconds:g} s" if self.done == "clamped" else self.done


NONE = Delay()


@dataclass(frozen=True, slots=True)
class DelayLimit:
    """The user's limit.

    obeys  whether a site's word counts at all
    most   seconds
    """

    obeys: bool = True
    most: float = 300.0
    over_most: OverMost = OverMost.CLAMP

    def delay(self, asked: float | None, own: float | None) -> Delay:
        """`asked` by the site; the user's `own` word for it counts in its place, without limit."""
        if own is not None:
            return Delay(own, own, "set") if own else NONE
        if not asked or not self.obeys:
            return NONE
        if asked <= self.most:
            return Delay(asked, asked, "kept")
        if self.over_most is OverMost.CLAMP:
            return Delay(self.most, asked, "clamped")
        return Delay(0.0, asked, "skipped" if self.over_most is OverMost.SKIP else "ignored")
