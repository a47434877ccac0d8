"""A cache entry as octets, the same for every store that keeps octets.

A frame is one octet for the version of the layout, then one zlib stream: a line of JSON with all
facts but the file, and the file. zlib's checksum tells a broken frame.

A shared store may hold anything, so `decode` has bounds in octets and checks every type.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from ..rep.access import CacheEntry, FetchResult

VERSION = b"\x01"
MAX_FRAME = 6 * 1024 * 1024  # octets; a file has 4 MiB at most, and may not shrink at all
FRAME_OVERHEAD = 250  # octets of memory that a frame takes beside itself and its name: CPython 3.11
MAX_UNPACKED = 8 * 1024 * 1024
MAX_FACTS = 1024 * 1024  # octets of the line of JSON: redirects and validators are long at worst
MAX_SECONDS = 1e15  # 30 million years
LAST_INSTANT = 2.5e11  # in the year 9892; the record of a crawl writes instants as dates

_FACTS = [item.name for item in fields(CacheEntry)]
_LATEST_FACTS = [item.name for item in fields(FetchResult) if item.name != "octets"]


_Check = Callable[[Any], bool]  # whether a fact is of the right type and size


class EntryError(ValueError):
    """What a store gave back is no cache entry, or none of this version."""


def encode(entry: CacheEntry) -> bytes:
    """The frame of an entry."""
    facts = {name: getattr(entry, name) for name in _FACTS}
    facts["latest"] = {name: getattr(entry.latest, name) for name in _LATEST_FACTS}
    octets = facts.pop("octets")
    facts["has_octets"] = octets is not None
    line = json.dumps(facts, separators=(",", ":")).encode("ascii")
    return VERSION + zlib.compress(line + b"\n" + (octets or b""))


def decode(frame: bytes) -> CacheEntry:
    """The entry of a frame. EntryError, a ValueError, where there is none in it."""
    if frame[:1] != VERSION:
        raise EntryError(f"an entry of layout {frame[:1]!r}, this version reads {VERSION!r}")
    if len(frame) > MAX_FRAME:
        raise EntryError(f"an entry of {len(frame)} octets; the limit is {MAX_FRAME}")
    try:
        line, _, octets = _unpacked(frame[1:]).partition(b"\n")
        return checked(_entry(_facts(line), octets))
    except EntryError:
        raise
    except (zlib.error, KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise EntryError(f"a broken entry: {type(error).__name__}: {str(error)[:100]}") from None


def octets_kept(name: str, frame: bytes) -> int:
    """About how many octets of memory a frame takes that is kept under a name."""
    return len(name) + len(frame) + FRAME_OVERHEAD


def checked(entry: object) -> CacheEntry:
    """The entry itself, where all of it has the right types. EntryError where not."""
    if not isinstance(entry, CacheEntry) or not isinstance(entry.latest, FetchResult):
        raise EntryError(f"no entry but {type(entry).__name__}")
    for owner, kinds in ((entry, _OF_ENTRY), (entry.latest, _OF_LATEST)):
        for name, is_right in kinds.items():
            value = getattr(owner, name)
            if not is_right(value):
                raise EntryError(
                    f"an entry whose {name} is {str(value)[:40]!r} ({type(value).__name__})"
                )
    return entry


def _is_a(kind: type) -> _Check:
    return lambda value: isinstance(value, kind)


_is_text, _is_octets, _is_flag = _is_a(str), _is_a(bytes), _is_a(bool)


def _is_duration(value: Any) -> bool:
    """A duration in seconds: finite, and of a size to calculate with."""
    return isinstance(value, int | float) and not _is_flag(value) and abs(value) < MAX_SECONDS


def _is_instant(value: Any) -> bool:
    """Seconds since the epoch."""
    return _is_duration(value) and 0 <= value < LAST_INSTANT


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not _is_flag(value) and 0 <= value < 2**63


def _is_status(value: Any) -> bool:
    return _is_count(value) and value < 1000


def _are_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(map(_is_text, value))


def _or_none(is_right: _Check) -> _Check:
    return lambda value: value is None or is_right(value)


_OF_ENTRY: dict[str, _Check] = {
    "asked_at": _is_instant,
    "octets": _or_none(_is_octets),
    "fetched_at": _is_instant,
    "failing_since": _or_none(_is_instant),
    "failures": _is_count,
    "unreachable_since": _or_none(_is_instant),
}
_OF_LATEST: dict[str, _Check] = {
    "status": _or_none(_is_status),
    "octets": _is_octets,
    "cause": _is_text,
    "media_type": _is_text,
    "lifetime": _or_none(_is_duration),
    "retry_after": _or_none(_is_duration),
    "etag": _is_text,
    "last_modified": _is_text,
    "hops": _are_texts,
    "is_cut": _is_flag,
    "site_answers": _or_none(_is_flag),
}


def _unpacked(stream: bytes) -> bytes:
    """A few octets may unpack to gigabytes, so a stream is not read whole."""
    unpacker = zlib.decompressobj()
    unpacked = unpacker.decompress(stream, MAX_UNPACKED)
    if unpacker.unconsumed_tail:
        raise EntryError(f"an entry that unpacks to more than {MAX_UNPACKED} octets")
    if not unpacker.eof or unpacker.unused_data:
        raise EntryError("an entry that was cut, or has more behind it")
    return unpacked


def _facts(line: bytes) -> dict[str, Any]:
    if len(line) > MAX_FACTS:
        raise EntryError(f"an entry with {len(line)} octets of facts; the limit is {MAX_FACTS}")
    facts: dict[str, Any] = json.loads(line)
    return facts


def _entry(facts: dict[str, Any], octets: bytes) -> CacheEntry:
    """The entry of what JSON gives; `checked` looks at the types afterwards."""
    latest = facts.pop("latest")
    hops = latest["hops"]
    latest["hops"] = tuple(hops) if isinstance(hops, list) else hops
    file = octets if facts.pop("has_octets") else None
    return CacheEntry(latest=FetchResult(**latest), octets=file, **facts)
