"""A robots.txt through Scrapy's engine: an order in, a result out, whatever the site does.

`Fetcher` tries, follows redirects, and tries again. Each request passes all downloader middlewares.
What is special about it, from the first step to the last:

1. It enters the `FetchGate`. A fetch that gets no answer for some seconds costs a socket and little
   else: it must not hold a place that a young fetch could have, or a hundred hosts that never
   answer would stop all others. Where such fetches have taken half of the sockets, new ones get
   less time.
2. The name of its host is looked up before its time begins (`NameQueue`). The system looks names up
   in a few threads, and one whose servers do not answer holds a thread for seconds. Else a broad
   crawl with such names would count healthy sites as unreachable.
3. Its time is limited (`guard_transfers`). Scrapy's handlers of httpx limit the time between two
   bytes, and those of plugins limit what they like, so an answer that comes a byte now and then
   would never end. A middleware may keep a request for ever, or send another one in its place that
   waits for the same robots.txt: `Fetcher._limited`.
4. Its body is capped as it comes in, and unpacked no further (`Body`). Scrapy fails for a body that
   is over a size; a robots.txt that is too long has to be cut instead (RFC 9309 §2.5). Encodings
   for which there is no decoder here are left to Scrapy: a plugin may ask for its own.
"""

from __future__ import annotations

import asyncio
import random
import socket
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Request, Response
from scrapy.settings import BaseSettings
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IResolutionReceiver
from twisted.internet.selectreactor import SelectReactor
from zope.interface import implementer  # type: ignore[import-untyped]

from .. import compat
from ..exceptions import CrawlClosing
from ..rep import CacheEntry, FetchResult
from ..rep.access import DAY, has_whole_copy, remember, without_browser_page
from ..rep.url import url_of
from .redirects import REDIRECTS, Answer, follow, spelled_address
from .request import CACHED_KEY, NO_LIMIT, FetchOrder, FetchSlot, RequestProfile, trim
from .result import (
    MAX_BYTES,
    MAX_ENCODINGS,
    by_name,
    can_be_sent,
    can_unpack,
    cause_of,
    check_answer,
    encodings_of,
    fetch_limit,
    instant,
    is_fault_of,
    package_of,
    result_of,
    unpack,
)

YOUNG = 2.0  # seconds
MAX_SOCKETS = 4_000
FILES_LEFT = 256  # open files that pages, logs and feeds are left


def max_sockets() -> int:
    """How many sockets robots.txt may take in this process, by how many it may have."""
    return max(min(MAX_SOCKETS, min(_open_files(), _watched_sockets()) - FILES_LEFT), 1)


def _open_files() -> int:
    """How many files and sockets the process may have open."""
    if sys.platform == "win32":
        return sys.maxsize
    import resource  # noqa: PLC0415 - there is none on Windows

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


def _watched_sockets() -> int:
    """How many sockets the event loop can wait for. With one more in select(), asyncio's loop ends,
    and a Twisted reactor closes sockets.
    """
    if sys.platform == "win32":
        return 512  # of CPython's select(), by which each event loop waits that Twisted can use
    if is_reactor_installed():
        from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

        if isinstance(reactor, SelectReactor):
            return 1024  # FD_SETSIZE
    return sys.maxsize


class GateSlot(FetchSlot):
    """The place of one fetch in a gate."""

    def __init__(self, gate: FetchGate, *, has_failed: bool) -> None:
        self.gate, self.has_failed = gate, has_failed
        self._ticket: Deferred[None] | None = None

    async def __aenter__(self) -> GateSlot:  # noqa: PYI034 - Self is new in Python 3.11
        await self.take()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.give_back()

    async def take(self) -> None:
        self._ticket = await self.gate.ticket(has_failed=self.has_failed)

    def give_back(self) -> None:
        if self._ticket is not None:
            self.gate.leave(self._ticket)
            self._ticket = None


