"""Lines to records, and the records that bind a crawler.

Knows: which User-agent lines stand together, where the rules of a record stand in the text, and
which records a crawler's names find. Must not know: what a rule says.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import NamedTuple

from .dialects.crawlers import chain_of, is_name, is_token, names_in_full
from .dialects.dialect import Dialect
from .dialects.options import AgentMatch, AgentValue, OrphanRules, Records
from .lines import Grammar, grammar_of
from .patterns import Pattern, split_pattern

STAR = "*"
_A_LINE = 128  # octets of memory that a User-agent line takes, about


class GroupSpan(NamedTuple):
    """User-agent lines that stand together, and the rules after them.

    head   where the first User-agent line starts
    start  a place in the last of these lines; the rules are among the lines from there to `end`
    """

    head: int
    start: int
    end: int


class Groups:
    """The User-agent lines of one text, and who is bound by which.

    The text is not held: who asks hands it in again. Only the records that are asked for are made.
    """

    __slots__ = ("_binding", "_names", "_starts")

    def __init__(self, text: str, dialect: Dialect) -> None:
        self._binding = binding = _binding_of(dialect)
        # What each line names, in lower case, and where it starts.
        self._names: list[str] = []
        self._starts: list[int] = []
        for line in binding.grammar.agent.finditer(text):
            self._names.append(line[2].lower())
            self._starts.append(line.start())

    @property
    def octets_held(self) -> int:
        """About how many octets of memory the User-agent lines take."""
        return _A_LINE * len(self._names)

    def records(self, text: str) -> Iterator[GroupSpan]:
        """All records, in the order of the file."""
        yield from self._orphans(text)
        line = 0
        while line < len(self._names):
            line, record = self._record(line, text)
            yield record

    def find(self, agent: str, text: str) -> tuple[str, tuple[GroupSpan, ...]]:
        """The name by which a crawler is bound ("" if by none), and the records that bind it."""
        if not isinstance(agent, str):
            raise TypeError(f"agent must be a str, not {type(agent).__name__}")
        chain = _chain(agent, self._binding)
        if self._binding.by_weight:
            own = [name for name in chain if name != STAR]
            return self._heaviest(own, text) or self._heaviest(chain[len(own) :], text) or ("", ())
        for name in chain:
            records = self.named(name, text)
            if records:
                return name, records
        return "", ()

    def named(self, name: str, text: str) -> tuple[GroupSpan, ...]:
        """The records that bind whoever goes by `name`, in the order of the file."""
        is_star = name == STAR
        records = self._orphans(text) if is_star else []
        only_first = self._binding.only_first[is_star]
        end = 0
        for line in self._naming(name, text):
            if line >= end and not (records and only_first):
                end, record = self._record(self._first(line, text), text)
                records.append(record)
        return tuple(records)

    def pace_spans(self, agent: str, text: str) -> Iterator[tuple[int, int]]:
        """Where the lines stand that set the pace of a crawler: offsets, from and to."""
        name, records = self.find(agent, text)
        names = {name}
        if self._binding.by_weight and name != STAR:
            names = {*_chain(agent, self._binding)} - {STAR}
        return self._spans_of(names, records, text)

    def pace_spans_of_all(self, text: str) -> Iterator[tuple[int, int]]:
        """The same for the crawlers that no group names."""
        return self._spans_of({STAR}, self.named(STAR, text), text)

    def _spans_of(
        self, names: set[str], records: Iterable[GroupSpan], text: str
    ) -> Iterator[tuple[int, int]]:
        lines = {line for name in names for line in self._naming(name, text)}
        for record in records:
            for first, after, end in self._lists(record, text):
                # The rules before the first User-agent line have no list: they are for all.
                if first == after or not lines.isdisjoint(range(first, after)):
                    yield (self._starts[first] if first < after else record.head), end

    def _lists(self, record: GroupSpan, text: str) -> Iterator[tuple[int, int, int]]:
        """The lists of User-agent lines of a record, parted by the lines that set a pace: the first
        line of each, the one after its last, and the offset where its own lines end.

        A delay is for the list right above it, as all parsers that read delays have it, while the
        rules are for all lists of the record (RFC 9309 §2.2.4: other lines must not interfere).
        """
        first = bisect_left(self._starts, record.head)
        last = bisect_left(self._starts, record.start)
        pace = self._binding.grammar.pace
        for line in range(first + 1, last):
            if pace.search(text, self._starts[line - 1] + 1, self._starts[line]):
                yield first, line, self._starts[line]
                first = line
        yield first, last, record.end

    def _naming(self, name: str, text: str) -> Iterable[int]:
        """Which lines bind whoever goes by `name`."""
        names, matches = self._names, self._binding.matches
        in_full: set[int] = set()
        if self._binding.cuts_values and is_name(name) and not is_token(name):
            in_full = self._naming_in_full(name, text)
        if name != STAR and matches is not None:
            return [
                at
                for at, named in enumerate(names)
                if at in in_full or (named != STAR and matches(named, name))
            ]
        if in_full:
            return sorted(in_full)
        count = names.count(name) if name else 0
        if count < 2:
            return (names.index(name),) if count else ()
        return [at for at, named in enumerate(names) if named == name]

    def _naming_in_full(self, name: str, text: str) -> set[int]:
        """Which lines hold the whole of a name that no value equals once it is cut to a token, such
        as "MJ12bot".
        """
        values = map(self._binding.grammar.agent.match, repeat(text), self._starts)
        return {at for at, line in enumerate(values) if line and names_in_full(line[1], name)}

    def _heaviest(
        self, chain: Iterable[str], text: str
    ) -> tuple[str, tuple[GroupSpan, ...]] | None:
        """Yandex: a longer value drops what shorter ones bound, wherever they stand.

        As its library does it: every line of a list, from the one that names the crawler on, counts
        with its own length, be it another crawler's name.
        """
        wanted = frozenset(chain)
        kept = self._orphans(text) if STAR in wanted else []
        weight, bound_by = (len(STAR), STAR) if kept else (0, "")
        line = 0
        while line < len(self._names):
            bound, first = False, line
            line, record = self._record(first, text)
            for value in self._names[first:line]:
                if value in wanted and len(value) >= weight:
                    bound, bound_by = True, value
                if bound and len(value) > weight:
                    weight, kept = len(value), []
            if bound:
                kept.append(record)
        return (bound_by, tuple(kept)) if kept else None

    def _first(self, line: int, text: str) -> int:
        """The first User-agent line of the list in which a line stands."""
        while line and not self._is_closed(line, text):
            line -= 1
        return line

    def _record(self, first: int, text: str) -> tuple[int, GroupSpan]:
        """The record whose list starts with a line, and which line comes after the list."""
        starts = self._starts
        after = first + 1
        while after < len(starts) and not self._is_closed(after, text):
            after += 1
        end = starts[after] if after < len(starts) else len(text)
        record = GroupSpan(starts[first], starts[after - 1] + 1, end)
        blank = self._binding.grammar.blank
        found = blank.search(text, record.start, end) if blank else None
        return after, record._replace(end=found.start()) if found else record

    def _is_closed(self, line: int, text: str) -> bool:
        """Whether something ends the list of User-agent lines before a line."""
        start, end = self._starts[line - 1] + 1, self._starts[line]
        return self._binding.grammar.closer.search(text, start, end) is not None

    def _orphans(self, text: str) -> list[GroupSpan]:
        """The rules before the first User-agent line, as a record for all; blank lines and all."""
        if not self._binding.heeds_orphans:
            return []
        end = self._starts[0] if self._starts else len(text)
        return [GroupSpan(0, 0, end)] if self._binding.grammar.rule.search(text, 0, end) else []


@dataclass(frozen=True, slots=True, eq=False)
class _Binding:
    """How a dialect finds out who is bound by what: its options, looked up once for all files.

    only_first     whether only the first record that names it binds a crawler; and all crawlers
    by_weight      whether a record counts by the longest name in its list
    cuts_values    whether only the token that a User-agent value starts with names crawlers
    heeds_orphans  whether rules before the first User-agent line bind all crawlers
    matches        whether the name of a line means the name of a crawler; None: if it is equal
    """

    dialect: Dialect
    grammar: Grammar
    only_first: tuple[bool, bool]
    by_weight: bool
    cuts_values: bool
    heeds_orphans: bool
    matches: Callable[[str, str], bool] | None


@lru_cache(maxsize=64)
def _binding_of(dialect: Dialect) -> _Binding:
    return _Binding(
        dialect,
        grammar_of(dialect),
        (dialect.own_records is Records.FIRST, dialect.star_records is Records.FIRST),
        dialect.own_records is Records.HEAVIEST,
        dialect.agent_value is AgentValue.TOKEN,
        dialect.orphan_rules is OrphanRules.FOR_ALL,
        _MATCHES.get(dialect.agent_match),
    )


@lru_cache(maxsize=256)
def _chain(agent: str, binding: _Binding) -> tuple[str, ...]:
    return chain_of(agent, binding.dialect.agents)


def _matches_pattern(value: str, name: str) -> bool:
    return Pattern(0, False, *split_pattern(value + "$")).matches(name)


# The value "" stands in every name: WWW::RobotRules takes it so; where the name must stand in the
# value, or either in the other, an empty value names nobody.
_MATCHES: dict[AgentMatch, Callable[[str, str], bool]] = {
    AgentMatch.PATTERN: _matches_pattern,
    AgentMatch.IN_NAME: lambda value, name: value in name,
    AgentMatch.HAS_NAME: lambda value, name: name in value,
    AgentMatch.EITHER: lambda value, name: value != "" and (value in name or name in value),
}
