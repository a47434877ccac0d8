"""The answer to one question, and why: the rule or the access result that gave it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Protocol

from .access import Access, AccessMode, AccessResult
from .checks import check_type
from .dialect import Dialect
from .escapes import MAX_BYTES, brief, shown
from .match import reading_of
from .url import readable
from .usage.answer import UseAnswer, answer, superseding
from .usage.preferences import NO_USE, DeclaredUse, Overridden, Place, Preference


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
    PAYMENT_REQUIRED = "payment required"
    LICENSE_REQUIRED = "licence required"


@dataclass(frozen=True, slots=True)
class Rule:
    """An Allow or Disallow line. `path` as written, bytes as characters; `line` from 1."""

    allow: bool
    path: str
    line: int

    def __str__(self) -> str:
        return shown(f"{self.key}: {readable(self.path)}")

    @property
    def key(self) -> str:
        return "Allow" if self.allow else "Disallow"

    @property
    def text(self) -> str:
        """The rule as written, bytes as characters; not yet escaped."""
        return f"{self.key}: {self.path}"

    @property
    def start(self) -> str:
        """As much of the line as fits in a cause; not yet escaped."""
        return f"{self.key}: {readable(self.path[:MAX_BYTES])}"


@dataclass(frozen=True, slots=True)
class Group:
    """The rules that bind a crawler.

    Attributes:
        name: the name by which the file binds it, in lower case; "*" for the group of all others.
        lines: where its User-agent lines stand.

    """

    name: str
    lines: tuple[int, ...]
    rules: tuple[Rule, ...]


class GivesDetails(Protocol):
    """What gives the details of a verdict: the rules of a file."""

    def group(self, agent: str) -> Group | None: ...
    def matching(self, url: str, agent: str) -> tuple[Rule, ...]: ...
    def usage(
        self, url: str, agent: str, tokens: Collection[str] = ()
    ) -> tuple[Preference, ...]: ...
    def overridden(self, url: str, agent: str) -> tuple[Overridden, ...]: ...


class Details:
    """What stands behind a verdict. Looked up when it is asked for, and then kept.

    A copy that is pickled holds the details themselves, and no rules to ask for them.

    Attributes:
        use: what the crawl declares that it does with pages.
        reservations: the preferences of the origin's tdmrep.json for the page.

    """

    def __init__(
        self,
        rules: GivesDetails | None = None,
        url: str = "",
        agent: str = "",
        use: DeclaredUse = NO_USE,
        reservations: Sequence[Preference] = (),
    ) -> None:
        self._question = rules, url, agent
        self._use, self._reservations = use, reservations

    def declaring(self, use: DeclaredUse, reservations: Sequence[Preference]) -> Details:
        """The details of the same question for a crawl that declares a use."""
        return Details(*self._question, use, reservations)

    @cached_property
    def group(self) -> Group | None:
        rules, _, agent = self._question
        return rules.group(agent) if rules else None

    @cached_property
    def matching(self) -> tuple[Rule, ...]:
        """The rules of the group that match the URL, strongest first."""
        rules, url, agent = self._question
        return rules.matching(url, agent) if rules else ()

    @cached_property
    def usage(self) -> tuple[Preference, ...]:
        rules, url, agent = self._question
        own = rules.usage(url, agent, self._use.tokens) if rules else ()
        return (*own, *self._reservations)

    @cached_property
    def uses(self) -> UseAnswer:
        rules, url, agent = self._question
        return answer(self.usage, self._use, rules.overridden(url, agent) if rules else ())

    def __getstate__(self) -> dict[str, object]:
        names = ("group", "matching", "usage", "uses")
        return {name: getattr(self, name) for name in names}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Details) and self.__getstate__() == other.__getstate__()

    def __hash__(self) -> int:
        return hash(tuple(self.__getstate__().values()))


@dataclass(frozen=True, slots=True)
class Verdict:
    """May the crawler fetch the URL, and why.

    Attributes:
        rule: the rule that decided; None if none did.
        why: a few words more, where no rule decided ("503", "timeout").
        refused: the preference that decided, where the site refuses the page to the crawl's
            purpose.
        details: what `group`, `beaten` and `usage` are taken from.

    """

    allowed: bool
    reason: Reason
    dialect: str
    agent: str
    rule: Rule | None = None
    why: str = ""
    refused: Preference | None = None
    details: Details = field(default=Details(), repr=False, hash=False)

    @property
    def group(self) -> Group | None:
        """The group that binds the crawler; None if the file has none for it."""
        return self.details.group

    @property
    def beaten(self) -> tuple[Rule, ...]:
        """The rules that match too but did not decide, strongest first."""
        return tuple(rule for rule in self.details.matching if rule != self.rule)

    @property
    def usage(self) -> tuple[Preference, ...]:
        """The preferences about the use of the page, once it is fetched."""
        return self.details.usage

    @property
    def uses(self) -> UseAnswer:
        """The answer to each use that the crawl declares, with what overrides what."""
        return self.details.uses

    @property
    def line(self) -> int:
        """The line of the robots.txt that decided; 0 if none did."""
        if self.refused:
            return self.refused.robots_line
        return self.rule.line if self.rule else 0

    def __str__(self) -> str:
        word = "allowed" if self.allowed else "refused"
        return f"{word} by {self.cause}" if self.line else f"{word}: {self.cause}"

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


def verdict_of(access: Access, dialect: Dialect, url: str, agent: str) -> Verdict:
    """The verdict where no rules decide: the access mode is ALLOW, DISALLOW or DEFER."""
    if dialect.robots_txt_allowed and reading_of(dialect).path_of(url) == "/robots.txt":
        return Verdict(True, Reason.ROBOTS_TXT, dialect.name, agent)
    reason = _REASONS.get(access.result, Reason.UNREACHABLE)
    if access.mode is AccessMode.DEFER:
        reason = Reason.DEFERRED
    elif access.mode is AccessMode.ALLOW and reason is Reason.FORBIDDEN:
        reason = Reason.UNAVAILABLE  # RFC 9309 §2.3.1.3 makes no difference
    return Verdict(access.mode is AccessMode.ALLOW, reason, dialect.name, agent, why=access.why)


def refuse(verdict: Verdict, use: DeclaredUse, reservations: Sequence[Preference] = ()) -> Verdict:
    """The verdict for a crawl that declares a use.

    TypeError for a use of another type, such as the name of a purpose.

    Args:
        reservations: what the origin's tdmrep.json says of the page.

    """
    check_type("use", use, DeclaredUse)
    if not use and not reservations:
        return verdict
    details = verdict.details.declaring(use, reservations if verdict.allowed else ())
    verdict = replace(verdict, details=details)
    refused = refusal(details.usage, use) if verdict.allowed else None
    if refused is None:
        return verdict
    return replace(verdict, allowed=False, reason=Reason.USE_REFUSED, rule=None, refused=refused)


def refusal(preferences: Sequence[Preference], use: DeclaredUse) -> Preference | None:
    """The preference that keeps a page from being fetched for a declared use; None without one."""
    if not preferences:
        return None
    holding, _ = superseding(preferences)
    if use.fetches_reserved:
        holding = tuple(one for one in holding if one.place is not Place.TDMREP)
    return use.refusal(holding)
