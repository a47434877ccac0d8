"""A cache entry as bytes, the same for every store that keeps bytes.

A frame is one byte for the version of the layout, then one zlib stream: a line of JSON with all
facts but the file, and the file. zlib's checksum tells a broken frame.

A shared store may hold anything, so `decode` has bounds in bytes and checks every type.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import fields
from typing import Any

from ..rep.access import CacheEntry, FetchResult
from ..rep.checks import check_fields, hints_of

VERSION = b"\x01"
MAX_FRAME = 6 * 1024 * 1024  # bytes; a file has 4 MiB at most, and may not shrink at all
FRAME_OVERHEAD = 250  # bytes of memory that a frame takes beside itself and its name: CPython 3.11
MAX_UNPACKED = 8 * 1024 * 1024
MAX_FACTS = 1024 * 1024  # bytes of the line of JSON: redirects and validators are long at worst
LAST_INSTANT = 2.5e11  # in the year 9892; the record of a crawl writes instants as dates
# Of numbers that are no instants. Many servers say "Expires: Fri, 31 Dec 9999 23:59:59 GMT".
_LIMITS = {"status": 1000, "lifetime": 1e15, "retry_after": 1e15}
_FACTS = [item.name for item in fields(CacheEntry)]
_LATEST_FACTS = [item.name for item in fields(FetchResult) if item.name != "body"]


class EntryError(ValueError):
    """What a store gave back is no cache entry, or none of this version."""


def encode(entry: CacheEntry) -> bytes:
    """The frame of an entry."""
    facts = {name: getattr(entry, name) for name in _FACTS}
    facts["latest"] = {name: getattr(entry.latest, name) for name in _LATEST_FACTS}
    body = facts.pop("body")
    facts["has_body"] = body is not None
    line = json.dumps(facts, separators=(",", ":")).encode("ascii")
    return VERSION + zlib.compress(line + b"\n" + (body or b""))


def decode(frame: bytes) -> CacheEntry:
    """The entry of a frame. EntryError, a ValueError, where there is none in it."""
    if frame[:1] != VERSION:
        raise EntryError(f"an entry of layout {frame[:1]!r}, this version reads {VERSION!r}")
    if len(frame) > MAX_FRAME:
        raise EntryError(f"an entry of {len(frame)} bytes; the limit is {MAX_FRAME}")
    try:
        line, _, body = unpack_whole(frame[1:]).partition(b"\n")
        return checked(_entry(_facts(line), body))
    except EntryError:
        raise
    except (zlib.error, KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise EntryError(f"a broken entry: {type(error).__name__}: {str(error)[:100]}") from None


def size_kept(name: str, frame: bytes) -> int:
    """About how many bytes of memory a frame takes that is kept under a name."""
    return len(name) + len(frame) + FRAME_OVERHEAD


def checked(entry: object) -> CacheEntry:
    """The entry itself, where all of it has the right types and sizes. EntryError where not."""
    if not isinstance(entry, CacheEntry):
        raise EntryError(f"no entry but {type(entry).__name__}")
    try:
        for owner in (entry, entry.latest):
            kind: Any = type(owner)
            fields_of = hints_of(kind)
            check_fields(owner, "an entry", fields_of)
            for name in fields_of:
                value = getattr(owner, name)
                if isinstance(value, int | float) and value >= _LIMITS.get(name, LAST_INSTANT):
                    raise EntryError(f"an entry whose {name} is {value!r}")
    except (TypeError, ValueError) as error:
        raise EntryError(str(error)) from None
    return entry


def unpack_whole(stream: bytes) -> bytes:
    """What a zlib stream unpacks to. EntryError where that is too much, or the stream no whole one.

    A few bytes may unpack to gigabytes, so it is not read further than the limit.
    """
    unpacker = zlib.decompressobj()
    unpacked = unpacker.decompress(stream, MAX_UNPACKED)
    if unpacker.unconsumed_tail:
        raise EntryError(f"an entry that unpacks to more than {MAX_UNPACKED} bytes")
    if not unpacker.eof or unpacker.unused_data:
        raise EntryError("an entry that was cut, or has more behind it")
    return unpacked


def _facts(line: bytes) -> dict[str, Any]:
    if len(line) > MAX_FACTS:
        raise EntryError(f"an entry with {len(line)} bytes of facts; the limit is {MAX_FACTS}")
    facts: dict[str, Any] = json.loads(line)
    return facts


def _entry(facts: dict[str, Any], body: bytes) -> CacheEntry:
    """The entry of what JSON gives; `checked` looks at the types afterwards."""
    latest = facts.pop("latest")
    hops = latest["hops"]
    latest["hops"] = tuple(hops) if isinstance(hops, list) else hops
    file = body if facts.pop("has_body") else None
    return CacheEntry(latest=FetchResult(**latest), body=file, **facts)
