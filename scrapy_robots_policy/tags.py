"""What the headers, tags and links of a page say, and what the user wants done about it.

HTML is read with Scrapy's own selector, which the spider uses, too. For each attribute of a tag
libxml2 goes through all those before it: one tag of 400 KB takes 17 s. No page needs so many. They
are cut off before the page is parsed.

What the crawl declares, and what becomes of the page, is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import cached_property, lru_cache
from itertools import chain, islice
from types import MappingProxyType
from typing import Any

from parsel import Selector
from scrapy.http import HtmlResponse, Response
from scrapy.utils.response import get_base_url
from w3lib.url import canonicalize_url

from .rep import Dialect
from .rep.page import (
    RSL_TYPE,
    Statement,
    is_rsl,
    is_tdm,
    names_of,
    read_header,
    read_licences,
    read_link_header,
    read_meta,
    read_signal_header,
    read_statements,
    read_tdm,
    read_usage_header,
)
from .rep.usage import (
    CONTENT_SIGNAL,
    CONTENT_USAGE,
    TDM_POLICY,
    TDM_RESERVATION,
    Place,
    Preference,
)


class Action(Enum):
    """What happens to a request or an item that a tag of its page refuses."""

    OFF = "off"  # it passes. Tags in headers are counted; the HTML is not parsed
    COUNT = "count"  # it passes, and is counted
    MARK = "mark"  # an item passes, with the part's name in its field `MARKS`
    DROP = "drop"


MARKS = "robots_tags"  # the field of an item

ON_REQUESTS = ("nofollow", "rel-nofollow")
ON_ITEMS = ("noindex", "noarchive", "expired", "use")
BY_TAG = ("nofollow", "noindex", "noarchive", "expired")

Actions = Mapping[str, Action]

DEFAULTS: Actions = MappingProxyType(
    {**dict.fromkeys((*ON_REQUESTS, *ON_ITEMS), Action.OFF), "use": Action.DROP}
)
"""The user must switch each part on. "use" is on, but does nothing without a ROBOTS_PURPOSE."""


def read_actions(where: str, value: Any) -> Actions:
    """Actions by part, from the value of the setting, attribute or meta key `where`.

    ValueError names the part, and its choices.
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"{where} is {value!r}; it must be a dict of actions by part")
    return {part: _action(where, part, name) for part, name in value.items()}


def _action(where: str, part: Any, name: Any) -> Action:
    if part not in DEFAULTS:
        raise ValueError(f"{where} has the key {part!r}; the keys are {', '.join(DEFAULTS)}")
    choices = [action for action in Action if action is not Action.MARK or part in ON_ITEMS]
    for action in choices:
        if name in (action, action.value):
            return action
    words = ", ".join(action.value for action in choices)
    raise ValueError(f"{where} has {name!r} for {part!r}; it must be one of {words}")


MAX_ATTRIBUTES = 2_000  # of one tag

# A tag with its first attributes, as HTML's tokenizer reads it. The group is there if it has more.
_ATTRIBUTE = r"""[\s/]*[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"'][^\s>]*)?)?"""
_TAG = re.compile(
    rf"<[a-z][^\s/>]*(?:{_ATTRIBUTE}){{0,{MAX_ATTRIBUTES}}}([\s/]*[^\s/>])?",
    re.ASCII | re.IGNORECASE,
)
# `re` takes some 300 bytes of memory for each of them.
_ATTRIBUTES = re.compile(rf"(?:{_ATTRIBUTE}){{1,{MAX_ATTRIBUTES}}}", re.ASCII)


@lru_cache(maxsize=1)  # one page is read by tag after tag
def without_long_tags(html: str) -> str:
    """HTML with at most MAX_ATTRIBUTES in each tag; the same text where no tag has more."""
    pieces: list[str] = []
    start = position = 0
    while tag := _TAG.search(html, position):
        position = tag.end()
        if tag.lastindex:
            pieces.append(html[start : tag.start(1)])
            position = tag.start(1)
            while attributes := _ATTRIBUTES.match(html, position):
                position = attributes.end()
            start = position
    return "".join((*pieces, html[start:])) if pieces else html


