"""A crawl's report as one HTML page that needs no other file: no script, no picture.

The page's own policy forbids it to load anything. It admits the one style sheet in the page, by its
hash.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from string import Template

from ..rep import AccessMode
from .counts import OriginCounts
from .html import (
    Bar,
    Share,
    bars,
    content_policy,
    facts,
    figures,
    html_table,
    section,
    shares,
    static_text,
    text,
)
from .summary import Report, utc

_ACTIONS = ("dropped", "marked", "would_drop")
_MODES = {**{mode.value: mode.description for mode in AccessMode}, "": "not fetched"}


def page(report: Report, data: str) -> str:
    """The page. `data` is the name of the file beside it, which has all the figures."""
    style = static_text("page.css")
    return Template(static_text("page.html")).substitute(
        policy=content_policy(style),
        style=style,
        spider=text(report.spider),
        about=_about(report),
        figures=_figures(report),
        sections="".join(_sections(report)),
        data=text(data),
    )


def _about(report: Report) -> str:
    began = utc(report.began)
    return facts(
        {
            "crawler": report.agent,
            "dialect": report.dialect,
            "began": f"{began:%Y-%m-%d %H:%M:%S} UTC",
            "took": elapsed(report.ended - report.began),
            "ended": report.reason,
        }
    )


def _figures(report: Report) -> str:
    longest = max((counts.longest_wait for counts in report.counts), default=0.0)
    return figures(
        {
            "requests passed": f"{report.passed:,}",
            "would be dropped" if report.is_dry_run else "requests dropped": f"{report.dropped:,}",
            "origins": f"{len(report.origins):,}",
            "in trouble": f"{sum(counts.trouble for counts in report.origins):,}",
            "longest wait": elapsed(longest),
        }
    )


def _sections(report: Report) -> Iterable[str]:
    yield section("Origins by access mode", "", _modes(report.modes))
    if report.is_dry_run:
        reasons = _reasons(report.stats_under("would_drop"))
        yield section("What would be dropped, by rule and line", reasons, _drops(report))
    else:
        reasons = _reasons(report.stats_under("dropped"))
        yield section("Dropped, by rule and line", reasons, _drops(report))
    yield section("Waiting for a robots.txt", "the longest waits first", _waits(report.counts))
    yield section("Trouble", "robots.txt files that could not be fetched", _trouble(report))
    yield section("Delays", "seconds between two requests", _delays(report.counts))
    yield section("Robots tags of pages", "in headers and meta tags", _tags(report))
    uses = "what pages were refused or granted for, and what says so"
    yield section("Declared use", uses, _uses(report.counts))
    yield section("tdmrep.json", "what came of each", _tdmreps(report.counts))
    yield section("All origins", "most drops first, then longest waits", _origins(report.counts))


def _modes(modes: Mapping[str, int]) -> str:
    return shares(
        Share(f"mode-{mode or 'none'}", description, modes.get(mode, 0))
        for mode, description in _MODES.items()
    )


def _reasons(stats: Mapping[str, int]) -> str:
    """The count of each kind of reason, as text."""
    by_count = sorted(stats.items(), key=lambda item: -item[1])
    return ", ".join(f"{count:,} {text(name.replace('_', ' '))}" for name, count in by_count)


def _drops(report: Report) -> str:
    drops = sorted(report.drops, key=lambda drop: -drop[0])
    rows = [Bar(cause, origin, count, f"{count:,}") for count, origin, cause in drops]
    return bars(rows) or "<p>Nothing was dropped.</p>"


def _waits(origins: Sequence[OriginCounts]) -> str:
    waiting = sorted(
        (counts for counts in origins if counts.waits), key=lambda counts: -counts.longest_wait
    )
    return bars(
        [
            Bar(
                counts.origin,
                f"{counts.waits:,} request{'s' * (counts.waits != 1)}, "
                f"{elapsed(counts.waited)} in all",
                counts.longest_wait,
                elapsed(counts.longest_wait),
            )
            for counts in waiting
        ]
    )


def _trouble(report: Report) -> str:
    troubled = sorted((counts for counts in report.counts if counts.trouble), key=_worst_first)
    if not troubled:
        return ""
    rows = [
        (
            counts.origin,
            counts.why,
            _MODES[counts.mode],
            f"{counts.passed:,}",
            f"{counts.all_dropped:,}",
        )
        for counts in troubled
    ]
    results = [
        Bar(name, "", count, f"{count:,}")
        for name, count in sorted(report.stats_under("outcome").items(), key=lambda item: -item[1])
    ]
    origins = html_table(("origin", "why", "mode", "passed", "dropped"), rows, right={3, 4})
    return f"{origins}<h3>Results of all fetches</h3>{bars(results)}"


def _delays(origins: Sequence[OriginCounts]) -> str:
    delayed = sorted(
        (counts for counts in origins if counts.delay), key=lambda counts: -counts.delay
    )
    return bars([Bar(c.origin, c.paced, c.delay, f"{c.delay:g} s") for c in delayed])


def _tags(report: Report) -> str:
    parts: dict[str, dict[str, int]] = {}
    for name, count in report.stats_under("tags").items():
        part, _, action = name.partition("/")
        parts.setdefault(part, {})[action] = count
    rows = [
        (part, *(f"{counts.get(action, 0):,}" for action in _ACTIONS))
        for part, counts in sorted(parts.items())
    ]
    head = ("part", *(action.replace("_", " ") for action in _ACTIONS))
    return html_table(head, rows, right={1, 2, 3})


def _uses(origins: Sequence[OriginCounts]) -> str:
    uses = [(n, result, counts.origin) for counts in origins for result, n in counts.uses.items()]
    rows = sorted(uses, key=lambda use: -use[0])
    return bars([Bar(result, origin, count, f"{count:,}") for count, result, origin in rows])


def _tdmreps(origins: Sequence[OriginCounts]) -> str:
    """Those that are there, or could not be had: most sites have none."""
    rows = [(c.origin, c.tdmrep) for c in origins if c.tdmrep not in ("", "404")]
    return html_table(("origin", "tdmrep.json"), rows, right=())


def _origins(origins: Sequence[OriginCounts]) -> str:
    rows = [
        (
            counts.origin,
            _MODES[counts.mode],
            counts.why,
            f"{counts.passed:,}",
            f"{counts.all_dropped:,}",
            elapsed(counts.longest_wait) if counts.waits else "",
            f"{counts.delay:g} s" if counts.delay else "",
        )
        for counts in sorted(origins, key=_worst_first)
    ]
    head = ("origin", "mode", "why", "passed", "dropped", "waited", "delay")
    return html_table(head, rows, right={3, 4, 5, 6})


def _worst_first(counts: OriginCounts) -> tuple[float, float]:
    return -counts.all_dropped, -counts.longest_wait


def elapsed(seconds: float) -> str:
    """A duration for people: "0.3 s", "12 min 5 s", "3 h 20 min"."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if hours else f"{minutes} min {rest} s"
