"""What was decided, origin by origin.

Knows: what is counted. Must not know: how a decision is made, how the counts look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..rep import Verdict

MOST_ORIGINS = 10_000
MOST_CAUSES = 100
THE_REST = "all others"


@dataclass
class Line:
    """The counts of one origin.

    stance   what may be done with it, in a word ("rules", "disallow"); `why`: "200", "timeout"
    trouble  whether its robots.txt could not be had, or was refused
    passed   requests let through; `dropped`: requests dropped, by cause
    waits    requests that waited for its robots.txt, `waited` seconds in all
    delay    the seconds between two requests that it asks for; `paced`: what is done ("kept")
    """

    origin: str
    stance: str = ""
    why: str = ""
    trouble: bool = False
    fetches: int = 0
    passed: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    waits: int = 0
    waited: float = 0.0
    longest_wait: float = 0.0
    delay: float = 0.0
    paced: str = ""

    def drop(self, verdict: Verdict) -> None:
        known = verdict.cause in self.dropped or len(self.dropped) < MOST_CAUSES
        cause = verdict.cause if known else THE_REST
        self.dropped[cause] = self.dropped.get(cause, 0) + 1

    def wait(self, seconds: float) -> None:
        self.waits += 1
        self.waited += seconds
        self.longest_wait = max(self.longest_wait, seconds)


class CrawlCounts:
    """A line for each origin, in the order they were met; beyond a bound they share the last."""

    def __init__(self, most_origins: int = MOST_ORIGINS) -> None:
        self.most_origins = most_origins
        self._lines: dict[str, Line] = {}

    def of(self, origin: str) -> Line:
        line = self._lines.get(origin)
        if line is None:
            name = origin if len(self._lines) < self.most_origins else THE_REST
            line = self._lines.setdefault(name, Line(name))
        return line

    @property
    def lines(self) -> Sequence[Line]:
        return tuple(self._lines.values())
