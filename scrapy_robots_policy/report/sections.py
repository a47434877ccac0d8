"""The sections of a report's page, each of which is left out if it has nothing to show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest

from .. import stats as names
from ..rep import AccessMode
from .charts import chart
from .counts import OriginCounts
from .earlier_report import EarlierReport
from .formats import change, counted, elapsed, octets, span
from .grid import TEXT, Cell, Noted, grid
from .html import Bar, Share, bars, count_bars, html_table, section, shares, text
from .summary import MAX_SUMS, Report

MAX_GRID = 5_000  # rows of a table in the page; the data file has all
MAX_RULES = 500
MAX_SHOWN_SAMPLES = 8
MAX_BARS = 10  # origins in a list of bars

_ACTIONS = ("dropped", "marked", "would_drop")
_MODES = {**{mode.value: mode.description for mode in AccessMode}, "": "not fetched"}
_COUNT, _TIME = "count", "time"


def sections(report: Report) -> Iterable[str]:
    if report.base is not None:
        note = f"with the crawl that began {report.base.began[:19].replace('T', ' ')} UTC"
        yield section("Compared", note, _comparison(report, report.base))
    yield section("Origins by access mode", "", _modes(report.modes))
    verb = "What would be dropped" if report.is_dry_run else "Dropped"
    start = names.WOULD_DROP if report.is_dry_run else names.DROPPED
    yield section(f"{verb}, by reason", "", _reasons(report, start))
    yield section(f"{verb}, by rule", "the same on all sites", _rules(report))
    yield section(f"{verb}, by origin and line", "", _drops(report))
    yield section("Some of these URLs", "up to three for a rule", _samples(report))
    note = f"{len(report.domains):,}, all origins of a domain together"
    yield section("Registered domains", note, _domains(report))
    yield section("How long, how old, how large", "", _histograms(report))
    yield section("Waiting for a robots.txt", "the longest waits first", _waits(report.counts))
    yield section("Waiting for a turn", "what delays and visit times cost", _held(report.counts))
    yield section("Trouble", "robots.txt files that could not be fetched", _trouble(report))
    yield section("Delays", "seconds between two requests", _delays(report.counts))
    yield section("Uses that sites speak of", "origins that say so", _counts(report.uses))
    declared = "what pages were refused or granted for, and what says so"
    yield section("Declared use", declared, _declared_uses(report.counts))
    yield section("tdmrep.json", "all results but 404", _tdmreps(report.counts))
    yield section("Robots tags of pages", "in headers and meta tags", _tags(report))
    yield section("All origins", "most drops first, then longest waits", _origins(report.counts))


def _comparison(report: Report, base: EarlierReport) -> str:
    figures = [
        ("requests passed", base.passed, report.passed, _difference),
        ("requests dropped", base.dropped, report.dropped, _difference),
        ("origins", len(base.origins), len(report.origins), _difference),
        ("origins in trouble", base.trouble, report.trouble, _difference),
        ("waited for robots.txt, in all", base.waited, report.waited, _later),
        ("waited for delays, in all", base.held, report.held, _later),
    ]
    rows = [(name, *compared(before, now)) for name, before, now, compared in figures]
    columns = {"origin": TEXT, "before": TEXT, "now": TEXT}
    columns |= {"dropped before": _COUNT, "dropped now": _COUNT}
    origins = grid("origins", columns, report.changes[:MAX_GRID], len(report.changes))
    return (
        html_table(("figure", "before", "now", "change"), rows, right={1, 2, 3})
        + _titled("Origins that are read otherwise", origins)
        + _titled("Rules that drop more, or less", _changed_rules(report))
    )


def _changed_rules(report: Report) -> str:
    columns = {"rule": TEXT, "before": _COUNT, "now": _COUNT, "change": "change"}
    rows = [(one.text, one.before, one.now, one.now - one.before) for one in report.changed_rules]
    return grid("rules", columns, rows[:MAX_RULES], len(rows))


def _titled(title: str, body: str) -> str:
    return f"<h3>{text(title)}</h3>{body}" if body else ""


def _difference(before: float, now: float) -> tuple[str, str, str]:
    return f"{before:,}", f"{now:,}", change(now - before)


def _later(before: float, now: float) -> tuple[str, str, str]:
    difference = elapsed(abs(now - before))
    if difference != elapsed(0):
        difference = ("-" if now < before else "+") + difference
    return elapsed(before), elapsed(now), difference


def _modes(modes: Mapping[str, int]) -> str:
    return shares(
        Share(f"mode-{mode or 'none'}", description, modes.get(mode, 0))
        for mode, description in _MODES.items()
    )


def _counts(counts: Mapping[str, int]) -> str:
    """A bar for each name, the largest count first."""
    return count_bars(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _reasons(report: Report, start: str) -> str:
    """The stats whose names begin so. With Scrapy's DummyStatsCollector there are none."""
    stats = report.stats_under(start)
    reasons = {name.replace("_", " "): count for name, count in stats.items()}
    return _counts(reasons) or ("" if report.dropped else "<p>Nothing was dropped.</p>")


def _rules(report: Report) -> str:
    columns = {"rule or cause": TEXT, "dropped": _COUNT, "origins": _COUNT}
    rows = [(one.text, one.dropped, one.origins) for one in report.rules[:MAX_RULES]]
    return grid("rules", columns, rows, min(len(report.rules), MAX_SUMS))


def _drops(report: Report) -> str:
    drops = nlargest(MAX_RULES, report.drops)
    columns = {"origin": TEXT, "rule or cause": TEXT, "dropped": _COUNT}
    rows = [(origin, cause, count) for count, origin, cause in drops]
    return grid("refusals", columns, rows, sum(len(one.dropped) for one in report.counts))


