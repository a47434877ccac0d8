"""The body of a robots.txt: it is capped as it comes in, and unpacked no further.

Scrapy fails for a body that is over a size; a robots.txt that is too long has to be cut instead
(RFC 9309 §2.5). Encodings for which there is no decoder here are left to Scrapy: a plugin may ask
for its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Request, Response

from .. import compat
from ..core.result import MAX_BYTES
from ..core.unpacking import MAX_ENCODINGS, can_unpack, encodings_of, unpack
from ..rep.sniffing import without_browser_page
from .request import NO_LIMIT, FetchSlot, trim

META_KEY = "_robots_txt_body"  # whose value is the `Body` that is expected
_STOPPED = "download_stopped"  # Scrapy's flag: a signal handler has stopped the download


def encodings_in(response: Response) -> Sequence[str]:
    """The encodings that a response names."""
    headers = response.headers.getlist(b"Content-Encoding")
    return encodings_of(b",".join(headers).decode("latin-1")) if headers else ()


def is_fetch(request: Request) -> bool:
    """Whether a request is for a robots.txt whose body is expected."""
    return META_KEY in request.meta


def is_file(response: Response) -> bool:
    """Whether the body is the robots.txt. Other answers may name an encoding and have no body, or
    one that is broken: a 304 names that of the file for which it stands (RFC 9110 §15.4.5).
    """
    return 200 <= response.status < 300


class Body:
    """What came in for one request, at most `limit` bytes of it.

    In its `with` block the body is expected: it is capped as it comes in, and kept packed.

    Attributes:
        slot: that of the fetch.
        is_over: whether nobody waits for the file any more: it has come, or was given up.
        has_come: whether the downloader has brought the response to `request`, before it was over.

    """

    def __init__(
        self, bodies: Bodies, request: Request, limit: int, slot: FetchSlot = NO_LIMIT
    ) -> None:
        self.bodies, self.request, self.limit, self.slot = bodies, request, limit, slot
        self.received, self.has_reached_downloader, self.is_over = 0, False, False
        self.has_come = False
        self.encodings: Sequence[str] = ()

    def __enter__(self) -> Body:  # noqa: PYI034 - Self is new in Python 3.11
        self.request.meta[META_KEY] = self
        self.bodies.listen(+1)
        return self

    def __exit__(self, *_: object) -> None:
        self.is_over = True
        self.bodies.listen(-1)
        if not self.has_come:
            self.slot.end(self.request)
        del self.request  # its meta has this body: only the collector would free the two

    def unpacked(self, response: Response) -> bytes:
        """The unpacked file, cut at the limit; none of an error page. Raises UnreadableBodyError,
        and StopDownload where another component has had the download stopped before its end.

        A browser's page is longer than the text in it. So the page is cut after the text is taken
        out of it, where it came whole.
        """
        if not is_file(response):
            return b""
        if self._is_stopped_by_others(response):
            raise StopDownload
        body = response.body
        if encodings := self.encodings or encodings_in(response):
            is_whole = self.received <= self.limit
            body = unpack(body, encodings, self.limit, is_whole=is_whole)
        return without_browser_page(body)[: self.limit]

    def _is_stopped_by_others(self, response: Response) -> bool:
        """Whether a rule may stand in what is missing. A short file is often there whole when a
        signal handler stops its download.
        """
        if _STOPPED not in response.flags or self.received > self.limit:
            return False
        return response.headers.get(b"Content-Length") != str(self.received).encode()


class Bodies:
    """Listens to downloads while bodies are expected."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._expected = 0
        self._connect = partial(crawler.signals.connect, weak=False)
        self._disconnect = compat.disconnect_strong(crawler)

    def listen(self, more: int) -> None:
        """Begin to listen with the first body that is expected, and end with the last.

        Each page passes here too meanwhile. So the references are strong ones: a weak one makes a
        new method for each signal.
        """
        before, self._expected = self._expected, self._expected + more
        if bool(before) == bool(self._expected):
            return
        change = self._connect if self._expected else self._disconnect
        change(self._leaving, signals.request_reached_downloader)
        change(self._count, signals.bytes_received)
        change(self._downloaded, signals.response_downloaded)

    def _leaving(self, request: Request, **_: object) -> None:
        body = request.meta.get(META_KEY)
        if body is not None:
            body.received, body.encodings = 0, ()  # a middleware may have it sent a second time
            body.has_reached_downloader, body.has_come = True, False
            trim(request)

    def _count(self, data: bytes, request: Request, **_: object) -> None:
        body = request.meta.get(META_KEY)
        if body is None:
            return
        body.received += len(data)
        if body.received > body.limit:
            raise StopDownload(fail=False)

    def _downloaded(self, response: Response | None, request: Request, **_: object) -> None:
        """Hide the encoding from HttpCompressionMiddleware, which would unpack the body whole.

        An encoding that only it can unpack is left to it, with a limit: over that, it fails.

        Args:
            response: None: a handler of the user's has given none, for which Scrapy raises
                TypeError.

        """
        body = request.meta.get(META_KEY)
        if body is None or response is None:
            return
        encodings = encodings_in(response)
        is_ours = len(encodings) > MAX_ENCODINGS or can_unpack(encodings)
        if is_ours or not is_file(response):
            body.encodings = encodings
            response.headers.pop("Content-Encoding", None)
        else:
            request.meta["download_maxsize"] = MAX_BYTES
        # A middleware may send another request in its place.
        body.has_come = not body.is_over and request is body.request
        body.slot.end(request)
