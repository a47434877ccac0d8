"""Preferences of a site about the use of its pages: Content-Usage, Content-Signal and License.

They say what may be done with a page that has been fetched. Whether it may be fetched is a matter
of rules (`ruleset`).

Their precedence differs from that of rules. Content-Usage (IETF aipref) and Content-Signal
(Cloudflare) are lines of a group. Groups bind crawlers as for rules, and the longest path decides;
of equally long paths the most restrictive preference holds (the drafts aipref-attach, 3.1, and
aipref-vocab, "Combining Preferences"). A Content-Signal outside all groups binds each crawler whose
groups have none. A License binds all crawlers, wherever it stands (RSL guide).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from .dialects.dialect import Dialect
from .escapes import MAX_OCTETS, shown
from .groups import Groups
from .lines import grammar_of, line_numbers
from .patterns import Pattern, reading_of
from .url import readable

CONTENT_USAGE = "Content-Usage"
CONTENT_SIGNAL = "Content-Signal"
LICENSE = "License"

_MAX_AGENTS = 256  # agents whose lines are kept; a crawl has one or a few
LABELS = {label.lower(): label for label in (CONTENT_USAGE, CONTENT_SIGNAL, LICENSE)}
_REFUSALS = {CONTENT_USAGE: "n", CONTENT_SIGNAL: "no"}
_GRANTS = {CONTENT_USAGE: "y", CONTENT_SIGNAL: "yes"}

PURPOSES: Mapping[str, frozenset[tuple[str, str]]] = MappingProxyType(
    {
        "search": frozenset({(CONTENT_USAGE, "search"), (CONTENT_SIGNAL, "search")}),
        "ai-input": frozenset({(CONTENT_USAGE, "ai-use"), (CONTENT_SIGNAL, "ai-input")}),
        "train-ai": frozenset({(CONTENT_USAGE, "train-ai"), (CONTENT_SIGNAL, "ai-train")}),
    }
)
"""The purposes of a crawl, each with the (label, key) pairs that may refuse it."""


@dataclass(frozen=True, slots=True)
class Preference:
    """One preference about the use of a page. Unknown keys and values are kept as written.

    label  "Content-Usage", "Content-Signal" or "License"
    key    the kind of use ("train-ai"); "" for a License
    value  as written: "y", "no", the URL of a licence
    line   its line in the robots.txt, from 1; 0: it is in a header of the page
    """

    label: str
    key: str
    value: str
    line: int = 0

    @property
    def refuses(self) -> bool:
        return _REFUSALS.get(self.label) == self.value

    @property
    def grants(self) -> bool:
        return _GRANTS.get(self.label) == self.value

    def __str__(self) -> str:
        return shown(self._text(self.key, self.value))

    @property
    def start(self) -> str:
        """As much of it as fits in a cause; not yet escaped."""
        return self._text(self.key[:MAX_OCTETS], self.value[:MAX_OCTETS])

    def _text(self, key: str, value: str) -> str:
        where = f"line {self.line}," if self.line else "header"
        return f"{where} {self.label}: {readable(f'{key}={value}' if key else value)}"


class UsageLine(NamedTuple):
    """A line with its preferences. `path` is as written; "/" if the line has none."""

    label: str
    path: str
    patterns: tuple[Pattern, ...]
    preferences: tuple[Preference, ...]

    def length(self, path: str) -> int:
        """The length of the line's path if it matches; else -1."""
        return max((item.length for item in self.patterns if item.matches(path)), default=-1)


