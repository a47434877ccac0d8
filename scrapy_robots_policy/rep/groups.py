"""Lines to records, and the records that bind a crawler.

Knows: which User-agent lines stand together, where the rules of a record stand in the text, and
which records a crawler's names find. Must not know: what a rule says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from .agents import TOKEN, chain_of
from .dialect import Dialect
from .knobs import AgentMatch, AgentValue, OrphanRules, Records
from .lines import WHITE, Grammar, grammar_of
from .patterns import Pattern, split_pattern

STAR = "*"


class Record(NamedTuple):
    """User-agent lines that stand together, and the rules after them.

    names  what the lines name, in lower case
    head   where the first User-agent line starts
    start  where the rules start; they end at `end`
    """

    names: tuple[str, ...]
    head: int
    start: int
    end: int


class Groups:
    """The records of one text, and who is bound by which."""

    __slots__ = ("_dialect", "_named", "_records")

    def __init__(self, text: str, dialect: Dialect) -> None:
        self._dialect = dialect
        self._records = _read_records(text, dialect)
        self._named: dict[str, list[Record]] = {}
        named = self._named
        for record in self._records:
            names = record.names
            for name in names if len(names) == 1 else dict.fromkeys(names):
                if name in named:
                    named[name].append(record)
                else:
                    named[name] = [record]

    @property
    def records(self) -> Sequence[Record]:
        """All records, in the order of the file."""
        return self._records

    def find(self, agent: str) -> tuple[str, tuple[Record, ...]]:
        """The name by which a crawler is bound ("" if by none), and the records that bind it."""
        chain = chain_of(agent, self._dialect.agents)
        if self._dialect.own_records is Records.HEAVIEST:
            own = [name for name in chain if name != STAR]
            return self._heaviest(own) or (self._heaviest(chain[len(own) :]) or ("", ()))
        for name in chain:
            records = self.named(name)
            if records:
                return name, records
        return "", ()

    def named(self, name: str) -> tuple[Record, ...]:
        """The records that bind whoever goes by `name`, in the order of the file."""
        if name == STAR:
            return _kept(self._named.get(STAR, []), self._dialect.star_records)
        matches = _MATCHES.get(self._dialect.agent_match)
        if matches is None:
            return _kept(self._named.get(name, []) if name else [], self._dialect.own_records)
        naming = [record for record in self._records if _names(record, name, matches)]
        return _kept(naming, self._dialect.own_records)

    def _heaviest(self, chain: Iterable[str]) -> tuple[str, tuple[Record, ...]] | None:
        """Yandex: a longer value drops what shorter ones bound, wherever they stand.

        As its library does it: every line of a list, from the one that names the crawler on, counts
        with its own length, be it another crawler's name.
        """
        wanted = frozenset(chain)
        kept: list[Record] = []
        weight, bound_by = 0, ""
        for record in self._records:
            bound = False
            for value in record.names:
                if value in wanted and len(value) >= weight:
                    bound, bound_by = True, value
                if bound and len(value) > weight:
                    weight, kept = len(value), []
            if bound:
                kept.append(record)
        return (bound_by, tuple(kept)) if kept else None


def _kept(records: list[Record], which: Records) -> tuple[Record, ...]:
    return tuple(records[:1] if which is Records.FIRST else records)


def _names(record: Record, name: str, matches: Callable[[str, str], bool]) -> bool:
    return any(value != STAR and matches(value, name) for value in record.names)


def _read_records(text: str, dialect: Dialect) -> list[Record]:
    grammar = grammar_of(dialect)
    read_name = _READERS[dialect.agent_value]
    closes = grammar.closer.search
    records: list[Record] = []
    names: list[str] = []
    head = end = 0
    for found in grammar.agent.finditer(text):
        start, stop = found.span()
        if names and start > end and closes(text, end, start):
            records.append(Record(tuple(names), head, end, start))
            names = []
        if not names:
            head = start
        names.append(read_name(found[1]))
        end = stop
    if names:
        records.append(Record(tuple(names), head, end, len(text)))
    if dialect.orphan_rules is OrphanRules.FOR_ALL:
        records[:0] = _orphans(text, records[0].head if records else len(text), grammar)
    if grammar.blank:
        records = [_up_to_blank(text, record, grammar.blank) for record in records]
    return records


def _orphans(text: str, end: int, grammar: Grammar) -> list[Record]:
    """The rules before the first User-agent line, as a record for all; blank lines and all."""
    return [Record((STAR,), 0, 0, end)] if grammar.rule.search(text, 0, end) else []


def _up_to_blank(text: str, record: Record, blank: re.Pattern[str]) -> Record:
    found = blank.search(text, record.start, record.end) if record.start else None
    return record._replace(end=found.start()) if found else record


@lru_cache(maxsize=4096)
def _token(value: str) -> str:
    """RFC 9309 §2.2.1; "*" followed by white space still names all (google/robotstxt)."""
    if value[:1] == STAR and (len(value) == 1 or value[1] in WHITE):
        return STAR
    found = TOKEN.match(value)
    return found[0].lower() if found else ""


_READERS: dict[AgentValue, Callable[[str], str]] = {
    AgentValue.TOKEN: _token,
    AgentValue.WHOLE: str.lower,
}


def _matches_pattern(value: str, name: str) -> bool:
    return Pattern(0, 0, *split_pattern(value + "$")).matches(name)


# The value "" stands in every name: WWW::RobotRules takes it so; where the name must stand in the
# value, or either in the other, an empty value names nobody.
_MATCHES: dict[AgentMatch, Callable[[str, str], bool]] = {
    AgentMatch.PATTERN: _matches_pattern,
    AgentMatch.IN_NAME: lambda value, name: value in name,
    AgentMatch.HAS_NAME: lambda value, name: name in value,
    AgentMatch.EITHER: lambda value, name: value != "" and (value in name or name in value),
}
