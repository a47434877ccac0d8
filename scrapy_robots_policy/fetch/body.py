"""The body of a robots.txt as it comes in: capped on the wire, and unpacked no further than that.

Scrapy fails for a body that is over a size; a robots.txt that is too long has to be cut instead
(RFC 9309 §2.5). And Scrapy unpacks a body whole or not at all; a few octets may mean gigabytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Request, Response

from .unpacking import encodings_of, unpack

_META_KEY = "_robots_txt_body"


class Body:
    """What came in for one request, at most `limit` octets of it."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.received = 0
        self.encodings: Sequence[str] = ()

    def octets(self, response: Response) -> bytes:
        """The unpacked body, cut at the limit. Raises UnreadableBodyError."""
        is_whole = self.received <= self.limit
        return unpack(response.body, self.encodings, self.limit, is_whole=is_whole)


class Bodies:
    """Listens to downloads while bodies are expected. `on_downloaded` gets each such request."""

    def __init__(self, crawler: Crawler, on_downloaded: Callable[[Request], None]) -> None:
        self.crawler, self.on_downloaded = crawler, on_downloaded
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
        change(self._downloaded, signals.response_downloaded)

    def _count(self, data: bytes, request: Request) -> None:
        body = request.meta.get(_META_KEY)
        if body is None:
            return
        body.received += len(data)
        if body.received > body.limit:
            raise StopDownload(fail=False)

    def _downloaded(self, response: Response, request: Request) -> None:
        """Hide the encoding from HttpCompressionMiddleware, which would unpack the body whole."""
        body = request.meta.get(_META_KEY)
        if body is None:
            return
        headers = response.headers.getlist("Content-Encoding")
        body.encodings = encodings_of(b",".join(headers).decode("latin-1"))
        response.headers.pop("Content-Encoding", None)
        self.on_downloaded(request)
