"""The life of a robots.txt: what a fetch brings, what a dialect makes of it, and for how long.

Facts and judgement stay apart. A `CacheEntry` holds what happened: the bytes of the last file that
came, and the last result. It is the same for every dialect, and a store keeps it. An
`AccessPolicy` is a dialect's reading of such facts; `judge` gives the `Access` that follows from
both at an instant.

    fetch result                 access result (RFC 9309 §2.3.1)    mode
    2xx                          successful                         rules
    304                          unchanged                          as before
    4xx, too many redirects      unavailable                        allow
    401, 403                     forbidden                          `forbidden`
    429                          `too_many_requests`
    5xx, other statuses          `other_status`
    no response                  unreachable                        `unreachable`, by the time since
                                                                    the first failure

An access is fresh until it has to be fetched again (RFC 9111). A stale one holds while that fetch
runs, for one lifetime at most (RFC 5861). Durations are seconds; an instant is seconds since the
epoch, which the caller passes in. Nothing here reads a clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from .checks import check_fields, check_type, hints_of, wrong_type
from .escapes import brief, quoted
from .sniffing import HEAD, is_html_page, is_wide
from .url import DEFAULT_PORTS

MINUTE = 60.0
HOUR = 60 * MINUTE
DAY = 24 * HOUR
FOREVER = float("inf")
RETRY_FIRST, RETRY_LAST = 10.0, HOUR  # between tries to fetch what is unreachable


class AccessMode(Enum):
    """What may be done with an origin."""

    RULES = "rules"
    ALLOW = "allow"
    DISALLOW = "disallow"
    DEFER = "defer"

    @property
    def description(self) -> str:
        """The mode in a few words, for logs, reports and commands."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    AccessMode.RULES: "its rules are obeyed",
    AccessMode.ALLOW: "everything is allowed",
    AccessMode.DISALLOW: "nothing is allowed",
    AccessMode.DEFER: "requests wait for the next try",
}


class AccessResult(Enum):
    """The kinds of access result of RFC 9309 §2.3.1, the 1996 draft's FORBIDDEN, and HTTP's 304."""

    SUCCESSFUL = "successful"
    UNCHANGED = "unchanged"
    FORBIDDEN = "forbidden"
    UNAVAILABLE = "unavailable"
    UNREACHABLE = "unreachable"


def _check_modes(name: str, **modes: AccessMode | None) -> None:
    for field, mode in modes.items():
        if mode is AccessMode.RULES:
            raise ValueError(f"{name}: {field} is 'rules', but there is no file whose rules hold")


@dataclass(frozen=True, slots=True)
class Step:
    """The access modes of a file that has been unreachable for less than `until` seconds.

    ValueError for a value of a wrong type, and for `RULES` where there is no file.
    """

    until: float
    with_copy: AccessMode
    without_copy: AccessMode
    site_down: AccessMode | None = None  # instead of both, if the site answers no request at all

    def __post_init__(self) -> None:
        check_fields(self, "Step", hints_of(Step))
        _check_modes("Step", without_copy=self.without_copy, site_down=self.site_down)


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """How a dialect reads a fetch result. The defaults are RFC 9309's.

    ValueError for a value that is of a wrong type, or with which no file would be read, or no mode
    would hold: it names the field.
    """

    successful: range = range(200, 300)
    text_only: bool = False  # another media type than text/* counts as no file
    html_page: AccessResult = AccessResult.SUCCESSFUL  # §2.3.1.5: its parseable lines are rules
    redirects: int = 5  # §2.3.1.2: at least five
    forbidden: AccessMode = AccessMode.ALLOW  # 401, 403
    too_many_requests: AccessResult = AccessResult.UNAVAILABLE  # 429
    other_status: AccessResult = AccessResult.UNREACHABLE  # 5xx and statuses not named above
    unreachable: tuple[Step, ...] = (
        Step(30 * DAY, AccessMode.RULES, AccessMode.DISALLOW),  # §2.3.1.4
        Step(FOREVER, AccessMode.RULES, AccessMode.ALLOW),
    )
    lifetime: float = DAY  # §2.4
    lifetime_bounds: tuple[float, float] = (MINUTE, DAY)  # min, max of a lifetime by HTTP caching
    schemes: frozenset[str] = frozenset({"http", "https"})

    def __post_init__(self) -> None:
        check_fields(self, "AccessPolicy", hints_of(AccessPolicy))
        _check_modes("AccessPolicy", forbidden=self.forbidden)
        for fault in _faults(self):
            raise ValueError(f"AccessPolicy: {fault}")

    @property
    def asks_for_site(self) -> bool:
        """Whether it matters for an unreachable file that the site answers other requests."""
        return any(step.site_down for step in self.unreachable)


