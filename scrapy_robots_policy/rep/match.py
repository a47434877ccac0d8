"""What the path of a rule matches, how strong the rule is, and the index that finds the strongest.

The index files each rule line under its key: the literal start of its value. A path is looked up
by each of its own starts that is as long as some key. So a question costs a look for each length of
keys, and a try for each pattern whose key the path starts with. That is linear in the file at
worst, when all rules have one key.

To file a line takes one step. Its value becomes a pattern when a path asks for its key: most lines
of a large file are never asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from .checks import not_a_string
from .dialect import Dialect, EmptyRule, Length, NoSlash, Precedence
from .url import RULE_OCTETS, URL_OCTETS, Percent, in_query, origin_of, path_of

_INDEX = "/index.htm"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9.+-]*:")
# Keys are cut to a few lengths, so that a few looks find all keys of a path: 1, 2, 3, 4, 6, 8, 12 …
_LONG = 1024
_LENGTHS = sorted({0, *(m << n for m in (2, 3) for n in range(10) if m << n < _LONG), 1})
_CUT = [_LENGTHS[bisect_right(_LENGTHS, length) - 1] for length in range(_LONG)]


class Pattern(NamedTuple):
    """The path of a rule: `rest` is "", or "$", or begins with the first "*"."""

    start: str
    rest: str = ""

    @classmethod
    def of(cls, text: str) -> Pattern:
        """RFC 9309 §2.2.3: "*" stands for any text, and "$" at the end for the end of the path."""
        at = text.find("*")
        if at < 0:
            at = len(text) - text.endswith("$")
        return cls(text[:at], text[at:])

    def matches(self, path: str) -> bool:
        start = self.start
        return path.startswith(start) and (
            not self.rest or _rest_matches(self.rest, path, len(start))
        )

    def parts(self, path: str) -> Iterator[MatchedPart]:
        """How it matches a path, for people to see: the parts from left to right."""
        yield MatchedPart("start", self.start, self.start)
        at = len(self.start)
        anchored, parts = _split(self.rest)
        for number, part in enumerate(parts, 1):
            takes_rest = number == len(parts) and (anchored or not part)
            found = len(path) - len(part) if takes_rest else path.find(part, at)
            yield MatchedPart("any", "*", path[at:found])
            if part:
                yield MatchedPart("part", part, part)
            at = found + len(part)
        if anchored:
            yield MatchedPart("end", "$", "")


class MatchedPart(NamedTuple):
    """One part of a rule, and what it matches in the path.

    kind  "start" stands at the start, "any" is a wildcard, "part" comes after one, "end" is "$"
    """

    kind: str
    rule: str
    path: str


def _split(rest: str) -> tuple[bool, list[str]]:
    """(whether the end is anchored, the literal parts after each wildcard)

    Several "*" are as one. A "*" at the end takes the rest of the path, with or without "$".
    """
    anchored = rest.endswith("$")
    _, *parts = (rest[:-1] if anchored else rest).split("*")
    if parts:
        *others, last = parts
        parts = [part for part in others if part] + [last]
        anchored = anchored and last != ""
    return anchored, parts


def _rest_matches(rest: str, path: str, at: int) -> bool:
    """Whether a path goes on from `at` as `rest` says. No part is sought twice: linear."""
    anchored, parts = _split(rest)
    if not parts:
        return at == len(path)
    for part in parts[:-1]:
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    if anchored:
        return path.endswith(parts[-1]) and len(path) - len(parts[-1]) >= at
    return path.find(parts[-1], at) >= 0


# The strength of a pattern: its length, then whether it allows, then the place of its line. RFC
# 9309 §2.2.2: the longest rule decides, and an Allow among equally long ones; then the first is
# named. Where the order of rules decides, the place stands for the length, too. An empty Disallow
# is weaker than all others: its length is -1.
_PLACES = 24  # bits
_LAST = (1 << _PLACES) - 1
NOTHING = 0  # the strength where no pattern matches: that allows
ROBOTS_TXT = 1 << _PLACES | _LAST  # /robots.txt is allowed, by no rule


def strength_of(length: int, allow: bool, place: int) -> int:
    """The strength of a pattern in the line with this place, from 0."""
    return (2 * (length + 1) + allow) << _PLACES | (_LAST - 1 - place)


def place_of(strength: int) -> int:
    """The place of the line that has this strength; -1 where no line has it."""
    return _LAST - 1 - (strength & _LAST) if strength else -1


def length_of(strength: int) -> int:
    """The length of the pattern with this strength."""
    return (strength >> _PLACES + 1) - 1


def allows(strength: int) -> bool:
    return not strength or strength >> _PLACES & 1 == 1


class Strong(NamedTuple):
    """A pattern with its strength. `needle`: the longest text that each path has that it matches,
    beside its start.
    """

    strength: int
    needle: str
    pattern: Pattern

    @classmethod
    def of(cls, strength: int, pattern: Pattern) -> Strong:
        needle = max(pattern.rest.rstrip("$").split("*"), key=len) if pattern.rest else ""
        return cls(strength, needle, pattern)


class Index:
    """Path → the strengths of the patterns that match it.

    Lines are filed under their keys: texts with which each path starts that they match. What is
    filed under a key is read when a path with this start is asked for.

    Args:
        places: the places of lines, by key.
        read: gives the patterns of some lines, in any order.

    """

    __slots__ = ("_filed", "_lengths", "_read")

    def __init__(
        self, places: dict[str, list[int]], read: Callable[[Iterable[int]], Iterable[Strong]]
    ) -> None:
        self._filed: dict[str, list[int] | tuple[Strong, ...]] = {**places}
        self._lengths = sorted({len(key) for key in places})
        self._read = read

    def strongest(self, path: str) -> int:
        """The strength of the pattern that decides about a path; `NOTHING` if none matches."""
        best, filed = NOTHING, self._filed
        for length in self._lengths:
            key = path[:length]
            if key in filed:
                for strength, needle, pattern in self._patterns(key):
                    if strength <= best:
                        break
                    if needle in path and pattern.matches(path):
                        best = strength
                        break
        return best

    def every(self, path: str) -> list[int]:
        """The strengths of all patterns that match a path, from the highest down."""
        keys = dict.fromkeys(path[:length] for length in self._lengths)
        found = (one for key in keys if key in self._filed for one in self._patterns(key))
        strengths = [
            one.strength for one in found if one.needle in path and one.pattern.matches(path)
        ]
        return sorted(strengths, reverse=True)

    def _patterns(self, key: str) -> tuple[Strong, ...]:
        """What is filed under a key, the strongest first."""
        filed = self._filed[key]
        if isinstance(filed, list):
            filed = self._filed[key] = tuple(sorted(self._read(filed), reverse=True))
        return filed


class Reading:
    """How a dialect makes patterns of rules, and a path of a URL."""

    __slots__ = ("_dialect", "_index_html", "_of_rule", "_of_url", "reads_sites")

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._of_rule = RULE_OCTETS[dialect.percent]
        self._of_url = URL_OCTETS[dialect.percent]
        self._index_html = dialect.index_html
        self.reads_sites = dialect.no_slash is NoSlash.REFERENCE

    def path_of(self, url: str) -> str:
        """The path of a URL, with its query, in the one form in which rules are compared with it.

        It begins with "/". TypeError where `url` is no string.
        """
        try:
            return self._of_url(path_of(url))
        except TypeError:
            raise not_a_string("url", url) from None

    def with_site(self, url: str) -> str:
        """The origin of a URL and its path, as they are compared with a rule that names a site."""
        origin = origin_of(url)
        return origin + self.path_of(url) if origin else ""

    def key_of(self, allow: str | None, start: str) -> str:
        """What each path starts with that a rule matches whose value starts so literally.

        allow  the key of its line if that allows
        """
        if allow and self._index_html and _INDEX in start:
            start = start[: start.rindex(_INDEX) + 1]  # the directory is allowed, too
        return start[: _CUT[len(start)] if len(start) < _LONG else _LONG]

    def strong(self, allow: bool, value: str, place: int) -> list[Strong]:
        """The patterns of a rule with their strengths. This is the only ranking."""
        if self._dialect.precedence is Precedence.LONGEST:
            return [
                Strong.of(strength_of(length, says, place), pattern)
                for length, says, pattern in self.patterns(allow, value)
            ]
        return [
            Strong.of(strength_of(_LAST - place, says, place), pattern)
            for _, says, pattern in self.patterns(allow, value)
        ]

    def patterns(self, allow: bool, value: str) -> list[tuple[int, bool, Pattern]]:
        """What one rule gives to match with: (length, whether it allows, pattern) of none, or of
        one pattern and of what follows from it.
        """
        if not value:
            return self._of_empty(allow)
        patterns = self.patterns_of_path(value, allow)
        if allow and self._dialect.index_html and patterns:
            directory, slash, name = self._of_rule(value).rpartition("/")
            if (slash + name).startswith(_INDEX):
                patterns.append((len(directory) + 2, allow, Pattern.of(directory + "/$")))
        return patterns

    def patterns_of_path(self, value: str, allow: bool = False) -> list[tuple[int, bool, Pattern]]:
        """What a path gives to match with, as it may stand in lines that are no rules, too: the
        empty path matches everything.
        """
        path = self._path(value) if value else ""
        if path is None:
            return []
        length = len(path) if self._dialect.length is Length.BYTES else _length_of_literals(path)
        if value and not length:
            return []  # "*$", "**": Yandex's library keeps no empty prefix
        read = Pattern.of if self._dialect.wildcards else Pattern
        patterns = [(length, allow, read(path))]
        if self._dialect.percent is Percent.RFC9309:
            patterns += [(length, allow, read(query)) for query in in_query(path)]
        return patterns

    def _path(self, value: str) -> str | None:
        """What a value stands for, as it is compared; None: nothing."""
        no_slash = self._dialect.no_slash
        if value[0] != "/" and not (value[0] == "*" and self._dialect.wildcards):
            if no_slash is NoSlash.IGNORED:
                return None
            if no_slash is NoSlash.ANYWHERE:
                value = "*" + value
            if no_slash is NoSlash.REFERENCE:
                if _SCHEME.match(value):
                    site = origin_of(value)
                    return site and site + self._of_rule(path_of(value))
                value = f"/robots.txt{value}" if value[0] == "?" else f"/{value}"
        return self._of_rule(value)

    def _of_empty(self, allow: bool) -> list[tuple[int, bool, Pattern]]:
        meaning = self._dialect.empty_allow if allow else self._dialect.empty_disallow
        if meaning is EmptyRule.IGNORED:
            return []
        if meaning is EmptyRule.ALLOWS_ROOT:
            return [(1, True, Pattern("/"))]
        # An empty Disallow allows, but is weaker than an Allow as empty as it is.
        return [(0 if allow else -1, True, Pattern(""))]


def _length_of_literals(path: str) -> int:
    if path == "*":
        return 1  # Yandex's library reads "*" as "/*"; it makes "**" a "*" only after that
    return len(path.removesuffix("$").replace("*", ""))


@lru_cache(maxsize=64)
def reading_of(dialect: Dialect) -> Reading:
    """The reading of a dialect, made once."""
    return Reading(dialect)
