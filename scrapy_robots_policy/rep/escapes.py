"""Text and values of unknown origin, made safe to print; and names in a sentence."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable
from difflib import get_close_matches

MAX_BRIEF = 200  # characters
MAX_BYTES = 4 * MAX_BRIEF  # UTF-8 takes four bytes for a character at most

_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 3, MAX_BRIEF, MAX_BRIEF
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxset = _SHORT.maxdict = 20
_USERINFO = re.compile(r"(?<=://)[^/?#\s'\"]*@")


def shown(text: str) -> str:
    """The text in one printable line: control, format and bidirectional characters are escaped."""
    return text if text.isprintable() else "".join(map(_shown, text))


def brief(text: str) -> str:
    """The text for one line: escaped, and cut where it is long."""
    escaped = shown(text[: MAX_BRIEF + 1])
    return escaped if len(escaped) <= MAX_BRIEF else f"{escaped[: MAX_BRIEF - 1]}…"


def shortened(text: str, max_characters: int) -> str:
    """The text, or its start where it is longer."""
    return text if len(text) <= max_characters else f"{text[:max_characters]}…"


def quoted(value: object) -> str:
    """A value in a sentence: as Python writes it, on one line, not too long. A few aliases of YAML
    can stand for more than fits in memory.
    """
    try:
        if isinstance(value, str):
            text = repr(value[: MAX_BRIEF + 1])
        else:
            text = repr(value) if isinstance(value, int) else _SHORT.repr(value)
    except ValueError:  # Python writes no number of more than 4300 digits
        return "a value that is too long to show"
    return shortened(" ".join(text.splitlines()), MAX_BRIEF)


def listed(names: Iterable[str]) -> str:
    """Names in a sentence: "google, bing and yandex"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def without_userinfo(text: str) -> str:
    """Text without the user names and passwords of URLs in it."""
    return _USERINFO.sub("", text) if "@" in text else text


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character == "\t" else ascii(character)[1:-1]


MAX_LENGTH = 200  # of a word, in characters; no name is nearly as long


def nearest(word: str, words: Iterable[str], start: str = "", likeness: float = 0.7) -> str:
    """A question whether the word that is near was meant, in any case; "" where none is near.

    Args:
        start: what stands before each of the words.
        likeness: how much of both words must be alike, from 0 to 1.

    """
    if len(word) > MAX_LENGTH:  # `difflib` takes half a minute for 100 MB
        return ""
    by_lower = {one.lower(): one for one in words}
    near = get_close_matches(word.lower(), list(by_lower), n=1, cutoff=likeness)
    return f"; did you mean {start}{by_lower[near[0]]}?" if near else ""
