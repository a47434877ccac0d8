"""What a change of a robots.txt opens and closes, for each crawler that one of the files names.

The engine is asked, before and after, about the paths of the rules of both files. Of paths whose
answers have the same cause before and the same cause after, the first stands for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..lint.rule_findings import meant_path
from ..rep import Group, Rule, Verdict
from ..resolver.origin import OriginRules

MAX_RULES = 100_000  # read in all; a file may give each of its crawlers many


@dataclass(slots=True)
class Change:
    """Paths that one file allows and the other does not.

    path   the first of them
    count  how many of the paths that were asked about
    """

    path: str
    before: Verdict
    after: Verdict
    count: int = 0

    @property
    def verb(self) -> str:
        return "opens" if self.after.allowed else "closes"


@dataclass(slots=True)
class CrawlersChanges:
    """The changes for crawlers that are bound by the same groups.

    delays   seconds before and after; the same where the delay does not change
    is_whole False: there were too many rules, and these crawlers were not asked about
    """

    crawlers: list[str]
    changes: list[Change]
    delays: tuple[float | None, float | None]
    is_whole: bool = True

    @property
    def are_some(self) -> bool:
        return bool(self.changes) or self.delays[0] != self.delays[1]


def changes_of(
    before: OriginRules, after: OriginRules, crawlers: Iterable[str]
) -> Iterator[CrawlersChanges]:
    """For each set of crawlers with the same groups, the changes; only where there are some."""
    left = MAX_RULES
    by_groups: dict[tuple[tuple[int, ...], ...], CrawlersChanges] = {}
    unasked: list[str] = []
    for agent in crawlers:
        if left < 0:
            unasked.append(agent)
            continue
        groups = [_group(file, agent) for file in (before, after)]
        rules = [rule for group in groups if group for rule in group.rules]
        left -= len(rules)
        key = tuple(group.lines if group else () for group in groups)
        if key in by_groups:
            by_groups[key].crawlers.append(agent)
        else:
            by_groups[key] = _changes(before, after, agent, rules)
    yield from (changes for changes in by_groups.values() if changes.are_some)
    if unasked:
        yield CrawlersChanges(unasked, [], (None, None), is_whole=False)


def _changes(
    before: OriginRules, after: OriginRules, agent: str, rules: Iterable[Rule]
) -> CrawlersChanges:
    changes: dict[tuple[str, str], Change] = {}  # by the causes before and after
    for paths in dict.fromkeys((("/",), *map(_paths, rules))):
        for path in paths:
            if before.allowed(path, agent) is not after.allowed(path, agent):
                old, new = before.verdict(path, agent), after.verdict(path, agent)
                changes.setdefault((old.cause, new.cause), Change(path, old, new)).count += 1
                break
    delays = before.crawl_delay(agent), after.crawl_delay(agent)
    return CrawlersChanges([agent], list(changes.values()), delays)


def _group(file: OriginRules, agent: str) -> Group | None:
    return file.rules.group(agent) if file.rules else None


def _paths(rule: Rule) -> tuple[str, ...]:
    """Paths that the rule is meant for, as they are sent."""
    path = meant_path(rule.path)
    return (path,) if rule.path.endswith("$") else (path, f"{path}x")
