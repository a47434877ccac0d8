"""What must be true of the times in a record: one clock that never goes back gave those of a crawl.

A file that a store or another process has brought may have times of another machine's clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import inf
from typing import Any

from ..rep import CacheEntry
from ..rep.escapes import brief
from ..stores import MAX_SKEW
from .chain import START
from .fields import instant, seconds_of

TIMED = frozenset({"decision", "page", "end"})  # the types of lines that say when they were written
_ROUNDING = 0.002  # seconds; an age has three decimals


class Course:
    """The course of time through the lines of a file.

    latest  of all moments so far, in seconds
    """

    def __init__(self) -> None:
        self._last, self.latest = "", -inf

    def take(self, fields: Mapping[str, Any]) -> None:
        """Take in one line. ValueError where it is of an earlier time than the line before."""
        if fields["type"] == "crawl":
            if fields["prev"] == START or not self._last:
                self._last = fields["began"]
        elif fields["type"] in TIMED:
            at = seconds_of(fields["at"])
            if at < seconds_of(self._last):
                raise ValueError(f"its time is before {brief(self._last)}, that of a line before")
            self._last, self.latest = fields["at"], max(self.latest, at)


def check_exchanges(robots: Mapping[str, Any]) -> None:
    """ValueError where requests for a file did not go one after the other."""
    moments = [
        exchange[name] for exchange in robots.get("exchanges", ()) for name in ("asked", "answered")
    ]
    if robots["source"] == "site":
        moments.append(robots["answered"])
    if any(seconds_of(later) < seconds_of(sooner) for sooner, later in pairwise(moments)):
        raise ValueError("its exchanges are not in the order of their times")


def check_basis(at: float, entry: CacheEntry, source: str) -> None:
    """ValueError where a decision was made before the file came that it rests on."""
    skew = 0.0 if source == "site" else MAX_SKEW
    if at + skew < entry.asked_at:
        raise ValueError(f"it rests on what came later, at {instant(entry.asked_at)}")


def check_age(at: float, age: float, entry: CacheEntry) -> None:
    """ValueError where the age of a file is not that of its times."""
    age_by_times = max(at - entry.current_at, 0.0)
    if abs(age_by_times - age) > _ROUNDING:
        raise ValueError(
            f"the age {age:g} s of a file that was {age_by_times:.3f} s old by its times"
        )


def check_life(recorded: str | None, fresh_until: float) -> None:
    """ValueError where a line says that its file was fresh for another time than it was."""
    by_times = instant(fresh_until)
    if recorded == by_times:
        return
    if (
        recorded is None
        or by_times is None
        or abs(seconds_of(recorded) - seconds_of(by_times)) > _ROUNDING
    ):
        raise ValueError(
            f"its file is fresh until {by_times}, not until {recorded and brief(recorded)}"
        )
