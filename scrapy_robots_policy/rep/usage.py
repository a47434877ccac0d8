"""Lines of a robots.txt about the use of pages: Content-Usage, Content-Signal and License.

They say what may be done with a page that has been fetched. Whether it may be fetched is a matter
of rules (`ruleset`).

Their precedence differs from that of rules. Content-Usage (draft-ietf-aipref-attach-05) and
Content-Signal (Cloudflare) are lines of a group. Groups bind crawlers as for rules, but a line
between two User-agent lines is for those above it (`Groups.usage_spans`). The longest path decides;
of equally long paths the most restrictive preference holds (attach-05, section "Content-Usage Rule
Semantics", and draft-ietf-aipref-vocab-08, "Combining Preferences"). A Content-Signal or a License
outside all groups binds each crawler whose groups have none (RSL 1.0 §4.4.2 for License: the
crawlers of a group with a License must not take global ones).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import count, islice
from typing import NamedTuple

from .dialects.dialect import Dialect
from .groups import Groups
from .index import EveryMatch
from .lines import grammar_of, line_numbers
from .patterns import Pattern, SplitPattern, reading_of
from .preference import (
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
from .url import origin_of
from .usage_values import read_value, split_value

_MAX_AGENTS = 256  # agents whose lines are kept; a crawl has one or a few
_MAX_OCTETS = 8 * 1024 * 1024  # of the lines that are kept for agents; the newest always are
# Of the preferences for one page: those that can refuse nothing, and those that do not hold. A file
# may have 16,000, and each request of its site would look at them all.
_MAX_SHOWN = 100
# Octets of memory, about: a line as written, a path of lines that bind an agent, a wildcard in such
# a path, a preference.
_LINE_OCTETS, _PATH_OCTETS, _STAR_OCTETS, _PREFERENCE_OCTETS = 200, 550, 60, 150
# Labels that have a meaning outside all groups too, and why such lines may not count.
_ALSO_OUTSIDE = {
    CONTENT_SIGNAL: "the crawler's group has signals of its own",
    LICENSE: "the crawler's group has a licence of its own: RSL 1.0, 4.4.2",
}
_LONGER = f"the longest path decides: {ATTACH}, Content-Usage Rule Semantics"
_STRICTER = f"of equal paths the most restrictive counts: {VOCAB}, Combining Preferences"


class UsageLines:
    """The preferences in a robots.txt. Those that bind an agent are parsed when it asks first."""

    def __init__(self, text: str, groups: Groups, dialect: Dialect) -> None:
        self._text, self._groups, self._reading = text, groups, reading_of(dialect)
        self._written = _written_in(text, dialect)
        self._line_octets = sum(_LINE_OCTETS + len(line.value) for line in self._written)
        # By agent, with the origin where a line may name a site.
        self._bindings: dict[tuple[str, str | None], _Binding] = {}
        self._binding_octets = 0

    @property
    def octets_held(self) -> int:
        """About how many octets of memory this object takes: it grows as more agents ask."""
        return len(self._text) + self._line_octets + self._binding_octets

    def preferences(self, path: str, url: str, agent: str) -> tuple[Preference, ...]:
        """The preferences that hold for a crawler and a page.

        path  the path of the page's URL, normalised as for rules
        """
        preferences: list[Preference] = []
        for lines in self._binding(agent, url).lines.values():
            preferences += _combined_of(lines.matching(path)[0])
        return tuple(preferences)

    def overridden(self, path: str, url: str, agent: str) -> tuple[Overridden, ...]:
        """The preferences that match the page, or bind all crawlers, and do not hold."""
        return tuple(islice(_overridden(self._binding(agent, url), path), _MAX_SHOWN))

    def lines_for(self, agent: str) -> list[tuple[str, list[Preference]]]:
        """(the path as written, the preferences) of each line that binds a crawler."""
        own = self._lines_for(agent)
        return [_read_line(line) for line in (*own, *self._for_all(own))]

    def _binding(self, agent: str, url: str) -> _Binding:
        """What binds a crawler. Some dialects match the whole `url`, not its path only."""
        origin = origin_of(url) if self._reading.resolves else None
        binding = self._bindings.get((agent, origin))
        if binding is None:
            own = self._lines_for(agent)
            shared = self._shared(own, origin)
            binding = shared or self._read(own, url, origin)
            more = 0 if shared else binding.octets_held
            if len(self._bindings) >= _MAX_AGENTS or self._binding_octets + more > _MAX_OCTETS:
                self._bindings.clear()
                self._binding_octets, more = 0, binding.octets_held
            self._bindings[agent, origin] = binding
            self._binding_octets += more
        return binding

    def _shared(self, own: list[_Written], origin: str | None) -> _Binding | None:
        """What binds another crawler by the same lines: most are bound by the same groups."""
        same = (own, origin)
        return next(
            (one for one in list(self._bindings.values()) if (one.own, one.origin) == same), None
        )

    def _read(self, own: list[_Written], url: str, origin: str | None) -> _Binding:
        labels = _labels(own)
        unused = [line for line in self._outside if line.label in labels]
        lines = self._by_label((*own, *self._for_all(own)), url)
        overridden = tuple(
            one
            for label, why in _ALSO_OUTSIDE.items()
            if (weaker := _preferences_with(label, unused))
            for one in _weaker(weaker, _preferences_with(label, own), why)
        )
        return _Binding(own, origin, lines, overridden)

    def _lines_for(self, agent: str) -> list[_Written]:
        """The lines in the crawler's groups."""
        if not self._written:
            return []
        spans = self._groups.usage_spans(agent, self._text)
        return [line for span in spans for line in self._between(*span)]

    def outside(self) -> Iterator[tuple[int, int]]:
        """The parts of the text outside all groups: (start, end) offsets."""
        end = 0
        for group in self._groups.spans(self._text):
            yield end, group.head
            end = group.end
        yield end, len(self._text)

    def _between(self, start: int, end: int) -> list[_Written]:
        """The usage lines between two offsets of the text."""
        lines = self._written
        return lines[bisect_left(lines, (start,)) : bisect_left(lines, (end,))]

    def _for_all(self, own: list[_Written]) -> list[_Written]:
        """The lines outside all groups that bind a crawler with these lines in its groups."""
        labels = _labels(own)
        return [line for line in self._outside if line.label not in labels]

    @cached_property
    def _outside(self) -> list[_Written]:
        """The lines for all crawlers whose groups have none."""
        return [
            line
            for start, end in self.outside()
            for line in self._between(start, end)
            if line.label in _ALSO_OUTSIDE
        ]

    def _by_label(self, lines: Iterable[_Written], url: str) -> dict[str, _Labelled]:
        by_label: dict[str, dict[str, list[Preference]]] = {label: {} for label in LABELS.values()}
        for line in lines:
            path, preferences = _read_line(line)
            by_label[line.label].setdefault(path, []).extend(preferences)
        # As Disallow lines: only an Allow of ".../index.html" is for the directory too.
        return {
            label: _Labelled(by_path, lambda path: self._reading.patterns(False, path, url))
            for label, by_path in by_label.items()
            if by_path
        }


