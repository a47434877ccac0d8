"""What the fetch of a robots.txt lets a crawler do, and for how long.

Facts and judgement stay apart. A `CacheEntry` (in `cache_entry`) holds what happened and is the
same for every dialect; `judge` reads it under one policy (in `access_policy`).

Durations are seconds; an instant is seconds since the epoch, which the caller passes in.
"""

from __future__ import annotations

from dataclasses import dataclass

from .access_policy import AccessMode, AccessPolicy, AccessResult, Step
from .cache_entry import KNOWN_FOR, CacheEntry, FetchResult, has_whole_copy, remember
from .escapes import brief
from .html_page import HEAD, is_html_page, is_wide
from .wrong_type import check_type, wrong_type

HTML = "an HTML page"
WIDE = "in UTF-16 or UTF-32, which nobody can read"
_OF_RULES = {HTML: "any rules in it are obeyed", WIDE: "it forbids nothing"}


@dataclass(frozen=True, slots=True)
class Access:
    """What may be done with an origin, and until when.

    mode         what may be done now
    why          the reason in a few words, for people ("503", "timeout after 2 redirects")
    result       how the policy read the latest fetch result
    octets       the file, where the mode is RULES; else empty
    fresh_until  an instant, from which on the file is to be fetched again (RFC 9111: stale)
    holds_until  an instant, up to which the mode may be used while that fetch runs
    entry        the facts that were judged
    """

    mode: AccessMode
    why: str
    result: AccessResult
    octets: bytes
    fresh_until: float
    holds_until: float
    entry: CacheEntry

    @property
    def is_html(self) -> bool:
        """Whether an HTML page came in place of a robots.txt."""
        return self.oddity == HTML

    @property
    def oddity(self) -> str:
        """What came in place of a robots.txt in UTF-8: `HTML` or `WIDE`; "": it is one."""
        return _oddity(self.entry)

    @property
    def effect(self) -> str:
        """What comes of it in a few words, for people."""
        if self.mode is not AccessMode.RULES:
            return self.mode.description
        return _OF_RULES.get(_oddity(self.entry), self.mode.description)


def classify(fetched: FetchResult, policy: AccessPolicy) -> AccessResult:
    """Read a fetch result the way the policy does. RFC 9309 §2.3.1."""
    status = fetched.status
    if status is None:
        return AccessResult.UNREACHABLE
    if len(fetched.hops) > policy.redirects:  # fetched for a policy that follows more redirects
        return policy.redirects_exhausted
    if status == 304:
        return AccessResult.UNCHANGED
    if 200 <= status < 300:
        return _served(fetched, policy)
    if 300 <= status < 400:
        return policy.redirects_exhausted
    return _refused(fetched, policy) if 400 <= status < 500 else policy.other_status


def _served(fetched: FetchResult, policy: AccessPolicy) -> AccessResult:
    if fetched.status not in policy.successful:
        return AccessResult.UNAVAILABLE
    if policy.text_only and fetched.media_type and not fetched.media_type.startswith("text/"):
        return AccessResult.UNAVAILABLE
    return AccessResult.SUCCESSFUL


def _refused(fetched: FetchResult, policy: AccessPolicy) -> AccessResult:
    if fetched.status == 429:
        return policy.too_many_requests
    return AccessResult.FORBIDDEN if fetched.status in (401, 403) else AccessResult.UNAVAILABLE


def goes_far_enough(entry: CacheEntry, policy: AccessPolicy, size_limit: int) -> bool:
    """Whether the latest try is enough for a policy: it may have been made for another policy,
    which reads fewer octets or follows fewer redirects. If not, the file must be fetched again.
    """
    latest = entry.latest
    if latest.status is None or not latest.is_cut:
        return True
    if 300 <= latest.status < 400:
        return len(latest.hops) >= policy.redirects
    return not 200 <= latest.status < 300 or has_whole_copy(entry, size_limit)


def judge(entry: CacheEntry, now: float, policy: AccessPolicy) -> Access:
    """How a policy reads an entry at the instant `now`.

    TypeError for arguments of a wrong type, such as the name of a dialect as `policy`.
    """
    # A broad crawl judges each origin: right types must cost no call.
    if not (isinstance(entry, CacheEntry) and isinstance(policy, AccessPolicy)):
        check_type("entry", entry, CacheEntry)
        check_type("policy", policy, AccessPolicy)
    if not isinstance(now, int | float):
        raise wrong_type("now", "seconds since the epoch", now)
    result = classify(entry.latest, policy)
    if result is AccessResult.SUCCESSFUL and _oddity(entry) == HTML:
        result = policy.html_page
    if result is AccessResult.SUCCESSFUL and entry.octets is not None:
        return _settled(entry, AccessMode.RULES, result, policy)
    if result is AccessResult.FORBIDDEN:
        return _settled(entry, policy.forbidden, result, policy)
    if result is AccessResult.UNAVAILABLE:
        return _settled(entry, policy.unavailable, result, policy)
    return _unreachable(entry, now, policy)


