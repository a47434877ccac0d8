"""What a site says about the use of its pages, and what a crawl declares that it does with them.

Preferences stand in lines of a robots.txt (Content-Usage, Content-Signal, License; read here), in a
tdmrep.json (`tdmrep`), and in headers and tags of a page (`page`). They say what may be done with a
page that has been fetched. Whether it may be fetched is a matter of rules.

The precedence of lines differs from that of rules. Content-Usage (draft-ietf-aipref-attach-05) and
Content-Signal (Cloudflare) are lines of a group. Groups bind crawlers as for rules, but a line
between two User-agent lines is for those above it (`Groups.parts_for`). The longest path decides;
of equally long paths the most restrictive preference holds (attach-05, section "Content-Usage Rule
Semantics", and draft-ietf-aipref-vocab-08, "Combining Preferences"). A Content-Signal or a License
outside all groups binds each crawler whose groups have none (RSL 1.0 §4.4.2 for License: the
crawlers of a group with a License must not take global ones).

The drafts are pinned: AIPREF here is draft-ietf-aipref-vocab-08 (13 September 2026) and
draft-ietf-aipref-attach-05 (19 August 2026), both as in ietf-wg-aipref/drafts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, cached_property
from itertools import count, islice
from types import MappingProxyType
from typing import NamedTuple

from .checks import check_strings
from .dialect import Dialect
from .escapes import MAX_BYTES, shown
from .groups import Groups
from .match import Index, Ranked, length_of, place_of, ranked, reading_of, strength_of
from .text import grammar_of, line_numbers
from .url import readable

VOCAB = "aipref-vocab-08"
ATTACH = "aipref-attach-05"

CONTENT_USAGE = "Content-Usage"
CONTENT_SIGNAL = "Content-Signal"
LICENSE = "License"
LABELS = {label.lower(): label for label in (CONTENT_USAGE, CONTENT_SIGNAL, LICENSE)}
"""The labels of the lines of a robots.txt about the use of pages, by their keys."""
TDM_RESERVATION = "tdm-reservation"
TDM_POLICY = "tdm-policy"
ROBOTS_HEADER = "X-Robots-Tag"
ROBOTS_META = "robots"
USER_AGENT = "User-agent"  # the group of a control token

NO_AI = frozenset({"noai", "noimageai"})
USE = "use"
LEVELS = ("immediate", "reference", "full")
"""The values of Content-Signal's key `use`, from the least use of a page to the most."""

_REFUSALS: Mapping[str, Collection[str]] = {
    CONTENT_USAGE: {"n"},
    CONTENT_SIGNAL: {"no"},
    TDM_RESERVATION: {"1"},
    ROBOTS_HEADER: NO_AI,
    ROBOTS_META: NO_AI,
}
_GRANTS = {CONTENT_USAGE: "y", CONTENT_SIGNAL: "yes", TDM_RESERVATION: "0"}
_DISALLOW, _ALLOW = "Disallow:", "Allow:"
_NOTHING_DISALLOWED = "Disallow: "  # a rule without a path, as `Rule.text` has it

PURPOSES: Mapping[str, frozenset[tuple[str, str]]] = MappingProxyType(
    {
        "search": frozenset({(CONTENT_USAGE, "search"), (CONTENT_SIGNAL, "search")}),
        # A reservation of text and data mining is none against search engines, and covers the use
        # by AI: docs/tdm-meaning.md of w3c/tdm-reservation-protocol, commit 1a547b5.
        "ai-input": frozenset(
            {(CONTENT_USAGE, "ai-use"), (CONTENT_SIGNAL, "ai-input"), (TDM_RESERVATION, "")}
        ),
        "train-ai": frozenset(
            {
                (CONTENT_USAGE, "train-ai"),
                (CONTENT_SIGNAL, "ai-train"),
                (TDM_RESERVATION, ""),
                (ROBOTS_HEADER, ""),
                (ROBOTS_META, ""),
            }
        ),
    }
)
"""The purposes of a crawl, each with the (label, key) pairs that may refuse it."""

