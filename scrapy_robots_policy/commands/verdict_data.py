"""A verdict as plain data and in words: the same for all verbs and for the tester."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..rep import Verdict
from ..rep.dialects.crawlers import crawler_note
from ..rep.preference import Preference
from ..rep.use_answer import UseAnswer

_MAX_USE_FACTS = 40


def word_of(verdict: Verdict) -> str:
    return "allowed" if verdict.allowed else "disallowed"


def verdict_as_json(url: str, verdict: Verdict) -> dict[str, Any]:
    """A verdict as plain data. Without a rule, `line` is 0 and `rule` is null."""
    group = verdict.group
    return {
        "url": url,
        "allowed": verdict.allowed,
        "agent": verdict.agent,
        "dialect": verdict.dialect,
        "reason": verdict.reason.value,
        "why": verdict.why,
        "line": verdict.line,
        "rule": str(verdict.rule) if verdict.rule else None,
        "group": {"name": group.name, "lines": group.lines} if group else None,
        "beaten": [{"line": rule.line, "rule": str(rule)} for rule in verdict.beaten],
        **uses_as_json(verdict.uses),
        "note": crawler_note(verdict.agent),
    }


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
    return asdict(preference.readable)


def use_facts(uses: UseAnswer) -> list[tuple[str, str]]:
    """Every preference about the use of the page, what overrides what, and what comes of it."""
    weaker = {one.preference for one in uses.overridden}
    return [
        *(("usage", str(use)) for use in uses.preferences if use not in weaker),
        *(("overridden", f"{one.preference}; by {one.by} ({one.why})") for one in uses.overridden),
        *(("use", str(result)) for result in uses.results if uses.preferences),
    ][:_MAX_USE_FACTS]
