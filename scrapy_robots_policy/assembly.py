"""The parts of one crawl: made from its settings, from the lowest up, and handed to each other."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from scrapy.crawler import Crawler
from scrapy.http import Request

from . import compat
from .admission.admission import Admission, Decider, RequestRules
from .admission.concurrency import Concurrency
from .admission.decision import CrawlPolicy, may_wait
from .admission.delays import DelayQueues
from .config import PolicySettings, one_sentence
from .fetch.download import Fetcher, FetchGate, max_sockets
from .fetch.request import FetchOrder
from .rep import Origin, RuleSet
from .report.counts import MAX_ORIGINS, MAX_ORIGINS_OF_REPORT, CrawlCounts
from .report.crawl_events import CrawlEvents
from .resolver.lookup import OriginCache, Resolver, Source, Sources
from .resolver.origin import OriginRules
from .stores import MemoryStore, Store, coordinator_of

if TYPE_CHECKING:
    from .audit.recorder import Recorder
    from .report.report_files import ReportWriter


class CrawlParts:
    """What the middleware works with.

    counts     what became of the requests, by origin
    recorder   keeps the record of the crawl; None: nobody wants one
    events     writes to log, stats and record what happens
    report     writes the report at the end; None: nobody wants one
    resolver   answers which rules hold for an origin now
    rules      gives those that decide about a request, as far as they are known
    admission  has requests wait until they may go

    `on_unreachable` is that of `CrawlEvents`. A store or a record that cannot be opened stops the
    spider with one sentence.
    """

    def __init__(
        self, crawler: Crawler, settings: PolicySettings, on_unreachable: Callable[[], None]
    ) -> None:
        self.crawler, self.now = crawler, compat.steady_clock()
        self.counts = CrawlCounts(MAX_ORIGINS if settings.report is None else MAX_ORIGINS_OF_REPORT)
        record = None if settings.audit is None else self._record_rules
        self.events = CrawlEvents(
            crawler, self.counts, on_unreachable, _parser_of, record, self._report_rules
        )
        store = self._open_store(settings)
        self.recorder = self._open_record(settings)  # after all that may fail: a crawl begins now
        self.report = self._report_writer(settings)
        self.admission = self._admission(settings, store)
        self.rules, self.resolver = self.admission.rules, self.admission.resolver

    def _open_record(self, settings: PolicySettings) -> Recorder | None:
        if settings.audit is None:
            return None
        from .audit.recorder import Recorder  # noqa: PLC0415 - few crawls keep a record

        with one_sentence(self.crawler):
            return Recorder(self.crawler, settings, self.now, compat.call_later)

    def _record_rules(self, rules: OriginRules, source: Source) -> None:
        """Record what is known of an origin. The events, which call this, are made before the
        recorder, because a store that cannot be opened must leave no record of a crawl.
        """
        assert self.recorder is not None  # it is made before the first request
        self.recorder.on_learned(rules, source)

    def _report_rules(self, rules: OriginRules, page: Request) -> None:
        config = self.rules.config(page, Origin(rules.origin))
        if may_wait(rules, config):
            self.admission.keep_delay(page, rules, config)
        self.rules.report(rules, config)

    def _report_writer(self, settings: PolicySettings) -> ReportWriter | None:
        if settings.report is None:
            return None
        from .report.report_files import ReportWriter  # noqa: PLC0415 - few crawls have a report

        return ReportWriter(
            self.crawler,
            self.counts,
            settings.configs.default.agent,
            settings.configs.default.dialect.name,
            settings.report,
            self.now,
        )

    def _admission(self, settings: PolicySettings, store: Store | None) -> Admission:
        """All that waits, from the lowest part up."""
        delays = DelayQueues(
            coordinator_of(store), time.monotonic, compat.call_later, self.events.on_held
        )
        concurrency = Concurrency(self.crawler, settings.max_waiting, delays)
        fetch = self._fetcher(settings, concurrency)
        resolver = self._resolver(settings, store, fetch)
        policy = CrawlPolicy(settings.longest_delay, settings.use)
        return Admission(
            self.crawler,
            RequestRules(settings.configs, resolver, policy, self.events),
            resolver,
            concurrency,
            delays,
            self._decider(settings, policy),
            self.counts,
            self.now,
        )

    async def _admit_fetch(
        self, request: Request, order: FetchOrder, hops: tuple[str, ...]
    ) -> None:
        """All parts are made by the first fetch, so a low one may call the top."""
        await self.admission.admit_fetch(request, order, hops)

    def _open_store(self, settings: PolicySettings) -> Store | None:
        """None for the memory store: the resolver's cache is all the memory that there is."""
        with one_sentence(self.crawler):
            store = settings.store.open(self.crawler, self.events)
        return None if isinstance(store, MemoryStore) else store

    def _fetcher(self, settings: PolicySettings, concurrency: Concurrency) -> Fetcher:
        return Fetcher(
            self.crawler,
            self._admit_fetch,
            concurrency.end_fetch,
            self.now,
            settings.profile,
            settings.fetch_retries,
            self.events.on_fault,
            self.recorder.on_exchange if self.recorder is not None else None,
        )

    def _resolver(self, settings: PolicySettings, store: Store | None, fetch: Fetcher) -> Resolver:
        sockets = max(max_sockets(), settings.max_fetches)
        gate = FetchGate(settings.max_fetches, sockets, time.monotonic, compat.call_later)
        sources = Sources(
            store,
            fetch,
            partial(settings.profile.variant, sent=settings.configs.sent),
            self.now,
            compat.sleep,
            gate,
            self.events,
            OriginCache(settings.access_overrides),
        )
        return Resolver(sources)

    def _decider(self, settings: PolicySettings, policy: CrawlPolicy) -> Decider:
        return Decider(
            policy,
            self.counts,
            self.events,
            self.now,
            dry_run=settings.dry_run,
            keeps_verdicts=settings.keeps_verdicts,
            audit=self.recorder,
        )


def _parser_of(rules: RuleSet) -> object:
    from .robotparser import RobotParser  # noqa: PLC0415 - it loads Protego, and few listen

    return RobotParser(rules)
