"""May this URL be fetched now, and if not, why: the one decision of a crawl."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ..config import RequestConfig
from ..rep import AccessMode, Reason, Verdict
from ..rep.delay_limit import NO_DELAY, Delay, DelayLimit
from ..rep.preference import DeclaredUse
from ..rep.verdict import refusal
from ..resolver.origin import NO_PACE, OriginRules

NO_FILE = "none"  # approved: that the site has no robots.txt


@dataclass(frozen=True)
class CrawlPolicy:
    """How a crawl decides.

    limit     the user's limit on the delays that sites ask for
    use       what the crawl declares that it does with pages; the site may refuse it
    patience  seconds that a request waits for a site's visit time
    approved  by origin, the SHA-256 of the robots.txt that somebody has approved; None: any file
    """

    limit: DelayLimit
    use: DeclaredUse
    patience: float
    approved: Mapping[str, str] | None = None

    @cached_property
    def declares_use(self) -> bool:
        return bool(self.use)

    def delay(self, rules: OriginRules, config: RequestConfig) -> Delay:
        """The delay between two requests that is kept, and what has become of the site's."""
        if config.crawl_delay is None and not rules.may_have_pace:
            return NO_DELAY
        return self.limit.delay(rules.crawl_delay(config.agent), config.crawl_delay)

    def objection(
        self, urls: Iterable[str], rules: OriginRules, config: RequestConfig, now: float
    ) -> Verdict | None:
        """The verdict that forbids a page; None if it may be fetched.

        urls  the forms in which the server may read the page's URL: the strictest answer counts
        """
        for url in urls:
            if not rules.allowed(url, config.agent):
                return rules.verdict(url, config.agent)
            if self.declares_use and self._is_refused_use(url, rules, config):
                return self.verdict(url, rules, config)
        if self.approved is not None and config.obey:
            why = _why_not_approved(rules, self.approved.get(rules.origin))
            if why:
                return _refused(config, Reason.NOT_APPROVED, why)
        return self._too_long_a_wait(rules, config, now) if may_wait(rules, config) else None

    def _too_long_a_wait(
        self, rules: OriginRules, config: RequestConfig, now: float
    ) -> Verdict | None:
        delay = self.delay(rules, config)
        if delay.skips:
            return _refused(config, Reason.CRAWL_DELAY, f"{delay.requested:g} s")
        if rules.opens_in(config.agent, now) > self.patience:
            times = ", ".join(map(str, rules.visit_times(config.agent)))
            return _refused(config, Reason.VISIT_TIME, times)
        return None

    def verdict(self, url: str, rules: OriginRules, config: RequestConfig) -> Verdict:
        """The verdict on a page by the rules, and by the use that the crawl declares."""
        return rules.verdict_for_use(url, config.agent, self.use)

    def _is_refused_use(self, url: str, rules: OriginRules, config: RequestConfig) -> bool:
        """Whether the site refuses the page to the declared use of the crawl."""
        return refusal(rules.preferences(url, config.agent, self.use), self.use) is not None


def may_wait(rules: OriginRules, config: RequestConfig) -> bool:
    """Whether a delay or a visit time may be kept for a request. For most there is none."""
    if config.crawl_delay is not None:
        return True
    return rules.may_have_pace and rules.pace(config.agent) != NO_PACE


def _refused(config: RequestConfig, reason: Reason, why: str) -> Verdict:
    """A verdict where it is not a rule that forbids the page."""
    return Verdict(False, reason, config.dialect.name, config.agent, why=why)


def _why_not_approved(rules: OriginRules, approved: str | None) -> str:
    """Why a file is not the one that was approved for its origin; "" if it is."""
    if approved is None:
        return "none was approved for this site"
    present = rules.digest if rules.mode is AccessMode.RULES else NO_FILE
    return "" if present == approved else "changed since approval"
