"""What somebody probably meant who mistyped a name."""

from __future__ import annotations

from collections.abc import Iterable

MAX_LENGTH = 200  # of a word, in characters; no name is nearly as long


def nearest(word: str, words: Iterable[str], start: str = "", likeness: float = 0.7) -> str:
    """A question whether the word that is near was meant, in any case; "" where none is near.

    start     what stands before each of the words
    likeness  how much of both words must be alike, from 0 to 1
    """
    if len(word) > MAX_LENGTH:  # `difflib` takes half a minute for 100 MB
        return ""
    from difflib import get_close_matches  # noqa: PLC0415 - few names are mistyped

    by_lower = {one.lower(): one for one in words}
    near = get_close_matches(word.lower(), list(by_lower), n=1, cutoff=likeness)
    return f"; did you mean {start}{by_lower[near[0]]}?" if near else ""
