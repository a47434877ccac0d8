"""What the path of a rule matches, and how strong the rule is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from .dialects.dialect import Dialect
from .dialects.options import EmptyRule, Length, NoSlash, Percent, Precedence, Tie
from .references import BASE, resolve
from .url import RULE_OCTETS, URL_OCTETS, in_query, path_of
from .wrong_type import not_a_string

_INDEX = "/index.htm"
# For a set in an expression: octets that some dialect rewrites or gives a meaning.
_ODD = r'*$%#\x00-\x20\x7f-\xff"<>\[\]\\^`{|}'
NEVER = "\n"  # no value holds one
_MANY = 4  # parts; with more of them it pays to look first whether the path holds them all


# A rule line as it stands in a group: its key if it allows, the literal start of its value, the
# rest of its value.
RuleLine = tuple[str, str, str]
# The path of a rule, split at its wildcards: its parts, and whether it is anchored (`Pattern`).
SplitPattern = tuple[tuple[str, ...], bool]
# A pattern of a group: its strength, the number of its rule in the group, from 1 (0: of none), what
# it says, its parts, and whether it is anchored.
Ranked = tuple[int, int, bool, tuple[str, ...], bool]


class Pattern(NamedTuple):
    """The path of a rule, split at its wildcards.

    length    what counts where the longest rule decides
    allow     what the rule says about a path that matches
    parts     literal octets, one more than there are wildcards: the first stands at the start
    anchored  whether the last part must stand at the end
    """

    length: int
    allow: bool
    parts: tuple[str, ...]
    anchored: bool

    def matches(self, path: str) -> bool:
        return matches(self.parts, self.anchored, path)


def matches(parts: tuple[str, ...], anchored: bool, path: str) -> bool:
    """Whether a path matches the parts. They are sought from left to right, never back: linear."""
    if not path.startswith(parts[0]):
        return False
    at = len(parts[0])
    if len(parts) == 1:
        return not anchored or len(path) == at
    if len(parts) > _MANY and not all(part in path for part in set(parts)):
        return False
    for part in parts[1:-1]:
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    if anchored:
        return path.endswith(parts[-1]) and len(path) - len(parts[-1]) >= at
    return path.find(parts[-1], at) >= 0


def split_pattern(octets: str) -> SplitPattern:
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

    rewrites_all  whether any octet of a URL may have to be rewritten: not only escapes, "*", "$"
                  and what is not ASCII
    resolves      whether a path is a URL reference, which may name a site and mean another path
    literal       an expression for the start of a value that paths have to start with, as it is,
                  whatever comes after it; a rule that is no more than that is a plain one
    index_page    what stands in the path of an Allow that allows the directory as well
    """

    __slots__ = (
        *("_by_length", "_by_octets", "_dialect", "_of_rule", "_of_url", "_tie_allows"),
        *("index_page", "literal", "resolves", "rewrites_all"),
    )

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._of_rule = RULE_OCTETS[dialect.percent]
        self._of_url = URL_OCTETS[dialect.percent]
        self._by_octets = dialect.length is Length.OCTETS
        self._by_length = dialect.precedence is Precedence.LONGEST
        self._tie_allows = dialect.tie is Tie.ALLOW
        self.rewrites_all = dialect.percent is Percent.URI
        self.resolves = dialect.no_slash is NoSlash.RESOLVED
        # Two slashes begin the name of a site, where a rule may name one.
        self.literal = rf"/{'(?!/)' if self.resolves else ''}[^{_ODD}]*"
        self.index_page = _INDEX if dialect.index_html else NEVER

    def path_of(self, url: str) -> str:
        """The path of a URL, with its query, in the one form in which rules are compared with it.

        It begins with "/". TypeError where `url` is no string.
        """
        if not isinstance(url, str):
            raise not_a_string("url", url)
        return self._of_url(path_of(url))

    def ranked(self, lines: Sequence[RuleLine], url: str) -> list[Ranked]:
        """The patterns of a group, from the weakest to the strongest. This is the only ranking.

        Of patterns that are equally strong, the one that comes first in the group is the stronger.
        """
        ranked: list[Ranked] = []
        count = len(lines)
        for number, (key, start, rest) in enumerate(lines, 1):
            allow = key != ""
            after = count - number  # the rules after this one, which it beats where order decides
            if start and not rest and not (allow and self.index_page in start):
                # As most rules are written: nothing to rewrite, and no wildcard.
                weight = len(start) if self._by_length else after
                ranked.append((self._strength(weight, allow), number, allow, (start,), False))
                continue
            for length, says, parts, anchored in self.patterns(allow, start + rest, url):
                weight = length if self._by_length else after
                ranked.append((self._strength(weight, says), number, says, parts, anchored))
        ranked.reverse()
        ranked.sort(key=itemgetter(0))  # stable
        if lines and self._dialect.robots_txt_allowed:
            ranked.append((0, 0, True, (BASE,), True))
        return ranked

    def _strength(self, weight: int, allow: bool) -> int:
        return 2 * weight + (allow is self._tie_allows)

    def unlike(self, second: str) -> str:
        """An expression for the start of values that match no path with that second octet; "" where
        any value may match. It looks no further than to the second octet of a value.
        """
        if second == "%":
            return ""
        if self._dialect.index_html:
            second += "i"  # "/index.html" allows "/"
        if self.resolves:
            second += "/"  # "//example.com/a" is "/a" there
        return rf"(?-i:/[^{_ODD}{re.escape(second)}])"

    def near(self, lines: Sequence[RuleLine], path: str) -> list[RuleLine]:
        """The rule lines that may match a path, in order; the others do not."""
        if self._dialect.index_html:
            page = self.index_page
            near = [line for line in lines if path.startswith(line[1]) or page in line[1]]
        else:
            near = [line for line in lines if path.startswith(line[1])]
        return [line for line in near if not line[2] or self._holds_last_part(line, path)]

    def _holds_last_part(self, line: RuleLine, path: str) -> bool:
        """Whether a path holds what a value has after its last wildcard, or may match without."""
        key, _, rest = line
        if "%" in rest or self.resolves or (key and self._dialect.index_html):
            return True  # it may stand for another path
        return self._of_rule(rest.rstrip("*$").rpartition("*")[2]) in path

    def ignores(self, allow: bool, value: str) -> bool:
        """Whether the dialect passes over such a line as if it were not there."""
        if not value:
            return self._meaning_of_empty(allow) is EmptyRule.IGNORED
        return not self.resolves and self._path(value) is None

    def patterns(self, allow: bool, value: str, url: str) -> tuple[Pattern, ...]:
        """What one rule gives to match with: none, or one pattern and what follows from it.

        `url` tells whose file it is, for rules that are URLs themselves.
        """
        if not value:
            return self._empty(allow)
        path = _resolved(value, url) if self.resolves else self._path(value)
        if path is None:
            return ()
        octets = self._of_rule(path)
        pattern = self._pattern(allow, octets)
        if not pattern.length:
            return ()  # "*$", "**": Yandex's library keeps no empty prefix
        return pattern, *self._more_patterns(pattern, octets)

    def _more_patterns(self, pattern: Pattern, octets: str) -> Iterator[Pattern]:
        """The patterns that follow from the one of a rule."""
        if self._dialect.percent is Percent.RFC9309:
            for query in in_query(octets):
                yield self._pattern(pattern.allow, query)._replace(length=pattern.length)
        if pattern.allow and self._dialect.index_html:
            directory, slash, name = octets.rpartition("/")
            if (slash + name).startswith(_INDEX):
                yield self._pattern(pattern.allow, directory + "/$")

    def _path(self, value: str) -> str | None:
        """What a value stands for where it is no URL reference; None: nothing."""
        no_slash = self._dialect.no_slash
        if value[0] == "/" or no_slash is NoSlash.LITERAL:
            return value
        if value[0] == "*" and self._dialect.wildcards:
            return value
        return "*" + value if no_slash is NoSlash.ANYWHERE else None

    def _meaning_of_empty(self, allow: bool) -> EmptyRule:
        return self._dialect.empty_allow if allow else self._dialect.empty_disallow

    def _empty(self, allow: bool) -> tuple[Pattern, ...]:
        meaning = self._meaning_of_empty(allow)
        if meaning is EmptyRule.IGNORED:
            return ()
        if meaning is EmptyRule.ALLOWS_ROOT:
            return (self._pattern(True, "/"),)
        # An empty Disallow allows, but is weaker than an Allow as empty as it is.
        return (Pattern(0 if allow else -1, True, ("",), False),)

    def _pattern(self, allow: bool, octets: str) -> Pattern:
        length = len(octets) if self._by_octets else _length_without_wildcards(octets)
        if self._dialect.wildcards:
            return Pattern(length, allow, *split_pattern(octets))
        return Pattern(length, allow, (octets,), False)


def _length_without_wildcards(octets: str) -> int:
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
