"""The groups of a robots.txt (RFC 9309 §2.2.1), and the groups that bind a crawler.

User-agent lines that follow each other, and the rules after them, are a group. A crawler looks for
the names of its chain one after the other (`agents.chain_of`): the groups that have the first name
that is found bind it, all together or only some (`Dialect.several_groups`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from .agents import STAR, chain_of, is_name, is_token, names_in_full
from .dialect import AgentMatch, AgentValue, Dialect, OrphanRules, SeveralGroups
from .match import Pattern
from .text import grammar_of


class GroupSpan(NamedTuple):
    """One group, as offsets of the text.

    Attributes:
        names: what its User-agent lines name, in lower case; "*" where it has no such lines.
        heads: where these lines start.
        start: within the last of them; the rules are between there and `end`.

    """

    names: tuple[str, ...]
    heads: tuple[int, ...]
    start: int
    end: int


class Groups:
    """The groups of one text."""

    __slots__ = ("_dialect", "_grammar", "_matches", "_text", "spans")

    def __init__(self, text: str, dialect: Dialect) -> None:
        self._text, self._dialect, self._grammar = text, dialect, grammar_of(dialect)
        self._matches = _MATCHES.get(dialect.agent_match)
        self.spans = tuple(self._find())

    def _find(self) -> Iterator[GroupSpan]:
        text, closer = self._text, self._grammar.closer
        names: list[str] = []
        heads: list[int] = []
        for line in self._grammar.agent.finditer(text):
            start = line.start()
            if not heads:
                yield from self._orphans(start)
            elif closer.search(text, heads[-1] + 1, start):
                yield self._span(names, heads, start)
                names, heads = [], []
            names.append(line[2].lower())
            heads.append(start)
        if heads:
            yield self._span(names, heads, len(text))
        else:
            yield from self._orphans(len(text))

    def _span(self, names: list[str], heads: list[int], end: int) -> GroupSpan:
        start, blank = heads[-1] + 1, self._grammar.blank
        blank_line = blank.search(self._text, start, end) if blank else None
        end = blank_line.start() if blank_line else end
        return GroupSpan(tuple(names), tuple(heads), start, end)

    def _orphans(self, end: int) -> Iterator[GroupSpan]:
        """The rules before the first User-agent line. Blank lines do not end this group."""
        is_read = self._dialect.orphan_rules is OrphanRules.FOR_ALL
        if is_read and self._grammar.rule.search(self._text, 0, end):
            yield GroupSpan((STAR,), (), 0, end)

    def outside(self) -> Iterator[tuple[int, int]]:
        """The parts of the text outside all groups: (start, end) offsets."""
        end = 0
        for span in self.spans:
            yield end, span.heads[0] if span.heads else span.start
            end = span.end
        yield end, len(self._text)

    def find(self, agent: str) -> tuple[str, tuple[GroupSpan, ...]]:
        """(name, groups): the groups that bind a crawler, and the name in them; ("", ()) without.

        Args:
            agent: a product token or a User-Agent header.

        """
        chain = _chain(agent, self._dialect)
        if self._dialect.several_groups is SeveralGroups.HEAVIEST:
            own = [name for name in chain if name != STAR]
            return self._heaviest(own) or self._heaviest(chain[len(own) :]) or ("", ())
        for name in chain:
            groups = self.named(name)
            if groups:
                return name, groups
        return "", ()

    def named(self, name: str) -> tuple[GroupSpan, ...]:
        """The groups that bind a crawler of this name, in the order of the file."""
        if not name:
            return ()
        found = [span for span in self.spans if name in span.names]
        if name != STAR and (self._matches or (not found and not is_token(name))):
            found = [span for span in self.spans if any(self._naming(span, name))]
        several = self._dialect.several_groups
        first_only = several is SeveralGroups.FIRST
        first_only |= several is SeveralGroups.FIRST_NAMED and name != STAR
        return tuple(found[:1] if first_only else found)

    def _naming(self, span: GroupSpan, name: str) -> Iterator[bool]:
        """For each User-agent line of a group, whether it names the crawler."""
        # A name that is no token, such as "MJ12bot", is named by a line that has the whole of it.
        cuts_values = self._dialect.agent_value is AgentValue.TOKEN
        in_full = cuts_values and is_name(name) and not is_token(name)
        for at, value in enumerate(span.names):
            named = value == name
            if self._matches is not None and name != STAR:
                named = value != STAR and self._matches(value, name)
            if not named and in_full and span.heads:
                line = self._grammar.agent.match(self._text, span.heads[at])
                named = line is not None and names_in_full(line[1], name)
            yield named

    def _heaviest(self, chain: Iterable[str]) -> tuple[str, tuple[GroupSpan, ...]] | None:
        """Yandex: the groups with the longest matching value; no others bind.

        As its library does it: in a list, every value from the first that names the crawler on
        counts with its length, even if it is another crawler's name.
        """
        wanted = frozenset(chain)
        weight, bound_by = 0, ""
        kept: list[GroupSpan] = []
        for span in self.spans:
            bound = False
            for value in span.names if wanted.intersection(span.names) else ():
                if value in wanted and len(value) >= weight:
                    bound, bound_by = True, value
                if bound and len(value) > weight:
                    weight, kept = len(value), []
            if bound:
                kept.append(span)
        return (bound_by, tuple(kept)) if kept else None

    def parts_for(self, agent: str, parting: re.Pattern[str]) -> Iterator[tuple[int, int]]:
        """The parts of a crawler's groups under those lists of User-agent lines that name it.

        A Crawl-delay line between two User-agent lines parts the lists, but not the group. The
        delay is for the list right above it, as in all parsers that read delays. The rules are for
        all lists of the group (RFC 9309 §2.2.4: other lines must not interfere). A
        Content-Usage line parts the lists in the same way, for such lines only: in
        aipref-attach-05 it is a rule of its group, and User-agent lines after a rule begin another
        group. Content-Signal and License are read alike.

        Args:
            parting: the expression for the lines that part.

        """
        name, spans = self.find(agent)
        names = {name}
        if self._dialect.several_groups is SeveralGroups.HEAVIEST and name != STAR:
            names = {*_chain(agent, self._dialect)} - {STAR}
        return self._parts(names, spans, parting)

    def parts_for_all(self, parting: re.Pattern[str]) -> Iterator[tuple[int, int]]:
        """The same for the crawlers that no group names."""
        return self._parts({STAR}, self.named(STAR), parting)

    def _parts(
        self, names: Iterable[str], spans: Iterable[GroupSpan], parting: re.Pattern[str]
    ) -> Iterator[tuple[int, int]]:
        for span in spans:
            heads = span.heads
            named = [
                any(by) for by in zip(*(self._naming(span, name) for name in names), strict=True)
            ]
            first = 0
            for at in range(1, len(heads)):
                if parting.search(self._text, heads[at - 1] + 1, heads[at]):
                    if any(named[first:at]):
                        yield heads[first], heads[at]
                    first = at
            if any(named[first:]):
                yield (heads[first] if heads else span.start), span.end


@lru_cache(maxsize=256)
def _chain(agent: str, dialect: Dialect) -> tuple[str, ...]:
    return chain_of(agent, dialect.agents)


def _matches_pattern(value: str, name: str) -> bool:
    return Pattern.of(value + "$").matches(name)


# IN_NAME: the value "" is in every name, as in WWW::RobotRules. HAS_NAME and EITHER: a line with
# the value "" names no crawler.
_MATCHES: dict[AgentMatch, Callable[[str, str], bool]] = {
    AgentMatch.PATTERN: _matches_pattern,
    AgentMatch.IN_NAME: lambda value, name: value in name,
    AgentMatch.HAS_NAME: lambda value, name: name in value,
    AgentMatch.EITHER: lambda value, name: value != "" and (value in name or name in value),
}
