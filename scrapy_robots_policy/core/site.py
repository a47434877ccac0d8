"""One object for each origin: its cache entry, its rules, and who waits for it.

A cache entry holds facts: what the fetches brought, and when. A dialect makes `OriginRules` of
them. They are made anew when the entry is new, or when time has changed what it means.

What is known of a site, and how a lookup changes that (its own states are in `policy`):

| known      | its fields                     | event                       | then      |
| ---------- | ------------------------------ | --------------------------- | --------- |
| nothing    | no `entry`                     | a request needs its rules   | looked up |
| redirected | `from_redirect`                | a request needs its rules   | looked up |
| fresh      | `entry`                        | its lifetime ends           | stale     |
| stale      | `entry`, usable                | a request needs its rules   | looked up |
| stale      | `entry`, usable                | it is too old even for that | nothing   |
| deferred   | `entry`, its dialect defers    | `wakes_at` comes            | looked up |
| any        | nobody waits, no `lookup`      | room is needed              | packed    |

These have no name of their own in the code, because dialects differ in what is fresh, usable, and
deferred: the same entry may be fresh for one and stale for another.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from ..rep import AccessMode, CacheEntry, Dialect, FetchResult, RuleSet, Verdict, judge, parse
from ..rep.access import FOREVER, Access, AccessOverrides, AccessResult, goes_far_enough, remember
from ..rep.documents import ROBOTS_TXT, document_of
from ..rep.tdmrep import TdmRules
from ..rep.usage.preferences import DeclaredUse, Overridden, Preference
from ..rep.verdict import refuse, verdict_of
from .result import fetch_limit, whole_lines

MAX_SITES = 200_000
MAX_BYTES = 64 * 1024 * 1024

# Bytes of memory, about: a site without a file, and a byte of its file. The rules hold its text,
# and an index of it.
OVERHEAD, _OF_BYTE = 4_000, 6


@dataclass(frozen=True, slots=True)
class OriginRules:
    """What a dialect makes of an origin's cache entry; `rules` is None if the mode needs none.

    Attributes:
        reservations: the rules of a tdmrep.json, where the entry is that of one.
        tdmrep: what the origin's tdmrep.json says, where it was asked for.

    """

    origin: str
    dialect: Dialect
    access: Access
    rules: RuleSet | None
    reservations: TdmRules | None = None
    tdmrep: OriginRules | None = None

    @property
    def mode(self) -> AccessMode:
        return self.access.mode

    def with_tdmrep(self, tdmrep: OriginRules) -> OriginRules:
        """These rules and what the origin's tdmrep.json says."""
        return replace(self, tdmrep=tdmrep)

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

    def allowed(self, url: str, agent: str) -> bool:
        if self.rules is not None:
            return self.rules.allowed(url, agent)
        return self.access.mode is AccessMode.ALLOW or self.verdict(url, agent).allowed

    def objection(self, url: str, agent: str) -> Verdict | None:
        """The verdict where the page may not be fetched; None where it may."""
        if self.rules is not None:
            return self.rules.objection(url, agent)
        return None if self.allowed(url, agent) else self.verdict(url, agent)

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

    def most_tried(self, agent: str) -> int:
        """As `RuleSet.most_tried`."""
        return 0 if self.rules is None else self.rules.most_tried(agent)

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds between two requests that the site asks for, where the dialect honours them."""
        return None if self.rules is None else self.rules.crawl_delay(agent)


_parsed = lru_cache(maxsize=64)(parse)


@lru_cache(maxsize=1_000)
def rules_given(origin: str, dialect: Dialect, body: bytes) -> OriginRules:
    """The rules of a file that the user has set in place of the site's own. They stay fresh."""
    entry = CacheEntry(FetchResult(None, cause="given by the user"), 0.0, body)
    mode, result = AccessMode.RULES, AccessResult.SUCCESSFUL
    access = Access(mode, entry.latest.cause, result, body, FOREVER, FOREVER, entry)
    return OriginRules(origin, dialect, access, _parsed(body, dialect))


