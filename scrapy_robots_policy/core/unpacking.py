"""A packed body is unpacked no further than a limit, because a few bytes may mean gigabytes.

Scrapy gives what it can get out of a broken body; of a robots.txt that would be a file without its
last rules. Only what was asked for is unpacked here; br and zstd, which a plugin may ask for, are
left to Scrapy.
"""

from __future__ import annotations

import zlib
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

_ZIPPED = partial(zlib.decompressobj, 47)  # zlib's number for: gzip or zlib, as it comes
_BARE = partial(zlib.decompressobj, -15)  # some servers send deflate without a header
# By encoding, what may unpack it: the first that reads a body is right.
DECODERS: Mapping[str, tuple[Callable[[], Any], ...]] = {
    "gzip": (_ZIPPED,),
    "x-gzip": (_ZIPPED,),
    "deflate": (_ZIPPED, _BARE),
}
ACCEPTED = "gzip, deflate"
MAX_ENCODINGS = 3  # nested in each other
# No encodings, but servers send them with plain text: curl reads "none" so, and s3cmd has stored
# text with "UTF-8". A robots.txt in any other unknown encoding might seem to have no rules.
PLAIN = frozenset({"none", "utf-8", "utf8"})
MAX_MEMBERS = 100  # of one packed body: each costs a copy of what is left


class UnreadableBodyError(Exception):
    """A body in an encoding that was not asked for, or broken in its encoding."""


def encodings_of(content_encoding: str) -> Sequence[str]:
    """The encodings of a Content-Encoding header, in the order in which they were applied."""
    names = (name.strip().lower() for name in content_encoding.split(","))
    return tuple(name for name in names if name)


def can_unpack(encodings: Iterable[str]) -> bool:
    """Whether a body in these encodings can be unpacked here, if it is not broken."""
    return all(one == "identity" or one in PLAIN or one in DECODERS for one in encodings)


def unpack(packed: bytes, encodings: Sequence[str], limit: int, *, is_whole: bool) -> bytes:
    """At most `limit` bytes of a body. Raises UnreadableBodyError if it cannot be unpacked.

    Args:
        is_whole: whether the packed body came to its end; else it may end in the middle.

    """
    if len(encodings) > MAX_ENCODINGS:
        raise UnreadableBodyError(f"{len(encodings)} nested encodings")
    body = packed
    for encoding in reversed(encodings):
        body = _decode(body, encoding, limit, is_whole)
    return body[:limit]


def _decode(packed: bytes, encoding: str, limit: int, is_whole: bool) -> bytes:
    if encoding == "identity" or (encoding in PLAIN and _is_text(packed)):
        return packed
    for new in DECODERS.get(encoding, ()):
        try:
            return _members(new, packed, limit, is_whole)
        except (zlib.error, ValueError):  # noqa: PERF203 - there are two at most
            continue
    raise UnreadableBodyError(encoding)


def _is_text(body: bytes) -> bool:
    """Whether it is UTF-8, which may be cut in the middle of a character."""
    try:
        getincrementaldecoder("utf-8")().decode(body)
    except UnicodeDecodeError:
        return False
    return True


def _members(new: Callable[[], Any], packed: bytes, limit: int, is_whole: bool) -> bytes:
    """Some `limit` bytes at most. Raises ValueError, and what the decoder raises."""
    body = b""
    for _ in range(MAX_MEMBERS):  # RFC 1952 §2.2: a gzip file may have several members
        decoder = new()
        part: bytes = decoder.decompress(packed, limit - len(body))
        body += part
        packed = decoder.unused_data
        if len(body) >= limit:
            return body
        if not decoder.eof and is_whole:
            raise ValueError("it ends too soon")
        if not packed:  # the stream has ended, or was cut
            return body
    raise ValueError("it has too many members")
