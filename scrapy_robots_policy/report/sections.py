"""The sections of a report's page, each of which is left out if it has nothing to show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest

from .. import stats as names
from ..rep import AccessMode
from .counts import OriginCounts
from .formats import counted, elapsed, octets
from .html import MAX_ROWS, Bar, Share, bars, count_bars, html_table, section, shares, text
from .summary import Report

MAX_SHOWN_SAMPLES = 8
MAX_BARS = 10  # origins in a list of bars

_ACTIONS = ("dropped", "marked", "would_drop")
_MODES = {**{mode.value: mode.description for mode in AccessMode}, "": "not fetched"}


def sections(report: Report) -> Iterable[str]:
    yield section("Origins by access mode", "", _modes(report.modes))
    verb = "What would be dropped" if report.is_dry_run else "Dropped"
    start = names.WOULD_DROP if report.is_dry_run else names.DROPPED
    yield section(f"{verb}, by reason", "", _reasons(report, start))
    yield section(f"{verb}, by rule", "the same on all sites", _rules(report))
    yield section(f"{verb}, by origin and line", "", _drops(report))
    yield section("Some of these URLs", "up to three for a rule", _samples(report))
    note = f"{len(report.domains):,}, all origins of a domain together"
    yield section("Registered domains", note, _domains(report))
    yield section("Waiting for a robots.txt", "the longest waits first", _waits(report.counts))
    yield section("Waiting for a turn", "what delays cost", _held(report.counts))
    yield section("Trouble", "robots.txt files that could not be fetched", _trouble(report))
    yield section("Delays", "seconds between two requests", _delays(report.counts))
    yield section("Uses that sites speak of", "origins that say so", _counts(report.uses))
    declared = "what pages were refused or granted for, and what says so"
    yield section("Declared use", declared, _declared_uses(report.counts))
    yield section("tdmrep.json", "all results but 404", _tdmreps(report.counts))
    yield section("Robots tags of pages", "in headers and meta tags", _tags(report))
    yield section("All origins", "most drops first, then longest waits", _origins(report.counts))


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
    rows = [(one.text, f"{one.dropped:,}", f"{one.origins:,}") for one in report.rules]
    return html_table(("rule or cause", "dropped", "origins"), rows, right={1, 2})


def _drops(report: Report) -> str:
    drops = nlargest(MAX_ROWS + 1, report.drops)
    rows = [(origin, cause, f"{count:,}") for count, origin, cause in drops]
    return html_table(("origin", "rule or cause", "dropped"), rows, right={2})


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
    rows = [
        (one.domain, f"{one.origins:,}", f"{one.passed:,}", f"{one.dropped:,}", elapsed(one.lost))
        for one in report.domains
    ]
    head = ("domain", "origins", "passed", "dropped", "time lost")
    return html_table(head, rows, right={1, 2, 3, 4})


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
    rows = [
        (one.origin, one.why, _MODES[one.mode], f"{one.passed:,}", f"{one.all_dropped:,}")
        for one in troubled
    ]
    head = ("origin", "why", "mode", "passed", "dropped")
    origins = html_table(head, rows, right={3, 4})
    results = _counts(report.stats_under(names.OUTCOME))
    return f"{origins}<h3>Results of all fetches</h3>{results}"


def _delays(origins: Sequence[OriginCounts]) -> str:
    delayed = sorted((one for one in origins if one.delay), key=lambda one: -one.delay)
    rows = [Bar(one.origin, one.paced, one.delay, f"{one.delay:g} s") for one in delayed]
    return bars(rows, MAX_BARS)


def _declared_uses(origins: Sequence[OriginCounts]) -> str:
    uses = [(n, result, one.origin) for one in origins for result, n in one.uses.items()]
    rows = [(origin, result, f"{count:,}") for count, result, origin in sorted(uses, reverse=True)]
    return html_table(("origin", "result", "pages"), rows, right={2})


def _tdmreps(origins: Sequence[OriginCounts]) -> str:
    """The files that were served, or could not be fetched: most sites have none."""
    rows = [(one.origin, one.tdmrep) for one in origins if one.tdmrep not in ("", "404")]
    return html_table(("origin", "tdmrep.json"), rows, right=())


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
    head = (
        *("origin", "mode", "why", "passed", "dropped", "longest wait"),
        *("delay", "waited for turns", "size"),
    )
    rows = [_origin(one) for one in sorted(origins, key=_worst_first)]
    return html_table(head, rows, right=range(3, 9))


def _origin(counts: OriginCounts) -> Sequence[str]:
    no_mode = "" if counts.is_shared else "not fetched"
    return (
        *(counts.origin, counts.mode or no_mode, counts.why),
        *(f"{counts.passed:,}", f"{counts.all_dropped:,}", elapsed(counts.longest_wait)),
        f"{counts.delay:g} s" if counts.delay else "",
        elapsed(counts.held) if counts.held else "",
        octets(counts.octets) + ", cut" * counts.cut if counts.octets else "",
    )


def _worst_first(counts: OriginCounts) -> tuple[float, float]:
    return -counts.all_dropped, -counts.longest_wait
