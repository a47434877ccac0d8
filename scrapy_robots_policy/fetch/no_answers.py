"""Responses that say nothing about the robots.txt: a proxy's own, a body that is not the file, and
a 304 that was not asked for.

They count as no answer. Else a part of a file, or the words of a proxy, would open the site, and a
304 would keep an old copy for ever.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .unpacking import UnreadableBodyError, encodings_of

_WHOLE_RANGE = re.compile(r"bytes 0-([0-9]{1,15})/([0-9]{1,15})", re.IGNORECASE)
_TAKEN_OFF = frozenset({"chunked", "identity"})  # transfer codings that every client takes off


class UnaskedNotModifiedError(ValueError):
    """A 304 to a request without a condition: it is about no copy. RFC 9110 §15.4.5."""


class ProxyRefusedError(ConnectionError):
    """The proxy wants other credentials, so the site was not asked. RFC 9110 §15.5.8."""


def check_answer(
    status: int, headers: Mapping[str, str], *, is_proxied: bool, is_conditional: bool
) -> None:
    """Raise an error of this module, or UnreadableBodyError, where it is no answer about the file.

    headers         by lower-case name
    is_conditional  whether the request had the validators of a copy
    """
    if status == 304 and not is_conditional:
        raise UnaskedNotModifiedError
    if status == 407 and is_proxied:
        raise ProxyRefusedError
    # RFC 9111 §3.3: a part of a body does not stand for the whole.
    if status == 206 and not _is_whole(headers.get("content-range", "")):
        raise UnreadableBodyError("a part of the file")
    # Some clients take off the chunks only, and leave what is packed in them.
    if 200 <= status < 300 and "transfer-encoding" in headers:
        codings = encodings_of(headers["transfer-encoding"])
        if not _TAKEN_OFF.issuperset(codings):
            raise UnreadableBodyError(f"Transfer-Encoding: {', '.join(codings)}")


def _is_whole(content_range: str) -> bool:
    """Whether a Content-Range is that of all octets of the file. RFC 9110 §14.4."""
    match = _WHOLE_RANGE.fullmatch(content_range.strip())
    return match is not None and int(match[1]) + 1 == int(match[2])
