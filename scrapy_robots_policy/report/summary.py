"""The figures of a crawl's report, and the same as plain data.

Sums over the origins of a crawl: by rule text, by registered domain, by preference.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timezone
from functools import cached_property
from typing import Any

from .. import stats as names
from ..fetch.redirects import registrable_domain
from ..rep.url import host_of_origin
from .counts import THE_REST, OriginCounts, rule_text


@dataclass(slots=True)
class RuleSum:
    """What one rule text, or another cause, has refused.

    origins  how many origins have it
    samples  some of the URLs
    """

    text: str
    dropped: int = 0
    origins: int = 0
    samples: Sequence[str] = ()


@dataclass(slots=True)
class DomainSum:
    """The counts of all origins of one registered domain.

    lost  seconds that requests waited in all, for robots.txt files and for their turn
    """

    domain: str
    origins: int = 0
    passed: int = 0
    dropped: int = 0
    lost: float = 0.0

    def add(self, counts: OriginCounts) -> None:
        self.origins += 1
        self.passed += counts.passed
        self.dropped += counts.all_dropped
        self.lost += counts.waited + counts.held


def by_rule(
    origins: Iterable[OriginCounts], samples: Mapping[str, Sequence[str]]
) -> Sequence[RuleSum]:
    """The commonest first. The same rule on two lines of a file counts as one."""
    sums: dict[str, RuleSum] = {}
    for counts in origins:
        texts: set[str] = set()
        for cause, count in counts.dropped.items():
            text = rule_text(cause)
            total = sums.get(text)
            if total is None:
                total = sums[text] = RuleSum(text, samples=samples.get(text, ()))
            total.dropped += count
            total.origins += text not in texts
            texts.add(text)
    return sorted(sums.values(), key=lambda one: (-one.dropped, one.text))


def by_domain(origins: Iterable[OriginCounts]) -> Sequence[DomainSum]:
    """The most dropped first."""
    sums: dict[str, DomainSum] = {}
    for counts in origins:
        name = counts.origin
        if name != THE_REST:
            host = host_of_origin(name)
            # What a company has registered is one domain, with all sites that it hosts below it.
            name = registrable_domain(host, of_companies=False) or host
        sums.setdefault(name, DomainSum(name)).add(counts)
    return sorted(sums.values(), key=lambda one: (-one.dropped, -one.lost, one.domain))


def by_use(origins: Iterable[OriginCounts]) -> Mapping[str, int]:
    """How many origins state each preference about the use of their pages."""
    return Counter(use for counts in origins for use in counts.usage)


MAX_SUMS = 1_000  # rule texts, and registered domains, in the data
_FIELDS = {
    item.name: "stance" if item.name == "mode" else item.name for item in fields(OriginCounts)
}


@dataclass(frozen=True)
class Report:
    """One crawl.

    agent, dialect  those of the crawl; single hosts and requests may have had others
    began, ended    seconds since the epoch
    reason          Scrapy's reason for its end ("finished")
    counts          one for each origin
    stats           the crawl's stats of robots.txt
    samples         URLs that were dropped, by rule text or other cause
    """

    spider: str
    agent: str
    dialect: str
    began: float
    ended: float
    reason: str
    counts: Sequence[OriginCounts]
    stats: Mapping[str, Any]
    samples: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def passed(self) -> int:
        return sum(counts.passed for counts in self.counts)

    @property
    def dropped(self) -> int:
        return sum(counts.all_dropped for counts in self.counts)

    @property
    def waited(self) -> float:
        """Seconds that requests waited for robots.txt files, in all."""
        return sum(counts.waited for counts in self.counts)

    @property
    def held(self) -> float:
        """Seconds that requests waited for their turn, in all."""
        return sum(counts.held for counts in self.counts)

    @property
    def put_back(self) -> int:
        return int(self.stats.get(names.PUT_BACK, 0))

    @property
    def origins(self) -> Sequence[OriginCounts]:
        """The counts of single origins: without the entry that several origins share."""
        return [counts for counts in self.counts if not counts.is_shared]

    @property
    def trouble(self) -> int:
        return sum(counts.trouble for counts in self.origins)

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

    @cached_property
    def rules(self) -> Sequence[RuleSum]:
        return by_rule(self.counts, self.samples)

    @cached_property
    def domains(self) -> Sequence[DomainSum]:
        return by_domain(self.counts)

    @cached_property
    def uses(self) -> Mapping[str, int]:
        return by_use(self.counts)

    @property
    def is_dry_run(self) -> bool:
        """Whether the requests that are counted as dropped were only counted, and passed."""
        return bool(self.stats_under(names.WOULD_DROP))

    def stats_under(self, start: str) -> Mapping[str, Any]:
        """The stats whose names begin so, by the rest of their names."""
        return {
            name[len(start) :]: value
            for name, value in self.stats.items()
            if name.startswith(start)
        }


def json_parts(report: Report) -> Iterator[str]:
    """The report as JSON, in parts: a line for each origin, of which there may be many. Instants
    are in ISO 8601, durations in seconds. The access mode has the name `stance`, as in the stats.
    """
    yield json.dumps(_sums_as_json(report), indent=1)[:-2]
    yield ',\n "origins": ['
    between = "\n  "
    for counts in report.counts:
        yield between + json.dumps({name: getattr(counts, own) for own, name in _FIELDS.items()})
        between = ",\n  "
    yield "\n ]\n}\n"


def _sums_as_json(report: Report) -> dict[str, Any]:
    return {
        "spider": report.spider,
        "agent": report.agent,
        "dialect": report.dialect,
        "began": utc(report.began).isoformat(),
        "ended": utc(report.ended).isoformat(),
        "reason": report.reason,
        "passed": report.passed,
        "dropped": report.dropped,
        "waited": report.waited,
        "held": report.held,
        "stances": report.modes,
        "stats": report.stats,
        "rules": _rows(report.rules),
        "domains": _rows(report.domains),
        "usage": report.uses,
    }


def _rows(sums: Iterable[RuleSum | DomainSum]) -> list[dict[str, Any]]:
    rows = [{item.name: getattr(one, item.name) for item in fields(one)} for one in sums]
    return rows[:MAX_SUMS]


def utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, timezone.utc)
