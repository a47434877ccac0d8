"""Findings about groups: which rules bind which crawlers, and which rules never decide.


The engine is asked, in the dialect of the file, about a rule's own path as if it were a URL. In
place of each wildcard, and at the end of the rule, stands a byte that no rule holds. So another
rule matches such a URL only if it matches all that this rule matches.

A rule is safe to remove when what stands in for it binds the same crawlers in every dialect: no
dialect reads a User-agent line between the two, and where blank lines count, the other one stands
first. Each dialect is asked which rule decides, with the rule and without it.

Time is linear. Rules with the same text are found by their text, and shorter paths by the starts of
a path. Of rules that are no plain paths only so many are tried against all others as `_MAX_STEPS`
allows. A question may cost as much as the file is long, so the longer it is, the fewer are asked.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, pairwise

from ...rep.agents import STAR, Category, find_agent, product_token
from ...rep.dialect import NO_LIMIT, Dialect
from ...rep.escapes import listed
from ...rep.match import reading_of
from ...rep.rules import RuleSet
from ...rep.text import WHITE, grammar_of
from ...rep.verdict import Rule
from .agent_findings import binds
from .findings import Edit, Finding, quoted, unquoted
from .habits import (
    MARK,
    SITE,
    SOMEBODY,
    binds_orphans,
    group_alone,
    has_wildcards,
    reads_first_only,
    skips_mark,
)
from .rule_findings import as_sent
from .source_file import (
    ANYTHING,
    SAYS_SOMETHING,
    CombinedGroup,
    SourceFile,
    Span,
    and_others,
    ignored,
    whole,
)

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
            "the rule binds nobody: no User-agent line stands before it (it binds all crawlers in "
            f"{listed(obeying)})",
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
    numbers: dict[_Content, int] = {}  # equal contents have one number: they are compared once
    seen: dict[str, tuple[re.Match[str], int]] = {}
    again: dict[tuple[str, bool], list[re.Match[str]]] = {}
    for lines, start, end in source.lists:
        content = numbers.setdefault(_content(source, (start, end)), len(numbers))
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


GROUPS = (orphans, joined, blank_lines, all_disallowed, without_rules, named_again)
_MAX_BEATEN = 100  # findings R404 in a file
_MAX_STEPS = 200_000_000  # bytes of rules that are no plain paths, times bytes of all rules
_MAX_NAMED = 3  # lines in a message
_LONGEST_PLAIN = 500  # bytes of a path whose starts are looked up
# Alike in every dialect. To some, "//" begins the name of a host.
_PLAIN = re.compile(r"(?!//)/[A-Za-z0-9/_.,;:=?&+~()!@'-]*")


def _words(source: SourceFile, number: int) -> tuple[str, str]:
    """The key and the value of a line. All dialects read two lines alike that have the same."""
    key, _, value = source.written[number - 1].partition("#")[0].partition(":")
    return key.strip(WHITE).lower(), value.strip(WHITE)


def _groups(source: SourceFile) -> Iterator[CombinedGroup]:
    """Those below the limits of all dialects. R107 is about the others, in which a rule fewer may
    make a dialect obey all the rest.
    """
    readings = list(map(reading_of, source.dialects))
    return (
        group
        for group in source.groups
        if not any(reading.are_too_many(len(group.rules)) for reading in readings)
    )


def duplicates(source: SourceFile) -> Iterator[Finding]:
    for group in _groups(source):
        seen: dict[tuple[bool, str], Rule] = {}
        for rule in group.rules:
            first = seen.setdefault((rule.allow, rule.path), rule)
            if not rule.path or first is rule:
                continue
            if not source.is_one_list(first.line, rule.line):
                seen[rule.allow, rule.path] = rule  # what comes after may be one list with it
            elif _words(source, first.line) == _words(source, rule.line):
                yield source.finding(
                    "R405",
                    source.span_of_value(rule.line),
                    f"line {first.line} is the same rule for the same crawlers",
                    "remove this one",
                    edits=[Edit(rule.line)],
                )


def beaten(source: SourceFile) -> Iterator[Finding]:
    """Rules that a stronger one contradicts wherever they match."""
    max_bytes = _MAX_STEPS // (1 + sum(len(rule.path) for rule in source.every_rule))
    findings = (
        finding
        for group in _groups(source)
        if len({rule.allow for rule in group.rules}) > 1
        for finding in _beaten(source, _Rules(group.rules, source.dialect, max_bytes))
    )
    return islice(findings, _MAX_BEATEN)


@dataclass
class _Rules:
    """The rules of a group as the engine takes them.

    Attributes:
        max_bytes: of the rules that are no plain paths; those after them are left out.

    """

    rules: tuple[Rule, ...]
    dialect: Dialect
    max_bytes: int

    @cached_property
    def kept(self) -> list[tuple[Rule, bool]]:
        """The rules, and whether each is a plain path."""
        left = self.max_bytes
        kept = []
        for rule in self.rules:
            is_plain = _PLAIN.fullmatch(rule.path) is not None
            left -= 0 if is_plain else len(rule.path)
            if is_plain or left >= 0:
                kept.append((rule, is_plain))
        return kept

    @cached_property
    def engine(self) -> RuleSet:
        return _engine([rule for rule, _ in self.kept], self.dialect)

    def stronger(self, rule: Rule) -> Rule | None:
        """The rule that says the contrary of all URLs that `rule` matches."""
        stronger = {self._stronger_at(url, rule) for url in urls_of(rule, self.dialect)}
        return stronger.pop() if len(stronger) == 1 else None

    def _stronger_at(self, url: str, rule: Rule) -> Rule | None:
        if self.engine.allowed(url, SOMEBODY) is rule.allow or not self._matches(rule, url):
            return None
        path = url.removeprefix(SITE)
        near = [one for one, is_plain in self.kept if not is_plain or path.startswith(one.path)]
        winner = _engine(near, self.dialect).verdict(url, SOMEBODY).rule
        return near[winner.line - 2] if winner else None  # line 1 is the User-agent line

    def _matches(self, rule: Rule, url: str) -> bool:
        disallow = Rule(False, rule.path, rule.line)
        return not _engine([disallow], self.dialect).allowed(url, SOMEBODY)


def _engine(rules: list[Rule], dialect: Dialect) -> RuleSet:
    # The rules are those that were read: their text may be longer here than in the file.
    unlimited = dialect.but(f"{dialect.name}, any size", size_limit=NO_LIMIT)
    return group_alone(unlimited, *(rule.text for rule in rules))


def urls_of(rule: Rule, dialect: Dialect) -> tuple[str, ...]:
    """URLs that another rule matches only if it matches all that this rule matches."""
    path = as_sent(rule.path)
    if not has_wildcards(dialect):
        path += ANYTHING
    elif path.endswith("$"):
        path = path.removesuffix("$").replace("*", ANYTHING)
    else:
        path = path.replace("*", ANYTHING) + ANYTHING
    if path.startswith("/"):
        return (SITE + path,)
    rest = path.lstrip(ANYTHING)
    behind = f"{SITE}/{ANYTHING}{rest}"
    # "*/a" matches "/a" as well, "*a" only what stands behind a slash.
    return (behind, SITE + rest) if rest.startswith("/") else (behind,)


def _beaten(source: SourceFile, rules: _Rules) -> Iterator[Finding]:
    reading = reading_of(source.dialect)
    seen: set[tuple[bool, str]] = set()
    for rule, _ in rules.kept:
        if not rule.path or len(reading.patterns(rule.allow, rule.path)) > 1:
            continue  # it may stand for the directory, too
        key = rule.allow, rule.path
        if key in seen:
            continue  # R405 is about it
        seen.add(key)
        stronger = rules.stronger(rule)
        if stronger:
            yield _never_decides(source, rule, stronger)


def _never_decides(source: SourceFile, rule: Rule, stronger: Rule) -> Finding:
    """To remove it is no fix: there is nearly always a dialect in which it decides."""
    deciding = _deciding(source, rule, stronger)
    but = f"; in {listed(deciding)} this one decides" if deciding else ""
    return source.finding(
        "R404",
        source.span_of_value(rule.line),
        f"the rule never decides in {source.dialect.name}: line {stronger.line}, "
        f"{stronger.key}: {unquoted(stronger.path)}, matches the same URLs and is stronger",
        f"say which of the two is meant{but}",
    )


def _deciding(source: SourceFile, rule: Rule, stronger: Rule) -> tuple[str, ...]:
    """The dialects in which the rule decides, as far as these two go."""
    lines = sorted((rule.line, stronger.line))
    own = lines.index(rule.line) + 2  # line 1 is the User-agent line
    written = [source.written[line - 1] for line in lines]
    return tuple(
        dialect.name
        for dialect in source.dialects
        for rules in [group_alone(dialect, *written)]
        if own in {rules.verdict(url, SOMEBODY).line for url in urls_of(rule, dialect)}
    )


def _binds_alike(source: SourceFile, line: int, other: int) -> bool:
    """Whether in every dialect the other line binds whom this one binds."""
    first, last = sorted((line, other))
    if not source.is_one_list(first, last):
        return False
    # A blank line may end the group: then what comes first binds alone.
    return other < line or not source.has_blank_line(first, last)


@dataclass
class _Starts:
    """Where paths start that may matter to a rule: their literal starts, sorted."""

    starts: list[str]

    def touch(self, path: str) -> bool:
        """Whether one of them starts the path, or is started by it."""
        at = bisect_left(self.starts, path)
        if at < len(self.starts) and self.starts[at].startswith(path):
            return True
        return any(path[:end] in self._every for end in range(len(path) + 1))

    @cached_property
    def _every(self) -> frozenset[str]:
        return frozenset(self.starts)


def redundant(source: SourceFile) -> Iterator[Finding]:
    """Rules whose pages a shorter one forbids, where no rule that allows comes near them. A comment
    that asks to leave one out is about that rule alone, not about the others of the finding.
    """
    allowing = _Starts(sorted(_allowing(source)))
    is_ignored = ignored(source)
    for group in _groups(source):
        covered = [
            (rule, shorter)
            for rule, shorter in _covered(source, group, allowing)
            if not is_ignored("R407", rule.line)
        ]
        if covered:
            yield _redundant(source, covered)


def _redundant(source: SourceFile, covered: list[tuple[Rule, Rule]]) -> Finding:
    """One finding for all redundant rules of a group: lists of paths may have thousands."""
    (first, shorter), *others = covered
    return source.finding(
        "R407",
        source.span_of_value(first.line),
        f"line {shorter.line}, Disallow: {unquoted(shorter.path)}, forbids the pages of this rule"
        f"{_more([rule.line for rule, _ in others])}",
        "remove them" if others else "remove it",
        edits=[Edit(rule.line) for rule, _ in covered],
    )


def _more(lines: list[int]) -> str:
    """The other rules of the finding: how many, and the first of their lines."""
    if not lines:
        return ""
    named = [str(line) for line in lines[:_MAX_NAMED]]
    until = f", up to line {lines[-1]}" if len(lines) > _MAX_NAMED else ""
    names = listed([*named, "others"] if until else named)
    rules, on_lines = ("rules", "lines") if len(lines) > 1 else ("rule", "line")
    return f" (and {len(lines):,} more {rules} like it: {on_lines} {names}{until})"


def _covered(
    source: SourceFile, group: CombinedGroup, allowing: _Starts
) -> Iterator[tuple[Rule, Rule]]:
    """The rules that are redundant, each with a shorter one that forbids its pages."""
    plain = [
        rule
        for rule in group.rules
        if not rule.allow and len(rule.path) <= _LONGEST_PLAIN and _PLAIN.fullmatch(rule.path)
    ]
    first: dict[str, Rule] = {}
    for rule in plain:
        first.setdefault(rule.path, rule)
    for rule in plain:
        starts = (rule.path[:end] for end in range(1, len(rule.path)))
        shorter = next((first[start] for start in starts if start in first), None)
        if shorter and _is_redundant(source, rule, shorter, allowing):
            yield rule, shorter


def _is_redundant(source: SourceFile, rule: Rule, shorter: Rule, allowing: _Starts) -> bool:
    if _words(source, shorter.line) != ("disallow", shorter.path):
        return False  # some dialects may not read the shorter one, or read another path
    return not allowing.touch(rule.path) and _binds_alike(source, rule.line, shorter.line)


def _allowing(source: SourceFile) -> Iterator[str]:
    """The literal starts of all rules of the file that allow, in any dialect."""
    rules = {grammar_of(dialect).rule for dialect in source.dialects}
    for expression in rules:
        for line in expression.finditer(source.text):
            if line[1] is not None or not line[2]:
                start = _PLAIN.match(line[2])
                yield start[0] if start else ""


def replacing(source: SourceFile) -> Iterator[Finding]:
    """Own groups that say nothing of what the group for all crawlers forbids.

    An own group that has one of these rules is passed over: its owner knows that it must repeat
    them. So is one with a rule without a path, which frees its crawlers on purpose. Where
    crawlers without an own group are kept out of the whole site, own groups say who may come.
    """
    own = [group for group in source.groups if group.lines and STAR not in group.names]
    everybody = source.rules.group(SOMEBODY) if own else None
    if everybody is None or not source.rules.allowed(f"{SITE}/{ANYTHING}", SOMEBODY):
        return
    forbidding = [rule for rule in everybody.rules if rule.path and not rule.allow]
    paths = {rule.path for rule in forbidding}
    lines = {source.line_of(line): line for line in source.agents}
    freed = {finding.line for finding in without_rules(source)}  # R309 is about them
    questions = _Questions(source, source.max_questions)
    for group in own:
        line = lines[group.lines[0]]
        repeats = any(not rule.path or rule.path in paths for rule in group.rules)
        if repeats or not line[2] or not freed.isdisjoint(group.lines):
            continue
        open_rules = questions.left_open(line[2], forbidding)
        if open_rules:
            yield _replaced(source, line, open_rules)


@dataclass
class _Questions:
    """Asks the engine about crawlers, `left` times at most."""

    source: SourceFile
    left: int

    def left_open(self, name: str, forbidding: list[Rule]) -> list[Rule]:
        """Rules that forbid something to all crawlers on which no rule for this one says anything:
        all of them or, of many, one more than a finding names.
        """
        rules: list[Rule] = []
        for rule in forbidding:
            self.left -= 1
            if self.left < 0 or len(rules) > _MAX_NAMED:
                break
            if any(self._is_left_open(url, name) for url in urls_of(rule, self.source.dialect)):
                rules.append(rule)
        return rules

    def _is_left_open(self, url: str, name: str) -> bool:
        own = self.source.rules.verdict(url, name)
        return own.rule is None and not self.source.rules.allowed(url, SOMEBODY)


def _replaced(source: SourceFile, line: re.Match[str], rules: list[Rule]) -> Finding:
    named = [
        f"{rule.key}: {unquoted(rule.path)} of line {rule.line}" for rule in rules[:_MAX_NAMED]
    ]
    more = ["others"] if len(rules) > _MAX_NAMED else []
    return source.finding(
        "R311",
        whole(line),
        f"{quoted(line[1])} obeys its own group in place of the one for *: "
        f"{listed(named + more)} {'do' if len(rules) > 1 else 'does'} not bind it",
        "repeat in this group the rules for * that shall bind the crawler, too; "
        "Allow: / says that it may fetch everything",
    )


NEEDLESS = (duplicates, beaten, redundant, replacing)
