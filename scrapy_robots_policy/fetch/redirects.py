"""The redirects of a robots.txt, followed and guarded in one way by the crawl and by the commands.

A site may send us anywhere: to a machine of our own network, which trusts us. So a redirect from a
public address to a private one is not followed, unless the user has named the host. What is refused
counts as no answer, never as "there is no robots.txt". This module opens no sockets and uses no
Scrapy: its callers look names up, and send requests.

Users name hosts by patterns, in which "*" stands for anything. Whether two hosts belong to one site
is a matter of registrable domains. The Public Suffix List has the suffixes of registries ("com",
"co.uk") and those of companies that let anybody have a name below their own ("github.io").
"""

from __future__ import annotations

import re
import socket
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from w3lib.url import safe_url_string

from ..rep import FetchResult, origin_of
from ..rep.match import Index, Pattern, Ranked, place_of, ranked, strength_of
from ..rep.url import DEFAULT_PORTS, host_of_origin

if TYPE_CHECKING:
    from tldextract import TLDExtract

_HOST_AND_PORT = re.compile(r"(.*?)(:[0-9*]+)?", re.DOTALL)
_HOST = re.compile(r"\[[0-9a-f:.*]+\]|[^\s/@?#\[\]:]+")


def host_pattern(text: str) -> str:
    """A pattern as hosts stand in origins: lower case, IDNA, no final dot, IPv6 in brackets.

    ValueError where it can mean no host.
    """
    pattern = text.strip().lower()
    if _is_ipv6(pattern):
        return f"[{pattern}]"
    match = _HOST_AND_PORT.fullmatch(pattern)
    assert match is not None  # the expression matches any text
    host = match[1].rstrip(".")
    if not _HOST.fullmatch(host):
        raise ValueError(text)
    return host.encode("idna").decode("ascii") + (match[2] or "")


def _is_ipv6(text: str) -> bool:
    try:
        IPv6Address(text)
    except ValueError:
        return False
    return True


class HostMatch:
    """Origin → the numbers, from 0, of the patterns that its host fits, in their order.

    Hosts and patterns are read backwards: "*.example.com" begins as the hosts that it means end.

    Attributes:
        patterns: as `host_pattern` gives them.

    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self._backwards = [Pattern.of(pattern[::-1] + "$") for pattern in patterns]
        self._index = Index([(pattern.start, at) for at, pattern in enumerate(self._backwards)])

    def of(self, origin: str) -> list[int]:
        names = (name[::-1] for name in _names_of(origin))
        return sorted(
            {place_of(one) for name in names for one in self._index.every(name, self._read)}
        )

    def _read(self, wanted: Iterable[int]) -> Iterator[Ranked]:
        return (ranked(strength_of(0, False, at), self._backwards[at]) for at in wanted)


def _names_of(origin: str) -> tuple[str, str]:
    """(the host of an origin, the host with its port). A default port is written out, too."""
    scheme, _, place = origin.partition("://")
    host = host_of_origin(origin)
    return host, place if host != place else f"{place}:{DEFAULT_PORTS[scheme]}"


Address = IPv4Address | IPv6Address

_IN_IPV4 = frozenset("0123456789abcdefx.")

# Where clouds give their machines secrets, at addresses that are public by their number: Azure,
# Oracle. Those of others are link-local, private or shared (169.254.169.254, fd00:ec2::254).
_METADATA = frozenset({IPv4Address("168.63.129.16"), IPv4Address("192.0.0.192")})

# The IPv6 prefix of addresses whose last 32 bits are an IPv4 address: RFC 6052.
_WITH_IPV4 = ip_network("64:ff9b::/96")

# RFC 6761, RFC 6762, RFC 8375, and the name that ICANN keeps for private use.
_PRIVATE_NAMES = frozenset({"localhost", "local", "home.arpa", "internal"})


def unescaped_host(url: str) -> str:
    """The host of a URL as the boldest client may read it: unescaped, its wide digits and dots made
    plain (RFC 3490 §3.1), in lower case.
    """
    host = unicodedata.normalize("NFKC", unquote(urlsplit(url).hostname or ""))
    return host.replace("\u3002", ".").lower().rstrip(".")


def spelled_address(host: str) -> Address | None:
    """The address that a host stands for by its spelling; None: it is a name.

    Resolvers read 2130706433, 0x7f.1 and 0177.1 as 127.0.0.1: so does this.
    """
    if ":" in host:
        with suppress(ValueError):
            return ip_address(host)
    elif _IN_IPV4.issuperset(host):
        with suppress(OSError):
            return IPv4Address(socket.inet_aton(host))
    return None


def is_private_name(host: str) -> bool:
    """Whether a name has a meaning in a private network only: one word, or a reserved ending."""
    labels = host.split(".")
    endings = {labels[-1], ".".join(labels[-2:])}
    return len(labels) == 1 or not endings.isdisjoint(_PRIVATE_NAMES)


def is_private(address: str) -> bool:
    """Whether an address, in its text form, is private, loopback, link-local, a cloud's metadata
    service, or anything else but a machine of the public internet. So is a text that is none.
    """
    try:
        return not _is_public(ip_address(address))
    except ValueError:
        return True


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv6Address):
        inner = _ipv4_in(address)
        if inner is not None:
            return _is_public(inner)
        if address.is_site_local:
            return False
    is_special = address.is_multicast or address.is_reserved or address in _METADATA
    return address.is_global and not is_special


def _ipv4_in(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that is reached through an IPv6 address, if one is."""
    if address in _WITH_IPV4:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