class FetchGate:
    """Lets fetches begin, first come, first served; those that failed before go after all others.

    Attributes:
        max_young: how many may be under way that are younger than `YOUNG` seconds.
        sockets: how many may be under way in all.

    """

    def __init__(
        self,
        max_young: int,
        sockets: int,
    ) -> None:
        self.max_young, self.sockets = max_young, sockets
        self._young: OrderedDict[Deferred[None], float] = OrderedDict()  # when each began
        self._open = 0
        self._queue: deque[Deferred[None]] = deque()
        self._last_queue: deque[Deferred[None]] = deque()
        self._is_letting_in = False
        self._stop_timer: Callable[[], None] | None = None
        self.is_closed = False

    def enter(self, *, has_failed: bool) -> GateSlot:
        """Wait until a fetch may begin. Inside it is under way, except while it has given its place
        back.

        Args:
            has_failed: whether the last fetch for this origin has failed.

        """
        return GateSlot(self, has_failed=has_failed)

    async def ticket(self, *, has_failed: bool) -> Deferred[None]:
        """Wait until a fetch may begin. It counts as under way until its ticket is left."""
        ticket: Deferred[None] = Deferred()
        queue = self._last_queue if has_failed else self._queue
        queue.append(ticket)
        self._let_in()
        if ticket.called:  # there was room, as nearly always
            return ticket
        try:
            await maybe_deferred_to_future(ticket)
        except BaseException:
            if ticket in queue:
                queue.remove(ticket)
            else:
                self.leave(ticket)  # it was let in just when it was cancelled
            raise
        return ticket

    def leave(self, ticket: Deferred[None]) -> None:
        """A fetch has ended, or waits for something else: another one may begin."""
        self._open -= 1
        self._young.pop(ticket, None)
        self._let_in()

    def is_short_of_sockets(self) -> bool:
        """Whether more than half of the sockets are taken.

        A fetch cannot be given up later: Scrapy keeps its socket until the handler's own time limit
        has passed. So it must get a shorter one when it begins.
        """
        return self._open > self.sockets // 2

    def _has_room(self) -> bool:
        if self.is_closed:
            return False
        while self._young and compat.monotonic() - next(iter(self._young.values())) >= YOUNG:
            self._young.popitem(last=False)
        return len(self._young) < self.max_young and self._open < self.sockets

    def _let_in(self) -> None:
        """Let fetches begin while there is room.

        Without asyncio a fetch goes on within `callback`, and may end there: it leaves while this
        loop runs. A call for each would be as deep as the queue.
        """
        if self._is_letting_in:
            return
        self._is_letting_in = True
        while (self._queue or self._last_queue) and self._has_room():
            ticket = (self._queue or self._last_queue).popleft()
            self._open += 1
            self._young[ticket] = compat.monotonic()
            ticket.callback(None)
        self._is_letting_in = False
        if self._queue or self._last_queue or self._stop_timer is not None:
            self._set_timer()

    def _set_timer(self) -> None:
        """While fetches queue, look again when the oldest young one is young no longer."""
        if self._stop_timer is not None:
            self._stop_timer()
            self._stop_timer = None
        if (self._queue or self._last_queue) and self._young and not self.is_closed:
            oldest = next(iter(self._young.values()))
            self._stop_timer = compat.call_later(
                max(YOUNG - (compat.monotonic() - oldest), 0.0), self._let_in
            )

    def close(self) -> None:
        """From now on no fetch begins. Those that wait are for their owners to cancel."""
        self.is_closed = True
        self._set_timer()


SCHEMES = ("http", "https")


def schemes_by_plugin(settings: BaseSettings) -> frozenset[str]:
    """The URL schemes of http and https whose download handler is none of Scrapy's own."""
    return _schemes(settings, is_by_plugin)


def middlewares_by_plugin(settings: BaseSettings) -> set[str]:
    """The packages of the downloader middlewares that are neither Scrapy's nor ours."""
    components = compat.components(settings, "DOWNLOADER_MIDDLEWARES")
    packages = {package_of(load_object(component).__module__) for component in components}
    return packages - {"scrapy", package_of(__name__)}


def clients_by_plugin(settings: BaseSettings) -> set[str]:
    """The packages of the download handlers and of the downloader that are not Scrapy's."""
    handlers = settings.getwithbase("DOWNLOAD_HANDLERS").values()
    paths = map(import_path, [*handlers, settings["DOWNLOADER"]])
    return {package_of(path) for path in paths if is_by_plugin(path)}


def schemes_without_limit(settings: BaseSettings) -> frozenset[str]:
    """The URL schemes of http and https whose download handler may not limit the time of a whole
    download. Those of Twisted and of aiohttp in Scrapy do.
    """
    return _schemes(settings, lambda path: is_by_plugin(path) or "httpx" in path)


