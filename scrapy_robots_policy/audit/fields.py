"""The fields of the lines of a record, as `docs/audit.md` describes them. Pure: data in, data out.

What a line would repeat a million times, and what is not the case, is left out.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from enum import Enum
from hashlib import sha256
from typing import Any

from ..fetch.exchange import Exchange
from ..rep import CacheEntry, Dialect, FetchResult, Reason, Verdict
from ..rep.escapes import brief, without_userinfo
from ..rep.preference import Place, Preference
from ..rep.use_answer import UseAnswer

FORMAT = 1
MAX_TEXT = 500  # characters of a preference: a line of a robots.txt may have millions
MAX_PREFERENCES = 50
MAX_OCTETS = 8 * 1024 * 1024  # of a robots.txt, or of settings; a fetch brings 4 MiB at most

SENT = ("user-agent", "from", "accept-encoding", "if-none-match", "if-modified-since")
RECEIVED = (
    *("age", "cache-control", "content-type", "date", "etag", "expires", "last-modified"),
    *("location", "retry-after", "vary"),
)

_KEPT = {
    "first": "only the first for each host and rule are recorded",
    "none": "none are recorded",
}
_USERINFO = re.compile(r"([^/?#]*://)[^/?#\s]*@")
_PASSWORD = re.compile(r"(?<=password=)[^&#\s'\"]*", re.IGNORECASE)  # Redis takes it as a query


def instant(seconds: float) -> str | None:
    """A moment in UTC, to the microsecond; None where it lies beyond all dates."""
    try:
        moment = datetime.fromtimestamp(seconds, timezone.utc)
    except (OverflowError, ValueError, OSError):
        return None
    return moment.isoformat(timespec="microseconds")[:-6] + "Z"


def seconds_of(moment: str) -> float:
    """Seconds since the epoch. ValueError where it is no moment."""
    return datetime.fromisoformat(moment.removesuffix("Z") + "+00:00").timestamp()


def cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"


def left_out(crawl: Mapping[str, Any]) -> str:
    """What the user has kept out of the record of a crawl, in words; "" if nothing."""
    kept = _KEPT.get(crawl["passed"])
    return f"of the requests that passed {kept} (ROBOTS_AUDIT_PASSED)" if kept else ""


def page_url(url: str) -> str:
    """A URL without its own user name and password.

    The rest stands as requested, another URL in its query too: rules are compared with it.
    """
    match = _USERINFO.match(url)
    return url if match is None else match[1] + url[match.end() :]


def plain(value: Any) -> Any:
    """A setting's value as JSON can hold it, without secrets."""
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
        return [plain(item) for item in (value if isinstance(value, list | tuple) else list(value))]
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
        "failing_since": None if entry.failing_since is None else instant(entry.failing_since),
        "failures": entry.failures,
    }
    if octets is not None:
        fields |= {"size": len(octets), "sha256": sha256(octets).hexdigest()}
    return fields


def entry_from(fields: Mapping[str, Any], octets: bytes | None) -> CacheEntry:
    """The entry that such fields tell of. KeyError, TypeError or ValueError where they do not."""
    since = fields["failing_since"]
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
        None if since is None else seconds_of(since),
        fields["failures"],
    )


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


def preference_fields(preferences: Iterable[Preference]) -> list[dict[str, Any]]:
    return [
        {
            "label": one.label,
            "key": cut(one.key),
            "value": cut(one.value),
            "line": one.line,
            **({} if one.place is Place.ROBOTS_TXT else {"place": one.place.value}),
        }
        for one in tuple(preferences)[:MAX_PREFERENCES]
    ]


def answer_fields(answer: UseAnswer) -> dict[str, Any]:
    """What overrides what, and the result for each declared use."""
    fields: dict[str, Any] = {}
    if answer.overridden:
        fields["overridden"] = [
            {"preference": brief(one.preference.start), "by": brief(one.by.start), "why": one.why}
            for one in answer.overridden[:MAX_PREFERENCES]
        ]
    if answer.results:
        fields["results"] = [
            {
                "use": one.name,
                "result": one.result.value,
                **({} if one.by is None else {"by": brief(one.by.start)}),
            }
            for one in answer.results
        ]
    return fields


def verdict_fields(verdict: Verdict) -> dict[str, Any]:
    """What was decided, and by which line. These are the fields that a replay compares."""
    fields: dict[str, Any] = {
        "verdict": "passed" if verdict.allowed else "refused",
        "reason": verdict.reason.name.lower(),
    }
    if verdict.line:
        fields["line"] = verdict.line
    if verdict.rule is not None:
        fields["rule"] = brief(verdict.rule.start)
    if verdict.why:
        fields["why"] = verdict.why
    if verdict.refused is not None:
        (fields["refused_use"],) = preference_fields([verdict.refused])
    if verdict.allowed or verdict.reason is Reason.USE_REFUSED:
        preferences = verdict.usage
        if preferences:
            fields["preferences"] = preference_fields(preferences)
            fields |= answer_fields(verdict.uses)
    return fields


def group_fields(rules: Any, agent: str) -> dict[str, Any]:
    """The group that binds a crawler, by its name and its first line; nothing if there is none."""
    group = None if rules is None else rules.group(agent)
    if group is None:
        return {}
    # Some engines read rules before the first User-agent line as a group: it has no such line.
    return {"group": cut(group.name), "group_line": group.lines[0] if group.lines else 0}
