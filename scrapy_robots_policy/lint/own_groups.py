"""Findings about a crawler's own group, which stands in place of the group for all crawlers.

The engine is asked whether it does, and which rules no longer bind the crawler. Time is linear: a
question may cost as much as the file is long, so the longer it is, the fewer are asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..rep.agents import STAR
from ..rep.escapes import listed
from ..rep.verdict import Rule
from .findings import Finding, quoted, unquoted
from .group_findings import without_rules
from .needless_rules import urls_of
from .source_file import ANYTHING, SITE, SOMEBODY, SourceFile, whole

_MAX_NAMED = 3  # rules in a finding


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


CHECKS = (replacing,)
