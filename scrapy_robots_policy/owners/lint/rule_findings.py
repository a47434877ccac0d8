"""Findings about single rules: what they can match, and how they are written.

The engine is asked, in the dialect of the file, about a rule's own path as if it were a URL.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from ...rep.agents import STAR
from ...rep.dialect import Dialect
from ...rep.escapes import listed
from ...rep.match import reading_of
from ...rep.url import origin_of
from ...rep.verdict import Rule
from .file_findings import second_key
from .findings import Edit, Finding, quoted
from .habits import SITE, SOMEBODY, group_alone, has_wildcards
from .source_file import SourceFile

_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_UNRESERVED = string.ascii_letters + string.digits + "-._~"  # RFC 3986 §2.3
# In any dialect, such a value matches at least the URL that is written as it is.
_ORDINARY = re.compile(r"/[A-Za-z0-9/*_.,;:=&+~()!@'-]*\$?")
_RENDERING = frozenset({"*", "googlebot", "bingbot", "yandex", "applebot"})
_PAGE_PARTS = re.compile(
    r"(?:/(?:css|js|javascripts?|stylesheets?)(?=/|\*?$))|\.(?:css|js)(?=[$?*]|$)", re.IGNORECASE
)
_HOST = re.compile(r"(?:[A-Za-z0-9-]+\.){2,}[A-Za-z]{2,}(?=/)|www\.[A-Za-z0-9.-]+")
# What means something in a regular expression, and stands in few paths.
_EXPRESSION = re.compile(
    r"\\[dwsDWS.?+*()/]|\[\^?[0-9A-Za-z]-[0-9A-Za-z]|\((?:\?:|[^()]*\|)|(?<=[^/*]/)\.\*|^\^"
)
_NEVER_RAW = re.compile(r"""[ "<>\x00-\x1f\x7f-\xff]""")  # in a URL as it is sent


def as_sent(value: str) -> str:
    """A path as it is sent: what may not stand in a URL is escaped."""
    return _NEVER_RAW.sub(lambda character: f"%{ord(character[0]):02X}", value)


def meant_path(value: str) -> str:
    """A path that a rule is meant for, as it is sent: each "*" stands for "x"."""
    path = as_sent(value).removesuffix("$").replace("*", "x")
    return path if path.startswith("/") else f"/x{path}"


def never_matching(source: SourceFile) -> Iterator[Finding]:
    matching: dict[str, bool] = {"": True}
    for rule in source.every_rule:
        value = rule.path
        if value not in matching:
            matching[value] = bool(_ORDINARY.fullmatch(value)) or can_match(value, source.dialect)
        if not matching[value] and not second_key(value):  # R206
            why, fix = _why_never(value, source.dialect)
            yield source.finding(
                "R401",
                source.span_of_value(rule.line),
                f"{quoted(value)} can match no URL in {source.dialect.name}: {why}",
                fix,
            )


def can_match(value: str, dialect: Dialect) -> bool:
    """Whether a rule alone in its file matches one of the URLs that it could be meant for."""
    rules = group_alone(dialect, f"Disallow: {value}")
    written = as_sent(value)
    filled = written.removesuffix("$").replace("*", "x")
    # A rule may name a site, and Perl reads "?x" as "/robots.txt?x".
    starts = [SITE + start for start in ("", "/", "/x", "/robots.txt")]
    meant = [start + path for start in ("", *starts) for path in (written, filled)]
    return not all(rules.allowed(url, SOMEBODY) for url in meant)


def _why_never(value: str, dialect: Dialect) -> tuple[str, str]:
    """(why, what to write instead)"""
    if _names_site(value):
        return "a rule is a path, without the site", _without_site(value)
    if value[0] != "/" and not (value[0] == "*" and has_wildcards(dialect)):
        if value.startswith("^"):  # of a regular expression: R409
            return "it does not start with /", "remove the ^"
        star = ", or * if anything may come before it" if has_wildcards(dialect) else ""
        return "it does not start with /", f"write / before it{star}"
    characters = dict.fromkeys(_NEVER_RAW.findall(value))  # the dialect may escape some of them
    raw = next((one for one in characters if not can_match(f"/{one}x", dialect)), "")
    if raw:
        return f"a URL holds {as_sent(raw)} where this has {raw!r}", f"write {as_sent(raw)}"
    return "no path looks like this", "write a path that starts with one /"


def _names_site(value: str) -> bool:
    return origin_of(value) is not None or _HOST.match(value) is not None


def _without_site(address: str) -> str:
    """What to write where a rule names a site: the path alone may be that of all pages."""
    path = address.partition("://")[2] or address
    elsewhere = "rules for another site stand in the robots.txt of that site"
    if path.partition("/")[2].strip("/*$") == "":
        return f"remove it: {elsewhere}, and Disallow: / here forbids all of this one"
    return f"write the path only, if it is one of this site; {elsewhere}"


