"""A crawl's report as one page that needs nothing else: no script, no picture from elsewhere.

Knows: HTML, and that whatever a site or a spider names is text. Must not know: how the figures
came about.

The page forbids itself to load anything: its policy admits the one style sheet in it, by its hash.
So no element has a style of its own, and bars are SVG, whose lengths are no style.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import NamedTuple

from ..rep.escapes import shown
from .counts import OriginCounts
from .summary import Report, utc

MOST = 25  # rows of a list; the data has all

STANCES = {
    "rules": "its rules hold",
    "allow": "open",
    "disallow": "closed",
    "defer": "put off",
    "": "not asked",
}
_OUTCOMES = ("dropped", "marked", "would_drop")


class Bar(NamedTuple):
    """One row of a list: what is said, and how long the bar under it is."""

    label: str
    detail: str
    value: float
    said: str


def page(report: Report, data: str) -> str:
    """`data` is the name of the file beside it that has all of the figures."""
    style = look("page.css")
    return Template(look("page.html")).substitute(
        policy=policy(style),
        style=style,
        spider=text(report.spider),
        about=_about(report),
        figures=_figures(report),
        sections="".join(_sections(report)),
        data=text(data),
    )


def text(told: str) -> str:
    """Text of unknown origin, for a place between tags or in an attribute's quotes."""
    return escape(shown(told))


def look(name: str) -> str:
    return (files(__package__) / "static" / name).read_text("utf-8")


def policy(style: str) -> str:
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _about(report: Report) -> str:
    began = utc(report.began)
    facts = {
        "crawler": report.agent,
        "dialect": report.dialect,
        "began": f"{began:%Y-%m-%d %H:%M:%S} UTC",
        "took": time(report.ended - report.began),
        "ended": report.reason,
    }
    return "".join(
        f"<div><dt>{name}</dt> <dd>{text(fact)}</dd></div>" for name, fact in facts.items()
    )


def _figures(report: Report) -> str:
    longest = max((line.longest_wait for line in report.lines), default=0.0)
    figures = {
        "requests passed": f"{report.passed:,}",
        "would be dropped" if report.is_rehearsal else "requests dropped": f"{report.dropped:,}",
        "origins": f"{len(report.origins):,}",
        "in trouble": f"{sum(line.trouble for line in report.origins):,}",
        "longest wait": time(longest),
    }
    return "".join(f"<div><dd>{said}</dd><dt>{name}</dt></div>" for name, said in figures.items())


def _sections(report: Report) -> Iterable[str]:
    yield section("Origins by stance", "", _stances(report.stances))
    if report.is_rehearsal:
        reasons = _shares(report.counts("would_drop"))
        yield section("What would be dropped, by rule and line", reasons, _drops(report))
    else:
        reasons = _shares(report.counts("dropped"))
        yield section("Dropped, by rule and line", reasons, _drops(report))
    yield section("Waiting for a robots.txt", "the longest waits first", _waits(report.lines))
    yield section("Trouble", "robots.txt files that could not be had", _trouble(report))
    yield section("Delays", "seconds between two requests", _delays(report.lines))
    yield section("What pages do not want", "by their tags and headers", _tags(report))
    yield section("All origins", "most drops first, then most waiting", _table(report.lines))


def section(title: str, note: str, body: str) -> str:
    """Nothing where there is nothing to tell."""
    if not body:
        return ""
    small = f" <small>{note}</small>" if note else ""
    return f"<section><h2>{title}{small}</h2>{body}</section>\n"


def _stances(stances: Mapping[str, int]) -> str:
    """One bar for all origins, with a key."""
    whole = sum(stances.values())
    if not whole:
        return ""
    at, pieces, key = 0.0, [], []
    for stance, words in STANCES.items():
        count = stances.get(stance, 0)
        if not count:
            continue
        share = 100 * count / whole
        kind = f"stance-{stance or 'none'}"
        pieces.append(f'<rect class="{kind}" x="{at:.2f}" width="{share:.2f}" height="6"/>')
        key.append(f'<li class="{kind}"><span><b>{count:,}</b> {words}</span></li>')
        at += share
    picture = f'<svg class="whole" viewBox="0 0 100 6" {_STRETCHED}>{"".join(pieces)}</svg>'
    return f'{picture}<ul class="key">{"".join(key)}</ul>'


def _shares(reasons: Mapping[str, int]) -> str:
    """How many for each kind of reason."""
    by_count = sorted(reasons.items(), key=lambda item: -item[1])
    return ", ".join(f"{count:,} {text(name.replace('_', ' '))}" for name, count in by_count)