# Of the robots tags of a page: each takes some 25 microseconds. A page has a few, and a script that
# writes one for each of its parts some dozens.
MAX_TAGS, MAX_CHARACTERS = 500, 65_536

_WHITE = " \t\n\r\x0c"
_NOT_PAGES = ("data:", "javascript:", "mailto:", "tel:")  # a data: URL may have 10 MB
_MAX_HREF = 65_536  # characters of a link
# A longer URL is compared as it stands: its canonical form takes 20 times its memory. Scrapy itself
# drops requests with more than URLLENGTH_LIMIT, 2,083.
_MAX_CANONICAL = 8_192
_TAGS_HEADER = b"X-Robots-Tag"
_TAGS_HEADERS = frozenset({_TAGS_HEADER})


def has_header_statements(response: Response) -> bool:
    """Whether the response has an X-Robots-Tag header. Cheap: nothing is parsed."""
    return not _TAGS_HEADERS.isdisjoint(response.headers)  # `in` takes Scrapy five calls


def header_statements(response: Response) -> Iterator[Statement]:
    """The rules of the X-Robots-Tag headers."""
    for value in _few(header_values(response, _TAGS_HEADER)):
        yield from read_header(value)


def _few(values: Iterable[str]) -> Iterator[str]:
    """The values up to a bound in number and in characters."""
    left = MAX_CHARACTERS
    for value in islice(values, MAX_TAGS):
        yield value[:left]
        left -= min(len(value), left)


def elements(response: HtmlResponse, *names: str) -> Iterator[Any]:
    """The elements of a page with these names, anywhere. What stands after </html>, where browsers
    read on, is a tree of its own to lxml.
    """
    root = _root(response)
    for tree in chain((root,), root.itersiblings()):
        yield from tree.iter(*names)


def _root(response: HtmlResponse) -> Any:
    text = without_long_tags(response.text)
    if text == response.text:
        with suppress(ValueError):  # Scrapy's selector takes no base that is no URL, no surrogate
            return response.selector.root
    return Selector(text=text.encode("utf-8", "replace").decode("utf-8"), type="html").root


def meta_statements(response: HtmlResponse, names: Collection[str]) -> Iterator[Statement]:
    """The rules of the meta tags with one of these names (in lower case), in head or body."""
    every = (tag for tag in elements(response, "meta") if name_of(tag) in names)
    tags = list(islice(every, MAX_TAGS))
    for tag, content in zip(tags, _few(tag.get("content", "") for tag in tags), strict=True):
        yield from read_meta(name_of(tag), content)


def name_of(tag: Any) -> str:
    return str(tag.get("name", "")).strip().lower()


def nofollow_links(response: HtmlResponse) -> NofollowLinks | None:
    """The links of a page with rel="nofollow"; None without any."""
    refused: set[str] = set()
    others: set[str] = set()
    for link in elements(response, "a", "area"):
        href = link.get("href")
        if href is None or len(href) > _MAX_HREF:
            continue
        href = href.strip(_WHITE)
        if not href[:11].lower().startswith(_NOT_PAGES):
            hrefs = refused if _is_nofollow(link.get("rel")) else others
            hrefs.add("#" if href.startswith("#") else href)  # a page may have 1,000 of them
    return NofollowLinks(response, refused, others) if refused else None


class NofollowLinks:
    """The URLs that a page links to with rel="nofollow" only, compared in their canonical form."""

    def __init__(self, response: HtmlResponse, refused: set[str], others: set[str]) -> None:
        """`refused` and `others`: the links with nofollow and without, as written in the page."""
        self._response, self._refused_hrefs, self._other_hrefs = response, refused, others

    @cached_property
    def _refused(self) -> frozenset[str]:
        return self._urls(self._refused_hrefs)

    @cached_property
    def _others(self) -> frozenset[str]:
        return self._urls(self._other_hrefs)

    def _urls(self, hrefs: Iterable[str]) -> frozenset[str]:
        return frozenset(url for href in hrefs for url in _targets(href, self._response))

    def __contains__(self, url: str) -> bool:
        """Whether a request for this absolute URL follows such a link."""
        canonical = _canonical(url)
        return canonical in self._refused and canonical not in self._others


