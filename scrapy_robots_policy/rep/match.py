"""What the path of a rule matches, how strong the rule is, and the index that finds the strongest.

The index files each rule line under its key: the literal start of its value. In the order of
strings, all that starts with a key follows the key itself, and comes before all that does not start
so. So the keys that a path starts with are found from one place: the last key that does not come
after the path, the longest key that this one starts with (its parent), the parent of that, and so
on. A look (`bisect`) finds the place. The patterns of the keys on this way are tried, and the
strongest that matches decides. That is linear in the file at worst, when all rules have one key.

A line is read as a pattern when the first path comes that starts with its key. In a large file most
lines are never read. For such a line, the index holds its key and a few numbers.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from .checks import not_a_string
from .dialect import Dialect, EmptyRule, Length, NoSlash, Precedence
from .url import RULE_ESCAPES, URL_ESCAPES, Percent, in_query, origin_of, path_of

_INDEX = "/index.htm"
# Scheme, host and a slash. What some dialect rewrites in a path, or what ends it.
_SITE = re.compile("[^/?;#]*://[^/?;#@]*/")
_ODD = re.compile("[%#*$]")
_STARS = re.compile(r"\*+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9.+-]*:")


class Pattern(NamedTuple):
    """The path of a rule: `rest` is "", or "$", or begins with the first "*". Several "*" in it are
    as one, and so is "*$" at its end, which takes the rest of the path. Where a query is compared
    in another form, that form stands behind it, after a line feed, which no rule has.
    """

    start: str
    rest: str = ""

    @classmethod
    def of(cls, text: str) -> Pattern:
        """RFC 9309 §2.2.3: "*" stands for any text, and "$" at the end for the end of the path."""
        at = text.find("*")
        if at < 0:
            at = len(text) - text.endswith("$")
        rest = text[at:]
        if "**" in rest or rest.endswith("*$"):
            rest = _STARS.sub("*", rest.removesuffix("$") if rest.endswith("*$") else rest)
        return cls(text[:at], rest)

    def matches(self, path: str) -> bool:
        start, rest = self
        return path.startswith(start) and (not rest or _goes_on(rest, path, len(start)))

    def parts(self, path: str) -> Iterator[MatchedPart]:
        """How it matches a path, for people to see: the parts from left to right."""
        yield MatchedPart("start", self.start, self.start)
        at = len(self.start)
        rest, _, in_query = self.rest.partition("\n")
        if in_query and not _goes_on(rest, path, at):
            rest = _with_query(rest, in_query, path, at)
        anchored = rest.endswith("$")
        parts = rest.removesuffix("$").split("*")[1:]
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

    Attributes:
        kind: "start" stands at the start, "any" is a wildcard, "part" comes after one, "end" is
            "$".

    """

    kind: str
    rule: str
    path: str


def _goes_on(rest: str, path: str, at: int) -> bool:
    """Whether a path goes on from `at` as `rest` says. No part is sought twice: linear."""
    if "\n" in rest:
        rest, _, in_query = rest.partition("\n")
        with_query = _with_query(rest, in_query, path, at)
        if with_query and _goes_on(with_query, path, at):
            return True
    _, *parts = rest.split("*")
    if not parts:  # "$" alone
        return at == len(path)
    last = parts.pop()
    for part in parts:
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    if last.endswith("$"):
        return path.endswith(last[:-1]) and len(path) - len(last) + 1 >= at
    return path.find(last, at) >= 0


def _with_query(rest: str, in_query: str, path: str, at: int) -> str:
    """The pattern in which one "*" takes the "?" that starts the query: the parts that fit before
    it are as in a path, the others as in a query. "" where the path has no query.
    """
    query = path.find("?", at)
    if query < 0:
        return ""
    parts = rest.split("*")[1:]
    count = 0
    for count, part in enumerate(parts):  # noqa: B007 - it is needed below
        found = path.find(part, at, query)
        if found < 0:
            break
        at = found + len(part)
    before = "".join(f"*{part}" for part in parts[:count])
    return before + "*?" + "".join(f"*{part}" for part in in_query.split("*")[1 + count :])


# The strength of a pattern: its length, then whether it allows, then the place of its line. RFC
# 9309 §2.2.2: the longest rule decides, and an Allow among equally long ones; then the first is
# named. Where the order of rules decides, the place stands for the length, too.
_PLACES = 40  # bits; a text may be as long
_LAST = (1 << _PLACES) - 1
NOTHING = 0  # the strength where no pattern matches: that allows
ROBOTS_TXT = 1 << _PLACES | _LAST  # /robots.txt is allowed, by no rule


