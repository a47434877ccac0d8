"""`scrapy robots diff OLD NEW`: what a change of the file changes for pages, and by which line.

The engine is asked, before and after, about the paths that the lines of both files are about:
whether each crawler that one of the files names may fetch a page, and which preferences hold for
its use. Of paths with the same change for the same causes, the first stands for all.

A line may change the answer for pages of another line only: "Allow: /*.css$" opens some pages of
"Disallow: /admin/". So a line that only one of the files has is also looked at together with each
other line; but not a rule whose own paths have another answer already.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple
from urllib.parse import unquote

from ..commands.arguments import Arguments, Options, UsageError
from ..commands.printing.terminal import (
    Blocks,
    in_full,
    paint,
    print_columns,
    print_error,
    print_json,
    print_line,
)
from ..commands.printing.verdict_data import UNREACHABLE, in_seconds
from ..commands.reading.inputs import read, robots_txt_of, rules_from
from ..core.site import OriginRules
from ..rep import Dialect, origin_of
from ..rep.agents import STAR
from ..rep.escapes import brief
from ..rep.usage.preferences import NO_USE, Preference, statement
from .lint.habits import SITE, has_wildcards
from .lint.rule_findings import as_sent
from .named_crawlers import named_crawlers

# Those come first that few rules hold.
_FILLINGS = "xzqjvwXZQJVW" + string.ascii_letters + string.digits


def filling_for(values: Iterable[str]) -> str:
    """A character that stands for any others. None of the values holds it: a value that holds what
    stands for a "*" would match the same path as the value with the "*".
    """
    text = "".join(values)
    held = {*text, *unquote(text, "latin-1")}
    return next((character for character in _FILLINGS if character not in held), _FILLINGS[0])


def paths_of(value: str, dialect: Dialect, filling: str) -> tuple[str, ...]:
    """Paths that a value is meant for, as they are sent; a whole URL where it names a site."""
    value = as_sent(value)
    is_anchored = False
    if has_wildcards(dialect):
        is_anchored = value.endswith("$")
        value = value.removesuffix("$").replace("*", filling)
    if value.startswith("//"):  # a path that begins so would be a host
        paths = [SITE + value]
    elif value.startswith("/") or origin_of(value):
        paths = [value]
    else:
        paths = [f"/{value}", f"/{filling}{value}"]
    return tuple(paths if is_anchored else chain(*((path, path + filling) for path in paths)))


def is_wild(value: str) -> bool:
    """Whether a value may match pages that are not behind one path. Some dialects read a value
    without a slash as if a "*" stood before it.
    """
    return "*" in value or not value.startswith("/")


def shared_paths(value: str, other: str, filling: str) -> Iterator[str]:
    """Paths that two values match: what the one says, then what the other has behind a "*".

    Not all such pairs have one. Of a value that starts another one, the other's own paths are some.
    """
    values = [one if one.startswith("/") else f"/*{one.lstrip('*')}" for one in (value, other)]
    for one, two in (values, values[::-1]):
        begin, *middle = as_sent(one).split("*", 1)
        start, *rest = as_sent(two).split("*", 1)
        if not rest or one.endswith("$"):
            continue
        longer = begin if begin.startswith(start) else start
        if longer == begin or (middle and start.startswith(begin)):
            path = "*".join((longer, *middle, rest[0].removesuffix("$")))
            yield path.replace("*", filling)


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

    Attributes:
        kind: "opens", "closes", or "use" for a preference about the use of pages.
        path: that of the first page; a whole URL where a rule names a site.
        count: how many of the paths that were asked about.

    """

    kind: str
    path: str
    before: Answer
    after: Answer
    count: int = 0


@dataclass(slots=True)
class CrawlersChanges:
    """The changes for crawlers that the same lines bind.

    Attributes:
        delays: the Crawl-delay in seconds before and after.
        is_whole: False: there were too many lines to ask about all of them.

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

    Attributes:
        path: as written.
        says: the rest of it.
        is_rule: whether it is a rule.

    """

    number: int
    path: str
    says: str
    is_rule: bool


