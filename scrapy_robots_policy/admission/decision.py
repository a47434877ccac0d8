"""May this URL be fetched now, and if not, why: the one decision of a crawl.

`CrawlPolicy` is pure. A `Decision` is what the record of a crawl gets of each answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

from scrapy.http import Request

from ..config import RequestConfig
from ..rep import Verdict
from ..rep.rules import NO_DELAY, Delay, kept_delay
from ..rep.usage import DeclaredUse
from ..rep.verdict import refusal
from ..resolver.origin import OriginRules


class Decision(NamedTuple):
    """One decision, as it is recorded.

    forms    the URLs that were judged, the request's own first (see `CrawlPolicy.objection`)
    verdict  the one that forbids the page; None: it passes
    at       when it was decided, in seconds since the epoch
    waited   seconds that the request had waited by then
    dry_run  the page is forbidden, and passes all the same
    """

    forms: tuple[str, ...]
    rules: OriginRules
    config: RequestConfig
    verdict: Verdict | None
    at: float
    waited: float = 0.0
    dry_run: bool = False

    @property
    def url(self) -> str:
        return self.forms[0]


class DecisionListener(Protocol):
    def on_decided(self, request: Request, decision: Decision) -> None:
        """Called before the request goes on; it may change after the call.

        Raises CrawlClosing if no more requests may go, because they could not be recorded.
        """


@dataclass(frozen=True)
class CrawlPolicy:
    """How a crawl decides.

    longest_delay  seconds: the longest delay of a site that is kept
    use            what the crawl declares that it does with pages; the site may refuse it
    """

    longest_delay: float
    use: DeclaredUse

    @cached_property
    def declares_use(self) -> bool:
        return bool(self.use)

    def delay(self, rules: OriginRules, config: RequestConfig) -> Delay:
        """The delay between two requests that is kept, and what has become of the site's."""
        if not may_wait(rules, config):
            return NO_DELAY
        asked_for = rules.crawl_delay(config.agent)
        return kept_delay(asked_for, config.crawl_delay, self.longest_delay)

    def objection(
        self, urls: Iterable[str], rules: OriginRules, config: RequestConfig
    ) -> Verdict | None:
        """The verdict that forbids a page; None if it may be fetched.

        urls  the forms in which the server may read the page's URL: the strictest answer counts
        """
        for url in urls:
            if not rules.allowed(url, config.agent):
                return rules.verdict(url, config.agent)
            if self.declares_use and self._is_refused_use(url, rules, config):
                return self.verdict(url, rules, config)
        return None

    def verdict(self, url: str, rules: OriginRules, config: RequestConfig) -> Verdict:
        """The verdict on a page by the rules, and by the use that the crawl declares."""
        return rules.verdict_for_use(url, config.agent, self.use)

    def _is_refused_use(self, url: str, rules: OriginRules, config: RequestConfig) -> bool:
        """Whether the site refuses the page to the declared use of the crawl."""
        return refusal(rules.preferences(url, config.agent, self.use), self.use) is not None


def may_wait(rules: OriginRules, config: RequestConfig) -> bool:
    """Whether a delay may be kept for a request. For most there is none."""
    return config.crawl_delay is not None or rules.crawl_delay(config.agent) is not None