def _schemes(settings: BaseSettings, fits: Callable[[str], bool]) -> frozenset[str]:
    """The URL schemes whose handler has an import path that fits."""
    handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
    return frozenset(scheme for scheme in SCHEMES if fits(import_path(handlers.get(scheme))))


def is_by_plugin(path: str) -> bool:
    return bool(path) and not path.startswith("scrapy.")


def import_path(handler: Any) -> str:
    """The import path of a component, or of its module; "" where it is switched off."""
    if handler is None or isinstance(handler, str):
        return handler or ""
    return str(handler.__module__)


META_KEY = "_robots_txt_body"  # whose value is the `Body` that is expected
_STOPPED = "download_stopped"  # Scrapy's flag: a signal handler has stopped the download


def encodings_in(response: Response) -> Sequence[str]:
    """The encodings that a response names."""
    headers = response.headers.getlist(b"Content-Encoding")
    return encodings_of(b",".join(headers).decode("latin-1")) if headers else ()


def is_fetch(request: Request) -> bool:
    """Whether a request is for a robots.txt whose body is expected."""
    return META_KEY in request.meta


def is_file(response: Response) -> bool:
    """Whether the body is the robots.txt. Other answers may name an encoding and have no body, or
    one that is broken: a 304 names that of the file for which it stands (RFC 9110 §15.4.5).
    """
    return 200 <= response.status < 300


class Body:
    """What came in for one request, at most `limit` bytes of it.

    In its `with` block the body is expected: it is capped as it comes in, and kept packed.

    Attributes:
        slot: that of the fetch.
        is_over: whether nobody waits for the file any more: it has come, or was given up.
        has_come: whether the downloader has brought the response to `request`, before it was over.

    """

    def __init__(
        self, bodies: Bodies, request: Request, limit: int, slot: FetchSlot = NO_LIMIT
    ) -> None:
        self.bodies, self.request, self.limit, self.slot = bodies, request, limit, slot
        self.received, self.has_reached_downloader, self.is_over = 0, False, False
        self.has_come = False
        self.encodings: Sequence[str] = ()

    def __enter__(self) -> Body:  # noqa: PYI034 - Self is new in Python 3.11
        self.request.meta[META_KEY] = self
        self.bodies.listen(+1)
        return self

    def __exit__(self, *_: object) -> None:
        self.is_over = True
        self.bodies.listen(-1)
        if not self.has_come:
            self.slot.end(self.request)
        del self.request  # its meta has this body: only the collector would free the two

    def unpacked(self, response: Response) -> bytes:
        """The unpacked file, cut at the limit; none of an error page. Raises UnreadableBodyError,
        and StopDownload where another component has had the download stopped before its end.

        A browser's page is longer than the text in it. So the page is cut after the text is taken
        out of it, where it came whole.
        """
        if not is_file(response):
            return b""
        if self._is_stopped_by_others(response):
            raise StopDownload
        body = response.body
        if encodings := self.encodings or encodings_in(response):
            is_whole = self.received <= self.limit
            body = unpack(body, encodings, self.limit, is_whole=is_whole)
        return without_browser_page(body)[: self.limit]

    def _is_stopped_by_others(self, response: Response) -> bool:
        """Whether a rule may stand in what is missing. A short file is often there whole when a
        signal handler stops its download.
        """
        if _STOPPED not in response.flags or self.received > self.limit:
            return False
        return response.headers.get(b"Content-Length") != str(self.received).encode()


