"""A saved response, as `curl -i` writes it, and what it says about the use of its page."""

from __future__ import annotations

import re

from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes

from ..rep import Dialect
from ..rep.preference import Preference
from ..tags.page_preferences import header_preferences, html_preferences
from .inputs import read_octets

MAX_OCTETS = 16 * 1024 * 1024
_HEAD = re.compile(rb"(HTTP/.*?)(?:\r?\n\r?\n|\Z)", re.DOTALL)


def preferences_in(name: str, url: str, agent: str, dialect: Dialect) -> tuple[Preference, ...]:
    """What a saved response says of a page. UsageError if the FILE, or "-", cannot be read."""
    response = _response(read_octets(name, MAX_OCTETS), url)
    preferences = header_preferences(response, agent, dialect)
    if isinstance(response, HtmlResponse):
        preferences += html_preferences(response, agent, dialect)
    return preferences


def _response(octets: bytes, url: str) -> Response:
    """The last response in the octets: `curl -iL` writes those that redirect before it.

    Octets without a status line are HTML.
    """
    head, start = b"", 0
    while match := _HEAD.match(octets, start):
        head, start = match[1], match.end()
    octets = octets[start:]
    headers: dict[bytes, list[bytes]] = {}
    for line in head.split(b"\n")[1:]:
        key, _, value = line.partition(b":")
        headers.setdefault(key.strip().title(), []).append(value.strip())
    if not headers.get(b"Content-Type"):
        return HtmlResponse(url, headers=headers, body=octets)
    kind = responsetypes.from_headers(Response(url, headers=headers).headers)
    made = kind if issubclass(kind, TextResponse) else Response
    response: Response = made(url, headers=headers, body=octets)
    return response
