"""Findings about what is said of the use of pages: Content-Usage and Content-Signal lines.

Knows: which uses there are. Must not know: how such lines are written, whom they bind, which of
several holds: `..usage` is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..rep.groups import Groups
from ..rep.url import readable
from ..rep.usage import (
    CONTENT_USAGE,
    LABELS,
    LICENSE,
    PURPOSES,
    Preference,
    UsageLines,
    combined,
    path_of,
    read_value,
)
from .findings import Finding, listed
from .linted_file import Source, Span, values
from .rule_findings import SITE

_WRITE = {CONTENT_USAGE: "train-ai=n, search=y"}
_OTHERWISE = "ai-train=no, search=yes"


def _said(source: Source) -> Iterator[tuple[str, re.Match[str]]]:
    """The lines with keys, each with its label."""
    for found in values(source, (0, len(source.text))):
        label = LABELS.get(found[1].lower(), LICENSE)
        if label != LICENSE:
            yield label, found


def _span(line: re.Match[str]) -> Span:
    """The value of a line; its key where there is no value."""
    return line.span(2) if line[2] else line.span(1)


def unreadable(source: Source) -> Iterator[Finding]:
    for label, line in _said(source):
        _, value = path_of(line[2])
        if not any(read_value(label, value)):
            kind = "dictionary (RFC 9651)" if label == CONTENT_USAGE else "list of keys and values"
            yield source.finding(
                "R504",
                _span(line),
                f"{readable(value)!r} is no {kind}: the line says nothing",
                f"write keys and values, such as {label}: {_WRITE.get(label, _OTHERWISE)}",
            )


def unknown(source: Source) -> Iterator[Finding]:
    for label, line in _said(source):
        _, value = path_of(line[2])
        for key, told in read_value(label, value):
            why = _why_unknown(Preference(label, key, told))
            if why:
                yield source.finding("R507", _span(line), why)


def _why_unknown(told: Preference) -> str:
    """What keeps a preference from being heeded; "" where nothing does."""
    all_keys = {pair for pairs in PURPOSES.values() for pair in pairs}
    keys = sorted(key for label, key in all_keys if label == told.label)
    if told.key not in keys:
        return f"{readable(told.key)!r} is no use known here; {told.label} has {listed(keys)}"
    if not told.refuses and not told.grants:
        return f"{readable(told.value)!r} of {told.key} neither grants nor refuses: it says nothing"
    return ""


def _lines(source: Source) -> UsageLines:
    return UsageLines(source.text, Groups(source.text, source.dialect), source.dialect)


def outside(source: Source) -> Iterator[Finding]:
    for start, end in _lines(source).outside():
        for line in values(source, (start, end)):
            if LABELS.get(line[1].lower()) == CONTENT_USAGE:
                yield source.finding(
                    "R505",
                    (line.start(1), line.end(2)),
                    f"no User-agent line stands before this {CONTENT_USAGE}: it binds nobody",
                    "put it below User-agent: *",
                )


def conflicts(source: Source) -> Iterator[Finding]:
    lines = _lines(source)
    told: set[tuple[int, Preference]] = set()
    for name, _ in source.bound:
        said: dict[tuple[str, str, str], list[Preference]] = {}
        for line in lines.binding(name, SITE):
            for one in line.preferences if line.label != LICENSE else ():
                said.setdefault((line.label, line.path, one.key), []).append(one)
        for among in said.values():
            (heard,) = combined(among)
            told |= {(heard.line, one) for one in among if one.value != heard.value}
    for number, unheard in sorted(told, key=lambda pair: pair[1].line):
        yield source.finding(
            "R506",
            source.span_of_line(unheard.line),
            f"line {number} says otherwise of {readable(unheard.key)} for that path, and counts",
            "keep one of the two",
        )


CHECKS = (unreadable, unknown, outside, conflicts)