class Bodies:
    """Listens to downloads while bodies are expected."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._expected = 0
        self._connect = partial(crawler.signals.connect, weak=False)
        self._disconnect = compat.disconnect_strong(crawler)

    def listen(self, more: int) -> None:
        """Begin to listen with the first body that is expected, and end with the last.

        Each page passes here too meanwhile. So the references are strong ones: a weak one makes a
        new method for each signal.
        """
        before, self._expected = self._expected, self._expected + more
        if bool(before) == bool(self._expected):
            return
        change = self._connect if self._expected else self._disconnect
        change(self._leaving, signals.request_reached_downloader)
        change(self._count, signals.bytes_received)
        change(self._downloaded, signals.response_downloaded)

    def _leaving(self, request: Request, **_: object) -> None:
        body = request.meta.get(META_KEY)
        if body is not None:
            body.received, body.encodings = 0, ()  # a middleware may have it sent a second time
            body.has_reached_downloader, body.has_come = True, False
            trim(request)

    def _count(self, data: bytes, request: Request, **_: object) -> None:
        body = request.meta.get(META_KEY)
        if body is None:
            return
        body.received += len(data)
        if body.received > body.limit:
            raise StopDownload(fail=False)

    def _downloaded(self, response: Response | None, request: Request, **_: object) -> None:
        """Hide the encoding from HttpCompressionMiddleware, which would unpack the body whole.

        An encoding that only it can unpack is left to it, with a limit: over that, it fails.

        Args:
            response: None: a handler of the user's has given none, for which Scrapy raises
                TypeError.

        """
        body = request.meta.get(META_KEY)
        if body is None or response is None:
            return
        encodings = encodings_in(response)
        is_ours = len(encodings) > MAX_ENCODINGS or can_unpack(encodings)
        if is_ours or not is_file(response):
            body.encodings = encodings
            response.headers.pop("Content-Encoding", None)
        else:
            request.meta["download_maxsize"] = MAX_BYTES
        # A middleware may send another request in its place.
        body.has_come = not body.is_over and request is body.request
        body.slot.end(request)


AFTER_THE_HANDLER = 1.0  # seconds: a handler that limits the whole download does so first
MAX_IN_MIDDLEWARES = 300.0  # seconds: some wait on purpose, such as for a quota


class KeptByMiddlewareError(Exception):
    """A request did not reach the downloader in time."""


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
        return FetchGate(threads, threads)

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
        body.slot.give_back()
        async with self.gate.enter(has_failed=False):
            if body.is_over:  # Scrapy goes on with a download that was cancelled
                raise CrawlClosing
            begin = compat.monotonic()
            addresses = await addresses_of(host, self.timeout)
            seconds = compat.monotonic() - begin
        await body.slot.take()  # also where it fails: another page may fetch it
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


def guard_transfers(crawler: Crawler) -> bool:
    """From now on, before a download handler is given the request for a robots.txt, the name of its
    host is looked up. After its `download_timeout` the transfer fails with TimeoutError, also where
    the handler may not see to that itself; with BusyError, where that was noticed much too late.

    False: as `wrap_downloads`.
    """
    names = NameQueue(crawler)
    without_limit = schemes_without_limit(crawler.settings)

    async def transfer(request: Request, download: compat.Download) -> Response:
        if CACHED_KEY in request.meta:
            raise OSError("it is not in Scrapy's HTTP cache")
        response = await limited(request, download)
        is_whole = response.status != 304 and "download_stopped" not in response.flags
        if response.status < 500 and is_whole:
            request.meta["dont_cache"] = False  # the HTTP cache keeps it for `_cached`
        return response

    async def limited(request: Request, download: compat.Download) -> Response:
        await names.look_up(request)  # before the time of a limit begins
        seconds = request.meta.get("download_timeout")
        # A hook may have taken the limit away.
        if not isinstance(seconds, (int, float)) or seconds <= 0:
            return await download(request)
        began = compat.monotonic()
        try:
            if request.url.partition(":")[0] in without_limit:
                limit = seconds + AFTER_THE_HANDLER
                late = TimeoutError(f"the answer did not come whole within {limit:g} s")
                return await compat.within(limit, lambda: download(request), lambda: late)
            return await download(request)
        except Exception as error:
            too_late = compat.monotonic() - began - seconds - AFTER_THE_HANDLER
            if too_late > BUSY and cause_of(error) == "timeout":
                raise BusyError from error
            raise

    return compat.wrap_downloads(crawler, META_KEY, transfer)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request, one hop of redirects.

    Attributes:
        asked_at: when the request was handed to the downloader, in seconds since the epoch.
        answered_at: when the response, or the error, came.
        status: of the response; None: none came, and `cause` says why.
        sent: the request's headers, `received` the response's, by lower-case name.

    """

    url: str
    asked_at: float
    answered_at: float
    status: int | None
    cause: str
    sent: Mapping[str, str]
    received: Mapping[str, str]


RETRIED = frozenset({408, 500, 502, 503, 504, 522, 524})  # what may be gone in a second
# What a server may answer because of a header of ours. The fetch is tried again without it.
MISUNDERSTOOD = frozenset({400, 405, 406, 411, 412, 431})
MAX_STATUS = 999  # a handler may pass more, or less than 0: a store keeps no such entry
RETRY_FIRST = 0.5  # seconds; doubles from try to try
RETRY_LAST = 10.0  # a site that asks for a longer wait gets it from the dialect's access policy
PASSING = frozenset(
    {"dns", "cut body", "reset", "connection refused", "connection failed", "timeout while busy"}
)


