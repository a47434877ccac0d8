"""The fields of the lines of decisions and pages. Pure: data in, data out.

What a line would repeat a million times, and what is not the case, is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..admission.listener import Decision
from ..config import RequestConfig
from ..rep import Reason, Verdict
from ..rep.escapes import brief, shortened
from ..rep.usage import Place, Preference, UseAnswer
from .fields import page_url

MAX_TEXT = 500  # characters of a preference: a line of a robots.txt may have millions
MAX_PREFERENCES = 50


def preference_fields(preferences: Iterable[Preference]) -> list[dict[str, Any]]:
    return [
        {
            "label": preference.label,
            "key": shortened(preference.key, MAX_TEXT),
            "value": shortened(preference.value, MAX_TEXT),
            "line": preference.line,
            **({} if preference.place is Place.ROBOTS_TXT else {"place": preference.place.value}),
        }
        for preference in tuple(preferences)[:MAX_PREFERENCES]
    ]


def answer_fields(answer: UseAnswer) -> dict[str, Any]:
    """What overrides what, and the result for each declared use."""
    fields: dict[str, Any] = {}
    if answer.overridden:
        fields["overridden"] = [
            {"preference": brief(one.preference.start), "by": brief(one.by.start), "why": one.why}
            for one in answer.overridden[:MAX_PREFERENCES]
        ]
    if answer.results:
        fields["results"] = [
            {
                "use": use.name,
                "result": use.result.value,
                **({} if use.by is None else {"by": brief(use.by.start)}),
            }
            for use in answer.results
        ]
    return fields


def verdict_fields(verdict: Verdict) -> dict[str, Any]:
    """What was decided, and by which line. These are the fields that a replay compares."""
    fields: dict[str, Any] = {
        "verdict": "passed" if verdict.allowed else "refused",
        "reason": verdict.reason.name.lower(),
    }
    if verdict.line:
        fields["line"] = verdict.line
    if verdict.rule is not None:
        fields["rule"] = brief(verdict.rule.start)
    if verdict.why:
        fields["why"] = verdict.why
    if verdict.refused is not None:
        (fields["refused_use"],) = preference_fields([verdict.refused])
    if (verdict.allowed or verdict.reason is Reason.USE_REFUSED) and verdict.usage:
        fields["preferences"] = preference_fields(verdict.usage)
        fields |= answer_fields(verdict.uses)
    return fields


def group_fields(rules: Any, agent: str) -> dict[str, Any]:
    """The group that binds a crawler, by its name and its first line; nothing if there is none."""
    group = None if rules is None else rules.group(agent)
    if group is None:
        return {}
    # Some engines read rules before the first User-agent line as a group: it has no such line.
    first = group.lines[0] if group.lines else 0
    return {"group": shortened(group.name, MAX_TEXT), "group_line": first}


def circumstances(decision: Decision, set_by: Mapping[str, str] | None) -> dict[str, Any]:
    """The fields that most decisions do not have."""
    fields: dict[str, Any] = {}
    if set_by is not None:
        fields |= _overrides(decision.config, set_by)
    if len(decision.forms) > 1:
        fields["forms"] = [page_url(form) for form in decision.forms]
    if decision.waited >= 0.001:
        fields["waited"] = round(decision.waited, 3)
    if decision.dry_run:
        fields["dry_run"] = True
    return fields


def _overrides(config: RequestConfig, set_by: Mapping[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {"set_by": set_by} if set_by else {}
    if not config.obey:
        fields["obey"] = False
    if config.crawl_delay is not None:
        fields["crawl_delay"] = config.crawl_delay
    return fields
