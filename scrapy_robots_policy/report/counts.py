"""The counts of a crawl, origin by origin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..rep import Verdict
from ..rep.escapes import brief
from ..rep.use_answer import UseResult

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
    tdmrep        what came of its tdmrep.json ("404"); "": it was not asked for
    uses          the results for the declared uses, each with its count of pages
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
    tdmrep: str = ""
    uses: dict[str, int] = field(default_factory=dict)

    @property
    def all_dropped(self) -> int:
        return sum(self.dropped.values())

    def drop(self, verdict: Verdict) -> None:
        _count(self.dropped, verdict.cause)

    def note_uses(self, results: Iterable[UseResult]) -> None:
        """Count the results for a page, those that no preference is about left out."""
        for result in results:
            if result.by is not None:
                _count(self.uses, brief(str(result)))

    def wait(self, seconds: float) -> None:
        self.waits += 1
        self.waited += seconds
        self.longest_wait = max(self.longest_wait, seconds)


def _count(counts: dict[str, int], name: str) -> None:
    key = name if name in counts or len(counts) < MAX_CAUSES else THE_REST
    counts[key] = counts.get(key, 0) + 1


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