def strength_of(length: int, allow: bool, place: int) -> int:
    """The strength of a pattern in the line with this place, from 0."""
    return (2 * length + 2 + allow) << _PLACES | (_LAST - 1 - place)


def place_of(strength: int) -> int:
    """The place of the line that has this strength; -1 where no line has it."""
    return _LAST - 1 - (strength & _LAST) if strength else -1


def length_of(strength: int) -> int:
    """The length of the pattern with this strength."""
    return (strength >> _PLACES + 1) - 1


def allows(strength: int) -> bool:
    return strength == NOTHING or strength >> _PLACES & 1 == 1


# A pattern with its strength: (strength, needle, start, rest). `needle` is the last literal part
# after a wildcard: each path that the pattern matches has it. It is a bare tuple, because a large
# file has thousands, and the collector does not look at bare tuples of texts again.
Ranked = tuple[int, str, str, str]


def ranked(strength: int, pattern: Pattern) -> Ranked:
    start, rest = pattern
    needle = "" if "\n" in rest else rest.rstrip("$*").rpartition("*")[2]
    return strength, needle, start, rest


Read = Callable[[Iterable[int]], Iterable[Ranked]]
_strength = itemgetter(0)


class Index:
    """Path → the strengths of the patterns that match it.

    The patterns of a key are read when a path with that key is asked for. The index keeps no
    reference to what reads them: it would be one in a circle, and only the collector would free a
    file that nobody needs any more.

    Args:
        lines: (key, place) of each line. A key is a text with which each path starts that the line
            matches.

    """

    __slots__ = ("_firsts", "_keys", "_parents", "_places", "_strong")

    def __init__(self, lines: list[tuple[str, int]]) -> None:
        lines.sort()
        keys: list[str] = []
        self._keys, self._parents, self._firsts = keys, array("i"), array("I")
        self._places = array("I", [place for _, place in lines])
        self._strong: dict[int, tuple[Ranked, ...]] = {}  # what was read, by the number of its key
        within: list[int] = []  # the last key, its parent, the parent of that …
        for number, (key, _) in enumerate(lines):
            if keys and key == keys[-1]:
                continue
            while within and not key.startswith(keys[within[-1]]):
                within.pop()
            self._parents.append(within[-1] if within else -1)
            within.append(len(keys))
            keys.append(key)
            self._firsts.append(number)
        self._firsts.append(len(lines))

    def strongest(self, path: str, read: Read) -> int:
        """The strength of the pattern that decides about a path; `NOTHING` if none matches.

        Args:
            read: gives the patterns of some places, in any order.

        """
        best, keys, strong = NOTHING, self._keys, self._strong
        at = bisect_right(keys, path) - 1
        while at >= 0:
            if path.startswith(keys[at]):
                for strength, needle, start, rest in strong.get(at) or self._patterns(at, read):
                    if strength <= best:
                        break
                    if (
                        needle in path
                        and path.startswith(start)
                        and (not rest or _goes_on(rest, path, len(start)))
                    ):
                        best = strength
                        break
            at = self._parents[at]
        return best

    def most_tried(self) -> int:
        """How many lines are tried for one path at most."""
        tried = array("I")
        for at, parent in enumerate(self._parents):
            lines = self._firsts[at + 1] - self._firsts[at]
            tried.append(lines + (tried[parent] if parent >= 0 else 0))
        return max(tried, default=0)

    def every(self, path: str, read: Read) -> list[int]:
        """The strengths of all patterns that match a path, from the highest down."""
        found = list[int]()
        at = bisect_right(self._keys, path) - 1
        while at >= 0:
            tried = self._patterns(at, read) if path.startswith(self._keys[at]) else ()
            found += [
                strength
                for strength, _, start, rest in tried
                if path.startswith(start) and (not rest or _goes_on(rest, path, len(start)))
            ]
            at = self._parents[at]
        return sorted(found, reverse=True)

    def _patterns(self, at: int, read: Read) -> tuple[Ranked, ...]:
        """The patterns of a key, the strongest first."""
        patterns = self._strong.get(at)
        if patterns is None:
            places = self._places[self._firsts[at] : self._firsts[at + 1]]
            patterns = self._strong[at] = tuple(sorted(read(places), key=_strength, reverse=True))
        return patterns