class Fetched(NamedTuple):
    """A document of a site was fetched, or was not.

    Attributes:
        key: the origin for a robots.txt, else the key of the document.
        error: what kept a response from coming.
        is_fault: whether it is a fault of this package, or of code of the user's, not of the site.
        exchanges: the requests that were sent.
        copy: what Scrapy's HTTP cache has of it, where no answer came.

    """

    key: str
    result: FetchResult
    error: BaseException | None = None
    is_fault: bool = False
    exchanges: tuple[Exchange, ...] = ()
    copy: CacheEntry | None = None


class Fetcher:
    """Fetches what is ordered.

    Args:
        profile: how each request is made.
        retries: how often a fetch that failed quickly is tried again.
        now: seconds since the epoch.

    """

    def __init__(
        self,
        crawler: Crawler,
        profile: RequestProfile,
        retries: int,
        now: Callable[[], float],
    ) -> None:
        self.crawler, self.profile, self.retries, self.now = crawler, profile, retries, now
        self.bodies = Bodies(crawler)
        self.plugins = middlewares_by_plugin(crawler.settings)
        self.clients = clients_by_plugin(crawler.settings)
        self.has_cache = crawler.settings.getbool("HTTPCACHE_ENABLED")

    async def __call__(self, order: FetchOrder) -> Fetched:
        """Raises CrawlClosing, CancelledError where the crawl no longer waits for it, and what a
        hook of the user's raises.
        """
        exchanges: list[Exchange] = []
        result, error = await self._try(order, exchanges)
        for attempt in range(self.retries):
            if not _may_pass(result):
                break
            order.slot.give_back()
            await compat.sleep(max(_pause(attempt), result.retry_after or 0.0))
            await order.slot.take()
            result, error = await self._try(order, exchanges)
        if result.status in MISUNDERSTOOD:
            result, error = await self._try(replace(order, is_plain=True), exchanges)
        elif result.status == 401 and self.profile.has_credentials:  # RFC 9110 §15.5.2
            with_credentials = replace(order, with_credentials=True, entry=None)
            result, error = await self._try(with_credentials, exchanges)
        elif _is_about_another_file(result, order):
            result, error = await self._try(replace(order, entry=None), exchanges)
        copy = await self._cached(order) if result.status is None and self.has_cache else None
        is_fault = error is not None and is_fault_of(error, self.plugins, self.clients)
        return Fetched(order.origin, result, error, is_fault, tuple(exchanges), copy)

    async def _cached(self, order: FetchOrder) -> CacheEntry | None:
        """What Scrapy's HTTP cache has of a document, as of the Date of its answer; without one, as
        of a day ago: so old a copy is stale.
        """
        exchanges: list[Exchange] = []
        cached = replace(order, cached_only=True, entry=None, slot=NO_LIMIT)
        result, _ = await self._try(cached, exchanges)
        if result.status is None:
            return None
        date = instant(exchanges[-1].received.get("date", ""))
        return remember(None, result, self.now() - DAY if date is None else min(date, self.now()))

    async def _try(
        self, order: FetchOrder, exchanges: list[Exchange]
    ) -> tuple[FetchResult, Exception | None]:
        """One try, with its redirects: (what came, what went wrong)."""
        error: Exception | None = None

        async def ask(url: str, hops: tuple[str, ...]) -> Answer:
            nonlocal error
            answer, error = await self._get(url, hops, order, exchanges)
            return answer

        async def look_up(host: str) -> Addresses:
            return await addresses_of(host, self.profile.timeout)

        redirects = order.dialect.access.redirects
        url = url_of(order.origin)
        return await follow(url, redirects, self.profile.guard, ask, look_up), error

    async def _get(
        self, url: str, hops: tuple[str, ...], order: FetchOrder, exchanges: list[Exchange]
    ) -> tuple[Answer, Exception | None]:
        """((what came, where it points to), what went wrong)"""
        validators = _validators(order, hops)
        request = self.profile.request(url, validators, order)
        limit = fetch_limit(order.dialect)
        asked_at = self.now()
        try:
            with Body(self.bodies, request, limit + 1, order.slot) as body:  # is there more?
                await order.slot.begin(request, hops)
                asked_at = self.now()
                if self.plugins:  # Scrapy's own middlewares keep no request
                    response = await self._limited(request, body)
                else:
                    response = await compat.download(self.crawler, request)
            headers = by_name(response.headers.items())
            is_proxied = bool((response.request or request).meta.get("proxy"))
            check_answer(
                response.status, headers, is_proxied=is_proxied, is_conditional=bool(validators)
            )
            result = self._result(response.status, headers, body.unpacked(response))
            exchanges.append(self._exchange(request, asked_at, result, headers))
            result = _marked_if_cut(result, order, limit)
            return _answer(result, response, is_proxied=is_proxied), None
        except (CancelledError, CrawlClosing):
            raise  # no result: nobody asks any more. asyncio's CancelledError is no Exception
        except Exception as error:  # noqa: BLE001 - middlewares and handlers may raise what they like
            result = FetchResult(None, cause=cause_of(error))
            exchanges.append(self._exchange(request, asked_at, result, {}))
            return Answer(result), error

    async def _limited(self, request: Request, body: Body) -> Response:
        """The response. KeptByMiddlewareError if the request has not reached the downloader after
        MAX_IN_MIDDLEWARES.
        """

        def late() -> Exception | None:
            return None if body.has_reached_downloader else KeptByMiddlewareError()

        download = partial(compat.download, self.crawler, request)
        return await compat.within(MAX_IN_MIDDLEWARES, download, late)

    def _exchange(
        self, request: Request, asked_at: float, result: FetchResult, headers: dict[str, str]
    ) -> Exchange:
        sent = by_name(request.headers.items())  # the middlewares have added theirs
        url, now = request.url, self.now()
        return Exchange(url, asked_at, now, result.status, result.cause, sent, headers)

    def _result(self, status: int, headers: dict[str, str], body: bytes) -> FetchResult:
        if not 0 <= status <= MAX_STATUS:
            return FetchResult(None, cause="no HTTP status")
        return result_of(status, headers, body, self.now())


