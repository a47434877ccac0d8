"""What is called with every decision, if a record of the crawl is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from scrapy.http import Request

from ..config import RequestConfig
from ..rep import Verdict
from ..resolver.origin import OriginRules


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision.

    forms    the URLs that were judged, as `Decision.objection` takes them
    verdict  the one that forbids the page; None: it passes
    at       when it was decided, in seconds since the epoch
    waited   seconds that the request had waited by then
    dry_run  the page is forbidden, and passes all the same
    """

    request: Request
    forms: tuple[str, ...]
    rules: OriginRules
    config: RequestConfig
    verdict: Verdict | None
    at: float
    waited: float = 0.0
    dry_run: bool = False


class DecisionListener(Protocol):
    """Raises CrawlClosing if no more requests may go, because they could not be recorded."""

    def on_decided(self, decided: Decided) -> None: ...
