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
_BRACKETS = re.compile(r"\[([^][:]*)\]")  # of no IPv6 address


class Reference(NamedTuple):
    """A path with its query, and the site that the reference names, if it names one.

    A site without a scheme ("//example.com:443") is meant under the scheme of the file.
    """

    path: str
    site: str = ""

    def is_for(self, url: str) -> bool:
        """Whether a file that serves the URL may say this."""
        if not self.site:
            return True
        origin = origin_of(url)
        return origin is not None and origin == _origin_of(self.site, origin.partition(":")[0])


def resolve(reference: str) -> Reference | None:
    """The reference, resolved; None where it names no host that could be meant."""
    reference = _unwrapped(reference)
    if _SCHEME.match(reference) or reference.startswith("//"):
        return _absolute(reference)
    if reference.startswith("/"):
        return Reference(reference)
    if reference[:1] in ("", "?"):  # nothing stands for the file itself
        return Reference(BASE + reference)
    path, mark, query = reference.partition("?")
    return Reference(_without_dots(path) + mark + query)


def _unwrapped(reference: str) -> str:
    match = _WRAPPED.match(reference)
    return (match[1] or match[2] or "").strip() if match else reference


def _absolute(reference: str) -> Reference | None:
    match = _AUTHORITY.match(reference)
    site = _site(match[0]) if match else ""
    if match is None or _origin_of(site, "http") is None:
        return None
    return Reference(reference[match.end() :] or "/", site)


def _site(written: str) -> str:
    """Scheme and authority as URI's `host` reads them: without escapes and needless brackets."""
    site = _BRACKETS.sub(r"\1", unquote(written))
    return site if _AUTHORITY.fullmatch(site) else ""  # no host has a "/" in it


def _origin_of(site: str, scheme: str) -> Origin | None:
    return origin_of(f"{scheme}:{site}" if site.startswith("//") else site)


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
