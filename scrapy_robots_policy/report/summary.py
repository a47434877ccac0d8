"""The figures of a crawl's report, and the same as plain data."""

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

    agent, dialect  those of the crawl; single hosts and requests may have had others
    began, ended    seconds since the epoch
    reason          Scrapy's reason for its end ("finished")
    counts          one for each origin
    stats           the crawl's stats; those that begin with "robots/" are part of the report
    """

    spider: str
    agent: str
    dialect: str
    began: float
    ended: float
    reason: str
    counts: Sequence[OriginCounts]
    stats: Mapping[str, Any]

    @property
    def passed(self) -> int:
        return sum(counts.passed for counts in self.counts)

    @property
    def dropped(self) -> int:
        return sum(counts.all_dropped for counts in self.counts)

    @property
    def origins(self) -> Sequence[OriginCounts]:
        """The counts of single origins: without the entry that several origins share."""
        return [counts for counts in self.counts if counts.origin != THE_REST]

    @property
    def modes(self) -> Mapping[str, int]:
        """The number of origins in each access mode; "": their robots.txt was not fetched."""
        return Counter(counts.mode for counts in self.origins)

    @property
    def drops(self) -> Iterator[tuple[int, str, str]]:
        """(count, origin, cause) for each cause of dropped requests."""
        for counts in self.counts:
            for cause, count in counts.dropped.items():
                yield count, counts.origin, cause

    @property
    def is_dry_run(self) -> bool:
        """Whether the requests that are counted as dropped were only counted, and passed."""
        return bool(self.stats_under("would_drop"))

    def stats_under(self, group: str) -> Mapping[str, Any]:
        """The stats "robots/<group>/<name>" by name."""
        head = f"robots/{group}/"
        return {name[len(head) :]: n for name, n in self.stats.items() if name.startswith(head)}


def as_json(report: Report) -> dict[str, Any]:
    """The report as JSON has it: instants in ISO 8601, durations in seconds.

    The access mode is called "stance" there, as in the stats.
    """
    return {
        "spider": report.spider,
        "agent": report.agent,
        "dialect": report.dialect,
        "began": utc(report.began).isoformat(),
        "ended": utc(report.ended).isoformat(),
        "reason": report.reason,
        "passed": report.passed,
        "dropped": report.dropped,
        "stances": report.modes,
        "stats": {name: n for name, n in report.stats.items() if name.startswith("robots/")},
        "origins": [_origin_as_json(counts) for counts in report.counts],
    }


def _origin_as_json(counts: OriginCounts) -> dict[str, Any]:
    return {"stance" if name == "mode" else name: value for name, value in asdict(counts).items()}


def utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, timezone.utc)