def _targets(href: str, response: HtmlResponse) -> Iterator[str]:
    """The canonical URLs of the requests that may follow a link; none if it is no URL.

    `Request(url)` encodes a query as UTF-8, `response.follow` in the encoding of the page.
    """
    try:
        url = response.urljoin(href)
    except ValueError:
        return
    for encoding in ("utf-8",) if url.isascii() else {"utf-8", response.encoding}:
        if canonical := _canonical(url, encoding):
            yield canonical


def _canonical(url: str, encoding: str = "utf-8") -> str:
    """The canonical form of a URL; "" if it is no URL."""
    if len(url) > _MAX_CANONICAL:
        return url
    try:
        return str(canonicalize_url(url, encoding=encoding))
    except ValueError:
        return ""


def _is_nofollow(rel: str | None) -> bool:
    """Whether rel has the value nofollow. Search engines allow commas between the values, too."""
    if not rel:
        return False
    rel = rel.lower()
    return "nofollow" in rel and "nofollow" in rel.replace(",", " ").split()


def header_values(response: Response, name: str | bytes) -> list[str]:
    """The values of all headers of one name."""
    return [value.decode("latin-1") for value in response.headers.getlist(name)]


PAGE_PREFERENCES = object()
"""The signal of a page that says something. A receiver may return the `UseAnswer` for it.

Arguments: `request`, `url` of the response, `preferences` of the page, `config` of the request.
"""

MAX_LINKS = 20  # RSL licences that are taken from one page

# In the spelling of Scrapy's headers.
_HEADERS = frozenset(
    name.title().encode()
    for name in (CONTENT_USAGE, CONTENT_SIGNAL, TDM_RESERVATION, TDM_POLICY, "Link", "X-Robots-Tag")
)
_LINK, _RSL = {b"Link"}, RSL_TYPE.encode()


def has_header_preferences(response: Response) -> bool:
    """Whether the response has headers that may say something. Cheap: nothing is parsed."""
    present = _HEADERS & response.headers.keys()
    return bool(present) and (present != _LINK or _may_have_licence(response))


def header_preferences(response: Response, agent: str, dialect: Dialect) -> tuple[Preference, ...]:
    """The preferences in the headers. A response without such headers costs next to nothing."""
    if not has_header_preferences(response):
        return ()
    statements = list(header_statements(response))
    names = names_of(agent, dialect) if statements else ()
    return (
        *read_usage_header(header_values(response, CONTENT_USAGE)),
        *read_signal_header(header_values(response, CONTENT_SIGNAL)),
        *read_statements(statements, names),
        *_tdm_headers(response),
        *read_link_header(header_values(response, "Link"), response.url),
    )


def _may_have_licence(response: Response) -> bool:
    """Many sites send Link headers about other things."""
    return any(_RSL in value.lower() for value in response.headers.getlist("Link"))


def _tdm_headers(response: Response) -> Iterator[Preference]:
    for label in (TDM_RESERVATION, TDM_POLICY):
        yield from read_tdm(label, header_values(response, label), Place.HEADER)


def html_preferences(
    response: HtmlResponse, agent: str, dialect: Dialect
) -> tuple[Preference, ...]:
    """The preferences in meta tags and link elements."""
    names = names_of(agent, dialect)
    preferences = dict.fromkeys(read_statements(meta_statements(response, names), names))
    for tag in elements(response, "meta"):
        if is_tdm(name := name_of(tag)):
            preferences |= dict.fromkeys(read_tdm(name, [tag.get("content", "")], Place.META))
    return (*preferences, *dict.fromkeys(_licences(response)))


def _licences(response: HtmlResponse) -> Iterator[Preference]:
    links = elements(response, "link")
    licences = (one for one in links if is_rsl(one.get("rel", ""), one.get("type", "")))
    hrefs = filter(None, (one.get("href", "").strip() for one in licences))
    yield from read_licences(islice(hrefs, MAX_LINKS), _base_url(response), Place.LINK)


def _base_url(response: HtmlResponse) -> str:
    """The base of the relative URLs of a page. Where its `base` element has what is no URL, it is
    the URL of the page, as in browsers.
    """
    try:
        return str(get_base_url(response))
    except ValueError:
        return str(response.url)
