"""The counts of a crawl, origin by origin, and over all origins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..rep import AccessMode, Verdict
from ..rep.escapes import brief, without_userinfo
from ..rep.usage.answer import UseResult

MAX_ORIGINS = 10_000
MAX_ORIGINS_OF_REPORT = 100_000
MAX_CAUSES = 100  # of one origin; so many results for uses, too
MAX_ALL_CAUSES = 200_000  # both together
MAX_SAMPLES = 3  # URLs of one rule text
MAX_SAMPLED = 500  # rule texts
THE_REST = "all others"

_LINE = re.compile(r"line \d+, ")


@dataclass(slots=True)
class OriginCounts:
    """The counts of one origin.

    Attributes:
        mode: the value of its access mode ("rules", "disallow"); "": not fetched.
        why: the reason for that ("200", "timeout").
        trouble: whether its robots.txt is unreachable, or its server refused to give it.
        fetches: how often its robots.txt was fetched.
        passed: requests let through.
        refused: requests refused, by cause.
        waits: requests that waited for its robots.txt.
        waited: seconds that these waited in all; `longest_wait`: seconds of the longest wait.
        delay: seconds between two requests that the site asks for; 0: none.
        paced: what is done about that delay ("kept").
        tdmrep: what came of its tdmrep.json ("404"); "": it was not asked for.
        uses: the results for the declared uses, each with its count of pages.
        held: seconds that requests waited in all for their turn.
        size: the size of its robots.txt.
        cut: whether the file is longer than that: the rest was not read.
        usage: what it says about the use of its pages, in whatever form.

    """

    origin: str
    mode: str = ""
    why: str = ""
    trouble: bool = False
    fetches: int = 0
    passed: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    waits: int = 0
    waited: float = 0.0
    longest_wait: float = 0.0
    delay: float = 0.0
    paced: str = ""
    tdmrep: str = ""
    uses: dict[str, int] = field(default_factory=dict)
    held: float = 0.0
    size: int = 0
    cut: bool = False
    usage: tuple[str, ...] = ()

    @property
    def is_shared(self) -> bool:
        """Whether several origins share these counts. Nothing is noted of a single one then."""
        return self.origin == THE_REST

    @property
    def mode_words(self) -> str:
        if self.mode:
            return AccessMode(self.mode).description
        return "" if self.is_shared else "not fetched"

    @property
    def all_refused(self) -> int:
        return sum(self.refused.values())


class CrawlCounts:
    """The counts of each origin, in the order of their first requests.

    Beyond `max_origins`, all further origins share one entry, `THE_REST`. The samples are of all
    origins. Everything has a bound.

    Attributes:
        samples: URLs that were refused, some for each rule text or other cause.
        permissions: the overrides with a name or an end that were asked for, each with whether it
            holds still.

    """

    def __init__(self, max_origins: int = MAX_ORIGINS) -> None:
        self.max_origins = max_origins
        self.samples: dict[str, list[str]] = {}
        self.permissions: dict[str, bool] = {}
        self._by_origin: dict[str, OriginCounts] = {}
        self._texts: dict[str, str] = {}  # equal texts of many origins are kept once
        self._causes = 0

    def of(self, origin: str) -> OriginCounts:
        counts = self._by_origin.get(origin)
        if counts is None:
            name = origin if len(self._by_origin) < self.max_origins else THE_REST
            counts = self._by_origin.setdefault(name, OriginCounts(name))
        return counts

    @property
    def origins(self) -> Sequence[OriginCounts]:
        return tuple(self._by_origin.values())

    def refuse(self, origin: str, verdict: Verdict, url: str) -> None:
        """Count a refused request, and keep its URL if its cause has few samples."""
        refused = self.of(origin).refused
        cause = self._count(refused, verdict.cause)
        if refused[cause] <= MAX_SAMPLES:
            self._sample(rule_text(cause), url)

    def note_uses(self, origin: str, results: Iterable[UseResult]) -> None:
        """Count the results for a page, those that no preference is about left out."""
        uses = self.of(origin).uses
        for result in results:
            if result.by is not None:
                self._count(uses, brief(str(result)))

    def wait(self, origin: str, seconds: float) -> None:
        """A request has waited for a robots.txt."""
        counts = self.of(origin)
        counts.waits += 1
        counts.waited += seconds
        counts.longest_wait = max(counts.longest_wait, seconds)

    def hold(self, origin: str, seconds: float) -> None:
        """A request has waited for its turn."""
        self.of(origin).held += seconds

    def interned(self, text: str) -> str:
        """The one copy of a text that many origins have."""
        if len(self._texts) >= MAX_ALL_CAUSES:
            return text
        return self._texts.setdefault(text, text)

    def _count(self, counts: dict[str, int], name: str) -> str:
        """Count a name; `THE_REST` if there is no room for another name. Gives the one counted."""
        if name not in counts:
            has_room = len(counts) < MAX_CAUSES and self._causes < MAX_ALL_CAUSES
            name = self.interned(name) if has_room else THE_REST
            self._causes += name not in counts
        counts[name] = counts.get(name, 0) + 1
        return name

    def _sample(self, text: str, url: str) -> None:
        urls = self.samples.get(text)
        if urls is None:
            if len(self.samples) >= MAX_SAMPLED:
                return
            urls = self.samples[text] = []
        if len(urls) < MAX_SAMPLES:
            urls.append(brief(without_userinfo(url)))


def rule_text(cause: str) -> str:
    """A cause without its line: "Disallow: /search", the same for all files that have the rule."""
    return _LINE.sub("", cause, count=1) if cause.startswith("line ") else cause
