"""The result of a fleet's crawl: a table, and the promises that were not kept."""

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
    """The result of one crawl.

    reports  the data of each crawler's ROBOTS_REPORT
    visits   all requests that the sites got
    """

    reports: Sequence[dict[str, Any]]
    visits: Sequence[Visit]

    @property
    def files(self) -> Counter[str]:
        """The number of requests for each site's robots.txt."""
        return Counter(visit.site for visit in self.visits if visit.path == ROBOTS_TXT)

    @property
    def pages(self) -> Counter[tuple[str, str]]:
        """The number of requests for each page: {(site, path): number}."""
        return Counter((v.site, v.path) for v in self.visits if v.path != ROBOTS_TXT)

    @property
    def gaps(self) -> list[float]:
        """Seconds between each two requests for pages, at the site that asks for a delay."""
        times = [v.at for v in self.visits if v.site == "paced" and v.path != ROBOTS_TXT]
        return [later - earlier for earlier, later in pairwise(times)]

    @property
    def drops(self) -> Counter[str]:
        drops: Counter[str] = Counter()
        for report in self.reports:
            for line in report["origins"]:
                drops.update(line["refused"])
        return drops

    def table(self) -> Iterator[str]:
        yield f"{'':10} {'pages':>6} {'refused':>8} {'robots.txt fetched':>19}"
        for number, report in enumerate(self.reports, start=1):
            fetched = report["stats"].get("robots/fetched", 0)
            yield f"crawler {number:<2} {report['passed']:6} {report['refused']:8} {fetched:19}"
        files = self.files.total()
        yield f"{'sites saw':10} {self.pages.total():6} {'':8} {files:19}"
        yield ""
        yield f"robots.txt    {len(self.files)} sites, {files} fetches"
        if self.gaps:
            yield f"Crawl-delay   {DELAY:g} s, shortest gap {min(self.gaps):.3f} s"
        for cause, count in self.drops.most_common():
            yield f"refused       {count} by {cause}"

    def faults(self) -> Iterator[str]:
        """A sentence for each promise that was not kept."""
        for site in EXPECTED:
            if self.files[site] != 1:
                yield f"the robots.txt of {site} was fetched {self.files[site]} times"
            pages = {path: n for (of, path), n in self.pages.items() if of == site}
            if pages != dict.fromkeys(EXPECTED[site], 1):
                yield f"the open pages of {site}, and no others, should be fetched once each"
        early = sum(gap < DELAY for gap in self.gaps)
        if early:
            yield f"paced got {early} requests before its delay was over"
