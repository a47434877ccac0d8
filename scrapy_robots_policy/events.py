"""Who hears of what happens in a crawl: its record, its log, stats and counts, and its report.

The events are in `core.events`. Whoever wants to hear of some subscribes to all of them, and each
is told once, in the order in which the listeners stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scrapy.crawler import Crawler

from .core.events import StoreFailed, StoreWorks
from .report.counts import CrawlCounts
from .settings.crawl import CrawlSettings
from .stores import StoreEvents

Hears = Mapping[type, Callable[[Any], None]]
"""By the type of an event, what hears it."""


class Events(StoreEvents):
    """Tells each event to those who hear its type."""

    def __init__(self) -> None:
        self.listeners: list[Hears] = []

    def tell(self, event: Any) -> None:
        """Raises CrawlClosing if no more requests may go, because a decision could not be
        recorded.
        """
        for hears in self.listeners:
            if (hear := hears.get(type(event))) is not None:
                hear(event)

    def store_failed(self, verb: str, error: Exception) -> None:
        self.tell(StoreFailed(verb, error))

    def store_works(self) -> None:
        self.tell(StoreWorks())


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
