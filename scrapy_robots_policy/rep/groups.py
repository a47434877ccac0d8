"""Lines to records, and the records that bind a crawler.

Knows: which User-agent lines stand together, where the rules of a record stand in the text, and
which records a crawler's names find. Must not know: what a rule says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from .agents import TOKEN, chain_of
from .dialect import Dialect
from .knobs import AgentMatch, AgentValue, OrphanRules, Records
from .lines import WHITE, grammar_of
from .patterns import Pattern, split_pattern

STAR = "*"


# what a User-agent line names, in lower case; where the line starts, and where its value ends
AgentLine = tuple[str, int, int]


class Record(NamedTuple):
    """User-agent lines that stand together, and the rules after them.

    head   where the first User-agent line starts
    start  where the rules start; they end at `end`
    """

    head: int
    start: int
    end: int


class Groups:
    """The User-agent lines of one text, and who is bound by which.

    The text is not held: who asks hands it in again. Only the records that are asked for are made.
    """

    __slots__ = ("_dialect", "_grammar", "_lines")

    def __init__(self, text: str, dialect: Dialect) -> None:
        self._dialect, self._grammar = dialect, grammar_of(dialect)
        read_name = _READERS[dialect.agent_value]
        self._lines: list[AgentLine] = [
            (read_name(found[1]), found.start(), found.end())
            for found in self._grammar.agent.finditer(text)
        ]

    def records(self, text: str) -> Iterator[Record]:
        """All records, in the order of the file."""
        yield from self._orphans(text)
        line = 0
        while line < len(self._lines):
            line, record = self._record(line, text)
            yield record

    def find(self, agent: str, text: str) -> tuple[str, tuple[Record, ...]]:
        """The name by which a crawler is bound ("" if by none), and the records that bind it."""
        chain = _chain(agent, self._dialect)
        if self._dialect.own_records is Records.HEAVIEST:
            own = [name for name in chain if name != STAR]
            return self._heaviest(own, text) or self._heaviest(chain[len(own) :], text) or ("", ())
        for name in chain:
            records = self.named(name, text)
            if records:
                return name, records
        return "", ()

    def named(self, name: str, text: str) -> tuple[Record, ...]:
        """The records that bind whoever goes by `name`, in the order of the file."""
        which = self._dialect.star_records if name == STAR else self._dialect.own_records
        records = self._orphans(text) if name == STAR else []
        end = 0
        for line in self._naming(name):
            if line >= end and not (records and which is Records.FIRST):
                end, record = self._record(self._first(line, text), text)
                records.append(record)
        return tuple(records)

    def _naming(self, name: str) -> list[int]:
        """Which lines bind whoever goes by `name`."""
        matches = _MATCHES.get(self._dialect.agent_match)
        if name == STAR or matches is None:
            return [at for at, line in enumerate(self._lines) if line[0] == name != ""]
        return [
            at for at, line in enumerate(self._lines) if line[0] != STAR and matches(line[0], name)
        ]

    def _heaviest(self, chain: Iterable[str], text: str) -> tuple[str, tuple[Record, ...]] | None:
        """Yandex: a longer value drops what shorter ones bound, wherever they stand.

        As its library does it: every line of a list, from the one that names the crawler on, counts
        with its own length, be it another crawler's name.
        """
        wanted = frozenset(chain)
        kept = self._orphans(text) if STAR in wanted else []
        weight, bound_by = (len(STAR), STAR) if kept else (0, "")
        line = 0
        while line < len(self._lines):
            bound, first = False, line
            line, record = self._record(first, text)
            for value, _, _ in self._lines[first:line]:
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

    def _record(self, first: int, text: str) -> tuple[int, Record]:
        """The record whose list starts with a line, and which line comes after the list."""
        lines = self._lines
        after = first + 1
        while after < len(lines) and not self._is_closed(after, text):
            after += 1
        end = lines[after][1] if after < len(lines) else len(text)
        record = Record(lines[first][1], lines[after - 1][2], end)
        blank = self._grammar.blank
        found = blank.search(text, record.start, end) if blank else None
        return after, record._replace(end=found.start()) if found else record

    def _is_closed(self, line: int, text: str) -> bool:
        """Whether something ends the list of User-agent lines before a line."""
        start, end = self._lines[line - 1][2], self._lines[line][1]
        return start < end and bool(self._grammar.closer.search(text, start, end))

    def _orphans(self, text: str) -> list[Record]:
        """The rules before the first User-agent line, as a record for all; blank lines and all."""
        if self._dialect.orphan_rules is not OrphanRules.FOR_ALL:
            return []
        end = self._lines[0][1] if self._lines else len(text)
        return [Record(0, 0, end)] if self._grammar.rule.search(text, 0, end) else []


@lru_cache(maxsize=256)
def _chain(agent: str, dialect: Dialect) -> tuple[str, ...]:
    return chain_of(agent, dialect.agents)


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
