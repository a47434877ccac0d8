"""What is called with every decision, if a record of the crawl is kept."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from scrapy.http import Request

from ..config import RequestConfig
from ..rep import Verdict
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
