"""Findings about groups: which rules bind which crawlers."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from ..rep.agents import STAR, Category, find_agent, product_token
from ..rep.dialect import Dialect
from ..rep.escapes import listed
from ..rep.text import WHITE, grammar_of
from ..rep.verdict import Rule
from .agent_findings import binds
from .findings import Edit, Finding, quoted, unquoted
from .habits import MARK, SITE, SOMEBODY, binds_orphans, reads_first_only, skips_mark
from .source_file import ANYTHING, SAYS_SOMETHING, SourceFile, Span, and_others, whole

_FOR_EVERYBODY = frozenset({"sitemap", "host", "license"})
_Content = tuple[tuple[str, str], ...]
_BLANK = re.compile(rf"\n[{WHITE}]*(?=\n|\Z)")


def orphans(source: SourceFile) -> Iterator[Finding]:
    if binds_orphans(source.dialect):
        return
    obeying = [d.name for d in source.others if binds_orphans(d)]
    for rule in source.grammar.rule.finditer(source.text, 0, source.first_agent):
        yield source.finding(
            "R301",
            whole(rule),
            f"the rule binds nobody: no User-agent line stands before it ({listed(obeying)} "
            "take it for all crawlers)",
            "put the line User-agent: * before it",
        )


def joined(source: SourceFile) -> Iterator[Finding]:
    """Groups become one where only lines that are no rules stand between their names. Where no rule
    forbids anything, that has no effect. Two groups for the same crawlers are one in any case, but
    some engines read the first only: then R305 is about them.
    """
    for agent_list, rules in source.rules_of_lists:
        binding = next((rule for rule in rules if rule.path and not rule.allow), None)
        joins = []
        for upper, lower in pairwise(_parts(source, agent_list.lines)):
            if _names(upper) == _names(lower):
                yield from _parted_again(source, lower[0], upper[-1])
            else:
                joins.append((upper[-1], lower[0]))
        if joins and binding:
            yield _joined(source, joins, binding)


def _parts(source: SourceFile, lines: list[re.Match[str]]) -> list[list[re.Match[str]]]:
    """The User-agent lines of a list as people see them: a line with another key parts two."""
    parts: list[list[re.Match[str]]] = []
    for line in lines:
        if parts and not _between(source, parts[-1][-1], line):
            parts[-1].append(line)
        else:
            parts.append([line])
    return parts


def _between(
    source: SourceFile, above: re.Match[str], below: re.Match[str]
) -> re.Match[str] | None:
    return source.grammar.directive.search(source.text, above.end(), below.start())


def _names(lines: list[re.Match[str]]) -> set[str]:
    return {line[1].lower() for line in lines}


def _joined(
    source: SourceFile, joins: list[tuple[re.Match[str], re.Match[str]]], binding: Rule
) -> Finding:
    """One finding for all groups that become one: a rule binds the crawlers of all of them."""
    (above, below), *more = joins
    between = _between(source, above, below)
    assert between is not None  # it parts the two
    parting = _parting(source, (above.end(), below.start()))
    others = and_others(source, "group", [lower for _, lower in more])
    but = f"; {listed(parting)} part them" if parting else ""
    return source.finding(
        "R302",
        whole(below),
        f"{quoted(below[1])} is joined with {quoted(above[1])} of line "
        f"{source.line_of(above)}: {quoted(between[1])} is no rule{others}. So {binding.key}: "
        f"{unquoted(binding.path)} of line {binding.line} binds all of them{but}",
        "put a rule between them; Disallow: with no path allows all",
        parting,
    )


def _parted_again(
    source: SourceFile, line: re.Match[str], first: re.Match[str]
) -> Iterator[Finding]:
    """R305, for dialects in which something parts two lists, and which read the first one only."""
    parting = _parting(source, (first.end(), line.start()))
    finding = _again(source, line, first)
    dialects = tuple(name for name in finding.dialects if name in parting)
    if dialects:
        message = (
            f"{quoted(line[1])} has a group from line {source.line_of(first)} on: "
            f"{listed(dialects)} read that one only, which has no rule"
        )
        yield replace(finding, message=message, dialects=dialects)


def _parting(source: SourceFile, gap: Span) -> tuple[str, ...]:
    """The other dialects in which something between two User-agent lines parts them."""
    closing = (d for d in source.others if grammar_of(d).closer.search(source.text, *gap))
    return tuple(dialect.name for dialect in closing)


def blank_lines(source: SourceFile) -> Iterator[Finding]:
    """Blank lines after which some dialects read no rule, or which separate names for them."""
    losing = _losing(source.dialects)
    # Where a mark is kept, line 1 is no User-agent line: it begins no group that could end.
    is_marked = source.body.startswith(MARK)
    unmarked = [d for d in source.dialects if not (is_marked and not skips_mark(d))]
    losing_line_1 = _losing(unmarked)
    for lines, start, end in source.lists:
        for above, below in pairwise(lines):
            gap = above.end(), below.start()
            parting = _parting(source, gap)
            if parting and not SAYS_SOMETHING.search(source.text, *gap):
                yield source.finding(
                    "R303",
                    whole(below),
                    f"a blank line parts {quoted(above[1])} of line "
                    f"{source.line_of(above)} from this group in {listed(parting)}",
                    "remove the blank line",
                    parting,
                )
        is_line_1 = source.line_of(lines[-1]) == 1
        yield from _lost_rules(source, losing_line_1 if is_line_1 else losing, start, end)


# the dialects that read blank lines and rules alike
_Losing = dict[tuple[re.Pattern[str], re.Pattern[str]], list[str]]


def _losing(dialects: Iterable[Dialect]) -> _Losing:
    """The dialects in which a blank line ends a group."""
    losing: _Losing = {}
    for dialect in dialects:
        grammar = grammar_of(dialect)
        if grammar.blank:
            losing.setdefault((grammar.blank, grammar.rule), []).append(dialect.name)
    return losing


def _lost_rules(source: SourceFile, losing: _Losing, start: int, end: int) -> Iterator[Finding]:
    lost: dict[int, tuple[re.Match[str], list[str]]] = {}
    for (blank, rule), names in losing.items():
        blank_line = blank.search(source.text, start, end)
        first = rule.search(source.text, blank_line.start(), end) if blank_line else None
        if first:
            lost.setdefault(first.start(), (first, []))[1].extend(names)
    if lost:
        first, _ = lost[min(lost)]
        dialects = tuple(name for _, names in lost.values() for name in names)
        every = {name for names in losing.values() for name in names}
        is_alike = len(lost) == 1 and every == set(dialects)
        yield source.finding(
            "R303",
            whole(first),
            f"a blank line before it ends the group: {listed(dialects)} read no rule from here on",
            "remove the blank lines between a User-agent line and the last rule of its group",
            dialects,
            _without_blanks(source, start, end) if is_alike else (),
        )


def _without_blanks(source: SourceFile, start: int, end: int) -> Iterator[Edit]:
    """The group without the blank lines before its last rule."""
    rules = deque(source.grammar.rule.finditer(source.text, start, end), maxlen=1)
    for blank in _BLANK.finditer(source.text, start, rules[0].start() if rules else start):
        yield Edit(source.line_of(blank))


def all_disallowed(source: SourceFile) -> Iterator[Finding]:
    """All crawlers are kept out of the whole site: no mistake costs more, where it is one."""
    groups = (group for group in source.groups if STAR in group.names)
    if any(rule.allow and rule.path for group in groups for rule in group.rules):
        return
    verdict = source.rules.verdict(f"{SITE}/{ANYTHING}", SOMEBODY)
    if verdict.rule and not (verdict.allowed or source.rules.allowed(f"{SITE}/", SOMEBODY)):
        admitted = _admitted_engines(source)
        but = f" but {listed(admitted)}" if admitted else ""
        yield source.finding(
            "R307",
            source.span_of_value(verdict.rule.line),
            "this keeps all crawlers without a group of their own out of the whole site, "
            f"search engines as well{but}",
            "if that is not meant, write Disallow: with no path, or the path that is meant",
        )


def _admitted_engines(source: SourceFile) -> list[str]:
    """The search engines that groups of their own admit, by the names of their crawlers."""
    agents = (find_agent(product_token(line[1])) for line in source.agents)
    engines = {a.name for a in agents if a and a.facts.category is Category.SEARCH}
    names = sorted(engines, key=str.lower)[: source.max_questions]
    return [name for name in names if source.rules.allowed(f"{SITE}/", name)]


def without_rules(source: SourceFile) -> Iterator[Finding]:
    """The last group, where no rule comes after it: its crawlers may fetch everything. A file that
    forbids nothing keeps nobody out without it, either.
    """
    if not source.lists or not any(rule.path for rule in source.every_rule):
        return
    last = source.lists[-1].lines[-1]
    if not _frees(source, last):
        return
    after = (line for line in source.lines if line.start() > last.start())
    if all(_is_for_everybody(source, line) for line in after):
        is_for_all = last[1] in ("", STAR)
        who = "every crawler without a group of its own" if is_for_all else quoted(last[1])
        yield source.finding(
            "R309",
            whole(last),
            f"no rule comes after it: {who} may fetch everything",
            "write the rules of the group; Disallow: with no path says that everything is allowed",
        )


def _frees(source: SourceFile, line: re.Match[str]) -> bool:
    """Whether a User-agent line binds a crawler, and no rule does. Where a group of the same name
    has rules, R305 is about it. A name is read in full, or in part: the engine is asked.
    """
    number = source.line_of(line)
    groups = map(source.rules.group, {line[1] or SOMEBODY, line[2] or SOMEBODY})
    return any(group and number in group.lines and not group.rules for group in groups)


def _is_for_everybody(source: SourceFile, line: re.Match[str]) -> bool:
    """Whether a line after a group is no part of it, nor meant to be one."""
    directive = source.grammar.directive.match(line[0])
    return directive is not None and directive[1].lower() in _FOR_EVERYBODY


def named_again(source: SourceFile) -> Iterator[Finding]:
    """A crawler with several groups; one finding for all that are written alike or as a version. If
    the groups say the same, it does not matter which one is read.
    """
    seen: dict[str, tuple[re.Match[str], _Content]] = {}
    again: dict[tuple[str, bool], list[re.Match[str]]] = {}
    for lines, start, end in source.lists:
        content = _content(source, (start, end))
        for line in lines:
            name = _crawler_of(line[1], source.dialect).lower()
            first, first_content = seen.setdefault(name, (line, content))
            if first.start() < lines[0].start() and content != first_content:
                is_version = first[1].lower() != line[1].lower()
                again.setdefault((name, is_version), []).append(line)
    for (name, is_version), (line, *others) in again.items():
        finding = (_as_version if is_version else _again)(source, line, seen[name][0])
        message = finding.message + and_others(source, "line", others)
        yield replace(finding, message=message)


def _content(source: SourceFile, group: Span) -> _Content:
    """The lines of a group that are for its crawlers alone: their keys and values."""
    lines = ((line[1].lower(), line[2]) for line in source.directives(group))
    return tuple((key, value) for key, value in lines if key not in _FOR_EVERYBODY)


def _crawler_of(value: str, dialect: Dialect) -> str:
    """The crawler that a User-agent line names: the value without a version, if that binds it."""
    name = product_token(value)
    return name if name == value or binds(value, dialect) else value


def _again(source: SourceFile, line: re.Match[str], first: re.Match[str]) -> Finding:
    first_only = tuple(d.name for d in source.dialects if reads_first_only(d, line[1]))
    return source.finding(
        "R305",
        line.span(1),
        f"{quoted(line[1])} has a group from line {source.line_of(first)} on: "
        f"{listed(first_only)} read that one only, others join the two",
        "put all rules for a crawler in one group",
        first_only,
    )


def _as_version(source: SourceFile, line: re.Match[str], first: re.Match[str]) -> Finding:
    """About this dialect alone: to others the two may be the names of two crawlers."""
    dialect = source.dialect
    first_only = reads_first_only(dialect, line[1])
    return source.finding(
        "R305",
        line.span(1),
        f"{quoted(line[1])} is the same crawler as {quoted(first[1])} of line "
        f"{source.line_of(first)}: {dialect.name} "
        f"{'reads the first group only' if first_only else 'joins the two groups'}",
        "put all rules for a crawler in one group, under its name without a version",
    )


CHECKS = (orphans, joined, blank_lines, all_disallowed, without_rules, named_again)
