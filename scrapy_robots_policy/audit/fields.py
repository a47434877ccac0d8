"""The fields of the lines of a record, as `docs/audit.md` describes them. Pure: data in, data out.

Those of decisions and pages are in `decision_fields`.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from enum import Enum
from hashlib import sha256
from math import isfinite
from typing import Any

from ..fetch.exchange import Exchange
from ..rep import CacheEntry, Dialect, FetchResult
from ..rep.escapes import without_userinfo

FORMAT = 1
MAX_OCTETS = 8 * 1024 * 1024  # of a robots.txt, or of settings; a fetch brings 4 MiB at most

SENT = ("user-agent", "from", "accept-encoding", "if-none-match", "if-modified-since")
RECEIVED = (
    *("age", "cache-control", "content-type", "date", "etag", "expires", "last-modified"),
    *("location", "retry-after", "vary"),
)

_USERINFO = re.compile(r"([^/?#]*://)[^/?#\s]*@")
_PASSWORD = re.compile(r"(?<=password=)[^&#\s'\"]*", re.IGNORECASE)  # Redis takes it as a query


def instant(seconds: float | None) -> str | None:
    """A moment in UTC, to the microsecond; None where there is none, or beyond all dates."""
    if seconds is None:
        return None
    try:
        moment = datetime.fromtimestamp(seconds, timezone.utc)
    except (OverflowError, ValueError, OSError):
        return None
    return moment.isoformat(timespec="microseconds")[:-6] + "Z"


def seconds_of(moment: str) -> float:
    """Seconds since the epoch. ValueError where it is no moment."""
    return datetime.fromisoformat(moment.removesuffix("Z") + "+00:00").timestamp()


def page_url(url: str) -> str:
    """A URL without its own user name and password.

    The rest stands as requested, another URL in its query too: rules are compared with it.
    """
    match = _USERINFO.match(url)
    return url if match is None else match[1] + url[match.end() :]


def plain(value: Any) -> Any:
    """A setting's value as JSON can hold it, without secrets."""
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str | bytes):
        text = value if isinstance(value, str) else value.decode("latin-1")
        return _PASSWORD.sub("", without_userinfo(page_url(text)))
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Dialect):
        return value.name
    if isinstance(value, Mapping):
        return {str(key): plain(value[key]) for key in value}
    if isinstance(value, Iterable):
        return [plain(item) for item in value]
    named = value if hasattr(value, "__qualname__") else type(value)  # a function, or an object
    return f"{named.__module__}.{named.__qualname__}"


def exchange_fields(exchange: Exchange) -> dict[str, Any]:
    return {
        "url": without_userinfo(exchange.url),
        "asked": instant(exchange.asked_at),
        "answered": instant(exchange.answered_at),
        "status": exchange.status,
        "cause": exchange.cause,
        "sent": _kept(exchange.sent, SENT),
        "received": _kept(exchange.received, RECEIVED),
    }


def _kept(headers: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    return {name: without_userinfo(headers[name]) for name in names if name in headers}


def entry_fields(entry: CacheEntry) -> dict[str, Any]:
    """All that a dialect's access policy judges, but for the octets themselves."""
    latest, octets = entry.latest, entry.octets
    fields: dict[str, Any] = {
        "status": latest.status,
        "cause": latest.cause,
        "media_type": latest.media_type,
        "lifetime": latest.lifetime,
        "retry_after": latest.retry_after,
        "etag": latest.etag,
        "last_modified": latest.last_modified,
        "hops": [without_userinfo(hop) for hop in latest.hops],
        "cut": latest.is_cut,
        "site_answers": latest.site_answers,
        "answered": instant(entry.asked_at),
        "current": instant(entry.current_at),
        "failing_since": instant(entry.failing_since),
        "failures": entry.failures,
        "unreachable_since": instant(entry.unreachable_since),
    }
    if octets is not None:
        fields |= {"size": len(octets), "sha256": sha256(octets).hexdigest()}
    return fields


def entry_from(fields: Mapping[str, Any], octets: bytes | None) -> CacheEntry:
    """The cache entry of such fields. KeyError, TypeError or ValueError where there is none."""
    latest = FetchResult(
        fields["status"],
        cause=fields["cause"],
        media_type=fields["media_type"],
        lifetime=fields["lifetime"],
        retry_after=fields["retry_after"],
        hops=tuple(fields["hops"]),
        is_cut=fields["cut"],
        site_answers=fields["site_answers"],
    )
    return CacheEntry(
        latest,
        seconds_of(fields["answered"]),
        octets,
        seconds_of(fields["current"]),
        _seconds_or_none(fields["failing_since"]),
        fields["failures"],
        _seconds_or_none(fields["unreachable_since"]),
    )


def _seconds_or_none(moment: str | None) -> float | None:
    return None if moment is None else seconds_of(moment)


def packed(octets: bytes) -> str:
    return b64encode(zlib.compress(octets, 9)).decode("ascii")


def unpacked(text: str) -> bytes:
    """The octets of a robots.txt. ValueError where they are none, or far too many."""
    unpacker = zlib.decompressobj()
    try:
        octets = unpacker.decompress(b64decode(text, validate=True), MAX_OCTETS)
    except zlib.error as error:
        raise ValueError(f"octets that cannot be unpacked: {error}") from None
    if not unpacker.eof:
        raise ValueError("octets that were cut, or are far too many")
    return octets
