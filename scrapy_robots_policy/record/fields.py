"""What stands in the lines of a record, as `docs/audit.md` describes them. Pure: data in, data out.

A line is one JSON object. Its first key is "type", its second "prev", its last "hash". The hash is
the SHA-256 of the line's bytes before `,"hash":`, so no reader has to write JSON in the same way
again. "prev" is the hash of the line before, and is among these bytes: a line that is changed,
taken out or moved breaks the chain.

A dialect stands there by its name and the fingerprint of its options. The data of engines is in the
package, so the version in the line of the crawl has the options. Left out: defaults, and what every
line would repeat.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime, timezone
from enum import Enum
from hashlib import sha256
from math import isfinite
from typing import Any

from ..core.codec import unpack_whole
from ..core.decision import Decision
from ..core.overrides import RequestConfig
from ..core.result import Exchange
from ..rep import CacheEntry, Dialect, FetchResult, Reason, Verdict
from ..rep.escapes import brief, shortened, without_userinfo
from ..rep.usage.answer import UseAnswer
from ..rep.usage.preferences import Place, Preference

START = "0" * 64  # "prev" of the first line of a crawl
MAX_LINE = 16 * 1024 * 1024  # bytes; a robots.txt of 4 MiB that does not shrink takes 6 MiB
_MARK = b',"hash":"'
_TAIL = len(_MARK) + 64 + 2  # the mark, the hash, `"}`

encode = json.JSONEncoder(separators=(",", ":")).encode

FORMAT = 1
MAX_BYTES = 8 * 1024 * 1024  # of a robots.txt, or of settings; a fetch brings 4 MiB at most

SENT = ("user-agent", "from", "accept-encoding", "if-none-match", "if-modified-since")
RECEIVED = (
    "age",
    "cache-control",
    "content-type",
    "date",
    "etag",
    "expires",
    "last-modified",
    "location",
    "retry-after",
    "vary",
)

_USERINFO = re.compile(r"([^/?#]*://)[^/?#\s]*@")
_PASSWORD = re.compile(r"(?<=password=)[^&#\s'\"]*", re.IGNORECASE)  # Redis takes it as a query

_LEFT_OUT = frozenset({"name", "sources", "source", "certainty", "facts"})

MAX_TEXT = 500  # characters of a preference: a line of a robots.txt may have millions
MAX_PREFERENCES = 50


class ChainError(ValueError):
    """A line that is not as it was written, or not where it was written."""


def members(fields: Mapping[str, Any]) -> str:
    """The fields as they stand in a line, without the braces of an object."""
    return encode(fields)[1:-1]


def sealed(kind: str, prev: str, text: str) -> tuple[bytes, str]:
    """(the line with its line feed, its hash). `text`: the fields, as `members` gives them."""
    head = f'{{"type":"{kind}","prev":"{prev}"'
    body = (f"{head},{text}" if text else head).encode("ascii")
    digest = sha256(body).hexdigest()
    return b'%b%b%b"}\n' % (body, _MARK, digest.encode("ascii")), digest


def bytes_beyond(line: bytes) -> int:
    """How many bytes follow a line that is whole; -1 where it was cut before its end."""
    at = line.find(_MARK)
    return max(len(line) - at - _TAIL, -1) if at >= 0 else -1


def opened(line: bytes) -> dict[str, Any]:
    """The object of a line without its line feed. ChainError where it was changed."""
    body, mark, digest = line[:-_TAIL], line[-_TAIL : -_TAIL + len(_MARK)], line[-66:-2]
    if mark != _MARK:
        raise ChainError("it does not end with its hash")
    if sha256(body).hexdigest().encode("ascii") != digest:
        raise ChainError("its bytes do not match its hash")
    try:
        fields = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        raise ChainError("it is no JSON") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("type"), str):
        raise ChainError("it is no object with a type")
    return fields


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
    """All that a dialect's access policy judges, but for the bytes themselves."""
    latest, body = entry.latest, entry.body
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
    if body is not None:
        fields |= {"size": len(body), "sha256": sha256(body).hexdigest()}
    return fields


def entry_from(fields: Mapping[str, Any], body: bytes | None) -> CacheEntry:
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
        body,
        seconds_of(fields["current"]),
        _seconds_or_none(fields["failing_since"]),
        fields["failures"],
        _seconds_or_none(fields["unreachable_since"]),
    )


def _seconds_or_none(moment: str | None) -> float | None:
    return None if moment is None else seconds_of(moment)


def packed(body: bytes) -> str:
    return b64encode(zlib.compress(body, 9)).decode("ascii")


def unpacked(text: str) -> bytes:
    """The bytes of a robots.txt. ValueError where they are none."""
    try:
        return unpack_whole(b64decode(text, validate=True))
    except zlib.error as error:
        raise ValueError(f"bytes that cannot be unpacked: {error}") from None


def fingerprint(dialect: Dialect) -> str:
    """SHA-256 of the options of a dialect that change an answer."""
    options = json.dumps(_options(dialect), default=_options, sort_keys=True)
    return sha256(options.encode("ascii")).hexdigest()


def _options(value: Any) -> Any:
    """What JSON lacks, as it has it."""
    if isinstance(value, Enum):
        return value.name
    if is_dataclass(value):
        names = (item.name for item in fields(value) if item.name not in _LEFT_OUT)
        return {name: getattr(value, name) for name in names}
    return dict(value) if isinstance(value, Mapping) else sorted(value)


def preference_fields(preferences: Iterable[Preference]) -> list[dict[str, Any]]:
    return [
        {
            "label": preference.label,
            "key": shortened(preference.key, MAX_TEXT),
            "value": shortened(preference.value, MAX_TEXT),
            "line": preference.line,
            **({} if preference.place is Place.ROBOTS_TXT else {"place": preference.place.value}),
        }
        for preference in tuple(preferences)[:MAX_PREFERENCES]
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
                "use": use.name,
                "result": use.result.value,
                **({} if use.by is None else {"by": brief(use.by.start)}),
            }
            for use in answer.results
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
    if (verdict.allowed or verdict.reason is Reason.USE_REFUSED) and verdict.usage:
        fields["preferences"] = preference_fields(verdict.usage)
        fields |= answer_fields(verdict.uses)
    return fields


def group_fields(rules: Any, agent: str) -> dict[str, Any]:
    """The group that binds a crawler, by its name and its first line; nothing if there is none."""
    group = None if rules is None else rules.group(agent)
    if group is None:
        return {}
    # Some engines read rules before the first User-agent line as a group: it has no such line.
    first = group.lines[0] if group.lines else 0
    return {"group": shortened(group.name, MAX_TEXT), "group_line": first}


def circumstances(decision: Decision, set_by: Mapping[str, str] | None) -> dict[str, Any]:
    """The fields that most decisions do not have."""
    fields: dict[str, Any] = {}
    if set_by is not None:
        fields |= _overrides(decision.config, set_by)
    if len(decision.forms) > 1:
        fields["forms"] = [page_url(form) for form in decision.forms]
    if decision.waited >= 0.001:
        fields["waited"] = round(decision.waited, 3)
    if decision.dry_run:
        fields["dry_run"] = True
    return fields


def _overrides(config: RequestConfig, set_by: Mapping[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {"set_by": set_by} if set_by else {}
    if not config.obey:
        fields["obey"] = False
    if config.crawl_delay is not None:
        fields["crawl_delay"] = config.crawl_delay
    return fields
