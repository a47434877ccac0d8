"""Many patterns with wildcards: which of them can match a path?

Knows: the parts of patterns. Must not know: ranks' meaning, keys, sites.

A path that a pattern matches holds each of its parts; most paths hold few. Every pattern is filed
under three octets of its longest part, the three that fewest others are filed under; a path is
cut into all the threes it holds, and only what is filed under those is tried. So the cost of a path
grows with its length, not with the number of patterns. Parts shorter than three are always tried.
"""

from __future__ import annotations

from .patterns import Pattern

# rank, the longest part after the key (no path without it can match), the pattern
Wild = tuple[int, str, Pattern]

SIZE = 3
FEW = 128  # so many are tried one by one at less cost


class Needles:
    """Patterns, filed."""

    __slots__ = ("_always", "_filed")

    def __init__(self, patterns: list[Wild]) -> None:
        self._filed: dict[str, list[Wild]] = {}
        self._always: list[Wild] = []
        for wild in patterns:
            threes = _cut(wild[1])
            if threes:
                rarest = min(threes, key=lambda three: len(self._filed.get(three, ())))
                self._filed.setdefault(rarest, []).append(wild)
            else:
                self._always.append(wild)

    def within(self, path: str) -> list[Wild]:
        """Those that can match, from the highest rank down."""
        filed = self._filed
        found = [wild for three in set(_cut(path)) & filed.keys() for wild in filed[three]]
        return sorted(self._always + found, reverse=True)


def _cut(text: str) -> list[str]:
    return [text[at : at + SIZE] for at in range(len(text) - SIZE + 1)]