def _answer(result: FetchResult, response: Response, *, is_proxied: bool) -> Answer:
    """What came, for `follow`. The address of a proxy says nothing about the site.

    Of several Location headers the last one counts, as it does where Scrapy follows a page.
    """
    peer = "" if is_proxied else response.ip_address or ""
    location = response.headers.get(b"Location") if response.status in REDIRECTS else None
    return Answer(result, (location or b"").decode("latin-1"), peer, is_proxied=is_proxied)


def _may_pass(result: FetchResult) -> bool:
    """Whether a second try may do better at once. A timeout has taken long enough already, unless
    the process was busy: then it says nothing about the site.
    """
    if (result.retry_after or 0.0) > RETRY_LAST:
        return False
    if result.status is None:
        return result.cause in PASSING
    return result.status in RETRIED


def _pause(attempt: int) -> float:
    """Seconds before a retry: doubling, with jitter so that not all crawlers come at once."""
    jitter = random.uniform(0.75, 1.25)  # noqa: S311 - spreads load, keeps no secret
    return min(RETRY_FIRST * 2.0**attempt, RETRY_LAST) * jitter


def _marked_if_cut(result: FetchResult, order: FetchOrder, limit: int) -> FetchResult:
    """Whether there was more than the dialect reads, which is `limit`; a 304 is as its copy."""
    if result.status == 304 and order.entry is not None:
        return replace(result, is_cut=order.entry.latest.is_cut)
    return replace(result, is_cut=True) if len(result.body) > limit else result


def _is_about_another_file(result: FetchResult, order: FetchOrder) -> bool:
    """Whether a 304 has another ETag than the copy, of which it then says nothing.

    RFC 9111 §4.3.4. It comes from servers that look at If-Modified-Since alone.
    """
    if result.status != 304 or order.entry is None or not result.etag:
        return False
    return result.etag.removeprefix("W/") != order.entry.latest.etag.removeprefix("W/")


def _validators(order: FetchOrder, hops: tuple[str, ...]) -> dict[str, str]:
    """The conditional headers, for the URL only that gave a usable copy. RFC 9110 §13.1."""
    entry = order.entry
    if order.is_plain or entry is None or entry.latest.hops != hops:
        return {}
    if not has_whole_copy(entry, fetch_limit(order.dialect)):
        return {}
    validators = {
        "If-None-Match": entry.latest.etag,
        "If-Modified-Since": entry.latest.last_modified,
    }
    return {name: value for name, value in validators.items() if can_be_sent(value)}
