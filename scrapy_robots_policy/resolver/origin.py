"""One origin: its cache entry, the rules that each dialect makes of it, and the requests that wait.

A cache entry holds facts: what a fetch brought, and when. A dialect makes `OriginRules` of them.
They are made anew when the entry is new, or when time has changed what it means.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..fetch.result import octets_read, whole_lines
from ..rep import (
    AccessMode,
    CacheEntry,
    Dialect,
    FetchResult,
    RuleSet,
    Verdict,
    judge,
    parse,
)
from ..rep.access import FOREVER, Access, AccessOverrides, AccessResult, goes_far_enough, remember
from ..rep.tdmrep import TdmRules
from ..rep.url import ROBOTS_TXT, document_of
from ..rep.usage import DeclaredUse, Overridden, Preference
from ..rep.verdict import refuse, verdict_of

if TYPE_CHECKING:  # `robots-policy` asks for rules without Twisted
    from twisted.internet.defer import Deferred

    from ..exceptions import FetchForbidden

MAX_AGENTS = 100  # agents whose delay is kept for a file; a crawl has one or a few
# Bytes of memory, about: an origin without a file, and a byte of its file. The rules hold its text,
# and the start of each rule.
OVERHEAD, _OF_BYTE = 4_000, 6


@dataclass(frozen=True, slots=True)
class OriginRules:
    """What a dialect makes of an origin's cache entry; `rules` is None if the mode needs none.

    reservations  the rules of a tdmrep.json, where the entry is that of one
    tdmrep        what the origin's tdmrep.json says, where it was asked for
    """

    origin: str
    dialect: Dialect
    access: Access
    rules: RuleSet | None
    reservations: TdmRules | None = None
    tdmrep: OriginRules | None = None
    _delays: dict[str, float | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    # The same rules with a tdmrep.json: one object as long as both are the same.
    _joined: list[OriginRules] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def mode(self) -> AccessMode:
        return self.access.mode

    @property
    def fresh_until(self) -> float:
        """From then on the robots.txt, or the tdmrep.json where it was asked for, is stale."""
        fresh_until = self.access.fresh_until
        return min(fresh_until, self.tdmrep.fresh_until) if self.tdmrep else fresh_until

    def with_tdmrep(self, tdmrep: OriginRules) -> OriginRules:
        """These rules and what the origin's tdmrep.json says."""
        if self.tdmrep is tdmrep:
            return self
        if not (self._joined and self._joined[0].tdmrep is tdmrep):
            self._joined[:] = [replace(self, tdmrep=tdmrep)]
        return self._joined[0]

    def reserved(self, url: str) -> tuple[Preference, ...]:
        """The preferences of the tdmrep.json for a page; none where it says nothing."""
        if self.tdmrep is None or self.tdmrep.reservations is None:
            return ()
        return self.tdmrep.reservations.preferences(url)

    def preferences(self, url: str, agent: str, use: DeclaredUse) -> tuple[Preference, ...]:
        """The preferences for a page that may be fetched, of both files."""
        own = () if self.rules is None else self.rules.usage(url, agent, use.tokens)
        return (*own, *self.reserved(url))

    def overridden(self, url: str, agent: str) -> tuple[Overridden, ...]:
        """The preferences for a page that do not hold, and what overrides them; of robots.txt."""
        return () if self.rules is None else self.rules.overridden(url, agent)

    def may_have_preferences(self, use: DeclaredUse) -> bool:
        """Whether `preferences` may give any, for whatever page."""
        if self.tdmrep is not None:
            return True
        return self.rules is not None and (bool(use.tokens) or self.rules.may_have_usage)

    def allowed(self, url: str, agent: str) -> bool:
        if self.rules is not None:
            return self.rules.allowed(url, agent)
        return self.access.mode is AccessMode.ALLOW or self.verdict(url, agent).allowed

    def verdict(self, url: str, agent: str) -> Verdict:
        """The answer of `allowed`, with its reason."""
        if self.rules is not None:
            return self.rules.verdict(url, agent)
        return verdict_of(self.access, self.dialect, url, agent)

    def verdict_for_use(self, url: str, agent: str, use: DeclaredUse) -> Verdict:
        """The verdict for a crawl that declares a use: the site may refuse the page to it."""
        return refuse(self.verdict(url, agent), use, self.reserved(url))

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps that the robots.txt names."""
        return () if self.rules is None else self.rules.sitemaps

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds between two requests that the site asks for, where the dialect honours them."""
        if self.rules is None:
            return None
        if agent not in self._delays:
            if len(self._delays) >= MAX_AGENTS:
                self._delays.clear()
            self._delays[agent] = self.rules.crawl_delay(agent)
        return self._delays[agent]


