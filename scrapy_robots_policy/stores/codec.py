"""A record as octets, the same for every store.

Knows: the fields of a `CacheEntry`, JSON and zlib. Must not know: where the octets are kept.

A frame is one octet for the version of the layout, then one zlib stream: a line of JSON with all
facts but the file, and the file. The stream starts with a dictionary of what such files hold over
and over, so that a file of a few lines shrinks too; zlib's checksum tells a broken frame.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, fields

from ..rep.access import CacheEntry, FetchResult

VERSION = b"\x01"

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

_OF_OUTCOME = [item.name for item in fields(FetchResult) if item.name != "octets"]


def encode(record: CacheEntry) -> bytes:
    facts = asdict(record)
    facts["latest"] = {name: facts["latest"][name] for name in _OF_OUTCOME}
    octets = facts.pop("octets")
    facts["has_octets"] = octets is not None
    line = json.dumps(facts, separators=(",", ":")).encode("ascii")
    packer = zlib.compressobj(zdict=_OFTEN)
    return VERSION + packer.compress(line + b"\n" + (octets or b"")) + packer.flush()


def decode(frame: bytes) -> CacheEntry:
    """The record of a frame. ValueError where it is broken or of another version."""
    if frame[:1] != VERSION:
        msg = f"a record of layout {frame[:1]!r}, this version reads {VERSION!r}"
        raise ValueError(msg)
    try:
        line, _, octets = _unpack(frame).partition(b"\n")
        return _record(json.loads(line), octets)
    except (zlib.error, KeyError, TypeError) as error:
        msg = f"a broken record: {error!r}"
        raise ValueError(msg) from error


def _unpack(frame: bytes) -> bytes:
    unpacker = zlib.decompressobj(zdict=_OFTEN)
    packed = unpacker.decompress(frame[1:]) + unpacker.flush()
    if not unpacker.eof:
        msg = "a record that was cut"
        raise ValueError(msg)
    return packed


def _record(facts: dict[str, object], octets: bytes) -> CacheEntry:
    latest = dict(facts.pop("latest"))  # type: ignore[call-overload]  # JSON: checked by FetchResult
    latest["hops"] = tuple(latest["hops"])
    known = octets if facts.pop("has_octets") else None
    return CacheEntry(latest=FetchResult(**latest), octets=known, **facts)  # type: ignore[arg-type]  # JSON
