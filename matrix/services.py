"""Stand-ins for services that plugins talk to: the API of Zyte, on this machine.

They fetch a URL as the service would, and answer as its API does, as far as the plugins ask.
"""

from __future__ import annotations

import json
import threading
from base64 import b64encode
from collections.abc import Callable
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

Answer = tuple[int, str, bytes]  # status, Content-Type, body
Fetched = tuple[str, int, dict[str, str], bytes]  # the last URL, status, headers, body


def zyte_api(call: dict[str, Any]) -> Answer:
    url, status, headers, body = _fetch(call["url"], _custom_headers(call))
    answer: dict[str, Any] = {"url": url, "statusCode": status}
    if call.get("httpResponseBody"):
        answer["httpResponseBody"] = b64encode(body).decode()
    if call.get("httpResponseHeaders"):
        answer["httpResponseHeaders"] = [{"name": k, "value": v} for k, v in headers.items()]
    if call.get("browserHtml"):
        answer["browserHtml"] = _in_browser(headers, body)
    return 200, "application/json", json.dumps(answer).encode()


def _custom_headers(call: dict[str, Any]) -> dict[str, str]:
    return {item["name"]: item["value"] for item in call.get("customHttpRequestHeaders", ())}


def _fetch(url: str, headers: dict[str, str]) -> Fetched:
    try:
        with urlopen(Request(url, headers={**headers, "X-Service": "1"}), timeout=10) as response:
            return response.url, response.status, dict(response.headers), response.read()
    except HTTPError as error:
        return error.url, error.code, dict(error.headers), error.read()


def _in_browser(headers: dict[str, str], body: bytes) -> str:
    """What a browser makes of it: a text becomes a page."""
    text = body.decode()
    if not headers.get("Content-Type", "").startswith("text/plain"):
        return text
    return (
        '<html><head><meta name="color-scheme" content="light dark"></head><body><pre '
        f'style="word-wrap: break-word;">{escape(text, quote=False)}</pre></body></html>'
    )


class Service:
    """A server on a free port, up to the end of the `with` block."""

    def __init__(self, answer: Callable[[dict[str, Any]], Answer]) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                status, kind, body = answer(json.loads(self.rfile.read(length)))
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self) -> Service:  # noqa: PYI034 - Self is new in Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
