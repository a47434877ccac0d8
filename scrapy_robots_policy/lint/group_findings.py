"""Findings about groups: who is bound by what."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import pairwise

from ..rep.agents import TOKEN, CrawlerKind, product_token
from ..rep.dialects.crawlers import find_agent
from ..rep.dialects.dialect import Dialect
from ..rep.dialects.engines import DIALECTS
from ..rep.dialects.options import AgentValue, OrphanRules, Records
from ..rep.lines import WHITE, grammar_of
from ..rep.ruleset import RuleSet
from .crawler_names import LONGEST_NAME, crawler_near
from .findings import Edit, Finding, listed, quoted
from .linted_file import Source, Span

_STAR = "*"
_FOR_EVERYBODY = frozenset({"sitemap", "host", "license"})
_URL = "http://example.com/"
_WRITE_NAME = "write the crawler's name as its operator gives it, or *"
_MAX_PIECES = 8  # crawlers in one line that are asked about
_BLANK = re.compile(rf"\n[{WHITE}]*(?=\n|\Z)")
# A crawler's own name, with a version or a star after it: these every dialect passes over.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[^ ,;]*)?\*?")


def orphans(source: Source) -> Iterator[Finding]:
    first = source.agents[0].start() if source.agents else len(source.text)
    obeying = [d.name for d in source.others if d.orphan_rules is OrphanRules.FOR_ALL]
    for rule in source.grammar.rule.finditer(source.text, 0, first):
        yield source.finding(
            "R301",
            (rule.start() + 1, rule.end()),
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
            f"{quoted(below[1])} is joined with {quoted(above[1])} of line "
            f"{source.line_of(above)}: {quoted(between[1])} is no rule{but}",
            "put a rule between them; Disallow: with no path allows all",
            parting,
        )


def _parts(source: Source, dialect: Dialect, gap: Span) -> bool:
    return grammar_of(dialect).closer.search(source.text, *gap) is not None


def blank_lines(source: Source) -> Iterator[Finding]:
    """Rules that some dialects lose, and names that they part, for a blank line before them."""
    losing = _losing(source)
    for lines, start, end in source.lists:
        for above, below in pairwise(lines):
            gap = above.end(), below.start()
            parting = tuple(other.name for other in source.others if _parts(source, other, gap))
            if parting and not source.grammar.directive.search(source.text, *gap):
                yield source.finding(
                    "R303",
                    (below.start() + 1, below.end()),
                    f"a blank line parts {quoted(above[1])} of line "
                    f"{source.line_of(above)} from this group in {listed(parting)}",
                    "remove the blank line",
                    parting,
                )
        yield from _lost_rules(source, losing, start, end)


# the dialects that read blank lines and rules alike
_Losing = dict[tuple[re.Pattern[str], re.Pattern[str]], list[str]]


def _losing(source: Source) -> _Losing:
    """The dialects in which a blank line ends a group."""
    losing: _Losing = {}
    for dialect in (source.dialect, *source.others):
        grammar = grammar_of(dialect)
        if grammar.blank:
            losing.setdefault((grammar.blank, grammar.rule), []).append(dialect.name)
    return losing


def _lost_rules(source: Source, losing: _Losing, start: int, end: int) -> Iterator[Finding]:
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
            (first.start() + 1, first.end()),
            f"a blank line before it ends the group: {listed(dialects)} read no rule from here on",
            "remove the blank lines between a User-agent line and the last rule of its group",
            dialects,
            _without_blanks(source, start, end) if is_alike else (),
        )


def _without_blanks(source: Source, start: int, end: int) -> Iterator[Edit]:
    """The group without the blank lines before its last rule."""
    rules = deque(source.grammar.rule.finditer(source.text, start, end), maxlen=1)
    for blank in _BLANK.finditer(source.text, start, rules[0].start() if rules else start):
        yield Edit(source.line_of(blank))


def tokens(source: Source) -> Iterator[Finding]:
    """Names that are no name of one crawler. A name with digits or dots may well be one."""
    unmatchable = []
    for line in source.agents:
        value = line[1]
        if value == _STAR or _NAME.fullmatch(value):
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


def _several(source: Source, line: re.Match[str], pieces: list[str]) -> Iterator[Finding]:
    """Some dialects look for a crawler's name in the whole value: the engine is asked."""
    rules = _rules_for(line[1], source.dialect)
    looked_at = pieces[:_MAX_PIECES]
    bound = [piece for piece in looked_at if not rules.allowed(_URL, piece)]
    if len(bound) < len(looked_at):
        yield source.finding(
            "R306",
            line.span(1),
            f"{quoted(line[1])} lists {len(pieces)} crawlers: it binds "
            f"{f'{quoted(bound[0])} alone' if bound else 'none of them'}",
            "write one User-agent line for each crawler",
        )


