"""Findings about the whole file: its encoding, its size, and whether it is a robots.txt at all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from operator import itemgetter
from unicodedata import category, name
from urllib.parse import quote

from ..rep.access import (
    AccessMode,
    FetchResult,
    is_html_page,
    is_wide,
    judge,
    looks_like_text,
    remember,
    start_of,
)
from ..rep.dialect import Dialect
from ..rep.escapes import listed
from ..rep.match import reading_of
from ..rep.text import GOOGLE_LINE, bytes_read
from .findings import Edit, Finding, quoted
from .habits import MARK, cuts_lines, skips_mark
from .source_file import SourceFile

# How a page, or a part of one, may start too; and so may a robots.txt with a strange comment.
_TAG = re.compile(
    rb"\s*<(?:!--|!doctype|/?(?:meta|title|body|script|style|link|div|p|br|center|h[1-6]|pre|b|"
    rb"table|font|a|img|iframe|noscript|span|form|frameset|base|svg|rss|error)\b)",
    re.IGNORECASE,
)
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f]+")
_READ = re.compile("\n([^#\n]+)")
_NO_BREAK_SPACE = "\xa0"  # in ISO 8859-1 and in what Windows makes of it
# Controls, marks of direction and of format, spaces but the common one, line separators.
_UNSEEN = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"  # words of Persian and of Indian languages hold them


def html_page(source: SourceFile) -> Iterator[Finding]:
    is_part = _TAG.match(start_of(source.body)) is not None
    if is_html_page(source.body) or (is_part and not source.agents):
        yield source.finding(
            "R105",
            source.span_of_line(1),
            f"this is an HTML page in place of a robots.txt: {_rules_in_page(source)}",
            "answer /robots.txt with 404, or with a file of type text/plain",
        )


def _rules_in_page(source: SourceFile) -> str:
    result = FetchResult(200, source.body, media_type="text/html")
    access = judge(remember(None, result, 0.0), 0.0, source.dialect.access)
    has_rules = access.mode is AccessMode.RULES and any(group.rules for group in source.groups)
    what_it_does = "obeys the rules" if has_rules else "reads no rule"
    return f"{source.dialect.name} {what_it_does} in it"


def mark(source: SourceFile) -> Iterator[Finding]:
    """A mark before a line that says something: a comment or a blank line may have one."""
    first_line = next(source.lines, None) if source.body.startswith(MARK) else None
    if first_line is None or source.line_of(first_line) != 1:
        return
    spoilt = [d.name for d in source.dialects if not skips_mark(d)]
    first = source.written[0][len(MARK) :]
    # A second mark, or the start of one, would be skipped once it stands at the start.
    edits = [] if first.startswith("\xef") else [Edit(1, first)]
    yield source.finding(
        "R101",
        source.span_of_line(1),
        f"the file starts with a byte order mark, with which {listed(spoilt)} cannot read line 1",
        "save the file as UTF-8 without a byte order mark",
        tuple(spoilt),
        edits,
    )


def no_text(source: SourceFile) -> Iterator[Finding]:
    """A file in which no line can be read."""
    if is_wide(source.body):
        yield source.finding(
            "R102",
            source.span_of_line(1),
            "the file is in UTF-16 or UTF-32: no engine can read a line of it",
            "save the file as UTF-8",
        )
    elif not source.agents and not looks_like_text(source.body):
        yield _unlike_text(source)


def _unlike_text(source: SourceFile) -> Finding:
    return source.finding(
        "R102",
        source.span_of_line(1),
        "the file does not look like text: no rules can be expected of it",
        "serve the text itself; where it is packed, with the header Content-Encoding",
    )


def encoding(source: SourceFile) -> Iterator[Finding]:
    if not looks_like_text(source.body):
        yield _unlike_text(source)
        return
    if source.text.isascii():
        return
    for match in _READ.finditer(source.text):  # comments may be in any encoding
        if not match[0].isascii() and (at := _first_fault(match[0])) >= 0:
            start = match.start() + at
            message, fix = "this octet is not UTF-8", "save the file as UTF-8"
            if source.text[start] == _NO_BREAK_SPACE:
                message += ": in ISO 8859-1 it is a no-break space, which nobody sees"
                fix = "remove it"
            elif source.grammar.rule.match(source.text, match.start()):
                message += ": a crawler compares it with URLs that are"
                fix = "write the path percent-encoded, as it stands in the site's own links"
            yield source.finding("R102", (start, start + 1), message, fix)
            return


def _first_fault(octets: str) -> int:
    """Where the text stops being UTF-8; -1 where it does not."""
    try:
        octets.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return -1


def size(source: SourceFile) -> Iterator[Finding]:
    over = {d: bytes_read(source.size, d) for d in source.dialects}
    over = {d: read for d, read in over.items() if read < source.size}
    if not over:
        return
    last = source.line_at(len(source.text))
    opened = [dialect.name for dialect, read in over.items() if not read]
    cut = _by_limit((read, dialect) for dialect, read in over.items() if read)
    effects = [f"{listed(names)} read the first {limit:,} only" for limit, names in cut.items()]
    if opened:
        effects.append(f"{listed(opened)} {'obeys' if len(opened) == 1 else 'obey'} none of it")
    yield source.finding(
        "R103",
        source.span_of_line(last),
        f"the file has {source.size:,} octets: {'; '.join(effects)}",
        "join rules by their common start, or with *",
        tuple(dialect.name for dialect in over),
    )


def _by_limit(limits: Iterable[tuple[int, Dialect]]) -> dict[int, list[str]]:
    """The names of the dialects that have each limit: a dialect of the user may have its own."""
    names: dict[int, list[str]] = {}
    for limit, dialect in limits:
        names.setdefault(limit, []).append(dialect.name)
    return names


def long_lines(source: SourceFile) -> Iterator[Finding]:
    cutting = tuple(d.name for d in source.dialects if cuts_lines(d))
    if len(source.body) <= GOOGLE_LINE:
        return
    for number, line in source.lines_read:
        if len(line) > GOOGLE_LINE:
            yield source.finding(
                "R104",
                source.span_of_line(number),
                f"the line has {len(line):,} octets: {listed(cutting)} reads the first "
                f"{GOOGLE_LINE:,}",
                "one rule a line; a value this long is never a path",
                cutting,
            )


def controls(source: SourceFile) -> Iterator[Finding]:
    for number, line in source.lines_read:
        match = _CONTROLS.search(line)
        if match:
            start, end = source.span_of_line(number)
            at = min(start + match.start(), end)
            yield source.finding(
                "R106",
                (at, min(at + len(match[0]), end)),
                f"the line holds {match[0][:8]!r}, which no URL does; some stop reading at a NUL",
                "remove the control characters",
            )


def unseen(source: SourceFile) -> Iterator[Finding]:
    if source.text.isascii():
        return
    for line in source.directives():
        character = first_unseen(line[2])
        if character:
            octets = character.encode()
            start = line.start(2) + line[2].index(octets.decode("latin-1"))
            yield source.finding(
                "R112",
                (start, start + len(octets)),
                f"the value holds {named(character)}, which nobody sees",
                f"remove it; in a path that shall hold it, write {quote(octets)}",
            )


def first_unseen(octets: str) -> str:
    """The first character that nobody sees; "" where there is none, or no UTF-8 (R102)."""
    if octets.isascii() or _first_fault(octets) >= 0:
        return ""
    return next(filter(_is_unseen, octets.encode("latin-1").decode("utf-8")), "")


def _is_unseen(character: str) -> bool:
    return category(character) in _UNSEEN and not (character.isascii() or character in _JOINERS)


def named(character: str) -> str:
    """Such as "U+200B (zero width space)"."""
    words = name(character, "").lower()
    return f"U+{ord(character):04X}" + (f" ({words})" if words else "")


def rule_count(source: SourceFile) -> Iterator[Finding]:
    """A crawler may be bound by several groups: what counts is the sum of their rules."""
    count = sum(len(group.rules) for group in source.groups)
    for dialect in source.dialects:
        if reading_of(dialect).are_too_many(count):
            yield from _too_many_rules(source, dialect)


def _too_many_rules(source: SourceFile, dialect: Dialect) -> Iterator[Finding]:
    reading = reading_of(dialect)
    counts: Counter[str] = Counter()
    for group in source.groups:
        count = sum(reading.is_read(rule.allow, rule.path) for rule in group.rules)
        counts.update(dict.fromkeys(group.names, count))
    for group in source.groups:
        name, count = max(((name, counts[name]) for name in sorted(group.names)), key=itemgetter(1))
        if reading.are_too_many(count):
            yield source.finding(
                "R107",
                source.span_of_line(group.lines[0] if group.lines else 1),
                f"{count:,} rules bind {quoted(name)}: {dialect.name} then obeys none",
                "join rules by their common start, or with *",
                (dialect.name,),
            )


CHECKS = (mark, encoding, size, long_lines, controls, unseen, rule_count)