def _drops(report: Report) -> str:
    drops = sorted(report.drops, key=lambda drop: -drop[0])
    rows = [Bar(cause, origin, count, f"{count:,}") for count, origin, cause in drops]
    return bars(rows) or "<p>Nothing was dropped.</p>"


def _waits(lines: Sequence[OriginCounts]) -> str:
    waiting = sorted((line for line in lines if line.waits), key=lambda line: -line.longest_wait)
    return bars(
        [
            Bar(
                line.origin,
                f"{_many(line.waits, 'request')}, {time(line.waited)} in all",
                line.longest_wait,
                time(line.longest_wait),
            )
            for line in waiting
        ]
    )


def _trouble(report: Report) -> str:
    troubled = sorted((line for line in report.lines if line.trouble), key=_weight)
    rows = [
        (line.origin, line.why, STANCES[line.stance], f"{line.passed:,}", f"{_dropped(line):,}")
        for line in troubled
    ]
    brought = [
        Bar(name, "", count, f"{count:,}")
        for name, count in sorted(report.counts("outcome").items(), key=lambda item: -item[1])
    ]
    if not troubled:
        return ""
    told = grid(("origin", "why", "stance", "passed", "dropped"), rows, right={3, 4})
    return f"{told}<h3>What all tries to fetch brought</h3>{bars(brought)}"


def _delays(lines: Sequence[OriginCounts]) -> str:
    asking = sorted((line for line in lines if line.delay), key=lambda line: -line.delay)
    return bars([Bar(line.origin, line.paced, line.delay, f"{line.delay:g} s") for line in asking])


def _tags(report: Report) -> str:
    parts: dict[str, dict[str, int]] = {}
    for name, count in report.counts("tags").items():
        part, _, done = name.partition("/")
        parts.setdefault(part, {})[done] = count
    rows = [
        (part, *(f"{counts.get(done, 0):,}" for done in _OUTCOMES))
        for part, counts in sorted(parts.items())
    ]
    head = ("part", *(done.replace("_", " ") for done in _OUTCOMES))
    return grid(head, rows, right={1, 2, 3})


def _table(lines: Sequence[OriginCounts]) -> str:
    rows = [
        (
            line.origin,
            STANCES[line.stance],
            line.why,
            f"{line.passed:,}",
            f"{_dropped(line):,}",
            time(line.longest_wait) if line.waits else "",
            f"{line.delay:g} s" if line.delay else "",
        )
        for line in sorted(lines, key=_weight)
    ]
    head = ("origin", "stance", "why", "passed", "dropped", "waited", "delay")
    return grid(head, rows, right={3, 4, 5, 6})


def _weight(line: OriginCounts) -> tuple[float, float]:
    """The worst first."""
    return -_dropped(line), -line.longest_wait


def _dropped(line: OriginCounts) -> int:
    return sum(line.dropped.values())


_STRETCHED = 'preserveAspectRatio="none" aria-hidden="true"'


def bars(rows: Sequence[Bar]) -> str:
    """Bars as long as their values, the longest as wide as the page."""
    most = max((row.value for row in rows), default=0.0) or 1.0
    items = "".join(_bar(row, 100 * row.value / most) for row in rows[:MOST])
    return f'<ol class="bars">{items}</ol>{_more(len(rows))}' if rows else ""


def _bar(row: Bar, share: float) -> str:
    detail = f"<small>{text(row.detail)}</small>" if row.detail else ""
    return (
        f"<li><span><bdi>{text(row.label)}</bdi>{detail}</span><b>{text(row.said)}</b>"
        f'<svg viewBox="0 0 100 4" {_STRETCHED}><rect width="{share:.2f}" height="4"/></svg></li>'
    )


def grid(head: Sequence[str], rows: Sequence[Sequence[str]], right: set[int]) -> str:
    if not rows:
        return ""
    kinds = [' class="number"' if at in right else "" for at in range(len(head))]
    heads = "".join(f"<th{kind}>{name}</th>" for kind, name in zip(kinds, head, strict=True))
    lines = "".join(f"<tr>{_cells(head, kinds, row)}</tr>" for row in rows[:MOST])
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>{_more(len(rows))}"


def _cells(head: Sequence[str], kinds: Sequence[str], row: Sequence[str]) -> str:
    """On a narrow screen each cell says itself what it is."""
    return "".join(
        f'<td{kind} data-name="{name}">{text(cell)}</td>'
        for name, kind, cell in zip(head, kinds, row, strict=True)
    )


def _more(count: int) -> str:
    return f'<p class="more">and {count - MOST:,} more in the data</p>' if count > MOST else ""


def time(seconds: float) -> str:
    """As a person says it: "0.3 s", "12 min 5 s"."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"
