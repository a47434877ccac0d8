"""The chain of lines: each line carries its own hash and the hash of the line before.

A line is one JSON object. Its first key is "type", its second "prev", its last "hash". The hash is
the SHA-256 of the line's octets before `,"hash":`, so no reader has to write JSON in the same way
again. "prev" is among these octets: a line that is changed, taken out or moved breaks the chain.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

START = "0" * 64  # "prev" of the first line of a crawl
MAX_LINE = 16 * 1024 * 1024  # octets; a robots.txt of 4 MiB that does not shrink takes 6 MiB
_MARK = b',"hash":"'
_TAIL = len(_MARK) + 64 + 2  # the mark, the hash, `"}`

encode = json.JSONEncoder(separators=(",", ":")).encode


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


def octets_beyond(line: bytes) -> int:
    """How many octets follow a line that is whole; -1 where it was cut before its end."""
    at = line.find(_MARK)
    return max(len(line) - at - _TAIL, -1) if at >= 0 else -1


def opened(line: bytes) -> dict[str, Any]:
    """The object of a line without its line feed. ChainError where it was changed."""
    body, mark, digest = line[:-_TAIL], line[-_TAIL : -_TAIL + len(_MARK)], line[-66:-2]
    if mark != _MARK:
        raise ChainError("it does not end with its hash")
    if sha256(body).hexdigest().encode("ascii") != digest:
        raise ChainError("its octets do not match its hash")
    try:
        fields = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        raise ChainError("it is no JSON") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("type"), str):
        raise ChainError("it is no object with a type")
    return fields