class _Written(NamedTuple):
    """A usage line as written. `start`: the offset of the line feed before it."""

    start: int
    label: str
    value: str
    number: int


def _written_in(text: str, dialect: Dialect) -> list[_Written]:
    """All usage lines of a file, in its order."""
    lines = [
        line for line in grammar_of(dialect).directive.finditer(text) if line[1].lower() in LABELS
    ]
    numbers = line_numbers(text, (line.start() for line in lines))
    return [
        _Written(line.start(), LABELS[line[1].lower()], line[2], number)
        for line, number in zip(lines, numbers, strict=True)
    ]


def _read_line(line: _Written) -> tuple[str, list[Preference]]:
    """(the path as written, or "/" if the line has none; the preferences)"""
    path, value = split_value(line.label, line.value)
    pairs = read_value(line.label, value)
    return path, [Preference(line.label, key, value, line.number) for key, value in pairs]


class _SamePath:
    """The preferences of the usage lines with one label and one path. They are for the same pages.

    preferences  in the order of the file
    """

    __slots__ = ("_combined", "preferences")

    def __init__(self, preferences: list[Preference]) -> None:
        self.preferences = preferences
        self._combined: tuple[Preference, ...] | None = None

    def combined(self) -> tuple[Preference, ...]:
        if self._combined is None:
            self._combined = tuple(_few(combined(self.preferences)))
        return self._combined


