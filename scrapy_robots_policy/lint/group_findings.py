"""Findings about groups: who is bound by what.

Knows: User-agent lines and what parts them. Must not know: what rules match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from ..rep.dialects.crawlers import TOKEN, find_agent, is_token, product_token
from ..rep.dialects.dialect import Dialect
from ..rep.dialects.engines import DIALECTS
from ..rep.dialects.options import OrphanRules, Records
from ..rep.lines import grammar_of
from ..rep.ruleset import RuleSet
from ..rep.url import readable
from .findings import Finding, listed
from .linted_file import Source, Span


def orphans(source: Source) -> Iterator[Finding]:
    first = source.agents[0].start() if source.agents else len(source.text)
    obeying = [d.name for d in source.others if d.orphan_rules is OrphanRules.FOR_ALL]
    for found in source.grammar.rule.finditer(source.text, 0, first):
        yield source.finding(
            "R301",
            (found.start() + 1, found.end()),
            f"the rule binds nobody: no User-agent line stands before it ({listed(obeying)} "
            "take it for all crawlers)",
            "put the line User-agent: * before it",
        )


def joined(source: Source) -> Iterator[Finding]:
    """Two groups become one where only lines that are no rules stand between their names."""
    for above, below in pairwise(source.agents):
        gap = above.end(), below.start()
        between = source.grammar.directive.search(source.text, *gap)
        if not between or source.grammar.closer.search(source.text, *gap):
            continue
        parting = tuple(other.name for other in source.others if _parts(source, other, gap))
        but = f" ({listed(parting)} part them)" if parting else ""
        yield source.finding(
            "R302",
            (below.start() + 1, below.end()),
            f"{readable(below[1])!r} is joined with {readable(above[1])!r} of line "
            f"{source.line_of(above)}: {readable(between[1])} is no rule{but}",
            "put a rule between them; Disallow: with no path allows all",
            parting,
        )


def _parts(source: Source, dialect: Dialect, gap: Span) -> bool:
    return grammar_of(dialect).closer.search(source.text, *gap) is not None


def blank_lines(source: Source) -> Iterator[Finding]:
    """Rules that some dialects lose, and names that they part, for a blank line before them."""
    for lines, start, end in source.lists:
        for above, below in pairwise(lines):
            gap = above.end(), below.start()
            parting = tuple(other.name for other in source.others if _parts(source, other, gap))
            if parting and not source.grammar.directive.search(source.text, *gap):
                yield source.finding(
                    "R303",
                    (below.start() + 1, below.end()),
                    f"a blank line parts {readable(above[1])!r} of line "
                    f"{source.line_of(above)} from this group in {listed(parting)}",
                    "remove the blank line",
                    parting,
                )
        yield from _lost_rules(source, start, end)


def _lost_rules(source: Source, start: int, end: int) -> Iterator[Finding]:
    losing: dict[re.Match[str], list[str]] = {}
    for dialect in (source.dialect, *source.others):
        lost = _first_lost(source, dialect, start, end)
        if lost:
            same = next((rule for rule in losing if rule.start() == lost.start()), lost)
            losing.setdefault(same, []).append(dialect.name)
    for rule, names in losing.items():
        yield source.finding(
            "R303",
            (rule.start() + 1, rule.end()),
            f"the blank line before it ends the group: {listed(names)} read no rule from here on",
            "remove the blank lines between a User-agent line and the last rule of its group",
            tuple(names),
        )


def _first_lost(source: Source, dialect: Dialect, start: int, end: int) -> re.Match[str] | None:
    grammar = grammar_of(dialect)
    blank = grammar.blank.search(source.text, start, end) if grammar.blank else None
    return grammar.rule.search(source.text, blank.start(), end) if blank else None


def tokens(source: Source) -> Iterator[Finding]:
    for found in source.agents:
        value = found[1]
        if is_token(value) or value == "*" or _is_bound(value, source.dialect):
            continue
        agent = find_agent(product_token(value))
        if agent and agent.dialect in DIALECTS and _is_bound(value, DIALECTS[agent.dialect]):
            continue  # its own engine reads it
        binding = tuple(other.name for other in source.others if _is_bound(value, other))
        token = TOKEN.match(value)
        only = f"; it is read as {token[0]!r}" if token else ""
        only += f"; {listed(binding)} read it as it is" if binding else ""
        yield source.finding(
            "R304",
            found.span(1) if value else (found.start() + 1, found.end()),
            f"no crawler can go by {readable(value)!r} in {source.dialect.name}{only}",
            "a name has letters, - and _ only (RFC 9309 §2.2.1), or is *",
            binding,
        )


@lru_cache(maxsize=4096)
def _is_bound(value: str, dialect: Dialect) -> bool:
    """Whether a group for `value` binds the crawler of that name: the engine is asked."""
    body = f"User-agent: {value}\nDisallow: /".encode("latin-1")
    return not RuleSet(body, dialect).allowed("http://example.com/", product_token(value))


def named_again(source: Source) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for lines, _, _ in source.lists:
        for found in lines:
            name = found[1].lower()
            first = seen.setdefault(name, source.line_of(found))
            if first < source.line_of(lines[0]):
                yield _again(source, found, first)


def _again(source: Source, found: re.Match[str], first: int) -> Finding:
    all_dialects = (source.dialect, *source.others)
    option = "star_records" if found[1] == "*" else "own_records"
    first_only = tuple(d.name for d in all_dialects if getattr(d, option) is Records.FIRST)
    return source.finding(
        "R305",
        found.span(1),
        f"{readable(found[1])!r} has a group from line {first} on: {listed(first_only)} read "
        "that one only, others join the two",
        "put all rules for a crawler in one group",
        first_only,
    )


CHECKS = (orphans, joined, blank_lines, tokens, named_again)
