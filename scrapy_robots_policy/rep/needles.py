"""Many patterns with wildcards: which of them can match a path?

A path that a pattern matches holds each of its parts; most paths hold few. Every pattern is filed
under one piece of its parts: three octets, or all of the longest part where that has less. Only the
patterns that are filed under a piece of the path are tried. So the cost of a path grows with its
length, not with the number of patterns.
"""

from __future__ import annotations

from operator import itemgetter

# the longest part after the key (no path without it can match), rank, all parts, anchored or not
Wild = tuple[str, int, tuple[str, ...], bool]

FEW = 128  # so many are tried one by one at less cost
_SIZE = 3
_ROOM = 16  # patterns under one piece, before another one is looked for


class Needles:
    """Patterns, filed."""

    __slots__ = ("_filed", "_sizes")

    def __init__(self, patterns: list[Wild]) -> None:
        self._filed: dict[str, list[Wild]] = {}
        self._sizes: set[int] = set()
        for wild in patterns:
            size = min(len(wild[0]), _SIZE)
            # Not of the first part, the key: all these patterns have it.
            pieces = [piece for part in wild[2][1:] for piece in _pieces_of(part, size)]
            self._filed.setdefault(max(pieces, key=self._room, default=""), []).append(wild)
            self._sizes.add(size)

    def near(self, path: str) -> list[Wild]:
        """Those that can match, from the highest rank down."""
        filed = self._filed
        pieces = {piece for size in self._sizes for piece in _pieces_of(path, size)}
        near = [wild for piece in pieces & filed.keys() for wild in filed[piece]]
        near.sort(key=itemgetter(1), reverse=True)
        return near

    def _room(self, piece: str) -> int:
        """How good a piece is to file a pattern under. Best is the fullest list that has room, as
        few lists take the least memory; then a new one; then the shortest, as it is tried fastest.
        """
        length = len(self._filed.get(piece, ()))
        return length if length < _ROOM else -length


def _pieces_of(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(len(text) - size + 1)]
