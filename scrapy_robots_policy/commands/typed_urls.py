"""URLs that a user typed: as text, what is wrong with them, and what was probably meant."""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from functools import lru_cache
from urllib.parse import urlsplit

from ..rep import origin_of

_FILE_ENDINGS = "txt|json|jsonl|html?|ya?ml|csv|xml|gz|bak|old|new|orig"
_SITE = re.compile(
    r"(?:(?P<plain>localhost|\d+(?:\.\d+){3})|"
    rf"(?:[\w-]+\.)+(?!(?:{_FILE_ENDINGS})\b)[a-z]{{2,}})(?::\d+)?(?P<path>[/?#]\S*)?",
    re.IGNORECASE,
)
_WEB = re.compile(r"https?://", re.IGNORECASE)
_SCHEME = re.compile(r"(?!https?://[^/])([a-z]+):/*([^/].*)", re.IGNORECASE)  # not a right one
_BYTE = re.compile("[\udc80-\udcff]")  # one that was not decoded (PEP 383)


def as_url(argument: str) -> str:
    """An argument as a URL. Bytes that the locale cannot decode are read as UTF-8."""
    return text_of(os.fsencode(argument)) if _BYTE.search(argument) else argument


def text_of(data: bytes) -> str:
    """URLs as text. What is no UTF-8 is escaped, as in a URL that is sent."""
    text = data.decode("utf-8", "surrogateescape")
    return text if text.isascii() else _BYTE.sub(_escaped, text)


def _escaped(byte: re.Match[str]) -> str:
    return f"%{ord(byte[0]) - 0xDC00:02X}"


def whole_url_of(text: str, path: str = "") -> str:
    """The URL that was meant by one without a scheme, as example.com, or with a mistyped one, as
    htp://example.com and http:/example.com; "" where it is none. `path` is added where it has none.
    """
    scheme, rest = _near_scheme(text)
    site = _SITE.fullmatch(rest)
    if not site:
        return ""
    scheme = scheme or ("http" if site["plain"] else "https")
    return f"{scheme}://{rest}{'' if site['path'] else path}"


def _near_scheme(text: str) -> tuple[str, str]:
    """(the scheme that was meant, what follows it); ("", the text) where none is mistyped."""
    typed = _SCHEME.fullmatch(text)
    near = get_close_matches(typed[1].lower(), ("http", "https"), 1, 0.8) if typed else []
    return (near[0], typed[2]) if typed and near else ("", text)


def why_no_url(text: str) -> str:
    """A sentence about what is neither a whole URL nor a path; "" where it is one of them."""
    if text.startswith("/"):
        return ""
    if _WEB.match(text):
        origin = origin_of(text)
        return "" if origin is not None and can_be_asked(origin) else why_no_site(text)
    if whole_url_of(text):
        return why_no_site(text)
    return f"{text!r} is no URL: write a whole one, or a path that starts with /"


def why_no_site(url: str) -> str:
    """A sentence about a URL whose site cannot be asked for its robots.txt."""
    whole = whole_url_of(url)
    if whole:
        return f"{url!r} is no whole URL: write {whole}"
    if _WEB.match(url):
        return f"{url!r} is no URL: its host or its port cannot be one"
    return f"{url!r} is no http or https URL: name the robots.txt for it with --robots"


@lru_cache(maxsize=1024)
def can_be_asked(origin: str) -> bool:
    """Whether a request can be sent there: it is http or https, and its host can be a name."""
    if not _WEB.match(origin):
        return False
    try:
        host = urlsplit(origin).hostname or ""
        host.encode("idna")  # as the request does: an error for an empty part, or a long one
    except ValueError:
        return False
    return bool(host) and all(" " < letter != "\x7f" for letter in host)
