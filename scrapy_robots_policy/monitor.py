"""Keeps the log, the stats and the counts of which the report is made."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import islice
from traceback import walk_tb

from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest

from . import compat, stats
from .core.decision import Decision, delay_of
from .core.events import (
    Begun,
    Delayed,
    Ended,
    Fetched,
    LookedUp,
    PageRefused,
    PageSpoke,
    Source,
    StoreFailed,
    StoreWorks,
)
from .core.overrides import Permission
from .core.site import OriginRules
from .core.turns import MAX_HELD, Held
from .crawl_log import CrawlLog
from .events import Hears
from .formats import counted, span, utc_time
from .rep import AccessMode, Verdict
from .rep.access import Access, AccessResult, holds
from .rep.documents import TDMREP, document_of, key_of, origin_of_key, url_of
from .rep.escapes import brief
from .rep.usage.answer import answer
from .rep.usage.preferences import (
    LICENSE,
    TDM_POLICY,
    TDM_RESERVATION,
    Place,
    Preference,
    statement,
)
from .report.counts import CrawlCounts, OriginCounts
from .settings.crawl import CrawlSettings
from .trouble import MAX_LINES, TroubleLog

_FORBIDDEN = "forbidden by robots.txt"
HOPS_KEY = "robots_hops"  # how many redirects had led to the last page that passed
MAX_PREFERENCES = 20  # of one origin
TROUBLE = (AccessResult.UNREACHABLE, AccessResult.FORBIDDEN)


class Monitor:
    """Keeps the log, the stats and the counts of one crawl."""

    def __init__(self, crawler: Crawler, settings: CrawlSettings, counts: CrawlCounts) -> None:
        self.crawler, self.settings, self.counts = crawler, settings, counts
        self.log = CrawlLog(crawler)
        self.trouble = TroubleLog(self.log)
        self._warned_of: set[type[Exception]] = set()
        self._faults: set[tuple[type[BaseException], tuple[str, int] | None]] = set()
        self._times_regained = 0
        self.hears: Hears = {
            Begun: self.begun,
            Ended: self.ended,
            LookedUp: self.looked_up,
            Fetched: self.fetched,
            Decision: self.decided,
            Delayed: self.delayed,
            Held: self.held,
            PageRefused: self.page_refused,
            PageSpoke: self.page_spoke,
            Permission: self.permission,
            StoreFailed: self.store_failed,
            StoreWorks: self.store_works,
        }

    def looked_up(self, event: LookedUp) -> None:
        rules, before, source = event.rules, event.before, event.source
        if source in (Source.STORE, Source.CACHE):
            self._count(stats.STORE_HIT)
        elif before is None:
            self._count(stats.STORE_MISS)
        if source is Source.FLEET:
            self._count(stats.STORE_SHARED)
        if document_of(rules.origin) == TDMREP:
            self._note_tdmrep(rules, source)
            return
        self._count(stats.MODE + rules.mode.value)
        if source is Source.SITE and before is not None:
            self._note_refresh(before, rules)
        self._note_age(before if source is Source.SITE else rules, event.at)
        counts = self.counts.of(rules.origin)
        counts.fetches += source is Source.SITE
        is_news = _is_news(rules, source) if counts.is_shared else self._note_mode(rules, counts)
        if is_news:
            self._log_mode(rules, source)
        self._note_delay(event, counts)
        agent = event.config.agent
        if rules.rules is not None and rules.rules.may_have_usage:
            self.note_preferences(rules.origin, rules.rules.usage("/", agent))
        asks_tdmrep = self.settings.use.may_be_refused_by(TDM_RESERVATION)
        if asks_tdmrep and rules.allowed(event.page.url, agent):
            self._note_forbidden_tdmrep(rules, agent, counts)

    def _note_refresh(self, before: OriginRules, rules: OriginRules) -> None:
        if rules.access.entry.failing_since is not None:
            self._count(stats.REFRESH + "failed")
        else:
            is_same = rules.access.entry.body == before.access.entry.body
            self._count(stats.REFRESH + ("unchanged" if is_same else "changed"))

    def _note_age(self, obeyed: OriginRules | None, now: float) -> None:
        """The maximum age of a robots.txt that was still obeyed, in whole seconds: scrapy-redis
        keeps stats in Redis, and reads none but whole numbers back.
        """
        if obeyed is None or not holds(obeyed.access, now):
            return
        entry = obeyed.access.entry
        current_at = entry.current_at if obeyed.mode is AccessMode.RULES else entry.asked_at
        if now > current_at:
            assert self.crawler.stats is not None  # the crawl has begun
            self.crawler.stats.max_value(stats.AGE_MAX, int(now - current_at))

    def _note_tdmrep(self, rules: OriginRules, source: Source) -> None:
        """A tdmrep.json was read. One that could not be reserves nothing, and the log says so."""
        origin, why = origin_of_key(rules.origin), rules.access.why
        error = rules.reservations.error if rules.reservations else ""
        outcome = f"{why}, {error}" if error else why
        counts = self.counts.of(origin)
        is_news = _is_news(rules, source) if counts.is_shared else counts.tdmrep != outcome
        if not is_news:
            return
        if rules.reservations:
            self.note_preferences(origin, rules.reservations.preferences(f"{origin}/"))
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

    def _note_forbidden_tdmrep(self, rules: OriginRules, agent: str, counts: OriginCounts) -> None:
        """A tdmrep.json that robots.txt forbids is not requested."""
        if rules.allowed(url_of(key_of(rules.origin, TDMREP)), agent):
            if counts.tdmrep == _FORBIDDEN:
                counts.tdmrep = ""
        elif not counts.is_shared and counts.tdmrep != _FORBIDDEN:
            counts.tdmrep = _FORBIDDEN
            self._count(stats.TDMREP_FORBIDDEN)
            self.log.debug(
                "tdmrep.json of %(origin)s: %(why)s, so it reserves nothing",
                {"origin": rules.origin, "why": _FORBIDDEN},
            )

    def _note_mode(self, rules: OriginRules, counts: OriginCounts) -> bool:
        """Note what may be done with an origin; the result is whether that is new."""
        counts.size = len(rules.access.body)
        counts.cut = counts.size > 0 and rules.access.entry.latest.is_cut
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

    def _note_delay(self, event: LookedUp, counts: OriginCounts) -> None:
        """Log and count the delay that an origin asks for, when it is new."""
        delay = delay_of(event.rules, event.config, self.settings.longest_delay)
        if counts.delay == delay.requested or counts.is_shared:
            return
        counts.delay, counts.paced = delay.requested, str(delay)
        if delay.action:
            self._count(stats.CRAWL_DELAY + delay.action)
            self.log.debug(
                "Crawl-delay of %(origin)s: %(seconds)g s (%(action)s)",
                {"origin": event.rules.origin, "seconds": delay.requested, "action": delay},
            )

    def note_preferences(self, origin: str, preferences: Iterable[Preference]) -> None:
        """Note what a site says about the use of its pages, each kind of preference once."""
        counts = self.counts.of(origin)
        if not counts.is_shared:
            kinds = dict.fromkeys((*counts.usage, *map(_kind_of_use, preferences)))
            counts.usage = tuple(map(self.counts.interned, islice(kinds, MAX_PREFERENCES)))

    def begun(self, event: Begun) -> None:
        config = event.config
        purposes = ", ".join(sorted(self.settings.use.purposes)) or "none"
        self.log.info(
            "robots.txt is read as %(dialect)s, as %(agent)s (purposes: %(purposes)s)",
            {"dialect": config.dialect.name, "agent": config.agent, "purposes": purposes},
        )
        if self.settings.dry_run:
            self.log.warning("A dry run: what is forbidden is fetched all the same, and counted")

    def ended(self, _event: Ended) -> None:
        self.trouble.sum_up()
        refused = sum(counts.all_refused for counts in self.counts.origins)
        passed = sum(counts.passed for counts in self.counts.origins)
        if self.settings.dry_run:
            self.log.warning(
                "A dry run: %(refused)d of %(pages)s would have been refused",
                {"refused": refused, "pages": counted(passed, "page")},
            )
        else:
            self.log.info(
                "%(refused)d of %(pages)s refused",
                {"refused": refused, "pages": counted(refused + passed, "page")},
            )

    def permission(self, event: Permission) -> None:
        self.counts.permissions[event.name] = event.holds
        if event.holds:
            self.log.info("Used: %(permission)s", {"permission": event.name})
        else:
            self.log.warning(
                "Ended, and no longer used: %(permission)s", {"permission": event.name}
            )

    def delayed(self, event: Delayed) -> None:
        if event.rules:
            self.counts.wait(event.origin, event.rules)
        if event.turn:
            self.counts.hold(event.origin, event.turn)

    def page_spoke(self, event: PageSpoke) -> None:
        of_page = (result for result in event.answer.results if result.by in event.preferences)
        self.counts.note_uses(event.origin, of_page)
        self.note_preferences(event.origin, event.preferences)

    def fetched(self, event: Fetched) -> None:
        """Scrapy's own stats of robots.txt are kept, too."""
        result, error = event.result, event.error
        if error is not None and event.is_fault:
            self._log_fault(event.key, error)
        if not event.exchanges:  # a fault before anything was sent
            return
        outcome = result.cause if result.status is None else result.status
        if document_of(event.key) == TDMREP:
            self._count(stats.TDMREP_FETCHED)
            self._count(f"{stats.TDMREP_OUTCOME}{outcome}")
        else:
            self._count(stats.FETCHED)
            self._count(f"{stats.OUTCOME}{outcome}")
            self._count("robotstxt/request_count")
            if result.status is not None:
                self._count("robotstxt/response_count")
                self._count(f"robotstxt/response_status_count/{result.status}")
            elif error is not None and not isinstance(error, IgnoreRequest):
                self._count(f"robotstxt/exception_count/{type(error)}")

    def _log_fault(self, key: str, error: BaseException) -> None:
        """One fault is one error: a component may have it for all origins."""
        fault = type(error), _raised_at(error)
        level = logging.DEBUG if fault in self._faults else logging.ERROR
        self._faults.add(fault)
        self.log.log(
            level,
            "A fault while fetching %(url)s, which counts as unreachable",
            {"url": url_of(key)},
            exc_info=error,
        )

    def held(self, event: Held) -> None:
        self.log.warning(
            "A downloader middleware holds back %(request)s, whose turn came %(seconds)g s ago "
            "at a site that asks for a delay; the next request goes",
            {"request": event.request, "seconds": MAX_HELD},
        )

    def decided(self, decision: Decision) -> None:
        verdict, origin = decision.verdict, decision.rules.origin
        if verdict is not None:
            self.counts.note_uses(origin, verdict.uses.results if verdict.refused else ())
            self.counts.refuse(origin, verdict, decision.request.url)
            self._note_refusal(decision, verdict)
        if verdict is None or decision.dry_run:
            self._count_passed(decision)

    def _note_refusal(self, decision: Decision, verdict: Verdict) -> None:
        reason = verdict.reason.name.lower()
        if self.log.has_handler(logging.DEBUG):  # a page may have 100,000 links that are refused
            self.log.debug(
                "%(refused)s by robots.txt: %(request)s, %(cause)s",
                {
                    "refused": "Would be refused" if decision.dry_run else "Refused",
                    "request": decision.request,
                    "cause": verdict.cause,
                },
            )
        if decision.dry_run:
            self._count(stats.WOULD_REFUSE + reason)
        else:
            self._count(stats.FORBIDDEN)
            self._count(stats.REFUSED + reason)

    def page_refused(self, event: PageRefused) -> None:
        origin, request, refusal, _ = event
        self.counts.of(origin).passed -= 1
        self.counts.refuse(origin, refusal, request.url)
        self._count(stats.REFUSED + refusal.reason.name.lower())
        self.log.debug(
            "Refused by its answer: %(request)s, %(cause)s",
            {"request": request, "cause": refusal.cause},
        )

    def _count_passed(self, decision: Decision) -> None:
        """Count a page once. RetryMiddleware makes a retry of a request that has passed. A redirect
        keeps the number of retries in its meta, but is a request of its own: one more redirect has
        led to it.
        """
        rules, meta = decision.rules, decision.request.meta
        hops = meta.get("redirect_times", 0)
        if meta.get("retry_times") and hops <= meta.get(HOPS_KEY, 0):
            return
        if hops:
            meta[HOPS_KEY] = hops
        use = self.settings.use
        if use and decision.verdict is None:
            preferences = rules.preferences(decision.url, decision.config.agent, use)
            if preferences:
                self.counts.note_uses(rules.origin, answer(preferences, use).results)
        self.counts.of(rules.origin).passed += 1

    def store_failed(self, event: StoreFailed) -> None:
        """A warning for the first error of each class; the next ones are likely the same fault."""
        verb, error = event
        self._count(stats.STORE_FAILED)
        level = logging.DEBUG if type(error) in self._warned_of else logging.WARNING
        self._warned_of.add(type(error))
        self.log.log(
            level,
            "The robots.txt store could not %(verb)s: %(kind)s: %(error)s (see ROBOTS_STORE); the "
            "crawl goes on without it",
            {"verb": verb, "kind": type(error).__name__, "error": brief(str(error))},
        )

    def store_works(self, _event: StoreWorks) -> None:
        self._times_regained += 1
        if self._times_regained <= MAX_LINES:  # a store may fail now and then, for days
            self._warned_of.clear()
            self.log.info("The robots.txt store works again")

    @cached_property
    def _count(self) -> Callable[[str], None]:
        return compat.stat_counter(self.crawler)


def _is_news(rules: OriginRules, source: Source) -> bool:
    """Whether an answer is logged for an origin beyond MAX_ORIGINS, which has no counts to compare
    with: every answer is, but of failures in a row only the first.
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
