"""What a change of a robots.txt opens and closes, for each crawler that one of the files names.

The engine is asked, before and after, about the paths of the rules of both files. Of paths whose
answers have the same cause before and the same cause after, the first stands for all.

A rule may change the answer for pages of another rule only: "Allow: /*.css$" opens some pages of
"Disallow: /admin/". So a rule that only one of the files has, and whose own paths have the same
answers before and after, is also looked at together with each other rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from ..rep import Group, Rule, Verdict
from ..resolver.origin import OriginRules
from .rule_paths import filling_for, is_wild, paths_of, shared_paths

MAX_RULES = 100_000  # read in all; a file may give each of its crawlers many
MAX_PAIRS = 300_000  # of rules that are looked at together, in all

Causes = tuple[str, str]
# The lines of the groups that bind a crawler, and their rules; those before the first User-agent
# line may bind only some of the crawlers of a group.
_Bound = tuple[tuple[int, ...], tuple[Rule, ...]] | None
_Delays = tuple[float | None, float | None]


@dataclass(slots=True)
class Change:
    """Paths that one file allows and the other does not.

    path   the first of them; a whole URL where a rule names a site
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
    """The changes for crawlers that the same groups bind, and that have the same delays.

    delays   seconds before and after; the same where the delay does not change
    is_whole False: there were too many rules to ask about all of them
    """

    crawlers: list[str]
    changes: list[Change]
    delays: _Delays
    is_whole: bool = True

    @property
    def are_some(self) -> bool:
        return bool(self.changes) or self.delays[0] != self.delays[1]


def changes_of(
    before: OriginRules, after: OriginRules, crawlers: Iterable[str]
) -> Iterator[CrawlersChanges]:
    """For each set of crawlers with the same groups, the changes; only where there are some. A
    delay may be for some of the crawlers of a group.
    """
    left, comparison = MAX_RULES, _Comparison(before, after, MAX_PAIRS)
    by_groups: dict[tuple[tuple[_Bound, ...], _Delays], CrawlersChanges] = {}
    unasked: list[str] = []
    for agent in crawlers:
        if left < 0:
            unasked.append(agent)
            continue
        groups = [_group(file, agent) for file in (before, after)]
        left -= sum(len(group.rules) for group in groups if group)
        bound = tuple((group.lines, group.rules) if group else None for group in groups)
        delays = before.crawl_delay(agent), after.crawl_delay(agent)
        if (bound, delays) in by_groups:
            by_groups[bound, delays].crawlers.append(agent)
        else:
            rules = [group.rules if group else () for group in groups]
            changes, is_whole = comparison.changes(agent, rules)
            by_groups[bound, delays] = CrawlersChanges([agent], changes, delays, is_whole)
    for of_groups in by_groups.values():
        if of_groups.are_some:
            yield of_groups
        elif not of_groups.is_whole:
            unasked += of_groups.crawlers
    if unasked:
        yield CrawlersChanges(unasked, [], (None, None), is_whole=False)


def _group(file: OriginRules, agent: str) -> Group | None:
    return file.rules.group(agent) if file.rules else None


@dataclass
class _Comparison:
    """Two files. `left`: how many pairs of rules may still be looked at together."""

    before: OriginRules
    after: OriginRules
    left: int

    def changes(self, agent: str, rules: Sequence[Sequence[Rule]]) -> tuple[list[Change], bool]:
        """The changes for a crawler, and whether all was asked. `rules`: those of both files."""
        every = list(chain.from_iterable(rules))
        filling = filling_for(every)
        paths = [paths_of(rule, self.before.dialect, filling) for rule in every]
        by_paths = {one: self._first_change(one, agent) for one in dict.fromkeys((("/",), *paths))}
        silent = [rule for rule, one in zip(every, paths, strict=True) if by_paths[one] is None]
        together, is_whole = self._together(agent, _in_one_only(silent, rules), every, filling)
        by_causes: dict[Causes, Change] = {}
        for change in (*by_paths.values(), *together):
            if change:
                causes = change.before.cause, change.after.cause
                by_causes.setdefault(causes, change).count += 1
        return list(by_causes.values()), is_whole

    def _together(
        self, agent: str, values: Iterable[str], rules: Iterable[Rule], filling: str
    ) -> tuple[list[Change | None], bool]:
        """The changes for pages that rules share with other rules, and whether all was asked."""
        every = list(dict.fromkeys(rule.path for rule in rules))
        wild = list(filter(is_wild, every))
        changes: list[Change | None] = []
        for value in values if self.before.dialect.wildcards else ():
            others = every if is_wild(value) else wild
            self.left -= len(others)
            if self.left < 0:
                return changes, False
            shared = (path for other in others for path in shared_paths(value, other, filling))
            changes.append(self._first_change(shared, agent))
        return changes, True

    def _first_change(self, paths: Iterable[str], agent: str) -> Change | None:
        """The first path with another answer before than after."""
        before, after = self.before, self.after
        for path in paths:
            if before.allowed(path, agent) is not after.allowed(path, agent):
                return Change(path, before.verdict(path, agent), after.verdict(path, agent))
        return None


def _in_one_only(rules: Iterable[Rule], of_files: Iterable[Iterable[Rule]]) -> Iterable[str]:
    """The paths of those rules that stand in one of two files only."""
    one, other = ({(rule.allow, rule.path) for rule in of_file} for of_file in of_files)
    differing = one ^ other
    return dict.fromkeys(rule.path for rule in rules if (rule.allow, rule.path) in differing)