def _faults(policy: AccessPolicy) -> Iterator[str]:
    """What is wrong with the values of the fields, though each is of its type."""
    if 200 not in policy.successful:
        yield "successful must have 200, else no file is read"
    ends = [step.until for step in policy.unreachable]
    if not ends or ends[-1] != FOREVER:
        yield "the last step of unreachable must be until FOREVER"
    if ends != sorted(set(ends)):
        yield "each step of unreachable must be until later than the one before it"
    shortest, longest = policy.lifetime_bounds
    if shortest > longest:
        yield f"lifetime_bounds is {policy.lifetime_bounds}, it must be (min, max)"
    if not policy.schemes or not policy.schemes <= DEFAULT_PORTS.keys():
        names = ", ".join(DEFAULT_PORTS)
        yield f"schemes is {quoted(policy.schemes)}, it must have one or more of {names}"


@dataclass(frozen=True, slots=True)
class AccessOverrides:
    """The user's values in place of those of every policy; None: the policy's.

    Attributes:
        lifetime: seconds of freshness; HTTP caching may make it shorter, never longer.
        unreachable: the mode while the file is unreachable and there is no copy. Where it is set,
            every status without a meaning of its own counts as unreachable, and a copy stays in
            force without a limit of time.

    """

    lifetime: float | None = None
    unreachable: AccessMode | None = None

    def over(self, policy: AccessPolicy) -> AccessPolicy:
        """The policy with these values."""
        if self.lifetime is None and self.unreachable is None:
            return policy
        return _put_over(self, policy)


@lru_cache(maxsize=64)  # it is needed for each origin, and a policy checks its values
def _put_over(own: AccessOverrides, policy: AccessPolicy) -> AccessPolicy:
    if own.lifetime is not None:
        shortest = min(policy.lifetime_bounds[0], own.lifetime)
        bounds = (shortest, own.lifetime)
        policy = replace(policy, lifetime=own.lifetime, lifetime_bounds=bounds)
    if own.unreachable is not None:
        ladder = (Step(FOREVER, AccessMode.RULES, own.unreachable),)
        policy = replace(policy, unreachable=ladder, other_status=AccessResult.UNREACHABLE)
    return policy


KNOWN_FOR = 86_400.0  # RFC 9309 §2.4: what was seen of a site says nothing of it a day later


@dataclass(frozen=True, slots=True)
class FetchResult:
    """One finished try to fetch a robots.txt.

    Attributes:
        status: HTTP status of the last response; None without a response.
        body: the body, cut at the fetcher's limit.
        cause: why there was no response ("timeout", "dns"), or more about the status.
        lifetime: seconds of freshness by HTTP caching (Cache-Control, Expires); None without.
        retry_after: seconds to wait, by the header Retry-After; None without.
        hops: the URLs that redirects led to, in order; without the first URL.
        is_cut: whether there were more bytes, or more redirects, than the dialect that asked for
            the file reads.
        site_answers: whether the site answers other requests; None: not known, so a status is a
            yes.

    """

    status: int | None
    body: bytes = b""
    cause: str = ""
    media_type: str = ""
    lifetime: float | None = None
    retry_after: float | None = None
    etag: str = ""
    last_modified: str = ""
    hops: tuple[str, ...] = ()
    is_cut: bool = False
    site_answers: bool | None = None


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """The facts about one origin's robots.txt. It has no dialect and no parsed rules.

    Attributes:
        latest: the last result, without its bytes. Of a failure the type, the validators, and
            whether it is cut, are those of the copy, if there is one.
        body: the copy: the body of the last 2xx response; None if there was none, or if a 4xx or
            3xx has withdrawn it since.
        fetched_at: when a response last showed that the copy is current.
        asked_at: when the last result came.
        failing_since: when the present run of failures began; None if the last try did not fail. Of
            the time between two tries a day counts at most: the rest is added to this instant.
        failures: how many tries in a row have failed.
        unreachable_since: as failing_since, counted from the first failure after the last 429 of
            that run; None if the run has no 429, or if it ends with one.

    """

    latest: FetchResult
    asked_at: float
    body: bytes | None = None
    fetched_at: float = 0.0
    failing_since: float | None = None
    failures: int = 0
    unreachable_since: float | None = None

    @property
    def current_at(self) -> float:
        """When a response last showed that this entry is true of the site's file."""
        return self.asked_at if self.body is None else self.fetched_at


