"""What somebody probably meant who mistyped a name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, words: Iterable[str], start: str = "") -> str:
    """A question whether the word that is near was meant; "" where none is near."""
    near = get_close_matches(word, list(words), n=1, cutoff=0.7)
    return f"; did you mean {start}{near[0]}?" if near else ""
