"""Findings about the names in User-agent lines: which crawlers they name, if any."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ..rep.agents import FORMER_NAMES, STAR, TOKEN, CrawlerKind, find_agent, product_token
from ..rep.dialect import AgentValue, Dialect
from ..rep.engines import DIALECTS
from ..rep.escapes import listed
from ..rep.verdict import Rule
from .crawler_names import LONGEST_NAME, binds, crawler_near, rules_for
from .findings import Finding, quoted
from .rule_findings import meant_path
from .source_file import SITE, SOMEBODY, SourceFile, and_others, whole

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
    readers = tuple(d.name for d in source.others if d.agent_value is AgentValue.WHOLE)
    token = TOKEN.match(first[1])
    if source.dialect.agent_value is AgentValue.WHOLE:
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
