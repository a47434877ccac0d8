"""Fetches one robots.txt by plain HTTP, without a crawl. A failure is a result, not an exception.

Unlike the crawl's fetcher this is one try, without Scrapy's middlewares: no retries, no proxies but
those of the environment. Redirects, bodies and causes are read by the crawl's code, in `fetch`.
"""

from __future__ import annotations

import asyncio
import re
import socket
from threading import Thread
from time import monotonic, time
from typing import Any
from urllib.parse import urlsplit

from ...core.causes import cause_of, chain_of
from ...core.redirects import ANYWHERE, Hop, RedirectGuard, follow
from ...core.result import MAX_BYTES, check_answer, result_of, whole_lines
from ...core.unpacking import ACCEPTED, UnreadableBodyError, encodings_of, unpack
from ...fetch.urls import readable_location
from ...rep import FetchResult

_WITHOUT_CONNECTION = ("dns", "connection refused", "connection failed")
_DIGITS = re.compile("[0-9]+")
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
        results.append(_follow(url, redirects, guard, user_agent, ends))

    # A server that sends a byte now and then never lets a socket time out. So a thread fetches,
    # which ends with the process at the latest.
    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(deadline)
    return results[0] if results else FetchResult(None, cause="timeout")


def _follow(
    url: str, redirects: int, guard: RedirectGuard, user_agent: str, ends: float
) -> FetchResult:
    async def ask(url: str, _hops: tuple[str, ...]) -> Hop:
        return _get(url, user_agent, ends)

    async def look_up(host: str) -> tuple[str, ...]:
        return _addresses_of(host)

    return asyncio.run(follow(url, redirects, guard, ask, look_up))


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


def _get(url: str, user_agent: str, ends: float) -> Hop:
    # Slow to load, and most calls fetch nothing.
    import requests  # noqa: PLC0415
    from urllib3.exceptions import HTTPError  # noqa: PLC0415

    headers = {"Accept-Encoding": ACCEPTED, "User-Agent": user_agent}
    proxies = requests.utils.get_environ_proxies(url)
    by_proxy = bool(requests.utils.select_proxy(url, proxies))
    with requests.Session() as session:
        session.auth = lambda request: request  # nothing of ~/.netrc
        session.get_redirect_target = lambda _: None  # type: ignore[method-assign,assignment]  # `follow` does
        try:
            with session.get(
                url, headers=headers, timeout=_left(ends), allow_redirects=False, stream=True
            ) as response:
                peer = "" if by_proxy else _peer_of(response.raw)
                result = _result(response, ends, is_proxied=by_proxy)
        except (OSError, ValueError, UnreadableBodyError, HTTPError) as fault:
            return Hop(FetchResult(None, cause=_cause(fault, by_proxy=by_proxy)))
    location = (response.raw.headers.getlist("Location") or [""])[-1]
    location = readable_location(location.encode("latin-1"))
    return Hop(result, location, peer, is_proxied=by_proxy)


def _peer_of(raw: Any) -> str:
    """The address that was reached; "" where it is not known."""
    sock = getattr(raw.connection, "sock", None)
    if sock is None:  # the server closes the connection: only the response has its socket
        sock = getattr(getattr(raw._original_response.fp, "raw", None), "_sock", None)  # noqa: SLF001
    try:
        return str(sock.getpeername()[0]) if sock else ""
    except OSError:  # it is closed already
        return ""


def _cause(fault: BaseException, *, by_proxy: bool) -> str:
    """A word or two. It also says what is wrong with a certificate, and whether the proxy is what
    cannot be reached.
    """
    cause = cause_of(fault)
    if cause == "tls":
        why = next((one for one in chain_of(fault) if hasattr(one, "verify_message")), None)
        return f"{cause}, {why.verify_message.rstrip('.')}" if why else cause
    if by_proxy and cause in _WITHOUT_CONNECTION:
        return f"{cause}, at the proxy"
    return cause


def _left(ends: float) -> float:
    """Seconds that the next step may take. Not 0: that would be a socket that never waits."""
    return max(0.01, ends - monotonic())


def _result(response: Any, ends: float, *, is_proxied: bool) -> FetchResult:
    status = response.status_code
    headers = {name.lower(): value for name, value in response.headers.items()}
    check_answer(status, headers, is_proxied=is_proxied, is_conditional=False)
    length = headers.get(
        "content-length", "0"
    )  # RFC 9110 §8.6: digits; `requests` passes over others
    if not all(_DIGITS.fullmatch(number.strip()) for number in length.split(",")):
        raise UnreadableBodyError("a Content-Length that is no number")
    body = b""
    if 200 <= status < 300:
        packed, is_whole = _read(response.raw, ends)
        encodings = encodings_of(headers.get("content-encoding", ""))
        body = whole_lines(unpack(packed, encodings, MAX_BYTES + 1, is_whole=is_whole))
    return result_of(status, headers, body, time())


def _read(raw: Any, ends: float) -> tuple[bytes, bool]:
    """(body, whether it is whole): the body is cut at the limit. An error if it ends too soon."""
    parts: list[bytes] = []
    room = MAX_BYTES + 1  # is there more?
    for part in raw.stream(65_536, decode_content=False):
        parts.append(part[:room])
        room -= len(parts[-1])
        if monotonic() > ends:
            raise TimeoutError
        if not room:
            break
    return b"".join(parts), bool(room)