def remember(previous: CacheEntry | None, fetched: FetchResult, now: float) -> CacheEntry:
    """The entry after one more try. It is the same for all dialects: any 2xx body is a copy."""
    status = fetched.status
    if status is not None and 200 <= status < 300:
        return CacheEntry(replace(fetched, body=b""), now, fetched.body, now)
    if status == 304 and previous is not None and previous.body is not None:
        return CacheEntry(_revalidated(previous.latest, fetched), now, previous.body, now)
    if status is not None and 300 <= status < 500 and status not in {304, 429}:
        return CacheEntry(replace(fetched, body=b""), now)
    return _failed(previous, fetched, now)


def _revalidated(stored: FetchResult, answer: FetchResult) -> FetchResult:
    """RFC 9111 §4.3.4: a 304 updates the stored response; headers that it lacks stay as stored.

    So does the ETag, which names the bytes. Another one would be that of another file.
    """
    # Of a failure since then: its lifetime is not the copy's.
    has_failed = stored.status is None or not 200 <= stored.status < 300
    lifetime = None if has_failed else stored.lifetime
    return replace(
        stored,
        status=200 if has_failed else stored.status,
        cause="",
        lifetime=lifetime if answer.lifetime is None else answer.lifetime,
        last_modified=answer.last_modified or stored.last_modified,
        is_cut=answer.is_cut,
    )


def _failed(previous: CacheEntry | None, fetched: FetchResult, now: float) -> CacheEntry:
    latest = replace(fetched, body=b"")
    if previous is None:
        return CacheEntry(latest, now, failing_since=now, failures=1)
    if previous.body is not None:
        latest = _beside_copy(latest, previous.latest)
    unknown = max(now - previous.asked_at - KNOWN_FOR, 0.0)
    unreachable_since = previous.unreachable_since
    if fetched.status == 429:
        unreachable_since = None
    elif previous.latest.status == 429:
        unreachable_since = now
    elif unreachable_since is not None:
        unreachable_since += unknown
    return replace(
        previous,
        latest=latest,
        asked_at=now,
        failing_since=now if previous.failing_since is None else previous.failing_since + unknown,
        failures=previous.failures + 1,
        unreachable_since=unreachable_since,
    )


def _beside_copy(failure: FetchResult, copy: FetchResult) -> FetchResult:
    """A failure with the facts about the copy; the next try is conditional, if it is at its URL.

    The status of the copy is not kept. Where it is not 200, a 304 could not give the copy back as
    it was: so the next try asks for the file.
    """
    is_conditional = failure.hops == copy.hops and copy.status not in range(201, 300)
    return replace(
        failure,
        media_type=copy.media_type,
        etag=copy.etag if is_conditional else "",
        last_modified=copy.last_modified if is_conditional else "",
        is_cut=copy.is_cut,
    )


def has_whole_copy(entry: CacheEntry, size_limit: int) -> bool:
    """Whether the copy has all the bytes that a dialect with this size limit reads."""
    body = entry.body
    return body is not None and (not entry.latest.is_cut or len(body) > size_limit)


