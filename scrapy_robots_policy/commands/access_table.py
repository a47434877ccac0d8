"""What a dialect does where a robots.txt cannot be had: its ladder, as lines to read.

Knows: which answers there are to ask about. Must not know: what follows: `rep.access` is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..rep import AccessMode, AccessPolicy, CacheEntry, FetchResult, judge
from ..rep.access import DAY, FOREVER, HOUR, MINUTE, AccessResult, classify, remember

WORDS = {
    AccessMode.RULES: "the rules of the copy",
    AccessMode.ALLOW: "everything allowed",
    AccessMode.DISALLOW: "nothing allowed",
    AccessMode.DEFER: "wait, and ask again",
}
_ANSWERS = {
    "200": FetchResult(200),
    "3xx, too many": FetchResult(302),
    "401, 403": FetchResult(403),
    "404, other 4xx": FetchResult(404),
    "429": FetchResult(429),
    "5xx": FetchResult(503),
    "no answer": FetchResult(None, cause="timeout"),
}


def stances(policy: AccessPolicy) -> dict[str, str]:
    """By kind of answer, what may be done, in words."""
    return {name: "; ".join(_told(outcome, policy)) for name, outcome in _ANSWERS.items()}


def _told(outcome: FetchResult, policy: AccessPolicy) -> Iterator[str]:
    result = classify(outcome, policy)
    if result is AccessResult.SUCCESSFUL:
        yield "what its rules allow"
    elif result is not AccessResult.UNREACHABLE:
        yield WORDS[_stance(None, outcome, 0.0, policy)]
    else:
        yield from _ladder(outcome, policy)


def _ladder(outcome: FetchResult, policy: AccessPolicy) -> Iterator[str]:
    copy = remember(None, FetchResult(200), 0.0)
    since = 0.0
    for step in policy.unreachable:
        bare = WORDS[_stance(None, outcome, since, policy)]
        kept = WORDS[_stance(copy, outcome, since, policy)]
        told = bare if bare == kept else f"{bare} ({kept}, if there is one)"
        yield f"after {duration(since)}: {told}" if since else told
        since = step.until


def _stance(
    known: CacheEntry | None, outcome: FetchResult, at: float, policy: AccessPolicy
) -> AccessMode:
    return judge(remember(known, outcome, 0.0), at, policy).stance


def duration(seconds: float) -> str:
    """In the largest unit that fits: "30 days", "12 hours", "1.5 minutes"."""
    if seconds >= FOREVER:
        return "ever"
    for size, unit in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"), (1.0, "second")):
        if seconds >= (2 * size if size == DAY else size):
            count = round(seconds / size, 1)
            return f"{count:g} {unit}{'s' * (count != 1)}"
    return f"{seconds:g} seconds"