MAY_REFUSE = frozenset().union(*PURPOSES.values(), {(CONTENT_SIGNAL, USE)})
"""The (label, key) pairs of all preferences that may refuse a declared use."""


class Place(str, Enum):
    """Where a preference stands."""

    ROBOTS_TXT = "robots.txt"
    TDMREP = "tdmrep.json"
    HEADER = "header"
    META = "meta tag"
    LINK = "link element"


_UNDECODED = frozenset({Place.ROBOTS_TXT, Place.HEADER})  # JSON and HTML are decoded already


@dataclass(frozen=True, slots=True)
class Preference:
    """One preference about the use of a page. Unknown keys and values are kept as written; those of
    a robots.txt or a header are bytes as characters.

    Attributes:
        label: "Content-Usage", "Content-Signal", "License", "tdm-reservation" ….
        key: the kind of use ("train-ai"), or a control token; "" where the label says it all.
        value: as written: "y", "no", the URL of a licence.
        line: its line in the robots.txt, or its rule in the tdmrep.json, from 1; 0: it is in the
            page.

    """

    label: str
    key: str
    value: str
    line: int = 0
    place: Place = Place.ROBOTS_TXT

    @property
    def refuses(self) -> bool:
        if self.label == USER_AGENT:
            return self.value.startswith(_DISALLOW) and self.value != _NOTHING_DISALLOWED
        return self.value in _REFUSALS.get(self.label, ())

    @property
    def grants(self) -> bool:
        if self.label == USER_AGENT:
            return self.value.startswith(_ALLOW) or self.value == _NOTHING_DISALLOWED
        return _GRANTS.get(self.label) == self.value

    @property
    def level(self) -> int:
        """The use that is granted, as an index of `LEVELS`; -1: it is about no such level."""
        is_level = self.label == CONTENT_SIGNAL and self.key == USE and self.value in LEVELS
        return LEVELS.index(self.value) if is_level else -1

    @property
    def robots_line(self) -> int:
        """Its line in the robots.txt; 0: it stands elsewhere."""
        return self.line if self.place is Place.ROBOTS_TXT else 0

    @property
    def readable(self) -> Preference:
        """The same for people to read: bytes as the UTF-8 that they are."""
        if self.place not in _UNDECODED:
            return self
        return replace(self, key=readable(self.key), value=readable(self.value))

    def __str__(self) -> str:
        return shown(self._text(self.key, self.value))

    @property
    def start(self) -> str:
        """As much of it as fits in a cause; not yet escaped."""
        return self._text(self.key[:MAX_BYTES], self.value[:MAX_BYTES])

    def _text(self, key: str, value: str) -> str:
        text = statement(self.label, key, value)
        if self.place in _UNDECODED:
            text = readable(text)
        return f"{self._where} {self.label}: {text}"

    @property
    def _where(self) -> str:
        if self.place is Place.ROBOTS_TXT:
            return f"line {self.line},"
        return f"{self.place.value} rule {self.line}," if self.line else self.place.value


def statement(label: str, key: str, value: str) -> str:
    """What a preference says after its label: "ai-train=no", "Google-Extended, Disallow: /"."""
    joint = ", " if label == USER_AGENT else "="
    return f"{key}{joint}{value}" if key else value


@dataclass(frozen=True, slots=True)
class Overridden:
    """A preference that does not hold, the one that holds in its place, and by which rule."""

    preference: Preference
    by: Preference
    why: str


