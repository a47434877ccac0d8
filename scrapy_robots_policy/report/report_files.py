"""The files of a crawl's report: a page and its data beside it, or the data alone.

Writes the report of a crawl at its end.

A crawl's report as one HTML page that needs no other file.

The page's own policy forbids it to load anything. It admits the one style sheet
in the page, by its hash.

The sections of a report's page, each of which is left out if it has nothing to show.

HTML elements for a report: text, bars, tables and sections.

All text is escaped: a site or a spider may have chosen it. No element has a style attribute, since
the page's policy forbids that; so bars are SVG, with their lengths as attributes.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from heapq import nlargest
from html import escape
from importlib.resources import files
from itertools import count
from os import fsencode
from pathlib import Path
from string import Template
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from scrapy.crawler import Crawler

from .. import stats as names
from ..crawl_log import CrawlLog
from ..rep import AccessMode
from ..rep.escapes import shown
from ..stats import PREFIX
from ..whole_file import part_of, whole_file
from .counts import CrawlCounts, OriginCounts
from .formats import counted, elapsed, octets
from .summary import Report, utc

if TYPE_CHECKING:
    from .summary import Report

MAX_ROWS = 25  # rows of a list; the end of the page says where all are

_STRETCHED = 'preserveAspectRatio="none" aria-hidden="true"'


class Bar(NamedTuple):
    """One row of a list of bars.

    value   the length of the bar, in any unit
    figure  the value as text
    """

    label: str
    detail: str
    value: float
    figure: str


class Share(NamedTuple):
    """One part of a bar that is a whole. `kind` is its CSS class."""

    kind: str
    label: str
    number: int


def text(value: str) -> str:
    """Text of unknown origin, for a place between tags or in an attribute's quotes."""
    return escape(shown(value))


def static_text(name: str) -> str:
    """A file of the folder `static`."""
    return (files(__package__) / "static" / name).read_text("utf-8")


def content_policy(style: str, script: str = "") -> str:
    """A Content-Security-Policy: a page may use this style and this script, and load nothing."""
    scripts = ""
    if script:
        scripts = (
            f"script-src {_digest(script)}; require-trusted-types-for 'script'; "
            "trusted-types 'none'; "
        )
    return (
        f"default-src 'none'; style-src {_digest(style)}; {scripts}img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"


def section(title: str, note: str, body: str) -> str:
    """A section with a heading; "" if the body is empty."""
    if not body:
        return ""
    small = f" <small>{text(note)}</small>" if note else ""
    return f"<section><h2>{title}{small}</h2>{body}</section>\n"


def facts(values: Mapping[str, str]) -> str:
    """Names and values, for a definition list."""
    return "".join(
        f"<div><dt>{name}</dt> <dd>{text(value)}</dd></div>" for name, value in values.items()
    )


def figures(values: Mapping[str, str]) -> str:
    """Figures and their names, for a definition list: each figure before its name."""
    return "".join(f"<div><dd>{value}</dd><dt>{name}</dt></div>" for name, value in values.items())


def shares(parts: Iterable[Share]) -> str:
    """One bar for the whole, with a key; "" if all counts are 0."""
    counted = [part for part in parts if part.number]
    whole = sum(part.number for part in counted)
    at, pieces, key = 0.0, [], []
    for kind, label, number in counted:
        share = 100 * number / whole
        pieces.append(f'<rect class="{kind}" x="{at:.2f}" width="{share:.2f}" height="6"/>')
        key.append(f'<li class="{kind}"><span><b>{number:,}</b> {label}</span></li>')
        at += share
    if not counted:
        return ""
    picture = f'<svg class="whole" viewBox="0 0 100 6" {_STRETCHED}>{"".join(pieces)}</svg>'
    return f'{picture}<ul class="key">{"".join(key)}</ul>'


def bars(rows: Sequence[Bar], max_rows: int = MAX_ROWS) -> str:
    """Bars as long as their values, the longest as wide as the page; "" without rows."""
    longest = max((row.value for row in rows), default=0.0) or 1.0
    items = "".join(_bar(row, 100 * row.value / longest) for row in rows[:max_rows])
    return f'<ol class="bars">{items}</ol>{more(len(rows) - max_rows)}' if rows else ""


def count_bars(counts: Iterable[tuple[str, int]]) -> str:
    """A bar for each name, as long as its count."""
    return bars([Bar(name, "", count, f"{count:,}") for name, count in counts])


def _bar(row: Bar, share: float) -> str:
    detail = f"<small>{text(row.detail)}</small>" if row.detail else ""
    return (
        f"<li><span><bdi>{text(row.label)}</bdi>{detail}</span><b>{text(row.figure)}</b>"
        f'<svg viewBox="0 0 100 4" {_STRETCHED}><rect width="{share:.2f}" height="4"/></svg></li>'
    )


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int]) -> str:
    """A table; "" without rows. `right`: the columns with numbers, from 0."""
    if not rows:
        return ""
    kinds = [' class="number"' if at in right else "" for at in range(len(head))]
    heads = "".join(f"<th{kind}>{name}</th>" for kind, name in zip(kinds, head, strict=True))
    body = "".join(f"<tr>{_cells(head, kinds, row)}</tr>" for row in rows[:MAX_ROWS])
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    return table + more(len(rows) - MAX_ROWS)


