"""What became of a fleet's crawl: a table, and what went wrong.

Knows: the crawlers' reports and the sites' log. Must not know: how the crawl was run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from example.fleet.sites import DELAY, EXPECTED
from example.web import Visit

ROBOTS_TXT = "/robots.txt"


@dataclass(frozen=True)
class Result:
    """reports: one for each crawler, as ROBOTS_REPORT has them. visits: all that the sites saw."""

    reports: Sequence[dict[str, Any]]
    visits: Sequence[Visit]

    @property
    def files(self) -> Counter[str]:
        """How often each site was asked for its robots.txt."""
        return Counter(visit.site for visit in self.visits if visit.path == ROBOTS_TXT)

    @property
    def pages(self) -> Counter[tuple[str, str]]:
        """How often each page of each site was asked for."""
        return Counter((v.site, v.path) for v in self.visits if v.path != ROBOTS_TXT)

    @property
    def gaps(self) -> list[float]:
        """Seconds between two pages in a row, as the site that asks for a delay saw them."""
        times = [v.at for v in self.visits if v.site == "paced" and v.path != ROBOTS_TXT]
        return [later - earlier for earlier, later in pairwise(times)]

    @property
    def drops(self) -> Counter[str]:
        drops: Counter[str] = Counter()
        for report in self.reports:
            for line in report["origins"]:
                drops.update(line["dropped"])
        return drops

    def table(self) -> Iterator[str]:
        yield f"{'':10} {'pages':>6} {'dropped':>8} {'robots.txt fetched':>19}"
        for number, report in enumerate(self.reports, start=1):
            fetched = report["stats"].get("robots/fetched", 0)
            yield f"crawler {number:<2} {report['passed']:6} {report['dropped']:8} {fetched:19}"
        files = self.files.total()
        yield f"{'sites saw':10} {self.pages.total():6} {'':8} {files:19}"
        yield ""
        yield f"robots.txt    {len(self.files)} sites were asked for theirs {files} times in all"
        if self.gaps:
            yield f"Crawl-delay   {DELAY:g} s asked for, shortest gap {min(self.gaps):.3f} s"
        for cause, count in self.drops.most_common():
            yield f"dropped       {count} by {cause}"

    def faults(self) -> Iterator[str]:
        """A sentence for each promise that was not kept."""
        for site in EXPECTED:
            if self.files[site] != 1:
                yield f"{site} was asked for its robots.txt {self.files[site]} times"
            pages = {path: n for (of, path), n in self.pages.items() if of == site}
            if pages != dict.fromkeys(EXPECTED[site], 1):
                yield f"{site} was asked for its pages otherwise than once for each open one"
        early = sum(gap < DELAY for gap in self.gaps)
        if early:
            yield f"paced was asked {early} times before its delay was over"
