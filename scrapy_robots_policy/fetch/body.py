"""The body of a robots.txt as it comes in: capped on the wire, and unpacked no further than that.

Knows: Scrapy's download signals, gzip and deflate. Must not know: who asked, what the octets say.

Scrapy gives up a body that is over a size; a robots.txt that is too long is to be cut instead
(RFC 9309 §2.5). And Scrapy unpacks a body whole or not at all; a few octets may mean gigabytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Request, Response

ACCEPTED = "gzip, deflate"
_META_KEY = "_robots_txt_body"


class UnreadableBodyError(Exception):
    """A body in an encoding that was not asked for, or broken in its encoding."""


class Body:
    """What came in for one request, at most `limit` octets of it."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.received = 0
        self.encodings: list[str] = []

    def octets(self, response: Response) -> bytes:
        """The unpacked body, cut at the limit. UnreadableBodyError if it cannot be unpacked."""
        octets = response.body
        for encoding in reversed(self.encodings):
            octets = self._unpack(octets, encoding)
        return octets[: self.limit]

    def _unpack(self, packed: bytes, encoding: str) -> bytes:
        if encoding == "identity":
            return packed
        if encoding not in ("gzip", "x-gzip", "deflate"):
            raise UnreadableBodyError(encoding)
        try:
            return self._inflate(packed, 47)  # zlib's own word for: gzip or zlib, whichever it is
        except zlib.error:
            if encoding != "deflate":
                raise UnreadableBodyError(encoding) from None
        try:
            return self._inflate(packed, -15)  # what some servers mean by deflate: no zlib header
        except zlib.error:
            raise UnreadableBodyError(encoding) from None

    def _inflate(self, packed: bytes, window: int) -> bytes:
        octets = b""
        while packed and len(octets) < self.limit:
            unpacker = zlib.decompressobj(window)
            octets += unpacker.decompress(packed, self.limit - len(octets))
            if not unpacker.eof and len(octets) < self.limit and self.received <= self.limit:
                msg = "ends too soon"
                raise zlib.error(msg)
            packed = unpacker.unused_data  # RFC 1952 §2.2: a gzip file may have several members
        return octets


class Bodies:
    """Listens to the downloads that bodies are expected of, and only while there are any."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._expected = 0

    @contextmanager
    def expected(self, request: Request, limit: int) -> Iterator[Body]:
        """While inside, what comes in for the request is capped and kept packed as it came."""
        body = Body(limit)
        request.meta[_META_KEY] = body
        self._listen(+1)
        try:
            yield body
        finally:
            self._listen(-1)

    def _listen(self, more: int) -> None:
        before, self._expected = self._expected, self._expected + more
        manager = self.crawler.signals
        if bool(before) == bool(self._expected):
            return
        change = manager.connect if self._expected else manager.disconnect
        change(self._count, signals.bytes_received)
        change(self._keep_packed, signals.response_downloaded)

    def _count(self, data: bytes, request: Request) -> None:
        body = request.meta.get(_META_KEY)
        if body is None:
            return
        body.received += len(data)
        if body.received > body.limit:
            raise StopDownload(fail=False)

    def _keep_packed(self, response: Response, request: Request) -> None:
        """Hide the encoding from HttpCompressionMiddleware."""
        body = request.meta.get(_META_KEY)
        if body is None:
            return
        told = b",".join(response.headers.getlist("Content-Encoding")).decode("latin-1")
        body.encodings = [name.strip().lower() for name in told.split(",") if name.strip()]
        response.headers.pop("Content-Encoding", None)
