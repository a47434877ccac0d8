"""A verdict as plain data and in words: the same for all verbs and for the tester.

Here is also what a dialect does for each kind of answer to /robots.txt (asked of `rep.access`, the
table has no rules of its own), and how two dialects differ, in a few words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from enum import Enum
from itertools import islice
from typing import Any

from ...core.site import OriginRules
from ...rep import AccessMode, AccessPolicy, CacheEntry, FetchResult, Reason, Verdict, judge
from ...rep.access import DAY, FOREVER, HOUR, MINUTE, AccessResult, classify, remember
from ...rep.agents import crawler_note
from ...rep.dialect import NO_LIMIT
from ...rep.engines import Cause
from ...rep.escapes import shortened
from ...rep.usage.answer import UseAnswer, answer
from ...rep.usage.preferences import DeclaredUse, Preference

ANSWERS = {
    "200": FetchResult(200),
    "200, an HTML page": FetchResult(200, b"<html>"),
    "3xx, too many": FetchResult(302),
    "401, 403": FetchResult(403),
    "404, other 4xx": FetchResult(404),
    "429": FetchResult(429),
    "5xx": FetchResult(503),
    "no answer": FetchResult(None, cause="no answer"),
}


def answer_of(result: FetchResult) -> str:
    """The kind of answer of a site, as a key of `ANSWERS`."""
    status = result.status
    if status is None:
        return "no answer"
    exact = {401: "401, 403", 403: "401, 403", 429: "429"}
    kinds = {2: "200", 3: "3xx, too many", 4: "404, other 4xx"}
    return exact.get(status) or kinds.get(status // 100, "5xx")


def modes_by_answer(policy: AccessPolicy) -> dict[str, str]:
    """For each kind of answer, the access mode in words; with its changes over time."""
    return {name: "; ".join(_modes(result, policy)) for name, result in ANSWERS.items()}


def _modes(result: FetchResult, policy: AccessPolicy) -> Iterator[str]:
    if classify(result, policy) is not AccessResult.UNREACHABLE:
        yield _mode(None, result, 0.0, policy).description
        return
    copy = remember(None, FetchResult(200), 0.0)
    since = 0.0
    for step in policy.unreachable:
        without = _mode(None, result, since, policy).description
        with_copy = _mode(copy, result, since, policy).description
        text = without if without == with_copy else f"{without} (with a copy: {with_copy})"
        yield f"after {duration(since)}: {text}" if since else text
        since = step.until


def _mode(
    copy: CacheEntry | None, result: FetchResult, now: float, policy: AccessPolicy
) -> AccessMode:
    """The mode at the instant `now`, if each fetch since the instant 0 brought this result."""
    entry = replace(remember(copy, result, 0.0), asked_at=now)
    return judge(entry, now, policy).mode


def duration(seconds: float) -> str:
    """In the largest unit that fits: "30 days", "12 hours", "1.5 minutes"; "ever" for infinity."""
    if seconds >= FOREVER:
        return "ever"
    for size, unit in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"), (1.0, "second")):
        if seconds >= (2 * size if size == DAY else size):
            count = round(seconds / size, 1)
            return f"{count:g} {unit}{'s' * (count != 1)}"
    return f"{seconds:g} seconds"


def in_seconds(delay: float) -> str:
    """A delay, exact and in the unit that sites use: "90 seconds"."""
    return f"{delay:.12g} second{'s' * (delay != 1)}"


def described(why: Cause, here_name: str) -> str:
    """Each option with its value there and its value here: "precedence: first (google: longest)".

    Args:
        here_name: the name of the dialect here.

    """
    changes = [
        f"{option}: {value_text(there)} ({here_name}: {value_text(here)})"
        for option, (here, there) in why.options.items()
    ]
    return (" and " if why.together else ", or ").join(changes)


def value_text(value: Any) -> str:
    """An option's value in a few words; "…" for a value that has no short text."""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " ".join(value) or "none"
    if isinstance(value, int):
        return "none" if value >= NO_LIMIT else f"{value:,}"
    if isinstance(value, Mapping):
        return f"{len(value)} crawlers"
    return "…"


MAX_FACT = 500  # characters: the URL of a licence or a sitemap may be as long as the file
_MAX_VALUE = 2000  # characters of a rule or a preference in JSON, for each URL; `line` has the rest
_MAX_PREFERENCES = 40
_MAX_LISTED = 1000  # of beaten rules, and of User-agent lines

# The exit statuses of verbs that ask about URLs; 0: allowed.
DISALLOWED, NO_URL, UNREACHABLE = 1, 2, 3


def is_unreachable(verdict: Verdict) -> bool:
    return not verdict.allowed and verdict.reason in (Reason.UNREACHABLE, Reason.DEFERRED)


def word_of(verdict: Verdict) -> str:
    return "allowed" if verdict.allowed else "refused"


def answer_as_json(url: str, verdict: Verdict) -> dict[str, Any]:
    """An answer as plain data, in the words of docs/robots-policy.schema.json. Without a rule,
    `line` is 0 and `rule` is null.
    """
    return {
        "url": url,
        "allowed": verdict.allowed,
        "verdict": "unreachable" if is_unreachable(verdict) else word_of(verdict),
        "agent": verdict.agent,
        "dialect": verdict.dialect,
        "reason": verdict.reason.name.lower(),
        "cause": verdict.cause,
        "line": verdict.line,
        "rule": shortened(str(verdict.rule), _MAX_VALUE) if verdict.rule else None,
    }


def verdict_as_json(url: str, verdict: Verdict) -> dict[str, Any]:
    """The same, with what stands behind the answer. Of very many beaten rules the strongest are in
    it, of very many User-agent lines the first.
    """
    group = verdict.group
    return {
        **answer_as_json(url, verdict),
        "group": {"name": group.name, "lines": group.lines[:_MAX_LISTED]} if group else None,
        "beaten": [
            {"line": rule.line, "rule": shortened(str(rule), _MAX_VALUE)}
            for rule in verdict.beaten[:_MAX_LISTED]
        ],
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

    Args:
        verdict: that of `rules` for this use.
        of_page: what the page itself says, in its headers and its tags.

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
