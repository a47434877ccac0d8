"""Where an entry comes from: the store, another process of the fleet, or the site itself.

They are asked in this order, for one origin at a time. Their answer goes into the origin's state.
The resolver knows which requests wait for the answer, and handles faults.

What else may run: each `await` lets requests join the waiters, be cancelled, and lets the crawl
close, which cancels this.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from dataclasses import replace
from typing import Any

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred, DeferredList

from ..compat import start_task
from ..fetch.fetch_gate import FetchGate
from ..fetch.order import FetchOrder, FetchPlace
from ..rep import CacheEntry, Dialect, FetchResult, origin_of
from ..rep.access import AccessMode, holds, is_fresh, remember
from ..rep.url import document_of, key_of, path_of
from ..stores import MAX_SKEW, EntryError, Store, coordinator_of
from .cache import OriginCache
from .events import ResolverEvents, Source
from .origin import OriginRules, OriginState

MIN_LIFE = 1.0  # seconds in which no origin is fetched twice, whatever lifetime its answer has

# Seconds to wait while another process fetches: the first look, the longest pause, and in all.
FIRST_LOOK, LONGEST_PAUSE = 0.05, 2.0
LEASE_PATIENCE = 300.0

MAX_VARIANTS = 3  # requests whose proxies or headers differ that are tried until one gets an answer


class Sources:
    """Asks for the entry of an origin, and stores what came.

    store    keeps entries beyond this process, and never raises; None: nothing does
    fetch    tries to get a robots.txt once; all its failures are results
    variant  what a fetch takes from a page's request: fetches with the same one fail alike
    now      seconds since the epoch; never goes back
    sleep    waits so many seconds
    gate     how many fetches may be under way
    cache    keeps what was found for another origin
    """

    def __init__(  # noqa: PLR0913, PLR0917 - all that it works with is handed in
        self,
        store: Store | None,
        fetch: Callable[[FetchOrder], Awaitable[FetchResult]],
        variant: Callable[[Any], Hashable],
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        gate: FetchGate,
        events: ResolverEvents,
        cache: OriginCache,
    ) -> None:
        self.store, self.coordinator = store, coordinator_of(store)
        self.fetch, self.variant, self.now, self.sleep = fetch, variant, now, sleep
        self.gate, self.events, self.cache = gate, events, cache
        self._puts: set[Deferred[None]] = set()

    async def ask(self, state: OriginState, dialect: Dialect, page: Any) -> None:
        """Bring the state of an origin up to date, for the request `page`."""
        if state.entry is not None or not await self._recall(state, dialect, page):
            await self._fetch_once_among_all(state, dialect, page)

    def note_variant(self, state: OriginState, page: Any) -> None:
        """Note what a fetch takes from a page that may go on by stale rules: then other middlewares
        add headers and a proxy to it.
        """
        state.variant = self.variant(page)

    async def close(self) -> None:
        """Wait until all entries are stored, then close the store."""
        if self._puts:
            await maybe_deferred_to_future(DeferredList(list(self._puts)))
        if self.store is not None:
            await self.store.close()

    async def _recall(self, state: OriginState, dialect: Dialect, page: Any) -> bool:
        """Take the entry from the store, or from a redirect of another origin's document. True if
        nothing is left to fetch.
        """
        source = Source.STORE
        if self.store is not None:
            self._adopt(state, await self.store.get(state.origin))
        if self._adopt(state, state.redirected_here):
            source = Source.CACHE
        state.redirected_here = None
        self.events.on_store_lookup(is_hit=state.entry is not None)
        rules = state.rules(dialect, self.now()) if state.entry is not None else None
        if rules is None:
            return False
        await self.events.on_learned(rules, page, source)
        now = self.now()
        if holds(rules.access, now):
            self.events.on_obeyed(state.origin, _age(rules, now))
        if _is_new_enough(rules, now):
            return True
        self.note_variant(state, page)
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
        async with self.gate.enter(has_failed=has_failed) as place:
            try:
                claim = await self.coordinator.claim(state.origin)
                if self._adopt_shared(state, claim.entry, dialect):
                    self.coordinator.release(state.origin)
                    await self._report(state, dialect, page, Source.FLEET)
                elif claim.granted or waited > LEASE_PATIENCE:
                    await self._fetch(state, dialect, page, place)
                else:
                    return False
            except BaseException:
                self.coordinator.release(state.origin)
                raise
        return True

    async def _fetch(
        self, state: OriginState, dialect: Dialect, page: Any, place: FetchPlace
    ) -> None:
        obeyed = state.rules(dialect, self.now()) if state.entry is not None else None
        if obeyed is not None and not holds(obeyed.access, self.now()):
            obeyed = None
        result = await self._fetch_for_somebody(state, dialect, page, place)
        entry = state.remember(result, self.now())
        if entry.failures:
            # Its turn may have come late, and others have not waited for it: it is a failure after
            # what they have learned meanwhile.
            claim = await self.coordinator.claim(state.origin)
            self._adopt(state, claim.entry)
            entry = state.remember(result, self.now())
        before, state.entry = state.entry, entry
        if obeyed is not None:
            self.events.on_obeyed(state.origin, _age(obeyed, self.now()))
        self.events.on_fetched(state.origin, result, before, state.entry)
        if self.store is not None:
            start_task(self._put_and_release(self.store, state.origin, state.entry), self._puts)
        self._share_target(state.origin, result)
        await self._report(state, dialect, page, Source.SITE)

    async def _fetch_for_somebody(
        self, state: OriginState, dialect: Dialect, page: Any, place: FetchPlace
    ) -> FetchResult:
        """Fetch for one request; where nothing came back, for others with another proxy or header.

        One request's dead proxy says nothing about the site that others reach without it. In a
        crawl that rotates its proxies, of which one in five is dead, a fifth of the sites would be
        closed; with three tries it is one in 125.
        """
        variant, tried = state.variant, set[Hashable]()  # None: the page waits, as it came
        while True:
            result = await self.fetch(self._order(state, dialect, page, place))
            if result.status is not None or self.gate.is_closed:
                return result
            tried.add(self.variant(page) if variant is None else variant)
            variant = None
            others = (waiter.page for waiter in state.waiters)
            page = next((other for other in others if self.variant(other) not in tried), None)
            if page is None or len(tried) == MAX_VARIANTS:
                return result

    def _order(
        self, state: OriginState, dialect: Dialect, page: Any, place: FetchPlace
    ) -> FetchOrder:
        in_haste = self.gate.is_short_of_sockets()
        return FetchOrder(state.origin, state.entry, dialect, page, place, in_haste=in_haste)

    def _adopt_shared(self, state: OriginState, entry: CacheEntry | None, dialect: Dialect) -> bool:
        """Use what another process has fetched; False where it is of no use."""
        rules = state.rules(dialect, self.now()) if self._adopt(state, entry) else None
        if rules is None or not _is_new_enough(rules, self.now()):
            return False
        self.events.on_shared()
        self.events.on_obeyed(state.origin, _age(rules, self.now()))
        return True

    def _adopt(self, state: OriginState, entry: CacheEntry | None) -> bool:
        """Use an entry of a store if it is newer than ours. One of the future is not used."""
        if entry is None:
            return False
        ahead = entry.asked_at - self.now()
        if ahead > MAX_SKEW:
            msg = f"an entry that is {ahead:.0f} s ahead of this machine's clock"
            self.events.on_failed("use", EntryError(msg))
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
            start_task(self.store.put(target, entry), self._puts)
        self.cache.put_if_unknown(target, entry)  # a delay that it asks for holds at once

    async def _put_and_release(self, store: Store, origin: str, entry: CacheEntry) -> None:
        await store.put(origin, entry)
        self.coordinator.release(origin)


def may_be_fetched(rules: OriginRules, now: float) -> bool:
    """Whether a site may be asked again, by our own floor between two fetches."""
    return now - rules.access.entry.asked_at >= MIN_LIFE


def _is_new_enough(rules: OriginRules, now: float) -> bool:
    """Whether what came from elsewhere than the site is not to be fetched yet."""
    return is_fresh(rules.access, now) or not may_be_fetched(rules, now)


def _age(rules: OriginRules, now: float) -> float:
    """Seconds since what is obeyed, a copy or the lack of one, was last known to be current."""
    entry = rules.access.entry
    return now - (entry.current_at if rules.mode is AccessMode.RULES else entry.asked_at)
