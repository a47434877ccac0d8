"""HTTP connections of `download` that note the address they have reached."""

from __future__ import annotations

import http.client
import re
import socket
import ssl
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit
from urllib.request import (
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
    build_opener,
    getproxies,
    proxy_bypass,
)

from ...fetch.unpacking import UnreadableBodyError

_DIGITS = re.compile("[0-9]+")
_HEX_DIGITS = re.compile(b"[0-9A-Fa-f]+")
_LONGEST_SIZE = 65_537  # octets of a line with the size of a chunk, as in the base class
MAX_INTERIM = 100  # answers that are passed over; without a limit a server could go on for ever

Note = Callable[[str], None]


class _Response(http.client.HTTPResponse):
    """Passes over all answers that come before the answer (RFC 9110 §15.2), such as 103 Early
    Hints. The base class does so with 100 alone.

    A length is digits only (RFC 9110 §8.6, RFC 9112 §7.1), as all HTTP clients of a crawl have it.
    The base class reads "+20", "0x20" and "2_0" as well, and passes over a Content-Length that is
    no number.
    """

    def begin(self) -> None:
        super().begin()
        for _ in range(MAX_INTERIM):
            if not 101 < self.status < 200:  # after 101 comes another protocol
                break
            self.headers = None  # type: ignore[assignment]  # the base class reads none twice
            super().begin()
        for length in self.headers.get_all("Content-Length", ()):
            if not all(_DIGITS.fullmatch(number.strip()) for number in length.split(",")):
                raise UnreadableBodyError("a Content-Length that is no number")

    def _read_next_chunk_size(self) -> int:
        """ValueError if it is no number: to the base class the body is cut there."""
        line = self.fp.readline(_LONGEST_SIZE)
        size = line.partition(b";")[0].rstrip()
        if not (line.endswith(b"\n") and _HEX_DIGITS.fullmatch(size)):
            raise ValueError("a chunk without a size")
        return int(size, 16)


class _Noting:
    """Mixed into a connection: calls `note` with the address when it is connected."""

    sock: socket.socket
    response_class: type[http.client.HTTPResponse] = _Response

    def __init__(self, *args: Any, note: Note, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.note = note

    def connect(self) -> None:
        super().connect()  # type: ignore[misc]  # the connection's
        self.note(str(self.sock.getpeername()[0]))


class _Connection(_Noting, http.client.HTTPConnection):
    pass


class _SecureConnection(_Noting, http.client.HTTPSConnection):
    pass


class _Web(HTTPHandler, HTTPSHandler):
    """Opens both kinds of URLs by connections that note their address."""

    def __init__(self, note: Note) -> None:
        super().__init__()
        self.note = note

    def http_open(self, req: Request) -> http.client.HTTPResponse:
        return self.do_open(_Connection, req, note=self.note)  # type: ignore[arg-type]

    def https_open(self, req: Request) -> http.client.HTTPResponse:
        context = ssl.create_default_context()
        return self.do_open(_SecureConnection, req, note=self.note, context=context)  # type: ignore[arg-type]


def _leave_to_us(*_: object) -> None:
    """Handle nothing: the response is returned as it is."""


_leave: Any = _leave_to_us  # the base class types each method's arguments


class _NoRedirects(HTTPRedirectHandler):
    """Redirects are followed by `download`. The base class raises for some that lead nowhere."""

    http_error_301 = http_error_302 = http_error_303 = _leave
    http_error_307 = http_error_308 = _leave


def opener(note: Note) -> OpenerDirector:
    """Opens URLs through the proxies of the environment, and follows no redirects."""
    return build_opener(_NoRedirects, _Web(note))


def is_proxied(url: str) -> bool:
    """Whether a proxy of the environment is asked for the URL."""
    parts = urlsplit(url)
    return parts.scheme in getproxies() and not proxy_bypass(parts.netloc)