class _Bound(NamedTuple):
    """What a file has for a crawler.

    Attributes:
        agents: the numbers of the User-agent lines of its groups.
        lines: a line before the first User-agent line may bind only some of the crawlers of a
            group.
        delay: it may be for some of the crawlers of a group, too.

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
        for value in values if has_wildcards(self.before.dialect) else ():
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
    """The paths of those lines that stand in one of two files only, or at another place among the
    others: in some dialects the first rule decides.
    """
    one, other = (dict.fromkeys(line[1:] for line in of_file.lines) for of_file in bound)
    differing = one.keys() ^ other.keys()
    orders = [[line for line in of if line not in differing] for of in (one, other)]
    for _ in range(2):  # without what they begin, then end, with alike
        while orders[0] and orders[0][-1] == orders[1][-1]:
            del orders[0][-1], orders[1][-1]
        orders = [order[::-1] for order in orders]
    differing |= {*orders[0]}
    return dict.fromkeys(line.path for line in lines if line[1:] in differing)


def _by_key(preferences: Iterable[Preference]) -> Mapping[tuple[str, str], Preference]:
    """By what they are about. A page may have several licences."""
    return {(one.label, one.key or one.value): one for one in preferences}


def _preference(preference: Preference | None) -> Answer:
    return Answer(preference.line, brief(preference.start)) if preference else _NOT_STATED


def _value(preference: Preference | None) -> str | None:
    return preference.value if preference else None


_COLOURS = {OPENS: "green", CLOSES: "red"}
_MAX_NAMES = 8  # crawlers that a line names
ARGUMENTS = Arguments(
    "OLD NEW",
    ("--dialect", "--timeout"),
    ("text", "json"),
    (
        "0 no answer changes",
        "1 some answers change",
        "2 a file cannot be read, or has too many lines, or a wrong command line",
        "3 a robots.txt is unreachable",
    ),
    (
        "diff robots.old robots.txt",
        "diff robots.txt https://example.com/robots.txt --dialect google",
    ),
)


def run(options: Options) -> int:
    """1 if an answer changes; 2 if none does, and not all crawlers were asked about; 3 if a site
    gives no answer.
    """
    if len(options.args) != 2:
        raise UsageError(f"diff takes two files or URLs, OLD and NEW, not {len(options.args)}")
    before, after = (_rules(source, options) for source in options.args)
    if before is None or after is None:
        return UNREACHABLE
    crawlers = {
        name.lower(): name
        for source, rules in zip(options.args, (before, after), strict=True)
        for name in named_crawlers(source, rules.access.body, options.dialect)
    }
    crawlers = {STAR: STAR, **crawlers}  # the first
    is_changed, is_whole, blocks = False, True, Blocks()
    for changes in changes_of(before, after, crawlers.values()):
        is_changed |= changes.are_some
        is_whole &= changes.is_whole
        if options.as_json:
            _print_json(changes)
        elif changes.are_some:
            blocks.begin()
            _print(changes)
        else:
            print_error(f"too many lines: not asked about were {_names(changes.crawlers)}")
    if is_changed or not is_whole:
        return 1 if is_changed else 2
    if not options.as_json:
        print_line(f"no answer changes in {options.dialect.name}")
    return 0


def _rules(source: str, options: Options) -> OriginRules | None:
    """None where a site gives no answer: what it would be is not known."""
    name = robots_txt_of(source)
    result = read(name, options)
    if result.status is None:
        print_error(f"{name} is unreachable ({in_full(result.cause)})")
        return None
    return rules_from("", result, options.dialect)


def _print(changes: CrawlersChanges) -> None:
    print_columns([(_names(changes.crawlers),)])
    rows = [
        (change.kind, _paths(change), change.after.cause, f"before: {change.before.cause}")
        for change in changes.changes
    ]
    before, after = map(_in_words, changes.delays)
    if before != after:
        rows.append(("delay", "", after, f"before: {before}"))
    print_columns(rows, indent="  ", painted=_painted)


def _names(crawlers: list[str]) -> str:
    names = ["every other crawler" if name == STAR else name for name in crawlers]
    more = len(names) - _MAX_NAMES
    shown_names = ", ".join(map(brief, names[:_MAX_NAMES]))
    return shown_names + (f" and {more} more" if more > 0 else "")


def _paths(change: Change) -> str:
    more = f" (and {change.count - 1} more)" if change.count > 1 else ""
    return brief(change.path) + more


def _painted(cell: str) -> str:
    return paint(cell, _COLOURS[cell]) if cell in _COLOURS else cell


def _in_words(delay: float | None) -> str:
    return "none" if delay is None else in_seconds(delay)


def _print_json(changes: CrawlersChanges) -> None:
    rows = [
        {
            "change": change.kind,
            "path": change.path,
            "paths": change.count,
            "before": change.before._asdict(),
            "after": change.after._asdict(),
        }
        for change in changes.changes
    ]
    before, after = changes.delays
    print_json(
        {
            "crawlers": changes.crawlers,
            "changes": rows,
            "delay": {"before": before, "after": after},
            "whole": changes.is_whole,
        }
    )
