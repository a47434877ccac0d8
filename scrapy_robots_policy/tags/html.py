"""The elements of a page, read with Scrapy's own selector, which the spider uses, too.

For each attribute of a tag libxml2 goes through all those before it: one tag of 400 KB takes 17 s.
No page needs so many. They are cut off before the page is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import Any

from parsel import Selector
from scrapy.http import HtmlResponse

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
