"""The links of a page with rel="nofollow"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from scrapy.http import HtmlResponse
from w3lib.url import canonicalize_url

from ..rep.url import has_long_host
from .html import elements

_WHITE = " \t\n\r\x0c"
_NOT_PAGES = ("data:", "javascript:", "mailto:", "tel:")  # a data: URL may have 10 MB
_MAX_HREF = 65_536  # characters of a link
# A longer URL is compared as it stands: its canonical form takes 20 times its memory. Scrapy itself
# drops requests with more than URLLENGTH_LIMIT, 2,083.
_MAX_CANONICAL = 8_192


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
    if has_long_host(href):
        return
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