class UsageLines:
    """The preferences in a robots.txt. They are parsed once, at the first call."""

    def __init__(self, text: str, groups: Groups, dialect: Dialect) -> None:
        self._text, self._groups, self._dialect = text, groups, dialect
        self._bound: dict[str, dict[str, list[_SamePath]]] = {}

    def preferences(self, path: str, url: str, agent: str) -> tuple[Preference, ...]:
        """The preferences that hold for a crawler and a page.

        path  the path of the page's URL, normalised as for rules
        """
        labels = self._bound.get(agent)
        if labels is None:
            if len(self._bound) >= _MAX_AGENTS:
                self._bound.clear()
            labels = self._bound[agent] = _by_path(self.binding(agent, url))
        preferences: list[Preference] = []
        for lines in labels.values():
            lengths = [line.length(path) for line in lines]
            longest = max(lengths)
            if longest >= 0:
                deciding = [
                    line for line, length in zip(lines, lengths, strict=True) if length == longest
                ]
                preferences += _combined_of(deciding)
        return tuple(preferences)

    def binding(self, agent: str, url: str) -> Iterator[UsageLine]:
        """The lines that bind a crawler. Some dialects match the whole `url`, not its path only."""
        if not self._written:
            return
        _, groups = self._groups.find(agent, self._text)
        own = [line for group in groups for line in self._between(group.head, group.end)]
        yield from (self._line(line, url) for line in own if line.label != LICENSE)
        if not any(line.label == CONTENT_SIGNAL for line in own):
            yield from (self._line(line, url) for line in self._signals_outside)
        yield from (self._line(line, url) for line in self._written if line.label == LICENSE)

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

    @cached_property
    def _signals_outside(self) -> list[_Written]:
        return [
            line
            for start, end in self.outside()
            for line in self._between(start, end)
            if line.label == CONTENT_SIGNAL
        ]

    @cached_property
    def _written(self) -> list[_Written]:
        """All usage lines of the file, in its order."""
        lines = [
            line
            for line in grammar_of(self._dialect).directive.finditer(self._text)
            if line[1].lower() in LABELS
        ]
        numbers = line_numbers(self._text, (line.start() for line in lines))
        return [
            _Written(line.start(), LABELS[line[1].lower()], line[2], number)
            for line, number in zip(lines, numbers, strict=True)
        ]

    def _line(self, line: _Written, url: str) -> UsageLine:
        path, value = path_of(line.value)
        preferences = tuple(
            Preference(line.label, key, value, line.number)
            for key, value in read_value(line.label, value)
        )
        patterns = reading_of(self._dialect).patterns(True, path, url)
        return UsageLine(line.label, path, patterns, preferences)


class _Written(NamedTuple):
    """A usage line as written. `start`: the offset of the line feed before it."""

    start: int
    label: str
    value: str
    number: int


class _SamePath:
    """The usage lines with one label and one path. They match the same pages."""

    __slots__ = ("_combined", "_line", "_lines")

    def __init__(self, line: UsageLine) -> None:
        self._line = line
        self._lines: list[UsageLine] = []
        self._combined: tuple[Preference, ...] | None = None

    def add(self, line: UsageLine) -> None:
        self._lines.append(line)

    def length(self, path: str) -> int:
        return self._line.length(path)

    def preferences(self) -> list[Preference]:
        return [preference for line in self._lines for preference in line.preferences]

    def combined(self) -> tuple[Preference, ...]:
        if self._combined is None:
            self._combined = tuple(combined(self.preferences()))
        return self._combined


def _by_path(lines: Iterable[UsageLine]) -> dict[str, list[_SamePath]]:
    """The lines by label; lines with the same path together, in the order of the file."""
    paths: dict[tuple[str, str], _SamePath] = {}
    labels: dict[str, list[_SamePath]] = {label: [] for label in LABELS.values()}
    for line in lines:
        key = line.label, line.path
        if key not in paths:
            paths[key] = _SamePath(line)
            labels[line.label].append(paths[key])
        paths[key].add(line)
    return {label: same for label, same in labels.items() if same}


def _combined_of(deciding: list[_SamePath]) -> Iterable[Preference]:
    """The preferences of lines whose paths are equally long, in the order of the file."""
    if len(deciding) == 1:  # nearly always: equal lines are combined once, not for each URL
        return deciding[0].combined()
    every = [preference for lines in deciding for preference in lines.preferences()]
    return combined(sorted(every, key=lambda preference: preference.line))


