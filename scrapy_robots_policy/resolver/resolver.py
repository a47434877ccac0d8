"""Which rules hold for an origin now: one lookup at a time, stale while revalidated, one cache.

The words are those of RFC 9111. An answer is fresh for a time. When it is stale it is used once
more while it is validated in the background. When it is too old even for that, requests wait.

A lookup (`sources`) is a task of its own: no request that waits for it owns it, so a request that
is cancelled hurts no other. Each waiting request has a Deferred of its own, because a shared one is
used up by the first that awaits it.

What else may run: each `await` of a lookup lets requests join the waiters, be cancelled, and lets
the crawl close. `is_looked_up` is set before the first await and taken back in `finally`, so there
is one lookup for an origin at a time, and waiters are always woken.
"""

from __future__ import annotations

from typing import Any

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from ..compat import start_task
from ..exceptions import CrawlClosing, FetchForbidden
from ..rep import AccessMode, Dialect, FetchResult
from ..rep.access import holds
from .origin import OriginRules, OriginState, Waiter
from .sources import Sources, may_be_fetched

PATIENCE = 600.0  # seconds a request waits at most for an origin that defers


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
                if rules.access.fresh_until > arrived + PATIENCE:
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
