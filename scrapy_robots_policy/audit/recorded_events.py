"""The events of a crawl of which a record is kept."""

from __future__ import annotations

from typing import Any

from ..report.crawl_events import CrawlEvents
from ..resolver.events import Source
from ..resolver.origin import OriginRules
from .recorder import Recorder


class RecordedEvents(CrawlEvents):
    """Writes each robots.txt to the record, too."""

    def __init__(self, recorder: Recorder, *arguments: Any) -> None:
        """`arguments` are those of `CrawlEvents`."""
        super().__init__(*arguments)
        self.recorder = recorder

    async def on_learned(self, rules: OriginRules, page: Any, source: Source) -> None:
        self.recorder.on_learned(rules, source)
        await super().on_learned(rules, page, source)
