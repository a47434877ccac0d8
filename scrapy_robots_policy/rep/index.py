"""The rules that bind one crawler, laid out so that a path finds the one that decides.

Knows: patterns and ranks. Must not know: lines, groups, URLs.

How a decision is made. Rules without wildcards are prefixes, kept in order. Those that match a path
are all prefixes of the path, so they are prefixes of one another: find the last key not after the
path (`bisect`), and go from it to ever shorter keys that it starts with, until one starts the path.
Each key holds the highest rank on its way to the shortest, so the first hit is the answer.
Rules that must match to the end are looked up whole. Rules with wildcards are tried from the highest
rank down, and only as long as they could still win.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from .patterns import NOTHING, Pattern


class Index:
    """Patterns → the rank of the one that decides on a path. Logarithmic in rules without wildcards."""

    __slots__ = ("_above", "_best", "_exact", "_keys", "_wild")

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        prefixes: dict[str, int] = {}
        self._exact: dict[str, int] = {}
        self._wild: list[Pattern] = []
        for pattern in patterns:
            if len(pattern.parts) > 1:
                self._wild.append(pattern)
                continue
            ranks = self._exact if pattern.anchored else prefixes
            key = pattern.parts[0]
            ranks[key] = max(pattern.rank, ranks.get(key, 0))
        self._wild.sort(key=lambda pattern: pattern.rank, reverse=True)
        self._keys = sorted(prefixes)
        self._link(prefixes)

    def _link(self, prefixes: dict[str, int]) -> None:
        self._above: list[int] = []  # the next shorter key that the key starts with; -1: none
        self._best: list[int] = []  # the highest rank of the key and those above it
        open_keys: list[int] = []
        for at, key in enumerate(self._keys):
            while open_keys and not key.startswith(self._keys[open_keys[-1]]):
                open_keys.pop()
            above = open_keys[-1] if open_keys else -1
            self._above.append(above)
            best = prefixes[key] if above < 0 else max(prefixes[key], self._best[above])
            self._best.append(best)
            open_keys.append(at)

    def rank(self, path: str) -> int:
        """The rank of the rule that decides on the path; `NOTHING` if none matches."""
        best = self._exact.get(path, NOTHING)
        keys = self._keys
        at = bisect_right(keys, path) - 1
        while at >= 0:
            if path.startswith(keys[at]):
                best = max(best, self._best[at])
                break
            at = self._above[at]
        for pattern in self._wild:
            if pattern.rank <= best:
                break
            if pattern.matches(path):
                return pattern.rank
        return best