def expressions(source: SourceFile) -> Iterator[Finding]:
    for rule in source.every_rule:
        sign = _EXPRESSION.search(rule.path)
        if sign and not _names_site(rule.path):  # R401
            start, _ = source.span_of_value(rule.line)
            yield source.finding(
                "R409",
                (start + sign.start(), start + sign.end()),
                f"{quoted(sign[0])} is compared with the URL as it stands: a rule is no regular "
                "expression",
                "write * for any characters and $ for the end, and all others as in the URL"
                if has_wildcards(source.dialect)
                else "write the start of the path, as in the URL",
            )


def dollars(source: SourceFile) -> Iterator[Finding]:
    if not has_wildcards(source.dialect):
        return
    for rule in source.every_rule:
        at = rule.path[:-1].find("$")
        if at >= 0:
            start, _ = source.span_of_value(rule.line)
            yield source.finding(
                "R402",
                (start + at, start + at + 1),
                "this $ is an ordinary character: only at the end of a rule does it anchor",
                "move it to the end if it shall anchor; where a dollar is meant, it may stay",
            )


def escapes(source: SourceFile) -> Iterator[Finding]:
    for rule in source.every_rule:
        match = next((match for match in _ESCAPE.finditer(rule.path) if _plain(match[0])), None)
        if match is None:
            continue
        escape = match[0]
        literal = tuple(
            dialect.name for dialect in source.dialects if not _is_decoded(escape, dialect)
        )
        start, _ = source.span_of_value(rule.line)
        yield source.finding(
            "R403",
            (start + match.start(), start + match.end()),
            f"{escape} is {_plain(escape)!r} escaped without need: {listed(literal)} match "
            "only URLs written the same way",
            f"write {_plain(escape)}",
            literal,
            _decoded(source, rule, literal),
        )


def _decoded(source: SourceFile, rule: Rule, literal: tuple[str, ...]) -> list[Edit]:
    """The line with characters in place of the escapes for them; nothing where a dialect that is
    not `literal` would read another path, because a character becomes a part of an escape.
    """
    path = _ESCAPE.sub(lambda escape: _plain(escape[0]) or escape[0], rule.path)
    readings = (reading_of(d) for d in source.dialects if d.name not in literal)
    if any(one.patterns(False, path) != one.patterns(False, rule.path) for one in readings):
        return []
    written = source.written[rule.line - 1]
    return [Edit(rule.line, written.replace(rule.path, path, 1))]


def _plain(escape: str) -> str:
    """The unreserved character that an escape stands for; "" where it stands for another."""
    character = chr(int(escape[1:], 16))
    return character if character in _UNRESERVED else ""


@lru_cache(maxsize=1024)  # three bytes each
def _is_decoded(escape: str, dialect: Dialect) -> bool:
    rules = group_alone(dialect, f"Disallow: /{escape}")
    return not rules.allowed(f"{SITE}/{_plain(escape)}", SOMEBODY)


def page_parts(source: SourceFile) -> Iterator[Finding]:
    """A search engine that may not fetch style sheets and scripts does not see the page. The engine
    is asked: a stronger rule may allow them.
    """
    candidates = (
        (rule, part, names)
        for group in source.groups
        for names in [sorted(group.names & _RENDERING)]
        for rule in (group.rules if names else ())
        if not rule.allow and (part := _PAGE_PARTS.search(rule.path))
    )
    for rule, part, names in islice(candidates, source.max_questions):
        url = _url_of_part(rule.path, part[0])
        if not all(source.rules.allowed(url, SOMEBODY if n == STAR else n) for n in names):
            yield source.finding(
                "R408",
                source.span_of_value(rule.line),
                f"{quoted(part[0])}: search engines that render pages need style sheets and "
                "scripts",
                "allow them, unless no page needs them",
            )


def _url_of_part(value: str, part: str) -> str:
    """A style sheet or a script that a rule is about."""
    path = meant_path(value.rstrip("$*"))
    if part.startswith("."):
        return SITE + path
    return f"{SITE}{path.rstrip('/')}/x.{'js' if 'j' in part.lower() else 'css'}"


def empty(source: SourceFile) -> Iterator[Finding]:
    kept_out: set[str] = set()  # the crawlers that a rule keeps out of something
    for group in source.groups:
        if any(rule.path and not rule.allow for rule in group.rules):
            kept_out |= group.names
    for group in source.groups:
        if not kept_out.isdisjoint(group.names):
            yield from (_empty_among_others(source, rule) for rule in group.rules if not rule.path)


def _empty_among_others(source: SourceFile, rule: Rule) -> Finding:
    readings: dict[str, list[str]] = {}
    for dialect in source.dialects:
        patterns = reading_of(dialect).patterns(rule.allow, "")
        means = f"allows {patterns[0][2].start or 'everything'}" if patterns else "ignored"
        readings.setdefault(means, []).append(dialect.name)
    each = "; ".join(f"{means} in {listed(names)}" for means, names in readings.items())
    return source.finding(
        "R406",
        source.span_of_value(rule.line),
        f"a rule without a path among others with one: {each}",
        "if the others are meant, remove it; if everything shall be allowed, remove the others",
    )


CHECKS = (never_matching, expressions, dollars, escapes, page_parts, empty)
