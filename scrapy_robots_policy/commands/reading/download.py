"""Fetches one robots.txt by plain HTTP, without a crawl. A failure is a result, not an exception.

Unlike the crawl's fetcher this is one try, without Scrapy's middlewares: no retries, no proxies but
those of the environment. Redirects, bodies and causes are read by the crawl's code, in `fetch`.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from threading import Thread
from time import monotonic, time
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request

from ...fetch.causes import cause_of
from ...fetch.http_headers import result_of
from ...fetch.no_answers import check_answer
from ...fetch.order import MAX_OCTETS, whole_lines
from ...fetch.redirects import ANYWHERE, Answer, Lookup, RedirectGuard, Way, follow
from ...fetch.unpacking import ACCEPTED, UnreadableBodyError, encodings_of, unpack
from ...rep import FetchResult
from .connections import is_proxied, opener

_WITHOUT_CONNECTION = ("dns", "connection refused", "connection failed")
DEADLINE = 30.0  # seconds for one robots.txt, redirects included


def fetch(
    url: str,
    user_agent: str,
    redirects: int,
    guard: RedirectGuard = ANYWHERE,
    deadline: float = DEADLINE,
) -> FetchResult:
    """One try, with at most `redirects` redirects (RFC 9309 §2.3.1.2), in `deadline` seconds."""
    results: list[FetchResult] = []
    ends = monotonic() + deadline

    def work() -> None:
        results.append(_follow(follow(url, redirects, guard), user_agent, ends))

    # A server that sends an octet now and then never lets a socket time out. So a thread fetches,
    # which ends with the process at the latest.
    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(deadline)
    return results[0] if results else FetchResult(None, cause="timeout")


def _follow(way: Way, user_agent: str, ends: float) -> FetchResult:
    step = next(way)
    reply: Answer | tuple[str, ...]
    while True:
        if isinstance(step, Lookup):
            reply = _addresses_of(step.host)
        else:
            reply = _get(step.url, user_agent, ends)
        try:
            step = way.send(reply)
        except StopIteration as end:
            result: FetchResult = end.value
            return result


def _addresses_of(host: str) -> tuple[str, ...]:
    try:
        rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, ValueError):  # ValueError: it is no name
        return ()
    return tuple(str(address[0]) for *_, address in rows)


def is_web(url: str) -> bool:
    """Whether it is a URL that `fetch` can fetch: http or https, with a host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _get(url: str, user_agent: str, ends: float) -> Answer:
    headers = {"Accept-Encoding": ACCEPTED, "User-Agent": user_agent}
    peers: list[str] = []
    by_proxy = is_proxied(url)
    try:
        request = Request(url, headers=headers)  # noqa: S310 - see is_web
        try:
            response = opener(peers.append).open(request, timeout=_left(ends))
        except HTTPError as error:
            response = error
        with response:
            result = _result(response, ends, is_proxied=by_proxy)
    except (OSError, ValueError, UnreadableBodyError, http.client.HTTPException) as error:
        reason = error.reason if isinstance(error, URLError) else error
        fault = reason if isinstance(reason, BaseException) else error
        return Answer(FetchResult(None, cause=_cause(fault, by_proxy=by_proxy)))
    peer = peers[-1] if peers and not by_proxy else ""
    location = (response.headers.get_all("Location") or [""])[-1]
    return Answer(result, location, peer, is_proxied=by_proxy)


def _cause(fault: BaseException, *, by_proxy: bool) -> str:
    """A word or two. It also says what is wrong with a certificate, and whether the proxy is what
    cannot be reached.
    """
    if isinstance(fault, UnicodeError):  # what no name of a host may be
        return "dns"
    cause = cause_of(fault)
    if cause == "tls" and isinstance(fault, ssl.SSLError):
        reason = (getattr(fault, "reason", "") or "").replace("_", " ").lower()
        what = getattr(fault, "verify_message", "").rstrip(".") or reason
        return f"{cause}, {what}" if what else cause
    if by_proxy and cause in _WITHOUT_CONNECTION:
        return f"{cause}, at the proxy"
    return cause


def _left(ends: float) -> float:
    """Seconds that the next step may take. Not 0: that would be a socket that never waits."""
    return max(0.01, ends - monotonic())


def _result(response: Any, ends: float, *, is_proxied: bool) -> FetchResult:
    received = response.headers
    headers = {name.lower(): ", ".join(received.get_all(name)) for name in received}
    status = response.status or 0
    check_answer(status, headers, is_proxied=is_proxied, is_conditional=False)
    octets = b""
    if 200 <= status < 300:
        packed, is_whole = _read(response, ends)
        encodings = encodings_of(headers.get("content-encoding", ""))
        octets = whole_lines(unpack(packed, encodings, MAX_OCTETS + 1, is_whole=is_whole))
    return result_of(status, headers, octets, time())


def _read(response: Any, ends: float) -> tuple[bytes, bool]:
    """(body, whether it is whole): the body is cut at the limit. An error if it ends too soon."""
    parts: list[bytes] = []
    room = MAX_OCTETS + 1  # is there more?
    while room and (part := response.read(min(room, 65_536))):
        parts.append(part)
        room -= len(part)
        if monotonic() > ends:
            raise TimeoutError
    if room and getattr(response, "length", None):
        raise http.client.IncompleteRead(b"".join(parts))
    return b"".join(parts), bool(room)
