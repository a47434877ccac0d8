"""What a dialect does where a robots.txt cannot be had: its ladder, as lines to read.

Knows: which answers there are to ask about. Must not know: what follows: `rep.access` is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..rep import AccessPolicy, Outcome, Record, Stance, judge
from ..rep.access import DAY, FOREVER, HOUR, MINUTE, Result, classify, remember

WORDS = {
    Stance.RULES: "the rules of the copy",
    Stance.ALLOW: "everything allowed",
    Stance.DISALLOW: "nothing allowed",
    Stance.DEFER: "wait, and ask again",
}
_ANSWERS = {
    "200": Outcome(200),
    "3xx, too many": Outcome(302),
    "401, 403": Outcome(403),
    "404, other 4xx": Outcome(404),
    "429": Outcome(429),
    "5xx": Outcome(503),
    "no answer": Outcome(None, cause="timeout"),
}


def stances(policy: AccessPolicy) -> dict[str, str]:
    """By kind of answer, what may be done, in words."""
    return {name: "; ".join(_told(outcome, policy)) for name, outcome in _ANSWERS.items()}


def _told(outcome: Outcome, policy: AccessPolicy) -> Iterator[str]:
    result = classify(outcome, policy)
    if result is Result.SUCCESSFUL:
        yield "what its rules allow"
    elif result is not Result.UNREACHABLE:
        yield WORDS[_stance(None, outcome, 0.0, policy)]
    else:
        yield from _ladder(outcome, policy)


def _ladder(outcome: Outcome, policy: AccessPolicy) -> Iterator[str]:
    copy = remember(None, Outcome(200), 0.0)
    since = 0.0
    for step in policy.unreachable:
        bare = WORDS[_stance(None, outcome, since, policy)]
        kept = WORDS[_stance(copy, outcome, since, policy)]
        told = bare if bare == kept else f"{bare} ({kept}, if there is one)"
        yield f"after {duration(since)}: {told}" if since else told
        since = step.until


def _stance(known: Record | None, outcome: Outcome, at: float, policy: AccessPolicy) -> Stance:
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
