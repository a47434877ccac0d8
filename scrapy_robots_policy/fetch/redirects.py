"""The redirects of a robots.txt, followed and guarded in one way by the crawl and by the commands.

A site may send us anywhere: to a machine of our own network, which trusts us. So a redirect from a
public address to a private one is not followed, unless the user has named the host. What is refused
counts as no answer, never as "there is no robots.txt".

This module opens no sockets and uses no Scrapy: its callers look names up, and send requests.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit, urlunsplit

from w3lib.url import safe_url_string

from ..rep import FetchResult, origin_of
from .addresses import Address, is_private, is_private_name, spelled_address, unescaped_host
from .host_patterns import HostMatch
from .sites import are_one_site

REDIRECTS = frozenset({301, 302, 303, 307, 308})
MAX_URL = 8_000  # characters that a redirect may lead to: RFC 9110 §4.1
TO_PRIVATE = "redirect to a private address"
TO_OTHER_SITE = "redirect to another site"


class Ask(NamedTuple):
    """A step: request the URL, and send an `Answer`. `hops` are the redirects so far."""

    url: str
    hops: tuple[str, ...]


class Lookup(NamedTuple):
    """A step: look the name up, and send its addresses as texts; an empty tuple if it has none."""

    host: str


class Answer(NamedTuple):
    """What came for `Ask`: the result, and the Location header, whose octets are its characters.

    peer        the address that answered, or its text; "" where it is not known
    is_proxied  whether a proxy answered: it looks names up, and we do not
    """

    result: FetchResult
    location: str = ""
    peer: Address | str = ""
    is_proxied: bool = False


Way = Generator[Ask | Lookup, Any, FetchResult]
Objection = Generator[Lookup, tuple[str, ...], str]
IsPrivate = Generator[Lookup, tuple[str, ...], bool]


@dataclass(frozen=True)
class RedirectGuard:
    """Where redirects may lead.

    same_site  whether only to hosts of the site that was asked first
    allowed    hosts that the user has named, which may be private and of another site; each as
               `host_pattern` gives it
    """

    same_site: bool = False
    allowed: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        """Whether the user has named the URL's host, with or without its port."""
        origin = origin_of(url)
        return origin is not None and bool(self._named.of(origin))

    @cached_property
    def _named(self) -> HostMatch:
        return HostMatch(self.allowed)


ANYWHERE = RedirectGuard()


def follow(first: str, max_redirects: int, guard: RedirectGuard) -> Way:
    """A generator: it yields each step, is sent what came of it, and returns the last result.

    RFC 9309 §2.3.1.2: what is found at the end is the first origin's robots.txt. `is_cut` says that
    there were more redirects than `max_redirects`. A redirect back ends the way too.
    """
    url = first
    hops: tuple[str, ...] = ()
    before: tuple[str, Answer] | None = None
    while True:
        answer: Answer = yield Ask(url, hops)
        # The name may have another address by now than when it was looked up (DNS rebinding).
        if before and answer.peer and is_private(str(answer.peer)) and not guard.allows(url):
            came_from_inside = yield from _is_private(*before)
            if not came_from_inside:
                return FetchResult(None, cause=TO_PRIVATE, hops=hops)
        result = replace(answer.result, hops=hops) if hops else answer.result
        target = redirect_target(url, answer.location) if result.status in REDIRECTS else None
        if target is None or target in (first, *hops):
            return result
        if len(hops) >= max_redirects:
            return replace(result, is_cut=True)
        hops = (*hops, target)
        objection = yield from _objection(guard, first, url, answer, target)
        if objection:
            return FetchResult(None, cause=objection, hops=hops)
        before, url = (url, answer), target


def _objection(
    guard: RedirectGuard, first: str, url: str, answer: Answer, target: str
) -> Objection:
    """Why the redirect with which `url` answered is not followed; "" if it is."""
    if guard.allows(target):
        return ""
    if guard.same_site and not are_one_site(unescaped_host(first), unescaped_host(target)):
        return TO_OTHER_SITE
    if unescaped_host(target) == unescaped_host(url):
        return ""
    leads_inside = yield from _is_private(target, answer._replace(peer=""))
    if leads_inside:
        comes_from_inside = yield from _is_private(url, answer)
        return "" if comes_from_inside else TO_PRIVATE
    return ""


def _is_private(url: str, answer: Answer) -> IsPrivate:
    """Whether a URL's host is private: by the address that answered, by its spelling, or by one of
    the addresses that its name has.
    """
    host = unescaped_host(url)
    spelled = spelled_address(host)
    if answer.peer or spelled is not None:
        return is_private(str(answer.peer or spelled))
    if is_private_name(host) or answer.is_proxied:
        return is_private_name(host)
    addresses = yield Lookup(host)
    return any(map(is_private, addresses))


def redirect_target(url: str, location: str) -> str | None:
    """Where a redirect leads, without credentials and fragment; None where it leads nowhere, or to
    a URL that is too long.

    location  the header, whose octets are its characters; read as UTF-8, as Scrapy reads it
    """
    if not location:
        return None
    try:
        parts = urlsplit(urljoin(url, safe_url_string(location.encode("latin-1"))))
        host = parts.netloc.rpartition("@")[2]
        target = urlunsplit(parts._replace(netloc=host, fragment=""))
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host or len(target) > MAX_URL:
        return None
    return None if target == url else target
