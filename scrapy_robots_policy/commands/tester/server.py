"""The tester's HTTP server: one page and three kinds of POST, on the loopback interface only.

Any page in the user's browser can send requests to this machine. So the server answers a request
only if its Host is this server (another name may have been made to point here: DNS rebinding), and
a POST only if it comes from the tester's own page, as JSON. The page may load nothing from
elsewhere.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from time import time
from typing import Any

from ...fetch.order import whole_lines
from ...fetch.redirects import ANYWHERE, RedirectGuard
from ...rep import DIALECTS, FetchResult, origin_of
from ...rep.access import explain, remember
from ..printing.verdict_data import answer_of
from ..reading.download import fetch
from ..reading.inputs import rules_from
from ..typed_urls import can_be_asked
from .answers import Abandoned, Questions, Rules, answers, fetched_tdmrep, findings

MAX_OCTETS = 2 * 1024 * 1024  # of a POST: a robots.txt of 500 KiB, escaped, and more
MAX_UNREAD = 64 * 1024 * 1024  # of a POST that is too long: more of it is not waited for
REDIRECTS = 5

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_PAGE = {
    "/": ("tester.html", "text/html"),
    "/tester.css": ("tester.css", "text/css"),
    **{
        f"/{name}.js": (f"{name}.js", "text/javascript")
        for name in ("tester", "tester_state", "tester_table", "tester_lines")
    },
}


def as_fetched(result: FetchResult) -> dict[str, Any]:
    """What a fetch has brought, for the page: a file, or why there is none."""
    kind = answer_of(result)
    served = result.octets if kind == "200" else b""
    octets = whole_lines(served, MAX_OCTETS // 4)
    cut = ", cut because this page holds no more" if len(octets) < len(served) else ""
    return {
        "served": kind == "200",
        "answer": kind,
        "why": explain(remember(None, result, time())) + cut,
        "robots": octets.decode("utf-8", "replace"),
    }


def fetch_for_page(url: str, user_agent: str, guard: RedirectGuard) -> FetchResult:
    """One try. It is shown in all dialects, so the number of redirects is not that of one."""
    return fetch(url, user_agent, REDIRECTS, guard)


class Server(ThreadingHTTPServer):
    """Port 0 takes any free one. `start_values` are the first values of the page's fields."""

    daemon_threads = True

    def __init__(
        self,
        port: int,
        start_values: Mapping[str, Any],
        user_agent: str,
        guard: RedirectGuard = ANYWHERE,
    ) -> None:
        # On Windows two servers with that option share a port, and either one gets a request.
        self.allow_reuse_address = sys.platform != "win32"
        super().__init__(("127.0.0.1", port), _Handler)
        self.start_values, self.user_agent, self.guard = start_values, user_agent, guard
        self.rules = Rules()

    def fetched(self, url: str) -> FetchResult:
        return fetch_for_page(url, self.user_agent, self.guard)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that no longer waits for its answer is no error: the user has typed on."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(f"{host}:{self.server_port}" for host in ("127.0.0.1", "localhost"))


class _Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = 30
    server_version = "tester"
    sys_version = ""

    def do_GET(self) -> None:
        if not self._is_for_us():
            return
        if self.path == "/given":
            self._send_json(200, self.server.start_values)
        elif self.path in _PAGE:
            name, kind = _PAGE[self.path]
            octets = (files(__package__) / "static" / name).read_bytes()
            self._send(200, f"{kind}; charset=utf-8", octets)
        else:
            self._send_json(404, {"error": "there is no such page"})

    def do_POST(self) -> None:
        questions: dict[str, Callable[[Any], dict[str, Any]]] = {
            "/answers": self._answers,
            "/findings": findings,
            "/fetch": self._fetch,
        }
        if not self._is_for_us() or not self._is_from_our_page():
            return
        if self.path not in questions:
            self._send_json(404, {"error": "there is no such page"})
            return
        try:
            self._send_json(200, questions[self.path](self._posted()))
        except ValueError as error:
            self._send_json(400, {"error": str(error)})
        except Abandoned:
            self.close_connection = True

    def _answers(self, data: Any) -> dict[str, Any]:
        return answers(Questions.of(data), self.server.rules, self._is_abandoned)

    def _is_abandoned(self) -> bool:
        """Whether the page has closed the connection: it has asked something else, or its tab was
        closed.
        """
        self.connection.settimeout(0)
        try:
            return not self.connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except ConnectionError:
            return True
        finally:
            self.connection.settimeout(self.timeout)

    def _is_for_us(self) -> bool:
        """Whether the Host is this server (RFC 9110 §7.2): protects against DNS rebinding."""
        if self.headers.get("Host", "").lower() in self.server.hosts:
            return True
        self._send_json(421, {"error": "this server has another name"})
        return False

    def _is_from_our_page(self) -> bool:
        origin = self.headers.get("Origin", "").lower().removeprefix("http://")
        from_page = self.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
        as_json = self.headers.get_content_type() == "application/json"
        if origin in self.server.hosts and from_page and as_json:
            return True
        self._send_json(403, {"error": "only the tester's own page may send this"})
        return False

    def _posted(self) -> Any:
        """The JSON of a POST. ValueError if it is too long or no JSON."""
        text = self.headers.get("Content-Length", "")
        if not text.isascii() or not text.isdigit():
            raise ValueError("a request has a Content-Length")
        length = int(text)
        if length > MAX_OCTETS:
            self._skip(min(length, MAX_UNREAD))
            limit = f"all fields of the page together may have {MAX_OCTETS:,} octets"
            raise ValueError(f"{limit}; they have {length:,}")
        try:
            return json.loads(self.rfile.read(length))
        except RecursionError:
            raise ValueError("the JSON is nested too deeply") from None

    def _skip(self, length: int) -> None:
        """Read a body without keeping it. If it stayed unread, the connection would be reset, and
        the page might not get the answer (RFC 9112 §9.6).
        """
        while length > 0 and (octets := self.rfile.read(min(length, 65_536))):
            length -= len(octets)

    def _fetch(self, data: Any) -> dict[str, Any]:
        """The robots.txt and the tdmrep.json of a site, with the results of the fetches."""
        site = data.get("site") if isinstance(data, dict) else None
        if not isinstance(site, str):
            raise ValueError("a site is a string")
        origin = origin_of(site if "://" in site else f"https://{site}")
        if origin is None or not can_be_asked(origin):
            raise ValueError(f"{site!r} is no http or https site, which alone have a robots.txt")
        url = f"{origin}/robots.txt"
        result = self.server.fetched(url)
        values = self.server.start_values
        rules = rules_from(origin, result, DIALECTS[values["dialect"]])
        tdmrep = fetched_tdmrep(rules, values["agent"], self.server.fetched)
        return {"url": url, **as_fetched(result), "tdmrep": tdmrep}

    def send_error(
        self,
        code: int,
        message: str | None = None,
        explain: str | None = None,  # noqa: ARG002 - the base class's, of more words
    ) -> None:
        """What the base class refuses by itself: a method that has no `do_…`, a line that is no
        request. Its own answer would have none of our headers.
        """
        self.request_version = self.protocol_version  # to HTTP/0.9 no headers would be sent
        self._send_json(code, {"error": message or HTTPStatus(code).phrase})

    def _send_json(self, status: int, value: Any) -> None:
        self._send(status, "application/json", json.dumps(value).encode())

    def _send(self, status: int, kind: str, octets: bytes) -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(octets)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(octets)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Log nothing: the user works at this terminal."""
