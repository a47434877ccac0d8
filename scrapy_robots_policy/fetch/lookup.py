"""The addresses of a name, looked up without blocking the crawl, on any reactor or none."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from .. import compat

Addresses = tuple[str, ...]


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