@lru_cache(maxsize=1)
def _extract() -> TLDExtract:
    """Reads the list that comes with the library: it fetches none, and writes no file."""
    from tldextract import TLDExtract  # noqa: PLC0415 - it loads `requests`, and few ask for a site

    return TLDExtract(cache_dir=None, suffix_list_urls=())


def are_one_site(host: str, other: str) -> bool:
    """Whether two hosts have one registrable domain: www.example.co.uk and example.co.uk.

    Two names below a company's suffix have two owners: a.github.io may not speak for b.github.io.
    """
    if host == other:
        return True
    site = _registrable_domain(host)
    return bool(site) and site == _registrable_domain(other)


def _registrable_domain(host: str) -> str:
    """The registrable domain of a host; "" for an address, and for a name without one. The suffixes
    of companies count, too: "a.github.io".
    """
    labels = host.split(".")
    if len(labels) == 1 or spelled_address(host.strip("[]")) is not None:
        return ""
    parts = _extract()(host, include_psl_private_domains=True)
    if not parts.suffix:  # the list's own rule for what it does not have: the last word is a suffix
        return ".".join(labels[-2:])
    return f"{parts.domain}.{parts.suffix}" if parts.domain else ""


REDIRECTS = frozenset({301, 302, 303, 307, 308})
MAX_URL = 8_000  # characters that a redirect may lead to: RFC 9110 §4.1
TO_PRIVATE = "redirect to a private address"
TO_OTHER_SITE = "redirect to another site"


class Answer(NamedTuple):
    """What came for a URL: the result, and the Location header, whose bytes are its characters.

    Attributes:
        peer: the address that answered, or its text; "" where it is not known.
        is_proxied: whether a proxy answered: it looks names up, and we do not.

    """

    result: FetchResult
    location: str = ""
    peer: Address | str = ""
    is_proxied: bool = False


Ask = Callable[[str, tuple[str, ...]], Awaitable[Answer]]
"""Requests a URL; given the redirects so far, too."""

LookUp = Callable[[str], Awaitable[tuple[str, ...]]]
"""Looks a name up: its addresses as texts; none if it has none."""


@dataclass(frozen=True)
class RedirectGuard:
    """Where redirects may lead.

    Attributes:
        same_site: whether only to hosts of the site that was asked first.
        allowed: hosts that the user has named, which may be private and of another site; each as
            `host_pattern` gives it.

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


async def follow(
    first: str, max_redirects: int, guard: RedirectGuard, ask: Ask, look_up: LookUp
) -> FetchResult:
    """The result at the end of the redirects that begin at a URL.

    RFC 9309 §2.3.1.2: what is found at the end is the first origin's robots.txt. `is_cut` says that
    there were more redirects than `max_redirects`. A redirect back ends the way too.
    """
    url = first
    hops: tuple[str, ...] = ()
    before: tuple[str, Answer] | None = None
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
    guard: RedirectGuard, first: str, before: tuple[str, Answer], target: str, look_up: LookUp
) -> str:
    """Why a redirect is not followed; "" if it is. `before`: the URL it is from, and the answer."""
    url, answer = before
    if guard.allows(target):
        return ""
    if guard.same_site and not are_one_site(unescaped_host(first), unescaped_host(target)):
        return TO_OTHER_SITE
    if unescaped_host(target) == unescaped_host(url):
        return ""
    leads_inside = await _is_private(target, answer._replace(peer=""), look_up)
    return TO_PRIVATE if leads_inside and not await _is_private(url, answer, look_up) else ""


async def _is_private(url: str, answer: Answer, look_up: LookUp) -> bool:
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

    Args:
        location: the header, whose bytes are its characters; read as UTF-8, as Scrapy reads it.

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
