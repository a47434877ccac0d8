"""What happens in a crawl: four events, and who hears of them.

A look at the store or at a site has ended (`LookedUp`). A document was fetched (`Fetched`). A
request was refused, or passes (`Decision`). A store has failed. Every listener gets each event
once: the record of the crawl (`record.recorder`), and `Monitor`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from scrapy.crawler import Crawler
from scrapy.http import Request

from .core.decision import Decision
from .core.overrides import RequestConfig
from .core.result import Exchange
from .core.site import OriginRules
from .fetch.tries import Fetched
from .report.counts import CrawlCounts
from .settings.crawl import CrawlSettings
from .stores import StoreEvents


class Source(Enum):
    """Where an entry came from."""

    SITE = "site"  # it was fetched
    STORE = "store"
    CACHE = "cache"  # the document of another origin was redirected to it, so it was fetched then
    FLEET = "fleet"  # another process fetched it while this one was about to


class LookedUp(NamedTuple):
    """A look at the store or at the site has ended; the requests that wait for it still do.

    Attributes:
        rules: what is known now, as the dialect of `config` reads it.
        before: what was known before; None: nothing was.
        page: the request for which it was looked up, with its configuration.
        at: seconds since the epoch.
        exchanges: the requests that were sent for it.

    """

    rules: OriginRules
    before: OriginRules | None
    source: Source
    page: Request
    config: RequestConfig
    at: float
    exchanges: tuple[Exchange, ...] = ()


class Listener(StoreEvents):
    """Receives events. The methods do nothing by default."""

    def looked_up(self, event: LookedUp) -> None:
        """A look at the store or at the site has ended."""

    def fetched(self, event: Fetched) -> None:
        """A try to fetch a document has ended."""

    def decided(self, decision: Decision) -> None:
        """A request is refused, or passes. It may change after the call.

        Raises CrawlClosing if no more requests may go, because they could not be recorded.
        """


class Events(Listener):
    """Tells several listeners, in their order."""

    def __init__(self, *listeners: Listener) -> None:
        self.listeners = list(listeners)

    def looked_up(self, event: LookedUp) -> None:
        for listener in self.listeners:
            listener.looked_up(event)

    def fetched(self, event: Fetched) -> None:
        for listener in self.listeners:
            listener.fetched(event)

    def decided(self, decision: Decision) -> None:
        for listener in self.listeners:
            listener.decided(decision)

    def store_failed(self, verb: str, error: Exception) -> None:
        for listener in self.listeners:
            listener.store_failed(verb, error)

    def store_works(self) -> None:
        for listener in self.listeners:
            listener.store_works()


@dataclass(frozen=True, slots=True)
class Crawl:
    """What all parts of one crawl share.

    Attributes:
        now: seconds since the epoch; it never goes back.
        counts: what became of the requests, by origin.

    """

    crawler: Crawler
    settings: CrawlSettings
    now: Callable[[], float]
    counts: CrawlCounts
    events: Events
