"""Which rules hold for an origin now: one fetch at a time, stale while revalidated, one cache.

The words are those of RFC 9111. An answer is fresh for a time. When it is stale it is used once
more while it is validated in the background. When it is too old even for that, requests wait.

A lookup (store, then site) is a task of its own: no request that waits for it owns it, so a request
that is cancelled hurts no other. Each waiting request has a Deferred of its own, because a shared
one is used up by the first that awaits it.

What else may run: each `await` of a lookup lets requests join the waiters, be cancelled, and lets
the crawl close. `is_looked_up` is set before the first await and taken back in `finally`, so there
is one lookup for an origin at a time, and waiters are always woken.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from dataclasses import replace
from typing import Any

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred, DeferredList

from ..compat import start_task
from ..exceptions import CrawlClosing
from ..fetch.order import FetchOrder
from ..rep import AccessMode, CacheEntry, Dialect, FetchResult, origin_of
from ..rep.access import AccessOverrides, holds, is_fresh
from ..rep.cache_entry import remember
from ..rep.documents import document_of, key_of
from ..rep.url import path_of
from ..stores import Store, coordinator_of
from .cache import OriginCache
from .events import ResolverEvents, Source
from .fetch_gate import FetchGate
from .origin import OriginRules, OriginState, Waiter

# Seconds to wait while another process fetches: the first look, the longest pause, and in all.
FIRST_LOOK, LONGEST_PAUSE = 0.05, 2.0
LEASE_PATIENCE = 300.0

MAX_SKEW = 60.0  # seconds that the clock of another machine may be ahead of ours
MIN_LIFE = 1.0  # seconds in which no origin is fetched twice, whatever lifetime its answer has
MAX_VARIANTS = 3  # requests whose proxies or headers differ that are tried until one gets an answer


class Resolver:
    """Answers for any number of origins, each in any number of dialects.

    Where a method takes an origin, the key of another document of it does too (`rep.documents`).

    store      keeps entries beyond this process; None: nothing does
    fetch      tries to get a robots.txt once; all its failures are results
    variant    what a fetch takes from a page's request: fetches with the same one fail alike
    now        seconds since the epoch; never goes back
    sleep      waits so many seconds
    gate       how many fetches may be under way
    patience   seconds a request waits at most for an origin that defers; then it gets that answer
    overrides  the user's limits on every dialect's access policy
    """

    def __init__(  # noqa: PLR0913, PLR0917 - all that it works with is handed in
        self,
        store: Store | None,
        fetch: Callable[[FetchOrder], Awaitable[FetchResult]],
        variant: Callable[[Any], Hashable],
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        gate: FetchGate,
        patience: float,
        overrides: AccessOverrides,
        events: ResolverEvents,
    ) -> None:
        self.store, self.coordinator = store, coordinator_of(store)
        self.fetch, self.variant, self.now, self.sleep = fetch, variant, now, sleep
        self.gate, self.patience, self.overrides, self.events = gate, patience, overrides, events
        self.cache = OriginCache(lambda origin, entry: OriginState(origin, overrides, entry))
        self.is_stopped = False
        self._looked_up: dict[str, OriginState] = {}
        self._lookups: set[Deferred[None]] = set()
        self._puts: set[Deferred[None]] = set()

    def cached(self, origin: str, dialect: Dialect, page: Any = None) -> OriginRules | None:
        """Rules from memory. Stale ones are given too, and validated in the background.

        None: nothing is known, or it is too old, or the origin defers.
        """
        state = self._looked_up.get(origin) or self.cache.get(origin)
        return None if state is None else self._usable(state, dialect, page)

    def known(self, origin: str, dialect: Dialect) -> OriginRules | None:
        """Rules from memory, however old: for a page that they let pass. Nothing is validated."""
        state = self._looked_up.get(origin) or self.cache.get(origin)
        return None if state is None else state.rules(dialect, self.now())

    def _usable(self, state: OriginState, dialect: Dialect, page: Any) -> OriginRules | None:
        now = self.now()
        rules = state.rules(dialect, now)
        if rules is None or rules.access.mode is AccessMode.DEFER:
            return None
        if now < rules.access.fresh_until:
            return rules
        if not _may_be_used(rules, now):
            return None
        if not state.is_looked_up and not self.is_stopped and _may_be_fetched(rules, now):
            self._start_lookup(state, dialect, page)
        return rules

    async def rules_for(self, origin: str, dialect: Dialect, page: Any = None) -> OriginRules:
        """The rules of an origin; waits for a fetch where nothing usable is known.

        An origin that defers longer than `patience` gives rules whose mode is DEFER. Raises
        CrawlClosing.
        """
        arrived = self.now()
        while not self.is_stopped:
            state = self._looked_up.get(origin) or self.cache.get(origin) or self._new(origin)
            usable = self._usable(state, dialect, page)
            if usable is not None:
                return usable
            rules = state.rules(dialect, self.now())
            pause = 0.0
            if rules is not None and rules.mode is AccessMode.DEFER:
                if rules.access.fresh_until > arrived + self.patience:
                    return rules
                pause = rules.access.fresh_until - self.now()
            elif rules is not None and rules.access.entry.asked_at >= arrived:
                return rules  # fetched while we waited: it counts, however short its life
            await self._news(state, dialect, page, pause)
        raise CrawlClosing

    def note_reachability(self, origin: str, *, answers: bool) -> None:
        """A page of an origin was answered, or was not.

        Google allows a robots.txt that was unreachable for 30 days only if other pages are there.
        """
        state = self._looked_up.get(origin) or self.cache.get(origin)
        if state is not None:
            state.answers = answers

    def waiting(self) -> tuple[int, int, int]:
        """(requests that wait, robots.txt they wait for, those of them that are put off)"""
        states = [state for state in self._looked_up.values() if state.waiters]
        requests = sum(len(state.waiters) for state in states)
        return requests, len(states), sum(state.is_put_off for state in states)

    def stop(self) -> None:
        """End all lookups, and wake all waiting requests: they raise CrawlClosing."""
        self.is_stopped = True
        self.gate.close()
        for lookup in list(self._lookups):
            lookup.cancel()
        for state in list(self._looked_up.values()):
            state.wake()

    async def close(self) -> None:
        """Stop, wait until all entries are stored, then close the store."""
        self.stop()
        if self._puts:
            await maybe_deferred_to_future(DeferredList(list(self._puts)))
        if self.store is None:
            return
        try:
            await self.store.close()
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes
            self.events.on_failed("close", error)

    def _new(self, origin: str) -> OriginState:
        return OriginState(origin, self.overrides)

    async def _news(self, state: OriginState, dialect: Dialect, page: Any, pause: float) -> None:
        """Wait for the next news of an origin; start a lookup if none is under way."""
        waiter = Waiter(Deferred(), page)
        state.waiters.append(waiter)
        if not state.is_looked_up:
            self._start_lookup(state, dialect, page, pause)
        try:
            await maybe_deferred_to_future(waiter.news)
        except BaseException:  # cancelled
            if waiter in state.waiters:
                state.waiters.remove(waiter)
            raise

    def _start_lookup(
        self, state: OriginState, dialect: Dialect, page: Any, pause: float = 0.0
    ) -> None:
        state.is_looked_up = True
        self._looked_up[state.origin] = state
        start_task(self._look_up(state, dialect, page, pause), self._lookups)

    async def _look_up(self, state: OriginState, dialect: Dialect, page: Any, pause: float) -> None:
        """One look at the store and the site. Whatever happens, waiting requests are woken."""
        try:
            if pause > 0:
                state.is_put_off = True
                await self.sleep(pause)
                state.is_put_off = False
            if state.entry is not None or not await self._recall(state, dialect, page):
                await self._fetch_once_among_all(state, dialect, page)
        except BaseException as error:
            if self.is_stopped:
                return
            # A fault closes an origin as a network error does. It never opens one.
            result = FetchResult(None, cause=f"{type(error).__name__} while fetching")
            state.entry = remember(state.entry, result, self.now())
            self.events.on_fault(state.origin, error)
            if not isinstance(error, Exception):
                raise
        finally:
            state.is_looked_up = state.is_put_off = False
            self._looked_up.pop(state.origin, None)
            self.cache.put(state)
            state.wake()

    async def _recall(self, state: OriginState, dialect: Dialect, page: Any) -> bool:
        """Take the entry from the store. True if it is fresh, so that nothing is left to fetch."""
        if self.store is not None:
            try:
                self._adopt(state, await self.store.get(state.origin))
            except Exception as error:  # noqa: BLE001 - a store may raise what it likes
                self.events.on_failed("get", error)
        entry = state.entry
        self.events.on_store_lookup(None if entry is None else self.now() - entry.current_at)
        rules = state.rules(dialect, self.now())
        if rules is None:
            return False
        await self.events.on_learned(rules, page, Source.STORE)
        if is_fresh(rules.access, self.now()):
            return True
        state.wake()  # stale rules may be usable; a request that cannot use them waits on
        return False

    async def _fetch_once_among_all(self, state: OriginState, dialect: Dialect, page: Any) -> None:
        """Fetch it here, unless another process does so now: then wait for its entry."""
        began = self.now()
        while not await self._fetch_if_claimed(state, dialect, page, self.now() - began):
            waited = self.now() - began
            await self.sleep(min(max(waited / 4, FIRST_LOOK), LONGEST_PAUSE))

    async def _fetch_if_claimed(
        self, state: OriginState, dialect: Dialect, page: Any, waited: float
    ) -> bool:
        """Fetch if this process gets the lease, or if its holder takes longer than five minutes.

        False while another process fetches. The place in the gate is taken before the lease, so
        that no lease is held by a fetch that queues.
        """
        has_failed = state.entry is not None and state.entry.failing_since is not None
        async with self.gate.enter(has_failed=has_failed):
            try:
                claim = await self.coordinator.claim(state.origin)
                if self._adopt_shared(state, claim.entry, dialect):
                    self.coordinator.release(state.origin)
                    await self._report(state, dialect, page, Source.FLEET)
                elif claim.granted or waited > LEASE_PATIENCE:
                    await self._fetch(state, dialect, page)
                else:
                    return False
            except BaseException:
                self.coordinator.release(state.origin)
                raise
        return True

    async def _fetch(self, state: OriginState, dialect: Dialect, page: Any) -> None:
        before = state.entry
        result = await self._fetch_for_somebody(state, dialect, page)
        state.entry = state.remember(result, self.now())
        self.events.on_fetched(state.origin, result, before, state.entry)
        if self.store is not None:
            start_task(self._put_and_release(state.origin, state.entry), self._puts)
        self._share_target(state.origin, result)
        await self._report(state, dialect, page, Source.SITE)

    async def _fetch_for_somebody(
        self, state: OriginState, dialect: Dialect, page: Any
    ) -> FetchResult:
        """Fetch for one request; where nothing came back, for others with another proxy or header.

        One request's dead proxy says nothing about the site that others reach without it.
        """
        tried: set[Hashable] = set()
        while True:
            result = await self.fetch(self._order(state, dialect, page))
            if result.status is not None or self.is_stopped:
                return result
            tried.add(self.variant(page))
            others = (waiter.page for waiter in state.waiters)
            page = next((other for other in others if self.variant(other) not in tried), None)
            if page is None or len(tried) == MAX_VARIANTS:
                return result

    def _order(self, state: OriginState, dialect: Dialect, page: Any) -> FetchOrder:
        in_haste = self.gate.is_short_of_sockets()
        return FetchOrder(state.origin, state.entry, dialect, page, in_haste=in_haste)

    def _adopt_shared(self, state: OriginState, entry: CacheEntry | None, dialect: Dialect) -> bool:
        """Use what another process has fetched; False where it is of no use."""
        rules = state.rules(dialect, self.now()) if self._adopt(state, entry) else None
        if rules is None or not is_fresh(rules.access, self.now()):
            return False
        self.events.on_shared(self.now() - rules.access.entry.current_at)
        return True

    def _adopt(self, state: OriginState, entry: CacheEntry | None) -> bool:
        """Use an entry of a store if it is newer than ours. One of the future is not used."""
        if entry is None or entry.asked_at > self.now() + MAX_SKEW:
            return False
        if state.entry is not None and entry.asked_at <= state.entry.asked_at:
            return False
        state.entry = entry
        return True

    async def _report(
        self, state: OriginState, dialect: Dialect, page: Any, source: Source
    ) -> None:
        rules = state.rules(dialect, self.now())
        assert rules is not None  # there is an entry
        await self.events.on_learned(rules, page, source)

    def _share_target(self, key: str, result: FetchResult) -> None:
        """Keep what was found at the end of redirects for its own origin too.

        Only where the last URL is the place of that origin's own document of the same kind.
        """
        if result.status not in range(200, 300) or not result.hops:
            return
        origin, document = origin_of(result.hops[-1]), document_of(key)
        if origin is None or path_of(result.hops[-1]) != document:
            return
        target = key_of(origin, document)
        entry = remember(None, replace(result, hops=()), self.now())
        if self.store is not None:
            start_task(self._put(target, entry), self._puts)
        elif target not in self._looked_up and self.cache.get(target) is None:
            self.cache.put(OriginState(target, self.overrides, entry))

    async def _put_and_release(self, origin: str, entry: CacheEntry) -> None:
        await self._put(origin, entry)
        self.coordinator.release(origin)

    async def _put(self, origin: str, entry: CacheEntry) -> None:
        assert self.store is not None  # else nothing is put
        try:
            await self.store.put(origin, entry)
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes
            self.events.on_failed("put", error)


def _may_be_used(rules: OriginRules, now: float) -> bool:
    """Whether stale rules may still be used, once more, while they are validated."""
    return holds(rules.access, now) or not _may_be_fetched(rules, now)


def _may_be_fetched(rules: OriginRules, now: float) -> bool:
    """Whether a site may be asked again, by our own floor between two fetches."""
    return now - rules.access.entry.asked_at >= MIN_LIFE