@dataclass(slots=True, eq=False)
class Site:
    """All that is known of one origin, or of another document of it (`rep.url`).

    Attributes:
        key: the origin, or the key of the document.
        overrides: the user's limits on every dialect's access policy.
        entry: what came of the fetches so far, as a store keeps it; None: nothing is known.
        seats: who waits for its rules, or has waited and does not go yet (`policy`).
        lookup: the one that is under way.
        from_redirect: whether the entry came as the target of another site's redirect; no request
            of this site has used it.
        unread: the dialects that wait for a large file to be parsed.
        wakes_at: when who waits asks again, because the site defers; None: it does not, or a lookup
            is under way.
        is_reachable: whether the last page that was asked of the site was answered; None: none was.
        weight: what the cache has counted for it, in bytes.

    """

    key: str
    overrides: AccessOverrides
    entry: CacheEntry | None = None
    seats: dict[Hashable, Any] = field(default_factory=dict)
    lookup: Any = None
    from_redirect: bool = False
    unread: set[Dialect] = field(default_factory=set)
    wakes_at: float | None = None
    is_reachable: bool | None = None
    weight: int = 0
    _by_dialect: dict[Dialect, OriginRules] = field(default_factory=dict)

    def rules(self, dialect: Dialect, now: float) -> OriginRules | None:
        """What the dialect makes of the entry now.

        None: there is no entry, or it was cut short of what this dialect reads.
        """
        rules, entry = self._by_dialect.get(dialect), self.entry
        if rules is not None and rules.access.entry is entry and now < rules.access.fresh_until:
            return rules
        if entry is None or not goes_far_enough(entry, dialect.access, fetch_limit(dialect)):
            return None
        # ROBOTS_ON_UNREACHABLE is about robots.txt: what a tdmrep.json does not say is no refusal.
        is_robots_txt = document_of(self.key) == ROBOTS_TXT
        overrides = self.overrides if is_robots_txt else replace(self.overrides, unreachable=None)
        access = judge(entry, now, overrides.over(dialect.access))
        if rules is None or rules.access != access:
            rules = self._by_dialect[dialect] = self._made_of(access, dialect, rules)
        return rules

    def _made_of(self, access: Access, dialect: Dialect, before: OriginRules | None) -> OriginRules:
        """A file is parsed anew only where it is another one."""
        rules, reservations = None, None
        if before and before.mode is access.mode and before.access.body == access.body:
            rules, reservations = before.rules, before.reservations
        elif access.mode is AccessMode.RULES:
            if document_of(self.key) == ROBOTS_TXT:
                rules = parse(whole_lines(access.body), dialect)
            else:
                reservations = TdmRules(access.body)
        return OriginRules(self.key, dialect, access, rules, reservations)

    def has_read(self, dialect: Dialect) -> bool:
        """Whether `rules` would parse nothing."""
        rules, entry = self._by_dialect.get(dialect), self.entry
        if entry is None or not goes_far_enough(entry, dialect.access, fetch_limit(dialect)):
            return True
        if rules is None:
            return False
        return rules.access.entry is entry or rules.access.body == entry.body

    def remember(self, result: FetchResult, now: float) -> CacheEntry:
        """The entry after one more fetch."""
        if result.status is None:
            before = None if self.entry is None else self.entry.latest.site_answers
            result = replace(
                result, site_answers=before if self.is_reachable is None else self.is_reachable
            )
        return remember(self.entry, result, now)

    @property
    def size(self) -> int:
        """About how many bytes it holds: its file, the index of its rules, and the rest."""
        body = self.entry.body if self.entry is not None else None
        return OVERHEAD + (_OF_BYTE * len(body) if body else 0)

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits for it, or looks it up."""
        return self.lookup is not None or bool(self.seats)


class Sites:
    """The one cache of a crawl: its sites by key, those used last at the end.

    It has one bound in number and one in bytes, by what each site holds. What was not used for
    longest is forgotten. A busy site is never forgotten, nor the newest.

    Args:
        on_forgotten: is called with each site that is forgotten.

    """

    def __init__(
        self,
        overrides: AccessOverrides,
        on_forgotten: Callable[[Site], None] = lambda _site: None,
        max_sites: int = MAX_SITES,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.overrides, self.on_forgotten = overrides, on_forgotten
        self.max_sites, self.max_bytes = max_sites, max_bytes
        self.bytes = 0
        self._sites: OrderedDict[str, Site] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sites)

    def __iter__(self) -> Iterator[Site]:
        return iter(self._sites.values())

    def get(self, key: str) -> Site | None:
        site = self._sites.get(key)
        if site is not None:
            self._sites.move_to_end(key)
        return site

    def open(self, key: str) -> Site:
        """The site of a key; where it is not known, a new one."""
        site = self.get(key)
        if site is None:
            site = self._sites[key] = Site(key, self.overrides)
            self.weigh(site)
        return site

    def weigh(self, site: Site) -> None:
        """Count what a site holds now, and make room for it."""
        self.bytes += site.size - site.weight
        site.weight = site.size
        for _ in range(len(self._sites)):
            if self.bytes <= self.max_bytes and len(self._sites) <= self.max_sites:
                break
            key, oldest = self._sites.popitem(last=False)
            if oldest.is_busy or oldest is site:
                self._sites[key] = oldest
            else:
                self.bytes -= oldest.weight
                self.on_forgotten(oldest)
