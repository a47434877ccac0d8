"""A saved response, as `curl -i` writes it, and what it says about the use of its page."""

from __future__ import annotations

from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes

from ..rep import Dialect
from ..rep.preference import Preference
from ..tags.page_preferences import header_preferences, html_preferences
from .inputs import read_octets

MAX_OCTETS = 16 * 1024 * 1024


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
    lines: list[bytes] = []
    while octets.startswith(b"HTTP/"):
        head, _, octets = octets.replace(b"\r\n", b"\n", 1_000).partition(b"\n\n")
        _, *lines = head.split(b"\n")
    pairs = [line.partition(b":") for line in lines]
    headers: dict[bytes, list[bytes]] = {}
    for key, _, value in pairs:
        headers.setdefault(key.strip().title(), []).append(value.strip())
    if not headers.get(b"Content-Type"):
        return HtmlResponse(url, headers=headers, body=octets)
    kind = responsetypes.from_headers(Response(url, headers=headers).headers)
    made = kind if issubclass(kind, TextResponse) else Response
    response: Response = made(url, headers=headers, body=octets)
    return response
