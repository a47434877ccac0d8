"""What the headers, tags and links of a page say about its use."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from scrapy.http import HtmlResponse, Response
from scrapy.utils.response import get_base_url

from ..rep import Dialect
from ..rep.page import (
    RSL_TYPE,
    is_rsl,
    is_tdm,
    read_licences,
    read_link_header,
    read_signal_header,
    read_statements,
    read_tdm,
    read_usage_header,
)
from ..rep.tags import names_of
from ..rep.usage.preferences import (
    CONTENT_SIGNAL,
    CONTENT_USAGE,
    TDM_POLICY,
    TDM_RESERVATION,
    Place,
    Preference,
)
from .html import elements
from .statements import header_statements, header_values, meta_statements, name_of

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
