"""May I? What is known of origins, who waits for it, and when to ask again.

Knows: the store and who shares it, dialects, and how to wait; fetching, sleeping and the clock are
handed in. Must not know: Scrapy's requests, settings, crawler or stats, nor how a robots.txt is
fetched.

A fetch is a task of its own: nobody who waits for it owns it, so a cancelled request hurts no
other. Each who waits has a Deferred of its own: one that is shared is used up by the first who
awaits it. Before a site is asked its origin is claimed, for another process may be asking it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any

from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred, DeferredList, DeferredSemaphore

from ..rep import AccessMode, CacheEntry, Dialect, FetchResult, origin_of
from ..rep.access import DAY, AccessOverrides, holds, is_fresh, remember
from ..rep.url import path_of
from ..stores import Store, StoreEvents, coordinator_of
from ..stores.bounded import Bounded
from .origin import OriginRules, OriginState

SITES = 20_000
OCTETS = 64 * 1024 * 1024
SITE_OVERHEAD = 4_000  # octets a site costs beside its file, about

# Seconds that we wait for another of the fleet to fetch: from look to look, and in all.
FIRST_LOOK, LONGEST_LOOK = 0.05, 2.0
FLEET_PATIENCE = 300.0


@dataclass(frozen=True, slots=True)
class Question:
    """What a fetch is asked for. `asker` is handed through: it is the shell's, of any kind."""

    origin: str
    known: CacheEntry | None
    dialect: Dialect
    asker: Any = None


class ResolverEvents(StoreEvents):
    """What the policy and its store tell as they go. Made to be overridden; nothing is told by
    default.
    """

    async def learned(self, ruling: OriginRules, asker: Any, *, fetched: bool) -> None:
        """A look at the store or, if `fetched`, at the site has ended; those who wait still do."""

    def recalled(self, age: float | None) -> None:
        """The store knew an answer so old, in seconds; None: it knew none."""

    def tried(self, outcome: FetchResult, known: CacheEntry | None, record: CacheEntry) -> None:
        """A try to fetch has ended: what was known before it, and what is now."""

    def shared(self, age: float) -> None:
        """Another of the fleet had asked when we were about to; its answer's age in seconds."""

    def failed(self, origin: str, error: BaseException) -> None:
        """A fault in this package or in what was handed in: the origin counts as unreachable."""


