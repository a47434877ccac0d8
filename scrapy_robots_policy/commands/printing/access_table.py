"""What a dialect does for each answer of a site to /robots.txt, as lines to read.

The access modes come from `rep.access`: the table has no rules of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...rep import AccessMode, AccessPolicy, CacheEntry, FetchResult, judge
from ...rep.access import DAY, FOREVER, HOUR, MINUTE, AccessResult, classify, remember

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
