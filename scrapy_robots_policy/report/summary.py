"""What a crawl has come to: its tally with its circumstances, as plain data too.

Knows: which figures there are. Must not know: how they look, where they are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import Any

from .counts import THE_REST, OriginCounts


@dataclass(frozen=True, slots=True)
class Report:
    """One crawl.

    agent, dialect  those of the crawl; single hosts and requests may have had their own
    began, ended    POSIX seconds
    reason          why it ended, in Scrapy's word: "finished"
    lines           one for each origin
    stats           the crawl's stats, of which only those that begin with "robots/" are told
    """

    spider: str
    agent: str
    dialect: str
    began: float
    ended: float
    reason: str
    lines: Sequence[OriginCounts]
    stats: Mapping[str, Any]

    @property
    def passed(self) -> int:
        return sum(line.passed for line in self.lines)

    @property
    def dropped(self) -> int:
        return sum(sum(line.dropped.values()) for line in self.lines)

    @property
    def origins(self) -> Sequence[OriginCounts]:
        """The lines that stand for one origin each."""
        return [line for line in self.lines if line.origin != THE_REST]

    @property
    def stances(self) -> Mapping[str, int]:
        """How many origins have each stance; "": those that were never asked."""
        return Counter(line.stance for line in self.origins)

    @property
    def drops(self) -> Iterator[tuple[int, str, str]]:
        """(count, origin, cause), as they come."""
        for line in self.lines:
            for cause, count in line.dropped.items():
                yield count, line.origin, cause

    @property
    def is_rehearsal(self) -> bool:
        """Whether what counts as dropped has passed all the same: the crawl was a dry run."""
        return bool(self.counts("would_drop"))

    def counts(self, group: str) -> Mapping[str, Any]:
        """The stats "robots/<group>/…" by what follows."""
        head = f"robots/{group}/"
        return {name[len(head) :]: n for name, n in self.stats.items() if name.startswith(head)}


def as_json(report: Report) -> dict[str, Any]:
    """All of it, as JSON can hold it; times in ISO 8601, durations in seconds."""
    return {
        "spider": report.spider,
        "agent": report.agent,
        "dialect": report.dialect,
        "began": utc(report.began).isoformat(),
        "ended": utc(report.ended).isoformat(),
        "reason": report.reason,
        "passed": report.passed,
        "dropped": report.dropped,
        "stances": report.stances,
        "stats": {name: n for name, n in report.stats.items() if name.startswith("robots/")},
        "origins": [asdict(line) for line in report.lines],
    }


def utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, timezone.utc)
