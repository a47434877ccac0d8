"""The rules that stand in some groups of a text: as lines to match with, and for people to read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from .dialects.dialect import Dialect
from .groups import GroupSpan
from .lines import grammar_of, line_numbers, rule_expression
from .patterns import RuleLine, reading_of
from .verdict import Group, Rule


def rule_lines_of(
    groups: Iterable[GroupSpan], text: str, dialect: Dialect, second: str = "%"
) -> list[RuleLine]:
    """The rule lines of some groups; without most of those that cannot match a path.

    second  the second octet of the path; "%": lines for any path
    """
    expression = _rule_expression(dialect, second)
    lines: list[RuleLine] = []
    for group in groups:
        lines += expression.findall(text, group.start, group.end)
    return lines


@lru_cache(maxsize=1024)
def _rule_expression(dialect: Dialect, second: str) -> re.Pattern[str]:
    reading = reading_of(dialect)
    return rule_expression(dialect, reading.literal, reading.unlike(second))


def obeyed(lines: list[RuleLine], dialect: Dialect) -> list[RuleLine]:
    """The rules that bind one crawler; none where there are more than the dialect obeys."""
    return [] if are_too_many(lines, dialect) else lines


def are_too_many(lines: list[RuleLine], dialect: Dialect) -> bool:
    """Whether so many rules bind one crawler that the dialect obeys none of them."""
    if len(lines) < dialect.rule_limit:
        return False
    ignores = reading_of(dialect).ignores
    count = sum(not ignores(key != "", start + rest) for key, start, rest in lines)
    return count >= dialect.rule_limit


def rules_of(groups: Iterable[GroupSpan], text: str, dialect: Dialect) -> Iterator[Rule]:
    """All rules of some groups, whether the dialect obeys so many or not."""
    rule = grammar_of(dialect).rule
    lines = [line for group in groups for line in rule.finditer(text, group.start, group.end)]
    numbers = line_numbers(text, (line.start() for line in lines))
    for line, number in zip(lines, numbers, strict=True):
        yield Rule(line[1] is not None, line[2], number)


def group_of(name: str, groups: tuple[GroupSpan, ...], text: str, dialect: Dialect) -> Group:
    """Some groups as the one that they are for a crawler; `name` is its name in them."""
    agent = grammar_of(dialect).agent
    starts = (
        line.start() for group in groups for line in agent.finditer(text, group.head, group.end)
    )
    numbers = tuple(line_numbers(text, starts))
    return Group(name, numbers, tuple(rules_of(groups, text, dialect)))
