"""Why: the answer to one question, with the rule that gave it.

Knows: the shape of an answer and how to say it. Must not know: how it was found.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import Enum

from .access import Access, AccessMode, AccessResult
from .dialects.dialect import Dialect
from .escapes import MAX_OCTETS, brief, shown
from .url import readable
from .usage import Preference, refusal


class Reason(Enum):
    """What decided."""

    RULE = "rule"
    NO_RULE = "no rule matches"
    NO_GROUP = "no group names the crawler"
    ROBOTS_TXT = "/robots.txt is always allowed"
    OVER_SIZE = "file too large to be obeyed"
    UNAVAILABLE = "no robots.txt"
    FORBIDDEN = "robots.txt forbidden"
    UNREACHABLE = "robots.txt unreachable"
    DEFERRED = "robots.txt not known yet"
    NOT_OBEYED = "robots.txt not obeyed"
    USE_REFUSED = "use refused"
    CRAWL_DELAY = "asks for too long a delay"
    VISIT_TIME = "outside its visit time"


@dataclass(frozen=True, slots=True)
class Rule:
    """An Allow or Disallow line. `path` as written, octets as characters; `line` from 1."""

    allow: bool
    path: str
    line: int

    def __str__(self) -> str:
        return shown(self._text(self.path))

    @property
    def start(self) -> str:
        """As much of the line as fits in a cause; not yet escaped."""
        return self._text(self.path[:MAX_OCTETS])

    def _text(self, path: str) -> str:
        return f"{'Allow' if self.allow else 'Disallow'}: {readable(path)}"


@dataclass(frozen=True, slots=True)
class Group:
    """The rules that bind a crawler.

    name   the name by which the file binds it, in lower case; "*" for the group of all others
    lines  where its User-agent lines stand
    """

    name: str
    lines: tuple[int, ...]
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """May the crawler fetch the URL, and why.

    rule     the rule that decided; None if none did
    group    the group that binds the crawler; None if the file has none for it
    beaten   the rules that matched too, strongest first
    why      a few words more, where no rule decided ("503", "timeout")
    usage    what is said of the use of the page, once it is fetched
    refused  the one of these that decided, where the purpose of the crawl is refused
    """

    allowed: bool
    reason: Reason
    dialect: str
    agent: str
    rule: Rule | None = None
    group: Group | None = None
    beaten: tuple[Rule, ...] = ()
    why: str = ""
    usage: tuple[Preference, ...] = ()
    refused: Preference | None = None

    @property
    def line(self) -> int:
        """The line that decided; 0 if none did."""
        decided = self.refused or self.rule
        return decided.line if decided else 0

    def __str__(self) -> str:
        answer = "allowed" if self.allowed else "disallowed"
        return f"{answer} by {self.cause}" if self.line else f"{answer}: {self.cause}"

    @property
    def cause(self) -> str:
        """What decided: "line 3, Disallow: /secret", "robots.txt unreachable (503)".

        One line, escaped and cut: it goes into logs, exceptions, counts and reports.
        """
        if self.refused:
            return brief(self.refused.start)
        if self.rule:
            return brief(f"line {self.rule.line}, {self.rule.start}")
        return brief(f"{self.reason.value} ({self.why})") if self.why else self.reason.value


_REASONS = {
    AccessResult.UNAVAILABLE: Reason.UNAVAILABLE,
    AccessResult.FORBIDDEN: Reason.FORBIDDEN,
    AccessResult.UNREACHABLE: Reason.UNREACHABLE,
}


def verdict_of(access: Access, dialect: Dialect, agent: str) -> Verdict:
    """The verdict where no rules are asked: the stance is ALLOW, DISALLOW or DEFER."""
    reason = _REASONS.get(access.result, Reason.UNREACHABLE)
    if access.stance is AccessMode.DEFER:
        reason = Reason.DEFERRED
    return Verdict(access.stance is AccessMode.ALLOW, reason, dialect.name, agent, why=access.why)


def refuse(verdict: Verdict, purposes: Collection[str]) -> Verdict:
    """The verdict where the crawl is for these purposes, of those in `usage.PURPOSES`."""
    refused = refusal(verdict.usage, purposes)
    if refused is None:
        return verdict
    beaten = (verdict.rule, *verdict.beaten) if verdict.rule else verdict.beaten
    return replace(
        verdict,
        allowed=False,
        reason=Reason.USE_REFUSED,
        rule=None,
        beaten=beaten,
        refused=refused,
    )
