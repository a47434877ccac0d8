"""Where the rules of a site come from: one lookup at a time, stale while revalidated.

The words are those of RFC 9111. An answer is fresh for a time. When it is stale it is used once
more while it is validated in the background. When it is too old even for that, requests wait.

A lookup is one coroutine: it asks the store, then asks the other processes of the fleet for the
lease, fetches, remembers what came, and stores it. It is a task of its own: no request that waits
for it owns it, so a request that is cancelled hurts no other. Each waiting request has a Deferred
of its own, because a shared one is used up by the first that awaits it. A tdmrep.json is looked up
in the same way; it is another document of the origin.

A large file is unpacked, parsed and laid out in a turn of the event loop that it has for itself.
The request waits for that as for a lookup (`_read`).

A fetch visits its host as a page does. So where the host asks for a delay it waits for its turn,
before all pages (`_FetchSlot`).

What else may run: each `await` of a lookup lets requests join the waiters, be cancelled, and lets
the crawl close, which cancels the lookup. `is_looked_up` is set before the first await and taken
back in `finally`, so there is one lookup for a site at a time, and waiters are always woken.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import replace
from enum import Enum
from math import inf
from typing import Any, NamedTuple

from scrapy import signals
from scrapy.http import Request
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred, DeferredList

from . import compat
from .compat import start_task
from .core.decision import forms_of, objection
from .core.overrides import RequestConfig
from .core.result import Exchange
from .core.site import OriginRules, Site, Sites, rules_given
from .events import Crawl, LookedUp, Source
from .exceptions import CrawlClosing
from .fetch.bodies import is_fetch
from .fetch.gate import FetchGate, GateSlot, max_sockets
from .fetch.request import FetchOrder
from .fetch.tries import Fetched
from .rep import AccessMode, CacheEntry, Dialect, FetchResult, Origin, origin_of, tdmrep
from .rep.access import AccessResult, holds, is_fresh, remember
from .rep.documents import DOCUMENTS, TDMREP, document_of, key_of, origin_of_key, url_of
from .rep.url import path_of
from .rep.usage.preferences import TDM_RESERVATION
from .slots import Slots
from .stores import MAX_SKEW, EntryError, MemoryStore, Store, coordinator_of

LARGE = 64 * 1024  # bytes of a file that takes some ten milliseconds to parse, and to lay out
MIN_LIFE = 1.0  # seconds in which no site is asked twice, whatever lifetime its answer has
PATIENCE = 600.0  # seconds after a site has begun to defer: then nothing waits for it

# Seconds to wait while another process fetches: the first look, the longest pause, and in all.
FIRST_LOOK, LONGEST_PAUSE = 0.05, 2.0
LEASE_PATIENCE = 300.0

MAX_ROUTES = 3  # requests whose proxies or headers differ that are tried until one gets an answer

Fetch = Callable[[FetchOrder], Awaitable[Fetched]]


class Age(Enum):
    """How old rules may be that decide about a request."""

    FRESH = "fresh"  # nothing is fetched
    USABLE = "usable"  # stale ones decide, too, and are validated in the background
    RENEWED = "renewed"  # fetched for this request; may be stale again


class _Waiter(NamedTuple):
    """A request that waits for news of its site. `news` is its own: a shared one is used up."""

    news: Deferred[None]
    page: Request

    def tell(self) -> None:
        if not self.news.called:
            self.news.callback(None)


class Lookups:
    """Finds the rules for requests.

    Args:
        store: keeps entries beyond this process, and what this one has forgotten. It never raises.
        fetch: tries to get a document; what a site does is no error.

    """

    def __init__(self, crawl: Crawl, slots: Slots, store: Store, fetch: Fetch) -> None:
        settings = crawl.settings
        self.crawl, self.now, self.events = crawl, crawl.now, crawl.events
        self.configs, self.profile = settings.configs, settings.profile
        self.slots, self.store, self.fetch = slots, store, fetch
        self.coordinator = coordinator_of(store)
        # What is forgotten of the sites is kept, packed: as by the store `memory:`, or that itself.
        self._packed = store if isinstance(store, MemoryStore) else MemoryStore()
        self.sites = Sites(settings.access_overrides, self._pack)
        self.gate = FetchGate(settings.max_fetches, max(max_sockets(), settings.max_fetches))
        self.is_stopped = False
        self._asks_tdmrep = settings.use.may_be_refused_by(TDM_RESERVATION)
        self._tasks: set[Deferred[None]] = set()
        self._readers: deque[Deferred[None]] = deque()
        self._puts: set[Deferred[None]] = set()

    def use(
        self, request: Request, origin: Origin, config: RequestConfig, age: Age = Age.USABLE
    ) -> OriginRules | None:
        """All that decides about a request, where it is known and not too old. What is stale is
        validated in the background.
        """
        rules = _given(origin, config) or self._use(origin, config.dialect, request, age)
        if rules is None or not self._asks_tdmrep or not self._needs_tdmrep(request, rules, config):
            return rules
        reserved = self._use(key_of(origin, TDMREP), tdmrep.DIALECT, request, age)
        return None if reserved is None else rules.with_tdmrep(reserved)

    async def wait(self, request: Request, origin: Origin, config: RequestConfig) -> OriginRules:
        """The same; waits for a fetch where nothing usable is known.

        A site that defers longer than `PATIENCE` gives rules whose mode is DEFER. Raises
        CrawlClosing.
        """
        rules = _given(origin, config)
        if rules is None:
            began = self.now()
            rules = await self._wait(origin, config.dialect, request)
            self.crawl.counts.wait(origin, self.now() - began)
        if self._needs_tdmrep(request, rules, config):
            key = key_of(origin, TDMREP)
            rules = rules.with_tdmrep(await self._wait(key, tdmrep.DIALECT, request))
        return rules

    def latest(self, request: Request, origin: Origin, config: RequestConfig) -> OriginRules | None:
        """All that is in memory, however old; None: nothing is. Nothing is fetched."""
        rules = self.latest_robots_txt(origin, config)
        if rules is None or not self._needs_tdmrep(request, rules, config):
            return rules
        reserved = self._latest(key_of(origin, TDMREP), tdmrep.DIALECT)
        return rules if reserved is None else rules.with_tdmrep(reserved)

    def latest_robots_txt(self, origin: Origin, config: RequestConfig) -> OriginRules | None:
        """The rules of the robots.txt that is in memory, however old. Nothing is fetched."""
        return _given(origin, config) or self._latest(origin, config.dialect)

    def _needs_tdmrep(self, request: Request, rules: OriginRules, config: RequestConfig) -> bool:
        """Whether the site's tdmrep.json may decide about a request that declares a purpose.

        Only robots.txt itself is free of its own rules: a tdmrep.json that it forbids is not
        requested, and reserves nothing.
        """
        if not self._asks_tdmrep or not config.obey:
            return False
        forms = forms_of(request, by_plugin=bool(self.profile.by_plugin))
        use = self.crawl.settings.use
        if objection(forms, rules, config.agent, use) is not None:
            return False
        return rules.allowed(url_of(key_of(rules.origin, TDMREP)), config.agent)

    def note_reachability(self, request: Request, *, answers: bool) -> None:
        """A page of a site was answered, or was not.

        Google allows a robots.txt that was unreachable for 30 days only if other pages are there.
        An answer counts until the next one, however old it is: while it lets requests pass, each of
        them is a new one. If it were forgotten with time, no request would pass to show it anew.
        """
        # Neither what a robots.txt is redirected to nor a spider's own request for one is a page.
        if is_fetch(request) or request.url.endswith(DOCUMENTS):
            return
        site = self._site(origin_of(request.url) or "")
        if site is not None:
            site.is_reachable = answers

    def waiting(self) -> tuple[int, int, int]:
        """(requests that wait, documents they wait for, those of them that are put off)"""
        sites = [site for site in self.sites if site.waiters]
        requests = sum(len(site.waiters) for site in sites)
        return requests, len(sites), sum(not site.is_looked_up for site in sites)

    def stop(self) -> None:
        """End all lookups, and wake all waiting requests: they raise CrawlClosing."""
        self.is_stopped = True
        self.gate.close()
        for task in list(self._tasks):
            task.cancel()
        for site in list(self.sites):
            site.wake()
        self._let_all_read()

    async def close(self) -> None:
        """Stop, wait until all entries are stored, then close the store."""
        self.stop()
        if self._puts:
            await maybe_deferred_to_future(DeferredList(list(self._puts)))
        await self.store.close()

    # What is in memory.

    def _site(self, key: str) -> Site | None:
        """What is in memory of a site; unpacked, where it was packed."""
        site = self.sites.get(key)
        if site is None and (entry := self._packed.recall(key)):
            site = self.sites.open(key)
            site.entry = entry
            self.sites.weigh(site)
        return site

    def _is_unread(self, key: str, dialect: Dialect) -> bool:
        """Whether a file has to be unpacked or parsed first that takes a turn of the loop."""
        site = self.sites.get(key)
        if site is None:
            return self._packed.file_size(key) > LARGE
        size = len(site.entry.body or b"") if site.entry is not None else 0
        return size > LARGE and not site.has_read(dialect)

    async def _read(self, key: str, dialect: Dialect, page: Request) -> None:
        """Unpack, parse and lay out a large file, one in a turn of the loop. Else many pages that
        are refused one after the other stop all else for seconds. Raises CrawlClosing.
        """
        turn: Deferred[None] = Deferred()
        self._readers.append(turn)
        if len(self._readers) == 1:
            compat.call_later(0.0, self._let_one_read)
        try:
            await maybe_deferred_to_future(turn)
        except BaseException:
            if turn in self._readers:
                self._readers.remove(turn)
            raise
        if self.is_stopped:
            raise CrawlClosing
        rules = self._latest(key, dialect)
        if rules is not None:
            config = self.configs.of(page, Origin(origin_of_key(key)))
            rules.objection(page.url, config.agent)

    def _let_one_read(self) -> None:
        if self._readers:
            self._readers.popleft().callback(None)
        if self._readers:
            compat.call_later(0.0, self._let_one_read)

    def _let_all_read(self) -> None:
        while self._readers:
            self._readers.popleft().callback(None)

    def _pack(self, site: Site) -> None:
        if site.entry is not None:
            self._packed.keep(site.key, site.entry)

    def _use(
        self, key: str, dialect: Dialect, page: Request, age: Age = Age.USABLE
    ) -> OriginRules | None:
        if self._is_unread(key, dialect):
            return None
        site = self._site(key)
        if site is None or site.from_redirect:
            return None
        now = self.now()
        rules = site.rules(dialect, now)
        if rules is None or rules.access.mode is AccessMode.DEFER:
            return None
        if age is Age.RENEWED or now < rules.access.fresh_until:
            return rules
        if age is Age.FRESH:
            return None
        may_be_fetched = now - rules.access.entry.asked_at >= MIN_LIFE
        if may_be_fetched and not holds(rules.access, now):
            return None
        if may_be_fetched and not site.is_looked_up and not self.is_stopped:
            site.route = self._route(page)  # middlewares add headers and a proxy to it, as it goes
            self._start_lookup(site, dialect, page)
        return rules

    def _latest(self, key: str, dialect: Dialect) -> OriginRules | None:
        site = self._site(key)
        return None if site is None else site.rules(dialect, self.now())

    # The wait.

    async def _wait(self, key: str, dialect: Dialect, page: Request) -> OriginRules:
        arrived, deferred_at = self.now(), None
        while not self.is_stopped:
            if self._is_unread(key, dialect):
                await self._read(key, dialect, page)
            usable = self._use(key, dialect, page)
            if usable is not None:
                return usable
            site = self._site(key) or self.sites.open(key)
            rules = None if site.from_redirect else site.rules(dialect, self.now())
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
                return rules  # fetched while it waited: it counts, however short its life
            # The mode may also change with time alone; then it is tried once more.
            await self._news(site, dialect, page, pause)
        raise CrawlClosing

    async def _news(self, site: Site, dialect: Dialect, page: Request, pause: float) -> None:
        """Wait for the next news of a site. If no lookup is under way, one starts, or the news is
        that the pause has ended.
        """
        waiter = _Waiter(Deferred(), page)
        site.waiters.append(waiter)
        if not site.is_looked_up and pause > 0:
            self._put_off(site, self.now() + pause)
        elif not site.is_looked_up:
            self._start_lookup(site, dialect, page)
        try:
            await maybe_deferred_to_future(waiter.news)
        finally:  # also where it is cancelled
            site.waiters.remove(waiter)

    def _put_off(self, site: Site, until: float) -> None:
        """Wake the requests that wait for a site at an instant, if none has to wake earlier.

        Meanwhile no lookup is under way: a request whose dialect does not defer may start one.
        """
        if site.wakes_at is None or until < site.wakes_at:
            site.wakes_at = until
            start_task(self._end_pause(site, until), self._tasks)

    async def _end_pause(self, site: Site, until: float) -> None:
        try:
            await compat.sleep(until - self.now())
        finally:
            if site.wakes_at == until:  # no lookup has started, and no shorter pause
                self._settle(site)

    def _settle(self, site: Site) -> None:
        """Count what a site holds now, and wake the requests that wait for it."""
        site.wakes_at = None
        self.sites.weigh(site)
        site.wake()

    # The lookup: store, lease, fetch, remember, store.

    def _start_lookup(self, site: Site, dialect: Dialect, page: Request) -> None:
        site.is_looked_up, site.wakes_at = True, None
        start_task(self._look_up(site, dialect, page), self._tasks)

    async def _look_up(self, site: Site, dialect: Dialect, page: Request) -> None:
        try:
            is_new = site.entry is None or site.from_redirect
            if is_new and await self._recall(site, dialect, page):
                return
            began = self.now()
            while not await self._fetch_if_claimed(site, dialect, page, self.now() - began):
                waited = self.now() - began
                await compat.sleep(min(max(waited / 4, FIRST_LOOK), LONGEST_PAUSE))
        except BaseException as error:
            if self.is_stopped:
                return
            # A fault closes a site as a network error does. It never opens one.
            result = FetchResult(None, cause=f"{type(error).__name__} while fetching")
            site.entry = site.remember(result, self.now())
            if not isinstance(error, Exception):
                raise  # it is cancelled: the event loop ends, and has not waited for the crawl
            self.events.fetched(Fetched(site.key, result, error, is_fault=True))
        finally:
            site.is_looked_up, site.route = False, None
            self._settle(site)

    async def _recall(self, site: Site, dialect: Dialect, page: Request) -> bool:
        """Take the entry from the store, or from another site's redirect. True if nothing is left
        to fetch.
        """
        source = Source.CACHE if site.from_redirect else Source.STORE
        if self._adopt(site, await self.store.get(site.key)):
            source = Source.STORE
        site.from_redirect = False
        rules = site.rules(dialect, self.now())
        if rules is None:
            return False
        await self._tell(site, dialect, page, source)
        if self._is_new_enough(rules):
            return True
        site.route = self._route(page)
        site.wake()  # stale rules may be usable; a request that cannot use them waits on
        return False

    async def _fetch_if_claimed(
        self, site: Site, dialect: Dialect, page: Request, waited: float
    ) -> bool:
        """Fetch if this process gets the lease, or if its holder takes longer than five minutes.

        False while another process fetches. The slot is taken before the lease, so that no lease is
        held by a fetch that queues.
        """
        before = site.rules(dialect, self.now())
        slot = _FetchSlot(self, site, page)
        async with slot:
            try:
                claim = await self.coordinator.claim(site.key)
                rules = None
                if self._adopt(site, claim.entry):
                    rules = site.rules(dialect, self.now())
                if rules is not None and self._is_new_enough(rules):
                    self.coordinator.release(site.key)
                    await self._tell(site, dialect, page, Source.FLEET, before)
                elif claim.granted or waited > LEASE_PATIENCE:
                    await self._fetch(site, dialect, page, slot)
                else:
                    return False
            except BaseException:
                self.coordinator.release(site.key)
                raise
        return True

    async def _fetch(self, site: Site, dialect: Dialect, page: Request, slot: _FetchSlot) -> None:
        before = site.rules(dialect, self.now())
        fetched, exchanges = await self._fetch_for_somebody(site, dialect, page, slot)
        result = fetched.result
        if site.entry is None and fetched.copy is not None:
            site.entry = fetched.copy
            rules = site.rules(dialect, self.now())
            if rules is not None and self._is_new_enough(rules):
                self.coordinator.release(site.key)
                await self._tell(site, dialect, page, Source.STORE)
                return
        entry = site.remember(result, self.now())
        if entry.failures:
            # Another process may have stored a newer entry meanwhile: ours is a failure after that.
            claim = await self.coordinator.claim(site.key)
            self._adopt(site, claim.entry)
            entry = site.remember(result, self.now())
        site.entry = entry
        if self.store is not self._packed:
            start_task(self._put_and_release(site.key, entry), self._puts)
        self._share_target(site.key, result)
        await self._tell(site, dialect, page, Source.SITE, before, exchanges)

    async def _fetch_for_somebody(
        self, site: Site, dialect: Dialect, page: Request, slot: _FetchSlot
    ) -> tuple[Fetched, tuple[Exchange, ...]]:
        """Fetch for one request; where nothing came back, for others with another proxy or header.

        One request's dead proxy says nothing about the site that others reach without it. In a
        crawl that rotates its proxies, of which one in five is dead, a fifth of the sites would be
        closed; with three tries it is one in 125.
        """
        route, tried = site.route, set[Hashable]()  # None: the page waits, as it came
        exchanges: tuple[Exchange, ...] = ()
        others: list[Request] = [page]
        while others and len(tried) < MAX_ROUTES:
            slot.page = page = others[0]
            in_haste = self.gate.is_short_of_sockets()
            order = FetchOrder(site.key, site.entry, dialect, page, slot, in_haste=in_haste)
            fetched = await self.fetch(order)
            exchanges += fetched.exchanges
            if fetched.result.status is not None or self.gate.is_closed:
                break
            tried.add(self._route(page) if route is None else route)
            route = None
            pages = (waiter.page for waiter in site.waiters)
            others = [other for other in pages if self._route(other) not in tried]
        self.events.fetched(fetched)
        return fetched, exchanges

    def _route(self, page: Request) -> Hashable:
        """What a fetch takes from a page: fetches by the same route fail alike."""
        return self.profile.route(page, self.configs.sent)

    def _is_new_enough(self, rules: OriginRules) -> bool:
        """Whether what came from elsewhere than the site is not to be fetched yet."""
        now = self.now()
        return is_fresh(rules.access, now) or now - rules.access.entry.asked_at < MIN_LIFE

    def _adopt(self, site: Site, entry: CacheEntry | None) -> bool:
        """Use an entry of a store if it is newer than ours. One of the future is not used."""
        if entry is None:
            return False
        ahead = entry.asked_at - self.now()
        if ahead > MAX_SKEW:
            msg = f"an entry that is {ahead:.0f} s ahead of this machine's clock"
            self.events.store_failed("use", EntryError(msg))
            return False
        if site.entry is not None and entry.asked_at <= site.entry.asked_at:
            return False
        site.entry = entry
        return True

    async def _put_and_release(self, key: str, entry: CacheEntry) -> None:
        await self.store.put(key, entry)
        self.coordinator.release(key)

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
        if self.store is not self._packed:
            start_task(self.store.put(target, entry), self._puts)
        site = self._site(target) or self.sites.open(target)
        if site.entry is None and not site.is_looked_up:
            site.entry, site.from_redirect = entry, True
            self.sites.weigh(site)

    # The event.

    async def _tell(
        self,
        site: Site,
        dialect: Dialect,
        page: Request,
        source: Source,
        before: OriginRules | None = None,
        exchanges: tuple[Exchange, ...] = (),
    ) -> None:
        """There is news of a site. From now on the delay that its rules ask for is kept.

        A page that older rules let pass may still be on its way. It counts as a visit: the next
        page waits until that visit and the delay after it are over.
        """
        rules = site.rules(dialect, self.now())
        assert rules is not None  # there is an entry
        config = self.configs.of(page, Origin(origin_of_key(site.key)))
        event = LookedUp(rules, before, source, page, config, self.now(), exchanges)
        self.events.looked_up(event)
        if document_of(site.key) == TDMREP:
            return
        self.slots.keep_delay(page, rules, config)
        if rules.access.result is AccessResult.UNREACHABLE and dialect.access.asks_for_site:
            self.crawl.crawler.signals.connect(self._answered, signals.response_downloaded)
        await self._send_parsed(rules, page)

    def _answered(self, request: Request) -> None:
        self.note_reachability(request, answers=True)

    async def _send_parsed(self, rules: OriginRules, page: Request) -> None:
        """Scrapy 2.18's signal."""
        crawler, signal = self.crawl.crawler, compat.ROBOTS_PARSED
        if rules.rules is None or signal is None or not compat.has_receivers(crawler, signal):
            return
        from .robotparser import RobotParser  # noqa: PLC0415 - it loads Protego, and few listen

        parser: Any = RobotParser(rules.rules)
        await compat.send(crawler, signal, robotparser=parser, request=page)