def _is_unmatchable(value: str, dialect: Dialect) -> bool:
    """Whether no crawler can go by the whole of it, neither here nor in its own engine."""
    if _is_bound(value, dialect):
        return False
    agent = find_agent(product_token(value))
    own = DIALECTS.get(agent.dialect) if agent else None
    return own is None or not _is_bound(value, own)


def _is_bound(value: str, dialect: Dialect) -> bool:
    """Whether a group for `value` binds the crawler of that name: the engine is asked."""
    return not _rules_for(value, dialect).allowed(_URL, product_token(value))


def _rules_for(value: str, dialect: Dialect) -> RuleSet:
    return RuleSet(f"User-agent: {value}\nDisallow: /".encode("latin-1"), dialect)


def _nameless(source: Source, line: re.Match[str]) -> Finding:
    return source.finding(
        "R304", (line.start() + 1, line.end()), "the line names no crawler", _WRITE_NAME
    )


def _unmatchable(source: Source, lines: list[re.Match[str]]) -> Finding:
    """One finding for all of them: lists of such names are copied from site to site."""
    first, *others = lines
    name = quoted(first[1])
    whole = tuple(d.name for d in source.others if d.agent_value is AgentValue.WHOLE)
    token = TOKEN.match(first[1])
    if source.dialect.agent_value is AgentValue.WHOLE:
        what = f"no crawler goes by {name}"
    elif token:
        what = f"{name} is read as {quoted(token[0])}; {listed(whole)} read the whole of it"
    else:
        what = f"{name} starts with no letter: {source.dialect.name} reads no name here"
    if others:
        until = source.line_of(others[-1])
        what += (
            f" (and {len(others):,} more name{'s' * (len(others) > 1)} like it, up to line {until})"
        )
    return source.finding("R304", first.span(1), what, _WRITE_NAME, whole)


def misspelt(source: Source) -> Iterator[Finding]:
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


def seldom_bound(source: Source) -> Iterator[Finding]:
    """Crawlers whose groups do something else than keep a crawler out; each is named once."""
    named = set()
    for line in source.agents:
        agent = find_agent(product_token(line[1])) if len(line[1]) <= LONGEST_NAME else None
        if agent is None or not agent.note or agent.name in named:
            continue
        named.add(agent.name)
        is_token = agent.facts.kind is CrawlerKind.TOKEN
        fix = f"to keep {agent.name} out, refuse its requests at the server"
        yield source.finding(
            "R310",
            line.span(1),
            agent.note,
            f"keep the group to say how {agent.facts.operator} may use pages" if is_token else fix,
        )


def all_disallowed(source: Source) -> Iterator[Finding]:
    """The costliest slip there is, where it is one."""
    for group in source.groups:
        if _STAR not in group.names or any(rule.allow and rule.path for rule in group.rules):
            continue
        for rule in group.rules:
            if rule.path in ("/", "/*"):
                yield source.finding(
                    "R307",
                    source.span_of_value(rule.line),
                    "this keeps all crawlers without a group of their own out of the whole site, "
                    "search engines as well",
                    "if that is not meant, write Disallow: with no path, or the path that is meant",
                )
                break


def without_rules(source: Source) -> Iterator[Finding]:
    """The last group, where no rule comes after it: its crawlers may fetch everything."""
    if not source.lists:
        return
    last = source.lists[-1].lines[-1]
    after = (line for line in source.lines if line.start() > last.start())
    if all(_is_for_everybody(source, line) for line in after):
        is_star = last[1] == _STAR
        who = "every crawler without a group of its own" if is_star else quoted(last[1])
        yield source.finding(
            "R309",
            (last.start() + 1, last.end()),
            f"no rule comes after it: {who} may fetch everything",
            "write the rules of the group; Disallow: with no path says that everything is allowed",
        )


def _is_for_everybody(source: Source, line: re.Match[str]) -> bool:
    """Whether a line after a group is no part of it, nor meant to be one."""
    directive = source.grammar.directive.match(line[0])
    return directive is not None and directive[1].lower() in _FOR_EVERYBODY


def named_again(source: Source) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for lines, _, _ in source.lists:
        for line in lines:
            name = line[1].lower()
            first = seen.setdefault(name, source.line_of(line))
            if first < source.line_of(lines[0]):
                yield _again(source, line, first)


def _again(source: Source, line: re.Match[str], first: int) -> Finding:
    all_dialects = (source.dialect, *source.others)
    option = "star_records" if line[1] == "*" else "own_records"
    first_only = tuple(d.name for d in all_dialects if getattr(d, option) is Records.FIRST)
    return source.finding(
        "R305",
        line.span(1),
        f"{quoted(line[1])} has a group from line {first} on: {listed(first_only)} read "
        "that one only, others join the two",
        "put all rules for a crawler in one group",
        first_only,
    )


CHECKS = (
    *(orphans, joined, blank_lines, tokens, misspelt, all_disallowed, without_rules),
    *(named_again, seldom_bound),
)
