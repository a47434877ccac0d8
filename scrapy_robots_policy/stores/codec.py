"""A cache entry as octets, the same for every store that keeps octets.

A frame is one octet for the version of the layout, then one zlib stream: a line of JSON with all
facts but the file, and the file. The stream starts with a dictionary of what such files hold over
and over, so that a file of a few lines shrinks too; zlib's checksum tells a broken frame.

Facts that version 0.1.0 does not know, where there are any, stand in a second zlib stream behind
the first, as a line of JSON. That version does not look there, and so reads the rest of the entry;
this one leaves out those that a later version may add.

A shared store may hold anything, so `decode` has bounds in octets and checks every type.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from ..rep.cache_entry import CacheEntry, FetchResult

VERSION = b"\x01"
MAX_FRAME = 6 * 1024 * 1024  # octets; a file has 4 MiB at most, and may not shrink at all
FRAME_OVERHEAD = 250  # octets of memory that a frame takes beside itself and its name: CPython 3.11
MAX_UNPACKED = 8 * 1024 * 1024
MAX_FACTS = 1024 * 1024  # octets of the line of JSON: redirects and validators are long at worst
MAX_SECONDS = 1e15  # 30 million years
LAST_INSTANT = 2.5e11  # in the year 9892; the record of a crawl writes instants as dates

# zlib finds the end of a dictionary cheapest: what is most frequent stands last.
_OFTEN = b"""\
Content-Signal: search=yes,ai-train=no
User-agent: AhrefsBot SemrushBot MJ12bot DotBot Baiduspider YandexBot bingbot Applebot Slurp
User-agent: GPTBot
User-agent: ClaudeBot
User-agent: CCBot
User-agent: Google-Extended
User-agent: Googlebot
User-agent: Mediapartners-Google
Disallow: /search
Disallow: /cgi-bin/
Disallow: /admin/
Disallow: /login
Disallow: /cart
Disallow: /*?*
Disallow: /*.pdf$
Crawl-delay: 10
Allow: /wp-admin/admin-ajax.php
Disallow: /wp-admin/
Sitemap: https://www./sitemap_index.xml
Sitemap: https://www.example.com/sitemap.xml
{"latest":{"status":null,"octets":null,"cause":"timeout","media_type":"text/html; charset=utf-8",\
"lifetime":86400.0,"retry_after":null,"etag":"\\"W/","last_modified":" 2025 00:00:00 GMT",\
"hops":["https://www."],"is_cut":false,"site_answers":null},"asked_at":17,"fetched_at":0.0,\
"failing_since":null,"failures":0,"has_octets":true}
{"latest":{"status":200,"cause":"","media_type":"text/plain","lifetime":null,"retry_after":null,\
"etag":"","last_modified":"","hops":[],"is_cut":false,"site_answers":null},"asked_at":17,\
"fetched_at":17,"failing_since":null,"failures":0,"has_octets":true}
User-agent: *
Disallow: /
Allow: /
"""

_LATER_FACTS = ["unreachable_since"]
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
    later = {name: facts.pop(name) for name in _LATER_FACTS}
    later = {name: fact for name, fact in later.items() if fact is not None}
    frame = VERSION + _packed(_line(facts) + b"\n" + (octets or b""))
    return frame + _packed(_line(later)) if later else frame


def decode(frame: bytes) -> CacheEntry:
    """The entry of a frame. EntryError, a ValueError, where there is none in it."""
    if frame[:1] != VERSION:
        raise EntryError(f"an entry of layout {frame[:1]!r}, this version reads {VERSION!r}")
    if len(frame) > MAX_FRAME:
        raise EntryError(f"an entry of {len(frame)} octets; the limit is {MAX_FRAME}")
    try:
        unpacked, rest = _unpacked(frame[1:])
        line, _, octets = unpacked.partition(b"\n")
        later = _facts(_unpacked(rest)[0]) if rest else {}
        facts = _facts(line) | {name: later[name] for name in _LATER_FACTS if name in later}
        return checked(_entry(facts, octets))
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


def _line(facts: dict[str, Any]) -> bytes:
    return json.dumps(facts, separators=(",", ":")).encode("ascii")


def _packed(octets: bytes) -> bytes:
    packer = zlib.compressobj(zdict=_OFTEN)
    return packer.compress(octets) + packer.flush()


def _unpacked(streams: bytes) -> tuple[bytes, bytes]:
    """What is in the first stream, and the octets behind it.

    A few octets may unpack to gigabytes, so no stream is read whole.
    """
    unpacker = zlib.decompressobj(zdict=_OFTEN)
    unpacked = unpacker.decompress(streams, MAX_UNPACKED)
    if unpacker.unconsumed_tail:
        raise EntryError(f"an entry that unpacks to more than {MAX_UNPACKED} octets")
    if not unpacker.eof:
        raise EntryError("an entry that was cut")
    return unpacked, unpacker.unused_data


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
