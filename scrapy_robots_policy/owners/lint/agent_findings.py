"""Findings about the names in User-agent lines: which crawlers they name, if any.

Names of crawlers: which crawler one binds, and which one a misspelt one was meant to be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ...rep.agents import (
    FORMER_NAMES,
    STAR,
    TOKEN,
    CrawlerKind,
    crawlers,
    find_agent,
    product_token,
)
from ...rep.dialect import Dialect
from ...rep.engines import DIALECTS
from ...rep.escapes import listed
from ...rep.rules import RuleSet
from ...rep.verdict import Rule
from .findings import Finding, quoted
from .habits import SITE, SOMEBODY, group_alone, reads_whole_names
from .rule_findings import meant_path
from .source_file import SourceFile, and_others, whole

LONGEST_NAME = 32  # bytes
_LONG = 9  # bytes
_SHORTEST = 6  # bytes; shorter names are near too many others
_NAMES = {agent.name.lower(): agent.name for agent in crawlers()}
_BY_INITIAL = {
    initial: [name for name in _NAMES if name[0] == initial and len(name) >= _SHORTEST]
    for initial in {name[0] for name in _NAMES}
}
"""The names that a misspelt one may be near to, by their first letter, which a slip leaves."""


def rules_for(value: str, dialect: Dialect) -> RuleSet:
    """A file that allows nothing to the crawlers that a User-agent line with this value names."""
    return group_alone(dialect, "Disallow: /", agent=value)


def binds(value: str, dialect: Dialect) -> bool:
    """Whether a group for `value` binds the crawler of that name: the engine is asked."""
    return not rules_for(value, dialect).allowed(SITE, product_token(value))


@lru_cache(maxsize=1024)
def crawler_near(name: str) -> str:
    """The one crawler whose name a misspelt one was meant to be; "" where there is none, or where
    the name is itself a crawler's. `name` has at most `LONGEST_NAME` bytes.
    """
    name = name.lower()
    if name in _NAMES or len(name) < _SHORTEST:
        return ""
    near = [crawler for crawler in _BY_INITIAL.get(name[0], ()) if _is_slip(name, crawler)]
    return _NAMES[near[0]] if len(near) == 1 else ""


def _is_slip(name: str, crawler: str) -> bool:
    """Whether two characters are swapped, or one is missing or too many. In a long name, or between
    two words, one may also stand for another: short names that differ in a letter are often those
    of two crawlers.

    Args:
        crawler: one of `_BY_INITIAL[name[0]]`.

    """
    if abs(len(name) - len(crawler)) > 1:
        return False
    start = next((at for at, (a, b) in enumerate(zip(name, crawler, strict=False)) if a != b), None)
    if start is None:
        return False  # one starts the other: a plural, a version
    rest, right = name[start:], crawler[start:]
    if rest[1:] == right[1:]:
        return len(crawler) >= _LONG or not (rest[0].isalnum() and right[0].isalnum())
    return rest[1:] == right or rest == right[1:] or _is_swap(rest, right)


def _is_swap(rest: str, right: str) -> bool:
    return rest[:2] == right[1::-1] and rest[2:] == right[2:]


_WRITE_NAME = "write the crawler's name as its operator gives it, or *"
_MAX_PIECES = 8  # crawlers in one line that are asked about
# A crawler's own name, with a version or a star after it: most dialects pass over these.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[^ ,;]*)?\*?")


def tokens(source: SourceFile) -> Iterator[Finding]:
    """Values that do not name one crawler. A name may have digits and dots."""
    unmatchable = []
    for line in source.agents:
        value = line[1]
        if value == STAR or _NAME.fullmatch(value):
            continue
        pieces = _pieces(value)
        if pieces:
            yield from _several(source, line, pieces)
        elif not value:
            yield _nameless(source, line)
        elif _is_unmatchable(value, source.dialect):
            unmatchable.append(line)
    if unmatchable:
        yield _unmatchable(source, unmatchable)


def _pieces(value: str) -> list[str]:
    """The names in a value that lists several; none where it does not."""
    pieces = [piece for piece in re.split("[,; ]+", value) if piece]
    is_list = "," in value or (" " in value and all(find_agent(piece) for piece in pieces))
    return pieces if is_list and len(pieces) > 1 and all(map(_NAME.fullmatch, pieces)) else []


def _several(source: SourceFile, line: re.Match[str], pieces: list[str]) -> Iterator[Finding]:
    """Some dialects look for a crawler's name in the whole value: the engine is asked."""
    rules = rules_for(line[1], source.dialect)
    looked_at = pieces[:_MAX_PIECES]
    bound = [piece for piece in looked_at if not rules.allowed(SITE, piece)]
    if len(bound) < len(looked_at):
        yield source.finding(
            "R306",
            line.span(1),
            f"{quoted(line[1])} lists {len(pieces)} crawlers: it binds "
            f"{f'{quoted(bound[0])} alone' if bound else 'none of them'}",
            "write one User-agent line for each crawler",
        )


