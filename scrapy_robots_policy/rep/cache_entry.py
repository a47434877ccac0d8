"""The facts about one robots.txt: what its fetches brought. They are the same for every dialect.

A store keeps entries, so they outlive any dialect. `access` judges an entry for one dialect.
Durations are seconds; an instant is seconds since the epoch, which the caller passes in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


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

    latest         the last result, without its octets. Where it failed and there is a copy, its
                   validators, media type and cut are those of the copy
    octets         the copy: the body of the last 2xx response; None if there was none, or if a
                   4xx or 3xx has withdrawn it since
    fetched_at     when a response last showed that the copy is current
    asked_at       when the last result came
    failing_since  when the present run of failures began; None if the last try did not fail
    failures       how many tries in a row have failed
    """

    latest: FetchResult
    asked_at: float
    octets: bytes | None = None
    fetched_at: float = 0.0
    failing_since: float | None = None
    failures: int = 0

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
        return CacheEntry(_revalidated(previous, fetched), now, previous.octets, now)
    if status is not None and 400 <= status < 500 and status != 429:
        return CacheEntry(replace(fetched, octets=b""), now)
    if status is not None and 300 <= status < 400:
        return CacheEntry(replace(fetched, octets=b""), now)
    return _failed(previous, fetched, now)


def _revalidated(previous: CacheEntry, answer: FetchResult) -> FetchResult:
    """RFC 9111 §4.3.4: a 304 updates the stored response; headers that it lacks stay as stored."""
    stored = previous.latest
    # The lifetime of an error page is not that of the copy, which is not known any more.
    before = stored.lifetime if previous.failing_since is None else None
    return replace(
        stored,
        status=stored.status if stored.status is not None and stored.status < 300 else 200,
        cause="",
        lifetime=answer.lifetime if answer.lifetime is not None else before,
        retry_after=answer.retry_after,
        etag=answer.etag or stored.etag,
        last_modified=answer.last_modified or stored.last_modified,
        is_cut=answer.is_cut,
    )


def _failed(previous: CacheEntry | None, fetched: FetchResult, now: float) -> CacheEntry:
    latest = replace(fetched, octets=b"")
    if previous is None:
        return CacheEntry(latest, now, failing_since=now, failures=1)
    if previous.octets is not None:
        latest = _with_copy(previous.latest, latest)
    return replace(
        previous,
        latest=latest,
        asked_at=now,
        failing_since=previous.failing_since if previous.failing_since is not None else now,
        failures=previous.failures + 1,
    )


def _with_copy(copy: FetchResult, failed: FetchResult) -> FetchResult:
    """A failed result with what still holds of the copy: the next 304 makes it current again."""
    # Validators are good for the URL only that gave the copy, and `hops` is where this try ended.
    is_same_url = copy.hops == failed.hops
    return replace(
        failed,
        media_type=copy.media_type,
        etag=copy.etag if is_same_url else "",
        last_modified=copy.last_modified if is_same_url else "",
        is_cut=copy.is_cut,
    )


def has_whole_copy(entry: CacheEntry, size_limit: int) -> bool:
    """Whether the copy has all the octets that a dialect with this size limit reads."""
    octets = entry.octets
    return octets is not None and (not entry.latest.is_cut or len(octets) > size_limit)
