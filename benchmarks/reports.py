"""Reports of crawls with 10, 3,000 and 100,000 origins: time, memory, and the size of the page.

python benchmarks/reports.py [folder]     the reports stay there: to be looked at
"""

from __future__ import annotations

import random
import sys
import time
import tracemalloc
from pathlib import Path
from tempfile import mkdtemp

from scrapy_robots_policy.rep import Reason, Rule, Verdict
from scrapy_robots_policy.report.counts import MAX_ORIGINS_OF_REPORT, CrawlCounts, OriginCounts
from scrapy_robots_policy.report.earlier_report import EarlierReport
from scrapy_robots_policy.report.report_files import ReportFiles
from scrapy_robots_policy.report.summary import Report

MAX_PAGE = 2_000_000  # octets
PATHS = ("/", "/search", "/*?sort=", "/cart", "/wp-admin/", "/cgi-bin/", "/private/", "/*.pdf$")
ENDINGS = ("example.com", "blog.example.org", "example.co.uk", "shop.example.de", "example.net")
MODES = (
    *[("rules", "200", False)] * 14,
    *[("allow", "404", False)] * 3,
    *(("disallow", "503", True), ("disallow", "timeout", True), ("defer", "dns", True)),
)
USES = ("Content-Usage: train-ai=n", "Content-Signal: ai-train=no", "License")


def counted(origins: int, seed: int) -> CrawlCounts:
    """The counts of a made-up crawl."""
    noise = random.Random(seed)
    counts = CrawlCounts(MAX_ORIGINS_OF_REPORT)
    for number in range(origins):
        domain = noise.choice(ENDINGS).replace("example", f"e{number % 977}")
        _count(counts, f"https://site{number}.{domain}", noise)
    return counts


def _count(counts: CrawlCounts, origin: str, noise: random.Random) -> None:
    one = counts.of(origin)
    one.mode, one.why, one.trouble = noise.choice(MODES)
    one.fetches, one.passed = 1, int(noise.expovariate(1 / 20))
    _drop(counts, one, noise)
    counts.wait(origin, noise.lognormvariate(-1.2, 1.3))
    if noise.random() < 0.06:
        one.delay, one.paced = noise.choice((1.0, 2.0, 5.0, 10.0, 30.0)), "kept"
        for _ in range(5):
            counts.hold(origin, one.delay * noise.random())
    one.octets = 0 if one.mode != "rules" else int(noise.lognormvariate(6.5, 1.3))
    counts.sizes.add(one.octets)
    if noise.random() < 0.1:
        counts.ages.add(noise.lognormvariate(9, 2))
    if noise.random() < 0.07:
        one.usage = (noise.choice(USES),)


def _drop(counts: CrawlCounts, one: OriginCounts, noise: random.Random) -> None:
    for _ in range(noise.choice((0, 0, 1, 2, 5))):
        path = noise.choice(PATHS)
        rule = Rule(False, path, noise.randint(2, 60))
        verdict = Verdict(False, Reason.RULE, "rfc9309", "bot", rule)
        if one.trouble:
            verdict = Verdict(False, Reason.UNREACHABLE, "rfc9309", "bot", why=one.why)
        for _ in range(int(noise.expovariate(1 / 4)) + 1):
            counts.drop(one.origin, verdict, f"{one.origin}{path}{noise.random()}")


def report_of(counts: CrawlCounts, base: EarlierReport | None) -> Report:
    reasons = {"rule": sum(one.all_dropped for one in counts.origins if not one.trouble)}
    reasons["unreachable"] = sum(one.all_dropped for one in counts.origins if one.trouble)
    stats = {f"robots/dropped/{name}": count for name, count in reasons.items() if count}
    stats |= {"robots/put_back": 12, "robots/outcome/200": 14, "robots/outcome/timeout": 3}
    stats |= {"robots/tags/noindex/dropped": 31, "robots/tags/nofollow/would_drop": 4}
    began = 1.79e9
    made = "broad", "ExampleBot", "rfc9309", began, began + 5_400, "finished"
    return Report(*made, counts.origins, stats, counts.samples, counts.histograms, base)


def main(folder: Path) -> None:
    print(f"{'origins':>8} {'counts':>10} {'written in':>11} {'page':>10} {'data':>10}")
    for origins in (10, 3_000, 100_000):
        earlier = ReportFiles.of(folder / f"{origins}-before.json")
        earlier.write(report_of(counted(origins, seed=2), None))
        tracemalloc.start()
        counts = counted(origins, seed=1)
        held = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        files = ReportFiles.of(folder / f"{origins}.html")
        began = time.perf_counter()
        files.write(report_of(counts, EarlierReport.read(earlier.data)))
        took = time.perf_counter() - began
        page, data = folder / f"{origins}.html", folder / f"{origins}.json"
        sizes = page.stat().st_size, data.stat().st_size
        print(
            f"{origins:8,} {held / 1e6:7.1f} MB {took:9.2f} s {sizes[0] / 1e3:7,.0f} KB "
            f"{sizes[1] / 1e3:7,.0f} KB"
        )
        if sizes[0] > MAX_PAGE:
            sys.exit(f"the page has more than {MAX_PAGE:,} octets")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else mkdtemp(prefix="robots-reports-")))
