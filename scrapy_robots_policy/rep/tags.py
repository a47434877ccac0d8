"""The robots rules of X-Robots-Tag headers and robots meta tags.

`read_header` and `read_meta` give the rules as written, the same for every dialect. `tags_of` joins
those that bind one crawler: any negative counts, the smallest limit, the earliest date. HTTP and
HTML are read elsewhere: the values of headers and the attributes of tags are handed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from enum import IntEnum
from typing import Any

from .agents import STAR, chain_of, product_token
from .checks import check_type, not_a_string
from .dialect import ANY_NAME, Dialect, TagConflict

EVERYBODY = "robots"
MAX_LENGTH = 65_536  # characters that are read of one header or meta tag
# A comma ends a rule, but one before a digit may be part of a date: "Friday, 25-Aug-06 15:00:00
# UTC". Linear: each of the first two repeats backtracks one character at a time, up to a comma.
_PART = re.compile(r"[^,]*unavailable_after[^,]*(?:,\s*\d[^,]*)*|[^,]+", re.IGNORECASE)
_COUNT = re.compile(r"[0-9]{1,9}")
# The end of an ISO 8601 time, a fraction and the offset: Python 3.10 reads few forms of both.
_ISO_END = re.compile(
    r"(?<=[T :]\d\d)(?:[.,]\d+)?(?:([+-]\d\d):?(\d\d)?)?\Z", re.IGNORECASE | re.ASCII
)


class ImagePreview(IntEnum):
    NONE = 0
    STANDARD = 1
    LARGE = 2


@dataclass(frozen=True, slots=True)
class Statement:
    """One rule of a tag.

    Attributes:
        rule: its name, in lower case.
        value: the text after its colon, as written: it may have any characters.
        agent: the crawler that it binds, in lower case; "robots": all crawlers.
        header: True: from an X-Robots-Tag header. False: from a meta tag.

    """

    rule: str
    value: str
    agent: str
    header: bool

    def __str__(self) -> str:
        text = f"{self.rule}: {self.value}" if self.value else self.rule
        if not self.header:
            return f"meta {self.agent}: {text}"
        return f"X-Robots-Tag: {text if self.agent == EVERYBODY else f'{self.agent}: {text}'}"


@dataclass(frozen=True, slots=True)
class Tags:
    """What a page lets one crawler do. The defaults are those of a page without tags.

    Attributes:
        archive: whether a copy may be kept or shown.
        image_index: whether its images may be indexed.
        translate: whether a translation may be offered.
        max_snippet: characters of text that may be shown; None: no limit.
        max_video_preview: seconds of video that may be shown; None: no limit.
        unavailable_after: the page must not be shown from then on, in seconds since the epoch.
        statements: the rules that bind the crawler, as written.

    """

    index: bool = True
    follow: bool = True
    archive: bool = True
    image_index: bool = True
    translate: bool = True
    max_snippet: int | None = None
    max_image_preview: ImagePreview = ImagePreview.LARGE
    max_video_preview: int | None = None
    unavailable_after: float | None = None
    statements: tuple[Statement, ...] = ()

    def cause(self, name: str) -> Statement | None:
        """The first statement that sets the field `name` to its value; None if none does."""
        value = getattr(self, name)
        for statement in self.statements:
            if _may_set(statement, name) and _fields_of(statement).get(name) == value:
                return statement
        return None


def read_header(value: str) -> Iterator[Statement]:
    """The rules of one X-Robots-Tag header: "[agent:] rule, rule".

    Another agent may follow after a comma: RFC 9110 §5.3 lets repeated headers be joined so.
    TypeError for bytes, as Scrapy has them: `response.headers.get(…).decode("latin-1")`.
    """
    if not isinstance(value, str):
        raise not_a_string("value", value)
    agent = EVERYBODY
    for part in _parts(value):
        word, colon, rest = part.partition(":")
        name = word.strip().lower()
        if colon and name not in _LIMITS and name != "unavailable-after":  # a spelling that is met
            agent = EVERYBODY if name in ("", "*") else name
            yield from _statement(rest, agent, header=True)
        else:
            yield from _statement(part, agent, header=True)


def read_meta(name: str, content: str) -> Iterator[Statement]:
    """The rules of one meta tag. The name may be any: rules of other meta tags bind no crawler."""
    if not isinstance(name, str):
        raise not_a_string("name", name)
    if not isinstance(content, str):
        raise not_a_string("content", content)
    for part in _parts(content):
        yield from _statement(part, name.strip().lower(), header=False)


def _parts(text: str) -> Iterator[str]:
    return (match[0] for match in _PART.finditer(text, 0, MAX_LENGTH))


def _statement(part: str, agent: str, *, header: bool) -> Iterator[Statement]:
    rule, _, value = part.partition(":")
    if rule := rule.strip().lower():
        yield Statement(rule, value.strip(), agent, header)


def tags_of(statements: Iterable[Statement], agent: str, dialect: Dialect) -> Tags:
    """What the statements of a page let a crawler do.

    TypeError for an agent or a dialect of a wrong type.

    Args:
        agent: a product token or a User-Agent header.

    """
    if not isinstance(agent, str):
        raise not_a_string("agent", agent)
    check_type("dialect", dialect, Dialect)
    names = names_of(agent, dialect)
    binding = tuple(
        statement
        for statement in statements
        if statement.agent in names and statement.rule in dialect.tag_rules
    )
    if not binding:
        return Tags()
    joined: dict[str, Any] = {}
    for statement in binding:
        for name, value in _fields_of(statement).items():
            joined[name] = min(value, joined.get(name, value))
    if dialect.tag_conflict is TagConflict.PERMISSIVE:
        for rule in (statement.rule for statement in binding if not statement.header):
            for name in _GRANTS.get(rule, ()):
                joined.pop(name, None)
    return Tags(**joined, statements=binding)


def names_of(agent: str, dialect: Dialect) -> frozenset[str]:
    """The names in tags that bind a crawler, in lower case.

    A crawler that is not in the dialect's table is bound by its own product token.
    """
    own = {name for name in chain_of(agent, dialect.agents) if name != STAR}
    token = product_token(agent).lower()
    if token in dialect.tags_by_name:
        return frozenset(own)
    if token in dialect.agents and ANY_NAME not in dialect.tag_names:
        own &= set(dialect.tag_names)
    return frozenset({EVERYBODY, *own})


_MEANINGS: Mapping[str, Mapping[str, Any]] = {
    "noindex": {"index": False},
    "nofollow": {"follow": False},
    "none": {"index": False, "follow": False},
    "noarchive": {"archive": False},
    "nocache": {"archive": False},
    "nosnippet": {"max_snippet": 0},
    "noimageindex": {"image_index": False},
    "notranslate": {"translate": False},
}
_GRANTS: Mapping[str, tuple[str, ...]] = {
    "index": ("index",),
    "follow": ("follow",),
    "archive": ("archive",),
    "all": ("index", "follow"),
}


def _fields_of(statement: Statement) -> Mapping[str, Any]:
    """The fields of `Tags` that a statement sets; none if its value cannot be read."""
    if statement.rule not in _LIMITS:
        return _MEANINGS.get(statement.rule, {})
    name, read = _LIMITS[statement.rule]
    value = read(statement.value)
    return {} if value is None else {name: value}


def _may_set(statement: Statement, name: str) -> bool:
    """Whether a statement is about a field of `Tags`. Its value is not parsed: that takes time."""
    limit = _LIMITS.get(statement.rule)
    return limit[0] == name if limit else name in _MEANINGS.get(statement.rule, ())


def _count(value: str) -> int | None:
    return int(value) if _COUNT.fullmatch(value) else None  # None for -1, which is no limit


def _preview(value: str) -> ImagePreview | None:
    return ImagePreview.__members__.get(value.upper())


def _instant(value: str) -> float | None:
    """A date of RFC 822, RFC 850 or ISO 8601, in seconds since the epoch; None if it is none.

    A date without a zone is UTC.
    """
    date = _date(_iso, value) or _date(parsedate_to_datetime, value)
    if date is None:
        return None
    return (date if date.tzinfo else date.replace(tzinfo=timezone.utc)).timestamp()


def _iso(value: str) -> datetime:
    with_offset = re.sub("[Zz]$", "+00:00", value)  # Python 3.10 knows no "Z"
    return datetime.fromisoformat(_ISO_END.sub(_offset, with_offset))


def _offset(end: re.Match[str]) -> str:
    """The offset as all Pythons read it, without the fraction before it."""
    return f"{end[1]}:{end[2] or '00'}" if end[1] else ""


def _date(read: Callable[[str], datetime], value: str) -> datetime | None:
    try:
        return read(value)
    except (TypeError, ValueError, OverflowError, IndexError):  # parsedate_to_datetime raises each
        return None


_LIMITS: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "max-snippet": ("max_snippet", _count),
    "max-image-preview": ("max_image_preview", _preview),
    "max-video-preview": ("max_video_preview", _count),
    "unavailable_after": ("unavailable_after", _instant),
}
