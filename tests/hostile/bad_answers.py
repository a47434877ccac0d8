"""Answers to /robots.txt that are broken, odd or meant to harm, and what a crawl does about each.

The file behind all of them is `RULES`. Each case says how much of a site it leaves open, as
`rfc9309` reads: the table is data for a crawl and for `scrapy robots`.
"""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass

from tests.site import Answer, moved, robots

RULES = b"User-agent: *\nDisallow: /secret\n"
OPEN, SECRET = "/open", "/secret"  # the pages that are asked for

BY_RULES = frozenset({OPEN})
EVERYTHING = frozenset({OPEN, SECRET})
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Case:
    """`pages`: those that may be fetched.

    is_refused_by_some  whether some HTTP clients refuse the answer: then nothing may be fetched
    """

    answer: Answer
    pages: frozenset[str]
    is_refused_by_some: bool = False

    def permits(self, pages: frozenset[str]) -> bool:
        """Whether exactly these pages may have been fetched."""
        return pages == self.pages or (self.is_refused_by_some and not pages)


def plain(body: bytes, pages: frozenset[str], **more: object) -> Case:
    return Case(Answer(body, headers={"Content-Type": "text/plain"}, **more), pages)  # type: ignore[arg-type]


def packed(body: bytes, encoding: str, pages: frozenset[str]) -> Case:
    headers = {"Content-Type": "text/plain", "Content-Encoding": encoding}
    return Case(Answer(body, headers=headers), pages)


def raw(text: bytes, pages: frozenset[str] = NOTHING, drip: float = 0.0) -> Case:
    return Case(Answer(raw=text, drip=drip), pages)


def status(code: int, pages: frozenset[str], body: bytes = b"") -> Case:
    return Case(Answer(body, status=code), pages)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
LENGTH = b"Content-Length: %d\r\n\r\n" % len(RULES)
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def in_transfer(codings: str) -> Case:
    """In these transfer codings, of which gzip packs, and the last one makes chunks."""
    body = gzip.compress(RULES) if "gzip" in codings else RULES
    head = HEAD + b"Transfer-Encoding: %s\r\n\r\n" % codings.encode()
    return raw(head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))


def part(body: bytes, content_range: str, pages: frozenset[str]) -> Case:
    return Case(Answer(body, status=206, headers={"Content-Range": content_range}), pages)


