r"""From bytes to text, and the expressions for the lines of a robots.txt.

This is the only module that reads lines: rules and the linter search the same text with the same
expressions. How lines form groups is in `groups`, and what a rule matches in `match`.

A byte is a character (latin-1). The text begins with a line feed, and a line reaches from its line
feed to the next: so an expression for a line starts with a literal "\n", which `re` finds fastest.
All expressions are linear: no two parts that follow each other can match the same character.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from .agents import TOKEN
from .dialect import NO_LIMIT, AgentValue, Beyond, BlankLine, Dialect, Keys, Text
from .url import readable

WHITE = " \t\x0b\x0c"
_MARK = "\xef\xbb\xbf"
GOOGLE_LINE = 2083 * 8 - 1  # bytes
_LONG_LINE = re.compile(rf"(\n[^\n]{{{GOOGLE_LINE}}})[^\n]+")


class Spellings(NamedTuple):
    """How the keys of some lines are spelt, in lower case."""

    agent: tuple[str, ...]
    allow: tuple[str, ...]
    disallow: tuple[str, ...]
    sitemap: tuple[str, ...]


SPELLINGS = {
    Keys.EXACT: Spellings(("user-agent",), ("allow",), ("disallow",), ("sitemap",)),
    Keys.LENIENT: Spellings(
        ("user-agent", "useragent", "user agent"),
        ("allow",),
        ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
        ("sitemap", "site-map"),
    ),
}
# Request-rate and Visit-time, of the "extended standard" of 1996, stand where a Crawl-delay may:
# between User-agent lines and rules. No engine is known that keeps them.
_PACE_KEYS = ("crawl-delay", "request-rate", "visit-time")
USAGE_KEYS = ("content-usage", "content-signal", "license")


def clean_text(body: bytes, dialect: Dialect) -> str:
    """The text that the dialect reads, after a line feed."""
    how = dialect.text
    text = body[: dialect.size_limit].decode("latin-1")
    text = "\n" + text[len(mark_of(text, dialect)) :]
    if "\r" in text:
        if how is Text.YANDEX:
            text = re.sub("\r[\r\n]?", "\n", text)
        else:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text and how is not Text.PERL:
        text = re.sub("\0[^\n]*", "", text)
    if len(body) > dialect.size_limit:  # a rule that is cut in two would be another rule
        text = text[: max(text.rfind("\n"), 1)]
    if how is Text.GOOGLE and len(text) > GOOGLE_LINE:
        text = _LONG_LINE.sub(r"\1", text)
    return text


def mark_of(text: str, dialect: Dialect) -> str:
    """The byte order mark, or the part of it, that the text starts with and that is skipped."""
    how = dialect.text
    if text[:1] != _MARK[0] or how is Text.PERL:
        return ""
    lengths = (3, 2, 1) if how is Text.GOOGLE else (3,)
    return next((_MARK[:length] for length in lengths if text.startswith(_MARK[:length])), "")


def bytes_read(size: int, dialect: Dialect) -> int:
    """How many bytes of a file of this size a dialect reads; 0 where it obeys none of it."""
    limit = dialect.size_limit
    if size <= limit:
        return size
    return 0 if dialect.beyond_size is Beyond.OPEN else limit


def line_numbers(text: str, starts: Iterable[int]) -> list[int]:
    """The numbers, from 1, of the lines whose line feeds are at `starts`, which are in order."""
    numbers = []
    number = at = 0
    for start in starts:
        number += text.count("\n", at, start + 1)
        numbers.append(number)
        at = start + 1
    return numbers


@dataclass(frozen=True, slots=True)
class Grammar:
    """The expressions for the lines of one dialect.

    Attributes:
        agent: a User-agent line; group 1: its value, group 2: the part of it that is a name.
        rule: an Allow or Disallow line; group 1: the key if it allows, group 2: its value, group 3:
            the start of it that paths have to start with as it is, in each dialect.
        directive: any line with a key; group 1: the key, group 2: its value.
        sitemap: a Sitemap line; group 1: its value.
        delay: a Crawl-delay line; group 1: its value.
        closer: a line that ends a list of User-agent lines.
        pace: a Crawl-delay, Request-rate or Visit-time line.
        usage: a line about the use of pages.
        blank: a blank line that ends a group; None where only the next group ends it.

    """

    agent: re.Pattern[str]
    rule: re.Pattern[str]
    directive: re.Pattern[str]
    sitemap: re.Pattern[str]
    delay: re.Pattern[str]
    closer: re.Pattern[str]
    pace: re.Pattern[str]
    usage: re.Pattern[str]
    blank: re.Pattern[str] | None


# Nothing that follows can start with white space, so backtracking is no use: possessive.
_W = f"[{WHITE}]*" + "+" * (sys.version_info >= (3, 11))
# A value, without the white space around it and the comment after it. Not as a repeated group of
# words: `re` takes some 200 bytes of memory for each repeat.
_VALUE = rf"([^#\n]*[^#\n{WHITE}]|)"
_KEY = rf"([^:#\n{WHITE}](?:[^:#\n]*[^:#\n{WHITE}])?)"
# Without what some dialect rewrites or gives a meaning.
_LITERAL = r"/[^*$%#\x00-\x20\x7f-\xff\"<>\[\]\\^`{|}]*"
# RFC 9309 §2.2.1: the token at the start. "*" before white space is a "*", too (google/robotstxt).
_NAME = rf"(\*(?=[{WHITE}#\n]|\Z)|{TOKEN.pattern}|)"
_NAMES = {
    AgentValue.TOKEN: rf"({_NAME}(?:[^#\n]*[^#\n{WHITE}]|))",
    AgentValue.WHOLE: f"({_VALUE})",
}
# White space in place of the colon: only between exactly two words.
_SPACE = (
    r"[^ \t:#\n]*[ \t]+"
    rf"(?=[\x0b\x0c]*[^#:\n{WHITE}][^ \t:#\n]*(?:[ \t]{_W})?(?:[#\n]|\Z))"
)
_BLANK = rf"\n{_W}(?=\n|\Z)"
_BLANK_OR_COMMENT = rf"\n{_W}(?=[#\n]|\Z)"
_EXTENSION = r"\n[^:#\n]*:"


@lru_cache(maxsize=64)
def grammar_of(dialect: Dialect) -> Grammar:
    """The expressions for a dialect."""
    spellings = SPELLINGS[dialect.keys]
    lenient = dialect.keys is Keys.LENIENT

    def key(*keys: str) -> str:
        one = _any_of(keys)
        if not lenient:
            return f"(?:{one}){_W}:"
        words = _any_of(key for key in keys if " " not in key)
        return rf"(?:(?:{one})[^:#\n]*:|(?:{words}){_SPACE})"

    # One expression has both kinds of rule lines: its group 1 holds the key of a line that allows.
    # It looks at the first letter first, because most other lines differ from each spelling there.
    allow = f"({_any_of(spellings.allow)})" if dialect.allow_lines else r"((?!))"
    end = rf"(?:[^:#\n]*:|{_SPACE})" if lenient else f"{_W}:"
    head = rf"(?=[ad])(?:{_any_of(spellings.disallow)}|{allow}){end}"
    rule = rf"\n{_W}{head}{_W}(({_LITERAL}|)(?:[^#\n]*[^#\n{WHITE}]|))"
    closers = [rule]
    if dialect.extension_ends_agents:
        closers.append(_EXTENSION)
    if dialect.blank_line is not BlankLine.NOTHING:
        ends_group = dialect.blank_line is BlankLine.ENDS_GROUP
        closers.append(_BLANK if ends_group else _BLANK_OR_COMMENT)
    return Grammar(
        agent=_compile(rf"\n{_W}{key(*spellings.agent)}{_W}{_NAMES[dialect.agent_value]}"),
        rule=_compile(rule),
        directive=_compile(rf"\n{_W}{_KEY}{_W}:{_W}{_VALUE}"),
        sitemap=_compile(rf"\n{_W}{key(*spellings.sitemap)}{_W}{_VALUE}"),
        delay=_compile(rf"\n{_W}crawl-delay{_W}:{_W}{_VALUE}"),
        closer=_compile("|".join(closers)),
        pace=_compile(rf"\n{_W}(?:{_any_of(_PACE_KEYS)}){_W}:"),
        usage=_compile(rf"\n{_W}(?:{_any_of(USAGE_KEYS)}){_W}:"),
        blank=_compile(_BLANK) if dialect.blank_line is BlankLine.ENDS_GROUP else None,
    )


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


def _any_of(keys: Iterable[str]) -> str:
    return "|".join(re.escape(key) for key in keys)


_WHOLE = Dialect("whole file", size_limit=NO_LIMIT, text=Text.PERL)


def readable_lines(body: bytes) -> list[str]:
    """The lines of a whole file for people to read; a finding on line n is about the nth."""
    return readable_text(clean_text(body, _WHOLE)[1:]).split("\n")


def readable_text(text: str) -> str:
    return readable(text).removeprefix("\ufeff")
