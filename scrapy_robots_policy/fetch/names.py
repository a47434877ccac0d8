"""The names of hosts are looked up before the time of a fetch begins.

The system looks names up in a few threads, and one whose servers do not answer holds a thread for
seconds. Else a broad crawl with such names would count healthy sites as unreachable.
"""

from __future__ import annotations

import asyncio
import socket
from functools import cached_property
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Request
from scrapy.settings import BaseSettings
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.defer import Deferred, DeferredSemaphore
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from .. import compat
from ..core.addresses import spelled_address
from ..exceptions import CrawlClosing
from .bodies import META_KEY, Body
from .plugins import SCHEMES, import_path, is_by_plugin, schemes_by_plugin

Addresses = tuple[str, ...]

RESOLVERS = ("TWISTED_DNS_RESOLVER", "DNS_RESOLVER")  # the setting, and its older name
QUICK = 2.0  # seconds: a failure that took longer is one of servers that do not answer


async def addresses_of(host: str, timeout: float) -> Addresses:
    """All addresses of a name, as texts; none where it has none, or after `timeout` seconds.

    With a reactor, Scrapy's own resolver and its cache are asked. So the request that follows goes
    to one of these addresses, whatever the name's server answers by then.
    """
    if not can_be_asked_for(host):
        return ()
    if is_reactor_installed():
        return await _ask_reactor(host, timeout)
    try:
        return await asyncio.wait_for(_ask_loop(host), timeout)
    except asyncio.TimeoutError:
        return ()


def can_be_asked_for(host: str) -> bool:
    """Whether a host can be put to the system: else Twisted never gives an answer, and the log has
    a traceback. The host is from a redirect, so it may be anything.
    """
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return "\0" not in host


async def _ask_reactor(host: str, timeout: float) -> Addresses:
    from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

    lookup: Deferred[Addresses] = Deferred()

    def settle(addresses: Addresses) -> None:
        if not lookup.called:
            lookup.callback(addresses)

    stop_timer = compat.call_later(timeout, lambda: settle(()))
    try:
        resolving: Any = reactor  # typed as an interface without a resolver
        resolving.nameResolver.resolveHostName(_Receiver(settle), host)
        return await maybe_deferred_to_future(lookup)
    finally:
        stop_timer()


@implementer(IResolutionReceiver)
class _Receiver:
    """What Twisted calls while it looks a name up."""

    def __init__(self, settle: Any) -> None:
        self.settle = settle
        self.addresses: list[str] = []

    def resolutionBegan(self, resolutionInProgress: Any) -> None:  # noqa: N802, N803 - Twisted's
        """Nothing to prepare."""

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        self.addresses.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802
        self.settle(tuple(self.addresses))


async def _ask_loop(host: str) -> Addresses:
    loop = asyncio.get_running_loop()
    try:
        rows = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return ()
    return tuple(str(address[0]) for *_, address in rows)


class LookupTimeoutError(Exception):
    """The servers of a name did not answer. The system has asked them more than once."""


class NameQueue:
    """Looks up the names of hosts, as many at a time as the system can, first come, first served.

    A request for a proxy waits for nothing: the proxy looks its name up. Nor does one for a
    download handler of a plugin, which may have its own ways, nor any with a resolver of the
    user's, which may look up many names at a time.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.schemes: frozenset[str] = frozenset()
        if not _has_own_resolver(settings):
            self.schemes = frozenset(SCHEMES) - schemes_by_plugin(settings)
        self.timeout = settings.getfloat("DNS_TIMEOUT")

    @cached_property
    def threads(self) -> DeferredSemaphore:
        """Made for the first name: without asyncio, Scrapy opens a spider before it reads
        REACTOR_THREADPOOL_MAXSIZE.
        """
        return DeferredSemaphore(compat.lookup_threads())

    async def look_up(self, request: Request) -> None:
        """Wait until the name of the host of a robots.txt is known, if it is to be looked up here.

        A name without an address raises what it raises in Scrapy's handlers; from
        LookupTimeoutError if that took long to know.
        """
        url, body = urlparse_cached(request), request.meta[META_KEY]
        assert isinstance(body, Body)
        host = url.hostname or ""
        if request.meta.get("proxy") or url.scheme not in self.schemes or spelled_address(host):
            return
        if compat.is_in_dns_cache(host) or not can_be_asked_for(host):
            return
        body.slot.rest()
        await maybe_deferred_to_future(self.threads.acquire())
        try:
            if body.is_over:  # Scrapy goes on with a download that was cancelled
                raise CrawlClosing
            begin = compat.monotonic()
            addresses = await addresses_of(host, self.timeout)
            seconds = compat.monotonic() - begin
        finally:
            self.threads.release()
        await body.slot.go_on(request)  # also where it fails: another page may fetch it
        if not addresses:
            error = compat.CannotResolveHost(f"no results for hostname lookup: {host}")
            raise error from (LookupTimeoutError() if seconds > QUICK else None)


def _has_own_resolver(settings: BaseSettings) -> bool:
    """Whether a resolver of the user's or of a plugin looks names up."""
    # Not by `get`, which warns of the older name whoever asks.
    return any(is_by_plugin(import_path(settings[name])) for name in RESOLVERS)
