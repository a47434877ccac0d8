"""Where a robots.txt comes from: a file, standard input, a URL, or the site of each URL.

Knows: files and fetching. Must not know: rules, verdicts' looks, options.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from pathlib import Path
from time import time

from ..rep import AccessMode, CacheEntry, Dialect, FetchResult, judge, origin_of, parse
from ..rep.access import remember
from ..resolver.origin import OriginRules
from .arguments import Options, UsageError
from .download import fetch, is_web
from .terminal import Progress

MOST_SITES = 1000  # robots.txt files kept while a stream of URLs goes by


def read(where: str, user_agent: str, redirects: int = 5) -> FetchResult:
    """FILE, URL or "-". A file counts as one that was served. UsageError if it is unreadable."""
    if is_web(where):
        return fetch(where, user_agent, redirects)
    try:
        octets = sys.stdin.buffer.read() if where == "-" else Path(where).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {where}: {error.strerror}") from None
    return FetchResult(200, octets)


def ruling(origin: str, outcome: FetchResult, dialect: Dialect) -> OriginRules:
    """What an outcome of just now lets the dialect do."""
    now = time()
    return ruling_of_record(origin, remember(None, outcome, now), dialect)


def ruling_of_record(origin: str, record: CacheEntry, dialect: Dialect) -> OriginRules:
    access = judge(record, record.asked_at, dialect.access)
    rules = parse(access.octets, dialect) if access.stance is AccessMode.RULES else None
    return OriginRules(origin, dialect, access, rules)


class Sources:
    """The robots.txt for each URL: the one that the command line names, else each site's own."""

    def __init__(self, asked: Options) -> None:
        self._asked = asked
        self._redirects = asked.dialect.access.redirects
        self._one = self._read(asked.robots) if asked.robots else None
        self._rulings: OrderedDict[str, OriginRules] = OrderedDict()
        self._progress = Progress()

    def _read(self, where: str) -> FetchResult:
        return read(where, self._asked.user_agent, self._redirects)

    def name(self, url: str) -> str:
        """What the robots.txt for a URL is called."""
        return self._asked.robots or f"{origin_of(url)}/robots.txt"

    def outcome(self, url: str) -> FetchResult:
        """UsageError where the URL has no site and none was named."""
        if self._one is not None:
            return self._one
        origin = origin_of(url)
        if origin is None or not is_web(origin):
            raise UsageError(
                f"{url!r} is no http or https URL: use --robots to say whose rules it is under"
            )
        self._progress.step(f"{origin}/robots.txt")
        try:
            return self._read(f"{origin}/robots.txt")
        finally:
            self._progress.end()

    def ruling(self, url: str) -> OriginRules:
        """What the robots.txt for a URL lets the dialect of the command line do."""
        origin = "" if self._one is not None else origin_of(url) or ""
        known = self._rulings.get(origin)
        if known is None:
            known = self._rulings[origin] = ruling(origin, self.outcome(url), self._asked.dialect)
            if len(self._rulings) > MOST_SITES:
                self._rulings.popitem(last=False)
        return known