def _samples(report: Report) -> str:
    with_samples = [one for one in report.rules if one.samples][:MAX_SHOWN_SAMPLES]
    return "".join(
        f'<p class="sample"><bdi>{text(one.text)}</bdi></p><ul class="urls">'
        + "".join(f"<li><bdi>{text(url)}</bdi></li>" for url in one.samples)
        + "</ul>"
        for one in with_samples
    )


def _domains(report: Report) -> str:
    if len(report.domains) < 2:
        return ""
    columns = {"domain": TEXT, "origins": _COUNT, "passed": _COUNT, "dropped": _COUNT}
    columns |= {"time lost": _TIME}
    rows = [
        (one.domain, one.origins, one.passed, one.dropped, one.lost)
        for one in report.domains[:MAX_RULES]
    ]
    return grid("domains", columns, rows, min(len(report.domains), MAX_SUMS))


def _histograms(report: Report) -> str:
    titles = {
        "waits": ("Requests, by their wait for a robots.txt", span),
        "held": ("Requests, by their wait for a turn", span),
        "delays": ("Origins, by the delay that they ask for", span),
        "ages": ("robots.txt obeyed, by age", span),
        "sizes": ("robots.txt fetched, by size", octets),
    }
    charts = "".join(
        chart(title, report.all_histograms[name], unit)
        for name, (title, unit) in titles.items()
        if name in report.all_histograms
    )
    return f'<div class="charts">{charts}</div>' if charts else ""


def _waits(origins: Sequence[OriginCounts]) -> str:
    waiting = sorted((one for one in origins if one.waits), key=lambda one: -one.longest_wait)
    rows = [
        Bar(
            one.origin,
            f"{counted(one.waits, 'request')}, {elapsed(one.waited)} in all",
            one.longest_wait,
            elapsed(one.longest_wait),
        )
        for one in waiting
    ]
    return bars(rows, MAX_BARS)


def _held(origins: Sequence[OriginCounts]) -> str:
    held = sorted((one for one in origins if one.held), key=lambda one: -one.held)
    return bars([Bar(one.origin, one.paced, one.held, elapsed(one.held)) for one in held], MAX_BARS)


def _trouble(report: Report) -> str:
    troubled = sorted((counts for counts in report.origins if counts.trouble), key=_worst_first)
    if not troubled:
        return ""
    columns = {"origin": TEXT, "why": TEXT, "mode": TEXT, "passed": _COUNT, "dropped": _COUNT}
    rows = [
        (one.origin, one.why, _MODES[one.mode], one.passed, one.all_dropped)
        for one in troubled[:MAX_RULES]
    ]
    origins = grid("origins in trouble", columns, rows, len(troubled))
    results = _counts(report.stats_under(names.OUTCOME))
    return f"{origins}<h3>Results of all fetches</h3>{results}"


def _delays(origins: Sequence[OriginCounts]) -> str:
    delayed = sorted((one for one in origins if one.delay), key=lambda one: -one.delay)
    rows = [Bar(one.origin, one.paced, one.delay, f"{one.delay:g} s") for one in delayed]
    return bars(rows, MAX_BARS)


def _declared_uses(origins: Sequence[OriginCounts]) -> str:
    uses = [(n, result, one.origin) for one in origins for result, n in one.uses.items()]
    columns = {"origin": TEXT, "result": TEXT, "pages": _COUNT}
    rows = [(origin, result, count) for count, result, origin in nlargest(MAX_RULES, uses)]
    return grid("declared uses", columns, rows, len(uses))


def _tdmreps(origins: Sequence[OriginCounts]) -> str:
    """The files that were served, or could not be fetched: most sites have none."""
    rows = [(one.origin, one.tdmrep) for one in origins if one.tdmrep not in ("", "404")]
    columns = {"origin": TEXT, "tdmrep.json": TEXT}
    return grid("tdmrep.json files", columns, rows[:MAX_RULES], len(rows))


def _tags(report: Report) -> str:
    parts: dict[str, dict[str, int]] = {}
    for name, count in report.stats_under(names.TAGS).items():
        part, _, action = name.partition("/")
        parts.setdefault(part, {})[action] = count
    rows = [
        (part, *(f"{counts.get(action, 0):,}" for action in _ACTIONS))
        for part, counts in sorted(parts.items())
    ]
    head = ("part", *(action.replace("_", " ") for action in _ACTIONS))
    return html_table(head, rows, right={1, 2, 3})


def _origins(origins: Sequence[OriginCounts]) -> str:
    columns = {"origin": TEXT, "mode": TEXT, "why": TEXT, "passed": _COUNT}
    columns |= {"dropped": _COUNT, "longest wait": _TIME}
    columns |= {"delay": "seconds", "waited for turns": _TIME, "size": "size"}
    worst = sorted(origins, key=_worst_first)[:MAX_GRID]
    return grid("origins", columns, [_origin(one) for one in worst], len(origins))


def _origin(counts: OriginCounts) -> Sequence[Cell]:
    no_mode = "" if counts.is_shared else "not fetched"
    return (
        *(counts.origin, counts.mode or no_mode, counts.why),
        *(counts.passed, counts.all_dropped, counts.longest_wait),
        *(counts.delay, counts.held),
        Noted(counts.octets, ", cut") if counts.cut else counts.octets,
    )


def _worst_first(counts: OriginCounts) -> tuple[float, float]:
    return -counts.all_dropped, -counts.longest_wait
