"""Where the rules of an origin come from: one lookup at a time, stale while revalidated.

The words are those of RFC 9111. An answer is fresh for a time. When it is stale it is used once
more while it is validated in the background. When it is too old even for that, requests wait.

A lookup asks the store, another process of the fleet, then the site itself, for one origin at a
time. It is a task of its own: no request that waits for it owns it, so a request that is cancelled
hurts no other. Each waiting request has a Deferred of its own, because a shared one is used up by
the first that awaits it.

What else may run: each `await` of a lookup lets requests join the waiters, be cancelled, and lets
the crawl close, which cancels the lookup. `is_looked_up` is set before the first await and taken
back in `finally`, so there is one lookup for an origin at a time, and waiters are always woken.

The one cache of origins: what was used last stays ready, what was not is packed, then forgotten.

An origin that is ready has its parsed rules. They count with what they can take at most. An origin
that is packed has its file and its facts as a zlib frame. One bound in octets and one in number
hold for all of them together.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import replace
from enum import Enum
from typing import Any

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred, DeferredList

from ..compat import start_task
from ..exceptions import CrawlClosing, FetchForbidden
from ..fetch.download import FetchGate
from ..fetch.request import FetchOrder, FetchPlace
from ..rep import AccessMode, CacheEntry, Dialect, FetchResult, origin_of
from ..rep.access import AccessOverrides, holds, is_fresh, remember
from ..rep.url import document_of, key_of, path_of
from ..stores import MAX_SKEW, EntryError, Store, StoreEvents, coordinator_of
from ..stores.codec import decode, encode, octets_kept
from .origin import OriginRules, OriginState, Waiter


class Source(Enum):
    """Where an entry came from."""

    SITE = "site"  # it was fetched
    STORE = "store"
    CACHE = "cache"  # the document of another origin was redirected to it, so it was fetched then
    FLEET = "fleet"  # another process fetched it while this one was about to


class ResolverEvents(StoreEvents):
    """Callbacks of a `Resolver` and its store. They do nothing by default."""

    async def on_learned(self, rules: OriginRules, page: Any, source: Source) -> None:
        """A look at the store or at the site has ended; the requests that wait for it still do."""

    def on_store_lookup(self, *, is_hit: bool) -> None:
        """`is_hit`: whether the store has an entry of the origin."""

    def on_obeyed(self, key: str, age: float) -> None:
        """A copy that may be used was last known to be current so many seconds ago. `key`: of what.

        It comes from the store, the fleet or a redirect, or has just been replaced.
        """

    def on_fetched(
        self, key: str, result: FetchResult, before: CacheEntry | None, entry: CacheEntry
    ) -> None:
        """A try to fetch has ended: the entry before it, and the one after. `key`: of what."""

    def on_shared(self) -> None:
        """Another process had fetched it when we were about to."""

    def on_fault(self, origin: str, error: BaseException) -> None:
        """A fault in this package, in a component or in what was handed in: the origin counts as
        unreachable.
        """


MAX_ORIGINS = 200_000
MAX_OCTETS = 128 * 1024 * 1024
MAX_READY_OCTETS = 64 * 1024 * 1024


class OriginCache:
    """The states of origins, the least recently used first.

    overrides  the user's limits on every dialect's access policy
    """

    def __init__(
        self,
        overrides: AccessOverrides,
        max_origins: int = MAX_ORIGINS,
        max_octets: int = MAX_OCTETS,
        max_ready_octets: int = MAX_READY_OCTETS,
    ) -> None:
        self.overrides, self.max_origins = overrides, max_origins
        self.max_octets, self.max_ready_octets = max_octets, max_ready_octets
        self.ready_octets = self.packed_octets = 0
        self._ready: OrderedDict[str, tuple[OriginState, int]] = OrderedDict()
        self._packed: OrderedDict[str, bytes] = OrderedDict()

    def __len__(self) -> int:
        return len(self._ready) + len(self._packed)

    @property
    def octets(self) -> int:
        return self.ready_octets + self.packed_octets

    def get(self, origin: str) -> OriginState | None:
        kept = self._ready.get(origin)
        if kept is not None:
            self._ready.move_to_end(origin)
            return kept[0]
        return self._unpacked(origin) if origin in self._packed else None

    def peek(self, origin: str) -> OriginState | None:
        """The same, but it does not count as a use; None where the origin is packed."""
        kept = self._ready.get(origin)
        return None if kept is None else kept[0]

    def new_state(self, origin: str, entry: CacheEntry | None = None) -> OriginState:
        """A state that is not kept yet."""
        return OriginState(origin, self.overrides, entry)

    def put_if_unknown(self, origin: str, redirected_here: CacheEntry) -> None:
        """Keep what came of a redirect, unless something is kept for its origin already."""
        if self.get(origin) is None:
            state = self.new_state(origin)
            state.redirected_here = redirected_here
            self.put(state)

    def put(self, state: OriginState) -> None:
        """Keep a state as the most recently used one, in place of what was kept for its origin."""
        self.discard(state.origin)
        octets = state.octets
        self._ready[state.origin] = state, octets
        self.ready_octets += octets
        self._shrink()

    def discard(self, origin: str) -> None:
        kept = self._ready.pop(origin, None)
        if kept is not None:
            self.ready_octets -= kept[1]
        frame = self._packed.pop(origin, None)
        if frame is not None:
            self.packed_octets -= octets_kept(origin, frame)

    def _unpacked(self, origin: str) -> OriginState:
        state = self.new_state(origin, decode(self._packed[origin]))
        self.put(state)
        return state

    def _shrink(self) -> None:
        """Pack, then forget, what was not used for longest. The newest origin always stays."""
        while len(self._ready) > 1 and self.ready_octets > self.max_ready_octets:
            self._pack()
        while len(self) > self.max_origins or self.octets > self.max_octets:
            if self._packed:
                origin, frame = self._packed.popitem(last=False)
                self.packed_octets -= octets_kept(origin, frame)
            elif len(self._ready) > 1:
                self._pack()
            else:
                return

    def _pack(self) -> None:
        origin, (state, octets) = self._ready.popitem(last=False)
        self.ready_octets -= octets
        if state.entry is not None:
            frame = self._packed[origin] = encode(state.entry)
            self.packed_octets += octets_kept(origin, frame)


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


PATIENCE = 600.0  # seconds after an origin has begun to defer: then nothing waits for it


class Resolver:
    """Answers for any number of origins, each in any number of dialects.

    Where a method takes an origin, the key of another document of it does too (`rep.url`).

    sources   where entries come from; their clock, events and cache are the resolver's too
    """

    def __init__(self, sources: Sources) -> None:
        self.sources, self.now, self.events = sources, sources.now, sources.events
        self.cache = sources.cache
        self.is_stopped = False
        self._unsettled: dict[str, OriginState] = {}  # looked up, or put off: never forgotten
        self._tasks: set[Deferred[None]] = set()

    def cached(self, origin: str, dialect: Dialect, page: Any = None) -> OriginRules | None:
        """Rules from memory. Stale ones are given too, and validated in the background.

        None: nothing is known, or it is too old, or the origin defers.
        """
        state = self._unsettled.get(origin) or self.cache.get(origin)  # `_state`, without its call
        if state is None:
            return None
        now = self.now()
        rules = state.rules(dialect, now)
        if rules is None or rules.access.mode is AccessMode.DEFER:
            return None
        if now < rules.access.fresh_until:
            return rules
        if not _may_be_used(rules, now):
            return None
        if not state.is_looked_up and not self.is_stopped and may_be_fetched(rules, now):
            self.sources.note_variant(state, page)
            self._start_lookup(state, dialect, page)
        return rules

    def latest(self, origin: str, dialect: Dialect) -> OriginRules | None:
        """Rules from memory, however old: for a page that they let pass. Nothing is validated."""
        state = self._state(origin)
        if state is not None and state.redirected_here is not None:
            state = self.cache.new_state(origin, state.redirected_here)
        return None if state is None else state.rules(dialect, self.now())

    def has_newer(self, rules: OriginRules) -> bool:
        """Whether another answer of the origin has come since the one of these rules: for a dialect
        with a shorter lifetime, say.
        """
        state = self._unsettled.get(rules.origin) or self.cache.peek(rules.origin)
        entry = None if state is None else state.entry
        if entry is not None and entry.asked_at > rules.access.entry.asked_at:
            return True
        return rules.tdmrep is not None and self.has_newer(rules.tdmrep)

    async def rules_for(self, origin: str, dialect: Dialect, page: Any = None) -> OriginRules:
        """The rules of an origin; waits for a fetch where nothing usable is known.

        An origin that defers longer than `PATIENCE` gives rules whose mode is DEFER. Raises
        CrawlClosing, and FetchForbidden where a lookup was for a page that may not cause it.
        """
        arrived, deferred_at = self.now(), None
        while not self.is_stopped:
            usable = self.cached(origin, dialect, page)
            if usable is not None:
                return usable
            state = self._state(origin) or self.cache.new_state(origin)
            rules = state.rules(dialect, self.now())
            pause = 0.0
            if rules is not None and rules.mode is AccessMode.DEFER:
                # Not only since it arrived: of many pages each would wait so long, one by one.
                since = rules.access.entry.failing_since
                ends = PATIENCE + min(arrived, since or arrived)
                if rules.access.fresh_until > max(ends, self.now()):
                    return rules
                deferred_at = rules.access.entry.asked_at
                pause = rules.access.fresh_until - self.now()
            elif rules is not None and arrived <= rules.access.entry.asked_at != deferred_at:
                return rules  # fetched while we waited: it counts, however short its life
            # Also where time alone has made something else of what deferred us: one more try.
            await self._news(state, dialect, page, pause)
        raise CrawlClosing

    def note_reachability(self, origin: str, *, answers: bool) -> None:
        """A page of an origin was answered, or was not.

        Google allows a robots.txt that was unreachable for 30 days only if other pages are there.
        An answer counts until the next one, however old it is: while it lets requests pass, each of
        them is a new one. If it were forgotten with time, no request would pass to show it anew.
        """
        state = self._state(origin)
        if state is not None:
            state.answers = answers

    def waiting(self) -> tuple[int, int, int]:
        """(requests that wait, robots.txt they wait for, those of them that are put off)"""
        states = [state for state in self._unsettled.values() if state.waiters]
        requests = sum(len(state.waiters) for state in states)
        return requests, len(states), sum(not state.is_looked_up for state in states)

    def stop(self) -> None:
        """End all lookups, and wake all waiting requests: they raise CrawlClosing."""
        self.is_stopped = True
        self.sources.gate.close()
        for task in list(self._tasks):
            task.cancel()
        for state in list(self._unsettled.values()):
            state.wake()

    async def close(self) -> None:
        """Stop, wait until all entries are stored, then close the store."""
        self.stop()
        await self.sources.close()

    def _state(self, origin: str) -> OriginState | None:
        """What is in memory of an origin. The cache may forget it while it is unsettled."""
        return self._unsettled.get(origin) or self.cache.get(origin)

    async def _news(self, state: OriginState, dialect: Dialect, page: Any, pause: float) -> None:
        """Wait for the next news of an origin. If no lookup is under way, one starts, or the news
        is that the pause has ended.
        """
        waiter = Waiter(Deferred(), page)
        state.waiters.append(waiter)
        if not state.is_looked_up and pause > 0:
            self._put_off(state, self.now() + pause)
        elif not state.is_looked_up:
            self._start_lookup(state, dialect, page)
        try:
            forbidden = await maybe_deferred_to_future(waiter.news)
        except BaseException:  # cancelled
            if waiter in state.waiters:
                state.waiters.remove(waiter)
            raise
        if forbidden is not None:
            raise forbidden

    def _put_off(self, state: OriginState, until: float) -> None:
        """Wake the requests that wait for an origin at an instant, if none has to wake earlier.

        Meanwhile no lookup is under way: a request whose dialect does not defer may start one.
        """
        if state.put_off_until is None or until < state.put_off_until:
            state.put_off_until = until
            self._unsettled[state.origin] = state
            start_task(self._end_pause(state, until), self._tasks)

    async def _end_pause(self, state: OriginState, until: float) -> None:
        try:
            await self.sources.sleep(until - self.now())
        finally:
            if state.put_off_until == until:  # no lookup has started, and no shorter pause
                self._settle(state)

    def _start_lookup(self, state: OriginState, dialect: Dialect, page: Any) -> None:
        state.is_looked_up, state.put_off_until = True, None
        self._unsettled[state.origin] = state
        start_task(self._look_up(state, dialect, page), self._tasks)

    async def _look_up(self, state: OriginState, dialect: Dialect, page: Any) -> None:
        """One look at the store and the site. Whatever happens, waiting requests are woken."""
        forbidden = None
        try:
            await self.sources.ask(state, dialect, page)
        except FetchForbidden as error:  # by the rules for this page: it says nothing of the site
            forbidden = error
        except BaseException as error:
            if self.is_stopped:
                return
            # A fault closes an origin as a network error does. It never opens one.
            result = FetchResult(None, cause=f"{type(error).__name__} while fetching")
            state.entry = state.remember(result, self.now())
            if not isinstance(error, Exception):
                raise  # it is cancelled: the event loop ends, and has not waited for the crawl
            self.events.on_fault(state.origin, error)
        finally:
            state.is_looked_up, state.variant = False, None
            self._settle(state, forbidden)

    def _settle(self, state: OriginState, forbidden: FetchForbidden | None = None) -> None:
        """Leave a state to the cache alone, and wake the requests that wait for it."""
        state.put_off_until = None
        self._unsettled.pop(state.origin, None)
        self.cache.put(state)
        state.wake(forbidden)


def _may_be_used(rules: OriginRules, now: float) -> bool:
    """Whether stale rules may still be used, once more, while they are validated."""
    return holds(rules.access, now) or not may_be_fetched(rules, now)
