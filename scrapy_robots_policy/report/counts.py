"""The counts of a crawl, origin by origin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..rep import Verdict

MAX_ORIGINS = 10_000
MAX_CAUSES = 100
THE_REST = "all others"


@dataclass
class OriginCounts:
    """The counts of one origin.

    mode          the value of its access mode ("rules", "disallow"); "": not fetched
    why           the reason for that ("200", "timeout")
    trouble       whether its robots.txt is unreachable, or its server refused to give it
    fetches       how often its robots.txt was fetched
    passed        requests let through
    dropped       requests dropped, by cause
    waits         requests that waited for its robots.txt
    waited        seconds that these waited in all; `longest_wait`: seconds of the longest wait
    delay         seconds between two requests that the site asks for; 0: none
    paced         what is done about that delay ("kept")
    """

    origin: str
    mode: str = ""
    why: str = ""
    trouble: bool = False
    fetches: int = 0
    passed: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    waits: int = 0
    waited: float = 0.0
    longest_wait: float = 0.0
    delay: float = 0.0
    paced: str = ""

    @property
    def all_dropped(self) -> int:
        return sum(self.dropped.values())

    def drop(self, verdict: Verdict) -> None:
        has_room = verdict.cause in self.dropped or len(self.dropped) < MAX_CAUSES
        cause = verdict.cause if has_room else THE_REST
        self.dropped[cause] = self.dropped.get(cause, 0) + 1

    def wait(self, seconds: float) -> None:
        self.waits += 1
        self.waited += seconds
        self.longest_wait = max(self.longest_wait, seconds)


class CrawlCounts:
    """The counts of each origin, in the order of their first requests.

    Beyond `max_origins`, all further origins share one entry, `THE_REST`.
    """

    def __init__(self, max_origins: int = MAX_ORIGINS) -> None:
        self.max_origins = max_origins
        self._by_origin: dict[str, OriginCounts] = {}

    def of(self, origin: str) -> OriginCounts:
        counts = self._by_origin.get(origin)
        if counts is None:
            name = origin if len(self._by_origin) < self.max_origins else THE_REST
            counts = self._by_origin.setdefault(name, OriginCounts(name))
        return counts

    @property
    def origins(self) -> Sequence[OriginCounts]:
        return tuple(self._by_origin.values())
