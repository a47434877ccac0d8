"""Text of unknown origin, made safe to show.

Knows: which characters steer a terminal or turn a line. Must not know: where the text is shown.
"""

from __future__ import annotations


def shown(text: str) -> str:
    """The text with all that could steer a terminal or turn its lines escaped."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character == "\t" else ascii(character)[1:-1]