class Reading:
    """How a dialect makes patterns of rules, and a path of a URL."""

    __slots__ = (
        "_by_length",
        "_counts_bytes",
        "_dialect",
        "_index_html",
        "_of_rule",
        "_of_url",
        "_rewrites_all",
        "_usual",
        "_wildcards",
        "reads_sites",
    )

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._of_rule = RULE_ESCAPES[dialect.percent]
        self._of_url = URL_ESCAPES[dialect.percent]
        self._index_html, self._wildcards = dialect.index_html, dialect.wildcards
        self._counts_bytes = dialect.length is Length.BYTES
        self._by_length = dialect.precedence is Precedence.LONGEST
        self._rewrites_all = dialect.percent is Percent.URI
        # The scheme and host of the URLs that are asked for, with the slash after it, and where
        # that stands: one value, so that no thread reads one without the other. At first none.
        self._usual: tuple[str | tuple[str, ...], int] = (), 0
        self.reads_sites = dialect.no_slash is NoSlash.REFERENCE

    def path_of(self, url: str) -> str:
        """The path of a URL, with its query, in the one form in which rules are compared with it.

        It begins with "/". TypeError where `url` is no string.
        """
        site, slash = self._usual
        try:
            if url.startswith(site):
                path = url[slash:]
                if path.isascii() and not _ODD.search(path):
                    return path
            match = _SITE.match(url)
            if match and not self._rewrites_all:
                self._usual = match[0], match.end() - 1
            return self._of_url(path_of(url))
        except (AttributeError, TypeError):
            raise not_a_string("url", url) from None

    def with_site(self, url: str) -> str:
        """The origin of a URL and its path, as they are compared with a rule that names a site."""
        origin = origin_of(url)
        return origin + self.path_of(url) if origin else ""

    def keys(self, lines: Iterable[re.Match[str]]) -> Iterator[tuple[str, int]]:
        """(key, place) of rule lines: what each path starts with that the rule matches."""
        for line in lines:
            key = line[3]
            if self._index_html and line[1] and _INDEX in key:
                key = key[: key.rindex(_INDEX) + 1]  # the directory is allowed, too
            yield key, line.start()

    def ranked(self, allow: bool, value: str, place: int, start: str = "") -> list[Ranked]:
        """The patterns of a rule with their strengths. This is the only ranking.

        Args:
            start: as much of the value as paths have to start with as it is.

        """
        by_length = self._by_length
        if start and value == start and not (allow and self._index_html):
            # As most rules are written: nothing to rewrite, and no wildcard.
            length = len(value) if by_length else _LAST - place
            return [(strength_of(length, allow, place), "", value, "")]
        return [
            ranked(strength_of(length if by_length else _LAST - place, says, place), pattern)
            for length, says, pattern in self.patterns(allow, value)
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

    def is_read(self, allow: bool, value: str) -> bool:
        """Whether a rule counts: the dialect may ignore it."""
        return bool(self.patterns(allow, value))

    def are_too_many(self, rules: int) -> bool:
        """Whether of so many rules, all of which count, none is obeyed."""
        return rules >= self._dialect.rule_limit

    def patterns_of_path(self, value: str, allow: bool = False) -> list[tuple[int, bool, Pattern]]:
        """What a path gives to match with, as it may stand in lines that are no rules, too: the
        empty path matches everything.
        """
        path = self._path(value) if value else ""
        if path is None:
            return []
        length = len(path) if self._counts_bytes else _length_of_literals(path)
        if value and not length:
            return []  # "*$", "**": Yandex's library keeps no empty prefix
        pattern = Pattern.of(path) if self._wildcards else Pattern(path)
        if "%" in pattern.rest and self._dialect.percent is Percent.RFC9309:
            query = in_query(pattern.rest)
            pattern = Pattern(pattern.start, f"{pattern.rest}\n{query}" if query else pattern.rest)
        return [(length, allow, pattern)]

    def _path(self, value: str) -> str | None:
        """What a value stands for, as it is compared; None: nothing."""
        if value[0] != "/" and not (value[0] == "*" and self._wildcards):
            no_slash = self._dialect.no_slash
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
        if allow or self._dialect.empty_disallow is EmptyRule.IGNORED:
            return []
        if self._dialect.empty_disallow is EmptyRule.ALLOWS_ROOT:
            return [(1, True, Pattern("/"))]
        return [(0, True, Pattern(""))]


def _length_of_literals(path: str) -> int:
    if path == "*":
        return 1  # Yandex's library reads "*" as "/*"; it makes "**" a "*" only after that
    return len(path.removesuffix("$").replace("*", ""))


@lru_cache(maxsize=64)
def reading_of(dialect: Dialect) -> Reading:
    """The reading of a dialect, made once."""
    return Reading(dialect)
