"""What a response says of itself, read the way Scrapy reads it.

Knows: Scrapy's responses, headers, HTML. Must not know: what tags mean, what is done about them.
"""

from __future__ import annotations

from collections.abc import Iterator

from parsel import Selector
from scrapy.http import HtmlResponse, Response
from w3lib.url import canonicalize_url

from ..rep.page_tags import Statement, read_header, read_meta
from ..rep.usage import Preference, read_usage_header

_WHITE = " \t\n\r\x0c"


def header_statements(response: Response) -> Iterator[Statement]:
    for value in _header(response, "X-Robots-Tag"):
        yield from read_header(value)


def meta_statements(response: HtmlResponse) -> Iterator[Statement]:
    """The rules of all meta tags, in head or body."""
    for tag in response.xpath("//meta[@name][@content]"):
        yield from read_meta(tag.attrib["name"], tag.attrib["content"])


def usage_preferences(response: Response) -> tuple[Preference, ...]:
    return read_usage_header(_header(response, "Content-Usage"))


def nofollow_links(response: HtmlResponse) -> frozenset[str]:
    """What the page links to with rel="nofollow" and nowhere without, as `link_key` gives it."""
    if "nofollow" not in response.text.lower():
        return frozenset()
    links = response.xpath("//a[@href] | //area[@href]")
    refused = [link for link in links if _is_nofollow(link)]
    others = {_target(link, response) for link in links if not _is_nofollow(link)}
    return frozenset({_target(link, response) for link in refused} - others - {""})


def link_key(url: str, response: Response) -> str:
    """What a link and the request made of it have in common; "" for what is no URL."""
    try:
        return str(canonicalize_url(url, encoding=getattr(response, "encoding", None)))
    except ValueError:
        return ""


def _is_nofollow(link: Selector) -> bool:
    return "nofollow" in link.attrib.get("rel", "").lower().split()


def _target(link: Selector, response: HtmlResponse) -> str:
    try:
        return link_key(response.urljoin(link.attrib["href"].strip(_WHITE)), response)
    except ValueError:
        return ""


def _header(response: Response, name: str) -> list[str]:
    return [value.decode("latin-1") for value in response.headers.getlist(name)]
