"""The groups of a robots.txt (RFC 9309 §2.2.1), and the groups that bind a crawler.

The standards of 1994 and 1996 call a group a record; so do the options of a dialect
(`own_records`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import NamedTuple

from .agents import STAR, chain_of, is_name, is_token, names_in_full
from .dialects.dialect import Dialect
from .dialects.options import AgentMatch, AgentValue, OrphanRules, Records
from .lines import Grammar, grammar_of
from .patterns import Pattern, split_pattern

_LINE_OCTETS = 128  # of memory that a User-agent line takes, about


class GroupSpan(NamedTuple):
    """One group, as offsets of the text: User-agent lines, and the rules after them.

    head   the start of the first User-agent line
    start  within the last User-agent line; the rules are between there and `end`
    """

    head: int
    start: int
    end: int


class Groups:
    """The User-agent lines of one text, and the groups that they begin.

    The text is not kept, to save memory: each method takes it again. The bounds of a group are
    computed when a method needs them.
    """

    __slots__ = ("_in_full", "_names", "_options", "_starts")

    def __init__(self, text: str, dialect: Dialect) -> None:
        self._options = options = _options_of(dialect)
        # For each User-agent line: the name in it, in lower case, and its offset.
        self._names: list[str] = []
        self._starts: list[int] = []
        for line in options.grammar.agent.finditer(text):
            self._names.append(line[2].lower())
            self._starts.append(line.start())
        # The crawler that was asked about last by its whole name, and the lines with it.
        self._in_full: tuple[str, frozenset[int]] = "", frozenset()

    @property
    def octets_held(self) -> int:
        """About how many octets of memory the User-agent lines take."""
        return _LINE_OCTETS * (len(self._names) + len(self._in_full[1]))

    def spans(self, text: str) -> Iterator[GroupSpan]:
        """All groups, in the order of the file."""
        yield from self._orphans(text)
        line = 0
        while line < len(self._names):
            line, group = self._group(line, text)
            yield group

    def find(self, agent: str, text: str) -> tuple[str, tuple[GroupSpan, ...]]:
        """(name, groups): the groups that bind a crawler, and the name in them; ("", ()) without.

        agent  a product token or a User-Agent header
        """
        chain = _chain(agent, self._options)
        if self._options.by_weight:
            own = [name for name in chain if name != STAR]
            return self._heaviest(own, text) or self._heaviest(chain[len(own) :], text) or ("", ())
        for name in chain:
            groups = self.named(name, text)
            if groups:
                return name, groups
        return "", ()

    def named(self, name: str, text: str) -> tuple[GroupSpan, ...]:
        """The groups that bind a crawler of this name, in the order of the file."""
        is_star = name == STAR
        groups = self._orphans(text) if is_star else []
        only_first = self._options.only_first[is_star]
        end = 0
        for line in self._lines_naming(name, text):
            if line >= end and not (groups and only_first):
                end, group = self._group(self._first(line, text), text)
                groups.append(group)
        return tuple(groups)

    def pace_spans(self, agent: str, text: str) -> Iterator[tuple[int, int]]:
        """The parts of the text with the Crawl-delay, Request-rate and Visit-time lines for a
        crawler: (start, end) offsets.
        """
        return self._spans_for(agent, text, self._options.grammar.pace)

    def usage_spans(self, agent: str, text: str) -> Iterator[tuple[int, int]]:
        """The same with the lines about the use of pages for a crawler."""
        return self._spans_for(agent, text, self._options.grammar.usage)

    def _spans_for(
        self, agent: str, text: str, parting: re.Pattern[str]
    ) -> Iterator[tuple[int, int]]:
        """The parts of a crawler's groups under those lists of User-agent lines that name it."""
        name, groups = self.find(agent, text)
        names = {name}
        if self._options.by_weight and name != STAR:
            names = {*_chain(agent, self._options)} - {STAR}
        return self._spans_under(names, groups, text, parting)

    def pace_spans_of_all(self, text: str) -> Iterator[tuple[int, int]]:
        """The same for the crawlers that no group names."""
        pace = self._options.grammar.pace
        return self._spans_under({STAR}, self.named(STAR, text), text, pace)

    def _spans_under(
        self, names: set[str], groups: Iterable[GroupSpan], text: str, parting: re.Pattern[str]
    ) -> Iterator[tuple[int, int]]:
        """The parts of some groups under those lists that have one of the names."""
        lines = {line for name in names for line in self._lines_naming(name, text)}
        for group in groups:
            for first, after, end in self._agent_lists(group, text, parting):
                # The rules before the first User-agent line have no list: they are for all.
                if first == after or not lines.isdisjoint(range(first, after)):
                    yield (self._starts[first] if first < after else group.head), end

    def _agent_lists(
        self, group: GroupSpan, text: str, parting: re.Pattern[str]
    ) -> Iterator[tuple[int, int, int]]:
        """The lists of User-agent lines in a group: (first line, line after the last, end offset).

        A Crawl-delay line between two User-agent lines parts the lists, but not the group. The
        delay is for the list right above it, as in all parsers that read delays. The rules are for
        all lists of the group (RFC 9309 §2.2.4: other lines must not interfere). A
        Content-Usage line parts the lists in the same way, for such lines only: in
        aipref-attach-05 it is a rule of its group, and User-agent lines after a rule begin another
        group. Content-Signal and License are read alike.

        parting  the expression for the lines that part
        """
        first = bisect_left(self._starts, group.head)
        last = bisect_left(self._starts, group.start)
        for line in range(first + 1, last):
            if parting.search(text, self._starts[line - 1] + 1, self._starts[line]):
                yield first, line, self._starts[line]
                first = line
        yield first, last, group.end

    def _lines_naming(self, name: str, text: str) -> Iterable[int]:
        """The User-agent lines that bind a crawler of this name, by index."""
        names, matches = self._names, self._options.matches
        in_full: frozenset[int] = frozenset()
        if self._options.cuts_values and is_name(name) and not is_token(name):
            in_full = self._lines_naming_in_full(name, text)
        if name != STAR and matches is not None:
            return [
                at
                for at, named in enumerate(names)
                if at in in_full or (named != STAR and matches(named, name))
            ]
        if in_full:
            return sorted(in_full)
        count = names.count(name) if name else 0  # nearly always 0 or 1: no loop is needed
        if count < 2:
            return (names.index(name),) if count else ()
        return [at for at, named in enumerate(names) if named == name]

    def _lines_naming_in_full(self, name: str, text: str) -> frozenset[int]:
        """The User-agent lines with the whole of a name that is no token, such as "MJ12bot".

        The values are cut to a token in `_names`, so that none of them equals such a name. Each
        answer for a crawler looks for its lines a few times: they are kept until another one's.
        """
        named, lines = self._in_full
        if named != name:
            values = map(self._options.grammar.agent.match, repeat(text), self._starts)
            lines = frozenset(
                at for at, line in enumerate(values) if line and names_in_full(line[1], name)
            )
            self._in_full = name, lines
        return lines

    def _heaviest(
        self, chain: Iterable[str], text: str
    ) -> tuple[str, tuple[GroupSpan, ...]] | None:
        """Yandex: the groups with the longest matching value; no others bind.

        As its library does it: in a list, every value from the first that names the crawler on
        counts with its length, even if it is another crawler's name.
        """
        wanted = frozenset(chain)
        kept = self._orphans(text) if STAR in wanted else []
        weight, bound_by = (len(STAR), STAR) if kept else (0, "")
        end = 0
        # A list without any of the names changes nothing, and most lists have none.
        for line in [at for at, value in enumerate(self._names) if value in wanted]:
            if line < end:
                continue
            bound, first = False, self._first(line, text)
            end, group = self._group(first, text)
            for value in self._names[first:end]:
                if value in wanted and len(value) >= weight:
                    bound, bound_by = True, value
                if bound and len(value) > weight:
                    weight, kept = len(value), []
            if bound:
                kept.append(group)
        return (bound_by, tuple(kept)) if kept else None

    def _first(self, line: int, text: str) -> int:
        """The first User-agent line of the group with this line."""
        while line and not self._is_closed(line, text):
            line -= 1
        return line

    def _group(self, first: int, text: str) -> tuple[int, GroupSpan]:
        """(the User-agent line after the group's own, the group) that starts with a line."""
        starts = self._starts
        after = first + 1
        while after < len(starts) and not self._is_closed(after, text):
            after += 1
        end = starts[after] if after < len(starts) else len(text)
        group = GroupSpan(starts[first], starts[after - 1] + 1, end)
        blank = self._options.grammar.blank
        blank_line = blank.search(text, group.start, end) if blank else None
        return after, group._replace(end=blank_line.start()) if blank_line else group

    def _is_closed(self, line: int, text: str) -> bool:
        """Whether a line between this User-agent line and the one before ends the list."""
        start, end = self._starts[line - 1] + 1, self._starts[line]
        return self._options.grammar.closer.search(text, start, end) is not None

    def _orphans(self, text: str) -> list[GroupSpan]:
        """The rules before the first User-agent line, as one group for all crawlers.

        Blank lines do not end it.
        """
        if not self._options.reads_orphans:
            return []
        end = self._starts[0] if self._starts else len(text)
        return [GroupSpan(0, 0, end)] if self._options.grammar.rule.search(text, 0, end) else []


