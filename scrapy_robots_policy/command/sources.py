"""Where a robots.txt comes from: a file, standard input, a URL, or the site of each URL.

Knows: files and fetching. Must not know: rules, verdicts' looks, options.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from pathlib import Path
from time import time

from ..rep import Dialect, Outcome, Record, Stance, judge, origin_of, parse
from ..rep.access import remember
from ..site import Ruling
from .asked import Asked, Refusal
from .fetch import fetch, is_web
from .terminal import Progress

MOST_SITES = 1000  # robots.txt files kept while a stream of URLs goes by


def read(where: str, user_agent: str, redirects: int = 5) -> Outcome:
    """FILE, URL or "-". A file counts as one that was served. Refusal where it cannot be read."""
    if is_web(where):
        return fetch(where, user_agent, redirects)
    try:
        octets = sys.stdin.buffer.read() if where == "-" else Path(where).read_bytes()
    except OSError as error:
        raise Refusal(f"cannot read {where}: {error.strerror}") from None
    return Outcome(200, octets)


def ruling(origin: str, outcome: Outcome, dialect: Dialect) -> Ruling:
    """What an outcome of just now lets the dialect do."""
    now = time()
    return ruling_of_record(origin, remember(None, outcome, now), dialect)


def ruling_of_record(origin: str, record: Record, dialect: Dialect) -> Ruling:
    access = judge(record, record.asked_at, dialect.access)
    rules = parse(access.octets, dialect) if access.stance is Stance.RULES else None
    return Ruling(origin, dialect, access, rules)


class Sources:
    """The robots.txt for each URL: the one that the command line names, else each site's own."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._redirects = asked.dialect.access.redirects
        self._one = self._read(asked.robots) if asked.robots else None
        self._rulings: OrderedDict[str, Ruling] = OrderedDict()
        self._progress = Progress()

    def _read(self, where: str) -> Outcome:
        return read(where, self._asked.user_agent, self._redirects)

    def name(self, url: str) -> str:
        """What the robots.txt for a URL is called."""
        return self._asked.robots or f"{origin_of(url)}/robots.txt"

    def outcome(self, url: str) -> Outcome:
        """Refusal where the URL has no site and none was named."""
        if self._one is not None:
            return self._one
        origin = origin_of(url)
        if origin is None or not is_web(origin):
            raise Refusal(
                f"{url!r} is no http or https URL: use --robots to say whose rules it is under"
            )
        self._progress.step(f"{origin}/robots.txt")
        try:
            return self._read(f"{origin}/robots.txt")
        finally:
            self._progress.end()

    def ruling(self, url: str) -> Ruling:
        """What the robots.txt for a URL lets the dialect of the command line do."""
        origin = "" if self._one is not None else origin_of(url) or ""
        known = self._rulings.get(origin)
        if known is None:
            known = self._rulings[origin] = ruling(origin, self.outcome(url), self._asked.dialect)
            if len(self._rulings) > MOST_SITES:
                self._rulings.popitem(last=False)
        return known
