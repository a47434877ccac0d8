"""Findings about rules: what they match, and whether they ever decide.

Knows: how to make of a rule the URLs that it is meant for. Must not know: how rules are matched.

The engine is asked, in the dialect of the file, about a rule's own path as if it were a URL. Where
wildcards stood and where the rule ends stands an octet that no rule holds, so another rule matches
such a URL just when it matches all that this rule does.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from functools import lru_cache

from ..rep.dialects.dialect import Dialect
from ..rep.dialects.options import EmptyRule
from ..rep.ruleset import RuleSet
from ..rep.url import origin_of, readable
from ..rep.verdict import Rule
from .findings import Finding, listed
from .linted_file import Source

SITE = "http://example.com"
_ANYTHING = "%0A"
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_UNRESERVED = string.ascii_letters + string.digits + "-._~"  # RFC 3986 §2.3
_MOST_TOLD = 200  # rules that never decide: to say why takes a look at all others
_NEVER_RAW = re.compile(r"""[ "<>\x00-\x1f\x7f-\xff]""")  # in a URL as it is sent


def _rules(source: Source) -> list[Rule]:
    """The rules that bind somebody, each once."""
    return list({rule.line: rule for _, group in source.bound for rule in group.rules}.values())


def _sent(value: str) -> str:
    """A path as it is sent: what may not stand in a URL is escaped."""
    return _NEVER_RAW.sub(lambda found: f"%{ord(found[0]):02X}", value)


def never_matching(source: Source) -> Iterator[Finding]:
    for rule in _rules(source):
        if rule.path and not _can_match(rule.path, source.dialect):
            why, fix = _why_never(rule.path, source.dialect)
            yield source.finding(
                "R401",
                source.span_of_value(rule.line),
                f"{readable(rule.path)!r} can match no URL in {source.dialect.name}: {why}",
                fix,
            )


@lru_cache(maxsize=8192)
def _can_match(value: str, dialect: Dialect) -> bool:
    """Whether a rule alone in its file matches one of the URLs that it could be meant for."""
    rules = RuleSet(f"User-agent: *\nDisallow: {value}".encode("latin-1"), dialect)
    written = _sent(value)
    filled = written.removesuffix("$").replace("*", "x")
    meant = [SITE + start + path for start in ("", "/", "/x") for path in (written, filled)]
    return not all(rules.allowed(url, "somebody") for url in (*meant, written))


def _why_never(value: str, dialect: Dialect) -> tuple[str, str]:
    """(why, what to write instead)"""
    if origin_of(value):
        return "a path is compared with the URL, not a whole address", "write the path only"
    if value[0] != "/" and not (value[0] == "*" and dialect.wildcards):
        star = f" or *{readable(value)}" if dialect.wildcards else ""
        return "it does not start with /", f"write /{readable(value)}{star}"
    raw = _NEVER_RAW.search(value)
    if raw:
        return f"a URL holds {_sent(raw[0])} where this has {raw[0]!r}", f"write {_sent(raw[0])}"
    return "no path looks like this", "write a path that starts with /"


def dollars(source: Source) -> Iterator[Finding]:
    if not source.dialect.wildcards:
        return
    for rule in _rules(source):
        at = rule.path[:-1].find("$")
        if at >= 0:
            start, _ = source.span_of_value(rule.line)
            yield source.finding(
                "R402",
                (start + at, start + at + 1),
                "this $ is an ordinary character: only at the end of a rule does it anchor",
                "move it to the end, or write %24 if a dollar is meant",
            )


def escapes(source: Source) -> Iterator[Finding]:
    for rule in _rules(source):
        found = next((escape for escape in _ESCAPE.finditer(rule.path) if _plain(escape[0])), None)
        if found is None:
            continue
        literal = tuple(
            dialect.name
            for dialect in (source.dialect, *source.others)
            if not _is_decoded(found[0], dialect)
        )
        start, _ = source.span_of_value(rule.line)
        yield source.finding(
            "R403",
            (start + found.start(), start + found.end()),
            f"{found[0]} is {_plain(found[0])!r} escaped without need: {listed(literal)} match "
            "only URLs written the same way",
            f"write {_plain(found[0])}",
            literal,
        )


def _plain(escape: str) -> str:
    """The unreserved character that an escape stands for; "" where it stands for another."""
    character = chr(int(escape[1:], 16))
    return character if character in _UNRESERVED else ""


@lru_cache(maxsize=1024)
def _is_decoded(escape: str, dialect: Dialect) -> bool:
    rules = RuleSet(f"User-agent: *\nDisallow: /{escape}".encode(), dialect)
    return not rules.allowed(f"{SITE}/{_plain(escape)}", "somebody")


def undeciding(source: Source) -> Iterator[Finding]:
    told: set[int] = set()
    for agent, group in source.bound:
        if len(group.rules) >= source.dialect.rule_limit:
            continue  # none of them decides
        seen: dict[tuple[bool, str], int] = {}
        for rule in group.rules:
            first = seen.setdefault((rule.allow, rule.path), rule.line)
            if not rule.path or rule.line in told:
                continue
            if len(told) == _MOST_TOLD:
                return
            finding = (
                _beaten(source, agent, rule)
                if first == rule.line
                else _duplicate(source, rule, first)
            )
            if finding:
                told.add(rule.line)
                yield finding


def _duplicate(source: Source, rule: Rule, first: int) -> Finding:
    return source.finding(
        "R405",
        source.span_of_value(rule.line),
        f"line {first} says the same to the same crawlers",
        "remove one of them",
    )


def _beaten(source: Source, agent: str, rule: Rule) -> Finding | None:
    """A finding where a stronger rule says the contrary wherever this one matches."""
    path = _sent(rule.path)
    ending = "" if path.endswith("$") else _ANYTHING
    url = SITE + path.removesuffix("$").replace("*", _ANYTHING) + ending
    if source.rules.allowed(url, agent) is rule.allow:
        return None
    verdict = source.rules.verdict(url, agent)
    if verdict.rule is None or rule not in verdict.beaten:
        return None
    return source.finding(
        "R404",
        source.span_of_value(rule.line),
        f"the rule never decides in {source.dialect.name}: line {verdict.line}, "
        f"{verdict.rule}, matches all the same URLs and is stronger",
        "remove it, or make it the stronger one where it shall decide",
    )


def empty(source: Source) -> Iterator[Finding]:
    told: set[int] = set()
    for _, group in source.bound:
        if all(not rule.path for rule in group.rules):
            continue
        for rule in group.rules:
            if not rule.path and rule.line not in told:
                told.add(rule.line)
                yield _empty_among_others(source, rule)


def _empty_among_others(source: Source, rule: Rule) -> Finding:
    option = "empty_allow" if rule.allow else "empty_disallow"
    dialects = (source.dialect, *source.others)
    readings = {
        reading: [dialect.name for dialect in dialects if getattr(dialect, option) is reading]
        for reading in EmptyRule
    }
    told = "; ".join(f"{r.value} in {listed(names)}" for r, names in readings.items() if names)
    return source.finding(
        "R406",
        source.span_of_value(rule.line),
        f"a rule without a path among others with one: {told}",
        "remove it, or the others",
    )


CHECKS = (never_matching, dollars, escapes, undeciding, empty)
