"""One preference on the use of a page, and what a crawl declares that it does with pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType

from ..checks import check_strings
from ..escapes import MAX_BYTES, shown
from ..url import readable

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
