"""May an HTML page say something about its use? A look that parses nothing, and mostly does not
even decode.

Nearly every page says nothing. A tag that says something is a `<meta` or a `<link`, and has one of
a few words. So the octets are searched for such tags, and only those for the words. What hides a
tag or a word from that search leaves the page to a search of its whole text: an encoding that is
not made of ASCII, NULs, a tag that parsers do not all end at the same place.

What the tags say is read in `page_preferences`.
"""

from __future__ import annotations

import codecs
import html
import re
from functools import lru_cache

from scrapy.http import HtmlResponse

from ..rep.page_use import RSL_TYPE
from ..rep.preference import NO_AI, TDM_POLICY, TDM_RESERVATION

_WORDS = [word.encode() for word in (TDM_RESERVATION, TDM_POLICY, *sorted(NO_AI), RSL_TYPE)]
_MULTI_BYTE = {"utf-8", "utf-8-sig", "gb2312", "gbk", "gb18030", "big5", "big5hkscs", "cp950"}
_MULTI_BYTE |= {"shift_jis", "cp932", "euc_jp", "euc_kr", "cp949"}
_SINGLE_BYTE = {"ascii", "koi8-r", "koi8-u", "cp866", "cp874", "mac-roman", "mac-cyrillic"}
_SINGLE_BYTE |= {f"iso8859-{n}" for n in range(1, 17) if n != 12}
_SINGLE_BYTE |= {f"cp{n}" for n in range(1250, 1259)}
ASCII_BASED = frozenset(_MULTI_BYTE | _SINGLE_BYTE)
"""Encodings, by Python's names, in which an ASCII letter is one octet, and that octet follows what
the text has before it: no shift states, nothing left out."""

# An attribute that every parser reads the same: no white space around "=", a quoted value without
# "<" or a bare one without quotes. `_TAG` has the group only where all of the tag is so.
_ATTRIBUTE = rb"""[ \t\r\n]+[A-Za-z][\w:.-]*(?:=(?:"[^"<]*"|'[^'<]*'|[^\s"'=<>`]+))?"""
# Nor where it has very many attributes: `re` takes some 300 octets of memory for each.
_TAG = rb"((?:" + _ATTRIBUTE + rb"){0,500}[ \t\r\n]*/?>)?"
# It starts with one literal octet: such an expression searches four times as fast as others.
_META = re.compile(rb"<(?i:meta)" + _TAG)
_META_OR_LINK = re.compile(rb"<[mMlL][eEiI][tTnN][aAkK]" + _TAG)
_REFERENCE = re.compile(rb"&#\w+;?|&\w{1,32};?")  # no name is longer
_LONG_NUMBER = re.compile(rb"&#\w{100}")  # `html.unescape` raises ValueError for very long ones
_DROPPED = re.compile("[\0-\x1f\x7f-\x9f\ufffd]+")  # parsers leave references to these out
_IN_WORDS = frozenset(b"".join(_WORDS) + b"".join(_WORDS).upper())


def may_state_use(response: HtmlResponse) -> bool:
    """False: no meta tag and no link element of the page says anything about its use."""
    tags = _tags(response.body, response.encoding)
    return _has_word(response.text.encode("utf-8", "replace") if tags is None else tags)


def _tags(body: bytes, encoding: str) -> bytes | None:
    """The tags that may say something; None where the octets do not show which they are."""
    if codecs.lookup(encoding).name not in ASCII_BASED or b"\0" in body:
        return None
    # A licence needs a "+", or a reference to one.
    tag = _META_OR_LINK if b"+" in body or b"&" in body else _META
    tags = []
    for match in tag.finditer(body):
        if match.lastindex is None:
            return None
        tags.append(match[0])
    return b"".join(tags)


def _has_word(octets: bytes) -> bool:
    """Whether one of the words is in a text, in any case, its letters written as they are or as
    character references.
    """
    octets = octets.replace(b"\0", b"")  # Scrapy's selector takes them out before it parses
    if _has_plain_word(octets):
        return True
    if b"&" not in octets:
        return False
    if _LONG_NUMBER.search(octets):
        return True
    if not any(map(_hides, set(_REFERENCE.findall(octets)))):
        return False
    return _has_plain_word(_REFERENCE.sub(lambda match: _meant(match[0]), octets))


def _has_plain_word(octets: bytes) -> bool:
    lower = octets.lower()
    return any(word in lower for word in _WORDS)


def _hides(reference: bytes) -> bool:
    """Whether a character reference may be a part of one of the words, or be left out of one."""
    meant = _meant(reference)
    return not meant or (meant != reference and not _IN_WORDS.isdisjoint(meant))


@lru_cache(maxsize=1024)
def _meant(reference: bytes) -> bytes:
    """What a parser makes of a character reference; of a text that is none, the text itself.

    Most pages have references to quotation marks and the like, and few different ones.
    """
    return _DROPPED.sub("", html.unescape(reference.decode())).encode()