@dataclass(frozen=True, slots=True, eq=False)
class _GroupOptions:
    """The options of a dialect about groups, looked up once for all files.

    only_first     whether only the first of several groups binds: (a crawler's own, those for "*")
    by_weight      whether the group with the longest name binds (Yandex)
    cuts_values    whether a User-agent value is cut to the token that it starts with
    reads_orphans  whether rules before the first User-agent line bind all crawlers
    matches        (name in the line, name of the crawler) -> whether they match; None: if equal
    """

    dialect: Dialect
    grammar: Grammar
    only_first: tuple[bool, bool]
    by_weight: bool
    cuts_values: bool
    reads_orphans: bool
    matches: Callable[[str, str], bool] | None


@lru_cache(maxsize=64)
def _options_of(dialect: Dialect) -> _GroupOptions:
    return _GroupOptions(
        dialect,
        grammar_of(dialect),
        (dialect.own_records is Records.FIRST, dialect.star_records is Records.FIRST),
        dialect.own_records is Records.HEAVIEST,
        dialect.agent_value is AgentValue.TOKEN,
        dialect.orphan_rules is OrphanRules.FOR_ALL,
        _MATCHES.get(dialect.agent_match),
    )


@lru_cache(maxsize=256)
def _chain(agent: str, options: _GroupOptions) -> tuple[str, ...]:
    return chain_of(agent, options.dialect.agents)


def _matches_pattern(value: str, name: str) -> bool:
    return Pattern(0, False, *split_pattern(value + "$")).matches(name)


# IN_NAME: the value "" is in every name, as in WWW::RobotRules. HAS_NAME and EITHER: a line with
# the value "" names no crawler.
_MATCHES: dict[AgentMatch, Callable[[str, str], bool]] = {
    AgentMatch.PATTERN: _matches_pattern,
    AgentMatch.IN_NAME: lambda value, name: value in name,
    AgentMatch.HAS_NAME: lambda value, name: name in value,
    AgentMatch.EITHER: lambda value, name: value != "" and (value in name or name in value),
}
