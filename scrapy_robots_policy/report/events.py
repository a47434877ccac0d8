"""What the policy learns, told to the log, the stats, the tally and `robots_parsed`.

Knows: Scrapy's signals, stats and loggers. Must not know: how anything was learned or decided.
"""

from __future__ import annotations

import logging
from typing import Any

from scrapy.crawler import Crawler

from .. import compat
from ..config.delay_limit import Delay
from ..rep import RuleSet
from ..rep.access import AccessMode, AccessResult, CacheEntry, FetchResult
from ..resolver.origin import OriginRules
from ..resolver.resolver import ResolverEvents
from . import CrawlCounts, Line

logger = logging.getLogger("scrapy_robots_policy")

# What is said of an origin whose stance is settled.
SAID = {
    AccessMode.RULES: "its rules hold",
    AccessMode.ALLOW: "open",
    AccessMode.DISALLOW: "closed",
    AccessMode.DEFER: "put off",
}


class CrawlEvents(ResolverEvents):
    """Tells of one crawl."""

    def __init__(self, crawler: Crawler, tally: CrawlCounts) -> None:
        self.crawler, self.tally = crawler, tally
        self._warned_of: set[type[Exception]] = set()

    async def learned(self, ruling: OriginRules, asker: Any, *, fetched: bool) -> None:
        self._count(f"stance/{ruling.stance.value}")
        line = self.tally.of(ruling.origin)
        line.fetches += fetched
        if (line.stance, line.why) != (ruling.stance.value, ruling.access.why):
            self._say(ruling, line)
        if ruling.rules is not None:
            await self._parsed(ruling.rules, asker)

    async def _parsed(self, rules: RuleSet, asker: Any) -> None:
        signal = compat.ROBOTS_PARSED
        if signal is None or not compat.is_heard(self.crawler, signal):
            return
        from ..robotparser import RobotParser  # noqa: PLC0415 - it loads Protego, and few listen

        parser = RobotParser(rules)
        await compat.send(self.crawler, signal, robotparser=parser, request=asker)

    def _say(self, ruling: OriginRules, line: Line) -> None:
        line.stance, line.why = ruling.stance.value, ruling.access.why
        line.trouble = trouble = ruling.access.result in (
            AccessResult.UNREACHABLE,
            AccessResult.FORBIDDEN,
        )
        logger.log(
            logging.WARNING if trouble or ruling.stance is AccessMode.DISALLOW else logging.INFO,
            "robots.txt of %(origin)s: %(why)s, %(said)s (%(dialect)s)",
            {
                "origin": ruling.origin,
                "why": ruling.access.why,
                "said": SAID[ruling.stance],
                "dialect": ruling.dialect.name,
            },
            extra={"spider": self.crawler.spider},
        )

    def paced(self, ruling: OriginRules, delay: Delay, line: Line) -> None:
        """What becomes of the delay that an origin asks for; told where it is news."""
        if line.origin != ruling.origin or line.delay == delay.asked:
            return
        line.delay, line.paced = delay.asked, str(delay)
        if delay.done:
            self._count(f"crawl_delay/{delay.done}")
            logger.info(
                "%(origin)s wants %(asked)g s between two requests: %(done)s",
                {"origin": ruling.origin, "asked": delay.asked, "done": delay},
                extra={"spider": self.crawler.spider},
            )

    def recalled(self, age: float | None) -> None:
        self._count("store/miss" if age is None else "store/hit")
        self._grew_old(age or 0.0)

    def shared(self, age: float) -> None:
        self._count("store/shared")
        self._grew_old(age)

    def tried(self, outcome: FetchResult, known: CacheEntry | None, record: CacheEntry) -> None:
        self._count("fetched")
        self._count(f"outcome/{outcome.cause if outcome.status is None else outcome.status}")
        if known is None:
            return
        self._grew_old(record.asked_at - known.current_at)
        if record.failing_since is not None:
            self._count("refresh/failed")
        else:
            same = record.octets == known.octets
            self._count("refresh/unchanged" if same else "refresh/changed")

    def _grew_old(self, age: float) -> None:
        """How old the oldest answer was that was still gone by."""
        assert self.crawler.stats is not None  # the crawl has begun
        if age > 0:
            self.crawler.stats.max_value("robots/age/max", age)

    def on_failed(self, verb: str, error: Exception) -> None:
        """Warned of once for each kind: a disk that is full stays so."""
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
            "The robots.txt store at %(store)s fails (%(why)s); the crawl goes on with what it "
            "knows by itself",
            {"store": store, "why": why},
            extra={"spider": self.crawler.spider},
        )

    def on_regained(self, store: str) -> None:
        logger.info(
            "The robots.txt store at %(store)s works again",
            {"store": store},
            extra={"spider": self.crawler.spider},
        )

    def failed(self, origin: str, error: BaseException) -> None:
        logger.error(
            "A fault while asking for the robots.txt of %(origin)s, which counts as unreachable",
            {"origin": origin},
            exc_info=error,
            extra={"spider": self.crawler.spider},
        )

    def _count(self, name: str) -> None:
        assert self.crawler.stats is not None  # the crawl has begun
        self.crawler.stats.inc_value(f"robots/{name}")
