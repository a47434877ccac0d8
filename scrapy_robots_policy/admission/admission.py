"""When a request may go to the downloader: the one way of every request that has to wait.

`admit` is read from top to bottom. The rules of the origin are waited for and asked. Then the
request waits for its turn where a delay is kept, and for a free place of CONCURRENT_REQUESTS. Rules
that grew too old meanwhile are fetched and asked again.

What else may run: at every `await` rules may change, the request may be cancelled, and the crawl
may close. The context managers give back the place and the turn, and tell the queue that nothing
waits.

A request of our queue whose turn is far off goes back there. One that came otherwise waits here,
and may wait for long: so its place is lent, and how many may wait has a bound.

`RequestRules` finds the rules that are known without a wait: those of the origin's robots.txt, or
of the file that the user has set in its place, and of a tdmrep.json where the crawl declares a
purpose that it may refuse. `decision` decides by them, and `Decider` does what follows: the request
is refused or passes; it is counted, logged, recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from math import inf
from weakref import WeakSet

from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request
from scrapy.http.request import NO_CALLBACK

from ..config.request_config import RequestConfig, RequestConfigs
from ..exceptions import CrawlClosing, Disallowed, FetchForbidden
from ..fetch.request import FetchOrder
from ..rep import Origin, Verdict, origin_of, tdmrep
from ..rep.url import TDMREP, key_of, origin_of_key, server_forms, url_of
from ..rep.usage import TDM_RESERVATION, Preference, UseAnswer, answer
from ..report.counts import CrawlCounts
from ..report.crawl_events import CrawlEvents
from ..resolver.lookup import Resolver
from ..resolver.origin import OriginRules, rules_given
from ..stats import PUT_BACK
from .concurrency import Concurrency
from .decision import CrawlPolicy, Decision, DecisionListener, may_wait
from .delays import Asker, DelayQueue, DelayQueues, NotYet, Turn
from .hosts import PUT_BACK_KEY
from .status_line import Waiting


class RequestRules:
    """Finds the rules for requests.

    configs   gives the dialect and the agent of a request
    resolver  has what is known of the origins
    policy    how the crawl decides
    """

    def __init__(
        self,
        configs: RequestConfigs,
        resolver: Resolver,
        policy: CrawlPolicy,
        events: CrawlEvents,
    ) -> None:
        self.configs, self.resolver, self.policy, self.events = configs, resolver, policy, events
        self._asks_tdmrep = policy.use.may_be_refused_by(TDM_RESERVATION)

    def config(self, request: Request, origin: Origin) -> RequestConfig:
        return self.configs.of(request.meta, request.headers.get(b"User-Agent"), origin)

    def cached(self, request: Request, origin: Origin, config: RequestConfig) -> OriginRules | None:
        """All that decides about a request, where it is known without waiting."""
        rules = self._cached_robots_txt(request, origin, config)
        if rules is None or not self._asks_tdmrep or not self.needs_tdmrep(request, rules, config):
            return rules
        reserved = self.resolver.cached(key_of(origin, TDMREP), tdmrep.DIALECT, request)
        return None if reserved is None else rules.with_tdmrep(reserved)

    def latest(self, request: Request, origin: Origin, config: RequestConfig) -> OriginRules | None:
        """All that is known, however old; None: nothing is. Nothing is fetched."""
        rules = self.latest_robots_txt(origin, config)
        return None if rules is None else self._with_latest_tdmrep(request, rules, config)

    def latest_robots_txt(self, origin: Origin, config: RequestConfig) -> OriginRules | None:
        """The rules of the robots.txt that is known, however old. Nothing is fetched."""
        if config.robots_txt is not None:
            return rules_given(origin, config.dialect, config.robots_txt)
        return self.resolver.latest(origin, config.dialect)

    def needs_tdmrep(self, request: Request, rules: OriginRules, config: RequestConfig) -> bool:
        """Whether the origin's tdmrep.json may decide about a request that declares a purpose.

        Only robots.txt itself is free of its own rules: a tdmrep.json that it forbids is not
        requested.
        """
        if not self._asks_tdmrep or not config.obey:
            return False
        if not rules.allowed(request.url, config.agent):
            return False
        if rules.allowed(url_of(key_of(rules.origin, TDMREP)), config.agent):
            return True
        self.events.on_tdmrep_forbidden(rules.origin)
        return False

    def answer(
        self,
        request: Request,
        origin: Origin,
        config: RequestConfig,
        of_page: tuple[Preference, ...],
    ) -> UseAnswer:
        """The answer to the declared use of a page, with what the page itself says."""
        rules = self._of_page(request, origin, config)
        if rules is None:
            return answer(of_page, self.policy.use)
        preferences = rules.preferences(request.url, config.agent, self.policy.use)
        overridden = rules.overridden(request.url, config.agent)
        return answer((*preferences, *of_page), self.policy.use, overridden)

    def report(self, rules: OriginRules, config: RequestConfig) -> None:
        """Report what a robots.txt that was looked up for a page asks of the page's crawler."""
        self.events.on_rules(rules, config.agent, self.policy.delay(rules, config))
        if self._asks_tdmrep:
            self._report_tdmrep(rules, config)

    def _report_tdmrep(self, rules: OriginRules, config: RequestConfig) -> None:
        """Report the tdmrep.json that is known, where a robots.txt allows it."""
        key = key_of(rules.origin, TDMREP)
        reserved = self.resolver.latest(key, tdmrep.DIALECT)
        if reserved is not None and rules.allowed(url_of(key), config.agent):
            self.events.on_tdmrep_allowed(reserved)

    def _of_page(
        self, request: Request, origin: Origin, config: RequestConfig
    ) -> OriginRules | None:
        """What decided about a page, or has come since; it may have grown too old meanwhile."""
        rules = self._cached_robots_txt(request, origin, config)
        rules = rules or self.latest_robots_txt(origin, config)
        return None if rules is None else self._with_latest_tdmrep(request, rules, config)

    def _cached_robots_txt(
        self, request: Request, origin: Origin, config: RequestConfig
    ) -> OriginRules | None:
        """The rules of the robots.txt for a request, where they are known without waiting."""
        if config.robots_txt is not None:
            return rules_given(origin, config.dialect, config.robots_txt)
        return self.resolver.cached(origin, config.dialect, request)

    def _with_latest_tdmrep(
        self, request: Request, rules: OriginRules, config: RequestConfig
    ) -> OriginRules:
        if not self.needs_tdmrep(request, rules, config):
            return rules
        reserved = self.resolver.latest(key_of(rules.origin, TDMREP), tdmrep.DIALECT)
        return rules if reserved is None else rules.with_tdmrep(reserved)


