"""What the bytes of an answer are, whatever it says of them: a text, a page, UTF-16."""

from __future__ import annotations

import re

HEAD = 4096  # bytes in which a page shows itself
_MARKS = re.compile(rb"(?:\s*(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff|\0))*")
# ASCII in UTF-16 or UTF-32, after a byte order mark or none.
_WIDE = re.compile(
    rb"(?:\0\0)?(\xff\xfe|\xfe\xff)?(?:\0\0)?"
    rb"(?:(?:[^\0]\0){2}|(?:\0[^\0]){2}|(?:[^\0]\0{3}){2}|(?:\0{3}[^\0]){2})"
)
_CONTROLS = bytes({*range(0x20), 0x7F} - set(b"\t\n\v\f\r\x1b"))
_MAX_SHARE = 50  # in text, no more than one byte of so many is a control character
_PAGE = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!doctype html|<html|<head)", re.IGNORECASE)
# The page that Chromium, Firefox and WebKit make of a text: a head without text, and a <pre>.
_BEFORE_TEXT = re.compile(
    rb"\s*(?:<!doctype html>\s*)?<html\b[^<>]*>\s*"
    rb"(?:<head\b[^<>]*>(?:\s*<(?:meta|link)\b[^<>]*>)*\s*(?:<title></title>\s*)?</head>\s*)?"
    rb"<body\b[^<>]*>\s*<pre\b[^<>]*>",
    re.IGNORECASE,
)
_AFTER_TEXT = re.compile(
    rb"</pre>\s*(?:<div\b[^<>]*></div>\s*)?(?:</body>\s*)?(?:</html>\s*)?", re.IGNORECASE
)
_LONGEST_END = 500  # bytes after the text
# What the HTML standard escapes where a text is written as HTML (13.3); "&" last.
_ESCAPES = ((b"&lt;", b"<"), (b"&gt;", b">"), (b"&nbsp;", b"\xc2\xa0"), (b"&amp;", b"&"))


def start_of(body: bytes) -> bytes:
    """How a file starts, after byte order marks; what is UTF-16 without its NULs."""
    marks = _MARKS.match(body, 0, HEAD)
    begin = marks.end() if marks else 0
    start = body[begin : begin + HEAD]
    return start.replace(b"\0", b"") if start[1:2] == b"\0" else start


def is_html_page(body: bytes) -> bool:
    """Whether a file begins as an HTML page does."""
    return _PAGE.match(start_of(body)) is not None


def is_wide(body: bytes) -> bool:
    """Whether a file is in UTF-16 or UTF-32: then no dialect can read a line of it."""
    wide = _WIDE.match(body)
    # Without a mark it may be no text: an icon, too, starts with numbers of two bytes.
    return wide is not None and (wide[1] is not None or looks_like_text(body))


def looks_like_text(body: bytes) -> bool:
    """Whether a file may be text in any encoding, by its start. Some files have a stray control."""
    start = start_of(body)
    controls = len(start) - len(start.translate(None, _CONTROLS))
    return controls <= max(1, len(start) // _MAX_SHARE)


def without_browser_page(body: bytes) -> bytes:
    """The text in the page that a browser makes of a text file; any other bytes as they are.

    A page that was cut within the text gives its whole lines.
    """
    before = _BEFORE_TEXT.match(body, 0, HEAD)
    if before is None:
        return body
    end = body.find(b"<", before.end())
    if end < 0:  # the text was cut
        end = body.rfind(b"\n", before.end()) + 1 or before.end()
    elif len(body) - end > _LONGEST_END or not _AFTER_TEXT.fullmatch(body, end):
        return body
    text = body[before.end() : end]
    for escape, character in _ESCAPES:
        text = text.replace(escape, character)
    return text
