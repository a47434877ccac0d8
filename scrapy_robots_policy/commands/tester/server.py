"""The tester's server: one page, two questions, on the loopback interface only.

Knows: HTTP, and who may ask. Must not know: what the answers say.

Any page that a browser shows can send requests to this machine. So a request is answered only if
it names this server as its host (a foreign name that was made to point here does not), and a
question only if it comes from our own page, as JSON. The page may load nothing from elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from time import time
from typing import Any

from ...rep import origin_of
from ...rep.access import explain, remember
from ..download import fetch, is_web
from .answers import Questions, answers

MOST_OCTETS = 2 * 1024 * 1024  # of a question: a robots.txt of 500 KiB, escaped, and more
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
    "/tester.js": ("tester.js", "text/javascript"),
}


class Server(ThreadingHTTPServer):
    """Port 0 takes any free one. `given` is what the page starts with."""

    daemon_threads = True

    def __init__(self, port: int, given: Mapping[str, Any], user_agent: str) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.given, self.user_agent = given, user_agent

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
        if not self._names_us():
            return
        if self.path == "/given":
            self._send_json(200, self.server.given)
        elif self.path in _PAGE:
            name, kind = _PAGE[self.path]
            self._send(
                200, f"{kind}; charset=utf-8", (files(__package__) / "static" / name).read_bytes()
            )
        else:
            self._send_json(404, {"error": "there is no such page"})

    def do_POST(self) -> None:
        questions: dict[str, Callable[[Any], dict[str, Any]]] = {
            "/answers": lambda told: answers(Questions.of(told)),
            "/fetch": self._fetched,
        }
        if not self._names_us() or not self._comes_from_us():
            return
        if self.path not in questions:
            self._send_json(404, {"error": "there is no such question"})
            return
        try:
            self._send_json(200, questions[self.path](self._told()))
        except ValueError as error:
            self._send_json(400, {"error": str(error)})

    def _names_us(self) -> bool:
        """RFC 9110 §7.2; keeps out names that others made to point here (DNS rebinding)."""
        if self.headers.get("Host", "").lower() in self.server.hosts:
            return True
        self._send_json(421, {"error": "this server goes by another name"})
        return False

    def _comes_from_us(self) -> bool:
        origin = self.headers.get("Origin", "").lower().removeprefix("http://")
        from_page = self.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
        as_json = self.headers.get_content_type() == "application/json"
        if origin in self.server.hosts and from_page and as_json:
            return True
        self._send_json(403, {"error": "only the tester's own page may ask"})
        return False

    def _told(self) -> Any:
        """The question. ValueError where there is none."""
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or int(length) > MOST_OCTETS:
            raise ValueError(f"a question has {MOST_OCTETS:,} octets at most")
        try:
            return json.loads(self.rfile.read(int(length)))
        except RecursionError:
            raise ValueError("the question is nested too deeply") from None

    def _fetched(self, told: Any) -> dict[str, Any]:
        """The robots.txt of a site: what it says and how the fetch went."""
        site = told.get("site") if isinstance(told, dict) else None
        if not isinstance(site, str):
            raise ValueError("a site is a string")
        origin = origin_of(site if "://" in site else f"https://{site}")
        if origin is None or not is_web(origin):
            raise ValueError("only http and https sites can be asked")
        url = f"{origin}/robots.txt"
        outcome = fetch(url, self.server.user_agent, REDIRECTS)
        octets = outcome.octets[: MOST_OCTETS // 4]
        return {
            "url": url,
            "served": outcome.status is not None and 200 <= outcome.status < 300,
            "why": explain(remember(None, outcome, time())),
            "robots": octets.decode("utf-8", "replace"),
        }

    def _send_json(self, status: int, value: Any) -> None:
        self._send(status, "application/json", json.dumps(value).encode())

    def _send(self, status: int, kind: str, octets: bytes) -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(octets)))
        self.end_headers()
        self.wfile.write(octets)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Nothing: the terminal is somebody's."""
