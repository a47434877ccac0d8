"""What was decided, origin by origin, and how it looks in a terminal.

Knows: counts and words. Must not know: how a decision is made, or where the text is printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .rep import Verdict

MOST_ORIGINS = 10_000
MOST_CAUSES = 100
THE_REST = "all others"


@dataclass
class Line:
    """The counts of one origin.

    stance   what may be done with it, in a word ("rules", "disallow"); `why`: "200", "timeout"
    passed   requests let through; `dropped`: requests dropped, by cause
    waits    requests that waited for its robots.txt; `longest_wait` in seconds
    delay    the seconds between two requests that it asks for
    """

    origin: str
    stance: str = ""
    why: str = ""
    fetches: int = 0
    passed: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    waits: int = 0
    longest_wait: float = 0.0
    delay: float = 0.0

    def drop(self, verdict: Verdict) -> None:
        known = verdict.cause in self.dropped or len(self.dropped) < MOST_CAUSES
        cause = verdict.cause if known else THE_REST
        self.dropped[cause] = self.dropped.get(cause, 0) + 1

    def wait(self, seconds: float) -> None:
        self.waits += 1
        self.longest_wait = max(self.longest_wait, seconds)


class Tally:
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


HEAD = ("origin", "stance", "passed", "dropped", "waited", "why")
_RIGHT = frozenset({2, 3, 4})


def table(lines: Iterable[Line]) -> str:
    """The tally as plain text: a row for each origin, and one for each cause of a drop."""
    rows: list[tuple[str, ...]] = [HEAD]
    for line in lines:
        rows.append(_row(line))
        by_count = sorted(line.dropped.items(), key=lambda item: -item[1])
        rows += [("", "", "", str(count), "", cause) for cause, count in by_count]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(_aligned(row, widths) for row in rows)


def _row(line: Line) -> tuple[str, ...]:
    waited = f"{line.longest_wait:.1f} s" if line.waits else "-"
    dropped = sum(line.dropped.values())
    return line.origin, line.stance, str(line.passed), str(dropped), waited, line.why


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (
        cell.rjust(width) if column in _RIGHT else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join(cells).rstrip()
