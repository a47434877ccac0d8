"""What the user set for single hosts.

A pattern is a host name in which "*" stands for anything, with or without a port. Several patterns
may match a host. Each matter is then decided by the most specific pattern that sets it: a pattern
without a star before one with a star, then the longer one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..fetch.host_patterns import HostMatch, host_pattern
from ..rep import Dialect
from ..rep.escapes import listed, quoted
from .identity import AgentKind, DialectKind
from .kinds import SettingError, dict_in, wrong


@dataclass(frozen=True, slots=True)
class Override:
    """What is set for some host; None: not set.

    agent        a product token
    obey         whether a robots.txt is requested at all
    crawl_delay  seconds between two requests
    robots_txt   the file to obey instead of the site's own
    """

    dialect: Dialect | None = None
    agent: str | None = None
    obey: bool | None = None
    crawl_delay: float | None = None
    robots_txt: bytes | None = None

    def over(self, weaker: Override) -> Override:
        """This override, completed by the weaker one where it sets nothing."""
        own = {item.name: getattr(self, item.name) for item in fields(self)}
        is_set = {name: value for name, value in own.items() if value is not None}
        return Override(**{name: getattr(weaker, name) for name in own} | is_set)


class Overrides:
    """Overrides by host pattern.

    name         the setting or attribute that has them
    sets_delays  whether a delay is set for some host
    """

    def __init__(self, by_pattern: Mapping[str, Override], name: str = "") -> None:
        self.name = name
        self.sets_delays = any(override.crawl_delay for override in by_pattern.values())
        self._strongest_first = sorted(by_pattern.items(), key=_specificity, reverse=True)
        self._match = HostMatch(pattern for pattern, _ in self._strongest_first)

    def __bool__(self) -> bool:
        return bool(self._strongest_first)

    def of(self, origin: str) -> Override:
        """What is set for the host of an origin."""
        override = Override()
        for _, weaker in self._matching(origin):
            override = override.over(weaker)
        return override

    def set_by(self, origin: str) -> dict[str, str]:
        """Where each field of `of(origin)` is set, by its name: "ROBOTS_OVERRIDES['*.a.com']"."""
        set_by: dict[str, str] = {}
        for pattern, override in self._matching(origin):
            for item in fields(override):
                if getattr(override, item.name) is not None:
                    set_by.setdefault(item.name, f"{self.name}[{pattern!r}]")
        return set_by

    def _matching(self, origin: str) -> Iterator[tuple[str, Override]]:
        return (self._strongest_first[at] for at in self._match.of(origin))


def _specificity(item: tuple[str, Override]) -> tuple[bool, int]:
    pattern = item[0]
    return "*" not in pattern, len(pattern)


def _flag(name: str, value: Any) -> bool:
    """True or False and nothing like it: `"obey": 0` may be meant as a number of seconds."""
    if not isinstance(value, bool):
        raise wrong(name, value, "True or False")
    return value


def _seconds(name: str, value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value < 1e9:
        raise wrong(name, value, "a number of seconds from 0 up")
    return float(value)


def _file(name: str, value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if not isinstance(value, bytes):
        raise wrong(name, value, "the text of a robots.txt")
    return value


KEYS: Mapping[str, Callable[[str, Any], Any]] = {
    "dialect": DialectKind().read,
    "agent": AgentKind().read,
    "obey": _flag,
    "crawl_delay": _seconds,
    "robots_txt": _file,
}
"""The keys, each with what reads its value: a function of the key and the value."""


class OverridesKind:
    """A dictionary of host patterns, each with a dictionary of `KEYS`; or JSON text of one."""

    words = "a dict of host patterns"

    def read(self, name: str, value: Any) -> Overrides:
        by_pattern = dict_in(name, value, self.words)
        return Overrides(
            {
                _pattern(name, pattern): _override(name, pattern, keys)
                for pattern, keys in by_pattern.items()
            },
            name,
        )


def _pattern(name: str, pattern: Any) -> str:
    try:
        return host_pattern(pattern)
    except (AttributeError, TypeError, ValueError):
        raise SettingError(
            f"{name} has the key {quoted(pattern)}; "
            "a key must be a host or a pattern such as '*.example.com'"
        ) from None


def _override(name: str, pattern: str, values: Any) -> Override:
    if not isinstance(values, Mapping):
        raise SettingError(
            f"{name} has {quoted(values)} for {pattern!r}; it must be a dict of {listed(KEYS)}"
        )
    for key in values:
        if key not in KEYS:
            raise SettingError(
                f"{name} has the key {quoted(key)} for {pattern!r}; the keys are {listed(KEYS)}"
            )
    try:
        return Override(**{key: KEYS[key](key, value) for key, value in values.items()})
    except SettingError as error:
        raise SettingError(f"{name} has a wrong value for {pattern!r}: {error}") from None
