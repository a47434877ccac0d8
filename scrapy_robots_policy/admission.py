"""Decides about requests: they pass, are refused, or go back to the scheduler.

A request of our queue comes with its answer (`lanes`). One from elsewhere waits here, by the same
question, and holds its place meanwhile. Where the answer is known at once, nothing waits: `decide`
needs no coroutine.

Listeners hear of a decision before the request goes or is refused. What they cannot record does not
go: it is put back, and the crawl closes.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import Any
from weakref import WeakSet

from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request
from scrapy.http.request import NO_CALLBACK

from .core.decision import Decision, decide, forms_of
from .core.policy import NOT_WAITED, Judged, Waited
from .core.site import OriginRules
from .driver import Driver
from .events import Crawl
from .exceptions import CrawlClosing, Disallowed
from .lanes import PUT_BACK_KEY
from .rep import Origin, Verdict
from .stats import PUT_BACK
from .status_line import Waiting

VERDICT_KEY, ITEM_KEY = "robots_verdict", "robots_item"


class Admission:
    """Decides about requests, and has those wait that are in no queue of ours."""

    def __init__(self, crawl: Crawl, driver: Driver) -> None:
        self.crawl, self.driver = crawl, driver
        settings = crawl.settings
        self.now, self.use, self.dry_run = crawl.now, settings.use, settings.dry_run
        self.keeps_verdicts, self.item_field = settings.keeps_verdicts, settings.item_field
        self._put_back: WeakSet[Request] = WeakSet()

    def decide(
        self, request: Request, answer: Judged, waited: Waited = NOT_WAITED
    ) -> Request | None:
        """Let a request pass, or raise Disallowed; a dry run lets all pass.

        Give it back for the scheduler if it cannot be recorded.
        """
        try:
            self._decide(request, answer, waited)
        except CrawlClosing:  # it could not be recorded
            return self.put_back(request)
        return None

    async def admit(self, request: Request, origin: Origin) -> Request | None:
        """Wait until a request may be decided. Give it back for the scheduler if the crawl closes
        first. Raises Disallowed.
        """
        try:
            answer = await self.driver.wait(request, origin)
        except CrawlClosing:
            return self.put_back(request)
        waited = self.driver.went(request, request, answer)
        put_back = self.decide(request, answer, waited)
        self.driver.run()
        return put_back

    def refuse(self, refusal: Decision) -> Request | None:
        """Refuse a request that is not under way. Give it back for the scheduler if that cannot be
        recorded.
        """
        try:
            self.crawl.events.tell(refusal)
        except CrawlClosing:
            return self.again(refusal.request)
        return None

    def verdict(self, request: Request, rules: OriginRules, agent: str) -> Verdict:
        """The verdict on a request that is neither refused nor let pass now."""
        forms = forms_of(request, by_plugin=self.driver.by_plugin)
        return decide(forms, rules, agent, self.use)

    def put_back(self, request: Request) -> Request:
        """A copy of the request for the scheduler, which keeps it if it has a place for it.

        It is not filtered as a duplicate of itself, as RetryMiddleware does it.
        """
        if request.callback is NO_CALLBACK or request in self._put_back:
            # It came from engine.download_async, which would ask again for whatever we return.
            raise IgnoreRequest(
                "The crawl is closing; the request was still waiting for robots.txt"
            )
        return self.give_back(request)

    def give_back(self, request: Request) -> Request:
        """As `put_back`, of a request that has come from the scheduler."""
        assert self.crawl.crawler.stats is not None  # the crawl has begun
        self.crawl.crawler.stats.inc_value(PUT_BACK)
        return self.again(request)

    def again(self, request: Request) -> Request:
        """A copy of a request for the scheduler, which does not filter it."""
        again: Request = request.replace(dont_filter=True)
        if self.driver.queues:
            again.meta[PUT_BACK_KEY] = not request.dont_filter
        self._put_back.add(again)
        return again

    def decision(self, request: Request, answer: Judged, waited: Waited = NOT_WAITED) -> Decision:
        """The decision about a request: it is refused, or it passes. No listener hears of it."""
        asked, rules, verdict = answer
        dry_run, seconds = self.dry_run and verdict is not None, waited.rules + waited.turn
        forms, config = asked.forms, asked.config
        return Decision(request, forms, rules, config, verdict, self.now(), seconds, dry_run)

    def waiting(self) -> Waiting:
        """What waits now."""
        requests, files, put_off = self.driver.policy.waiting()
        return Waiting(
            requests=requests,
            files=files,
            delayed=self.driver.policy.turns.waiting,
            put_off=put_off,
            is_full=self.driver.policy.is_full,
            queued=sum(queue.held for queue in self.driver.queues),
        )

    def _decide(self, request: Request, answer: Judged, waited: Waited) -> None:
        decision = self.decision(request, answer, waited)
        self.crawl.events.tell(decision)
        if decision.verdict is not None and not decision.dry_run:
            raise Disallowed(decision.verdict, request.url)
        if self.keeps_verdicts or self.item_field:
            asked, rules, verdict = answer
            if verdict is None:
                verdict = rules.verdict_for_use(request.url, asked.config.agent, self.use)
            if self.keeps_verdicts:
                request.meta[VERDICT_KEY] = verdict
            if self.item_field:
                request.meta[ITEM_KEY] = _for_items(verdict, rules)


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
