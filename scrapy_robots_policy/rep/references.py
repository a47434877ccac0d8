"""A rule's path as a URL reference, the way WWW::RobotRules reads it (Perl's URI: `new_abs`).

It resolves otherwise than `urllib.parse.urljoin`: dots count in relative paths only, and a scheme
without a host ("http:/a") is nobody's.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from .url import Origin, origin_of

BASE = "/robots.txt"

_WRAPPED = re.compile(r'^<(?:URL:)?(.*)>$|^"(.*)"$')
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9.+-]*:")
_AUTHORITY = re.compile(r"[^:/?]*:?//[^/?]*")


class Reference(NamedTuple):
    """A path with its query, and the origin that the reference names, if it names one.

    An origin without a scheme ("//example.com") is that host under whatever scheme the file has.
    """

    path: str
    origin: Origin | None = None

    def is_for(self, url: str) -> bool:
        """Whether a file that serves the URL may say this."""
        if self.origin is None:
            return True
        origin = origin_of(url)
        return origin is not None and self.origin in (origin, origin.partition(":")[2])


def resolve(reference: str) -> Reference | None:
    """The reference, resolved; None where it names no host that could be meant."""
    reference = _unwrapped(reference)
    if _SCHEME.match(reference):
        return _absolute(reference, _origin_of(reference))
    if reference.startswith("//"):
        origin = _origin_of("http:" + reference)
        return _absolute(reference, Origin(origin.partition(":")[2]) if origin else None)
    if reference.startswith("/"):
        return Reference(reference)
    if reference[:1] in ("", "?"):  # nothing stands for the file itself
        return Reference(BASE + reference)
    path, mark, query = reference.partition("?")
    return Reference(_without_dots(path) + mark + query)


def _unwrapped(reference: str) -> str:
    match = _WRAPPED.match(reference)
    return (match[1] or match[2] or "").strip() if match else reference


def _origin_of(reference: str) -> Origin | None:
    """The origin that a reference names. Escapes in its host are decoded, as by URI's `host`."""
    match = _AUTHORITY.match(reference)
    site = unquote(match[0]) if match else ""
    return origin_of(site) if _AUTHORITY.fullmatch(site) else None  # no host has a "/" in it


def _absolute(reference: str, origin: Origin | None) -> Reference | None:
    match = _AUTHORITY.match(reference)
    if origin is None or match is None:
        return None
    return Reference(reference[match.end() :] or "/", origin)


def _without_dots(path: str) -> str:
    """A relative path below "/". Leading ".." stay: there is nothing above to go to."""
    kept: list[str] = []
    steps = path.split("/")
    for at, step in enumerate(steps):
        is_last = at == len(steps) - 1
        if step == ".." and kept and kept[-1] != "..":
            kept.pop()
            kept += [""] * is_last
        elif step == ".":
            kept += [""] * is_last
        else:
            kept.append(step)
    return "/" + "/".join(kept)