_parsed = lru_cache(maxsize=64)(parse)


@lru_cache(maxsize=1_000)
def rules_given(origin: str, dialect: Dialect, octets: bytes) -> OriginRules:
    """The rules of a file that the user has set in place of the site's own. They stay fresh."""
    entry = CacheEntry(FetchResult(None, cause="given by the user"), 0.0, octets)
    mode, result = AccessMode.RULES, AccessResult.SUCCESSFUL
    access = Access(mode, entry.latest.cause, result, octets, FOREVER, FOREVER, entry)
    return OriginRules(origin, dialect, access, _parsed(octets, dialect))


@dataclass(slots=True, eq=False)
class Waiter:
    """A request that waits for news of its origin. `page` is the request itself, of any kind."""

    news: Deferred[FetchForbidden | None]
    page: Any


@dataclass(slots=True, eq=False)
class OriginState:
    """All that is known of one origin.

    entry     what came of the latest fetch; None: nothing is known
    redirected_here  what came of a redirect of another origin's document; no request has needed it
    waiters   the requests that wait for news
    is_looked_up  whether somebody is asking the store or the site now
    variant       what a fetch takes from the request for which somebody asks, as that came; None
                  while it waits
    put_off_until  when the waiting requests are woken, because the origin defers; None: it does
                   not, or a lookup is under way
    answers   whether the last page that was asked of the site was answered; None: none was
    """

    origin: str
    overrides: AccessOverrides
    entry: CacheEntry | None = None
    redirected_here: CacheEntry | None = None
    waiters: list[Waiter] = field(default_factory=list)
    is_looked_up: bool = False
    variant: Hashable = None
    put_off_until: float | None = None
    answers: bool | None = None
    _by_dialect: dict[Dialect, OriginRules] = field(default_factory=dict)

    def rules(self, dialect: Dialect, now: float) -> OriginRules | None:
        """What the dialect makes of the entry now.

        None: there is no entry, or it was cut short of what this dialect reads.
        """
        rules = self._by_dialect.get(dialect)
        if (
            rules is not None
            and rules.access.entry is self.entry
            and now < rules.access.fresh_until
        ):
            return rules
        if self.entry is None or not goes_far_enough(
            self.entry, dialect.access, octets_read(dialect)
        ):
            return None
        # ROBOTS_ON_UNREACHABLE is about robots.txt: what a tdmrep.json does not say is no refusal.
        is_robots_txt = document_of(self.origin) == ROBOTS_TXT
        overrides = self.overrides if is_robots_txt else replace(self.overrides, unreachable=None)
        access = judge(self.entry, now, overrides.over(dialect.access))
        if rules is None or rules.access != access:
            rules = self._by_dialect[dialect] = self._made_of(access, dialect, rules)
        return rules

    def _made_of(self, access: Access, dialect: Dialect, before: OriginRules | None) -> OriginRules:
        """Octets are read anew only where they are new."""
        rules, reservations = None, None
        if before and before.mode is access.mode and before.access.octets == access.octets:
            rules, reservations = before.rules, before.reservations
        elif access.mode is AccessMode.RULES:
            if document_of(self.origin) == ROBOTS_TXT:
                rules = parse(whole_lines(access.octets), dialect)
            else:
                reservations = TdmRules(access.octets)
        return OriginRules(self.origin, dialect, access, rules, reservations)

    def remember(self, result: FetchResult, now: float) -> CacheEntry:
        """The entry after one more fetch."""
        if result.status is None:
            before = None if self.entry is None else self.entry.latest.site_answers
            result = replace(result, site_answers=before if self.answers is None else self.answers)
        return remember(self.entry, result, now)

    def wake(self, forbidden: FetchForbidden | None = None) -> None:
        """Tell all that wait that there is news, or that the fetch was forbidden for its page."""
        waiters, self.waiters = self.waiters, []
        for waiter in waiters:
            waiter.news.callback(forbidden)  # of one that was cancelled meanwhile it is dropped

    @property
    def octets(self) -> int:
        """About how many bytes of memory it takes at most: its file, its rules, and the rest."""
        entry = self.entry or self.redirected_here
        return OVERHEAD + _OF_BYTE * len(entry.octets or b"" if entry is not None else b"")
