"""The robots rules in the headers and meta tags of a page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Any

from scrapy.http import HtmlResponse, Response

from ..rep.tags import Statement, read_header, read_meta
from .html import elements

# Of the robots tags of a page: each takes some 25 microseconds. A page has a few, and a script that
# writes one for each of its parts some dozens.
MAX_TAGS, MAX_CHARACTERS = 500, 65_536

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


def meta_statements(response: HtmlResponse, names: Collection[str]) -> Iterator[Statement]:
    """The rules of the meta tags with one of these names (in lower case), in head or body."""
    every = (tag for tag in elements(response, "meta") if name_of(tag) in names)
    tags = list(islice(every, MAX_TAGS))
    for tag, content in zip(tags, _few(tag.get("content", "") for tag in tags), strict=True):
        yield from read_meta(name_of(tag), content)


def name_of(tag: Any) -> str:
    return str(tag.get("name", "")).strip().lower()


def header_values(response: Response, name: str | bytes) -> list[str]:
    """The values of all headers of one name."""
    return [value.decode("latin-1") for value in response.headers.getlist(name)]
