"""Text of unknown origin, made safe to print."""

from __future__ import annotations


def shown(text: str) -> str:
    """The text in one printable line: control, format and bidirectional characters are escaped."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character == "\t" else ascii(character)[1:-1]