def _is_unmatchable(value: str, dialect: Dialect) -> bool:
    """Whether the whole value names no crawler, neither here nor in the crawler's own engine."""
    if binds(value, dialect):
        return False
    agent = find_agent(product_token(value))
    return agent is None or not binds(value, DIALECTS[agent.dialect])


def _nameless(source: SourceFile, line: re.Match[str]) -> Finding:
    whom = "every" if _no_name_is_every_name(source.dialect) else "no"
    return source.finding("R304", whole(line), f"the line names {whom} crawler", _WRITE_NAME)


@lru_cache(maxsize=64)
def _no_name_is_every_name(dialect: Dialect) -> bool:
    """Whether a line without a name binds every crawler: the engine is asked."""
    return not rules_for("", dialect).allowed(SITE, SOMEBODY)


def _unmatchable(source: SourceFile, lines: list[re.Match[str]]) -> Finding:
    """One finding for all of them: lists of such names are copied from site to site."""
    first, *others = lines
    name = quoted(first[1])
    readers = tuple(d.name for d in source.others if reads_whole_names(d))
    token = TOKEN.match(first[1])
    if reads_whole_names(source.dialect):
        message = f"no crawler has the name {name}"
    elif token:
        message = f"{name} is read as {quoted(token[0])}; {listed(readers)} read the whole of it"
    else:
        message = f"{name} starts with no letter: {source.dialect.name} reads no name here"
    message += and_others(source, "name", others)
    return source.finding("R304", first.span(1), message, _WRITE_NAME, readers)


def misspelt(source: SourceFile) -> Iterator[Finding]:
    for line in source.agents:
        name = line[1]
        meant = crawler_near(name) if len(name) <= LONGEST_NAME else ""
        if meant:
            yield source.finding(
                "R308",
                line.span(1),
                f"no crawler known here is called {quoted(name)}, and {meant} is one character off",
                f"write {meant}, if that is the crawler you mean",
            )


def seldom_bound(source: SourceFile) -> Iterator[Finding]:
    """Crawlers whose groups do something else than keep a crawler out; each is named once. A group
    that frees a crawler that may ignore it needs no word.
    """
    named = set()
    for line in source.agents:
        agent = find_agent(product_token(line[1])) if len(line[1]) <= LONGEST_NAME else None
        if agent is None or not agent.note or agent.name in named:
            continue
        named.add(agent.name)
        if agent.facts.kind is CrawlerKind.TOKEN:
            fix = f"keep the group to say how {agent.facts.operator} may use pages"
        elif _forbidding(source, line):
            fix = f"to keep {agent.name} out, refuse its requests at the server"
        else:
            continue
        yield source.finding("R310", line.span(1), agent.note, fix)


def _forbidding(source: SourceFile, line: re.Match[str]) -> Rule | None:
    """The first rule that forbids the crawler something that the line names."""
    group = source.rules.group(line[1])
    rules = group.rules if group else ()
    return next((rule for rule in rules if rule.path and not rule.allow), None)


def former_names(source: SourceFile) -> Iterator[Finding]:
    """Groups for a name that its operator no longer uses, where the file leaves open to the crawler
    of today what it forbids to the former name; each name once.
    """
    lines: dict[str, re.Match[str]] = {}
    for line in source.agents:
        name = product_token(line[1]).lower() if len(line[1]) <= LONGEST_NAME else ""
        lines.setdefault(name, line)
    for name in FORMER_NAMES.keys() & lines.keys():
        former, line = FORMER_NAMES[name], lines[name]
        if former.successor.lower() not in lines and _frees(source, line, former.successor):
            yield source.finding(
                "R312",
                line.span(1),
                f"{former.operator} no longer uses this name: its crawler is {former.successor}, "
                f"which the file does not name. {former.note}",
                f"add the line User-agent: {former.successor}",
            )


def _frees(source: SourceFile, line: re.Match[str], crawler: str) -> bool:
    """Whether a crawler may fetch what the first rule forbids of the group of a line."""
    rule = _forbidding(source, line)
    return rule is not None and source.rules.allowed(SITE + meant_path(rule.path), crawler)


CHECKS = (tokens, misspelt, seldom_bound, former_names)
