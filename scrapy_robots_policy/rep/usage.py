"""What a site says may be done with its pages once they are fetched: preferences about their use.

Knows: Content-Usage (IETF aipref), Content-Signal (Cloudflare) and License (RSL): how they are
written, whom they bind, which of several holds, and what a crawl may be for. Must not know: whether
a page may be fetched (`rules`), HTTP, what is done about it.

Their precedence is their own. Content-Usage and Content-Signal are lines of a group: groups bind
as for rules, and the longest path decides, but of equally long ones the most restrictive (the
drafts aipref-attach, 3.1, and aipref-vocab, "Combining Preferences"). A Content-Signal outside all
groups binds those whose group has none. A License binds everybody, wherever it stands (RSL guide).
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

_MOST_AGENTS = 256  # answers for so many agents are kept; a crawl asks as one or a few
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
"""What a crawl may be for: in which keys of which label its refusal is found."""


@dataclass(frozen=True, slots=True)
class Preference:
    """One thing that is said about the use of a page. What is not understood is kept as it is.

    label  "Content-Usage", "Content-Signal" or "License"
    key    the kind of use ("train-ai"); "" for a License
    value  as written: "y", "no", the address of a licence
    line   where in the robots.txt, from 1; 0: a header of the page says it
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
    """`path` as written, "/" where the line names none."""

    label: str
    path: str
    patterns: tuple[Pattern, ...]
    preferences: tuple[Preference, ...]

    def length(self, path: str) -> int:
        """How long the path is by which the line matches; -1 if it does not."""
        return max((one.length for one in self.patterns if one.matches(path)), default=-1)


class UsageLines:
    """The preferences in a robots.txt, read once, when the first crawler asks whom they bind."""

    def __init__(self, text: str, groups: Groups, dialect: Dialect) -> None:
        self._text, self._groups, self._dialect = text, groups, dialect
        self._bound: dict[str, dict[str, list[_SamePath]]] = {}

    def said(self, path: str, url: str, agent: str) -> tuple[Preference, ...]:
        """The preferences that hold for a crawler and a page; `path` is that of the page's URL, as
        rules see it.
        """
        labels = self._bound.get(agent)
        if labels is None:
            if len(self._bound) >= _MOST_AGENTS:
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
        """The lines that bind a crawler; some dialects match the whole `url`."""
        if not self._written:
            return
        _, records = self._groups.find(agent, self._text)
        own = [line for record in records for line in self._between(record.head, record.end)]
        yield from (self._line(line, url) for line in own if line.label != LICENSE)
        if not any(line.label == CONTENT_SIGNAL for line in own):
            yield from (self._line(line, url) for line in self._signals_outside)
        yield from (self._line(line, url) for line in self._written if line.label == LICENSE)

    def outside(self) -> Iterator[tuple[int, int]]:
        """Where no group is: offsets of the text, from and to."""
        end = 0
        for record in self._groups.records(self._text):
            yield end, record.head
            end = record.end
        yield end, len(self._text)

    def _between(self, start: int, end: int) -> list[_Written]:
        """The lines whose line feeds stand between two offsets of the text."""
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
            found
            for found in grammar_of(self._dialect).directive.finditer(self._text)
            if found[1].lower() in LABELS
        ]
        numbers = line_numbers(self._text, (found.start() for found in lines))
        return [
            _Written(found.start(), LABELS[found[1].lower()], found[2], number)
            for found, number in zip(lines, numbers, strict=True)
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
    """A usage line as it stands in the text: where its line feed is, and the line's number."""

    start: int
    label: str
    value: str
    number: int


class _SamePath:
    """The usage lines of one label and one path: they match the same pages."""

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
    """The lines by label, those with the same path together, in the order of the file."""
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
    if len(deciding) == 1:  # nearly always; so many equal lines are combined once, not for each URL
        return deciding[0].combined()
    every = [preference for lines in deciding for preference in lines.preferences()]
    return combined(sorted(every, key=lambda preference: preference.line))


def read_usage_header(values: Iterable[str]) -> tuple[Preference, ...]:
    """What the Content-Usage headers of a response say. RFC 9651 §4.2: several are one, joined."""
    pairs = _read_dictionary(", ".join(values))
    return tuple(Preference(CONTENT_USAGE, key, value) for key, value in pairs.items())


def refusal(said: Iterable[Preference], purposes: Collection[str]) -> Preference | None:
    """The first preference that refuses the page to one of the purposes; None if none does."""
    for told in said:
        if told.refuses and any((told.label, told.key) in PURPOSES[one] for one in purposes):
            return told
    return None


def combined(said: Iterable[Preference]) -> Iterable[Preference]:
    """One preference for each key: who refuses is heard before who grants, and a license's all."""
    kept: dict[tuple[str, str], Preference] = {}
    for told in said:
        key = told.key, "" if told.key else told.value
        before = kept.get(key)
        if before is None or _weight(told) > _weight(before):
            kept[key] = told
    return kept.values()


def _weight(told: Preference) -> int:
    return 2 * told.refuses + told.grants


def path_of(value: str) -> tuple[str, str]:
    """The path of a line and what is said of it; "/" where it names none."""
    if not value.startswith("/"):
        return "/", value
    path, *rest = re.split(r"[ \t]+", value, maxsplit=1)
    return path, rest[0] if rest else ""


def read_value(label: str, value: str) -> Iterable[tuple[str, str]]:
    """The keys and values that a line of this label says; none where it cannot be read."""
    if label == CONTENT_USAGE:
        return _read_dictionary(value).items()
    if label == CONTENT_SIGNAL:
        return _read_signals(value)
    return [("", value)] if value else []


def _read_signals(value: str) -> Iterator[tuple[str, str]]:
    """Keys and values of "search=yes, ai-train=no", read as tolerantly as robots.txt is."""
    for part in value.split(","):
        key, equals, told = part.partition("=")
        if equals and key.strip():
            yield key.strip().lower(), told.strip().lower()


# RFC 9651 §4.2: a dictionary, whose values may be of any kind.
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
    """A structured field dictionary, values as written, of a key the last; empty if it is none."""
    text = text.strip(" ")
    members: dict[str, str] = {}
    at = 0
    while found := _MEMBER.match(text, at):
        members[found[1]] = found[2] or "?1"
        comma = _NEXT.match(text, found.end())
        if comma is None:
            return members if found.end() == len(text) else {}
        at = comma.end()
    return {}
