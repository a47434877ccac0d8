"""What the user chose for single hosts, and for one request.

The key of an override is a pattern: a host name in which "*" stands for anything, with or without a
port. Several patterns may match a host. Each matter is then decided by the most specific pattern
that sets it: a pattern without a star before one with a star, then the longer one.

An override with a name, a reason or an end is a permission. When it has ended, it sets nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime, timezone
from typing import NamedTuple

from ..rep import Dialect, Origin
from ..rep.escapes import brief
from .host_patterns import HostMatch


@dataclass(frozen=True, slots=True)
class Override:
    """What is set for some host; None: not set.

    Attributes:
        agent: a product token.
        obey: whether a robots.txt is requested at all.
        crawl_delay: seconds between two requests.
        robots_txt: the file to obey instead of the site's own.
        by, why: who permits that, and the reason.
        until: the last day, in UTC, on which all this holds.

    """

    dialect: Dialect | None = None
    agent: str | None = None
    obey: bool | None = None
    crawl_delay: float | None = None
    robots_txt: bytes | None = None
    by: str | None = None
    why: str | None = None
    until: date | None = None

    @property
    def is_permission(self) -> bool:
        return bool(self.by or self.why or self.until)

    def __str__(self) -> str:
        """The permission: ", by Anna, until 2027-01-31: she owns the site"."""
        parts = (("by", self.by), ("until", self.until))
        who = "".join(f", {word} {value}" for word, value in parts if value)
        return brief(who + (f": {self.why}" if self.why else ""))

    def over(self, weaker: Override) -> Override:
        """This override, completed by the weaker one where it sets nothing."""
        own = {item.name: getattr(self, item.name) for item in fields(self)}
        is_set = {name: value for name, value in own.items() if value is not None}
        return Override(**{name: getattr(weaker, name) for name in own} | is_set)


class Permission(NamedTuple):
    """An override with a name or an end is used for the first time, or has ended."""

    name: str
    holds: bool


class Overrides:
    """Overrides by host pattern.

    Attributes:
        name: the setting or attribute that has them.
        sets_delays: whether a delay is set for some host.
        tell: called with a permission when it is first used, and when it has ended.

    """

    def __init__(
        self,
        by_pattern: Mapping[str, Override],
        name: str = "",
        tell: Callable[[Permission], None] = lambda _: None,
    ) -> None:
        self.by_pattern, self.name, self.tell = by_pattern, name, tell
        self.sets_delays = any(override.crawl_delay for override in by_pattern.values())
        self._strongest_first = sorted(by_pattern.items(), key=_specificity, reverse=True)
        self._match = HostMatch(pattern for pattern, _ in self._strongest_first)
        self._told: dict[str, bool] = {}

    def __bool__(self) -> bool:
        return bool(self._strongest_first)

    def of(self, origin: str, now: float) -> Override:
        """What is set for the host of an origin. `now`: in seconds since the epoch."""
        override = Override()
        for _, weaker in self._matching(origin, now):
            override = override.over(weaker)
        return override

    def set_by(self, origin: str, now: float) -> dict[str, str]:
        """Where each field of `of` is set, by its name: "ROBOTS_OVERRIDES['*.a.com']"."""
        set_by: dict[str, str] = {}
        for pattern, override in self._matching(origin, now):
            for item in fields(override):
                if getattr(override, item.name) is not None:
                    set_by.setdefault(item.name, self._place(pattern, override))
        return set_by

    def _matching(self, origin: str, now: float) -> Iterator[tuple[str, Override]]:
        for at in self._match.of(origin):
            pattern, override = self._strongest_first[at]
            if not override.is_permission or self._holds(pattern, override, now):
                yield pattern, override

    def _holds(self, pattern: str, override: Override, now: float) -> bool:
        """Whether a permission has not ended."""
        today = datetime.fromtimestamp(now, timezone.utc).date()
        holds = override.until is None or today <= override.until
        if self._told.get(pattern) is not holds:
            self._told[pattern] = holds
            self.tell(Permission(self._place(pattern, override), holds))
        return holds

    def _place(self, pattern: str, override: Override) -> str:
        return f"{self.name}[{pattern!r}]{override}"


def _specificity(item: tuple[str, Override]) -> tuple[bool, int]:
    pattern = item[0]
    return "*" not in pattern, len(pattern)


@dataclass(frozen=True, slots=True)
class RequestConfig:
    """What the user chose for a request.

    Attributes:
        agent: a product token.
        obey: whether a robots.txt is requested at all.
        crawl_delay: seconds between two requests, instead of what the site asks for.
        robots_txt: the file to obey instead of the site's own; empty where `obey` is False.

    """

    dialect: Dialect
    agent: str
    obey: bool = True
    crawl_delay: float | None = None
    robots_txt: bytes | None = None

    def applies_to(self, origin: Origin) -> bool:
        """Whether a robots.txt decides about requests to the origin, or a delay is set for it."""
        if origin.partition(":")[0] not in self.dialect.access.schemes:
            return False
        return self.obey or self.crawl_delay is not None