def read_usage_header(values: Iterable[str]) -> tuple[Preference, ...]:
    """The preferences in the values of a response's Content-Usage headers.

    RFC 9651 §4.2: several headers are joined with commas, then read as one.
    """
    pairs = _read_dictionary(", ".join(values))
    return tuple(Preference(CONTENT_USAGE, key, value) for key, value in pairs.items())


def refusal(preferences: Iterable[Preference], purposes: Collection[str]) -> Preference | None:
    """The first preference that refuses the page for one of the purposes; None without one.

    purposes  keys of `PURPOSES`
    """
    for preference in preferences:
        pair = preference.label, preference.key
        if preference.refuses and any(pair in PURPOSES[purpose] for purpose in purposes):
            return preference
    return None


def combined(preferences: Iterable[Preference]) -> Iterable[Preference]:
    """One preference for each key, and every License.

    Of several with one key, one that refuses comes before one that grants, and that before others.
    """
    kept: dict[tuple[str, str], Preference] = {}
    for preference in preferences:
        key = preference.key, "" if preference.key else preference.value
        before = kept.get(key)
        if before is None or _weight(preference) > _weight(before):
            kept[key] = preference
    return kept.values()


def _weight(preference: Preference) -> int:
    return 2 * preference.refuses + preference.grants


def path_of(value: str) -> tuple[str, str]:
    """(path, the rest) of a line's value; the path is "/" if the value has none."""
    if not value.startswith("/"):
        return "/", value
    path, *rest = re.split(r"[ \t]+", value, maxsplit=1)
    return path, rest[0] if rest else ""


def read_value(label: str, value: str) -> Iterable[tuple[str, str]]:
    """The (key, value) pairs of a line with this label; none if they cannot be read."""
    if label == CONTENT_USAGE:
        return _read_dictionary(value).items()
    if label == CONTENT_SIGNAL:
        return _read_signals(value)
    return [("", value)] if value else []


def _read_signals(value: str) -> Iterator[tuple[str, str]]:
    """The pairs of "search=yes, ai-train=no". Parts that cannot be read are left out."""
    for part in value.split(","):
        key, equals, setting = part.partition("=")
        if equals and key.strip():
            yield key.strip().lower(), setting.strip().lower()


# RFC 9651 §4.2: a dictionary, with values of any type.
_KEY = r"[a-z*][a-z0-9_.*-]*"
_ITEM = (
    r"(?:-?[0-9]{1,15}(?:\.[0-9]{1,3})?"
    r'|%?"(?:[ !#-\[\]-~]|\\["\\])*"'
    r"|[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*"
    r"|:[A-Za-z0-9+/=]*:|\?[01]|@-?[0-9]{1,15})"
)
_PARAMETERS = rf"(?:; *{_KEY}(?:={_ITEM})?)*"
_INNER = rf"\( *(?:{_ITEM}{_PARAMETERS}(?: +{_ITEM}{_PARAMETERS})* *)?\)"
_MEMBER = re.compile(rf"({_KEY})(?:=({_ITEM}|{_INNER}))?{_PARAMETERS}")
_NEXT = re.compile(r"[ \t]*,[ \t]*")


def _read_dictionary(text: str) -> dict[str, str]:
    """A structured field dictionary with its values as written; empty if it is invalid.

    RFC 9651 §4.2.2: of a key that occurs twice, the last value counts.
    """
    text = text.strip(" ")
    members: dict[str, str] = {}
    at = 0
    while member := _MEMBER.match(text, at):
        members[member[1]] = member[2] or "?1"
        comma = _NEXT.match(text, member.end())
        if comma is None:
            return members if member.end() == len(text) else {}
        at = comma.end()
    return {}
