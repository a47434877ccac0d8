"""Text of unknown origin, made safe to print."""

from __future__ import annotations

import re

MAX_BRIEF = 200  # characters
MAX_OCTETS = 4 * MAX_BRIEF  # UTF-8 takes four octets for a character at most

_USERINFO = re.compile(r"(?<=://)[^/?#\s'\"]*@")


def shown(text: str) -> str:
    """The text in one printable line: control, format and bidirectional characters are escaped."""
    return text if text.isprintable() else "".join(map(_shown, text))


def brief(text: str) -> str:
    """The text for one line: escaped, and cut where it is long."""
    escaped = shown(text[: MAX_BRIEF + 1])
    return escaped if len(escaped) <= MAX_BRIEF else f"{escaped[: MAX_BRIEF - 1]}…"


def without_userinfo(text: str) -> str:
    """Text without the user names and passwords of URLs in it."""
    return _USERINFO.sub("", text) if "@" in text else text


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character == "\t" else ascii(character)[1:-1]