CASES = {
    # Lengths
    "as it should be": plain(RULES, BY_RULES),
    "nothing": plain(b"", EVERYTHING),
    "shorter than its length": plain(RULES, NOTHING, promise=500),
    "reset in the middle": plain(RULES, NOTHING, reset=10),
    "reset at once": plain(RULES, NOTHING, reset=0),
    "never": plain(RULES, NOTHING, after=None),
    "a byte now and then": plain(RULES * 100, NOTHING, drip=0.1),
    "headers, a byte now and then": raw(HEAD + b"X: " + b"x" * 3000, drip=0.1),
    "no length, then closed": raw(HEAD + b"\r\n" + RULES, BY_RULES),
    "chunked": raw(CHUNKED + b"%x\r\n%s\r\n0\r\n\r\n" % (len(RULES), RULES), BY_RULES),
    "chunked, cut in a chunk": raw(CHUNKED + b"fff\r\n" + RULES),
    "chunked, no last chunk": raw(CHUNKED + b"%x\r\n%s\r\n" % (len(RULES), RULES)),
    "chunked, no number": raw(CHUNKED + b"zz\r\n" + RULES + b"\r\n0\r\n\r\n"),
    "chunked, a number of 65 bits": raw(
        CHUNKED + b"1%016x\r\n%s\r\n0\r\n\r\n" % (len(RULES), RULES)
    ),
    "chunked, a number with a sign": raw(CHUNKED + b"+%x\r\n%s\r\n0\r\n\r\n" % (len(RULES), RULES)),
    "chunked, a number with a prefix": raw(
        CHUNKED + b"0x%x\r\n%s\r\n0\r\n\r\n" % (len(RULES), RULES)
    ),
    "chunked, a number in two parts": raw(
        CHUNKED + b"%x_%x\r\n%s\r\n0\r\n\r\n" % (len(RULES) >> 4, len(RULES) & 15, RULES)
    ),
    "chunked, a number without an end": raw(CHUNKED + b"5;" + b"x" * 70_000 + RULES),
    "a length that is no number": raw(HEAD + b"Content-Length: abc\r\n\r\n" + RULES),
    "a length with a sign": raw(HEAD + b"Content-Length: +%d\r\n\r\n" % len(RULES) + RULES),
    "a length below zero": raw(HEAD + b"Content-Length: -5\r\n\r\n" + RULES),
    "packed, then chunked": in_transfer("gzip, chunked"),
    "packed, then chunked, in two headers": in_transfer("gzip\r\nTransfer-Encoding: chunked"),
    "in a transfer coding that nobody knows": in_transfer("xchunked"),
    "two lengths": Case(
        Answer(raw=HEAD + LENGTH[:-2] + b"Content-Length: 5\r\n\r\n" + RULES),
        BY_RULES,
        is_refused_by_some=True,
    ),
    "chunked, and a length": Case(
        Answer(
            raw=CHUNKED[:-2]
            + b"Content-Length: 5\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(RULES), RULES)
        ),
        BY_RULES,
        is_refused_by_some=True,
    ),
    "answers before the answer": raw(
        b"HTTP/1.1 100 Continue\r\n\r\n" * 3 + HEAD + LENGTH + RULES, BY_RULES
    ),
    "hints before the answer": raw(
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 2 + HEAD + LENGTH + RULES, BY_RULES
    ),
    "hints and no answer": raw(b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    # Parts
    "the first part": part(RULES[:13], f"bytes 0-12/{len(RULES)}", NOTHING),
    "the last part": part(RULES[14:], f"bytes 14-{len(RULES) - 1}/{len(RULES)}", NOTHING),
    "a part of who knows what": part(RULES, "bytes 0-31/*", NOTHING),
    "the whole as a part": part(RULES, f"bytes 0-{len(RULES) - 1}/{len(RULES)}", BY_RULES),
    # Encodings
    "gzip that was not asked for": packed(gzip.compress(RULES), "gzip", BY_RULES),
    "deflate": packed(zlib.compress(RULES), "deflate", BY_RULES),
    "gzip, and no header says so": plain(gzip.compress(RULES), EVERYTHING),
    "gzip that is none": packed(RULES, "gzip", NOTHING),
    "gzip that is cut": packed(gzip.compress(RULES)[:-12], "gzip", NOTHING),
    "an unknown encoding": packed(RULES, "rot13", NOTHING),
    "three encodings": packed(
        gzip.compress(gzip.compress(gzip.compress(RULES))), "gzip," * 3, BY_RULES
    ),
    "gzip of which nothing came": packed(b"", "gzip", NOTHING),
    "404, in gzip that is none": Case(
        Answer(b"none", status=404, headers={"Content-Encoding": "gzip"}), EVERYTHING
    ),
    "404, in an unknown encoding": Case(
        Answer(b"none", status=404, headers={"Content-Encoding": "rot13"}), EVERYTHING
    ),
    "a redirect without a body, in gzip": Case(
        Answer(status=301, headers={"Location": "/robots.txt?r", "Content-Encoding": "gzip"}),
        BY_RULES,
    ),
    "300 encodings": packed(RULES, "gzip," * 300, NOTHING),
    "512 KB of empty gzip members": packed(gzip.compress(b"") * 25_000, "gzip", NOTHING),
    "a gzip bomb": packed(gzip.compress(RULES + b"#" * 50_000_000, 1), "gzip", BY_RULES),
    # Status lines and headers
    "no HTTP": raw(b"\x00\xff\x15\x03" * 100),
    "the file alone, as in HTTP/0.9": raw(RULES),
    "no type": Case(Answer(RULES), BY_RULES),
    "closed at once": raw(b""),
    "no status": raw(b"HTTP/1.1 \r\n" + LENGTH + RULES),
    "a status below 0": raw(b"HTTP/1.1 -200 OK\r\n" + LENGTH + RULES),
    "a status of letters": raw(b"HTTP/1.1 abc OK\r\n" + LENGTH + RULES),
    "a megabyte of headers": raw(HEAD + b"X: " + b"x" * 1_000_000 + b"\r\n" + LENGTH + RULES),
    "a header without a colon": Case(
        Answer(raw=HEAD + b"nonsense\r\n" + LENGTH + RULES), BY_RULES, is_refused_by_some=True
    ),
    "control characters in a header": Case(
        robots(RULES.decode(), headers={"ETag": '"\x1b[2J"', "Cache-Control": "\x9b31m"}),
        BY_RULES,
        is_refused_by_some=True,
    ),
    "lifetimes out of this world": Case(
        robots(RULES.decode(), headers={"Cache-Control": f"max-age={10**30}", "Age": "-1"}),
        BY_RULES,
    ),
    # Statuses: RFC 9309 §2.3.1
    "404": status(404, EVERYTHING, RULES),
    "401": status(401, EVERYTHING),
    "403": status(403, EVERYTHING),
    "500": status(500, NOTHING),
    "503": status(503, NOTHING, RULES),
    "599": status(599, NOTHING),
    "204": status(204, EVERYTHING),
    # Redirects
    "to itself": Case(moved("/robots.txt"), EVERYTHING),
    "to nowhere": Case(moved("http://["), EVERYTHING),
    "to a file": Case(moved("file:///etc/passwd"), EVERYTHING),
    "to one place, by two headers": Case(
        Answer(
            raw=b"HTTP/1.1 301 Test\r\n"
            + b"Location: /robots.txt?r\r\n" * 2
            + b"Content-Length: 0\r\n\r\n"
        ),
        BY_RULES,
    ),
    # Bodies
    "a page": Case(Answer(b"<html><body>Disallow: nothing</body></html>"), EVERYTHING),
    "a byte order mark": plain(b"\xef\xbb\xbf" + RULES, BY_RULES),
    "UTF-16": plain(RULES.decode().encode("utf-16"), EVERYTHING),
    "carriage returns": plain(RULES.replace(b"\n", b"\r"), BY_RULES),
    "500 KiB of NUL before the rules": plain(b"\0" * 100_000 + b"\n" + RULES, BY_RULES),
    "a million stars": plain(RULES + b"Disallow: /" + b"*a" * 200_000, BY_RULES),
}