@dataclass(frozen=True, slots=True)
class DeclaredUse:
    """What a crawl declares that it does with pages. The site may refuse each of these.

    ValueError for a purpose or a level that there is none: no site could refuse it.

    Attributes:
        purposes: keys of `PURPOSES`.
        level: one of `LEVELS`; "": the crawl declares none.
        tokens: control tokens whose groups are asked, as "Google-Extended".
        fetches_reserved: whether a page is fetched that a tdmrep.json reserves: its header or its
            meta tag may override the file.

    """

    purposes: frozenset[str] = frozenset()
    level: str = ""
    tokens: tuple[str, ...] = ()
    fetches_reserved: bool = False

    def __post_init__(self) -> None:
        check_strings("purposes", self.purposes)
        check_strings("tokens", self.tokens)
        for purpose in self.purposes:
            if purpose not in PURPOSES:
                raise ValueError(f"purpose {purpose!r} is none of {', '.join(PURPOSES)}")
        if self.level and self.level not in LEVELS:
            raise ValueError(f"level {self.level!r} is none of {', '.join(LEVELS)}")

    def __bool__(self) -> bool:
        return bool(self.purposes or self.level or self.tokens)

    @property
    def names(self) -> tuple[str, ...]:
        """All that is declared, by names that `concerns` takes."""
        levels = (f"{USE}={self.level}",) if self.level else ()
        return (*sorted(self.purposes), *levels, *self.tokens)

    def concerns(self, name: str, preference: Preference) -> bool:
        """Whether a preference is about the declared use of this name."""
        pairs = PURPOSES.get(name)
        if pairs is not None:
            return (preference.label, preference.key) in pairs
        if preference.label == USER_AGENT:
            return preference.key == name
        return preference.level >= 0 and name == f"{USE}={self.level}"

    def is_refused_by(self, preference: Preference) -> bool:
        """Whether a preference that is about a declared use refuses it."""
        if preference.level >= 0:
            return self.level != "" and preference.level < LEVELS.index(self.level)
        return preference.refuses

    def refusal(self, preferences: Iterable[Preference]) -> Preference | None:
        """The first preference that refuses a declared use; None without one."""
        for preference in preferences:
            if self.is_refused_by(preference) and any(
                self.concerns(name, preference) for name in self.names
            ):
                return preference
        return None

    def may_be_refused_by(self, label: str) -> bool:
        """Whether a preference with this label can refuse a declared purpose."""
        return any(pair[0] == label for name in self.purposes for pair in PURPOSES[name])


NO_USE = DeclaredUse()


def combined(preferences: Iterable[Preference]) -> Iterable[Preference]:
    """One preference for each key, and every License. The most restrictive one of each key counts:
    one that refuses, or grants the least, before one that grants, and that before others.
    """
    kept: dict[tuple[str, str], Preference] = {}
    for preference in preferences:
        key = preference.key, "" if preference.key else preference.value
        before = kept.get(key)
        if before is None or _weight(preference) > _weight(before):
            kept[key] = preference
    return kept.values()


def _weight(preference: Preference) -> int:
    if preference.level >= 0:
        return len(LEVELS) - preference.level
    return 2 * preference.refuses + preference.grants


# Control tokens: names in User-agent lines that crawl nothing, and control the use of pages. A
# crawl that declares a purpose asks the groups of these tokens too. Only a group that names the
# token counts: the group for all crawlers ("*") says who may fetch, not for what.
#
# The "shared machine-readable training preference signal" of
# draft-kelley-aipref-training-preference-signal-00 (30 October 2026) is such a token. Its spelling
# could not be read in the draft, so it is not in the table: ROBOTS_PURPOSE_TOKENS can name it.
# Google intends to support it (changelog of developers.google.com/crawling, 30 October 2026).
@dataclass(frozen=True, slots=True)
class ControlToken:
    """A token, and the purposes that it controls, of `PURPOSES`."""

    name: str
    purposes: frozenset[str]
    source: str


CONTROL_TOKENS = (
    ControlToken(
        "Google-Extended",
        frozenset({"train-ai", "ai-input"}),
        "developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers: a "
        "standalone product token; training of Gemini models, and grounding",
    ),
    ControlToken(
        "Applebot-Extended",
        frozenset({"train-ai"}),
        "support.apple.com/en-us/119829: crawls nothing; training of Apple's foundation models",
    ),
)


def tokens_for(purposes: Collection[str]) -> tuple[str, ...]:
    """The tokens of the table that control one of the purposes."""
    return tuple(token.name for token in CONTROL_TOKENS if not token.purposes.isdisjoint(purposes))


