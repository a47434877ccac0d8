"""Findings about single lines: keys, colons, comments."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from functools import lru_cache

from ..rep.text import SPELLINGS, WHITE
from .file_findings import first_unseen, named
from .findings import Edit, Finding, quoted
from .source_file import SourceFile, whole

# Keys that are no rules but are read by somebody, or were.
EXTENSIONS = (
    *("Crawl-delay", "Request-rate", "Visit-time", "Clean-param", "Host", "Noindex", "Indexpage"),
    *("Content-Signal", "Content-Usage", "License"),
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
_LONGEST_KEY = 32  # octets
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


CHECKS = (keys, two_lines, comments)
