"""Findings about engines: lines that a crawler ignores, and URLs about which engines disagree.

The engines themselves are asked. The path of each rule is asked about as if it were a URL; which
option makes the difference is found by changing options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from ..rep.agents import STAR, find_agent, product_token
from ..rep.dialect import Dialect
from ..rep.engines import DIALECTS, Cause, cause, with_values
from ..rep.escapes import listed
from ..rep.rules import RuleSet, seconds
from ..rep.text import grammar_of
from ..rep.verdict import Rule
from .findings import Finding, quoted
from .habits import SITE, SOMEBODY, has_wildcards, reads_allow, reads_delays
from .rule_findings import meant_path
from .source_file import SourceFile, and_others, whole

_MAY_GO = "it may be removed, unless it is the only line between two User-agent lines"
_OF_THE_PAGE = "a page leaves an index by a noindex of its own (meta tag, X-Robots-Tag) and no rule"
_RETIRED = {  # the message and the fix
    "noindex": (
        "no engine reads Noindex: Google, the last, stopped in September 2019",
        f"{_MAY_GO}; {_OF_THE_PAGE}",
    ),
    "host": ("no engine reads Host: Yandex, the only one that did, stopped in 2018", _MAY_GO),
}
_STANDARD = Dialect("as the standard has it")
_MAX_CAUSES = 8  # looked for in each dialect
_MAX_OCTETS = 30_000_000  # read to find where dialects disagree, and why; some 5 s
_DAY = 24 * 3600
_LONG_DELAY = 3600  # seconds


def bad_values(source: SourceFile) -> Iterator[Finding]:
    for line in source.directives():
        value = line[2]
        if line[1].lower() == "crawl-delay" and seconds(value) is None:
            yield source.finding(
                "R503",
                line.span(2) if value else whole(line),
                f"{quoted(value)} is no number of seconds",
                "write a number, such as Crawl-delay: 10",
            )


def long_delays(source: SourceFile) -> Iterator[Finding]:
    for line in source.directives():
        delay = seconds(line[2]) if line[1].lower() == "crawl-delay" else None
        if delay is not None and delay >= _LONG_DELAY:
            pages = f"{_DAY // delay:.0f} pages" if delay <= _DAY / 2 else "1 page"
            yield source.finding(
                "R510",
                line.span(2),
                f"one page in {delay:,.0f} seconds is at most {pages} a day",
                "write the delay in seconds, such as Crawl-delay: 10",
            )


def retired(source: SourceFile) -> Iterator[Finding]:
    """Lines that no engine reads any longer; one finding for all of a kind."""
    lines: dict[str, list[re.Match[str]]] = {}
    for line in source.directives():
        if line[1].lower() in _RETIRED:
            lines.setdefault(line[1].lower(), []).append(line)
    for key, (first, *others) in lines.items():
        message, fix = _RETIRED[key]
        message += and_others(source, "line", others)
        yield source.finding("R502", first.span(1), message, fix)


def ignored(source: SourceFile) -> Iterator[Finding]:
    """Lines in the group of a crawler whose engine does not read them."""
    for lines, start, end in source.lists:
        for dialect, name in _engines(lines).items():
            for line in source.directives((start, end)):
                why = _why_ignored(line, dialect)
                if why:
                    yield source.finding(
                        "R502",
                        (line.start(1), line.end(2)),
                        f"{name} does not read this: {why}",
                        "put it in a group of crawlers that read it; for others it may stay here",
                        (dialect.name,),
                    )


def _engines(lines: list[re.Match[str]]) -> dict[Dialect, str]:
    """The engines that a list of User-agent lines names, each with the crawler that is named."""
    agents = (find_agent(product_token(line[1])) for line in lines)
    return {DIALECTS[agent.dialect]: agent.name for agent in agents if agent}


def _why_ignored(line: re.Match[str], dialect: Dialect) -> str:
    key, value = line[1].lower(), line[2]
    is_read = {
        "crawl-delay": reads_delays(dialect),
        "request-rate": False,
        "visit-time": False,
        "allow": reads_allow(dialect),
    }
    if not is_read.get(key, True):
        return f"{dialect.name} knows no {key.capitalize()}"
    is_rule = key in ("allow", "disallow")
    if is_rule and not has_wildcards(dialect) and ("*" in value or value.endswith("$")):
        return f"{dialect.name} knows no wildcards"
    return ""


@dataclass
class _Dispute:
    """One cause of disagreement, the lines of the rules it is about, and who disagrees."""

    why: Cause
    rule: Rule
    url: str
    rules: set[int]
    dialects: list[str]


def disagreements(source: SourceFile) -> Iterator[Finding]:
    """Where dialects disagree on the paths of the file's own rules, for a crawler without a group.

    Of a large file, the first rules are looked at: each question reads the whole file again.
    """
    answered = max(1, _MAX_OCTETS // (1 + len(source.others) * len(source.body)))
    rules = [rule for group in source.groups if STAR in group.names for rule in group.rules]
    probes = [(rule, SITE + meant_path(rule.path)) for rule in rules if rule.path][:answered]
    disputes: dict[tuple[str, ...], list[_Dispute]] = {}
    budget = _Budget(_MAX_OCTETS // (1 + len(source.body)))
    for other in source.others:
        theirs = RuleSet(source.body, other)
        for dispute in _disputes(source, theirs, probes, budget):
            same_cause = disputes.setdefault(tuple(dispute.why.options), [])
            # The option may have another value here, which decides otherwise about that URL.
            joined = next((one for one in same_cause if _disagree(source, theirs, one.url)), None)
            if joined is None:
                same_cause.append(dispute)
            else:
                joined.rules |= dispute.rules
                joined.dialects += dispute.dialects
    for dispute in chain.from_iterable(disputes.values()):
        yield _disagreement(source, dispute)


def _disagree(source: SourceFile, theirs: RuleSet, url: str) -> bool:
    return source.rules.allowed(url, SOMEBODY) is not theirs.allowed(url, SOMEBODY)


class _Budget:
    """How often the whole file may still be read to find a cause."""

    def __init__(self, left: int) -> None:
        self.left = left


def _disputes(
    source: SourceFile, theirs: RuleSet, probes: list[tuple[Rule, str]], budget: _Budget
) -> Iterator[_Dispute]:
    causes: list[tuple[_Dispute, RuleSet]] = []
    for rule, url in probes:
        if not _disagree(source, theirs, url):
            continue
        answer = theirs.allowed(url, SOMEBODY)
        same_cause = next(
            (d for d, changed in causes if changed.allowed(url, SOMEBODY) is answer), None
        )
        if same_cause:
            same_cause.rules.add(rule.line)
        elif len(causes) < _MAX_CAUSES and budget.left >= 0:
            dispute = _dispute(source, theirs.dialect, rule, url, budget)
            changed = with_values(source.dialect, dispute.why.options)
            causes.append((dispute, RuleSet(source.body, changed)))
    return (dispute for dispute, _ in causes)


def _dispute(source: SourceFile, other: Dialect, rule: Rule, url: str, budget: _Budget) -> _Dispute:
    def ask(dialect: Dialect) -> bool:
        budget.left -= 1
        return RuleSet(source.body, dialect).allowed(url, SOMEBODY)

    why = cause(ask, source.dialect, other)
    assert why is not None  # they disagree on it
    if not why.together:  # one option is as good as another: the first
        why = Cause(dict(list(why.options.items())[:1]))
    return _Dispute(why, rule, url, {rule.line}, [other.name])


def _disagreement(source: SourceFile, dispute: _Dispute) -> Finding:
    path = dispute.url.removeprefix(SITE)
    answers = ("allowed", "disallowed")
    here, there = answers if source.rules.allowed(dispute.url, SOMEBODY) else answers[::-1]
    more = len(dispute.rules) - 1
    others = f", and {more} more rule{'s' * (more > 1)}" if more else ""
    return source.finding(
        "R601",
        source.span_of_value(dispute.rule.line),
        f"{quoted(path)} is {here} in {source.dialect.name}, but {there} in "
        f"{listed(dispute.dialects)} ({dispute.why}){others}",
        "",
        tuple(dispute.dialects),
    )


def readers(source: SourceFile) -> Iterator[Finding]:
    """Lines in another form than the standard's, which only some engines read."""
    for line in source.lines:
        kind = _kind(source.dialect, line[0])
        if not kind or _kind(_STANDARD, line[0]):
            continue
        reading = [dialect.name for dialect in source.dialects if _kind(dialect, line[0]) == kind]
        yield source.finding(
            "R602",
            whole(line),
            f"no engine but {listed(reading)} reads this line",
            "spell it User-agent:, Allow:, Disallow: or Sitemap:",
            tuple(dialect.name for dialect in source.dialects if dialect.name not in reading),
        )


def _kind(dialect: Dialect, line: str) -> str:
    grammar = grammar_of(dialect)
    kinds = {"agent": grammar.agent, "rule": grammar.rule, "sitemap": grammar.sitemap}
    return next((kind for kind, expression in kinds.items() if expression.match(line)), "")


CHECKS = (bad_values, long_delays, retired, ignored, readers)
