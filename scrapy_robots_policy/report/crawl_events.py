"""Writes the events of a crawl's robots.txt files to the log, the stats and the counts.

It also sends Scrapy 2.18's signal `robots_parsed`.

Warnings of origins whose robots.txt is in trouble: it refuses all pages, or is no robots.txt.

A broad crawl meets thousands of them. The first ones have a line each; then one line in a while has
the sum.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import islice
from traceback import walk_tb
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Request

from .. import compat, stats
from ..crawl_log import CrawlLog
from ..rep import Access, AccessMode, CacheEntry, FetchResult, RuleSet, Verdict
from ..rep.access import AccessResult
from ..rep.escapes import brief
from ..rep.rules import Delay
from ..rep.url import ROBOTS_TXT, TDMREP, document_of, origin_of_key, url_of
from ..rep.usage import LICENSE, TDM_POLICY, Place, Preference, statement
from ..resolver.lookup import ResolverEvents, Source
from ..resolver.origin import OriginRules
from .counts import CrawlCounts, OriginCounts
from .formats import counted, span, utc_time

MAX_LINES = 20
MAX_REASONS = 5
MAX_COUNTED = 100


class TroubleLog:
    """The warnings of one crawl."""

    def __init__(self, log: CrawlLog) -> None:
        self.log = log
        self.lines = 0
        self._reasons: Counter[str] = Counter()

    def takes_line(self, why: str) -> bool:
        """Whether one more origin gets a line of its own; else it is counted for the sum."""
        self.lines += 1
        if self.lines <= MAX_LINES:
            return True
        has_room = why in self._reasons or len(self._reasons) < MAX_COUNTED
        self._reasons[why if has_room else "other reasons"] += 1
        return False

    def sum_up(self) -> None:
        """Log the origins since the last sum, if there are any."""
        count = self._reasons.total()
        if not count:
            return
        self.log.warning(
            "Trouble with the robots.txt of %(count)s (%(why)s)",
            {"count": counted(count, "more origin"), "why": self._why()},
        )
        self._reasons.clear()

    def _why(self) -> str:
        """The commonest reasons: "503: 40, timeout: 17"."""
        parts = [f"{why}: {count}" for why, count in self._reasons.most_common(MAX_REASONS)]
        return ", ".join([*parts, *(["…"] if len(self._reasons) > MAX_REASONS else [])])


_FORBIDDEN = "forbidden by robots.txt"
MAX_PREFERENCES = 20  # of one origin
TROUBLE = (AccessResult.UNREACHABLE, AccessResult.FORBIDDEN)


class CrawlEvents(ResolverEvents):
    """The events of one crawl.

    on_unreachable  called when a robots.txt is unreachable, in a dialect whose access policy asks
                    whether the site answers other requests
    make_parser     makes the `robotparser` of the signal `robots_parsed`
    record          called with the rules of each file that is learned, if somebody keeps a record
    report_rules    called with those of each robots.txt, and with the request that asked for it
    """

    def __init__(
        self,
        crawler: Crawler,
        counts: CrawlCounts,
        on_unreachable: Callable[[], None],
        make_parser: Callable[[RuleSet], object],
        record: Callable[[OriginRules, Source], None] | None = None,
        report_rules: Callable[[OriginRules, Any], None] = lambda _rules, _page: None,
    ) -> None:
        self.crawler, self.counts, self.record = crawler, counts, record
        self.on_unreachable, self.make_parser = on_unreachable, make_parser
        self.report_rules = report_rules
        self.log = CrawlLog(crawler)
        self.trouble = TroubleLog(self.log)
        self._warned_of: set[type[Exception]] = set()
        self._faults: set[tuple[type[BaseException], tuple[str, int] | None]] = set()
        self._times_regained = 0

    async def on_learned(self, rules: OriginRules, page: Any, source: Source) -> None:
        if self.record is not None:
            self.record(rules, source)
        if document_of(rules.origin) == TDMREP:
            self._on_tdmrep(rules, source)
            return
        self._count(stats.MODE + rules.mode.value)
        counts = self.counts.of(rules.origin)
        counts.fetches += source is Source.SITE
        is_news = _is_news(rules, source) if counts.is_shared else self._note_mode(rules, counts)
        if is_news:
            self._log_mode(rules, source)
        is_unreachable = rules.access.result is AccessResult.UNREACHABLE
        if is_unreachable and rules.dialect.access.asks_for_site:
            self.on_unreachable()
        self.report_rules(rules, page)
        if rules.rules is not None:
            await self._send_parsed(rules.rules, page)

    def _on_tdmrep(self, rules: OriginRules, source: Source) -> None:
        """A tdmrep.json was read. One that could not be reserves nothing, and the log says so."""
        origin, why = origin_of_key(rules.origin), rules.access.why
        error = rules.reservations.error if rules.reservations else ""
        outcome = f"{why}, {error}" if error else why
        counts = self.counts.of(origin)
        is_news = _is_news(rules, source) if counts.is_shared else counts.tdmrep != outcome
        if not is_news:
            return
        if rules.reservations:
            self.on_preferences(origin, rules.reservations.preferences(f"{origin}/"))
        if not counts.is_shared:
            counts.tdmrep = outcome
        has_failed = rules.access.result is AccessResult.UNREACHABLE
        if error:
            self._count(stats.TDMREP_UNREADABLE)
        is_warning = has_failed and self.trouble.takes_line(f"tdmrep.json: {why}")
        self.log.log(
            logging.WARNING if is_warning else logging.DEBUG,
            "tdmrep.json of %(origin)s: %(why)s%(then)s",
            {
                "origin": origin,
                "why": brief(outcome),
                "then": ", so it reserves nothing" if has_failed or error else "",
            },
        )

    def on_tdmrep_forbidden(self, origin: str) -> None:
        """The robots.txt of an origin forbids its tdmrep.json, which is not requested."""
        counts = self.counts.of(origin)
        if not counts.is_shared and counts.tdmrep != _FORBIDDEN:
            counts.tdmrep = _FORBIDDEN
            self._count(stats.TDMREP_FORBIDDEN)
            self.log.debug(
                "tdmrep.json of %(origin)s: %(why)s, so it reserves nothing",
                {"origin": origin, "why": _FORBIDDEN},
            )

    def on_tdmrep_allowed(self, rules: OriginRules) -> None:
        """A robots.txt allows the tdmrep.json, which is known. The one before may have forbidden
        it.
        """
        if self.counts.of(origin_of_key(rules.origin)).tdmrep == _FORBIDDEN:
            self._on_tdmrep(rules, Source.CACHE)

    async def _send_parsed(self, rules: RuleSet, page: Any) -> None:
        signal = compat.ROBOTS_PARSED
        if signal is None or not compat.has_receivers(self.crawler, signal):
            return
        parser = self.make_parser(rules)
        await compat.send(self.crawler, signal, robotparser=parser, request=page)

    def _note_mode(self, rules: OriginRules, counts: OriginCounts) -> bool:
        """Note what may be done with an origin; the result is whether that is new."""
        counts.octets = len(rules.access.octets)
        counts.cut = counts.octets > 0 and rules.access.entry.latest.is_cut
        mode, why = rules.mode.value, rules.access.why
        if (counts.mode, counts.why) == (mode, why):
            return False
        counts.mode, counts.why = mode, self.counts.interned(why)
        counts.trouble = rules.access.result in TROUBLE
        return True

    def _log_mode(self, rules: OriginRules, source: Source) -> None:
        refuses = rules.mode in (AccessMode.DISALLOW, AccessMode.DEFER)
        is_trouble = refuses or bool(rules.access.oddity)
        is_warning = is_trouble and self.trouble.takes_line(rules.access.why)
        level = logging.WARNING if is_warning else logging.DEBUG
        if not self.log.has_handler(level):
            return
        self.log.log(
            level,
            "robots.txt of %(origin)s: %(why)s, %(mode)s (%(dialect)s%(kept)s)",
            {
                "origin": rules.origin,
                "why": rules.access.why,
                "mode": rules.access.effect,
                "dialect": rules.dialect.name,
                "kept": _kept(rules.access) if source is Source.STORE else "",
            },
        )

    def on_refused(self, request: Request, verdict: Verdict, *, counts_only: bool) -> None:
        """A request is forbidden; in a dry run it is only counted."""
        reason = verdict.reason.name.lower()
        self.log.debug(
            "Forbidden by robots.txt: %(request)s, %(cause)s",
            {"request": request, "cause": verdict.cause},
        )
        if counts_only:
            self._count(stats.WOULD_DROP + reason)
        else:
            self._count(stats.FORBIDDEN)
            self._count(stats.DROPPED + reason)

    def on_held(self, request: Request, seconds: float) -> None:
        """Other downloader middlewares hold back a request whose turn has come at a slow site."""
        self.log.warning(
            "A downloader middleware holds back %(request)s, whose turn came %(seconds)g s ago "
            "at a site that asks for a delay; the next request goes",
            {"request": request, "seconds": seconds},
        )

    def on_rules(self, rules: OriginRules, agent: str, delay: Delay) -> None:
        """The rules of a robots.txt are learned, for the first time or anew.

        agent  the crawler of the request that asked for them
        delay  what is done about the delay that the origin asks for
        """
        counts = self.counts.of(rules.origin)
        self._note_delay(rules, delay, counts)
        if rules.rules is not None and rules.rules.may_have_usage:
            preferences = rules.rules.usage("/", agent)
            if preferences:
                self.on_preferences(rules.origin, preferences)

    def on_preferences(self, origin: str, preferences: Iterable[Preference]) -> None:
        """Note what a site says about the use of its pages, each kind of preference once."""
        counts = self.counts.of(origin)
        if not counts.is_shared:
            kinds = dict.fromkeys((*counts.usage, *map(_kind_of_use, preferences)))
            counts.usage = tuple(map(self.counts.interned, islice(kinds, MAX_PREFERENCES)))

    def _note_delay(self, rules: OriginRules, delay: Delay, counts: OriginCounts) -> None:
        """Log and count the delay that an origin asks for, when it is new."""
        if counts.delay == delay.requested or counts.is_shared:
            return
        counts.delay, counts.paced = delay.requested, str(delay)
        if delay.action:
            self._count(stats.CRAWL_DELAY + delay.action)
            self.log.debug(
                "Crawl-delay of %(origin)s: %(seconds)g s (%(action)s)",
                {"origin": rules.origin, "seconds": delay.requested, "action": delay},
            )

    def on_store_lookup(self, *, is_hit: bool) -> None:
        self._count(stats.STORE_HIT if is_hit else stats.STORE_MISS)

    def on_shared(self) -> None:
        self._count(stats.STORE_SHARED)

    def on_fetched(
        self, key: str, result: FetchResult, before: CacheEntry | None, entry: CacheEntry
    ) -> None:
        outcome = result.cause if result.status is None else result.status
        if document_of(key) == TDMREP:
            self._count(stats.TDMREP_FETCHED)
            self._count(f"{stats.TDMREP_OUTCOME}{outcome}")
            return
        self._count(stats.FETCHED)
        self._count(f"{stats.OUTCOME}{outcome}")
        if before is None:
            return
        if entry.failing_since is not None:
            self._count(stats.REFRESH + "failed")
        else:
            same = entry.octets == before.octets
            self._count(stats.REFRESH + ("unchanged" if same else "changed"))

    def on_obeyed(self, key: str, age: float) -> None:
        """The maximum age of a robots.txt that was still obeyed, in whole seconds: scrapy-redis
        keeps stats in Redis, and reads none but whole numbers back.
        """
        assert self.crawler.stats is not None  # the crawl has begun
        if age > 0 and document_of(key) == ROBOTS_TXT:
            self.crawler.stats.max_value(stats.AGE_MAX, int(age))

    def on_failed(self, verb: str, error: Exception) -> None:
        """A warning for the first error of each class; the next ones are likely the same fault."""
        self._count(stats.STORE_FAILED)
        level = logging.DEBUG if type(error) in self._warned_of else logging.WARNING
        self._warned_of.add(type(error))
        self.log.log(
            level,
            "The robots.txt store could not %(verb)s: %(kind)s: %(error)s (see ROBOTS_STORE); the "
            "crawl goes on without it",
            {"verb": verb, "kind": type(error).__name__, "error": brief(str(error))},
        )

    def on_regained(self) -> None:
        self._times_regained += 1
        if self._times_regained <= MAX_LINES:  # a store may fail now and then, for days
            self._warned_of.clear()
            self.log.info("The robots.txt store works again")

    def on_fault(self, origin: str, error: BaseException) -> None:
        """One fault is one error: a component may have it for all origins."""
        fault = type(error), _raised_at(error)
        level = logging.DEBUG if fault in self._faults else logging.ERROR
        self._faults.add(fault)
        self.log.log(
            level,
            "A fault while fetching %(url)s, which counts as unreachable",
            {"url": url_of(origin)},
            exc_info=error,
        )

    @cached_property
    def _count(self) -> Callable[[str], None]:
        return compat.stat_counter(self.crawler)


def _is_news(rules: OriginRules, source: Source) -> bool:
    """Whether an answer is news, for an origin without counts of its own: all but the second and
    later failures in a row.
    """
    return source is not Source.SITE or rules.access.entry.failures <= 1


def _kept(access: Access) -> str:
    """How old an answer of the store is: the site may give another one by now."""
    asked_at = access.entry.asked_at
    fresh_for = span(access.fresh_until - asked_at)
    return f"; from the store, as of {utc_time(asked_at)}, fresh for {fresh_for}"


def _raised_at(error: BaseException) -> tuple[str, int] | None:
    """The file and the line that raised an exception."""
    places = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    return places[-1] if places else None


def _kind_of_use(preference: Preference) -> str:
    """A preference for sums over many sites: without its line, and without an address."""
    label = preference.label
    if preference.place is not Place.ROBOTS_TXT:
        label = f"{preference.place.value} {label}"
    if preference.label in {LICENSE, TDM_POLICY}:
        return label
    words = preference.readable
    return brief(f"{label}: {statement(words.label, words.key, words.value)}")
