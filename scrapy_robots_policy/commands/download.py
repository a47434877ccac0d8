"""One robots.txt by plain HTTP, without a crawl: a URL in, an outcome out, never an exception.

Knows: HTTP. Must not know: what the octets say, what an outcome means.

Unlike the crawl's fetcher this is one try, past Scrapy's middlewares: no retries, no proxies but
those of the environment. What the outcome means is judged by the same `rep.access`.
"""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from dataclasses import replace
from time import time
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ..fetch.fetcher import REDIRECTS, cause_of
from ..fetch.http_headers import lifetime, media_type, retry_after
from ..rep import FetchResult
from ..resolver.origin import MOST_OCTETS

TIMEOUT = 15.0  # seconds for one request: somebody waits at a terminal


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        """Hops are counted by `fetch`."""


_open = build_opener(_NoRedirects).open


def fetch(url: str, user_agent: str, redirects: int) -> FetchResult:
    """One try, with at most so many redirects. RFC 9309 §2.3.1.2."""
    hops: tuple[str, ...] = ()
    while True:
        outcome, location = _get(url, user_agent)
        target = _target(url, location)
        if not target or target in hops or len(hops) == redirects:
            return replace(outcome, hops=hops)
        url = target
        hops = (*hops, target)


def is_web(url: str) -> bool:
    """Whether it is a URL that `fetch` will ask for: http or https, with a host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _target(url: str, location: str) -> str:
    try:
        target = urljoin(url, location) if location else ""
    except ValueError:
        return ""
    return target if is_web(target) else ""


def _get(url: str, user_agent: str) -> tuple[FetchResult, str]:
    """(what came, where it points to)"""
    headers = {"Accept-Encoding": "identity", "User-Agent": user_agent}
    try:
        try:
            response = _open(Request(url, headers=headers), timeout=TIMEOUT)  # noqa: S310 - see is_web
        except HTTPError as error:
            response = error
        with response:
            return _outcome(response.status or 0, response.headers, response)
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = error.reason if isinstance(error, URLError) else error
        fault = reason if isinstance(reason, BaseException) else error
        return FetchResult(None, cause=cause_of(fault)), ""


def _outcome(status: int, fields: Mapping[str, str], body: IO[bytes]) -> tuple[FetchResult, str]:
    headers = {name.lower(): value for name, value in fields.items()}
    outcome = FetchResult(
        status,
        body.read(MOST_OCTETS) if 200 <= status < 300 else b"",
        media_type=media_type(headers),
        lifetime=lifetime(headers, time()),
        retry_after=retry_after(headers, time()),
    )
    return outcome, headers.get("location", "") if status in REDIRECTS else ""
