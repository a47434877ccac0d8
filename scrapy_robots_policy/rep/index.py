"""The rules that bind one crawler, laid out so that a URL finds the one that decides.

All patterns of a group are sorted, from the weakest to the strongest (`Reading.ranked`). The rank
of a pattern is its place among them, from 1: of the patterns that match a path, the one with the
highest rank decides. Rank 0, `NOTHING`, means that none matches; it allows.

How a decision is made. The literal start of a pattern is its key; a pattern without wildcards is
its key and no more. In the order of strings, all paths that start with a key follow each other: a
span, from the key itself to what comes after all that start so. Two spans lie apart, or one within
the other. So the places where spans start and end cut all paths into stretches, in each of which
all paths start with the same keys. One look (`bisect`) finds the stretch of a path, and what holds
there:
    best  the highest rank of the patterns without wildcards
    wild  the patterns with wildcards, key by key; those of one key from the strongest down, tried
          one by one as long as they could still win
A pattern without wildcards that must match to the end has a span of one path.

`Reading.path_of` says what the path of a URL is. Most URLs that are asked of one file begin with
the same scheme and host, and hold nothing that any dialect rewrites: `answers` cuts their path off
itself. That is a shortcut only: it gives the path that `path_of` gives.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TypeAlias, TypeVar

from .needles import FEW, Needles, Wild
from .patterns import Ranked, Reading, SplitPattern, matches

T = TypeVar("T")

# Scheme and host, and the slash with which the path begins.
_SITE = re.compile("[^/?;#]*://[^/?;#]*/")
NOTHING = 0  # the rank where no pattern matches
_END = "\U0010ffff"  # after all keys: they are octets
_SMALL = 256  # Python keeps all integers up to this; a list of them is faster than an array
# Octets of memory, about: an index without rules, what each pattern adds, what one with wildcards
# adds to that, and each of its parts after the second.
_INDEX_OCTETS, _PATTERN_OCTETS, _WILD_OCTETS, _PART_OCTETS = 1600, 100, 250, 40

# The patterns with wildcards of one key.
Bunch = Needles | list[Wild]
# Those of all keys that a path starts with: those of the longest, then those of the shorter ones.
Bunches: TypeAlias = "tuple[()] | tuple[Bunch, Bunches]"


def matching(patterns: Sequence[Ranked], path: str) -> Iterator[Ranked]:
    """Those of ranked patterns that match a path, from the strongest down. Every one is tried."""
    return (ranked for ranked in reversed(patterns) if matches(ranked[3], ranked[4], path))


class Index:
    """URL → the rank of the pattern that decides. Logarithmic in rules without wildcards.

    allows       whether a path may be fetched, by the rank of the pattern that decides
    allowed      the same for a URL: a function
    allows_all   whether every path may be fetched: many files have no rules for most crawlers
    numbers      the number of its rule in the group, by rank; 0 where it is no rule that decides
    octets_held  how many octets of memory it takes, about
    """

    __slots__ = (
        *("_best", "_decide", "_reading", "_starts", "_wild"),
        *("allowed", "allows", "allows_all", "numbers", "octets_held"),
    )

    def __init__(self, patterns: Sequence[Ranked], reading: Reading) -> None:
        self._reading = reading
        self.allows = [True]
        self.numbers = array("I", [0])
        # What ends where its key does, what only starts with it; by the key.
        whole: dict[str, int] = {}
        prefix: dict[str, int] = {"": NOTHING}
        wild: dict[str, dict[SplitPattern, int]] = {}
        # Ranks ascend: of patterns that match the same, the strongest is the last to be entered.
        for rank, (_, number, allow, parts, anchored) in enumerate(patterns, 1):
            self.allows.append(allow)
            self.numbers.append(number)
            if len(parts) > 1:
                wild.setdefault(parts[0], {})[parts, anchored] = rank
            elif anchored:
                whole[parts[0]] = rank
            else:
                prefix[parts[0]] = rank
        self.allows_all = all(self.allows)
        bunches = {key: _strongest_first(of_key) for key, of_key in wild.items()}
        stretches = _Stretches(whole, prefix, bunches)
        self._starts, best = stretches.starts, stretches.best
        self._best: array[int] | list[int] = array("I", best) if len(patterns) > _SMALL else best
        self._wild = stretches.wild if wild else []
        count = sum(map(len, wild.values()))
        more_parts = sum(len(parts) - 2 for of_key in wild.values() for parts, _ in of_key)
        self.octets_held = (
            _INDEX_OCTETS
            + _PATTERN_OCTETS * len(patterns)
            + _WILD_OCTETS * count
            + _PART_OCTETS * more_parts
        )
        self.allowed = self.answers(self.allows)
        self._decide: Callable[[str], int] | None = None

    def decide(self, url: str) -> int:
        """The rank of the pattern that decides about a URL; `NOTHING` if none matches."""
        if self._decide is None:  # most crawlers are refused nothing, and nobody asks for a rank
            self._decide = self.answers(range(len(self.allows)))
        return self._decide(url)

    def answers(self, by_rank: Sequence[T] | Mapping[int, T]) -> Callable[[str], T]:
        """The one function that decides: URL → what `by_rank` holds for the pattern that decides.

        It is a closure, which reads its variables faster than a method its attributes.
        """
        starts, best_of, bunches_of, reading = self._starts, self._best, self._wild, self._reading
        # The scheme and host of most URLs, with the slash after it, and where that slash stands:
        # one value, so that no thread reads one without the other. No URL starts with an empty
        # tuple.
        usual: tuple[str | tuple[str, ...], int] = (), 0

        def answer(url: str) -> T:
            nonlocal usual
            site, slash = usual
            try:
                path = url[slash:] if url.startswith(site) else ""
            except (AttributeError, TypeError):
                path = ""  # no string
            if (
                not path
                or "%" in path
                or "#" in path
                or "*" in path
                or "$" in path
                or not path.isascii()
            ):
                path = reading.path_of(url)
                if not site and not reading.rewrites_all and (start := _SITE.match(url)):
                    usual = start[0], len(start[0]) - 1
            at = bisect_right(starts, path) - 1
            best = best_of[at]
            return by_rank[_decide_wild(path, best, bunches_of[at]) if bunches_of else best]

        return answer


class EveryMatch:
    """Path, or other text → the numbers, from 0, of all patterns that match it, in no order.

    No pattern beats another here. So each stands among those that are tried, plain ones too.
    """

    __slots__ = ("_starts", "_wild")

    def __init__(self, patterns: Iterable[SplitPattern]) -> None:
        by_key: dict[str, list[Wild]] = {}
        for number, (parts, anchored) in enumerate(patterns):
            needle = max(parts[1:], key=len, default="")
            by_key.setdefault(parts[0], []).append((needle, number, parts, anchored))
        wild = {key: _bunch(of_key) for key, of_key in by_key.items()}
        stretches = _Stretches({}, {"": NOTHING}, wild)
        self._starts, self._wild = stretches.starts, stretches.wild

    def of(self, path: str) -> list[int]:
        numbers: list[int] = []
        bunches = self._wild[bisect_right(self._starts, path) - 1]
        while bunches:
            bunch, bunches = bunches
            for needle, number, parts, anchored in (
                bunch.near(path) if isinstance(bunch, Needles) else bunch
            ):
                if needle in path and matches(parts, anchored, path):
                    numbers.append(number)
        return numbers


class _Stretches:
    """The stretches of paths that start with the same keys: where each starts, what holds there.

    whole, prefix  the ranks of the patterns without wildcards, by key; `prefix` has the empty key
    """

    __slots__ = ("best", "starts", "wild")

    def __init__(
        self, whole: Mapping[str, int], prefix: Mapping[str, int], wild: Mapping[str, Bunch]
    ) -> None:
        self.starts: list[str] = []
        self.best: list[int] = []
        self.wild: list[Bunches] = []
        opened: list[tuple[str, int, Bunches]] = []  # where a span ends, and what holds after it
        best = NOTHING
        bunches: Bunches = ()
        for key in sorted({*whole, *prefix, *wild}):
            while opened and opened[-1][0] <= key:
                end, best, bunches = opened.pop()
                if end != key:
                    self._start(end, best, bunches)
            if key in prefix or key in wild:
                opened.append((_after_all(key), best, bunches))
                best = max(best, prefix.get(key, NOTHING))
                if key in wild:
                    bunches = (wild[key], bunches)
            if key in whole:
                self._start(key, max(best, whole[key]), bunches)
                opened.append((key + "\0", best, bunches))
            else:
                self._start(key, best, bunches)
        while len(opened) > 1:  # the empty key has no end
            self._start(*opened.pop())

    def _start(self, start: str, best: int, bunches: Bunches) -> None:
        self.starts.append(start)
        self.best.append(best)
        self.wild.append(bunches)


def _decide_wild(path: str, best: int, bunches: Bunches) -> int:
    """The rank after the patterns with wildcards of some keys; `best` is the one before."""
    while bunches:
        bunch, bunches = bunches
        for wild in bunch.near(path) if isinstance(bunch, Needles) else bunch:
            if wild[0] in path:
                _, rank, parts, anchored = wild
                if rank <= best:
                    break
                if matches(parts, anchored, path):
                    best = rank
                    break
    return best


def _after_all(key: str) -> str:
    """What comes next after all that starts with a key."""
    return key[:-1] + chr(ord(key[-1]) + 1) if key else _END


def _strongest_first(ranks: dict[SplitPattern, int]) -> Bunch:
    """The patterns with wildcards of one key, from the strongest down."""
    wild = [(max(parts[1:], key=len), rank, parts, end) for (parts, end), rank in ranks.items()]
    wild.sort(key=itemgetter(1), reverse=True)
    return _bunch(wild)


def _bunch(wild: list[Wild]) -> Bunch:
    return Needles(wild) if len(wild) > FEW else wild
