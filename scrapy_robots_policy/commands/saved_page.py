"""The response for a page, saved as `curl -i` writes it or pasted in parts, and what it says about
the use of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeGuard

from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes

from ..rep import Dialect
from ..rep.preference import Preference
from ..tags.page_preferences import header_preferences, html_preferences
from .arguments import UsageError
from .inputs import read_octets

MAX_OCTETS = 16 * 1024 * 1024
MAX_ATTRIBUTES = 2_000
"""Of one tag. For each attribute libxml2 goes through all those before it in the tag."""

_STATUS_LINE = b"HTTP/"
_READ_LINE = re.compile(r"HTTP/.*|:?[^\s:]+\s*:.*|")
_HEAD = re.compile(rb"(HTTP/.*?)(?:\r?\n\r?\n|\Z)", re.DOTALL)
# A tag with its first attributes, as HTML's tokenizer reads it. The group is there if it has more.
_ATTRIBUTE = r"""[\s/]*[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"'][^\s>]*)?)?"""
_TAG = re.compile(
    rf"<[a-z][^\s/>]*(?:{_ATTRIBUTE}){{0,{MAX_ATTRIBUTES}}}([\s/]*[^\s/>])?",
    re.ASCII | re.IGNORECASE,
)


def preferences_in(name: str, url: str, agent: str, dialect: Dialect) -> tuple[Preference, ...]:
    """What a saved response says of a page. UsageError if the FILE, or "-", cannot be read."""
    response = saved_response(read_octets(name, MAX_OCTETS), url)
    try:
        return preferences_of(response, agent, dialect)
    except ValueError as error:
        raise UsageError(f"cannot read {name}: {error}") from None


def preferences_of(response: Response, agent: str, dialect: Dialect) -> tuple[Preference, ...]:
    """What a response says of its page. ValueError if to parse its HTML would take too long."""
    preferences = header_preferences(response, agent, dialect)
    if is_html(response):
        if any(tag.lastindex for tag in _TAG.finditer(response.text)):
            raise ValueError(f"a tag of the HTML has more than {MAX_ATTRIBUTES:,} attributes")
        preferences += html_preferences(response, agent, dialect)
    return preferences


def is_html(response: Response) -> TypeGuard[HtmlResponse]:
    """Whether the page is HTML, of which the tags are read."""
    return isinstance(response, HtmlResponse)


def saved_response(octets: bytes, url: str) -> Response:
    """The last response in the octets: `curl -iL` writes those that redirect before it.

    Octets without a status line are HTML.
    """
    head, start = b"", 0
    while match := _HEAD.match(octets, start):
        head, start = match[1], match.end()
    return _response(head.split(b"\n")[1:], octets[start:], url)


def pasted_response(headers: str, html: str, url: str) -> Response:
    """The response with these header lines and this HTML, which is text already: no header and no
    tag changes its encoding.

    Empty lines mean nothing. Of several status lines with their headers the last one counts.
    """
    lines = headers.encode("utf-8", "replace").split(b"\n")
    is_status_line = [line.startswith(_STATUS_LINE) for line in lines]
    start = len(lines) - is_status_line[::-1].index(True) if any(is_status_line) else 0
    return _response(lines[start:], html.encode("utf-8", "replace"), url, encoding="utf-8")


def unread_lines(headers: str) -> list[int]:
    """The numbers, from 1, of the lines that are no headers, nor status lines, nor empty."""
    lines = enumerate(headers.split("\n"), 1)
    return [number for number, line in lines if not _READ_LINE.fullmatch(line.strip())]


def _response(lines: Iterable[bytes], body: bytes, url: str, **encoding: str) -> Response:
    headers: dict[bytes, list[bytes]] = {}
    for line in lines:
        key, _, value = line.partition(b":")
        headers.setdefault(key.strip().title(), []).append(value.strip())
    # `curl --compressed` and browsers show the header beside a body that is unpacked.
    headers.pop(b"Content-Encoding", None)
    if not headers.get(b"Content-Type"):
        return HtmlResponse(url, headers=headers, body=body, **encoding)
    kind = responsetypes.from_headers(Response(url, headers=headers).headers)
    if issubclass(kind, TextResponse):
        text_response: Response = kind(url, headers=headers, body=body, **encoding)
        return text_response
    return Response(url, headers=headers, body=body)