def _settled(
    entry: CacheEntry, mode: AccessMode, result: AccessResult, policy: AccessPolicy
) -> Access:
    shortest, longest = policy.lifetime_bounds
    asked_for = entry.latest.lifetime
    lifetime = policy.lifetime
    if asked_for is not None:
        lifetime = min(max(asked_for, shortest), longest)
    fresh_until = entry.asked_at + lifetime
    octets = entry.octets or b"" if mode is AccessMode.RULES else b""
    # RFC 5861: a stale file stays in force while it is fetched again, for one lifetime at most.
    return Access(mode, explain(entry), result, octets, fresh_until, fresh_until + lifetime, entry)


def _unreachable(entry: CacheEntry, now: float, policy: AccessPolicy) -> Access:
    since = _failing_since(entry, policy)
    step = _step(policy, min(now, entry.asked_at + KNOWN_FOR) - since)
    tried = _step(policy, entry.asked_at - since)
    mode = _mode(step, entry)
    retry_at = min(entry.asked_at + _backoff(entry, policy), since + tried.until)
    # Where time alone has changed the mode, it may be used after one more try.
    holds = mode in (AccessMode.RULES, AccessMode.ALLOW) and mode is _mode(tried, entry)
    # As in `_settled`. RFC 9309 §2.4: nobody knows whether the file is unreachable still.
    holds_until = min(since + step.until, retry_at + policy.lifetime) if holds else retry_at
    return Access(
        mode,
        explain(entry),
        AccessResult.UNREACHABLE,
        entry.octets or b"" if mode is AccessMode.RULES else b"",
        retry_at,
        holds_until,
        entry,
    )


def _failing_since(entry: CacheEntry, policy: AccessPolicy) -> float:
    """§2.3.1.3: where a 429 is an answer, what came before it is another run of failures."""
    is_answer = policy.too_many_requests is not AccessResult.UNREACHABLE
    since = entry.failing_since
    if is_answer and entry.unreachable_since is not None:
        since = entry.unreachable_since
    return entry.asked_at if since is None else since


def _step(policy: AccessPolicy, failing_for: float) -> Step:
    return next(step for step in policy.unreachable if failing_for < step.until)


def _mode(step: Step, entry: CacheEntry) -> AccessMode:
    if step.site_down is not None and not _site_answers(entry.latest):
        return step.site_down
    return step.with_copy if entry.octets is not None else step.without_copy


def _site_answers(fetched: FetchResult) -> bool:
    return fetched.status is not None if fetched.site_answers is None else fetched.site_answers


def _backoff(entry: CacheEntry, policy: AccessPolicy) -> float:
    doubled = policy.retry_first * 2.0 ** min(max(entry.failures, 1) - 1, 32)
    wait = max(doubled, entry.latest.retry_after or 0.0)
    return min(wait, max(policy.error_lifetime, policy.retry_first))


def advance(
    previous: CacheEntry | None, fetched: FetchResult, now: float, policy: AccessPolicy
) -> Access:
    """The access after one more fetch result, at the instant `now`. Pure: no clock, no I/O.

    previous  the entry before (`.entry` of the last `Access`); None for the first fetch

    TypeError for arguments of a wrong type, such as the name of a dialect as `policy`.
    """
    if previous is not None:
        check_type("previous", previous, CacheEntry)
    check_type("fetched", fetched, FetchResult)
    check_type("fetched.octets", fetched.octets, bytes)
    if fetched.status is not None:
        check_type("fetched.status", fetched.status, int)
    if not isinstance(now, int | float):
        raise wrong_type("now", "seconds since the epoch", now)
    return judge(remember(previous, fetched, now), now, policy)


def is_fresh(access: Access, now: float) -> bool:
    """Whether the file need not be fetched yet."""
    return now < access.fresh_until


def holds(access: Access, now: float) -> bool:
    """Whether the mode may still be used, fresh or stale."""
    return now < max(access.fresh_until, access.holds_until)


def explain(entry: CacheEntry) -> str:
    """The latest fetch result in a few words: its status, or why there was no response."""
    latest = entry.latest
    cause = brief(latest.cause)  # of a store, others may have written it
    words = cause if latest.status is None else f"{latest.status} {cause}".strip()
    oddity = _oddity(entry)
    if oddity:
        words += f", {oddity}"
    if not latest.hops:
        return words
    return f"{words} after {len(latest.hops)} redirect{'s' * (len(latest.hops) > 1)}"


def _oddity(entry: CacheEntry) -> str:
    if entry.latest.status not in range(200, 300):
        return ""
    start = (entry.octets or b"")[: 2 * HEAD]
    if b"<" in start and is_html_page(start):  # most files have none
        return HTML
    return WIDE if b"\0" in start and is_wide(start) else ""
