"""One file as one dialect reads it: what every check starts from."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from ...rep.agents import STAR
from ...rep.dialect import NO_LIMIT, Dialect, Text
from ...rep.engines import DIALECTS
from ...rep.rules import RuleSet
from ...rep.text import WHITE, bytes_read, clean_text, grammar_of, mark_of, readable_text
from ...rep.verdict import Rule
from .findings import KINDS, Edit, Finding
from .habits import binds_orphans, reads_first_only

_MARK = "\ufeff"
_WHOLE = Dialect("whole file", size_limit=NO_LIMIT, text=Text.PERL)
ANYTHING = "\n"  # in a path: no rule holds one, and no dialect with wildcards rewrites it
SAYS_SOMETHING = re.compile(rf"\n[{WHITE}]*[^#{WHITE}\n](?:[^\n]*[^{WHITE}\n])?")
_MAX_BYTES = 50_000_000  # of a file, times questions
Span = tuple[int, int]  # offsets in the text: from, to


class AgentList(NamedTuple):
    """User-agent lines that stand together, and the offsets of the rest of their group."""

    lines: list[re.Match[str]]
    start: int
    end: int


class CombinedGroup(NamedTuple):
    """All groups that name just the same crawlers (RFC 9309 §2.2.1: their rules are combined).

    Attributes:
        names: in lower case.
        lines: the numbers of the User-agent lines.

    """

    names: frozenset[str]
    lines: tuple[int, ...]
    rules: tuple[Rule, ...]


class SourceFile:
    """A robots.txt and a dialect. `text` is what the dialect reads of it (`rep.text.clean_text`).

    Attributes:
        url: the address of the file; "" where it is not known.
        size: its bytes: more than those of `body`, where that is only the start of it.

    """

    def __init__(self, body: bytes, dialect: Dialect, url: str = "", size: int = 0) -> None:
        self.body, self.dialect, self.url = body, dialect, url
        self.size = max(size, len(body))
        self.text = clean_text(body, dialect)
        self.grammar = grammar_of(dialect)
        self._mark = mark_of(body[:3].decode("latin-1"), dialect)
        self._starts = [end.start() for end in re.finditer("\n", self.text)]

    @cached_property
    def others(self) -> tuple[Dialect, ...]:
        """All dialects but this one."""
        return tuple(other for other in DIALECTS.values() if other.name != self.dialect.name)

    @cached_property
    def dialects(self) -> tuple[Dialect, ...]:
        """All dialects, the file's own first."""
        return (self.dialect, *self.others)

    @property
    def lines(self) -> Iterator[re.Match[str]]:
        """The lines that are neither blank nor comments. Not kept: a file may have millions."""
        return SAYS_SOMETHING.finditer(self.text)

    @cached_property
    def agents(self) -> list[re.Match[str]]:
        """The User-agent lines; group 1 is the value."""
        return list(self.grammar.agent.finditer(self.text))

    @property
    def first_agent(self) -> int:
        """Where the first User-agent line starts; where the text ends, if there is none."""
        return self.agents[0].start() if self.agents else len(self.text)

    @cached_property
    def sitemaps(self) -> list[re.Match[str]]:
        """The Sitemap lines; group 1 is the value."""
        return list(self.grammar.sitemap.finditer(self.text))

    def directives(self, span: Span | None = None) -> Iterator[re.Match[str]]:
        """The lines with a key, all or those in a span; group 1: the key, group 2: its value."""
        return self.grammar.directive.finditer(self.text, *(span or (0, len(self.text))))

    @cached_property
    def lists(self) -> list[AgentList]:
        """The lists of User-agent lines. Between two lists stands what ends a list: a rule, or what
        else does so in the dialect.
        """
        return self.lists_parted_by(self.grammar.closer)

    def lists_parted_by(self, *parting: re.Pattern[str]) -> list[AgentList]:
        """The lists of User-agent lines, where lines that match an expression end a list."""
        lists: list[list[re.Match[str]]] = []
        for line in self.agents:
            last = lists[-1][-1].end() if lists else 0
            gap = self.text, last, line.start()
            if not lists or any(expression.search(*gap) for expression in parting):
                lists.append([])
            lists[-1].append(line)
        starts = [lines[0].start() for lines in lists] + [len(self.text)]
        return [AgentList(lines, lines[-1].end(), starts[at + 1]) for at, lines in enumerate(lists)]

    @cached_property
    def rules(self) -> RuleSet:
        """The engine itself, for what can be asked of a whole file a bounded number of times."""
        return RuleSet(self.body, self.dialect)

    @property
    def max_questions(self) -> int:
        """How often a check may ask `rules`: a question may cost as much as the file is long."""
        return 1 + _MAX_BYTES // (1 + len(self.body))

    @cached_property
    def rules_of_lists(self) -> list[tuple[AgentList, tuple[Rule, ...]]]:
        """The lists of User-agent lines, each with the rules after it. Rules before the first one
        come with a list without lines, in a dialect where they bind all crawlers.
        """
        lists = self.lists
        if binds_orphans(self.dialect):
            lists = [AgentList([], 0, self.first_agent), *lists]
        return [(agent_list, tuple(self._rules_in(agent_list))) for agent_list in lists]

    def end_of(self, agent_list: AgentList) -> int:
        """Where a group ends: at a blank line, in some dialects."""
        blank = self.grammar.blank if agent_list.lines else None
        blank_line = blank.search(self.text, agent_list.start, agent_list.end) if blank else None
        return blank_line.start() if blank_line else agent_list.end

    def _rules_in(self, agent_list: AgentList) -> Iterator[Rule]:
        end = self.end_of(agent_list)
        for rule in self.grammar.rule.finditer(self.text, agent_list.start, end):
            yield Rule(rule[1] is not None, rule[2], self.line_of(rule))

    @cached_property
    def groups(self) -> list[CombinedGroup]:
        """What binds the crawlers that the file names: one group for each set of names.

        To ask the engine for each name would take time that grows with the square of their number.
        """
        groups: dict[frozenset[str], tuple[list[int], list[Rule]]] = {}
        for agent_list, rules in self.rules_of_lists:
            names = frozenset(line[2].lower() for line in agent_list.lines) or frozenset({STAR})
            name = STAR if STAR in names else ""
            if names in groups and reads_first_only(self.dialect, name):
                continue
            lines_of, rules_of = groups.setdefault(names, ([], []))
            lines_of += map(self.line_of, agent_list.lines)
            rules_of += rules
        return [
            CombinedGroup(names, tuple(lines), tuple(rules))
            for names, (lines, rules) in groups.items()
        ]

    @property
    def every_rule(self) -> Iterator[Rule]:
        """The rules that bind crawlers, in the order of the file."""
        return (rule for _, rules in self.rules_of_lists for rule in rules)

    @cached_property
    def agent_numbers(self) -> list[int]:
        """The lines that at least one dialect reads as User-agent lines, in order."""
        expressions = {grammar.agent for grammar in map(grammar_of, self.dialects)}
        lines = (line for expression in expressions for line in expression.finditer(self.text))
        return sorted(set(map(self.line_of, lines)))

    @cached_property
    def agent_numbers_as_set(self) -> frozenset[int]:
        return frozenset(self.agent_numbers)

    def is_one_list(self, first: int, second: int) -> bool:
        """Whether no dialect reads a User-agent line between two lines."""
        numbers = self.agent_numbers
        return bisect_right(numbers, first) == bisect_left(numbers, second)

    def has_blank_line(self, first: int, second: int) -> bool:
        """Whether a line between two lines is blank in some dialect: to most, a NUL ends a line."""
        numbers = self._blank_numbers
        return bisect_right(numbers, first) != bisect_left(numbers, second)

    @cached_property
    def _blank_numbers(self) -> list[int]:
        lines = enumerate(self.written, 1)
        return [number for number, line in lines if not line.partition("\0")[0].strip(WHITE)]

    @cached_property
    def _is_cut(self) -> bool:
        """Whether a dialect does not read the whole file, or would not with a space before each
        "#". A changed line moves where such a file is cut.
        """
        size = self.size + self.body.count(b"#")
        return any(size > bytes_read(size, dialect) for dialect in self.dialects)

    @cached_property
    def written(self) -> list[str]:
        """The lines of the file as they are: whole, with the mark, NULs and all."""
        return clean_text(self.body, _WHOLE).split("\n")[1:]

    @property
    def lines_read(self) -> Iterator[tuple[int, str]]:
        """(number, the line as written, without the mark) of each line that the dialect reads."""
        for number, line in enumerate(self.written[: len(self._starts)], 1):
            yield number, line.removeprefix(self._mark) if number == 1 else line

    def line_at(self, offset: int) -> int:
        return bisect_left(self._starts, offset)

    def line_of(self, line: re.Match[str]) -> int:
        """The number of a line that was matched whole: its match starts with its line feed."""
        return self.line_at(line.start() + 1)

    def span_of_line(self, number: int) -> Span:
        """A whole line, without the white space at its end."""
        start = self._starts[number - 1] + 1
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return start, start + len(self.text[start:end].rstrip(WHITE))

    def span_of_value(self, number: int) -> Span:
        """Where the value of a rule line stands; the whole line where it has none."""
        start, end = self.span_of_line(number)
        rule = self.grammar.rule.match(self.text, start - 1)
        return rule.span(2) if rule and rule[2] else (start, end)

    def finding(
        self,
        code: str,
        span: Span,
        message: str,
        fix: str = "",
        dialects: tuple[str, ...] = (),
        edits: Iterable[Edit] = (),
    ) -> Finding:
        """A finding at offsets of the text: from, to."""
        start, end = span
        line = self.line_at(start)
        head = self._starts[line - 1] + 1
        # A dialect may skip half a mark; for a reader of the file it is part of a character.
        before = self._mark if line == 1 else ""
        after = len(readable_text(before + self.text[head:end].rstrip("\r"))) + 1
        column = min(len(readable_text(before + self.text[head:start])) + 1, after)
        edits = () if self._is_cut else tuple(edits)
        return Finding(KINDS[code], line, column, after, message, fix, dialects, edits)


