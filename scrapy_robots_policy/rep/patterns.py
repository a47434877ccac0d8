"""One rule's path as something that matches, and how much it weighs.

Knows: wildcards, anchors, length, precedence. Must not know: lines, groups, other rules.

A rank is an integer that joins what a rule says with how strong it is: of two matching rules the one
with the higher rank decides, and the lowest bit of a rank says whether it allows. `NOTHING` is the
rank where no rule matches.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .dialect import Dialect
from .knobs import EmptyRule, Length, NoSlash, Precedence, Tie
from .octets import rule_octets
from .references import BASE, resolve

NOTHING = 1
ALLOWED = 1  # the bit
ROBOTS_TXT = BASE
ABOVE_ALL = (1 << 62) | ALLOWED

_INDEX = "/index.htm"


class Pattern(NamedTuple):
    """A rule's path, split at its wildcards.

    parts     literal octets, one more than there are wildcards: the first stands at the start
    anchored  whether the last part must stand at the end
    """

    rank: int
    parts: tuple[str, ...]
    anchored: bool

    def matches(self, path: str) -> bool:
        """Whether the path matches. Parts are sought from left to right: no backtracking, linear."""
        parts = self.parts
        if not path.startswith(parts[0]):
            return False
        at = len(parts[0])
        if len(parts) == 1:
            return not self.anchored or len(path) == at
        for part in parts[1:-1]:
            at = path.find(part, at)
            if at < 0:
                return False
            at += len(part)
        if self.anchored:
            return path.endswith(parts[-1]) and len(path) - len(parts[-1]) >= at
        return path.find(parts[-1], at) >= 0


def split_pattern(octets: str) -> tuple[tuple[str, ...], bool]:
    """The parts of a path with wildcards, and whether its end is anchored. RFC 9309 §2.2.3."""
    anchored = octets.endswith("$")
    first, *others = octets.removesuffix("$").split("*")
    if not others:
        return (first,), anchored
    last = others.pop()
    if not last:  # a star at the end takes the rest, with or without "$"
        anchored = False
        if not any(others):
            return (first,), False
    return (first, *filter(None, others), last), anchored


def patterns_of(
    allow: bool, value: str, order: int, dialect: Dialect, url: str
) -> Iterator[Pattern]:
    """What one rule line gives to match with: none, one or two patterns.

    `order` counts down from the number of rules: the first rule of a file has the highest.
    `url` tells whose file it is, for rules that are URLs themselves.
    """
    if not value:
        yield from _empty(allow, order, dialect)
        return
    path = _path(value, dialect, url)
    if path is None:
        return
    octets = rule_octets(dialect.percent)(path)
    yield _pattern(allow, octets, order, dialect)
    if allow and dialect.index_html:
        directory, slash, name = octets.rpartition("/")
        if (slash + name).startswith(_INDEX):
            yield _pattern(allow, directory + "/$", order, dialect)


def _empty(allow: bool, order: int, dialect: Dialect) -> Iterator[Pattern]:
    reading = dialect.empty_allow if allow else dialect.empty_disallow
    if reading is EmptyRule.ALLOWS_ROOT:
        yield _pattern(True, "/", order, dialect)
    elif reading is EmptyRule.ALLOWS and dialect.precedence is Precedence.LONGEST and not allow:
        yield Pattern(NOTHING, ("",), False)  # weaker than an Allow as empty as it is
    elif reading is EmptyRule.ALLOWS:
        yield _pattern(True, "", order, dialect)


def _path(value: str, dialect: Dialect, url: str) -> str | None:
    """The path that a value stands for; None where it stands for none."""
    if dialect.no_slash is NoSlash.RESOLVED:
        reference = resolve(value)
        return reference.path if reference and reference.is_for(url) else None
    if value[0] == "/" or (value[0] == "*" and dialect.wildcards):
        return value
    if dialect.no_slash is NoSlash.ANYWHERE:
        return "*" + value
    return value if dialect.no_slash is NoSlash.LITERAL else None


def _pattern(allow: bool, octets: str, order: int, dialect: Dialect) -> Pattern:
    rank = rank_of(allow, octets, order, dialect)
    if not dialect.wildcards:
        return Pattern(rank, (octets,), False)
    return Pattern(rank, *split_pattern(octets))


def rank_of(allow: bool, octets: str, order: int, dialect: Dialect) -> int:
    """How strong a rule is, and in the lowest bit what it says."""
    if dialect.precedence is Precedence.FIRST:
        return order * 4 | allow
    favoured = allow is (dialect.tie is Tie.ALLOW)
    return _length(octets, dialect) * 4 | favoured * 2 | allow


def _length(octets: str, dialect: Dialect) -> int:
    if dialect.length is Length.OCTETS:
        return len(octets)
    if not octets.strip("*"):
        return 1  # Yandex's library reads "*" as "/*"
    return len(octets.removesuffix("$").replace("*", ""))