VERDICT_KEY = "robots_verdict"
HOPS_KEY = "robots_hops"  # how many redirects had led to the last page that passed


class Decider:
    """Refuses requests, and lets them pass.

    In both methods `began` is when the request began to wait; None: it did not wait.

    policy    how the crawl decides
    now       seconds since the epoch
    dry_run   whether a request that would be refused is only counted, and passes
    keeps_verdicts  whether a request that passes gets its verdict, in its meta
    audit     is called with every decision; None: nobody keeps a record
    """

    def __init__(  # noqa: PLR0913 - all that it works with is handed in
        self,
        policy: CrawlPolicy,
        counts: CrawlCounts,
        events: CrawlEvents,
        now: Callable[[], float],
        *,
        dry_run: bool,
        keeps_verdicts: bool = False,
        audit: DecisionListener | None = None,
    ) -> None:
        self.policy, self.counts, self.events, self.now = policy, counts, events, now
        self.dry_run, self.keeps_verdicts, self.audit = dry_run, keeps_verdicts, audit

    def refuse_if_forbidden(
        self,
        request: Request,
        rules: OriginRules,
        config: RequestConfig,
        began: float | None = None,
    ) -> Verdict | None:
        """Raise Disallowed if the rules forbid the request. In a dry run the verdict that forbids
        it is given instead.
        """
        forms = server_forms(request.url)
        verdict = self.policy.objection(forms, rules, config)
        if verdict is None:
            return None
        if self.audit is not None:
            now = self.now()
            waited = 0.0 if began is None else now - began
            self.audit.on_decided(
                request, Decision(forms, rules, config, verdict, now, waited, self.dry_run)
            )
        uses = verdict.uses.results if verdict.refused else ()
        self.counts.note_uses(rules.origin, uses)
        self.counts.drop(rules.origin, verdict, request.url)
        self.events.on_refused(request, verdict, counts_only=self.dry_run)
        if not self.dry_run:
            raise Disallowed(verdict, request.url)
        return verdict

    def verdict(self, request: Request, rules: OriginRules, config: RequestConfig) -> Verdict:
        """The verdict on a request that is neither refused nor let pass now."""
        objection = self.policy.objection(server_forms(request.url), rules, config)
        return objection or self.policy.verdict(request.url, rules, config)

    def let_pass(
        self,
        request: Request,
        rules: OriginRules,
        config: RequestConfig,
        verdict: Verdict | None,
        began: float | None = None,
    ) -> None:
        """Count the request as passed. `verdict`: it is forbidden, and passes in a dry run."""
        if self.audit is not None and verdict is None:
            now = self.now()
            waited = 0.0 if began is None else now - began
            forms = server_forms(request.url)
            self.audit.on_decided(request, Decision(forms, rules, config, None, now, waited))
        if self.keeps_verdicts:
            request.meta[VERDICT_KEY] = verdict or self.policy.verdict(request.url, rules, config)
        # RetryMiddleware makes a retry of a request that has passed. A redirect keeps the number of
        # retries in its meta, but is a request of its own: one more redirect has led to it.
        meta = request.meta
        hops = meta.get("redirect_times", 0)
        if not meta.get("retry_times") or hops > meta.get(HOPS_KEY, 0):
            if hops:
                meta[HOPS_KEY] = hops
            if self.policy.declares_use and verdict is None:
                self._note_uses(request.url, rules, config)
            self.counts.of(rules.origin).passed += 1

    def _note_uses(self, url: str, rules: OriginRules, config: RequestConfig) -> None:
        preferences = rules.preferences(url, config.agent, self.policy.use)
        if preferences:
            results = answer(preferences, self.policy.use).results
            self.counts.note_uses(rules.origin, results)