def _given(origin: Origin, config: RequestConfig) -> OriginRules | None:
    """The rules of the file that the user has set in place of the site's own."""
    body = config.robots_txt
    return None if body is None else rules_given(origin, config.dialect, body)


class _FetchSlot(GateSlot):
    """What a fetch holds: its place in the gate, and its turn at a host that asks for a delay."""

    def __init__(self, lookups: Lookups, site: Site, page: Request) -> None:
        has_failed = site.entry is not None and site.entry.failing_since is not None
        super().__init__(lookups.gate, has_failed=has_failed)
        self.lookups, self.slots, self.key, self.page = lookups, lookups.slots, site.key, page
        self.is_redirected = False

    async def begin(self, request: Request, hops: tuple[str, ...]) -> None:
        self._keep_delay(request)
        delays = self.slots.delays
        queue = delays.find(self.slots.slot_key(request), request.url) if delays else None
        while queue is not None:
            # It may wait for hours, and uses no socket: other hosts are not to wait with it.
            self.give_back()
            async with queue.turn(request, first=True) as turn:
                await self.take()
                after = delays.find(self.slots.slot_key(request), request.url)
                if after in (queue, None):
                    turn.used()
                    break
            queue = after  # after a pause the delay, or a pause meanwhile
        self.is_redirected = bool(hops)
        self.slots.begin_fetch(request)

    def _keep_delay(self, request: Request) -> None:
        """Keep the delay that an old copy, or the user, asks for at the host of a request.

        No page of this process may have taken a turn so far; but other processes of the fleet
        visit the host, too.
        """
        is_elsewhere = origin_of(request.url) != origin_of_key(self.key)
        visitor = request if is_elsewhere else self.page  # a page may have chosen its own slot
        origin = origin_of(visitor.url)
        if origin is None:  # a hook has it read from a file
            return
        config = self.lookups.configs.of(self.page, origin)
        rules = self.lookups.latest_robots_txt(origin, config)
        if rules is not None:
            self.slots.keep_delay(visitor, rules, config)
        elif config.crawl_delay:
            self.slots.keep_seconds(visitor, origin, config, config.crawl_delay, inf)

    def end(self, request: Request) -> None:
        self.slots.end_fetch(request, is_redirected=self.is_redirected)