def and_others(source: SourceFile, noun: str, others: list[re.Match[str]]) -> str:
    """Such as " (and 3 more lines like it, up to line 9)", for what is one finding in many lines;
    "" where there are no others.
    """
    if not others:
        return ""
    until = source.line_of(others[-1])
    nouns = noun + "s" * (len(others) > 1)
    return f" (and {len(others):,} more {nouns} like it, up to line {until})"


def whole(line: re.Match[str]) -> Span:
    """All of a line that was matched whole."""
    return line.start() + 1, line.end()


# Comments such as `# robots-lint: ignore R201`, by which the owner of a file leaves findings out.
_COMMENT = re.compile(
    rf"#[{WHITE}]*robots-lint[{WHITE}]*:[{WHITE}]*ignore(-file)?\b((?:[{WHITE},]*R\d{{1,3}}\b)*)",
    re.IGNORECASE,
)
_CODE = re.compile(r"R\d{1,3}", re.IGNORECASE)
_EVERY = ["R"]  # a comment without codes: all codes start so


def ignored(source: SourceFile) -> Callable[[str, int], bool]:
    """Whether a comment in the file asks to leave out the finding of a code on a line.

    At the end of a line the comment is for that line; on a line of its own, for the next line that
    is neither blank nor a comment; `ignore-file` is for the whole file.
    """
    if b"robots-lint" not in source.body.lower():
        return lambda _code, _line: False
    lines = [source.line_of(line) for line in source.lines]
    speaking = frozenset(lines)
    whole_file: set[str] = set()
    by_line: dict[int, set[str]] = {}
    for number, text in enumerate(source.written, 1):
        for comment in _COMMENT.finditer(text):
            codes = [code.upper() for code in _CODE.findall(comment[2])] or _EVERY
            if comment[1]:
                whole_file.update(codes)
            elif number in speaking:
                by_line.setdefault(number, set()).update(codes)
            elif (at := bisect_right(lines, number)) < len(lines):
                by_line.setdefault(lines[at], set()).update(codes)

    def is_ignored(code: str, line: int) -> bool:
        starts = {code[:end] for end in range(1, len(code) + 1)}
        of_line = by_line.get(line, set())
        return not (starts.isdisjoint(whole_file) and starts.isdisjoint(of_line))

    return is_ignored
