"""Sums over the origins of a crawl: by rule text, by registered domain, by preference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..fetch.sites import registrable_domain
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
