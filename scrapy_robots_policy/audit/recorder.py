"""Keeps the record of what a crawl obeys: each robots.txt, each decision, and the sums.

The line of a decision is made before its request goes to the downloader, and is on the disk within
a second (see `Writer`). The lines stand in the order of the events.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Request

from .. import compat
from ..admission.listener import Decision
from ..config import PolicySettings, SettingError
from ..crawl_log import CrawlLog
from ..exceptions import CrawlClosing
from ..fetch.exchange import Exchange
from ..rep import Origin
from ..rep.usage import UseAnswer
from ..resolver.events import Source
from ..resolver.origin import OriginRules
from ..stats import AUDIT_FAILED
from .chain import members
from .crawl_line import crawl_fields
from .fields import MAX_OCTETS
from .record_lines import RecordLines
from .writer import Writer

CLOSE_REASON = "robots_audit_failed"
MAX_EXCHANGES = 50  # of one lookup
MAX_LOOKUPS = 10_000  # whose exchanges are kept: a lookup that ends by a fault leaves its own


class Recorder:
    """The record of one crawl in one process.

    now         seconds since the epoch
    call_later  as `compat.call_later`
    """

    def __init__(
        self,
        crawler: Crawler,
        settings: PolicySettings,
        now: Callable[[], float],
        call_later: compat.CallLater,
    ) -> None:
        """SettingError where the file cannot be written."""
        assert settings.audit is not None
        assert crawler.spider is not None
        self.crawler, self.configs, self.now = crawler, settings.configs, now
        self.log = CrawlLog(crawler)
        self._exchanges: OrderedDict[str, list[Exchange]] = OrderedDict()
        self.writer = self._open(settings.audit, crawl_fields(crawler, settings, now()), call_later)
        self.lines = RecordLines(self.writer, settings.use)

    def _open(self, path: Path, fields: Mapping[str, Any], call_later: compat.CallLater) -> Writer:
        crawl = members(fields)
        if len(crawl) > MAX_OCTETS:  # neither it nor the longest file in it could be read again
            raise SettingError(
                f"ROBOTS_AUDIT cannot record settings of {len(crawl):,} octets, such as long files "
                f"in ROBOTS_OVERRIDES; it records {MAX_OCTETS:,} at most"
            )
        try:
            writer = Writer(path, self._on_error, call_later)
            writer.begin(crawl)
        except OSError as error:
            no_file = f"no file can be written there: {error.strerror or error}"
            is_folder = os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises for one too long
            why = "it is a folder; name a file in it" if is_folder else no_file
            raise SettingError(f"ROBOTS_AUDIT is {str(path)!r}: {why}") from None
        except ValueError as error:  # the system's encoding has no such characters, for example
            raise SettingError(f"ROBOTS_AUDIT is {str(path)!r}: {error}") from None
        return writer

    # What the crawl reports.

    def on_exchange(self, origin: str, exchange: Exchange) -> None:
        exchanges = self._exchanges.setdefault(origin, [])
        if len(exchanges) < MAX_EXCHANGES:
            exchanges.append(exchange)
        if len(self._exchanges) > MAX_LOOKUPS:
            self._exchanges.popitem(last=False)

    def on_learned(self, rules: OriginRules, source: Source) -> None:
        exchanges = self._exchanges.pop(rules.origin, ())
        if self.writer.is_open:
            self.lines.robots(rules, source.value, exchanges)

    def on_decided(self, request: Request, decision: Decision) -> None:
        """Raises CrawlClosing if the record cannot be written and the crawl must not go on."""
        if self.writer.is_open:
            special = decision.config is not self.configs.default
            set_by = self._set_by(request, Origin(decision.rules.origin)) if special else None
            self.lines.decision(decision, set_by)
        self._must_go_on()

    def on_exempt(self, request: Request, why: str) -> None:
        """A request that no robots.txt is asked about. Raises CrawlClosing as `on_decided` does."""
        if self.writer.is_open:
            self.lines.exempt(request.url, why, self.now())
        self._must_go_on()

    def on_page(self, url: str, answer: UseAnswer) -> None:
        """What a page says about its use, in headers and tags, and the answer to it."""
        if self.writer.is_open:
            self.lines.page(url, answer, self.now())

    def close(self, reason: str) -> None:
        """Write the sums. `reason` is the one for which the spider was closed."""
        if not self.writer.is_open:
            return
        self.lines.end(reason, self.now())
        if not self.writer.close():
            return
        self.log.info(
            "The record of the crawl is in %(path)s: %(lines)d lines; the hash of the last one is "
            "%(hash)s",
            {"path": self.writer.path, "lines": self.writer.lines, "hash": self.writer.hash},
        )

    def _set_by(self, request: Request, origin: Origin) -> dict[str, str]:
        """Where the user has set what is special to a request."""
        user_agent = request.headers.get(b"User-Agent")
        return self.configs.set_by(request.meta, user_agent, origin)

    # When it can no longer be written.

    def _must_go_on(self) -> None:
        if not self.writer.is_open:
            raise CrawlClosing

    def _on_error(self, error: OSError) -> None:
        assert self.crawler.stats is not None
        self.crawler.stats.set_value(AUDIT_FAILED, 1)
        self.log.error(
            "The record of the crawl can no longer be written to %(path)s: %(error)s; the crawl "
            "closes",
            {"path": self.writer.path, "error": error.strerror or error},
        )
        compat.close_spider(self.crawler, CLOSE_REASON)
