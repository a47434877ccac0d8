"""The lines of a robots.txt about the use of pages, and which of them hold for a page.

Their precedence differs from that of rules. Content-Usage (draft-ietf-aipref-attach-05) and
Content-Signal (Cloudflare) are lines of a group. Groups bind crawlers as for rules, but a line
between two User-agent lines is for those above it (`Groups.parts_for`). The longest path decides;
of equally long paths the most restrictive preference holds (attach-05, section "Content-Usage Rule
Semantics", and draft-ietf-aipref-vocab-08, "Combining Preferences"). A Content-Signal or a License
outside all groups binds each crawler whose groups have none (RSL 1.0 §4.4.2 for License: the
crawlers of a group with a License must not take global ones).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import count, islice
from typing import NamedTuple

from ..dialect import Dialect
from ..groups import Groups
from ..match import Index, Ranked, length_of, place_of, ranked, reading_of, strength_of
from ..text import grammar_of, line_numbers
from .preferences import (
    ATTACH,
    CONTENT_SIGNAL,
    LABELS,
    LICENSE,
    MAY_REFUSE,
    VOCAB,
    Overridden,
    Preference,
    combined,
)
from .values import read_value, split_value

# Of the preferences for one page: those that can refuse nothing, and those that do not hold. A file
# may have 16,000, and each request of its site would look at them all.
_MAX_SHOWN = 100
_MAX_AGENTS = 256  # agents whose lines are kept; a crawl has one or a few
# Labels that have a meaning outside all groups too, and why such lines may not count.
_ALSO_OUTSIDE = {
    CONTENT_SIGNAL: "the crawler's group has signals of its own",
    LICENSE: "the crawler's group has a licence of its own: RSL 1.0, 4.4.2",
}
_LONGER = f"the longest path decides: {ATTACH}, Content-Usage Rule Semantics"
_STRICTER = f"of equal paths the most restrictive counts: {VOCAB}, Combining Preferences"


class UsageLine(NamedTuple):
    """A line about the use of pages. `start`: the offset of the line feed before it."""

    start: int
    label: str
    path: str
    preferences: tuple[Preference, ...]


class _Labelled:
    """The lines with one label that bind a crawler, laid out so that a page finds its own."""

    def __init__(self, lines: Iterable[UsageLine], dialect: Dialect) -> None:
        by_path: dict[str, list[Preference]] = {}
        for line in lines:
            by_path.setdefault(line.path, []).extend(line.preferences)
        self._of_path = list(by_path.values())
        paths, reading = list(by_path), reading_of(dialect)

        def patterns(places: Iterable[int]) -> Iterator[Ranked]:
            for at in places:
                for length, _, pattern in reading.patterns_of_path(paths[at]):
                    yield ranked(strength_of(length, False, at), pattern)

        self._index, self._patterns = Index([("", at) for at in range(len(paths))]), patterns

    def matching(self, path: str) -> tuple[list[Preference], list[Preference]]:
        """(those with the longest of the paths that match, those with the others)"""
        lengths: dict[int, int] = {}
        for strength in self._index.every(path, self._patterns):
            lengths.setdefault(place_of(strength), length_of(strength))
        longest = max(lengths.values(), default=0)
        deciding, shorter = (
            [one for at in sorted(lengths) if is_longest(lengths[at]) for one in self._of_path[at]]
            for is_longest in (longest.__eq__, longest.__gt__)
        )
        return sorted(deciding, key=lambda one: one.line), shorter


class _Binding(NamedTuple):
    """What binds one crawler: its lines by label, and what these override."""

    by_label: list[_Labelled]
    overridden: tuple[Overridden, ...]


class UsageLines:
    """The preferences in a robots.txt. Those that bind an agent are laid out when it asks first."""

    def __init__(self, text: str, groups: Groups, dialect: Dialect) -> None:
        self._text, self._groups, self._dialect = text, groups, dialect
        self._grammar = grammar_of(dialect)
        self._bindings: dict[str, _Binding] = {}
        self._same: dict[tuple[int, ...], _Binding] = {}  # by the lines of a crawler's groups

    def preferences(self, path: str, agent: str) -> tuple[Preference, ...]:
        """The preferences that hold for a crawler and a page.

        Args:
            path: the path of the page's URL, in the form in which rules are compared with it.

        """
        binding = self._binding(agent)
        return tuple(
            one for lines in binding.by_label for one in _few(combined(lines.matching(path)[0]))
        )

    def overridden(self, path: str, agent: str) -> tuple[Overridden, ...]:
        """The preferences that match the page, or bind all crawlers, and do not hold."""
        return tuple(islice(_overridden(self._binding(agent), path), _MAX_SHOWN))

    def lines_for(self, agent: str) -> list[UsageLine]:
        """The lines that bind a crawler."""
        own = self._lines_in(self._groups.parts_for(agent, self._grammar.usage))
        labels = _labels(own)
        return own + [line for line in self.outside if line.label not in labels]

    def _binding(self, agent: str) -> _Binding:
        binding = self._bindings.get(agent)
        if binding is None:
            lines = self.lines_for(agent)
            key = tuple(line.start for line in lines)
            binding = self._same.get(key) or self._laid_out(lines)
            if len(self._bindings) >= _MAX_AGENTS:
                self._bindings.clear()
                self._same.clear()
            self._bindings[agent] = self._same[key] = binding
        return binding

    def _laid_out(self, lines: list[UsageLine]) -> _Binding:
        by_label: dict[str, list[UsageLine]] = {label: [] for label in LABELS.values()}
        for line in lines:
            by_label[line.label].append(line)
        kept = {line.start for line in lines}
        unused = [line for line in self.outside if line.start not in kept]
        overridden = tuple(
            one
            for label, why in _ALSO_OUTSIDE.items()
            for one in _weaker(
                [one for line in unused if line.label == label for one in line.preferences],
                [one for line in by_label[label] for one in line.preferences],
                why,
            )
        )
        laid_out = [_Labelled(lines, self._dialect) for lines in by_label.values() if lines]
        return _Binding(laid_out, overridden)

    @cached_property
    def outside(self) -> list[UsageLine]:
        """The lines outside all groups that bind the crawlers whose groups have none."""
        lines = self._lines_in(self._groups.outside())
        return [line for line in lines if line.label in _ALSO_OUTSIDE]

    def _lines_in(self, parts: Iterable[tuple[int, int]]) -> list[UsageLine]:
        lines = self.lines
        return [
            line
            for start, end in parts
            for line in lines[bisect_left(lines, (start,)) : bisect_left(lines, (end,))]
        ]

    @cached_property
    def lines(self) -> list[UsageLine]:
        """All lines of the file about the use of pages, in its order."""
        found = [
            line
            for line in self._grammar.directive.finditer(self._text)
            if line[1].lower() in LABELS
        ]
        numbers = line_numbers(self._text, (line.start() for line in found))
        return [
            _usage_line(line.start(), LABELS[line[1].lower()], line[2], number)
            for line, number in zip(found, numbers, strict=True)
        ]


def _usage_line(start: int, label: str, written: str, number: int) -> UsageLine:
    path, value = split_value(label, written)
    preferences = (Preference(label, *pair, number) for pair in read_value(label, value))
    return UsageLine(start, label, path, tuple(preferences))


def _labels(lines: Iterable[UsageLine]) -> set[str]:
    """The labels of lines. A License without a URL is none."""
    return {line.label for line in lines if line.preferences or line.label != LICENSE}


def _weaker(
    weaker: Iterable[Preference], obeyed: Collection[Preference], why: str
) -> Iterator[Overridden]:
    """The preferences that do not hold, each with the obeyed one of its key, or with the first."""
    if not obeyed:
        return
    first, *_ = obeyed
    by_key = {one.key: one for one in obeyed}
    for preference in weaker:
        yield Overridden(preference, by_key.get(preference.key, first), why)


def _few(preferences: Iterable[Preference]) -> Iterator[Preference]:
    """All that may refuse a use, and a few of the others, which are only shown."""
    others = count()
    for one in preferences:
        if (one.label, one.key) in MAY_REFUSE or next(others) < _MAX_SHOWN:
            yield one


def _overridden(binding: _Binding, path: str) -> Iterator[Overridden]:
    for lines in binding.by_label:
        deciding, shorter = lines.matching(path)
        obeyed = list(_few(combined(deciding)))
        yield from _weaker(shorter, obeyed, _LONGER)
        by_key = {one.key: one for one in obeyed if one.key}
        lost = (one for one in deciding if one.key in by_key and one != by_key[one.key])
        yield from _weaker(lost, obeyed, _STRICTER)
    yield from binding.overridden
