"""The facts about one robots.txt: what its fetches brought. They are the same for every dialect.

A store keeps entries, so they outlive any dialect. `access` judges an entry for one dialect.
Durations are seconds; an instant is seconds since the epoch, which the caller passes in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

KNOWN_FOR = 86_400.0  # RFC 9309 §2.4: what was seen of a site says nothing of it a day later


@dataclass(frozen=True, slots=True)
class FetchResult:
    """One finished try to fetch a robots.txt.

    status        HTTP status of the last response; None without a response
    octets        the body, cut at the fetcher's limit
    cause         why there was no response ("timeout", "dns"), or more about the status
    lifetime      seconds of freshness by HTTP caching (Cache-Control, Expires); None without
    retry_after   seconds to wait, by the header Retry-After; None without
    hops          the URLs that redirects led to, in order; without the first URL
    is_cut        whether there were more octets, or more redirects, than the dialect that asked
                  for the file reads
    site_answers  whether the site answers other requests; None: not known, so a status is a yes
    """

    status: int | None
    octets: bytes = b""
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

    latest         the last result, without its octets. Of a failure the type, the validators, and
                   whether it is cut, are those of the copy, if there is one
    octets         the copy: the body of the last 2xx response; None if there was none, or if a
                   4xx or 3xx has withdrawn it since
    fetched_at     when a response last showed that the copy is current
    asked_at       when the last result came
    failing_since  when the present run of failures began; None if the last try did not fail. Of the
                   time between two tries a day counts at most: the rest is added to this instant
    failures       how many tries in a row have failed
    unreachable_since  as failing_since, counted from the first failure after the last 429 of that
                   run; None if the run has no 429, or if it ends with one
    """

    latest: FetchResult
    asked_at: float
    octets: bytes | None = None
    fetched_at: float = 0.0
    failing_since: float | None = None
    failures: int = 0
    unreachable_since: float | None = None

    @property
    def current_at(self) -> float:
        """When a response last showed that this entry is true of the site's file."""
        return self.asked_at if self.octets is None else self.fetched_at


def remember(previous: CacheEntry | None, fetched: FetchResult, now: float) -> CacheEntry:
    """The entry after one more try. It is the same for all dialects: any 2xx body is a copy."""
    status = fetched.status
    if status is not None and 200 <= status < 300:
        return CacheEntry(replace(fetched, octets=b""), now, fetched.octets, now)
    if status == 304 and previous is not None and previous.octets is not None:
        return CacheEntry(_revalidated(previous.latest, fetched), now, previous.octets, now)
    if status is not None and 300 <= status < 500 and status not in {304, 429}:
        return CacheEntry(replace(fetched, octets=b""), now)
    return _failed(previous, fetched, now)


def _revalidated(stored: FetchResult, answer: FetchResult) -> FetchResult:
    """RFC 9111 §4.3.4: a 304 updates the stored response; headers that it lacks stay as stored.

    So does the ETag, which names the octets. Another one would be that of another file.
    """
    has_failed = stored.status is None or stored.status >= 300  # its lifetime is not the copy's
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
    latest = replace(fetched, octets=b"")
    if previous is None:
        return CacheEntry(latest, now, failing_since=now, failures=1)
    if previous.octets is not None:
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
    """Whether the copy has all the octets that a dialect with this size limit reads."""
    octets = entry.octets
    return octets is not None and (not entry.latest.is_cut or len(octets) > size_limit)
