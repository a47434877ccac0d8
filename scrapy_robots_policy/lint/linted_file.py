"""One file as one dialect reads it: what every check starts from.

Knows: the text, the dialect's expressions for its lines, and where an offset stands for a reader.
Must not know: what is right or wrong.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ..rep.dialects.dialect import NO_LIMIT, Dialect
from ..rep.dialects.engines import DIALECTS
from ..rep.lines import WHITE, Grammar, clean_text, grammar_of, mark_of
from ..rep.ruleset import RuleSet
from ..rep.url import readable
from ..rep.verdict import Group
from .findings import KINDS, Finding

_MARK = "\ufeff"
_WHOLE = Dialect("whole file", size_limit=NO_LIMIT, nul_ends_line=False)
_SAYS_SOMETHING = re.compile(rf"\n[{WHITE}]*[^#{WHITE}\n](?:[^\n]*[^{WHITE}\n])?")

Span = tuple[int, int]  # offsets in the text: from, to


class AgentList(NamedTuple):
    """User-agent lines that stand together, and from where to where their group goes on."""

    lines: list[re.Match[str]]
    start: int
    end: int


class Source:
    """A robots.txt and a dialect. `text` is what the dialect reads of it (see `..lines`)."""

    def __init__(self, body: bytes, dialect: Dialect) -> None:
        self.body, self.dialect = body, dialect
        self.text = clean_text(body, dialect)
        self.grammar: Grammar = grammar_of(dialect)
        self.rules = RuleSet(body, dialect)
        self._mark = mark_of(body[:3].decode("latin-1"), dialect.bom)
        self._starts = [found.start() for found in re.finditer("\n", self.text)]

    @cached_property
    def others(self) -> tuple[Dialect, ...]:
        """All dialects but this one."""
        return tuple(other for other in DIALECTS.values() if other.name != self.dialect.name)

    @cached_property
    def lines(self) -> list[re.Match[str]]:
        """The lines that are neither blank nor comments."""
        return list(_SAYS_SOMETHING.finditer(self.text))

    @cached_property
    def agents(self) -> list[re.Match[str]]:
        """The User-agent lines; group 1 is the value."""
        return list(self.grammar.agent.finditer(self.text))

    @cached_property
    def lists(self) -> list[AgentList]:
        """The User-agent lines, those together that no line between them parts."""
        lists: list[list[re.Match[str]]] = []
        for found in self.agents:
            last = lists[-1][-1].end() if lists else 0
            if not lists or self.grammar.closer.search(self.text, last, found.start()):
                lists.append([])
            lists[-1].append(found)
        starts = [among[0].start() for among in lists] + [len(self.text)]
        return [AgentList(among, among[-1].end(), starts[at + 1]) for at, among in enumerate(lists)]

    @cached_property
    def bound(self) -> list[tuple[str, Group]]:
        """The groups that bind the crawlers named in the file, each once, with such a crawler."""
        named = dict.fromkeys(line[1] for line in self.agents)
        found = ((name, group) for name in named if (group := self.rules.group(name)))
        return list({group.lines: (name, group) for name, group in found}.values())

    def line_at(self, offset: int) -> int:
        return bisect_left(self._starts, offset)

    def line_of(self, line: re.Match[str]) -> int:
        """The number of a line that was found whole: its match starts with its line feed."""
        return self.line_at(line.start() + 1)

    def span_of_line(self, number: int) -> Span:
        """A whole line, without the white space at its end."""
        start = self._starts[number - 1] + 1
        end = (*self._starts[number : number + 1], len(self.text))[0]
        return start, start + len(self.text[start:end].rstrip(WHITE))

    def span_of_value(self, number: int) -> Span:
        """Where the value of a rule line stands; the whole line where it has none."""
        start, end = self.span_of_line(number)
        found = self.grammar.rule.match(self.text, start - 1)
        return found.span(2) if found and found[2] else (start, end)

    def finding(
        self,
        code: str,
        span: Span,
        message: str,
        fix: str = "",
        dialects: tuple[str, ...] = (),
    ) -> Finding:
        """A finding at offsets of the text: from, to."""
        start, end = span
        line = self.line_at(start)
        head = self._starts[line - 1] + 1
        # Half a mark, which the dialect may skip, is part of a character to who reads the file.
        before = self._mark if line == 1 else ""
        after = len(_decoded(before + self.text[head:end].rstrip("\r"))) + 1
        column = min(len(_decoded(before + self.text[head:start])) + 1, after)
        return Finding(KINDS[code], line, column, after, message, fix, dialects)


def readable_lines(body: bytes) -> list[str]:
    """The lines of a whole file for people to read; a finding on line n is about the nth."""
    return _decoded(clean_text(body, _WHOLE)).replace("\r\n", "\n").split("\n")[1:]


def _decoded(octets: str) -> str:
    return readable(octets).removeprefix(_MARK)


def values(source: Source, span: Span) -> Iterator[re.Match[str]]:
    """The lines with a key within a span; group 1 is the key, group 2 the value."""
    return source.grammar.directive.finditer(source.text, *span)
