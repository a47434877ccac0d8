"""The figures of a crawl's report, as plain data: sums over its origins, by rule and preference."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timezone
from functools import cached_property
from typing import Any

from .. import stats as names
from ..formats import elapsed, size
from .counts import OriginCounts, rule_text

MAX_SUMS = 1_000  # rule texts in the data
_FIELDS = tuple(item.name for item in fields(OriginCounts))


@dataclass(slots=True)
class RuleSum:
    """What one rule text, or another cause, has refused.

    Attributes:
        origins: how many origins have it.
        worst: the origin that has refused the most by it, and how often.
        samples: some of the URLs.

    """

    text: str
    refused: int = 0
    origins: int = 0
    worst: tuple[int, str] = (0, "")
    samples: Sequence[str] = ()


def by_rule(
    origins: Iterable[OriginCounts], samples: Mapping[str, Sequence[str]]
) -> Sequence[RuleSum]:
    """The commonest first. The same rule on two lines of a file counts as one."""
    sums: dict[str, RuleSum] = {}
    for counts in origins:
        texts: set[str] = set()
        for cause, refused in counts.refused.items():
            text = rule_text(cause)
            total = sums.get(text)
            if total is None:
                total = sums[text] = RuleSum(text, samples=samples.get(text, ()))
            total.refused += refused
            total.origins += text not in texts
            total.worst = max(total.worst, (refused, counts.origin))
            texts.add(text)
    return sorted(sums.values(), key=lambda one: (-one.refused, one.text))


def by_use(origins: Iterable[OriginCounts]) -> Mapping[str, int]:
    """How many origins state each preference about the use of their pages."""
    return Counter(use for counts in origins for use in counts.usage)


@dataclass(frozen=True)
class Report:
    """One crawl.

    Attributes:
        agent, dialect: those of the crawl; single hosts and requests may have had others.
        began, ended: seconds since the epoch.
        reason: Scrapy's reason for its end ("finished").
        counts: one for each origin.
        stats: the crawl's stats of robots.txt.
        samples: URLs that were refused, by rule text or other cause.
        permissions: the user's permissions that were asked for, each with whether it holds still.

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
    permissions: Mapping[str, bool] = field(default_factory=dict)

    @property
    def passed(self) -> int:
        return sum(counts.passed for counts in self.counts)

    @property
    def refused(self) -> int:
        return sum(counts.all_refused for counts in self.counts)

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

    @cached_property
    def troubled(self) -> Sequence[OriginCounts]:
        return [one for one in self.worst_first if one.trouble and not one.is_shared]

    @cached_property
    def worst_first(self) -> Sequence[OriginCounts]:
        return sorted(self.counts, key=lambda one: (-one.all_refused, -one.longest_wait))

    @property
    def outcomes(self) -> Sequence[tuple[str, str, int]]:
        """(CSS class, words, number) of requests that passed, that were refused, that were lost."""
        lost = sum(one.all_refused for one in self.troubled)
        return (
            ("mode-allow", "passed", self.passed),
            ("mode-disallow", "refused, as the site asks", self.refused - lost),
            ("mode-defer", "refused, because its robots.txt could not be had", lost),
        )

    @property
    def waits(self) -> Sequence[Sequence[str]]:
        """(origin, longest wait, requests that waited, delay, time held) of what waited."""
        waiting = [one for one in self.counts if one.longest_wait >= 0.05 or one.delay or one.held]
        return [
            (
                one.origin,
                elapsed(one.longest_wait),
                f"{one.waits:,}",
                f"{one.delay:g} s ({one.paced})" if one.delay else "",
                elapsed(one.held) if one.held else "",
            )
            for one in sorted(waiting, key=lambda one: -max(one.longest_wait, one.held, one.delay))
        ]

    @property
    def declared_uses(self) -> Sequence[tuple[str, int]]:
        """(the answer to a declared use, pages), the commonest first."""
        uses: Counter[str] = Counter()
        for one in self.counts:
            uses.update(one.uses)
        return uses.most_common()

    @property
    def tags(self) -> Sequence[tuple[str, int]]:
        """(what a robots tag asks for and what was done, how often)"""
        stats = self.stats_under(names.TAGS).items()
        return [(re.sub("[/_]", " ", name), number) for name, number in sorted(stats)]

    @property
    def rows(self) -> Sequence[Sequence[str]]:
        """A row for each origin, the worst first."""
        return [
            (
                one.origin,
                one.mode_words,
                one.why,
                f"{one.passed:,}",
                f"{one.all_refused:,}",
                elapsed(one.longest_wait),
                f"{one.delay:g} s" if one.delay else "",
                size(one.size) + ", cut" * one.cut if one.size else "",
            )
            for one in self.worst_first
        ]

    @property
    def modes(self) -> Mapping[str, int]:
        """The number of origins in each access mode; "": their robots.txt was not fetched."""
        return Counter(counts.mode for counts in self.origins)

    @cached_property
    def rules(self) -> Sequence[RuleSum]:
        return by_rule(self.counts, self.samples)

    @cached_property
    def uses(self) -> Mapping[str, int]:
        return by_use(self.counts)

    @property
    def is_dry_run(self) -> bool:
        """Whether the requests that are counted as refused were only counted, and passed."""
        return bool(self.stats_under(names.WOULD_REFUSE))

    def stats_under(self, start: str) -> Mapping[str, Any]:
        """The stats whose names begin so, by the rest of their names."""
        return {
            name[len(start) :]: value
            for name, value in self.stats.items()
            if name.startswith(start)
        }


def json_parts(report: Report) -> Iterator[str]:
    """The report as JSON, in parts: a line for each origin, of which there may be many. Instants
    are in ISO 8601, durations in seconds.
    """
    yield json.dumps(_sums_as_json(report), indent=1)[:-2]
    yield ',\n "origins": ['
    between = "\n  "
    for counts in report.counts:
        yield between + json.dumps({name: getattr(counts, name) for name in _FIELDS})
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
        "refused": report.refused,
        "waited": report.waited,
        "held": report.held,
        "modes": report.modes,
        "stats": report.stats,
        "rules": _rows(report.rules),
        "usage": report.uses,
        "permissions": report.permissions,
    }


def _rows(sums: Iterable[RuleSum]) -> list[dict[str, Any]]:
    rows = [{item.name: getattr(one, item.name) for item in fields(one)} for one in sums]
    return rows[:MAX_SUMS]


def utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, timezone.utc)
