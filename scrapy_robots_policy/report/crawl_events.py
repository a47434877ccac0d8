"""Writes the events of a crawl's robots.txt files to the log, the stats and the counts.

It also sends Scrapy 2.18's signal `robots_parsed`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Request

from .. import compat
from ..rep import AccessMode, CacheEntry, FetchResult, RuleSet, Verdict
from ..rep.access import AccessResult
from ..rep.delay_limit import Delay
from ..rep.escapes import brief
from ..resolver.events import ResolverEvents, Source
from ..resolver.origin import OriginRules
from .counts import CrawlCounts, OriginCounts

logger = logging.getLogger("scrapy_robots_policy")

TROUBLE = (AccessResult.UNREACHABLE, AccessResult.FORBIDDEN)


def _has_handler(level: int) -> bool:
    """Whether a handler writes lines of this level.

    Scrapy sets LOG_LEVEL on its handler, not on the loggers. So without this check, a line that is
    not written would cost as much as one that is: for each origin of a broad crawl.
    """
    parent: logging.Logger | None = logger
    while parent is not None:
        if any(handler.level <= level for handler in parent.handlers):
            return True
        parent = parent.parent if parent.propagate else None
    return False


class CrawlEvents(ResolverEvents):
    """The events of one crawl.

    on_unreachable  called when a robots.txt is unreachable, in a dialect whose access policy asks
                    whether the site answers other requests
    make_parser     makes the `robotparser` of the signal `robots_parsed`
    """

    def __init__(
        self,
        crawler: Crawler,
        counts: CrawlCounts,
        on_unreachable: Callable[[], None],
        make_parser: Callable[[RuleSet], object],
    ) -> None:
        self.crawler, self.counts = crawler, counts
        self.on_unreachable, self.make_parser = on_unreachable, make_parser
        self._warned_of: set[type[Exception]] = set()

    async def on_learned(self, rules: OriginRules, page: Any, source: Source) -> None:
        mode = rules.mode.value
        self._count(f"stance/{mode}")
        counts = self.counts.of(rules.origin)
        counts.fetches += source is Source.SITE
        if (counts.mode, counts.why) != (mode, rules.access.why):
            self._log_mode(rules, counts)
        if rules.access.result is AccessResult.UNREACHABLE and any(
            step.site_down for step in rules.dialect.access.unreachable
        ):
            self.on_unreachable()
        if rules.rules is not None:
            await self._send_parsed(rules.rules, page)

    async def _send_parsed(self, rules: RuleSet, page: Any) -> None:
        signal = compat.ROBOTS_PARSED
        if signal is None or not compat.has_receivers(self.crawler, signal):
            return
        parser = self.make_parser(rules)
        await compat.send(self.crawler, signal, robotparser=parser, request=page)

    def _log_mode(self, rules: OriginRules, counts: OriginCounts) -> None:
        counts.mode, counts.why = rules.mode.value, rules.access.why
        counts.trouble = trouble = rules.access.result in TROUBLE
        is_warning = trouble or rules.access.is_html or rules.mode is AccessMode.DISALLOW
        level = logging.WARNING if is_warning else logging.INFO
        if not _has_handler(level):
            return
        logger.log(
            level,
            "robots.txt of %(origin)s: %(why)s, %(mode)s (%(dialect)s)",
            {
                "origin": rules.origin,
                "why": rules.access.why,
                "mode": rules.mode.description,
                "dialect": rules.dialect.name,
            },
            extra={"spider": self.crawler.spider},
        )

    def on_refused(self, request: Request, verdict: Verdict, *, counts_only: bool) -> None:
        """A request is forbidden; in a dry run it is only counted."""
        assert self.crawler.stats is not None  # the crawl has begun
        reason = verdict.reason.name.lower()
        logger.debug(
            "Forbidden by robots.txt: %(request)s, %(cause)s",
            {"request": request, "cause": verdict.cause},
            extra={"spider": self.crawler.spider},
        )
        if counts_only:
            self._count(f"would_drop/{reason}")
        else:
            self.crawler.stats.inc_value("robotstxt/forbidden")
            self._count(f"dropped/{reason}")

    def on_delay(self, rules: OriginRules, delay: Delay, counts: OriginCounts) -> None:
        """Log and count the delay that an origin asks for, when it is new."""
        if counts.delay == delay.requested or counts.origin != rules.origin:
            return
        counts.delay, counts.paced = delay.requested, str(delay)
        if delay.action:
            self._count(f"crawl_delay/{delay.action}")
            logger.info(
                "Crawl-delay of %(origin)s: %(seconds)g s (%(action)s)",
                {"origin": rules.origin, "seconds": delay.requested, "action": delay},
                extra={"spider": self.crawler.spider},
            )

    def on_store_lookup(self, age: float | None) -> None:
        self._count("store/miss" if age is None else "store/hit")
        self._note_age(age or 0.0)

    def on_shared(self, age: float) -> None:
        self._count("store/shared")
        self._note_age(age)

    def on_fetched(self, result: FetchResult, before: CacheEntry | None, entry: CacheEntry) -> None:
        self._count("fetched")
        self._count(f"outcome/{result.cause if result.status is None else result.status}")
        if before is None:
            return
        self._note_age(entry.asked_at - before.current_at)
        if entry.failing_since is not None:
            self._count("refresh/failed")
        else:
            same = entry.octets == before.octets
            self._count("refresh/unchanged" if same else "refresh/changed")

    def _note_age(self, age: float) -> None:
        """The maximum age in seconds of a robots.txt that was still obeyed."""
        assert self.crawler.stats is not None  # the crawl has begun
        if age > 0:
            self.crawler.stats.max_value("robots/age/max", age)

    def on_failed(self, verb: str, error: Exception) -> None:
        """A warning for the first error of each class; the next ones are likely the same fault."""
        self._count("store/failed")
        level = logging.DEBUG if type(error) in self._warned_of else logging.WARNING
        self._warned_of.add(type(error))
        logger.log(
            level,
            "The robots.txt store could not %(verb)s: %(error)r; the crawl goes on without it",
            {"verb": verb, "error": error},
            extra={"spider": self.crawler.spider},
        )

    def on_lost(self, store: str, why: str) -> None:
        self._count("store/lost")
        logger.warning(
            "The robots.txt store at %(store)s fails (%(why)s); the crawl goes on with what this "
            "process knows",
            {"store": store, "why": brief(why)},
            extra={"spider": self.crawler.spider},
        )

    def on_regained(self, store: str) -> None:
        logger.info(
            "The robots.txt store at %(store)s works again",
            {"store": store},
            extra={"spider": self.crawler.spider},
        )

    def on_fault(self, origin: str, error: BaseException) -> None:
        logger.error(
            "A fault while fetching the robots.txt of %(origin)s, which counts as unreachable",
            {"origin": origin},
            exc_info=error,
            extra={"spider": self.crawler.spider},
        )

    def _count(self, name: str) -> None:
        assert self.crawler.stats is not None  # the crawl has begun
        self.crawler.stats.inc_value(f"robots/{name}")
