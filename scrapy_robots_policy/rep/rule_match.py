"""How a rule matches a URL, part by part: for people who look at one rule and one URL.

The parts are those that the engine compares (`patterns`); here they only get their places.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .dialects.dialect import Dialect
from .patterns import Pattern, reading_of
from .verdict import Rule


class MatchedPart(NamedTuple):
    """One part of a rule, and the octets of the path that it matches, as characters.

    kind  "start" stands at the start, "any" is a wildcard, "part" comes after one, "end" is the
          anchor "$"
    """

    kind: str
    rule: str
    path: str


class RuleMatch(NamedTuple):
    """`rest` is what follows in the path after the last part, and what the rule says nothing of."""

    parts: tuple[MatchedPart, ...]
    rest: str


def match_of(rule: Rule, url: str, dialect: Dialect) -> RuleMatch | None:
    """How the rule matches the URL, both in the form in which the dialect compares them.

    None if it does not match. The matched parts and the rest, one after the other, are the path.
    """
    reading = reading_of(dialect)
    path = reading.path_of(url)
    patterns = reading.patterns(rule.allow, rule.path, url)
    pattern = next((one for one in patterns if one.matches(path)), None)
    if pattern is None:
        return None
    parts = tuple(_parts(pattern, path))
    return RuleMatch(parts, path[sum(len(part.path) for part in parts) :])


def _parts(pattern: Pattern, path: str) -> Iterator[MatchedPart]:
    """From left to right, each part where it is found first, as `patterns.matches` does it."""
    first, *others = pattern.parts
    at = len(first)
    yield MatchedPart("start", first, first)
    for number, part in enumerate(others, 1):
        takes_rest = number == len(others) and (pattern.anchored or not part)
        start = len(path) - len(part) if takes_rest else path.find(part, at)
        yield MatchedPart("any", "*", path[at:start])
        if part:
            yield MatchedPart("part", part, part)
        at = start + len(part)
    if pattern.anchored:
        yield MatchedPart("end", "$", "")
