"""What the user has set for single hosts.

Knows: host patterns, and what may be set for a host. Must not know: settings' names, requests, what
becomes of a value.

A pattern is a host name in which "*" stands for anything, with or without a port. Of the patterns
that match a host, the most specific one that says something of a matter decides it: one without a
star before one with, then the longer one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from typing import Any

from ..rep import Dialect
from ..rep.dialects.crawlers import product_token

KEYS = ("dialect", "agent", "obey", "crawl_delay", "robots_txt")


@dataclass(frozen=True, slots=True)
class Override:
    """What is set for some host; None: nothing.

    agent        a product token
    obey         whether a robots.txt is asked for at all
    crawl_delay  seconds between two requests
    robots_txt   the file to obey in place of the site's own
    """

    dialect: Dialect | None = None
    agent: str | None = None
    obey: bool | None = None
    crawl_delay: float | None = None
    robots_txt: bytes | None = None

    def over(self, weaker: Override) -> Override:
        """This, and where it says nothing, the weaker one."""
        own = {item.name: getattr(self, item.name) for item in fields(self)}
        said = {name: value for name, value in own.items() if value is not None}
        return Override(**{name: getattr(weaker, name) for name in own} | said)


class Overrides:
    """Overrides by host pattern."""

    def __init__(self, by_pattern: Mapping[str, Override]) -> None:
        self._by_pattern = dict(sorted(by_pattern.items(), key=_specificity, reverse=True))

    def __bool__(self) -> bool:
        return bool(self._by_pattern)

    def of(self, host: str) -> Override:
        """What is set for a host, as it stands in an origin: "example.com", "example.com:8080"."""
        name = host.rpartition(":")[0] or host
        found = Override()
        for pattern, override in self._by_pattern.items():
            if fnmatchcase(host, pattern) or fnmatchcase(name, pattern):
                found = found.over(override)
        return found


def _specificity(item: tuple[str, Override]) -> tuple[bool, int]:
    pattern = item[0]
    return "*" not in pattern, len(pattern)


def read_overrides(told: Any, read_dialect: Callable[[Any], Dialect]) -> Overrides:
    """The value of a setting: a dict of host patterns, each with a dict of `KEYS`.

    `read_dialect` reads one of its values. ValueError, in words that go after the setting's name,
    where it is no such dict.
    """
    if not isinstance(told, Mapping):
        raise ValueError(f"is {told!r}; it must be a dict of host patterns")
    return Overrides(
        {
            _pattern(pattern): _override(pattern, keys, read_dialect)
            for pattern, keys in told.items()
        }
    )


def _pattern(pattern: Any) -> str:
    if not isinstance(pattern, str) or not pattern or "/" in pattern:
        raise ValueError(
            f"has the key {pattern!r}; a key must be a host or a pattern such as '*.example.com'"
        )
    return pattern.lower().rstrip(".")


def _override(pattern: str, told: Any, read_dialect: Callable[[Any], Dialect]) -> Override:
    if not isinstance(told, Mapping) or not set(told) <= set(KEYS):
        raise ValueError(f"has {told!r} for {pattern!r}; it must be a dict of {_listed(KEYS)}")
    read: dict[str, Callable[[Any], Any]] = {
        "dialect": read_dialect,
        "agent": _agent,
        "obey": _obey,
        "crawl_delay": _crawl_delay,
        "robots_txt": _robots_txt,
    }
    try:
        return Override(**{key: read[key](value) for key, value in told.items()})
    except ValueError as error:
        raise ValueError(f"has a wrong value for {pattern!r}: {error}") from None


def _agent(told: Any) -> str:
    if not isinstance(told, str) or not product_token(told):
        raise ValueError(f"agent is {told!r}; it must be a product token such as 'MyBot'")
    return product_token(told)


def _obey(told: Any) -> bool:
    if not isinstance(told, bool):
        raise ValueError(f"obey is {told!r}; it must be True or False")
    return told


def _crawl_delay(told: Any) -> float:
    if isinstance(told, bool) or not isinstance(told, int | float) or not 0 <= told < float("inf"):
        raise ValueError(f"crawl_delay is {told!r}; it must be a number of seconds from 0 up")
    return float(told)


def _robots_txt(told: Any) -> bytes:
    if isinstance(told, str):
        return told.encode()
    if isinstance(told, bytes):
        return told
    raise ValueError(f"robots_txt is {told!r}; it must be the text of a robots.txt")


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}"
