"""When a request may go: the one way of every request that has to wait, read from top to bottom.

`admit` waits for four things, one after the other.

1. Rules. Where none are known that may be used, a lookup runs, and the request waits for its news
   with all others of the site (`lookup`).
2. The decision, which waits for nothing. A request that is forbidden ends here (`decision`).
3. A turn, where the site asks for a delay. Of a host one request is under way at a time, here and
   in a fleet (`delays`). A request of our queue whose turn is far off goes back to the queue.
4. A slot of CONCURRENT_REQUESTS. A request that waits lends its slot to others (`slots`).

What else may run: at each `await` rules may change, the request may be cancelled, and the crawl
may close, and a permission may end. So what the user chose and the rules are asked for once more at
the end, when nothing is left to wait for, and they decide. Between that and the return nothing else
runs. If they have grown too old meanwhile, or ask for another turn, all begins anew. If rules
expire faster than a request gets its turn, it would fetch them again and again. So rules that were
fetched for this request count once, even when expired (`Age.RENEWED`).

What is given back, and by whom: `lend` and `turn` are context managers. They take the request out
of all queues and tell the scheduler's queue that nothing waits, however the wait ends. A wait ends
with CrawlClosing when the crawl begins to close, and the request goes back to the scheduler.

Where the rules are known and no delay is kept, `decide_now` decides without any of this.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext
from functools import lru_cache
from hashlib import sha256
from typing import Any
from weakref import WeakSet

from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request
from scrapy.http.request import NO_CALLBACK

from .core.decision import Decision, decide, forms_of, objection
from .core.overrides import RequestConfig
from .core.site import OriginRules
from .delays import DelayQueue, NotYet, Turn
from .events import Crawl
from .exceptions import CrawlClosing, Disallowed
from .hosts import PUT_BACK_KEY
from .lookup import Age, Lookups
from .rep import AccessMode, Origin, Verdict
from .slots import Slots
from .stats import PUT_BACK
from .status_line import Waiting

VERDICT_KEY, ITEM_KEY = "robots_verdict", "robots_item"


class Admission:
    """Decides about requests, and has them wait until they may go."""

    def __init__(self, crawl: Crawl, lookups: Lookups, slots: Slots) -> None:
        self.crawl, self.lookups, self.slots = crawl, lookups, slots
        self.now, self.use, self.events = crawl.now, crawl.settings.use, crawl.events
        self.dry_run, self.keeps_verdicts = crawl.settings.dry_run, crawl.settings.keeps_verdicts
        self.item_field, self.configs = crawl.settings.item_field, crawl.settings.configs
        self.by_plugin = bool(crawl.settings.profile.by_plugin)
        self._put_back: WeakSet[Request] = WeakSet()
        slots.on_closing = self.stop

    def decide_now(
        self, request: Request, rules: OriginRules, config: RequestConfig
    ) -> Request | None:
        """Let a request pass that need not wait, or raise Disallowed; a dry run lets all pass.

        Give it back for the scheduler if it cannot be recorded.
        """
        self.slots.hosts.passes(request)
        try:
            self._decide(request, rules, config)
        except CrawlClosing:  # it could not be recorded
            return self.put_back(request)
        return None

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
            return self.again(request)
        except CrawlClosing:
            return self.put_back(request)
        return None

    async def admit(
        self,
        request: Request,
        origin: Origin,
        config: RequestConfig,
        rules: OriginRules | None = None,
    ) -> None:
        """Wait until a request may be sent. Raises Disallowed, NotYet, CrawlClosing.

        Args:
            rules: those that are known already.

        """
        began, looked_up, age = self.now(), rules is None, Age.USABLE
        # Another middleware may have given it back in its turn: it must not wait for its own end.
        self.slots.delays.left(request)
        with self.slots.lend(request):
            while True:
                if rules is None:
                    rules = await self.lookups.wait(request, origin, config)
                if not self.dry_run:  # a dry run counts a request once, when it goes
                    self._refuse_if_forbidden(request, rules, config, began)
                queue, ready_at = self.slots.keep_delay(request, rules, config), self.now()
                async with self._turn(request, queue, looked_up=looked_up) as turn:
                    if queue is not None:
                        self.crawl.counts.hold(rules.origin, self.now() - ready_at)
                    await self.slots.reacquire(request)
                    before, config = config, self.configs.of(request, origin)
                    current = self.lookups.use(request, origin, config, age)
                    if current is None and rules.mode is AccessMode.DEFER and config == before:
                        current = rules  # a dry run: it has waited long enough
                    if current is not None and self._may_go(request, current, config, queue):
                        self._decide(request, current, config, began)
                        turn.used()
                        return
                rules, age = current, Age.RENEWED if current is None else Age.USABLE
                self.slots.lend_again(request)

    def refuse(self, refusal: Decision) -> Request | None:
        """Refuse a request that is not under way. Give it back for the scheduler if that cannot be
        recorded.
        """
        try:
            self.events.decided(refusal)
        except CrawlClosing:
            return self.again(refusal.request)
        return None

    def verdict(self, request: Request, rules: OriginRules, config: RequestConfig) -> Verdict:
        """The verdict on a request that is neither refused nor let pass now."""
        forms = forms_of(request, by_plugin=self.by_plugin)
        return decide(forms, rules, config.agent, self.use)

    def put_back(self, request: Request) -> Request:
        """A copy of the request for the scheduler, which keeps it if it has a place for it.

        It is not filtered as a duplicate of itself, as RetryMiddleware does it.
        """
        was_put_back = request in self._put_back and not self.slots.hosts.came_from_queue(request)
        if request.callback is NO_CALLBACK or was_put_back:
            # It came from engine.download_async, which would ask again for whatever we return.
            raise IgnoreRequest(
                "The crawl is closing; the request was still waiting for robots.txt"
            )
        assert self.crawl.crawler.stats is not None  # the crawl has begun
        self.crawl.crawler.stats.inc_value(PUT_BACK)
        return self.again(request)

    def decision(
        self,
        request: Request,
        rules: OriginRules,
        config: RequestConfig,
        began: float | None = None,
    ) -> Decision:
        """The decision about a request now: it is refused, or it passes. No listener hears of it.

        Args:
            began: when the request began to wait; None: it did not wait.

        """
        forms, now = forms_of(request, by_plugin=self.by_plugin), self.now()
        verdict = objection(forms, rules, config.agent, self.use)
        waited = 0.0 if began is None else now - began
        dry_run = self.dry_run and verdict is not None
        return Decision(request, forms, rules, config, verdict, now, waited, dry_run)

    def waiting(self) -> Waiting:
        """What waits now."""
        requests, files, put_off = self.lookups.waiting()
        return Waiting(
            requests=requests,
            files=files,
            delayed=self.slots.delays.waiting,
            put_off=put_off,
            is_full=self.slots.stops_others,
            queued=sum(queue.held for queue in self.slots.hosts.queues),
        )

    def stop(self) -> None:
        """The crawl begins to close: all waits end with CrawlClosing, and no fetch begins."""
        self.lookups.stop()  # first: a fetch that its delay queue lets go must not count as failed
        self.slots.delays.close()

    async def close(self) -> None:
        """The crawl has ended: give all turns back, store what came, close the store."""
        self.slots.delays.release_gone(())  # while a crawl closes, nobody asks for those gone
        await self.lookups.close()

    def _refuse_if_forbidden(
        self,
        request: Request,
        rules: OriginRules,
        config: RequestConfig,
        began: float | None,
    ) -> Decision:
        """Raise Disallowed where the rules forbid a request; else give the decision.

        The listeners hear of a refusal here. The caller tells them of a request that passes.
        """
        decision = self.decision(request, rules, config, began)
        if decision.verdict is not None and not decision.dry_run:
            self.events.decided(decision)
            raise Disallowed(decision.verdict, request.url)
        return decision

    def _decide(
        self,
        request: Request,
        rules: OriginRules,
        config: RequestConfig,
        began: float | None = None,
    ) -> None:
        """Let a request pass, or raise Disallowed."""
        decision = self._refuse_if_forbidden(request, rules, config, began)
        self.events.decided(decision)
        if self.keeps_verdicts or self.item_field:
            verdict = decision.verdict or rules.verdict_for_use(request.url, config.agent, self.use)
            if self.keeps_verdicts:
                request.meta[VERDICT_KEY] = verdict
            if self.item_field:
                request.meta[ITEM_KEY] = _for_items(verdict, rules)

    def _turn(
        self, request: Request, queue: DelayQueue | None, *, looked_up: bool
    ) -> AbstractAsyncContextManager[Turn]:
        """The request's turn in a queue; where no delay is kept, nobody asks whether it was used.

        Args:
            looked_up: whether the request has just waited for its rules.

        """
        if queue is None:
            return _NO_TURN
        slot = self.slots.slot_key(request)
        goes_back = self.slots.hosts.may_go_back(request, slot, queue, looked_up=looked_up)
        return queue.turn(request, has_patience=not goes_back)

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
        needed = self.slots.keep_delay(request, rules, config)
        return needed is None or (needed is queue and not needed.rests)

    def again(self, request: Request) -> Request:
        """A copy of a request for the scheduler, which does not filter it."""
        again: Request = request.replace(dont_filter=True)
        if self.slots.hosts.queues:
            again.meta[PUT_BACK_KEY] = not request.dont_filter
        self._put_back.add(again)
        return again


_NO_TURN = nullcontext(Turn())


def _for_items(verdict: Verdict, rules: OriginRules) -> dict[str, Any]:
    """A verdict as plain data, for the items of its page; with the hash of the robots.txt, as the
    record of the crawl has it.
    """
    return {
        "allowed": verdict.allowed,
        "reason": verdict.reason.name.lower(),
        "rule": str(verdict.rule) if verdict.rule else None,
        "line": verdict.line,
        "agent": verdict.agent,
        "dialect": verdict.dialect,
        "sha256": _sha256(rules.access.body) if rules.access.body else None,
    }


@lru_cache(maxsize=16)
def _sha256(body: bytes) -> str:
    return sha256(body).hexdigest()
