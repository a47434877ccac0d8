"""The redirects of a robots.txt, followed in one way by the crawl and by the commands."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from urllib.parse import urljoin, urlsplit, urlunsplit

from w3lib.url import safe_url_string

from ..rep import FetchResult

REDIRECTS = frozenset({301, 302, 303, 307, 308})

Step = tuple[str, tuple[str, ...]]
Answer = tuple[FetchResult, str]


def follow(first: str, max_redirects: int) -> Generator[Step, Answer, FetchResult]:
    """Yields (URL to ask, redirects so far), takes (result, Location); gives the last result.

    RFC 9309 §2.3.1.2: what is found at the end is the first origin's robots.txt. `is_cut` says that
    there were more redirects than `max_redirects`. A redirect back ends the way too.
    """
    url = first
    hops: tuple[str, ...] = ()
    while True:
        result, location = yield url, hops
        target = redirect_target(url, location) if result.status in REDIRECTS else None
        if target is None or target in (first, *hops):
            return replace(result, hops=hops) if hops else result
        if len(hops) >= max_redirects:
            return replace(result, hops=hops, is_cut=True)
        url, hops = target, (*hops, target)


def redirect_target(url: str, location: str) -> str | None:
    """Where a redirect leads, without credentials and fragment; None where it leads nowhere."""
    if not location:
        return None
    try:
        parts = urlsplit(urljoin(url, safe_url_string(location)))
        host = parts.netloc.rpartition("@")[2]
        target = urlunsplit(parts._replace(netloc=host, fragment=""))
    except ValueError:
        return None
    return target if parts.scheme in ("http", "https") and host and target != url else None