class RobotsPolicy:
    """Answers for any number of origins, each asked about in any number of dialects.

    fetch     tries to get a robots.txt once; all its failures are outcomes
    now       seconds since the epoch
    sleep     waits so many seconds
    at_once   how many origins are asked at a time
    patience  seconds a request waits at most for an origin that defers; then it gets that answer
    wishes    what is put over every dialect's way to read an outcome
    """

    def __init__(  # noqa: PLR0913, PLR0917 - all that it works with is handed in
        self,
        store: Store,
        fetch: Callable[[Question], Awaitable[FetchResult]],
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        at_once: int,
        patience: float,
        wishes: AccessOverrides,
        notices: ResolverEvents,
    ) -> None:
        self.store, self.fetch, self.now, self.sleep = store, fetch, now, sleep
        self.fleet = coordinator_of(store)
        self.patience, self.wishes, self.notices = patience, wishes, notices
        self._places: DeferredSemaphore = DeferredSemaphore(at_once)
        self._settled: Bounded[OriginState] = Bounded(SITES, OCTETS)
        self._asking: dict[str, OriginState] = {}
        self._tasks: set[Deferred[None]] = set()
        self._keeping: set[Deferred[None]] = set()
        self.is_stopped = False

    def known(self, origin: str, dialect: Dialect, asker: Any = None) -> OriginRules | None:
        """What can be answered without waiting; what is past its time is renewed meanwhile."""
        site = self._asking.get(origin) or self._settled.get(origin)
        if site is None:
            return None
        now = self.now()
        ruling = site.ruling(dialect, now)
        if ruling is None or ruling.stance is AccessMode.DEFER or not holds(ruling.access, now):
            return None
        if not site.asking and not self.is_stopped and not is_fresh(ruling.access, now):
            self._ask(site, dialect, asker)
        return ruling

    async def ruling(self, origin: str, dialect: Dialect, asker: Any = None) -> OriginRules | None:
        """What holds for an origin, waited for where it must be; None once all has stopped."""
        arrived = self.now()
        ruling = self.known(origin, dialect, asker)
        while ruling is None and not self.is_stopped:
            site = self._site(origin)
            deferred = site.ruling(dialect, self.now())
            if deferred is not None and deferred.stance is not AccessMode.DEFER:
                deferred = None  # out of date: of no use
            if deferred is not None and deferred.access.fresh_until > arrived + self.patience:
                return deferred
            await self._wait(site, dialect, asker, deferred)
            ruling = self.known(origin, dialect, asker) or self._news(site, dialect, arrived)
        return ruling

    def _news(self, site: OriginState, dialect: Dialect, since: float) -> OriginRules | None:
        """What was learned since then counts, be its time over already."""
        ruling = site.ruling(dialect, self.now())
        if ruling is None or ruling.stance is AccessMode.DEFER:
            return None
        return ruling if ruling.access.record.asked_at >= since else None

    def stop(self) -> None:
        """End what is under way and let go of all who wait: nothing is waited for any more."""
        self.is_stopped = True
        for task in list(self._tasks):
            task.cancel()
        for site in list(self._asking.values()):
            site.wake()

    async def close(self) -> None:
        """Stop, wait for what is being kept, then let go of the store."""
        self.stop()
        await maybe_deferred_to_future(DeferredList(list(self._keeping)))
        try:
            await self.store.close()
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes
            self.notices.on_failed("close", error)

    def heard(self, origin: str, *, answers: bool) -> None:
        """A page of an origin was answered, or was not: some dialects go by that in the end."""
        site = self._asking.get(origin) or self._settled.get(origin)
        if site is not None:
            site.answers = answers

    def _site(self, origin: str) -> OriginState:
        return (
            self._asking.get(origin)
            or self._settled.get(origin)
            or OriginState(origin, self.wishes)
        )

    async def _wait(
        self, site: OriginState, dialect: Dialect, asker: Any, deferred: OriginRules | None
    ) -> None:
        """Wait for the next news of an origin; see that somebody asks."""
        turn: Deferred[None] = Deferred()
        site.waiting.append(turn)
        if not site.asking:
            delay = deferred.access.fresh_until - self.now() if deferred else 0.0
            self._ask(site, dialect, asker, delay)
        await maybe_deferred_to_future(turn)

    def _ask(self, site: OriginState, dialect: Dialect, asker: Any, delay: float = 0.0) -> None:
        site.asking = True
        self._asking[site.origin] = site
        _start(self._inquire(site, dialect, asker, delay), self._tasks)

    async def _inquire(self, site: OriginState, dialect: Dialect, asker: Any, delay: float) -> None:
        """One look at the store and the site. Whatever happens, those who wait hear of it."""
        try:
            if delay > 0:
                await self.sleep(delay)
            await self._learn(site, dialect, asker)
        except BaseException as error:
            if self.is_stopped:
                return
            # A fault closes an origin the way a network error does. It never opens one.
            outcome = FetchResult(None, cause=f"{type(error).__name__} while fetching")
            site.record = remember(site.record, outcome, self.now())
            self.notices.failed(site.origin, error)
            if not isinstance(error, Exception):
                raise
        finally:
            site.asking = False
            self._settle(site)
            site.wake()

    def _settle(self, site: OriginState) -> None:
        octets = site.record.octets if site.record is not None else None
        self._settled.put(site.origin, site, len(octets or b"") + SITE_OVERHEAD)
        self._asking.pop(site.origin, None)

    async def _learn(self, site: OriginState, dialect: Dialect, asker: Any) -> None:
        if site.record is None and await self._recall(site, dialect, asker):
            return
        began = self.now()
        while not await self._has_asked(site, dialect, asker, self.now() - began):
            waited = self.now() - began
            await self.sleep(min(max(waited / 4, FIRST_LOOK), LONGEST_LOOK))

    async def _has_asked(
        self, site: OriginState, dialect: Dialect, asker: Any, waited: float
    ) -> bool:
        """Claim an origin and ask it. False while another of the fleet does; who takes too long is
        waited for no longer. What is claimed is asked at once, lest others wait for our queue.
        """
        await maybe_deferred_to_future(self._places.acquire())
        try:
            claim = await self.fleet.claim(site.origin)
            if self._takes_over(site, claim.record, dialect):
                self.fleet.release(site.origin)
                await self._tell(site, dialect, asker, fetched=False)
            elif claim.granted or waited > FLEET_PATIENCE:
                await self._fetch(site, dialect, asker)
            else:
                return False
        except BaseException:
            self.fleet.release(site.origin)
            raise
        finally:
            self._places.release()
        return True

    async def _fetch(self, site: OriginState, dialect: Dialect, asker: Any) -> None:
        known = site.record
        outcome = await self.fetch(Question(site.origin, known, dialect, asker))
        site.record = site.remember(outcome, self.now())
        self.notices.tried(outcome, known, site.record)
        _start(self._keep_and_release(site.origin, site.record), self._keeping)
        self._share(outcome)
        await self._tell(site, dialect, asker, fetched=True)

    def _takes_over(self, site: OriginState, record: CacheEntry | None, dialect: Dialect) -> bool:
        """Go by what another of the fleet has learned; False where that leaves us to ask."""
        ruling = site.ruling(dialect, self.now()) if self._take_in(site, record) else None
        if ruling is None or not is_fresh(ruling.access, self.now()):
            return False
        self.notices.shared(self.now() - ruling.access.record.current_at)
        return True

    def _take_in(self, site: OriginState, record: CacheEntry | None) -> bool:
        """Go by a record if it is news. One of tomorrow is none: somebody's clock is wrong."""
        if record is None or record.asked_at > self.now() + DAY:
            return False
        if site.record is not None and record.asked_at <= site.record.asked_at:
            return False
        site.record = record
        return True

    async def _recall(self, site: OriginState, dialect: Dialect, asker: Any) -> bool:
        """Take the record from the store; True if nothing is left to ask."""
        try:
            self._take_in(site, await self.store.get(site.origin))
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes
            self.notices.on_failed("get", error)
        record = site.record
        self.notices.recalled(None if record is None else self.now() - record.current_at)
        ruling = site.ruling(dialect, self.now())
        if ruling is None:
            return False
        await self._tell(site, dialect, asker, fetched=False)
        if is_fresh(ruling.access, self.now()):
            return True
        site.wake()  # an old answer may still hold; who cannot use it waits on
        return False

    async def _tell(
        self, site: OriginState, dialect: Dialect, asker: Any, *, fetched: bool
    ) -> None:
        ruling = site.ruling(dialect, self.now())
        assert ruling is not None  # there is a record
        await self.notices.learned(ruling, asker, fetched=fetched)

    def _share(self, outcome: FetchResult) -> None:
        """What was found at the end of redirects is the target's own robots.txt too, if it has that
        very place. The store tells those who ask for it.
        """
        if outcome.status not in range(200, 300) or not outcome.hops:
            return
        target = origin_of(outcome.hops[-1])
        if target is not None and path_of(outcome.hops[-1]) == "/robots.txt":
            record = remember(None, replace(outcome, hops=()), self.now())
            _start(self._keep(target, record), self._keeping)

    async def _keep_and_release(self, origin: str, record: CacheEntry) -> None:
        await self._keep(origin, record)
        self.fleet.release(origin)

    async def _keep(self, origin: str, record: CacheEntry) -> None:
        try:
            await self.store.put(origin, record)
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes
            self.notices.on_failed("put", error)


def _start(work: Coroutine[Any, Any, None], among: set[Deferred[None]]) -> None:
    """Run a coroutine as a task of its own, held by `among` until it ends."""
    task: Deferred[None] = deferred_from_coro(work)
    among.add(task)
    task.addBoth(lambda _: among.discard(task))