class Admission:
    """Has requests wait until it is decided about them, and until they may go.

    now  seconds since the epoch
    """

    def __init__(  # noqa: PLR0913, PLR0917 - all that it works with is handed in
        self,
        crawler: Crawler,
        rules: RequestRules,
        resolver: Resolver,
        concurrency: Concurrency,
        delays: DelayQueues,
        decider: Decider,
        counts: CrawlCounts,
        now: Callable[[], float],
    ) -> None:
        self.crawler, self.rules, self.resolver = crawler, rules, resolver
        self.concurrency, self.delays, self.decider = concurrency, delays, decider
        self.counts, self.now = counts, now
        self.hosts = concurrency.hosts
        concurrency.on_closing = self.stop
        self.dry_run = decider.dry_run
        self._put_back: WeakSet[Request] = WeakSet()

    def must_wait(self, request: Request, rules: OriginRules, config: RequestConfig) -> bool:
        """Whether a request whose rules are known has to wait for its turn.

        From now on the delay that they ask for is kept (see `_queue`).
        """
        if not self.delays.by_slot and not may_wait(rules, config):
            return False
        return self._queue(request, rules, config) is not None

    def decide_or_put_back(
        self, request: Request, rules: OriginRules, config: RequestConfig
    ) -> Request | None:
        """Let a request pass that need not wait, or raise Disallowed; a dry run lets all pass.

        Give it back for the scheduler if it cannot be recorded.
        """
        self.hosts.passes(request)
        try:
            verdict = self.decider.refuse_if_forbidden(request, rules, config)
            self.decider.let_pass(request, rules, config, verdict)
        except CrawlClosing:  # it could not be recorded
            return self.put_back(request)
        return None

    async def admit(
        self,
        request: Request,
        origin: Origin,
        config: RequestConfig,
        rules: OriginRules | None = None,
    ) -> None:
        """Wait until `request` may be sent: rules, its turn, a free place.

        `rules`: those that are known already. Raises Disallowed, CrawlClosing.
        """
        began, refetched, looked_up = self.now(), False, rules is None
        # Another middleware may have given it back in its turn: it must not wait for its own end.
        self.delays.left(request)
        with self.concurrency.lend(request):
            while True:
                if rules is None:
                    rules = await self._rules_for(request, origin, config)
                if not self.dry_run:  # a dry run counts a request once, when it goes
                    self.decider.refuse_if_forbidden(request, rules, config, began)
                is_held = self.must_wait(request, rules, config)
                ready_at = self.now()
                rules = await self._with_tdmrep(request, origin, config, rules, began)
                queue = self._queue(request, rules, config) if is_held else None
                slot = self.concurrency.engine.slot_key(request)
                may_go_back = self.hosts.may_go_back(request, slot, queue, looked_up=looked_up)
                async with _turn(queue, request, has_patience=not may_go_back) as turn:
                    if is_held:
                        self.counts.hold(rules.origin, self.now() - ready_at)
                    await self.concurrency.reacquire(request)
                    # The request has waited in queues. Rules that are no longer usable count only
                    # if they were fetched twice for it: their lifetime is shorter than the queue.
                    current = self._current(request, origin, config, rules)
                    if current is None and refetched:
                        current = rules
                    if current is not None and self._may_go(request, current, config, queue):
                        verdict = None
                        if current is not rules or self.dry_run:
                            verdict = self.decider.refuse_if_forbidden(
                                request, current, config, began
                            )
                        self.decider.let_pass(request, current, config, verdict, began)
                        turn.used()
                        return
                    refetched = current is None
                rules = current
                self.concurrency.lend_again(request)

    async def admit_or_put_back(
        self,
        request: Request,
        origin: Origin,
        config: RequestConfig,
        rules: OriginRules | None = None,
    ) -> Request | None:
        """Admit a request; give it back for the scheduler if the crawl closes first."""
        try:
            await self.admit(request, origin, config, rules)
        except NotYet:
            return self._again(request)
        except CrawlClosing:
            return self.put_back(request)
        return None

    async def admit_fetch(self, request: Request, order: FetchOrder, hops: tuple[str, ...]) -> None:
        """Wait until a robots.txt may be fetched: in its turn at its host, in nobody's place.

        hops  the redirects that have led there

        Raises CrawlClosing, and FetchForbidden for a tdmrep.json that a robots.txt forbids which
        has come meanwhile.
        """
        # Of an origin's first robots.txt no copy is known, so none asks for a delay. A page that
        # needs a tdmrep.json has its robots.txt, and has opened the queue.
        if order.entry or self.rules.configs.sets_delays or hops:
            self._open_fetch_queue(request, order)
        if self.delays.by_slot:
            slot = self.concurrency.engine.slot_key(request)
            queue = self.delays.find(slot, request.url)
            if queue is not None:
                # It may wait for hours, and uses no socket: other hosts are not to wait with it.
                order.place.give_back()
                async with queue.turn(request, first=True) as turn:
                    await order.place.take()
                    turn.used()
        if order.dialect is tdmrep.DIALECT:
            self._check_fetch(order)
        self.concurrency.begin_fetch(request, is_redirected=bool(hops))

    def _open_fetch_queue(self, request: Request, order: FetchOrder) -> None:
        """Open the queue for the request of a fetch, if an old copy or the user asks for a delay.

        No page of this process may have taken a turn so far; but other processes of the fleet
        visit the host, too.
        """
        is_elsewhere = origin_of(request.url) != origin_of_key(order.origin)
        visitor = request if is_elsewhere else order.page  # a page may have chosen its own slot
        origin = origin_of(visitor.url)
        assert origin is not None  # a page without one needs no rules
        config = self.rules.config(order.page, origin)
        rules = self.rules.latest_robots_txt(origin, config)
        if rules is not None:
            self._queue(visitor, rules, config)
        elif config.crawl_delay:
            self._keep(visitor, origin, config, config.crawl_delay, inf)

    def _check_fetch(self, order: FetchOrder) -> None:
        """Raise FetchForbidden where the newest robots.txt forbids a tdmrep.json.

        The one that was known when its lookup began allowed it; the fetch has waited since.
        """
        url = url_of(order.origin)
        origin = origin_of(url)
        assert origin is not None  # its robots.txt is known
        config = self.rules.config(order.page, origin)
        rules = self.rules.latest_robots_txt(origin, config)
        if rules is not None and not rules.allowed(url, config.agent):
            raise FetchForbidden

    def keep_delay(self, page: Request, rules: OriginRules, config: RequestConfig) -> None:
        """From now on the delay of a robots.txt that was looked up for a page is kept.

        A page that older rules let pass may still be on its way. It counts as a visit: the next
        page waits until that visit and the delay after it are over.
        """
        self._queue(page, rules, config)

    def waiting(self) -> Waiting:
        """What waits now."""
        requests, files, put_off = self.resolver.waiting()
        return Waiting(
            requests=requests,
            files=files,
            delayed=self.delays.waiting,
            put_off=put_off,
            is_full=self.concurrency.stops_others,
            queued=sum(queue.held for queue in self.hosts.queues),
        )

    def stop(self) -> None:
        """The crawl begins to close: all waits end with CrawlClosing, and no fetch begins."""
        self.resolver.stop()  # first: a fetch that its delay queue lets go must not count as failed
        self.delays.close()

    async def close(self) -> None:
        """The crawl has ended: give all turns back, store what came, close the store."""
        self.delays.release_gone(())  # while a crawl closes, nobody asks for those that are gone
        await self.resolver.close()

    def _current(
        self, request: Request, origin: Origin, config: RequestConfig, rules: OriginRules
    ) -> OriginRules | None:
        """The rules of now: the same while they are fresh and the newest; None if there are none
        that may be used.
        """
        if self.now() < rules.fresh_until and not self.resolver.has_newer(rules):
            return rules
        return self.rules.cached(request, origin, config)

    async def _rules_for(
        self, request: Request, origin: Origin, config: RequestConfig
    ) -> OriginRules:
        if config.robots_txt is not None:  # it waits for the tdmrep.json only
            return rules_given(origin, config.dialect, config.robots_txt)
        began = self.now()
        rules = await self.resolver.rules_for(origin, config.dialect, request)
        self.counts.wait(origin, self.now() - began)
        return rules

    async def _with_tdmrep(
        self,
        request: Request,
        origin: Origin,
        config: RequestConfig,
        rules: OriginRules,
        began: float,
    ) -> OriginRules:
        """The rules, and the origin's tdmrep.json where it may decide. Raises Disallowed.

        Where a delay is kept, the fetch of the file takes a turn.
        """
        if not self.rules.needs_tdmrep(request, rules, config):
            return rules
        key, latest, reserved = key_of(rules.origin, TDMREP), rules, None
        while reserved is None and self.rules.needs_tdmrep(request, latest, config):
            # One fetch is for all crawlers of a host: it may be forbidden for another one.
            with suppress(FetchForbidden):
                reserved = await self.resolver.rules_for(key, tdmrep.DIALECT, request)
            latest = self.rules.latest_robots_txt(origin, config) or rules
        if reserved is not None:
            rules = rules.with_tdmrep(reserved)
        # A robots.txt that has come meanwhile may forbid that file: then it reserves nothing.
        rules = self._current(request, origin, config, rules) or rules
        if not self.dry_run:
            self.decider.refuse_if_forbidden(request, rules, config, began)
        return rules

    def _may_go(
        self,
        request: Request,
        rules: OriginRules,
        config: RequestConfig,
        queue: DelayQueue | None,
    ) -> bool:
        """Whether a request may go now that has its turn in this queue; None: it has none.

        The rules may be newer than those by which it took the turn, and ask for another delay.
        """
        if queue is None:
            return not self.must_wait(request, rules, config)
        needed = self._queue(request, rules, config)
        return needed is None or (needed is queue and not needed.rests)

    def _queue(
        self, request: Request, rules: OriginRules, config: RequestConfig
    ) -> DelayQueue | None:
        """The queue that the request has to wait in; None if it need not.

        From now on the delay that the rules ask for is kept there (see `DelayQueues.queue`).
        """
        delay = self.decider.policy.delay(rules, config)
        if not delay.seconds and not self.delays.by_slot:
            return None
        since_visit = self.now() - rules.access.entry.asked_at
        return self._keep(request, rules.origin, config, delay.seconds, since_visit)

    def _keep(
        self,
        request: Request,
        origin: str,
        config: RequestConfig,
        delay: float,
        since_visit: float,
    ) -> DelayQueue | None:
        """As `DelayQueues.queue`."""
        if delay:
            self.concurrency.watch_visits()
        slot = self.concurrency.engine.slot_key(request)
        asker = Asker(origin, config.agent, config.dialect.name)
        return self.delays.queue(slot, asker, delay, since_visit, self.concurrency.in_slots)

    def put_back(self, request: Request) -> Request:
        """A copy of the request for the scheduler, which keeps it if it has a place for it.

        It is not filtered as a duplicate of itself, as RetryMiddleware does it.
        """
        was_put_back = request in self._put_back and not self.hosts.came_from_queue(request)
        if request.callback is NO_CALLBACK or was_put_back:
            # It came from engine.download_async, which would ask again for whatever we return.
            raise IgnoreRequest(
                "The crawl is closing; the request was still waiting for robots.txt"
            )
        assert self.crawler.stats is not None  # the crawl has begun
        self.crawler.stats.inc_value(PUT_BACK)
        return self._again(request)

    def _again(self, request: Request) -> Request:
        again: Request = request.replace(dont_filter=True)
        if self.hosts.queues:
            again.meta[PUT_BACK_KEY] = not request.dont_filter
        self._put_back.add(again)
        return again


_NO_TURN = nullcontext(Turn())  # where no delay is kept, nobody asks whether it was used


def _turn(
    queue: DelayQueue | None, request: Request, *, has_patience: bool
) -> AbstractAsyncContextManager[Turn]:
    return _NO_TURN if queue is None else queue.turn(request, has_patience=has_patience)
