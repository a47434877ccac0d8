"""Findings of the same kind in lines that follow one another, joined to one.

They are joined as they come: a file of a few octets a line may have millions, and each would take
more memory than its line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from operator import attrgetter

from .findings import Edit, Finding

MAX_RUNS = 2000  # of one kind; the last of them stands for all that come after it
_Kind = tuple[str, str, tuple[str, ...]]


@dataclass(slots=True)
class _Run:
    """A finding that stands for others.

    last        the last of their lines
    others      how many there are
    is_gapless  whether they are in all lines between the two, and in no others
    """

    first: Finding
    last: int
    edits: list[Edit]
    others: int = 0
    is_gapless: bool = True

    @property
    def kind(self) -> _Kind:
        return self.first.code, self.first.fix, self.first.dialects

    def is_followed_by(self, run: _Run) -> bool:
        return self.is_gapless and run.is_gapless and run.first.line == self.last + 1

    def add(self, run: _Run) -> None:
        self.is_gapless = self.is_followed_by(run)
        self.last = max(self.last, run.last)
        self.others += 1 + run.others
        self.edits += run.edits

    @property
    def finding(self) -> Finding:
        if not self.others:
            return self.first
        if self.is_gapless:
            after = f"the {self.others} lines" if self.others > 1 else "the line"
            more = f"and so in {after} after it"
        else:
            more = f"and {self.others:,} more like it, up to line {self.last}"
        message = f"{self.first.message} ({more})"
        return replace(self.first, message=message, last=self.last, edits=tuple(self.edits))


def in_runs(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings in the order of the file: one for lines that follow one another and have the
    same fault, and `MAX_RUNS` of one kind at most.
    """
    runs = _joined(_Run(one, one.line, list(one.edits)) for one in findings)
    # A check may look at the groups in another order than that of their lines.
    runs.sort(key=attrgetter("first.line", "first.column", "first.code"))
    return tuple(run.finding for run in _joined(runs))


def _joined(runs: Iterable[_Run]) -> list[_Run]:
    kept: list[_Run] = []
    counts: Counter[_Kind] = Counter()
    latest: dict[_Kind, _Run] = {}
    for run in runs:
        kind = run.kind
        before = latest.get(kind)
        if before and (before.is_followed_by(run) or counts[kind] >= MAX_RUNS):
            before.add(run)
            continue
        latest[kind] = run
        counts[kind] += 1
        kept.append(run)
    return kept
