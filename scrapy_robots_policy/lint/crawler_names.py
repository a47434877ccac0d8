"""Names of crawlers: which crawler one binds, and which one a misspelt one was meant to be."""

from __future__ import annotations

from functools import lru_cache

from ..rep.agents import crawlers, product_token
from ..rep.dialect import Dialect
from ..rep.rules import RuleSet
from .source_file import SITE, group_alone

LONGEST_NAME = 32  # octets
_LONG = 9  # octets
_SHORTEST = 6  # octets; shorter names are near too many others
_NAMES = {agent.name.lower(): agent.name for agent in crawlers()}
_BY_INITIAL = {
    initial: [name for name in _NAMES if name[0] == initial and len(name) >= _SHORTEST]
    for initial in {name[0] for name in _NAMES}
}
"""The names that a misspelt one may be near to, by their first letter, which a slip leaves."""


def rules_for(value: str, dialect: Dialect) -> RuleSet:
    """A file that allows nothing to the crawlers that a User-agent line with this value names."""
    return group_alone(dialect, "Disallow: /", agent=value)


def binds(value: str, dialect: Dialect) -> bool:
    """Whether a group for `value` binds the crawler of that name: the engine is asked."""
    return not rules_for(value, dialect).allowed(SITE, product_token(value))


@lru_cache(maxsize=1024)
def crawler_near(name: str) -> str:
    """The one crawler whose name a misspelt one was meant to be; "" where there is none, or where
    the name is itself a crawler's. `name` has at most `LONGEST_NAME` octets.
    """
    name = name.lower()
    if name in _NAMES or len(name) < _SHORTEST:
        return ""
    near = [crawler for crawler in _BY_INITIAL.get(name[0], ()) if _is_slip(name, crawler)]
    return _NAMES[near[0]] if len(near) == 1 else ""


def _is_slip(name: str, crawler: str) -> bool:
    """Whether two characters are swapped, or one is missing or too many. In a long name, or between
    two words, one may also stand for another: short names that differ in a letter are often those
    of two crawlers.

    crawler  one of `_BY_INITIAL[name[0]]`
    """
    if abs(len(name) - len(crawler)) > 1:
        return False
    start = next((at for at, (a, b) in enumerate(zip(name, crawler, strict=False)) if a != b), None)
    if start is None:
        return False  # one starts the other: a plural, a version
    rest, right = name[start:], crawler[start:]
    if rest[1:] == right[1:]:
        return len(crawler) >= _LONG or not (rest[0].isalnum() and right[0].isalnum())
    return rest[1:] == right or rest == right[1:] or _is_swap(rest, right)


def _is_swap(rest: str, right: str) -> bool:
    return rest[:2] == right[1::-1] and rest[2:] == right[2:]
