"""What a response says of a robots.txt: the `FetchResult`.

Responses that say nothing about the file count as no answer: a proxy's own, a part of a body, a 304
that was not asked for. Else a part of a file, or the words of a proxy, would open the site, and a
304 would keep an old copy for ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timezone
from email.utils import parsedate_to_datetime

from ..rep import Dialect, FetchResult
from .unpacking import UnreadableBodyError, encodings_of

MAX_BYTES = 4 * 1024 * 1024  # of a file, where a dialect knows no limit

_WHOLE_RANGE = re.compile(r"bytes 0-([0-9]{1,15})/([0-9]{1,15})", re.IGNORECASE)
_TAKEN_OFF = frozenset({"chunked", "identity"})  # transfer codings that every client takes off

MAX_VALIDATOR = 1000  # characters; a longer one is not kept, so the next fetch is not conditional
MAX_MEDIA_TYPE = 100
# RFC 9111 §4.2.1: a max-age that is no number makes an answer stale.
_MAX_AGE = re.compile(r"(?:^|[\s,])max-age(?![\w-])(?:\s*=\s*\"?([0-9]{1,10}))?", re.IGNORECASE)
# RFC 9110 §5.5. Some clients take other characters in, and fail when they are to send them back.
_FIELD_VALUE = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f]+")
_UNCACHED = re.compile(r"(?:^|[\s,])no-(?:store|cache)(?=$|[\s,=])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request, one hop of redirects.

    Attributes:
        asked_at: when the request was handed to the downloader, in seconds since the epoch.
        answered_at: when the response, or the error, came.
        status: of the response; None: none came, and `cause` says why.
        sent: the request's headers, `received` the response's, by lower-case name.

    """

    url: str
    asked_at: float
    answered_at: float
    status: int | None
    cause: str
    sent: Mapping[str, str]
    received: Mapping[str, str]


class UnaskedNotModifiedError(ValueError):
    """A 304 to a request without a condition: it is about no copy. RFC 9110 §15.4.5."""


class ProxyRefusedError(ConnectionError):
    """The proxy wants other credentials, so the site was not asked. RFC 9110 §15.5.8."""


def check_answer(
    status: int, headers: Mapping[str, str], *, is_proxied: bool, is_conditional: bool
) -> None:
    """Raise an error of this module, or UnreadableBodyError, where it is no answer about the file.

    Args:
        headers: by lower-case name.
        is_conditional: whether the request had the validators of a copy.

    """
    if status == 304 and not is_conditional:
        raise UnaskedNotModifiedError
    if status == 407 and is_proxied:
        raise ProxyRefusedError
    # RFC 9111 §3.3: a part of a body does not stand for the whole.
    if status == 206 and not _is_whole(headers.get("content-range", "")):
        raise UnreadableBodyError("a part of the file")
    # Some clients take off the chunks only, and leave what is packed in them.
    if 200 <= status < 300 and "transfer-encoding" in headers:
        codings = encodings_of(headers["transfer-encoding"])
        if not _TAKEN_OFF.issuperset(codings):
            raise UnreadableBodyError(f"Transfer-Encoding: {', '.join(codings)}")


def _is_whole(content_range: str) -> bool:
    """Whether a Content-Range is that of all bytes of the file. RFC 9110 §14.4."""
    match = _WHOLE_RANGE.fullmatch(content_range.strip())
    return match is not None and int(match[1]) + 1 == int(match[2])


def by_name(headers: Iterable[tuple[bytes, Sequence[bytes]]]) -> dict[str, str]:
    """Header lines by lower-case name, those of one name joined as RFC 9110 §5.3 says."""
    return {
        name.decode("latin-1").lower(): b", ".join(values).decode("latin-1")
        for name, values in headers
        if values
    }


def result_of(status: int, headers: Mapping[str, str], body: bytes, now: float) -> FetchResult:
    """What a response says. `body`: the file, unpacked; `now`: when the response came."""
    return FetchResult(
        status,
        body,
        media_type=media_type(headers),
        lifetime=lifetime(headers, now),
        retry_after=retry_after(headers, now),
        etag=validator(headers, "etag"),
        last_modified=validator(headers, "last-modified"),
    )


def lifetime(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds of freshness left: Cache-Control, else Expires; None if silent. RFC 9111 §4.2."""
    control = headers.get("cache-control", "")
    if _UNCACHED.search(control):
        return 0.0
    max_age = _MAX_AGE.search(control)
    if max_age:
        fresh = float(max_age[1] or 0)
    elif "expires" in headers:
        fresh = _until(headers["expires"], headers.get("date", ""), now)
    else:
        return None
    # RFC 9111 §4.2.3 leaves it open whether the Date counts, too (apparent_age). A server whose
    # clock is hours late would be asked for its file each minute.
    age = headers.get("age", "").partition(",")[0].strip()  # RFC 9111 §5.1: of several the first
    return max(0.0, fresh - (float(age) if _is_seconds(age) else 0.0))


def _until(expires: str, sent: str, now: float) -> float:
    """Seconds from when it was sent; 0 where the date is none (RFC 9111 §5.3)."""
    end, begin = instant(expires), instant(sent)
    return 0.0 if end is None else end - (now if begin is None else begin)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait, given as a number or as a date; None if silent. RFC 9110 §10.2.3."""
    value = headers.get("retry-after", "").strip()
    if _is_seconds(value):
        return float(value)
    at = instant(value) if value else None
    return None if at is None else max(0.0, at - now)


def media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()[:MAX_MEDIA_TYPE]


def validator(headers: Mapping[str, str], name: str) -> str:
    """An ETag or Last-Modified; "" where there is none, or one that is not worth its bytes."""
    value = headers.get(name, "")
    return value if len(value) <= MAX_VALIDATOR else ""


def can_be_sent(value: str) -> bool:
    """Whether every client can send a value as a header."""
    return _FIELD_VALUE.fullmatch(value) is not None


def instant(date: str) -> float | None:
    """An HTTP date in seconds since the epoch; None if it is none."""
    try:
        parsed = parsedate_to_datetime(date)
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=timezone.utc)).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None


def _is_seconds(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 10


def whole_lines(body: bytes, max_bytes: int | None = None) -> bytes:
    """The file; of one with more than `max_bytes` (None: `MAX_BYTES`), the lines that end within
    them. A rule that is cut in two would be another rule: "Allow: /a" of "Allow: /a/b".
    """
    limit = MAX_BYTES if max_bytes is None else max_bytes
    if len(body) <= limit:
        return body
    start = body[:limit]
    return start[: max(start.rfind(b"\n"), start.rfind(b"\r")) + 1]


def fetch_limit(dialect: Dialect) -> int:
    """How many bytes of a robots.txt are fetched for a dialect. RFC 9309 §2.5."""
    return min(dialect.size_limit, MAX_BYTES)
