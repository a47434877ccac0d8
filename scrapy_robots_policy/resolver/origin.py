"""What is known of one origin, and what that lets each dialect do.

Knows: records, rules, and who waits for news of the origin.
Must not know: stores, how a robots.txt is fetched, when to ask again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from twisted.internet.defer import Deferred

from ..rep import (
    AccessMode,
    CacheEntry,
    Dialect,
    FetchResult,
    Reason,
    RuleSet,
    Verdict,
    judge,
    parse,
)
from ..rep.access import (
    FOREVER,
    Access,
    AccessOverrides,
    AccessResult,
    goes_far_enough,
    is_fresh,
    remember,
)
from ..rep.directives import VisitTime
from ..rep.url import path_of
from ..rep.verdict import verdict_of

MOST_OCTETS = 4 * 1024 * 1024  # of a file, where a dialect knows no limit
MOST_PACES = 100  # agents whose pace is remembered for a file; a crawl asks as one or a few


def octets_read(dialect: Dialect) -> int:
    """How much of a file is of use to a dialect."""
    return min(dialect.size_limit, MOST_OCTETS)


@dataclass(frozen=True, slots=True)
class OriginRules:
    """What one origin lets one dialect do; `rules` is None where the stance needs none."""

    origin: str
    dialect: Dialect
    access: Access
    rules: RuleSet | None
    _paces: dict[str, tuple[float | None, tuple[VisitTime, ...]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def stance(self) -> AccessMode:
        return self.access.stance

    @property
    def answer(self) -> Callable[[str, str], bool]:
        """`allowed`, by the shortest way."""
        return self.allowed if self.rules is None else self.rules.allowed

    def allowed(self, url: str, agent: str) -> bool:
        if self.rules is not None:
            return self.rules.allowed(url, agent)
        return self.access.stance is AccessMode.ALLOW or self._is_robots_txt(url)

    def verdict(self, url: str, agent: str) -> Verdict:
        if self.rules is not None:
            return self.rules.verdict(url, agent)
        if self._is_robots_txt(url):
            return Verdict(True, Reason.ROBOTS_TXT, self.dialect.name, agent)
        return verdict_of(self.access, self.dialect, agent)

    def _is_robots_txt(self, url: str) -> bool:
        return self.dialect.robots_txt_allowed and path_of(url) == "/robots.txt"

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds between two requests that the site asks for, where the dialect listens."""
        return self._pace(agent)[0]

    def hours(self, agent: str) -> tuple[VisitTime, ...]:
        """When the site wants to be visited, where the dialect listens; none: at any time."""
        return self._pace(agent)[1]

    def opens_in(self, agent: str, now: float) -> float:
        """Seconds until then; 0: it is time."""
        return min((span.opens_in(now) for span in self.hours(agent)), default=0.0)

    def _pace(self, agent: str) -> tuple[float | None, tuple[VisitTime, ...]]:
        if self.rules is None:
            return None, ()
        if agent not in self._paces:
            if len(self._paces) >= MOST_PACES:
                self._paces.clear()
            times = self.rules.visit_times(agent) if self.dialect.visit_time else ()
            self._paces[agent] = self.rules.crawl_delay(agent), times
        return self._paces[agent]


def given(origin: str, dialect: Dialect, octets: bytes) -> OriginRules:
    """A ruling by a file that the user has given in place of the site's own: it never ages."""
    record = CacheEntry(FetchResult(None, cause="given by the user"), 0.0, octets)
    access = Access(
        AccessMode.RULES,
        record.latest.cause,
        AccessResult.SUCCESSFUL,
        octets,
        FOREVER,
        FOREVER,
        record,
    )
    return OriginRules(origin, dialect, access, parse(octets, dialect))


@dataclass
class OriginState:
    """One origin. `rulings` holds for `record` only."""

    origin: str
    wishes: AccessOverrides
    record: CacheEntry | None = None

    def __post_init__(self) -> None:
        self.rulings: dict[Dialect, OriginRules] = {}
        self.waiting: list[Deferred[None]] = []
        self.asking = False
        self.answers: bool | None = None  # whether the last page asked of the site was answered

    def ruling(self, dialect: Dialect, now: float) -> OriginRules | None:
        """What the record means to a dialect now; None where there is none that goes far enough."""
        ruling = self.rulings.get(dialect)
        current = ruling is not None and ruling.access.record is self.record
        if current and ruling is not None and is_fresh(ruling.access, now):
            return ruling
        if self.record is None or not goes_far_enough(
            self.record, dialect.access, octets_read(dialect)
        ):
            return None
        access = judge(self.record, now, self.wishes.over(dialect.access))
        self.rulings[dialect] = ruling = OriginRules(
            self.origin, dialect, access, _rules(access, dialect, ruling)
        )
        return ruling

    def remember(self, outcome: FetchResult, now: float) -> CacheEntry:
        """The facts after one more try, whether the site itself answers among them."""
        if outcome.status is None:
            before = None if self.record is None else self.record.latest.site_answers
            answers = before if self.answers is None else self.answers
            outcome = replace(outcome, site_answers=answers)
        return remember(self.record, outcome, now)

    def wake(self) -> None:
        waiting, self.waiting = self.waiting, []
        for turn in waiting:
            if not turn.called:  # cancelled by its owner
                turn.callback(None)


def _rules(access: Access, dialect: Dialect, before: OriginRules | None) -> RuleSet | None:
    """The rules of a file, parsed anew only where the octets are new."""
    if access.stance is not AccessMode.RULES:
        return None
    if before is not None and before.rules is not None and before.access.octets == access.octets:
        return before.rules
    return parse(access.octets, dialect)
