"""The rules that bind one crawler, laid out so that a path finds the one that decides.

Knows: patterns and ranks. Must not know: lines, groups, what a URL is.

How a decision is made. The literal start of a pattern is its key; a pattern without wildcards is
its key and no more. The keys that start a path are prefixes of one another: they form a chain.
All keys are sorted; the last one not after the path (`bisect`) leads to ever shorter ones that it
starts with, and the first of them that starts the path is the longest. What can match is there:
    best  the highest rank in the chain, of patterns without wildcards
    wild  the patterns with wildcards in the chain, key by key; those of one key from the strongest
          down, tried one by one as long as they could still win
Patterns that must match to the end are looked up whole (`exact`).

Before each key stands the site, so that most URLs can be looked up as they are: an address is the
site, then the path. The first key, the site with "/", starts every address; the last one comes next
after all that start so. What sorts before the first or after the last is no address, and all else
is one: so the first need not be compared.

Invariant: `rank(address)` is the highest rank among the patterns that match its path, or NOTHING.

To lay rules out is worth it for whoever asks again; `rank_once` answers a single question, and
needs no more than the rules that two octets of the path do not rule out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Optional

from .needles import FEW, Needles, Wild
from .patterns import NEVER, NOTHING, ROOT, Pattern, Reading, last_part

AFTER_ROOT = chr(ord(ROOT) + 1)
NO_ADDRESS = -1

# the wild patterns of a key, and those of the keys above it
Cell = Optional[tuple[Needles | list[Wild], "Cell"]]  # noqa: UP045 - a string has no `|`
# (the key of the line if it allows, the literal start of its value, the rest of it), as they stand
# in a group
Rules = Sequence[tuple[str, str, str]]
# the site and a key, best, wild, and where the longest other key stands that it starts with (or -1)
Node = tuple[str, int, Cell, int]


class Index:
    """Patterns → the rank of the one that decides. Logarithmic in rules without wildcards."""

    __slots__ = ("_exact", "_keys", "_nodes", "_prefixes", "_wild", "is_empty", "is_plain", "site")

    def __init__(self, site: str) -> None:
        self.site = site
        self.is_empty = True  # all is allowed
        self.is_plain = True  # no rule has anything but a literal start of ASCII, without "%"
        self._exact: dict[str, int] = {}
        self._prefixes: dict[str, int] = {}
        self._wild: dict[str, list[Wild]] = {}
        self._keys: list[str] = []
        self._nodes: list[Node] = []

    def add_rules(self, rules: Rules, reading: Reading, url: str) -> None:
        """Add the rules of a group, in order."""
        self.is_empty = self.is_empty and not rules
        prefixes = self._prefixes
        bits, by_length, index_page = reading.bits, reading.by_length, reading.index_page
        for order, (key, start, rest) in zip(range(len(rules), 0, -1), rules, strict=True):
            allow = key != ""
            if start and not rest and not (allow and index_page in start):
                rank = (len(start) if by_length else order) * 4 + bits[allow]
                if rank > prefixes.get(start, NOTHING):
                    prefixes[start] = rank
            else:
                value = start + rest
                self.is_plain = self.is_plain and not value
                for pattern in reading.patterns(allow, value, url):
                    self.add(pattern, reading.rank(pattern.length, order, pattern.bits))

    def add(self, pattern: Pattern, rank: int) -> None:
        """Add one pattern. Every path starts with "/": an empty start is as good as that, and any
        other matches nothing.
        """
        self.is_empty = False
        parts = pattern.parts
        if pattern.anchored and len(parts) == 1:
            self._exact[parts[0]] = max(rank, self._exact.get(parts[0], NOTHING))
            return
        key = parts[0] or ROOT
        if key[0] != ROOT:
            return
        if len(parts) == 1:
            self._prefixes[key] = max(rank, self._prefixes.get(key, NOTHING))
        else:
            needle = parts[1] if len(parts) == 2 else max(parts[1:], key=len)
            self._wild.setdefault(key, []).append((rank, needle, pattern))

    def rank(self, address: str) -> int:
        """The rank of the rule that decides; `NOTHING` if none, `NO_ADDRESS` for no address."""
        nodes = self._nodes or self._link()
        key, best, wild, above = nodes[bisect_right(self._keys, address) - 1]
        while above >= 0 and not address.startswith(key):
            key, best, wild, above = nodes[above]
        if address in self._exact:
            best = max(best, self._exact[address])
        while wild:
            patterns, wild = wild
            if isinstance(patterns, Needles):
                patterns = patterns.within(address[len(self.site) :])
            for rank, needle, pattern in patterns:
                if rank <= best:
                    break
                if needle in address and pattern.matches(address[len(self.site) :]):
                    best = rank
                    break
        return best

    def _link(self) -> list[Node]:
        """Sort the keys and link them, between the bounds of what is an address."""
        site, ranks, wilds, nodes = self.site, self._prefixes, self._wild, self._nodes
        keys = sorted({ROOT, *ranks, *wilds})
        self._keys = [site + key for key in keys]
        chain: list[int] = []
        for at, (key, address) in enumerate(zip(keys, self._keys, strict=True)):
            while chain and not key.startswith(keys[chain[-1]]):
                chain.pop()
            above = chain[-1] if chain else -1
            _, best, cell, _ = nodes[above] if chain else _NOTHING
            best = max(best, ranks.get(key, NOTHING))
            if key in wilds:
                wild = _strongest_first(wilds[key])
                cell = (Needles(wild) if len(wild) > FEW else wild, cell)
            nodes.append((address, best, cell, above))
            chain.append(at)
        self._keys.append(site + AFTER_ROOT)
        nodes.append(_NOWHERE)
        self._exact = {site + path: rank for path, rank in self._exact.items()}
        self._prefixes, self._wild = {}, {}
        return nodes


_NOTHING: Node = ("", NOTHING, None, -1)
_NOWHERE: Node = ("", NO_ADDRESS, None, -1)


def _strongest_first(patterns: list[Wild]) -> list[Wild]:
    """From the highest rank down; of those that match the same, only the strongest."""
    kept: dict[object, Wild] = {}
    for wild in sorted(patterns, reverse=True):
        kept.setdefault((wild[2].parts, wild[2].anchored), wild)
    return list(kept.values())


def rank_once(rules: Rules, path: str, reading: Reading, url: str) -> int:
    """What an index of the rules would answer for a path, at less cost than laying them out.

    Rules that cannot match may be missing. Where the first of a group decides, its rank is another
    than an index of all would give, and says the same.
    """
    best, order = NOTHING, len(rules)
    others: list[tuple[int, bool, str]] = []
    # Where a directory is asked for, the index page that a rule allows may mean it.
    index_page = reading.index_page if path[-1] == ROOT else NEVER
    literal = reading.literal
    for key, start, rest in rules:
        if not path.startswith(start):
            if not key or index_page not in start:
                continue
        elif start and not rest:
            best = max(best, reading.rank(len(start), order, reading.bits[key != ""]))
            order -= 1
            continue
        elif literal and (not key or index_page == NEVER):
            # The last of its literal parts must be in the path, and seldom is.
            part = last_part(rest)
            if part not in path and part.isascii() and not ("%" in part or "$" in part):
                continue
        others.append((order, key != "", start + rest))
        order -= 1
    return _strongest_of(others, path, reading, url, best) if others else best


def _strongest_of(
    rules: list[tuple[int, bool, str]], path: str, reading: Reading, url: str, best: int
) -> int:
    """The highest rank of the rules that match; `best` where none has a higher one."""
    for order, allow, value in rules:
        for length, bits, octets in reading.spelled(allow, value, url):
            rank = reading.rank(length, order, bits)
            if rank > best and last_part(octets) in path:
                pattern = reading.pattern(length, bits, octets)
                best = rank if pattern.matches(path) else best
    return best
