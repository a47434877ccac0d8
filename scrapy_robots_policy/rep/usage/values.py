"""The values of Content-Usage, Content-Signal and License, in lines and in headers.

Content-Usage is a dictionary of structured fields (RFC 9651).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from .preferences import CONTENT_SIGNAL, CONTENT_USAGE, LICENSE


def split_value(label: str, value: str) -> tuple[str, str]:
    """(path, the rest) of a line's value. A licence never has a path (RSL 1.0 §4.4): it is a URL.

    attach-05, 3.1: a line without a path is for all pages, and weaker than one with "/". So is a
    Content-Signal here, of which no specification says it.
    """
    if label == LICENSE or not value.startswith("/"):
        return "", value
    path, *rest = re.split(r"[ \t]+", value, maxsplit=1)
    return path, rest[0] if rest else ""


def read_value(label: str, value: str) -> Iterable[tuple[str, str]]:
    """The (key, value) pairs of a line with this label; none if they cannot be read."""
    if label == CONTENT_USAGE:
        return _read_dictionary(value).items()
    if label == CONTENT_SIGNAL:
        return _read_signals(value)
    return [("", value)] if value else []


def _read_signals(value: str) -> Iterator[tuple[str, str]]:
    """The pairs of "search=yes, ai-train=no". Parts that cannot be read are left out."""
    for part in value.split(","):
        key, equals, setting = part.partition("=")
        if equals and key.strip():
            yield key.strip().lower(), setting.strip().lower()


# What is not ASCII in a display string: escaped UTF-8, as RFC 3629 §4 has it.
_TAIL = "%[89ab][0-9a-f]"
_UTF_8 = (
    rf"%[0-7][0-9a-f]|%(?:c[2-9a-f]|d[0-9a-f]){_TAIL}"
    rf"|%(?:e0%[ab][0-9a-f]|e[1-9a-cef]{_TAIL}|ed%[89][0-9a-f]){_TAIL}"
    rf"|%(?:f0%[9ab][0-9a-f]|f[1-3]{_TAIL}|f4%8[0-9a-f]){_TAIL}{_TAIL}"
)

# What is not escaped in a string, and in a display string.
_PLAIN, _SHOWN = r"[ !#-\[\]-~]", "[ !#$&-~]"

# Of a group that is repeated, `re` keeps some 170 bytes for each time. RFC 9651 wants 256 members
# of an inner list and 256 parameters to be read at least, and 1,024 characters of a string.
_TIMES = "{0,4096}"
# RFC 9651 §4.2: a dictionary, with values of any type.
_KEY = r"[a-z*][a-z0-9_.*-]*"
_BASE64 = "[A-Za-z0-9+/]"  # RFC 9651 §3.3.5: 16,384 bytes are to be read at least
_ITEM = (
    r"(?:-?(?:[0-9]{1,12}\.[0-9]{1,3}|[0-9]{1,15})"
    rf'|"{_PLAIN}*(?:\\["\\]{_PLAIN}*){_TIMES}"|%"{_SHOWN}*(?:(?:{_UTF_8}){_SHOWN}*){_TIMES}"'
    r"|[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*"
    rf"|:(?:{_BASE64}{{4}}){{0,8192}}(?:{_BASE64}{{2,3}}={{0,2}})?:|\?[01]|@-?[0-9]{{1,15}})"
)
_PARAMETERS = rf"(?:; *{_KEY}(?:={_ITEM})?){_TIMES}"
_INNER = rf"\( *(?:{_ITEM}{_PARAMETERS}(?: +{_ITEM}{_PARAMETERS}){_TIMES} *)?\)"
_NEXT = re.compile(r"[ \t]*,[ \t]*")


@cache
def _member() -> re.Pattern[str]:
    """The expression for a member. It takes a tenth of the import, and few files need it."""
    return re.compile(rf"({_KEY})(?:=({_ITEM}|{_INNER}))?{_PARAMETERS}")


def _read_dictionary(text: str) -> dict[str, str]:
    """A structured field dictionary with its values as written; empty if it is invalid.

    RFC 9651 §4.2.2: of a key that occurs twice, the last value counts.
    """
    text = text.lstrip(" ").rstrip(" \t")
    members: dict[str, str] = {}
    at = 0
    while member := _member().match(text, at):
        members[member[1]] = member[2] or "?1"
        comma = _NEXT.match(text, member.end())
        if comma is None:
            return members if member.end() == len(text) else {}
        at = comma.end()
    return {}
