"""What a change of a robots.txt opens and closes, for each crawler that one of the files names.

The engine is asked, before and after, about the paths of the rules of both files. Of paths whose
answers have the same cause before and the same cause after, the first stands for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..rep import Rule, Verdict
from ..resolver.origin import OriginRules

MAX_QUESTIONS = 200_000  # answers asked for in all

Causes = tuple[str, str]


@dataclass(slots=True)
class Change:
    """Paths that one file allows and the other does not.

    path   the first of them
    count  how many of the paths that were asked about
    """

    path: str
    before: Verdict
    after: Verdict
    count: int = 1

    @property
    def verb(self) -> str:
        return "opens" if self.after.allowed else "closes"


@dataclass(slots=True)
class CrawlersChanges:
    """The changes for crawlers that are bound by the same groups.

    delays   seconds before and after; the same where the delay does not change
    is_whole False: there were too many questions, and some were left out
    """

    crawlers: list[str]
    changes: list[Change]
    delays: tuple[float | None, float | None]
    is_whole: bool = True

    def __bool__(self) -> bool:
        return bool(self.changes) or self.delays[0] != self.delays[1]


@dataclass(slots=True)
class _Asker:
    before: OriginRules
    after: OriginRules
    left: int

    def changes(self, agent: str) -> CrawlersChanges:
        changes: dict[Causes, Change] = {}
        rules = (*_rules(self.before, agent), *_rules(self.after, agent))
        places = dict.fromkeys((("/",), *map(_paths, rules)))
        asked = list(places)[: self.left]
        self.left -= len(asked)
        for paths in asked:
            path = next((path for path in paths if self._is_changed(path, agent)), None)
            if path is None:
                continue
            one = Change(path, self.before.verdict(path, agent), self.after.verdict(path, agent))
            known = changes.setdefault((one.before.cause, one.after.cause), one)
            known.count += known is not one
        delays = self.before.crawl_delay(agent), self.after.crawl_delay(agent)
        is_whole = len(asked) == len(places)
        return CrawlersChanges([agent], list(changes.values()), delays, is_whole)

    def _is_changed(self, path: str, agent: str) -> bool:
        return self.before.allowed(path, agent) is not self.after.allowed(path, agent)


def changes_of(
    before: OriginRules, after: OriginRules, crawlers: Iterable[str]
) -> Iterator[CrawlersChanges]:
    """For each set of crawlers with the same groups, the changes; only where there are some."""
    asker = _Asker(before, after, MAX_QUESTIONS)
    by_groups: dict[tuple[object, ...], CrawlersChanges] = {}
    for agent in crawlers:
        groups = tuple(_lines(rules, agent) for rules in (before, after))
        if groups in by_groups:
            by_groups[groups].crawlers.append(agent)
        else:
            by_groups[groups] = asker.changes(agent)
    return (one for one in by_groups.values() if one or not one.is_whole)


def _lines(rules: OriginRules, agent: str) -> tuple[int, ...]:
    """What tells a crawler's group from others; no lines where no group names it."""
    group = rules.rules.group(agent) if rules.rules else None
    return group.lines if group else ()


def _rules(rules: OriginRules, agent: str) -> tuple[Rule, ...]:
    group = rules.rules.group(agent) if rules.rules else None
    return group.rules if group else ()


def _paths(rule: Rule) -> tuple[str, ...]:
    """Paths that the rule is meant for: each "*" stands for "x"."""
    path = rule.path.removesuffix("$").replace("*", "x")
    path = path if path.startswith("/") else f"/x{path}"
    return (path,) if rule.path.endswith("$") else (path, f"{path}x")
