r"""Octets to text, and the expressions for the lines of a robots.txt.

This is the only module that reads lines: rules and the linter search the same text with the same
expressions. How lines form groups is in `groups`, and what a rule matches in `patterns`.

The text begins with a line feed, and a line reaches from its line feed to the next. So an
expression for a line starts with a literal "\n", which `re` finds fastest. A carriage return before
a line feed is white space; any other has become a line feed. An octet is a character (latin-1).

The number of a line is the one that an editor gives it. In some dialects two carriage returns are
one line end; an editor ends two lines there. Such a pair stays in the text, before the line feed
that it has become, and is counted (`line_numbers`). Nothing else leaves two returns in a row.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from .agents import TOKEN
from .dialects.dialect import Dialect
from .dialects.options import AgentValue, Beyond, BlankLine, Bom
from .preference import LABELS

WHITE = " \t\x0b\x0c\r"

_MARK = "\xef\xbb\xbf"
_LONE_RETURN = re.compile("\r[^\n]")
# A line end that starts with a carriage return, where a second one ends no line; group 1: two that
# end two lines for an editor. It takes a return and a line feed as one end.
_RETURN = re.compile("(\r\r(?!\n))|\r[\r\n]?")
_PASSED_OVER = "\r\r"
# Request-rate and Visit-time, of the "extended standard" of 1996, stand where a Crawl-delay may:
# between User-agent lines and rules. No engine is known that keeps them.
PACE_KEYS = ("crawl-delay", "request-rate", "visit-time")

# Nothing that follows can start with white space, so backtracking is no use: possessive.
_W = f"[{WHITE}]*" + "+" * (sys.version_info >= (3, 11))
# A value, without the white space around it and the comment after it. Not as a repeated group of
# words: `re` takes some 200 octets of memory for each repeat.
_VALUE = rf"([^#\n]*[^#\n{WHITE}]|)"
_KEY = rf"([^:#\n{WHITE}](?:[^:#\n]*[^:#\n{WHITE}])?)"
# The second of exactly two words, after a key without a colon.
_LAST_WORD = rf"(?=[\x0b\x0c]*[^#:\n{WHITE}][^ \t:#\n]*(?:[ \t]{_W})?(?:[#\n]|\Z))"


@dataclass(frozen=True, slots=True)
class Grammar:
    """The expressions for the lines of one dialect.

    agent      a User-agent line; group 1: its value, group 2: the part of it that is a name
    rule       an Allow or Disallow line; group 1: the key if it allows, group 2: its value
    directive  any line with a key; group 1: the key, group 2: its value
    sitemap    a Sitemap line; group 1: its value
    closer     a line that ends a list of User-agent lines
    pace       a Crawl-delay, Request-rate or Visit-time line
    usage      a line about the use of pages
    blank      a blank line that ends a group; None where only the next group ends it
    """

    agent: re.Pattern[str]
    rule: re.Pattern[str]
    directive: re.Pattern[str]
    sitemap: re.Pattern[str]
    closer: re.Pattern[str]
    pace: re.Pattern[str]
    usage: re.Pattern[str]
    blank: re.Pattern[str] | None


def clean_text(body: bytes, dialect: Dialect) -> str:
    """The text that the dialect reads, after a line feed: cut to its limits, without byte order
    marks and NULs.
    """
    text = body[: dialect.size_limit].decode("latin-1")
    text = "\n" + text[len(mark_of(text, dialect.bom)) :]
    if "\r" in text and (_LONE_RETURN.search(text) or text[-1] == "\r"):
        if dialect.double_returns:
            text = _RETURN.sub(lambda match: (match[1] or "") + "\n", text)
        else:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
    if dialect.nul_ends_line and "\0" in text:
        text = re.sub("\0[^\r\n]*", "", text)
    if len(body) > dialect.size_limit:  # a rule that is cut in two would be another rule
        text = text[: max(text.rfind("\n"), 1)].removesuffix(_PASSED_OVER)
    return _cut_lines(text, dialect.line_limit) if len(text) > dialect.line_limit else text


def _cut_lines(text: str, limit: int) -> str:
    """The text with each line cut to `limit` characters."""
    kept = []
    rest = line = 0
    while len(text) - line - 1 > limit:
        # To the last line feed within the limit: the lines before it are short enough.
        after = text.rfind("\n", line + 1, line + limit + 2)
        if after < 0:
            after = text.find("\n", line + limit + 2)
            after = len(text) if after < 0 else after
            # The returns before the line feed are no part of the line, and are counted.
            end = after - len(_PASSED_OVER) * text.endswith(_PASSED_OVER, line + 1, after)
            kept.append(text[rest : min(line + limit + 1, end)])
            rest = end
        line = after
    return "".join((*kept, text[rest:]))


def is_too_large(body: bytes, dialect: Dialect) -> bool:
    """Whether the file is so large that the dialect does not obey any of it."""
    return len(body) > dialect.size_limit and dialect.beyond_size is Beyond.OPEN


def mark_of(text: str, bom: Bom) -> str:
    """The byte order mark, or the part of it, that the text starts with and the dialect skips."""
    if text[:1] != _MARK[0] or bom is Bom.KEPT:
        return ""
    lengths = (3, 2, 1) if bom is Bom.SKIPPED_IN_PART else (3,)
    return next((_MARK[:length] for length in lengths if text.startswith(_MARK[:length])), "")


def line_numbers(text: str, starts: Iterable[int]) -> list[int]:
    """The numbers, from 1, of the lines whose line feeds are at `starts`, which are in order."""
    numbers = []
    number = at = 0
    passes_over = _PASSED_OVER in text
    for start in starts:
        number += text.count("\n", at, start + 1)
        if passes_over:
            number += text.count(_PASSED_OVER, at, start + 1)
        numbers.append(number)
        at = start + 1
    return numbers


def lines_of(text: str) -> list[str]:
    """The lines of the file, each at its number less 1."""
    return text.replace(_PASSED_OVER, "\n").split("\n")[1:]


def line_ends(text: str) -> list[int]:
    """Where the line ends of the file are in the text, in order; the first is before line 1."""
    return [end.start() for end in re.finditer(f"{_PASSED_OVER}|\n", text)]


def rule_expression(dialect: Dialect, literal: str, unlike: str) -> re.Pattern[str]:
    """The expression for the rule lines; without those whose values start with `unlike`.

    literal  the expression for the start of a value
    unlike   an expression; "" for all rule lines

    group 1: the key if it allows, group 2: as much of the value as `literal` takes, group 3: the
    rest of it
    """
    others = f"(?!{unlike})" if unlike else ""
    return _compile(rf"\n{_rule_head(dialect)}{_W}{others}({literal}|){_VALUE}")


@lru_cache(maxsize=64)
def grammar_of(dialect: Dialect) -> Grammar:
    """The expressions for a dialect. All are linear: no two parts can match the same octet."""
    rule = rf"\n{_rule_head(dialect)}{_W}{_VALUE}"
    return Grammar(
        agent=_compile(_agent(dialect)),
        rule=_compile(rule),
        directive=_compile(rf"\n{_W}{_KEY}{_W}:{_W}{_VALUE}"),
        sitemap=_compile(
            rf"\n{_W}(?:{_any_of(dialect.sitemap_keys)}){_colon(dialect)}{_W}{_VALUE}"
        ),
        closer=_compile("|".join(_closers(dialect, rule))),
        pace=_compile(rf"\n{_W}(?:{_any_of(PACE_KEYS)}){_W}:"),
        usage=_compile(rf"\n{_W}(?:{_any_of(LABELS)}){_W}:"),
        blank=_compile(_BLANK) if dialect.blank_line is BlankLine.ENDS_RECORD else None,
    )


_BLANK = rf"\n{_W}(?=\n|\Z)"
_BLANK_OR_COMMENT = rf"\n{_W}(?=[#\n]|\Z)"
_EXTENSION = r"\n[^:#\n]*:"


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


def _any_of(keys: Iterable[str]) -> str:
    return "|".join(re.escape(key) for key in keys)


def _colon(dialect: Dialect) -> str:
    return r"[^:#\n]*:" if dialect.longer_keys else rf"{_W}:"


def _space(dialect: Dialect) -> str:
    return (r"[^ \t:#\n]*" if dialect.longer_keys else "") + r"[ \t]+" + _LAST_WORD


# RFC 9309 §2.2.1: the token at the start. "*" before white space is a "*", too (google/robotstxt).
_NAME = rf"(\*(?=[{WHITE}#\n]|\Z)|{TOKEN.pattern}|)"
_NAMES = {
    AgentValue.TOKEN: rf"({_NAME}(?:[^#\n]*[^#\n{WHITE}]|))",
    AgentValue.WHOLE: f"({_VALUE})",
}


def _agent(dialect: Dialect) -> str:
    keys = _any_of(dialect.agent_keys)
    one_word = _any_of(key for key in dialect.agent_keys if " " not in key)
    head = f"(?:{keys}){_colon(dialect)}"
    if dialect.missing_colon:
        head = f"(?:{head}|(?:{one_word}){_space(dialect)})"
    return rf"\n{_W}{head}{_W}{_NAMES[dialect.agent_value]}"


def _rule_head(dialect: Dialect) -> str:
    """The expression for what comes before a rule's value; group 1: the key if it allows."""
    allow = f"({_any_of(dialect.allow_keys)})" if dialect.allow_lines else r"((?!))"
    end = _colon(dialect)
    if dialect.missing_colon:
        end = f"(?:{end}|{_space(dialect)})"
    # A look at the first letter: most other lines need not be compared with each spelling.
    initials = _any_of(sorted({key[:1] for key in (*dialect.disallow_keys, *dialect.allow_keys)}))
    return rf"{_W}(?={initials})(?:{_any_of(dialect.disallow_keys)}|{allow}){end}"


def _closers(dialect: Dialect, rule: str) -> list[str]:
    closers = [rule]
    if dialect.extension_ends_agents:
        closers.append(_EXTENSION)
    if dialect.blank_line is BlankLine.ENDS_AGENTS:
        closers.append(_BLANK_OR_COMMENT)
    if dialect.blank_line is BlankLine.ENDS_RECORD:
        closers.append(_BLANK)
    return closers
