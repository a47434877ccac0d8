"""Many patterns with wildcards: which of them can match a path?

A path that a pattern matches holds each of its parts; most paths hold few. Every pattern is filed
under one trigram, three octets, of its parts. Only the patterns that are filed under a trigram of
the path are tried. So the cost of a path grows with its length, not with the number of patterns.
Patterns whose parts have less than three octets are always tried.
"""

from __future__ import annotations

from operator import itemgetter

# the longest part after the key (no path without it can match), rank, all parts, anchored or not
Wild = tuple[str, int, tuple[str, ...], bool]

FEW = 128  # so many are tried one by one at less cost
_SIZE = 3
_ROOM = 16  # patterns under one trigram, before another one is looked for


class Needles:
    """Patterns, filed."""

    __slots__ = ("_always", "_filed")

    def __init__(self, patterns: list[Wild]) -> None:
        self._filed: dict[str, list[Wild]] = {}
        self._always: list[Wild] = []
        for wild in patterns:
            # Not of the first part, the key: all these patterns have it.
            trigrams = [trigram for part in wild[2][1:] for trigram in _trigrams_of(part)]
            if trigrams:
                self._filed.setdefault(max(trigrams, key=self._room), []).append(wild)
            else:
                self._always.append(wild)

    def near(self, path: str) -> list[Wild]:
        """Those that can match, from the highest rank down."""
        filed = self._filed
        near = [
            wild for trigram in set(_trigrams_of(path)) & filed.keys() for wild in filed[trigram]
        ]
        return sorted(self._always + near, key=itemgetter(1), reverse=True)

    def _room(self, trigram: str) -> int:
        """Few lists take the least memory, short ones the least time."""
        length = len(self._filed.get(trigram, ()))
        return length if length < _ROOM else -length


def _trigrams_of(text: str) -> list[str]:
    return [text[at : at + _SIZE] for at in range(len(text) - _SIZE + 1)]
