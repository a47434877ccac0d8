"""The headers of a message by their names, and the fetch result that those of a response make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timezone
from email.utils import parsedate_to_datetime

from ..rep import FetchResult

MAX_VALIDATOR = 1000  # characters; a longer one is not kept, so the next fetch is not conditional
MAX_MEDIA_TYPE = 100

# RFC 9111 §4.2.1: a max-age that is no number makes an answer stale.
_MAX_AGE = re.compile(r"(?:^|[\s,])max-age(?![\w-])(?:\s*=\s*\"?([0-9]{1,10}))?", re.IGNORECASE)
# RFC 9110 §5.5. Some clients take other characters in, and fail when they are to send them back.
_FIELD_VALUE = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f]+")
_UNCACHED = re.compile(r"(?:^|[\s,])no-(?:store|cache)(?=$|[\s,=])", re.IGNORECASE)


def by_name(headers: Iterable[tuple[bytes, Sequence[bytes]]]) -> dict[str, str]:
    """Header lines by lower-case name, those of one name joined as RFC 9110 §5.3 says."""
    return {
        name.decode("latin-1").lower(): b", ".join(values).decode("latin-1")
        for name, values in headers
        if values
    }


def result_of(status: int, headers: Mapping[str, str], octets: bytes, now: float) -> FetchResult:
    """What a response says. `octets`: the file, unpacked; `now`: when the response came."""
    return FetchResult(
        status,
        octets,
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
    """An ETag or Last-Modified; "" where there is none, or one that is not worth its octets."""
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
