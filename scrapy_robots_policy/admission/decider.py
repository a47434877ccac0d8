"""What follows from a decision: the request is refused or passes; it is counted, logged, recorded.

What may be fetched is decided in `crawl_policy`, which is a pure function of the rules. When a
request is decided about, and how often, is the affair of `admission`.
"""

from __future__ import annotations

from collections.abc import Callable

from scrapy.http import Request

from ..config.request_config import RequestConfig
from ..exceptions import Disallowed
from ..rep import Verdict
from ..rep.url import server_forms
from ..rep.usage import answer
from ..report.counts import CrawlCounts
from ..report.crawl_events import CrawlEvents
from ..resolver.origin import OriginRules
from .crawl_policy import CrawlPolicy
from .listener import Decision, DecisionListener

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
