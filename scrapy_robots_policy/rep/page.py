"""What a page says in headers and tags: robots rules, and preferences about the use of the page.

`read_header` and `read_meta` give the rules of X-Robots-Tag headers and robots meta tags as
written, the same for every dialect. `tags_of` joins those that bind one crawler: any negative
counts, the smallest limit, the earliest date. The other functions give preferences (`usage`). HTTP
and HTML are read elsewhere: the values of headers and the attributes of tags are handed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from enum import IntEnum
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from .agents import STAR, chain_of, product_token
from .checks import check_type, not_a_string
from .dialect import ANY_NAME, Dialect, TagConflict
from .escapes import brief
from .usage.preferences import (
    CONTENT_SIGNAL,
    CONTENT_USAGE,
    LICENSE,
    NO_AI,
    ROBOTS_HEADER,
    ROBOTS_META,
    TDM_POLICY,
    TDM_RESERVATION,
    Place,
    Preference,
)
from .usage.values import read_value
from .verdict import Reason, Verdict

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


RSL_TYPE = "application/rsl+xml"
MAX_VALUES = 100  # preferences that are taken from one place of a page

# One link of a Link header, RFC 8288 §3: "<" URI ">" and parameters. A quoted value may hold ";"
# and ",".
_LINK = re.compile(r'<([^<>]*)>((?:\s*;\s*[^\s=;,"<>]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"<>]*))?)*)')
_PARAMETER = re.compile(r';\s*([^\s=;,"<>]+)\s*=\s*(?:"([^"]*)"|([^\s;,"<>]*))')


def read_usage_header(values: Iterable[str]) -> tuple[Preference, ...]:
    """The preferences in the values of a response's Content-Usage headers.

    RFC 9651 §4.2: several headers are joined with commas, then read as one.
    """
    return _read(CONTENT_USAGE, values)


def read_signal_header(values: Iterable[str]) -> tuple[Preference, ...]:
    """The same of Content-Signal headers, which no specification defines: as the lines are read."""
    return _read(CONTENT_SIGNAL, values)


def _read(label: str, values: Iterable[str]) -> tuple[Preference, ...]:
    text = ", ".join(values)[:MAX_LENGTH]
    return tuple(Preference(label, *pair, place=Place.HEADER) for pair in read_value(label, text))


_LICENSE_SCHEME = re.compile(r"(?:^|,)\s*license\b", re.IGNORECASE)  # RSL 1.0, of several schemes
PRICES = ("crawler-price", "crawler-exact-price")  # Cloudflare's pay per crawl


def refusal_of(
    status: int, headers: Mapping[str, str], dialect: Dialect, agent: str
) -> Verdict | None:
    """The verdict on a page that is refused by its own answer: it asks for a payment (402), or for
    a licence (401, WWW-Authenticate: License). None for any other answer.

    Args:
        headers: by names in lower case; several of one name are joined.

    """
    is_licence = status == 401 and _LICENSE_SCHEME.search(headers.get("www-authenticate", ""))
    if status != 402 and not is_licence:
        return None
    reason = Reason.LICENSE_REQUIRED if is_licence else Reason.PAYMENT_REQUIRED
    prices = (f", {name}: {headers[name]}" for name in PRICES if name in headers)
    return Verdict(False, reason, dialect.name, agent, why=brief(f"{status}{''.join(prices)}"))


def read_tdm(label: str, values: Iterable[str], place: Place) -> tuple[Preference, ...]:
    """The preferences of `tdm-reservation` or `tdm-policy` headers or meta tags.

    TDMRep: any other reservation than 0 and 1 is an error, and counts as none.
    """
    cleaned = (value.strip() for value in values)
    return tuple(
        Preference(label, "", value, place=place)
        for value in cleaned
        if (value in ("0", "1") if label == TDM_RESERVATION else value)
    )[:MAX_VALUES]


def read_statements(
    statements: Iterable[Statement], names: Collection[str]
) -> tuple[Preference, ...]:
    """The refusals noai and noimageai among the rules of robots tags.

    Args:
        names: the names in tags that bind the crawler, in lower case.

    """
    return tuple(
        dict.fromkeys(
            Preference(ROBOTS_HEADER, "", one.rule, place=Place.HEADER)
            if one.header
            else Preference(ROBOTS_META, "", one.rule, place=Place.META)
            for one in statements
            if one.rule in NO_AI and one.agent in names
        )
    )


def read_link_header(values: Iterable[str], url: str) -> tuple[Preference, ...]:
    """The RSL licences of Link headers: <URL>; rel="license"; type="application/rsl+xml".

    Args:
        url: of the response. RFC 8288 §3.1: the base of relative URLs, whatever base the page
            names.

    """
    links = (
        (link[1].strip(), dict(_parameters(link[2])))
        for link in _LINK.finditer(", ".join(values)[:MAX_LENGTH])
    )
    targets = (
        target
        for target, parameters in links
        if target
        and is_rsl(parameters.get("rel", ""), parameters.get("type", ""))
        and _is_about(url, parameters.get("anchor", ""))
    )
    return tuple(read_licences(islice(targets, MAX_VALUES), url, Place.HEADER))


def read_licences(targets: Iterable[str], base: str, place: Place) -> Iterator[Preference]:
    """The RSL licences at these URLs, which may be relative to `base`."""
    for target in targets:
        with suppress(ValueError):  # no URL
            yield Preference(LICENSE, "", urljoin(base, target), place=place)


def _is_about(url: str, anchor: str) -> bool:
    """Whether a link is about the page itself. RFC 8288 §3.2: an anchor names another context."""
    try:
        return not anchor or urljoin(url, anchor) == url
    except ValueError:  # no URL
        return False


def _parameters(text: str) -> Iterator[tuple[str, str]]:
    """RFC 8288 §3.3: of a parameter that occurs twice, the first counts."""
    seen: set[str] = set()
    for name, quoted, token in _PARAMETER.findall(text):
        if name.lower() not in seen:
            seen.add(name.lower())
            yield name.lower(), quoted or token


def is_rsl(rel: str, media_type: str) -> bool:
    """Whether the attributes of a link are those of an RSL licence."""
    return (
        "license" in rel.lower().split()
        and media_type.partition(";")[0].strip().lower() == RSL_TYPE
    )


def is_tdm(name: str) -> bool:
    """Whether the name of a meta tag, in lower case, is one of TDMRep's."""
    return name in (TDM_RESERVATION, TDM_POLICY)
