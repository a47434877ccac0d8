"""A robots.txt is transferred when the name of its host is known, and in its time.

The name of a host is looked up before its robots.txt is asked for, some names at a time.

The system looks names up in a few threads. A name whose servers do not answer holds one of them for
seconds, and a download's time is running while its own name queues. So a broad crawl with such
names would count healthy sites as unreachable, because their lookup came too late. Here names queue
before their downloads begin, without a place that other fetches could have.

The addresses of a name, looked up without blocking the crawl, on any reactor or none.

Limits on the time of a robots.txt: of its whole transfer, and among downloader middlewares.

Scrapy's handlers of httpx limit the time between two octets, and those of plugins limit what they
like. So an answer that comes an octet now and then, in its headers or in its body, would never end,
and its place in the download slot would never be free again. The handler itself is limited: that
ends the transfer, and its time begins when the request is sent, however long it waited in its slot.

No handler limits what comes before. A middleware may keep a request for ever. It may also send
another request in its place: if that one has to obey the same robots.txt, each waits for the other.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable
from functools import cached_property
from time import monotonic
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Request, Response
from scrapy.settings import BaseSettings
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from .. import compat
from ..exceptions import CrawlClosing
from .answers import cause_of
from .body import META_KEY, Body
from .fetch_gate import FetchGate
from .handlers import SCHEMES, import_path, is_by_plugin, schemes_by_plugin, schemes_without_limit
from .redirects import spelled_address

AFTER_THE_HANDLER = 1.0  # seconds: a handler that limits the whole download does so first
MAX_IN_MIDDLEWARES = 300.0  # seconds: some wait on purpose, such as for a quota


class KeptByMiddlewareError(Exception):
    """A request did not reach the downloader in time."""


async def limit_transfer(transfer: Awaitable[Response], seconds: float) -> Response:
    """The response of a download handler. TimeoutError if it takes longer than the time that the
    handler was given.
    """
    limit = seconds + AFTER_THE_HANDLER
    late = TimeoutError(f"the answer did not come whole within {limit:g} s")
    return await _within(limit, transfer, lambda: late)


async def limit_middlewares(
    download: Awaitable[Response], has_reached_downloader: Callable[[], bool]
) -> Response:
    """The response of a download. It ends with KeptByMiddlewareError if its request has not
    reached the downloader after MAX_IN_MIDDLEWARES.
    """
    return await _within(
        MAX_IN_MIDDLEWARES,
        download,
        lambda: None if has_reached_downloader() else KeptByMiddlewareError(),
    )


async def _within(
    seconds: float, download: Awaitable[Response], error: Callable[[], Exception | None]
) -> Response:
    """The response of a download, with any reactor or none.

    error  asked when the time is over; what it gives ends the download, which else goes on
    """
    task: Deferred[Response] = deferred_from_coro(_awaited(download))
    late: Exception | None = None

    def end_if_late() -> None:
        nonlocal late
        late = error()
        if late is not None:
            task.cancel()

    stop = compat.call_later(seconds, end_if_late)
    try:
        return await maybe_deferred_to_future(task)
    except (CancelledError, asyncio.CancelledError):
        if late is not None:
            raise late from None
        raise
    finally:
        stop()


async def _awaited(download: Awaitable[Response]) -> Response:
    return await download


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


RESOLVERS = ("TWISTED_DNS_RESOLVER", "DNS_RESOLVER")  # the setting, and its older name
QUICK = 2.0  # seconds: a failure that took longer is one of servers that do not answer


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
    def gate(self) -> FetchGate:
        """Made for the first name: without asyncio, Scrapy opens a spider before it reads
        REACTOR_THREADPOOL_MAXSIZE.
        """
        threads = compat.lookup_threads()
        return FetchGate(threads, threads, time.monotonic, compat.call_later)

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
        body.place.give_back()
        async with self.gate.enter(has_failed=False):
            if body.is_over:  # Scrapy goes on with a download that was cancelled
                raise CrawlClosing
            begin = time.monotonic()
            addresses = await addresses_of(host, self.timeout)
            seconds = time.monotonic() - begin
        await body.place.take()  # also where it fails: another page may fetch it
        if not addresses:
            error = compat.CannotResolveHost(f"no results for hostname lookup: {host}")
            raise error from (LookupTimeoutError() if seconds > QUICK else None)


def _has_own_resolver(settings: BaseSettings) -> bool:
    """Whether a resolver of the user's or of a plugin looks names up."""
    # Not by `get`, which warns of the older name whoever asks.
    return any(is_by_plugin(import_path(settings[name])) for name in RESOLVERS)


BUSY = 2.0  # seconds: if a transfer is ended so much too late, the process was busy meanwhile


class BusyError(Exception):
    """A transfer ran out of time while the process did something else, such as a long callback.

    The answer may have come meanwhile: whether it did is not looked at while the process is busy.
    """


def guard_transfers(crawler: Crawler) -> None:
    """From now on, before a download handler is given the request for a robots.txt, the name of its
    host is looked up. After its `download_timeout` the transfer fails with TimeoutError, also where
    the handler may not see to that itself; with BusyError, where that was noticed much too late.
    """
    names = NameQueue(crawler)
    without_limit = schemes_without_limit(crawler.settings)

    async def transfer(request: Request, download: compat.Download) -> Response:
        await names.look_up(request)  # before the time of a limit begins
        seconds = request.meta.get("download_timeout")
        # A hook may have taken the limit away.
        if not isinstance(seconds, (int, float)) or seconds <= 0:
            return await download(request)
        began = monotonic()
        try:
            if request.url.partition(":")[0] in without_limit:
                return await limit_transfer(download(request), seconds)
            return await download(request)
        except Exception as error:
            too_late = monotonic() - began - seconds - AFTER_THE_HANDLER
            if too_late > BUSY and cause_of(error) == "timeout":
                raise BusyError from error
            raise

    compat.wrap_downloads(crawler, META_KEY, transfer)