HTML = "an HTML page"
WIDE = "in UTF-16 or UTF-32, which nobody can read"
_OF_RULES = {HTML: "any rules in it are obeyed", WIDE: "it forbids nothing"}


@dataclass(frozen=True, slots=True)
class Access:
    """What may be done with an origin, and until when.

    Attributes:
        mode: what may be done now.
        why: the reason in a few words, for people ("503", "timeout after 2 redirects").
        result: how the policy read the latest fetch result.
        body: the file, where the mode is RULES; else empty.
        fresh_until: an instant, from which on the file is to be fetched again (RFC 9111: stale).
        holds_until: an instant, up to which the mode may be used while that fetch runs.
        entry: the facts that were judged.

    """

    mode: AccessMode
    why: str
    result: AccessResult
    body: bytes
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
        return AccessResult.UNAVAILABLE  # §2.3.1.2
    if status == 304:
        return AccessResult.UNCHANGED
    if 200 <= status < 300:
        return _served(fetched, policy)
    if 300 <= status < 400:
        return AccessResult.UNAVAILABLE  # §2.3.1.2
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
    which reads fewer bytes or follows fewer redirects. If not, the file must be fetched again.
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
    if result is AccessResult.SUCCESSFUL and entry.body is not None:
        return _settled(entry, AccessMode.RULES, result, policy)
    if result is AccessResult.FORBIDDEN:
        return _settled(entry, policy.forbidden, result, policy)
    if result is AccessResult.UNAVAILABLE:
        return _settled(entry, AccessMode.ALLOW, result, policy)  # §2.3.1.3
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
    body = entry.body or b"" if mode is AccessMode.RULES else b""
    # RFC 5861: a stale file stays in force while it is fetched again, for one lifetime at most.
    return Access(mode, explain(entry), result, body, fresh_until, fresh_until + lifetime, entry)


def _unreachable(entry: CacheEntry, now: float, policy: AccessPolicy) -> Access:
    since = _failing_since(entry, policy)
    step = _step(policy, min(now, entry.asked_at + KNOWN_FOR) - since)
    tried = _step(policy, entry.asked_at - since)
    mode = _mode(step, entry)
    retry_at = min(entry.asked_at + _backoff(entry), since + tried.until)
    # Where time alone has changed the mode, it may be used after one more try.
    holds = mode in (AccessMode.RULES, AccessMode.ALLOW) and mode is _mode(tried, entry)
    # As in `_settled`. RFC 9309 §2.4: nobody knows whether the file is unreachable still.
    holds_until = min(since + step.until, retry_at + policy.lifetime) if holds else retry_at
    return Access(
        mode,
        explain(entry),
        AccessResult.UNREACHABLE,
        entry.body or b"" if mode is AccessMode.RULES else b"",
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
    return step.with_copy if entry.body is not None else step.without_copy


def _site_answers(fetched: FetchResult) -> bool:
    return fetched.status is not None if fetched.site_answers is None else fetched.site_answers


def _backoff(entry: CacheEntry) -> float:
    """Seconds to wait before the next try: longer with each failure."""
    doubled = RETRY_FIRST * 2.0 ** min(max(entry.failures, 1) - 1, 32)
    return min(max(doubled, entry.latest.retry_after or 0.0), RETRY_LAST)


def advance(
    previous: CacheEntry | None, fetched: FetchResult, now: float, policy: AccessPolicy
) -> Access:
    """The access after one more fetch result, at the instant `now`. Pure: no clock, no I/O.

    TypeError for arguments of a wrong type, such as the name of a dialect as `policy`.

    Args:
        previous: the entry before (`.entry` of the last `Access`); None for the first fetch.

    """
    if previous is not None:
        check_type("previous", previous, CacheEntry)
    check_type("fetched", fetched, FetchResult)
    check_type("fetched.body", fetched.body, bytes)
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
    start = (entry.body or b"")[: 2 * HEAD]
    if b"<" in start and is_html_page(start):  # most files have none
        return HTML
    return WIDE if b"\0" in start and is_wide(start) else ""