def split_value(label: str, value: str) -> tuple[str, str]:
    """(path, the rest) of a line's value. A licence never has a path (RSL 1.0 §4.4): it is a URL.

    attach-05, 3.1: a line without a path is for all pages, and weaker than one with "/". So is a
    Content-Signal here, of which no specification says it.
    """
    if label == LICENSE or not value.startswith("/"):
        return "", value
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


# What is not ASCII in a display string: escaped UTF-8, as RFC 3629 §4 has it.
_TAIL = "%[89ab][0-9a-f]"
_UTF_8 = (
    rf"%[0-7][0-9a-f]|%(?:c[2-9a-f]|d[0-9a-f]){_TAIL}"
    rf"|%(?:e0%[ab][0-9a-f]|e[1-9a-cef]{_TAIL}|ed%[89][0-9a-f]){_TAIL}"
    rf"|%(?:f0%[9ab][0-9a-f]|f[1-3]{_TAIL}|f4%8[0-9a-f]){_TAIL}{_TAIL}"
)
# What is not escaped in a string, and in a display string.
_PLAIN, _SHOWN = r"[ !#-\[\]-~]", "[ !#$&-~]"
# Of a group that is repeated, `re` keeps some 170 bytes for each time. RFC 9651 wants 256 members
# of an inner list and 256 parameters to be read at least, and 1,024 characters of a string.
_TIMES = "{0,4096}"
# RFC 9651 §4.2: a dictionary, with values of any type.
_KEY = r"[a-z*][a-z0-9_.*-]*"
_BASE64 = "[A-Za-z0-9+/]"  # RFC 9651 §3.3.5: 16,384 bytes are to be read at least
_ITEM = (
    r"(?:-?(?:[0-9]{1,12}\.[0-9]{1,3}|[0-9]{1,15})"
    rf'|"{_PLAIN}*(?:\\["\\]{_PLAIN}*){_TIMES}"|%"{_SHOWN}*(?:(?:{_UTF_8}){_SHOWN}*){_TIMES}"'
    r"|[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*"
    rf"|:(?:{_BASE64}{{4}}){{0,8192}}(?:{_BASE64}{{2,3}}={{0,2}})?:|\?[01]|@-?[0-9]{{1,15}})"
)
_PARAMETERS = rf"(?:; *{_KEY}(?:={_ITEM})?){_TIMES}"
_INNER = rf"\( *(?:{_ITEM}{_PARAMETERS}(?: +{_ITEM}{_PARAMETERS}){_TIMES} *)?\)"
_NEXT = re.compile(r"[ \t]*,[ \t]*")


@cache
def _member() -> re.Pattern[str]:
    """The expression for a member. It takes a tenth of the import, and few files need it."""
    return re.compile(rf"({_KEY})(?:=({_ITEM}|{_INNER}))?{_PARAMETERS}")


def _read_dictionary(text: str) -> dict[str, str]:
    """A structured field dictionary with its values as written; empty if it is invalid.

    RFC 9651 §4.2.2: of a key that occurs twice, the last value counts.
    """
    text = text.lstrip(" ").rstrip(" \t")
    members: dict[str, str] = {}
    at = 0
    while member := _member().match(text, at):
        members[member[1]] = member[2] or "?1"
        comma = _NEXT.match(text, member.end())
        if comma is None:
            return members if member.end() == len(text) else {}
        at = comma.end()
    return {}


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


# TDMRep, "Processing priority": the later one supersedes the earlier.
_TDM_PLACES = (Place.TDMREP, Place.HEADER, Place.META)
_TDM_WHY = "a {} overrides a {}: TDMRep, Processing priority"
_REFUSAL_COUNTS = f"any refusal counts: {VOCAB}, Combining Preferences"
_SEARCH_COUNTS = f"search=y covers what a search application does inside: {VOCAB}, 4.3"


class Result(Enum):
    """What the site says to one declared use."""

    REFUSED = "refused"
    GRANTED = "granted"
    OPEN = "not stated"


@dataclass(frozen=True, slots=True)
class UseResult:
    """The result for one declared use. `by`: the preference that decides; None: there is none."""

    name: str
    result: Result
    by: Preference | None = None

    def __str__(self) -> str:
        return f"{self.name} {self.result.value}" + (f" by {self.by}" if self.by else "")


