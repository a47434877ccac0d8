"""The parts of one crawl: made from its settings, from the lowest up, and handed to each other."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from scrapy.crawler import Crawler
from scrapy.http import Request

from . import compat
from .admission.admission import Admission
from .admission.concurrency import Concurrency
from .admission.crawl_policy import CrawlPolicy
from .admission.decider import Decider
from .admission.delay_queues import DelayQueues
from .audit.recorder import Recorder
from .config import PolicySettings, RequestConfig, RequestConfigs, one_sentence
from .fetch.fetcher import Fetcher
from .fetch.handlers import url_rewriter
from .rep import RuleSet
from .report import CrawlCounts
from .report.counts import MAX_ORIGINS, MAX_ORIGINS_OF_REPORT
from .report.crawl_events import CrawlEvents
from .report.report_writer import ReportWriter
from .resolver.cache import OriginCache
from .resolver.fetch_gate import FetchGate, max_open_fetches
from .resolver.resolver import Resolver
from .resolver.sources import Sources
from .stores import MemoryStore, Store, coordinator_of


class CrawlParts:
    """What the middleware works with.

    configs   the choices for each request
    counts    what became of the requests, by origin
    recorder  keeps the record of the crawl; None: nobody wants one
    events    writes to log, stats and record what happens
    report    writes the report at the end

    `watch_pages` is called when it begins to matter which sites answer. A store or a record that
    cannot be opened stops the spider with one sentence.
    """

    def __init__(
        self, crawler: Crawler, settings: PolicySettings, watch_pages: Callable[[], None]
    ) -> None:
        self.crawler, self.now = crawler, compat.steady_clock()
        self.counts = CrawlCounts(MAX_ORIGINS if settings.report is None else MAX_ORIGINS_OF_REPORT)
        self.configs = RequestConfigs(
            RequestConfig(settings.dialect, settings.agent),
            settings.overrides,
            by_header=settings.by_header,
        )
        self.recorder = self._open_record(settings)
        self.events = CrawlEvents(
            crawler,
            self.counts,
            watch_pages,
            _parser_of,
            self.recorder.on_learned if self.recorder is not None else None,
        )
        self.report = ReportWriter(
            crawler,
            self.counts,
            settings.agent,
            settings.dialect.name,
            settings.report,
            settings.report_base,
            time.time,
        )
        self.resolver, self.admission = self._build(settings)

    def _open_record(self, settings: PolicySettings) -> Recorder | None:
        if settings.audit is None:
            return None
        with one_sentence(self.crawler):
            return Recorder(self.crawler, settings, self.configs, self.now, compat.call_later)

    def _build(self, settings: PolicySettings) -> tuple[Resolver, Admission]:
        """The parts that wait, from the lowest up."""
        store = self._open_store(settings)
        delays = DelayQueues(
            coordinator_of(store), time.monotonic, compat.call_later, self.events.on_held
        )

        def stop() -> None:
            admission.stop()

        def visit(request: Request) -> Awaitable[None]:
            return admission.visit(request)

        concurrency = Concurrency(self.crawler, settings.max_waiting, delays, stop)
        fetch = Fetcher(
            self.crawler,
            visit,
            concurrency.fetching.discard,
            self.now,
            settings.profile,
            settings.fetch_retries,
            self.recorder.on_exchange if self.recorder is not None else None,
        )
        resolver = self._resolver(settings, store, fetch)
        admission = Admission(
            self.crawler,
            resolver,
            concurrency,
            delays,
            self._decider(settings, fetch),
            self.counts,
            self.events,
            self.now,
        )
        return resolver, admission

    def _open_store(self, settings: PolicySettings) -> Store | None:
        """None for the memory store: the resolver's cache is all the memory that there is."""
        with one_sentence(self.crawler):
            store = settings.store.open(self.crawler, self.events)
        return None if isinstance(store, MemoryStore) else store

    def _resolver(self, settings: PolicySettings, store: Store | None, fetch: Fetcher) -> Resolver:
        gate = FetchGate(
            settings.max_fetches, max_open_fetches(), time.monotonic, compat.call_later
        )
        sources = Sources(
            store,
            fetch,
            settings.profile.variant,
            self.now,
            compat.sleep,
            gate,
            self.events,
            OriginCache(settings.access_overrides),
        )
        return Resolver(sources, settings.defer_timeout)

    def _decider(self, settings: PolicySettings, fetch: Fetcher) -> Decider:
        policy = CrawlPolicy(
            settings.delays, settings.use, settings.defer_timeout, settings.approved
        )
        return Decider(
            policy,
            self.counts,
            self.events,
            self.now,
            url_rewriter(self.crawler.settings),
            dry_run=settings.dry_run,
            keeps_verdicts=settings.keeps_verdicts,
            error_of=fetch.errors.of,
            audit=self.recorder,
        )


def _parser_of(rules: RuleSet) -> object:
    from .robotparser import RobotParser  # noqa: PLC0415 - it loads Protego, and few listen

    return RobotParser(rules)
