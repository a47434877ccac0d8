"""A verdict as plain data and in words: the same for all verbs and for the tester."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from itertools import islice
from typing import Any

from ...rep import Rule, Verdict
from ...rep.agents import crawler_note
from ...rep.escapes import shortened
from ...rep.usage import DeclaredUse, Preference, UseAnswer, answer
from ...resolver.origin import OriginRules

MAX_FACT = 500  # characters: the URL of a licence or a sitemap may be as long as the file
_MAX_VALUE = 2000  # characters of a rule or a preference in JSON, for each URL; `line` has the rest
_MAX_PREFERENCES = 40
_MAX_LISTED = 1000  # of beaten rules, and of User-agent lines


def word_of(verdict: Verdict) -> str:
    return "allowed" if verdict.allowed else "disallowed"


def verdict_as_json(url: str, verdict: Verdict) -> dict[str, Any]:
    """A verdict as plain data. Without a rule, `line` is 0 and `rule` is null. Of very many beaten
    rules the strongest are in it, of very many User-agent lines the first.
    """
    group = verdict.group
    return {
        "url": url,
        "allowed": verdict.allowed,
        "agent": verdict.agent,
        "dialect": verdict.dialect,
        "reason": verdict.reason.value,
        "why": verdict.why,
        "line": verdict.line,
        "rule": rule_in_json(verdict.rule) if verdict.rule else None,
        "group": {"name": group.name, "lines": group.lines[:_MAX_LISTED]} if group else None,
        "beaten": [
            {"line": rule.line, "rule": rule_in_json(rule)} for rule in verdict.beaten[:_MAX_LISTED]
        ],
        **uses_as_json(verdict.uses),
        "note": crawler_note(verdict.agent),
    }


def rule_in_json(rule: Rule) -> str:
    return shortened(str(rule), _MAX_VALUE)


def uses_as_json(uses: UseAnswer) -> dict[str, Any]:
    """Every preference, what overrides what, and the result for each declared use."""
    return {
        "usage": [_as_json(preference) for preference in uses.preferences],
        "overridden": [
            {"preference": _as_json(one.preference), "by": _as_json(one.by), "why": one.why}
            for one in uses.overridden
        ],
        "uses": [
            {"use": use.name, "result": use.result.value, "by": use.by and _as_json(use.by)}
            for use in uses.results
        ],
    }


def _as_json(preference: Preference) -> dict[str, Any]:
    one = preference.readable
    key, value = shortened(one.key, _MAX_VALUE), shortened(one.value, _MAX_VALUE)
    return asdict(replace(one, key=key, value=value))


def uses_with_page(
    verdict: Verdict,
    rules: OriginRules,
    url: str,
    use: DeclaredUse,
    of_page: Iterable[Preference],
) -> UseAnswer:
    """The answer to a declared use.

    verdict  that of `rules` for this use
    of_page  what the page itself says, in its headers and its tags
    """
    overridden = rules.overridden(url, verdict.agent)
    return answer((*verdict.usage, *of_page), use, overridden)


def use_facts(uses: UseAnswer) -> list[tuple[str, str]]:
    """The preferences about the use of the page, what overrides what, and what comes of it: texts
    of `MAX_FACT` characters at most.
    """
    if not uses.preferences:
        return []
    weaker = {one.preference for one in uses.overridden}
    holding = [one for one in uses.preferences if one not in weaker]
    overridden = (f"{one.preference}; by {one.by} ({one.why})" for one in uses.overridden)
    facts = [
        *_first("usage", map(str, holding), len(holding)),
        *_first("overridden", overridden, len(uses.overridden)),
        *(("use", str(result)) for result in uses.results),
    ]
    return [(name, shortened(text, MAX_FACT)) for name, text in facts]


def _first(name: str, texts: Iterable[str], count: int) -> Iterator[tuple[str, str]]:
    """The first of the texts, and how many more there are: a page may have thousands."""
    for text in islice(texts, _MAX_PREFERENCES):
        yield name, text
    if count > _MAX_PREFERENCES:
        yield name, f"and {count - _MAX_PREFERENCES:,} more"


def tdmrep_state(tdmrep: OriginRules) -> str:
    """What came of a tdmrep.json: "200", "200, no JSON array", "timeout"."""
    error = tdmrep.reservations.error if tdmrep.reservations else ""
    return f"{tdmrep.access.why or 'served'}{error and ', ' + error}"
