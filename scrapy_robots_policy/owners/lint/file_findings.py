"""Findings about the whole file (its encoding, its size, whether it is a robots.txt at all), and
about single lines: keys, colons, comments.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import itemgetter
from unicodedata import category, name
from urllib.parse import quote

from ...rep.access import AccessMode, FetchResult, judge, remember
from ...rep.dialect import Dialect
from ...rep.escapes import listed
from ...rep.match import reading_of
from ...rep.sniffing import is_html_page, is_wide, looks_like_text, start_of
from ...rep.text import SPELLINGS, WHITE, bytes_read
from .findings import Edit, Finding, quoted
from .habits import MARK, skips_mark
from .source_file import SourceFile, whole

# How a page, or a part of one, may start too; and so may a robots.txt with a strange comment.
_TAG = re.compile(
    rb"\s*<(?:!--|!doctype|/?(?:meta|title|body|script|style|link|div|p|br|center|h[1-6]|pre|b|"
    rb"table|font|a|img|iframe|noscript|span|form|frameset|base|svg|rss|error)\b)",
    re.IGNORECASE,
)
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
            message, fix = "this byte is not UTF-8", "save the file as UTF-8"
            if source.text[start] == _NO_BREAK_SPACE:
                message += ": in ISO 8859-1 it is a no-break space, which nobody sees"
                fix = "remove it"
            elif source.grammar.rule.match(source.text, match.start()):
                message += ": a crawler compares it with URLs that are"
                fix = "write the path percent-encoded, as it stands in the site's own links"
            yield source.finding("R102", (start, start + 1), message, fix)
            return


def _first_fault(text: str) -> int:
    """Where the text stops being UTF-8; -1 where it does not."""
    try:
        text.encode("latin-1").decode("utf-8")
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
        f"the file has {source.size:,} bytes: {'; '.join(effects)}",
        "join rules by their common start, or with *",
        tuple(dialect.name for dialect in over),
    )


def _by_limit(limits: Iterable[tuple[int, Dialect]]) -> dict[int, list[str]]:
    """The names of the dialects that have each limit: a dialect of the user may have its own."""
    names: dict[int, list[str]] = {}
    for limit, dialect in limits:
        names.setdefault(limit, []).append(dialect.name)
    return names


def unseen(source: SourceFile) -> Iterator[Finding]:
    if source.text.isascii():
        return
    for line in source.directives():
        character = first_unseen(line[2])
        if character:
            sent = character.encode()
            start = line.start(2) + line[2].index(sent.decode("latin-1"))
            yield source.finding(
                "R112",
                (start, start + len(sent)),
                f"the value holds {named(character)}, which nobody sees",
                f"remove it; in a path that shall hold it, write {quote(sent)}",
            )


def first_unseen(text: str) -> str:
    """The first character that nobody sees; "" where there is none, or no UTF-8 (R102)."""
    if text.isascii() or _first_fault(text) >= 0:
        return ""
    return next(filter(_is_unseen, text.encode("latin-1").decode("utf-8")), "")


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


FILE = (mark, encoding, size, unseen, rule_count)
# Keys that are no rules but are read by somebody, or were.
EXTENSIONS = (
    "Crawl-delay",
    "Request-rate",
    "Visit-time",
    "Clean-param",
    "Host",
    "Noindex",
    "Indexpage",
    "Content-Signal",
    "Content-Usage",
    "License",
)
_KEYS = {key.lower(): key for key in ("User-agent", "Allow", "Disallow", "Sitemap", *EXTENSIONS)}
# Keys of proposals that no engine is known to read, and what to do about them.
_TRAINING = "write Content-Signal: ai-train={}, or Content-Usage: train-ai={}"
_PROPOSED = {
    "disallowaitraining": _TRAINING.format("no", "n"),
    "allowaitraining": _TRAINING.format("yes", "y"),
    # draft-meunier-signature-agent-rep
    "signature-agent": "remove it and its rules: they bind the crawlers of the group above it",
    "max-crawl-rate": "write Crawl-delay: and the seconds between two requests",
}
_NEAR = 0.8  # of difflib's 1.0; "Dissalow" has 0.88 of "Disallow", "Disallowed-by" 0.76
_LONGEST_KEY = 32  # bytes
_MARK = "\xef\xbb\xbf"
_SECOND_KEY = re.compile(
    rf"(?:^|[{WHITE}]|^/(?=u))(user-agent|allow|disallow|sitemap|crawl-delay)[{WHITE}]*:",
    re.IGNORECASE,
)
_WORDS = re.compile(rf"\n[{WHITE}]*([^{WHITE}\n#]+)([{WHITE}]+[^{WHITE}\n#])?")


def _known_spellings() -> dict[str, str]:
    """All spellings that some dialect reads, and the right ones."""
    spellings = dict(_KEYS)
    for keys in SPELLINGS.values():
        for spelt, key in zip(keys, ("User-agent", "Allow", "Disallow", "Sitemap"), strict=True):
            spellings |= dict.fromkeys(spelt, key)
    return spellings


_SPELLINGS = _known_spellings()
_STARTS = tuple(_SPELLINGS)


def meant_key(key: str) -> str:
    """The key that was meant; "" where none is near."""
    return _meant(key.strip().lower()) if len(key) <= _LONGEST_KEY else ""


@lru_cache(maxsize=1024)
def _meant(key: str) -> str:
    if key in _SPELLINGS:
        return _SPELLINGS[key]
    near = difflib.get_close_matches(key, _KEYS, n=1, cutoff=_NEAR)
    return _KEYS[near[0]] if near else ""


def _is_read(source: SourceFile, line: re.Match[str]) -> bool:
    """Whether it is a User-agent, rule or Sitemap line."""
    expressions = (source.grammar.rule, source.grammar.agent, source.grammar.sitemap)
    return any(expression.match(source.text, line.start()) for expression in expressions)


def keys(source: SourceFile) -> Iterator[Finding]:
    above = 0  # the line before that says something
    for line in source.lines:
        number = source.line_of(line)
        if not _is_read(source, line):
            directive = source.grammar.directive.match(source.text, line.start())
            if directive and not has_two_words(directive[1]):
                yield from _unread(source, directive)
            else:
                yield from _without_colon(source, line, above)
        above = number


def has_two_words(key: str) -> bool:
    """Whether a key and a part of its value stand before the colon, which may be that of a URL."""
    first, *others = re.split(rf"[{WHITE}]", key, maxsplit=1)
    return bool(others and meant_key(first))


def _unread(source: SourceFile, directive: re.Match[str]) -> Iterator[Finding]:
    key = directive[1]
    if _KEYS.get(key.lower()) in EXTENSIONS:
        return
    meant = meant_key(key)
    if meant:
        unseen = first_unseen(key)
        yield source.finding(
            "R201",
            directive.span(1),
            f"{source.dialect.name} does not read the key {quoted(key)}",
            f"write {meant}:" + (f" without {named(unseen)}, which nobody sees" if unseen else ""),
        )
    elif key.lower() in ("http", "https"):
        yield source.finding(
            "R203",
            (directive.start(1), directive.end(2)),
            "an address on a line of its own is not read",
            "write Sitemap: before it, on the same line, if it is a sitemap",
        )
    else:
        yield source.finding(
            "R203",
            directive.span(1),
            f"no engine known here reads the key {quoted(key)}",
            _what_is_meant(key),
        )


def _what_is_meant(key: str) -> str:
    if key.startswith("<"):
        return "put # before the line: a robots.txt has no other comments"
    if "sitemap" in key.lower():
        return "write Sitemap:"
    return _PROPOSED.get(key.lower(), "")


def _without_colon(source: SourceFile, line: re.Match[str], above: int) -> Iterator[Finding]:
    words = _WORDS.match(source.text, line.start())
    assert words is not None  # the line is neither blank nor a comment
    meant = meant_key(words[1])
    if meant and words[2]:
        yield source.finding(
            "R202",
            (words.end(1), words.end(1) + 1),
            f"{source.dialect.name} does not read a line without a colon after its key",
            f"write {meant}: before the value",
        )
    else:
        is_after_agent = above in source.agent_numbers_as_set
        yield source.finding(
            "R204",
            whole(line),
            "the line has no key that a crawler reads",
            # For yandex, a comment ends a list of User-agent lines.
            "remove it" if is_after_agent else "remove it, or put # before it",
            edits=_removed(source, line),
        )


def _removed(source: SourceFile, line: re.Match[str]) -> list[Edit]:
    """The line taken out; nothing where the line may mean something to some engine, or where a mark
    may come to stand at the start of the file.
    """
    number = source.line_of(line)
    written, *after = source.written[number - 1 : number + 1]
    start = written.lstrip(WHITE + _MARK)[:_LONGEST_KEY].lower()
    # A line that starts with a NUL is a blank line to some.
    if start.startswith(_STARTS) or ":" in written or "\0" in written:
        return []
    return [] if after and after[0].startswith(_MARK[0]) else [Edit(number)]


def second_key(value: str) -> re.Match[str] | None:
    """Another key in the value of a line; group 1 is the key."""
    return _SECOND_KEY.search(value)


def two_lines(source: SourceFile) -> Iterator[Finding]:
    for line in source.directives():
        second = second_key(line[2]) if line[1].lower() in _KEYS else None
        if second:
            start = line.start(2)
            yield source.finding(
                "R206",
                (start + second.start(1), start + second.end()),
                f"{quoted(second[1] + ':')} is a part of the value: a line has one key",
                "start a new line before it" if second.start(1) else f"remove {line[1]}:",
            )


def comments(source: SourceFile) -> Iterator[Finding]:
    for line in source.directives():
        start, end = line.span(2)
        if start < end and source.text[end : end + 1] == "#":
            number = source.line_of(line)
            yield source.finding(
                "R205",
                (end, end + 1),
                f"the value ends at the #: it is read as {quoted(line[2])}",
                _before_comment(line[1]),
                edits=[Edit(number, source.written[number - 1].replace("#", " #", 1))],
            )


def _before_comment(key: str) -> str:
    if key.lower() in ("allow", "disallow"):
        return (
            "remove the rule if it is meant for what follows the #: no URL is sent with it, and "
            "the rule holds for the whole page; put a space before a comment"
        )
    return "put a space before the #: what follows is a comment"


LINES = (keys, two_lines, comments)