def _cells(head: Sequence[str], kinds: Sequence[str], row: Sequence[str]) -> str:
    """Each cell has its column's name, which a narrow screen shows in place of the head."""
    return "".join(
        f'<td{kind} data-name="{name}">{text(cell)}</td>'
        for name, kind, cell in zip(head, kinds, row, strict=True)
    )


def more(count: int) -> str:
    """How many further rows there are; "" where there are none."""
    return f'<p class="more">and {count:,} more</p>' if count > 0 else ""


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
    for name, number in report.stats_under(names.TAGS).items():
        part, _, action = name.partition("/")
        parts.setdefault(part, {})[action] = number
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


def page(report: Report, data: str) -> str:
    """The page. `data` is the name of the file beside it, which has all the figures."""
    address = quote(fsencode(data))  # a name need not be UTF-8
    style = static_text("page.css")
    return Template(static_text("page.html")).substitute(
        policy=content_policy(style),
        style=style,
        kind="report",
        title=text(report.spider),
        about=_about(report),
        figures=_figures(report),
        sections="".join(sections(report)),
        end=f'<footer>All figures are in <a href="{text(address)}" download>{text(data)}</a>, '
        "beside this page.</footer>\n",
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
            "in trouble": f"{report.trouble:,}",
            "longest wait": elapsed(longest),
            "waited for robots.txt, in all": elapsed(report.waited),
            "waited for delays, in all": elapsed(report.held),
            "put back at the end": f"{report.put_back:,}",
        }
    )


