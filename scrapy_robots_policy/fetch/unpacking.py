"""A packed body of HTTP, unpacked no further than a limit: a few octets may mean gigabytes."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Sequence

from .decoders import Decoder, decoders

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
    return all(one == "identity" or one in PLAIN or one in decoders() for one in encodings)


def unpack(packed: bytes, encodings: Sequence[str], limit: int, *, is_whole: bool) -> bytes:
    """At most `limit` octets of a body. Raises UnreadableBodyError if it cannot be unpacked.

    is_whole  whether the packed body came to its end; else it may end in the middle
    """
    if len(encodings) > MAX_ENCODINGS:
        raise UnreadableBodyError(f"{len(encodings)} nested encodings")
    octets = packed
    for encoding in reversed(encodings):
        octets = _decode(octets, encoding, limit, is_whole)
    return octets[:limit]


def _decode(packed: bytes, encoding: str, limit: int, is_whole: bool) -> bytes:
    if encoding == "identity" or (encoding in PLAIN and _is_text(packed)):
        return packed
    for new in decoders().get(encoding, ()):
        try:
            return _members(new, packed, limit, is_whole)
        except Exception:  # noqa: BLE001, S112, PERF203 - each library has errors of its own
            continue
    raise UnreadableBodyError(encoding)


def _is_text(octets: bytes) -> bool:
    """Whether it is UTF-8, which may be cut in the middle of a character."""
    try:
        getincrementaldecoder("utf-8")().decode(octets)
    except UnicodeDecodeError:
        return False
    return True


def _members(new: Callable[[], Decoder], packed: bytes, limit: int, is_whole: bool) -> bytes:
    """Some `limit` octets at most. Raises ValueError, and what the decoder raises."""
    octets = b""
    for _ in range(MAX_MEMBERS):  # RFC 1952 §2.2: a gzip file may have several members
        decoder = new()
        octets += decoder.decompress(packed, limit - len(octets))
        packed = decoder.unused_data
        if len(octets) >= limit:
            return octets
        if not decoder.eof and is_whole:
            raise ValueError("it ends too soon")
        if not packed:  # the stream has ended, or was cut
            return octets
    raise ValueError("it has too many members")
