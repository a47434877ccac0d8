"""The redirects of a robots.txt, followed and guarded in one way by the crawl and by the commands.

A site may send us anywhere: to a machine of our own network, which trusts us. So a redirect from a
public address to a private one is not followed, unless the user has named the host. What is refused
counts as no answer, never as "there is no robots.txt". Callers look names up, and send requests.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit, urlunsplit

from ..rep import FetchResult, origin_of
from ..rep.url import has_long_host
from .addresses import Address, is_private, is_private_name, spelled_address, unescaped_host
from .host_patterns import HostMatch

REDIRECTS = frozenset({301, 302, 303, 307, 308})
MAX_URL = 8_000  # characters that a redirect may lead to: RFC 9110 §4.1
TO_PRIVATE = "redirect to a private address"
TO_OTHER_SITE = "redirect to another site"


class Hop(NamedTuple):
    """What came for a URL: the result, and where it points to.

    Attributes:
        location: the Location header, escaped as in a URL; "": there is none.
        peer: the address that answered, or its text; "" where it is not known.
        is_proxied: whether a proxy answered: it looks names up, and we do not.

    """

    result: FetchResult
    location: str = ""
    peer: Address | str = ""
    is_proxied: bool = False


Ask = Callable[[str, tuple[str, ...]], Awaitable[Hop]]
"""Requests a URL; given the redirects so far, too."""
LookUp = Callable[[str], Awaitable[tuple[str, ...]]]
"""Looks a name up: its addresses as texts; none if it has none."""


@dataclass(frozen=True)
class RedirectGuard:
    """Where redirects may lead.

    Attributes:
        registrable_domain: gives that of a host, where redirects may lead only to hosts of the site
            that was asked first.
        allowed: hosts that the user has named, which may be private and of another site; each as
            `host_pattern` gives it.

    """

    registrable_domain: Callable[[str], str] | None = None
    allowed: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        """Whether the user has named the URL's host, with or without its port."""
        origin = origin_of(url)
        return origin is not None and bool(self._named.of(origin))

    def are_one_site(self, host: str, other: str) -> bool:
        """Whether two hosts have one registrable domain: www.example.co.uk and example.co.uk.

        Two names below a company's suffix have two owners: a.github.io may not speak for
        b.github.io.
        """
        if host == other or self.registrable_domain is None:
            return True
        site = self.registrable_domain(host)
        return bool(site) and site == self.registrable_domain(other)

    @cached_property
    def _named(self) -> HostMatch:
        return HostMatch(self.allowed)


ANYWHERE = RedirectGuard()


async def follow(
    first: str, max_redirects: int, guard: RedirectGuard, ask: Ask, look_up: LookUp
) -> FetchResult:
    """The result at the end of the redirects that begin at a URL.

    RFC 9309 §2.3.1.2: what is found at the end is the first origin's robots.txt. `is_cut` says that
    there were more redirects than `max_redirects`. A redirect back ends the way too.
    """
    url = first
    hops: tuple[str, ...] = ()
    before: tuple[str, Hop] | None = None
    while True:
        answer = await ask(url, hops)
        # The name may have another address by now than when it was looked up (DNS rebinding).
        is_inside = before and answer.peer and is_private(str(answer.peer))
        is_refused = before and is_inside and not guard.allows(url)
        if before and is_refused and not await _is_private(*before, look_up):
            return FetchResult(None, cause=TO_PRIVATE, hops=hops)
        result = replace(answer.result, hops=hops) if hops else answer.result
        target = redirect_target(url, answer.location) if result.status in REDIRECTS else None
        if target is None or target in (first, *hops):
            return result
        if len(hops) >= max_redirects:
            return replace(result, is_cut=True)
        hops = (*hops, target)
        if objection := await _objection(guard, first, (url, answer), target, look_up):
            return FetchResult(None, cause=objection, hops=hops)
        before, url = (url, answer), target


async def _objection(
    guard: RedirectGuard, first: str, before: tuple[str, Hop], target: str, look_up: LookUp
) -> str:
    """Why a redirect is not followed; "" if it is. `before`: the URL it is from, and the answer."""
    url, answer = before
    if guard.allows(target):
        return ""
    if not guard.are_one_site(unescaped_host(first), unescaped_host(target)):
        return TO_OTHER_SITE
    if unescaped_host(target) == unescaped_host(url):
        return ""
    leads_inside = await _is_private(target, answer._replace(peer=""), look_up)
    return TO_PRIVATE if leads_inside and not await _is_private(url, answer, look_up) else ""


async def _is_private(url: str, answer: Hop, look_up: LookUp) -> bool:
    """Whether a URL's host is private: by the address that answered, by its spelling, or by one of
    the addresses that its name has.
    """
    host = unescaped_host(url)
    spelled = spelled_address(host)
    if answer.peer or spelled is not None:
        return is_private(str(answer.peer or spelled))
    if is_private_name(host) or answer.is_proxied:
        return is_private_name(host)
    return any(map(is_private, await look_up(host)))


def redirect_target(url: str, location: str) -> str | None:
    """Where a redirect leads, without credentials and fragment; None where it leads nowhere, or to
    a URL that is too long.
    """
    if not location or has_long_host(location):
        return None
    try:
        parts = urlsplit(urljoin(url, location))
        host = parts.netloc.rpartition("@")[2]
        target = urlunsplit(parts._replace(netloc=host, fragment=""))
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host or len(target) > MAX_URL:
        return None
    return None if target == url else target