class _Labelled:
    """The usage lines with one label that bind a crawler, laid out so that a page finds its own.

    octets_held  about how many octets of memory they take
    """

    __slots__ = ("_index", "_lines", "_of_pattern", "octets_held")

    def __init__(
        self,
        by_path: Mapping[str, list[Preference]],
        patterns_of: Callable[[str], tuple[Pattern, ...]],
    ) -> None:
        self._lines = [_SamePath(preferences) for preferences in by_path.values()]
        self._of_pattern: list[tuple[int, int]] = []  # its length, and which of the lines has it
        every: list[SplitPattern] = []
        for at, path in enumerate(by_path):
            patterns = patterns_of(path)
            self._of_pattern += [(pattern.length, at) for pattern in patterns]
            every += [(pattern.parts, pattern.anchored) for pattern in patterns]
        self._index = EveryMatch(every)
        self.octets_held = sum(_octets_of(path, lines) for path, lines in by_path.items())

    def matching(self, path: str) -> tuple[list[_SamePath], list[_SamePath]]:
        """(the lines with the longest of the paths that match, the others that match)"""
        lengths: dict[int, int] = {}
        for number in self._index.of(path):
            length, at = self._of_pattern[number]
            lengths[at] = max(length, lengths.get(at, length))
        longest = max(lengths.values(), default=0)
        in_order = sorted(lengths)
        return (
            [self._lines[at] for at in in_order if lengths[at] == longest],
            [self._lines[at] for at in in_order if lengths[at] < longest],
        )


class _Binding(NamedTuple):
    """What binds one crawler.

    own         the lines in its groups
    origin      the site that they are read for, where a line may name a site
    lines       all lines, by label
    overridden  the preferences for all crawlers that those of the crawler's groups override
    """

    own: list[_Written]
    origin: str | None
    lines: dict[str, _Labelled]
    overridden: tuple[Overridden, ...]

    @property
    def octets_held(self) -> int:
        """About how many octets of memory it takes."""
        overridden = _octets_of("", (one.preference for one in self.overridden))
        return overridden + sum(lines.octets_held for lines in self.lines.values())


def _octets_of(path: str, preferences: Iterable[Preference]) -> int:
    """About how many octets of memory the lines with one path take."""
    values = sum(_PREFERENCE_OCTETS + len(one.key) + len(one.value) for one in preferences)
    return _PATH_OCTETS + 2 * len(path) + _STAR_OCTETS * path.count("*") + values


def _labels(written: Iterable[_Written]) -> set[str]:
    """The labels of lines. A License without a URL is none."""
    return {line.label for line in written if line.value or line.label != LICENSE}


def _preferences_with(label: str, lines: Iterable[_Written]) -> list[Preference]:
    """The preferences of the lines with one label."""
    return [one for line in lines if line.label == label for one in _read_line(line)[1]]


def _preferences_of(lines: Iterable[_SamePath]) -> list[Preference]:
    return [preference for line in lines for preference in line.preferences]


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


def _combined_of(deciding: list[_SamePath]) -> Collection[Preference]:
    """The preferences of lines whose paths are equally long, in the order of the file."""
    if len(deciding) == 1:  # nearly always: equal lines are combined once, not for each URL
        return deciding[0].combined()
    in_order = sorted(_preferences_of(deciding), key=lambda preference: preference.line)
    return list(_few(combined(in_order)))


def _few(preferences: Iterable[Preference]) -> Iterator[Preference]:
    """All that may refuse a use, and a few of the others, which are only shown."""
    others = count()
    for one in preferences:
        if (one.label, one.key) in MAY_REFUSE or next(others) < _MAX_SHOWN:
            yield one


def _overridden(binding: _Binding, path: str) -> Iterator[Overridden]:
    for lines in binding.lines.values():
        deciding, shorter = lines.matching(path)
        obeyed = _combined_of(deciding)
        yield from _weaker(_preferences_of(shorter), obeyed, _LONGER)
        by_key = {one.key: one for one in obeyed if one.key}
        every = _preferences_of(deciding)
        lost = (one for one in every if one.key in by_key and one != by_key[one.key])
        yield from _weaker(lost, obeyed, _STRICTER)
    yield from binding.overridden
