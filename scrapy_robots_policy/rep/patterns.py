"""One rule's path as something that matches, and how much it weighs.

Knows: wildcards, anchors, length, precedence. Must not know: lines, groups, other rules.

A rank is an integer that joins what a rule says with how strong it is: of two matching rules the
one with the higher rank decides, and the lowest bit of a rank says whether it allows. `NOTHING` is
the rank where no rule matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .dialects.dialect import Dialect
from .dialects.options import EmptyRule, Length, NoSlash, Percent, Precedence, Tie
from .references import BASE, resolve
from .url import in_query, rule_octets, url_octets

NOTHING = 1
ALLOWED = 1  # the bit
ABOVE_ALL = (1 << 62) | ALLOWED

ROOT = "/"
_INDEX = "/index.htm"
NEVER = "\n"  # no value holds one
_MANY = 4  # parts; with more of them it pays to look first whether the path holds them all


class Pattern(NamedTuple):
    """A rule's path, split at its wildcards.

    length    what counts where the longest rule decides
    bits      the low bits of the rank: what the rule says, and whether it wins among equals
    parts     literal octets, one more than there are wildcards: the first stands at the start
    anchored  whether the last part must stand at the end
    """

    length: int
    bits: int
    parts: tuple[str, ...]
    anchored: bool

    def matches(self, path: str) -> bool:
        """Whether the path matches. Parts are sought from left to right, never back: linear."""
        parts = self.parts
        if not path.startswith(parts[0]):
            return False
        at = len(parts[0])
        if len(parts) == 1:
            return not self.anchored or len(path) == at
        if len(parts) > _MANY and not all(part in path for part in set(parts)):
            return False
        for part in parts[1:-1]:
            at = path.find(part, at)
            if at < 0:
                return False
            at += len(part)
        if self.anchored:
            return path.endswith(parts[-1]) and len(path) - len(parts[-1]) >= at
        return path.find(parts[-1], at) >= 0


# the first two fields of a pattern, and its octets
Spelled = tuple[int, int, str]

ROBOTS_TXT = Pattern(0, ALLOWED, (BASE,), True)


def last_part(octets: str) -> str:
    """The last literal part of a path with wildcards."""
    return octets.rstrip("*$").rpartition("*")[2]


def split_pattern(octets: str) -> tuple[tuple[str, ...], bool]:
    """The parts of a path with wildcards, and whether its end is anchored. RFC 9309 §2.2.3."""
    anchored = octets[-1:] == "$"
    parts = (octets[:-1] if anchored else octets).split("*")
    if len(parts) == 1 or (len(parts) == 2 and parts[1]):
        return tuple(parts), anchored
    first, *others, last = parts
    others = [part for part in others if part]
    # A star at the end takes the rest, with or without "$".
    if not last:
        return (first, *others, last) if others else (first,), False
    return (first, *others, last), anchored


class Reading:
    """How a dialect makes patterns of rules.

    octets_of     how the path of a URL is prepared
    bits          the low bits of a rank: of a Disallow, of an Allow
    by_length     whether a rule is as strong as it is long, or as it stands early in its group
    resolves      whether a path is a URL reference, which may stand for quite another path
    literal       an expression for the start of a value that paths have to start with, as it is,
                  whatever comes after it; a rule that is no more than that is a plain one
    index_page    what stands in the path of an Allow that allows the directory as well
    """

    __slots__ = (
        *("_by_octets", "_octets"),
        *("bits", "by_length", "dialect", "index_page", "literal", "octets_of", "resolves"),
    )

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.octets_of = url_octets(dialect.percent)
        self._octets = rule_octets(dialect.percent)
        self._by_octets = dialect.length is Length.OCTETS
        self.resolves = dialect.no_slash is NoSlash.RESOLVED
        rewrites = self.resolves or dialect.percent is Percent.URI
        self.literal = "" if rewrites else r"/[^*$%\x80-\xff\s#]*"
        self.index_page = _INDEX if dialect.index_html else NEVER
        favoured = dialect.tie is Tie.ALLOW
        self.bits = (2 * (not favoured), 2 * favoured | ALLOWED)
        self.by_length = dialect.precedence is Precedence.LONGEST

    def rank(self, length: int, order: int, bits: int) -> int:
        """`order` counts down from the number of rules: the first of a group has the highest."""
        return (length if self.by_length else order) * 4 + bits

    def unlike(self, start: str) -> str:
        """An expression for how values start that cannot match a path whose first two octets are
        `start`; "" where any value can.
        """
        if self.resolves or start in ("", "/%"):
            return ""
        # "/index.html" may stand for "/"
        index = "i" if start == "/" and self.dialect.index_html else ""
        return rf"(?-i:/[^*$%\x80-\xff\s#{index}{re.escape(start[1:])}])"

    def patterns(self, allow: bool, value: str, url: str) -> tuple[Pattern, ...]:
        """What one rule line gives to match with: none, or one pattern and what follows from it.

        `url` tells whose file it is, for rules that are URLs themselves.
        """
        return tuple(self.pattern(*spelled) for spelled in self.spelled(allow, value, url))

    def spelled(self, allow: bool, value: str, url: str) -> tuple[Spelled, ...]:
        """The same before it is split at its wildcards."""
        if not value:
            return self._empty(allow)
        path = value if value[0] == "/" else self._path(value)
        if self.resolves:
            path = _resolved(value, url)
        if path is None:
            return ()
        octets = self._octets(path)
        spelled = self._spelled(allow, octets)
        if not spelled[0]:
            return ()  # "*$", "**": Yandex's library keeps no empty prefix
        return spelled, *self._also(allow, octets, spelled)

    def _also(self, allow: bool, octets: str, spelled: Spelled) -> Iterator[Spelled]:
        """What a rule gives to match with beside itself."""
        if allow and self.dialect.index_html:
            directory, slash, name = octets.rpartition("/")
            if (slash + name).startswith(_INDEX):
                yield self._spelled(allow, directory + "/$")
        if self.dialect.percent is Percent.RFC9309:
            query = in_query(octets)
            if query is not None:
                yield spelled[0], spelled[1], query

    def _path(self, value: str) -> str | None:
        """What a value stands for that does not start with "/"."""
        no_slash = self.dialect.no_slash
        if (value[0] == "*" and self.dialect.wildcards) or no_slash is NoSlash.LITERAL:
            return value
        return "*" + value if no_slash is NoSlash.ANYWHERE else None

    def _empty(self, allow: bool) -> tuple[Spelled, ...]:
        reading = self.dialect.empty_allow if allow else self.dialect.empty_disallow
        if reading is EmptyRule.IGNORED:
            return ()
        if reading is EmptyRule.ALLOWS_ROOT:
            return (self._spelled(True, "/"),)
        # An empty Disallow allows, but is weaker than an Allow as empty as it is.
        return ((0, self.bits[True] if allow else ALLOWED, ""),)

    def _spelled(self, allow: bool, octets: str) -> Spelled:
        length = len(octets) if self._by_octets else _without_wildcards(octets)
        return length, self.bits[allow], octets

    def pattern(self, length: int, bits: int, octets: str) -> Pattern:
        """What was spelled, split where the dialect has wildcards."""
        if self.dialect.wildcards:
            return Pattern(length, bits, *split_pattern(octets))
        return Pattern(length, bits, (octets,), False)


def _without_wildcards(octets: str) -> int:
    if octets == "*":
        return 1  # Yandex's library reads "*" as "/*"; it makes "**" a "*" only after that
    return len(octets.removesuffix("$").replace("*", ""))


def _resolved(value: str, url: str) -> str | None:
    reference = resolve(value)
    return reference.path if reference and reference.is_for(url) else None


@lru_cache(maxsize=64)
def reading_of(dialect: Dialect) -> Reading:
    """The reading of a dialect, made once."""
    return Reading(dialect)