@dataclass(frozen=True, slots=True)
class UseAnswer:
    """The answer.

    Attributes:
        preferences: all of them.
        holding: those that hold.
        overridden: those that do not, each with what overrides it.
        results: one for each declared use.

    """

    preferences: tuple[Preference, ...] = ()
    holding: tuple[Preference, ...] = ()
    overridden: tuple[Overridden, ...] = ()
    results: tuple[UseResult, ...] = ()

    @property
    def refused(self) -> Preference | None:
        """The preference that refuses a declared use; None: none is refused."""
        return next((one.by for one in self.results if one.result is Result.REFUSED), None)


def answer(
    preferences: Iterable[Preference],
    use: DeclaredUse,
    overridden: Iterable[Overridden] = (),
) -> UseAnswer:
    """The answer for a page.

    Args:
        preferences: what holds in each of the places: robots.txt, tdmrep.json, headers, tags.
        overridden: what was overridden inside of one place already.

    """
    every = tuple(preferences)
    holding, superseded = superseding(every)
    results = tuple(_result(name, use, holding) for name in use.names)
    more = (*_outvoted(results, use, holding), *_inside_search(use, holding))
    return UseAnswer(every, holding, (*overridden, *superseded, *more), results)


def superseding(
    preferences: Iterable[Preference],
) -> tuple[tuple[Preference, ...], tuple[Overridden, ...]]:
    """(the preferences that hold, those of TDMRep that a later place supersedes)"""
    every = tuple(preferences)
    overridden: list[Overridden] = []
    for label in (TDM_RESERVATION, TDM_POLICY):
        of_label = [one for one in every if one.label == label]
        if len(of_label) < 2:
            continue
        last = max(of_label, key=_rank)
        for one in of_label:
            if _TDM_PLACES.index(one.place) < _TDM_PLACES.index(last.place):
                why = _TDM_WHY.format(last.place.value, one.place.value)
                overridden.append(Overridden(one, last, why))
    gone = {id(one.preference) for one in overridden}
    return tuple(one for one in every if id(one) not in gone), tuple(overridden)


def _rank(preference: Preference) -> tuple[int, bool]:
    """The place, and in one place, which contradicts itself, the reservation."""
    return _TDM_PLACES.index(preference.place), preference.refuses


def _result(name: str, use: DeclaredUse, holding: Iterable[Preference]) -> UseResult:
    """vocab-08, "Combining Preferences": any refusal refuses; else any grant grants."""
    concerned = [one for one in holding if use.concerns(name, one)]
    for one in concerned:
        if use.is_refused_by(one):
            return UseResult(name, Result.REFUSED, one)
    for one in concerned:
        if one.grants or one.level >= 0:
            return UseResult(name, Result.GRANTED, one)
    return UseResult(name, Result.OPEN)


def _outvoted(
    results: Iterable[UseResult], use: DeclaredUse, holding: Iterable[Preference]
) -> Iterator[Overridden]:
    """The grants that a refusal of the same use overrides."""
    for result in results:
        if result.result is Result.REFUSED and result.by is not None:
            for one in holding:
                if use.concerns(result.name, one) and not use.is_refused_by(one):
                    yield Overridden(one, result.by, _REFUSAL_COUNTS)


def _inside_search(use: DeclaredUse, holding: tuple[Preference, ...]) -> Iterator[Overridden]:
    """A search engine's own training and AI use is part of search, where search is granted.

    Only for a crawl that declares search and not the purpose that is refused: that one it declares
    beyond search.
    """
    if "search" not in use.purposes:
        return
    of_usage = [one for one in holding if one.label == CONTENT_USAGE]
    granted = next((one for one in of_usage if one.key == "search" and one.grants), None)
    if granted is None:
        return
    for name in sorted(PURPOSES.keys() - use.purposes):
        for one in of_usage:
            if one.refuses and (one.label, one.key) in PURPOSES[name]:
                yield Overridden(one, granted, _SEARCH_COUNTS)
