"""A record as one page to print: who crawled, what was requested, what was refused, and why.

The page looks like the report of a crawl, and is as closed: no script, nothing from elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from string import Template

from ..rep.usage import statement
from ..report.formats import counted
from ..report.html import (
    Bar,
    bars,
    content_policy,
    count_bars,
    facts,
    figures,
    html_table,
    section,
    static_text,
    text,
)
from .overview import MAX_COUNTED, Overview
from .words import reason_words, software_words, source_words, time_words


def audit_page(overview: Overview) -> str:
    style = static_text("page.css")
    return Template(static_text("page.html")).substitute(
        policy=content_policy(style),
        style=style,
        kind="record",
        title=text(", ".join(sorted({file.crawl["spider"] for file in overview.files}))),
        about=_about(overview),
        figures=_figures(overview),
        sections="".join(_sections(overview)),
        end="<footer>Made by scrapy robots audit report. The files of the record prove what this "
        "page says, and hold what it leaves out.</footer>",
    )


def _about(overview: Overview) -> str:
    crawls = [file.crawl for file in overview.files]
    values = {
        "crawler": {crawl["agent"] for crawl in crawls},
        "User-Agent": {crawl["user_agent"] for crawl in crawls},
        "dialect": {crawl["dialect"] for crawl in crawls},
        "purposes": {", ".join(crawl["purposes"]) or "none declared" for crawl in crawls},
        "began": {_time(min(crawl["began"] for crawl in crawls))},
        "ended": {_time(max(file.ended for file in overview.files))},
        "software": {software_words(crawl) for crawl in crawls},
    }
    return facts({name: "; ".join(sorted(texts)) for name, texts in values.items()})


def _time(moment: str) -> str:
    return time_words(moment) if moment else "not recorded"


def _figures(overview: Overview) -> str:
    refused = sum(overview.refused.values())
    exempt = sum(overview.exempt.values())
    origins = len(overview.origins)
    agree = overview.decisions - exempt - overview.differ
    numbers = {
        "requests passed": overview.passed,
        "would be refused" if overview.dry_run else "requests refused": refused,
        "origins" if origins <= MAX_COUNTED else "or more origins": min(origins, MAX_COUNTED),
        "robots.txt recorded": sum(overview.sources.values()),
        **({"tdmrep.json recorded": overview.tdmreps} if overview.tdmreps else {}),
        "decided anew, same answer": agree,
    }
    return figures({name: f"{number:,}" for name, number in numbers.items()})


def _sections(overview: Overview) -> Iterable[str]:
    yield section("Is the record whole?", "", _wholeness(overview))
    yield section("Refused, by kind of reason", "", _counts(overview.refused, reason_words))
    yield section("Refused, by rule and line", "", bars(_causes(overview)))
    yield section(
        "Purposes that were declared", "decisions made for each", _counts(overview.declared)
    )
    yield section(
        "Statements on the use of pages", "decisions that each holds for", _preferences(overview)
    )
    yield section("Where each robots.txt came from", "", _counts(overview.sources, source_words))
    yield section("What the requests for robots.txt brought", "", _counts(overview.fetches))
    yield section("Dialects that decided", "", _counts(overview.dialects))
    yield section("Names of the crawler", "", _counts(overview.agents))
    yield section(
        "Settings for single hosts and requests", "decisions", _counts(overview.overrides)
    )
    yield section("Requests about which no robots.txt was asked", "", _counts(overview.exempt))
    yield section("Files of the record", "the hash is that of the last line", _files(overview))
    yield section("Settings in force", "", _settings(overview))


def _wholeness(overview: Overview) -> str:
    differ = overview.differ
    sentences = [
        "Every line is as it was written: the chain of hashes is whole.",
        "All decisions were made again from the recorded octets, with the same answers."
        if not differ
        else f"{counted(differ, 'decision')} had another answer when made again.",
    ]
    sentences += [f"{note}." for note in overview.notes]
    return f"<p>{text(' '.join(sentences))}</p>"


def _causes(overview: Overview) -> list[Bar]:
    return [
        Bar(cause or origin, origin if cause else "", count, f"{count:,}")
        for (origin, cause), count in overview.causes.most_common()
    ]


def _counts(counter: Counter[str], words: Callable[[str], str] = str) -> str:
    return count_bars((words(name), count) for name, count in counter.most_common())


def _preferences(overview: Overview) -> str:
    lines = [
        (": ".join(filter(None, (label, statement(label, key, value)))), f"{count:,}")
        for (label, key, value), count in overview.preferences.most_common()
    ]
    return html_table(("preference", "decisions"), lines, right={1})


def _files(overview: Overview) -> str:
    lines = [
        (str(file.path), f"{file.lines:,}", file.reason or "not ended here", file.hash)
        for file in overview.files
    ]
    fingerprints = sorted({item for file in overview.files for item in file.fingerprints.items()})
    dialects = html_table(("dialect", "fingerprint of its options"), fingerprints, right=set())
    return html_table(("file", "lines", "crawl ended", "hash"), lines, right={1}) + dialects


def _settings(overview: Overview) -> str:
    pairs = {pair for file in overview.files for pair in file.crawl["settings"].items()}
    return html_table(("setting", "value"), sorted(pairs), right=set())
