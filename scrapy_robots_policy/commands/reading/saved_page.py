"""The response for a page, saved as `curl -i` writes it or pasted in parts, and what it says about
the use of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeGuard

from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes

from ...rep import Dialect
from ...rep.usage.preferences import Preference
from ...tags.preferences import header_preferences, html_preferences
from ..printing.terminal import print_error
from .inputs import in_words, read_bytes

MAX_BYTES = 16 * 1024 * 1024
MAX_UNREAD = 5  # lines that are named; HTML in the place of headers has many
_STATUS_LINE = b"HTTP/"
_READ_LINE = re.compile(r"HTTP/.*|:?[^\s:]+\s*:.*|")
_HEAD = re.compile(rb"(HTTP/.*?)(?:\r?\n\r?\n|\Z)", re.DOTALL)


def preferences_in(name: str, url: str, agent: str, dialect: Dialect) -> tuple[Preference, ...]:
    """What a saved response says of a page. UsageError if the FILE, or "-", cannot be read. Lines
    among its headers that are no header lines are named on standard error.
    """
    data = read_bytes(name, MAX_BYTES)
    _warn_of_unread(name, unread_lines_of(data))
    return preferences_of(saved_response(data, url), agent, dialect)


def _warn_of_unread(name: str, numbers: list[int]) -> None:
    if not numbers:
        return
    first = ", ".join(map(str, numbers[:MAX_UNREAD]))
    more = f" and {len(numbers) - MAX_UNREAD:,} more" if len(numbers) > MAX_UNREAD else ""
    what = "line {} is no header line" if len(numbers) == 1 else "lines {} are no header lines"
    print_error(f"{in_words(name)}: {what.format(first + more)}: not read")


def preferences_of(response: Response, agent: str, dialect: Dialect) -> tuple[Preference, ...]:
    """What a response says of its page."""
    preferences = header_preferences(response, agent, dialect)
    if is_html(response):
        preferences += html_preferences(response, agent, dialect)
    return preferences


def is_html(response: Response) -> TypeGuard[HtmlResponse]:
    """Whether the page is HTML, of which the tags are read."""
    return isinstance(response, HtmlResponse)


def saved_response(data: bytes, url: str) -> Response:
    """The last response in the bytes: `curl -iL` writes those that redirect before it.

    Bytes without a status line are HTML.
    """
    head, body = _last_response(data)
    return _response(data[head].split(b"\n")[1:], data[body], url)


def unread_lines_of(data: bytes) -> list[int]:
    """As `unread_lines`, for the headers of `saved_response`: the lines of the whole file count."""
    head, _ = _last_response(data)
    before = data.count(b"\n", 0, head.start)
    return [before + number for number in unread_lines(data[head].decode("utf-8", "replace"))]


def _last_response(data: bytes) -> tuple[slice, slice]:
    """The places of (its head, its body)."""
    head, start = slice(0, 0), 0
    while match := _HEAD.match(data, start):
        head, start = slice(*match.span(1)), match.end()
    return head, slice(start, None)


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
