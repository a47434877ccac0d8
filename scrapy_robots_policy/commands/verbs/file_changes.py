"""What a change of a robots.txt changes for each crawler that one of the files names.

The engine is asked, before and after, about the paths of the lines of both files: whether a page
may be fetched, and which preferences hold for its use. Of paths with the same change for the same
causes, the first stands for all.

A line may change the answer for pages of another line only: "Allow: /*.css$" opens some pages of
"Disallow: /admin/". So a line that only one of the files has is also looked at together with each
other line; but not a rule whose own paths have another answer already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from ...rep.escapes import brief
from ...rep.usage import NO_USE, Preference, statement
from ...resolver.origin import OriginRules
from .rule_paths import filling_for, is_wild, paths_of, shared_paths

MAX_LINES = 100_000  # read in all; a file may give each of its crawlers many
MAX_PAIRS = 300_000  # of lines that are looked at together, in all

OPENS, CLOSES, USE = "opens", "closes", "use"
Delay = float | None


class Answer(NamedTuple):
    """What a file says of a page. `line`: the one that decides; 0 without one."""

    line: int
    cause: str


_NOT_STATED = Answer(0, "not stated")


@dataclass(slots=True)
class Change:
    """Pages about which the files answer otherwise.

    kind   "opens", "closes", or "use" for a preference about the use of pages
    path   that of the first page; a whole URL where a rule names a site
    count  how many of the paths that were asked about
    """

    kind: str
    path: str
    before: Answer
    after: Answer
    count: int = 0


@dataclass(slots=True)
class CrawlersChanges:
    """The changes for crawlers that the same lines bind.

    delays   the Crawl-delay in seconds before and after
    is_whole False: there were too many lines to ask about all of them
    """

    crawlers: list[str]
    changes: list[Change]
    delays: tuple[Delay, Delay]
    is_whole: bool = True

    @property
    def are_some(self) -> bool:
        return bool(self.changes) or self.delays[0] != self.delays[1]


def changes_of(
    before: OriginRules, after: OriginRules, crawlers: Iterable[str]
) -> Iterator[CrawlersChanges]:
    """The changes for each set of crawlers that the same lines bind; only where there are some."""
    left, comparison = MAX_LINES, _Comparison(before, after, MAX_PAIRS)
    by_lines: dict[tuple[_Bound, _Bound], CrawlersChanges] = {}
    unasked: list[str] = []
    for agent in crawlers:
        if left < 0:
            unasked.append(agent)
            continue
        bound = _bound(before, agent), _bound(after, agent)
        left -= sum(len(of_file.lines) for of_file in bound)
        if bound in by_lines:
            by_lines[bound].crawlers.append(agent)
        else:
            changes, is_whole = comparison.changes(agent, bound)
            delays = bound[0].delay, bound[1].delay
            by_lines[bound] = CrawlersChanges([agent], changes, delays, is_whole)
    for of_lines in by_lines.values():
        if of_lines.are_some:
            yield of_lines
        elif not of_lines.is_whole:
            unasked += of_lines.crawlers
    if unasked:
        yield CrawlersChanges(unasked, [], (None, None), is_whole=False)


class _Line(NamedTuple):
    """A line that binds a crawler: a rule, or preferences about the use of pages.

    path     as written
    says     the rest of it
    is_rule  whether it is a rule
    """

    number: int
    path: str
    says: str
    is_rule: bool


class _Bound(NamedTuple):
    """What a file has for a crawler.

    agents  the numbers of the User-agent lines of its groups
    lines   a line before the first User-agent line may bind only some of the crawlers of a group
    delay   it may be for some of the crawlers of a group, too
    """

    agents: tuple[int, ...]
    lines: tuple[_Line, ...]
    delay: Delay


def _bound(file: OriginRules, agent: str) -> _Bound:
    delay = file.crawl_delay(agent)
    if file.rules is None:
        return _Bound((), (), delay)
    group = file.rules.group(agent)
    rules = [_Line(rule.line, rule.path, rule.key, True) for rule in group.rules] if group else []
    uses = [
        _Line(one.line, path, f"{one.label}: {statement(one.label, one.key, one.value)}", False)
        for path, preferences in file.rules.usage_lines(agent)
        for one in preferences
    ]
    return _Bound(group.lines if group else (), (*rules, *uses), delay)


@dataclass
class _Comparison:
    """Two files. `left`: how many pairs of lines may still be looked at together."""

    before: OriginRules
    after: OriginRules
    left: int

    def changes(self, agent: str, bound: tuple[_Bound, _Bound]) -> tuple[list[Change], bool]:
        """The changes for a crawler, and whether all was asked. `bound`: by both files."""
        every = [line for of_file in bound for line in of_file.lines]
        filling = filling_for(line.path for line in every)
        paths = [paths_of(line.path, self.before.dialect, filling) for line in every]
        by_paths = {one: self._first_changes(one, agent) for one in dict.fromkeys((("/",), *paths))}
        silent = [
            line
            for line, own in zip(every, paths, strict=True)
            if not line.is_rule or all(change.kind == USE for change in by_paths[own])
        ]
        together, is_whole = self._together(agent, _in_one_only(silent, bound), every, filling)
        by_causes: dict[tuple[str, Answer, Answer], Change] = {}
        for change in chain(*by_paths.values(), *together):
            by_causes.setdefault((change.kind, change.before, change.after), change).count += 1
        return list(by_causes.values()), is_whole

    def _together(
        self, agent: str, values: Iterable[str], lines: Iterable[_Line], filling: str
    ) -> tuple[list[list[Change]], bool]:
        """The changes for pages that lines share with other lines, and whether all was asked."""
        every = list(dict.fromkeys(line.path for line in lines))
        wild = list(filter(is_wild, every))
        changes: list[list[Change]] = []
        for value in values if self.before.dialect.wildcards else ():
            others = every if is_wild(value) else wild
            self.left -= len(others)
            if self.left < 0:
                return changes, False
            shared = (path for other in others for path in shared_paths(value, other, filling))
            changes.append(self._first_changes(shared, agent))
        return changes, True

    def _first_changes(self, paths: Iterable[str], agent: str) -> list[Change]:
        """Those of the first path that one file lets pass and the other does not, and of the first
        path for whose use other preferences hold.
        """
        answers: list[Change] = []
        uses: list[Change] = []
        for path in paths:
            if self.before.allowed(path, agent) is not self.after.allowed(path, agent):
                answers = answers or [self._change_of_answer(path, agent)]
            else:
                uses = uses or self._changes_of_use(path, agent)
            if answers and uses:
                break
        return [*uses, *answers]

    def _change_of_answer(self, path: str, agent: str) -> Change:
        before, after = (file.verdict(path, agent) for file in (self.before, self.after))
        kind = OPENS if after.allowed else CLOSES
        return Change(
            kind, path, Answer(before.line, before.cause), Answer(after.line, after.cause)
        )

    def _changes_of_use(self, path: str, agent: str) -> list[Change]:
        """For a page that both files let pass, or neither: then no preference holds."""
        before, after = (
            _by_key(file.preferences(path, agent, NO_USE)) for file in (self.before, self.after)
        )
        return [
            Change(USE, path, _preference(before.get(key)), _preference(after.get(key)))
            for key in dict.fromkeys((*before, *after))
            if _value(before.get(key)) != _value(after.get(key))
        ]


def _in_one_only(lines: Iterable[_Line], bound: tuple[_Bound, _Bound]) -> Iterable[str]:
    """The paths of those lines that stand in one of two files only."""
    one, other = ({line[1:] for line in of_file.lines} for of_file in bound)
    differing = one ^ other
    return dict.fromkeys(line.path for line in lines if line[1:] in differing)


def _by_key(preferences: Iterable[Preference]) -> Mapping[tuple[str, str], Preference]:
    """By what they are about. A page may have several licences."""
    return {(one.label, one.key or one.value): one for one in preferences}


def _preference(preference: Preference | None) -> Answer:
    return Answer(preference.line, brief(preference.start)) if preference else _NOT_STATED


def _value(preference: Preference | None) -> str | None:
    return preference.value if preference else None
