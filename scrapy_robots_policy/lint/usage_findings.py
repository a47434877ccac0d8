"""Findings about Content-Usage, Content-Signal and License lines: what a site says about the use
of pages.

`rep.usage` reads such lines, and says which crawlers they bind; there is no second parser here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from ..rep.escapes import listed
from ..rep.groups import Groups
from ..rep.usage import (
    CONTENT_SIGNAL,
    CONTENT_USAGE,
    LABELS,
    LEVELS,
    LICENSE,
    PURPOSES,
    USE,
    VOCAB,
    Preference,
    combined,
    read_value,
    split_value,
)
from .findings import Finding, quoted
from .source_file import SourceFile, Span

_EXAMPLES = {CONTENT_USAGE: "train-ai=n, search=y", CONTENT_SIGNAL: "ai-train=no, search=yes"}

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.")  # RFC 3986 §3.1: it starts with a scheme


def _labelled_lines(
    source: SourceFile, span: Span | None = None
) -> Iterator[tuple[str, re.Match[str]]]:
    """The lines about the use of pages, each with its label."""
    for line in source.directives(span):
        label = LABELS.get(line[1].lower(), LICENSE)
        if label != LICENSE:
            yield label, line


def _span(line: re.Match[str]) -> Span:
    """The value of a line; its key where there is no value."""
    return line.span(2) if line[2] else line.span(1)


def unreadable(source: SourceFile) -> Iterator[Finding]:
    for label, line in _labelled_lines(source):
        _, value = split_value(label, line[2])
        if not any(read_value(label, value)):
            kind = "dictionary (RFC 9651)" if label == CONTENT_USAGE else "list of keys and values"
            yield source.finding(
                "R504",
                _span(line),
                f"{quoted(value)} is no {kind}: the line has no effect",
                f"write keys and values, such as {label}: {_EXAMPLES[label]}",
            )


def relative_licences(source: SourceFile) -> Iterator[Finding]:
    for line in source.directives():
        if LABELS.get(line[1].lower()) == LICENSE and not _ABSOLUTE.match(line[2]):
            yield source.finding(
                "R503",
                _span(line),
                f"{quoted(line[2])} is no whole URL: nobody knows which licence is meant",
                "write https://, the host, and the path",
            )


def unknown(source: SourceFile) -> Iterator[Finding]:
    for label, line in _labelled_lines(source):
        _, value = split_value(label, line[2])
        preferences = [Preference(label, key, value) for key, value in read_value(label, value)]
        why = next(filter(None, map(_why_unknown, preferences)), "")
        if why:
            yield source.finding("R507", _span(line), why)


_ALL_KEYS = {pair for pairs in PURPOSES.values() for pair in pairs} | {(CONTENT_SIGNAL, USE)}
_KEYS = {
    label: sorted(key for other, key in _ALL_KEYS if other == label) for label in LABELS.values()
}
# Labels of earlier drafts of aipref-vocab.
_RETIRED = frozenset({"ai", "ai-output", "all", "bots", "genai", "inference", "tdm", "train-genai"})


def _why_unknown(preference: Preference) -> str:
    """What keeps a preference from being obeyed; "" where nothing does."""
    keys = _KEYS[preference.label]
    if preference.label == CONTENT_USAGE and preference.key in _RETIRED:
        return (
            f"{quoted(preference.key)} is a label of earlier drafts: readers of {VOCAB} ignore it; "
            f"{CONTENT_USAGE} has {listed(keys)}"
        )
    if preference.key not in keys:
        return (
            f"{quoted(preference.key)} is no use known here; {preference.label} has {listed(keys)}"
        )
    if preference.label == CONTENT_SIGNAL and preference.key == USE:
        if preference.level >= 0:
            return ""
        return f"{quoted(preference.value)} of {USE} is no level; the levels are {listed(LEVELS)}"
    if not preference.refuses and not preference.grants:
        return f"{quoted(preference.value)} of {preference.key} neither grants nor refuses anything"
    return ""


def _outside(source: SourceFile) -> Iterator[Span]:
    """The parts of the text outside all groups."""
    return Groups(source.text, source.dialect).outside()


def outside(source: SourceFile) -> Iterator[Finding]:
    for span in _outside(source):
        for line in source.directives(span):
            if LABELS.get(line[1].lower()) == CONTENT_USAGE:
                yield source.finding(
                    "R505",
                    (line.start(1), line.end(2)),
                    f"no User-agent line stands before this {CONTENT_USAGE}: it binds nobody",
                    "put it below User-agent: *",
                )


def conflicts(source: SourceFile) -> Iterator[Finding]:
    """Lines for the same crawlers that contradict each other: those of groups that name the same
    crawlers, and those outside all groups.
    """
    contradicted: dict[Preference, int] = {}
    for lines in _lines_of_groups(source):
        uses: dict[tuple[str, str, str], list[Preference]] = {}
        for label, path, preference in lines:
            uses.setdefault((label, path, preference.key), []).append(preference)
        for same_use in uses.values():
            (obeyed,) = combined(same_use)
            contradicted |= {use: obeyed.line for use in same_use if use.value != obeyed.value}
    for weaker, number in sorted(contradicted.items(), key=lambda pair: pair[0].line):
        yield source.finding(
            "R506",
            source.span_of_line(weaker.line),
            f"line {number} says otherwise of {quoted(weaker.key)} for that path, and is obeyed",
            "keep one of the two",
        )


# label, path, preference
_Use = tuple[str, str, Preference]


def _lines_of_groups(source: SourceFile) -> list[list[_Use]]:
    """The lines outside all groups, and for each set of crawlers those of its groups that bind."""
    uses_of: dict[frozenset[str], list[_Use]] = {}
    starts = [agent_list.lines[0].start() for agent_list in source.lists]
    first: dict[str, int] = {}  # by name, the number of the first group that has it
    for agent_list in source.lists_parted_by(source.grammar.closer, source.grammar.usage):
        start = agent_list.lines[0].start()
        names = frozenset(line[2].lower() for line in agent_list.lines)
        number = bisect_right(starts, start)
        for name in names:
            first.setdefault(name, number)
        if any(
            first[name] == number or not source.reads_first_only(frozenset({name}))
            for name in names
        ):
            span = start, source.end_of(agent_list)
            uses_of.setdefault(names, []).extend(_uses(source, span))
    outside = [use for span in _outside(source) for use in _uses(source, span)]
    return [[use for use in outside if use[0] == CONTENT_SIGNAL], *uses_of.values()]


def _uses(source: SourceFile, span: Span) -> Iterator[_Use]:
    for label, line in _labelled_lines(source, span):
        path, value = split_value(label, line[2])
        number = source.line_of(line)
        for key, written in read_value(label, value):
            yield label, path, Preference(label, key, written, number)


CHECKS = (unreadable, relative_licences, unknown, outside, conflicts)