PAGE, DATA = ".html", ".json"


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """The paths of a report's files.

    page      None if only the data is wanted
    replaces  whether files with these names are replaced; else the new ones get a number
    """

    page: Path | None
    data: Path
    replaces: bool = True

    @classmethod
    def of(cls, path: Path, *, replaces: bool = True) -> ReportFiles:
        """The files for a path that ends in .html or .json.

        ValueError, with the reason, if no files can be created there.
        """
        if path.suffix not in (PAGE, DATA):
            raise ValueError(f"it must be the path of a file that ends in {PAGE} or {DATA}")
        files = cls(path if path.suffix == PAGE else None, path.with_suffix(DATA), replaces)
        try:
            with TemporaryFile(dir=path.parent), suppress(FileNotFoundError):
                part_of(path).stat()
        except OSError as error:
            raise ValueError(f"no file can be created there: {error.strerror}") from None
        except ValueError as error:  # the system's encoding has no such characters, for example
            raise ValueError(f"no file can have that name: {error}") from None
        for file in filter(None, (files.page, files.data)):
            if file.is_dir():
                raise ValueError(f"{file} is a folder")
        return files

    def write(self, report: Report) -> ReportFiles:
        """Write the files. The result has their names. On OSError all files are as they were."""
        if self.replaces:
            self._write(report)
            return self
        files = self._with_free_number()
        try:
            files._write(report)  # noqa: SLF001 - of the same class
        except BaseException:
            files.data.unlink(missing_ok=True)
            raise
        return files

    def _with_free_number(self) -> ReportFiles:
        """The first names that no file has: "report.json", "report.2.json". The data file is made,
        so that no crawl that ends at the same time, in whatever process, gets them, too.
        """
        for number in count(1):
            tail = "" if number == 1 else f".{number}"
            data = self.data.with_name(f"{self.data.stem}{tail}{DATA}")
            with suppress(FileExistsError):
                data.touch(exist_ok=False)
                return ReportFiles(self.page and data.with_suffix(PAGE), data)
        raise AssertionError  # count() does not end

    def _write(self, report: Report) -> None:
        # Only crawls with a report need them.
        from .summary import json_parts  # noqa: PLC0415

        with whole_file(self.data) as data:
            data.writelines(text.encode("utf-8", "replace") for text in json_parts(report))
            data.flush()  # a disk that is full must show it before the page is replaced
            if self.page is not None:
                with whole_file(self.page) as file:
                    file.write(page(report, self.data.name).encode("utf-8", "replace"))


class ReportWriter:
    """Writes the report of one crawl, which begins now.

    agent    the product token of the crawl; `dialect`: the name of its dialect
    files    the files to write
    now      returns seconds since the epoch
    """

    def __init__(
        self,
        crawler: Crawler,
        counts: CrawlCounts,
        agent: str,
        dialect: str,
        files: ReportFiles,
        now: Callable[[], float],
    ) -> None:
        self.crawler, self.counts, self.now = crawler, counts, now
        self.agent, self.dialect = agent, dialect
        self.files = files
        self.began = now()
        self.log = CrawlLog(crawler)

    def write(self, reason: str) -> None:
        """Write the files. `reason`: why the spider was closed. Errors are logged, not raised."""
        try:
            written = self.files.write(self._report(reason))
        except OSError as error:
            path = self.files.page or self.files.data
            self.log.error(  # noqa: TRY400 - a traceback would say no more
                "The report of the crawl could not be written to %(path)s: %(error)s",
                {"path": path, "error": error.strerror or error},
            )
        else:
            path = written.page or written.data
            self.log.info("The report of the crawl is in %(path)s", {"path": path})

    def _report(self, reason: str) -> Report:
        assert self.crawler.spider is not None  # it has just been closed
        return Report(
            self.crawler.spider.name,
            self.agent,
            self.dialect,
            self.began,
            self.now(),
            reason,
            self.counts.origins,
            self._figures(),
            self.counts.samples,
        )

    def _figures(self) -> dict[str, float]:
        """The stats of robots.txt; none if the collector fails, such as when its server is gone."""
        assert self.crawler.stats is not None  # the crawl has just ended
        try:
            return _as_numbers(self.crawler.stats.get_stats())
        except Exception:  # a collector may raise any
            self.log.exception("The report of the crawl is written without the stats")
            return {}


def _as_numbers(stats: Mapping[str, Any]) -> dict[str, float]:
    """The stats of robots.txt. What is no number is not ours, and no page could show it."""
    numbers = ((name, _number(value)) for name, value in stats.items() if name.startswith(PREFIX))
    return {name: number for name, number in numbers if number is not None}


def _number(value: Any) -> float | None:
    """A stat as a number: scrapy-redis keeps stats in Redis, and gives text."""
    if isinstance(value, str):
        with suppress(ValueError, OverflowError):
            return int(float(value))
    return value if isinstance(value, int | float) else None
