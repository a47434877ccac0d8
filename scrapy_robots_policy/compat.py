"""All that depends on the version of Scrapy, and its private attributes but for those of its queue.

Each private attribute is named here with what happens when it is gone; `queue` names two more.
`EngineAccess` looks for them once, when the spider opens: what is missing switches one feature off,
with one warning, and holds up no request. When Scrapy counts requests by throttling scopes (its
pull request 6931), its queue lacks one of them, so requests wait in memory. `slot_key` has to
change then, because download slots go.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from base64 import b64encode
from collections import deque
from collections.abc import Awaitable, Callable, Container, Coroutine
from functools import partial
from typing import Any, TypeVar
from urllib.parse import unquote

import scrapy.crawler
import scrapy.exceptions
from scrapy import signalmanager, signals
from scrapy.crawler import Crawler
from scrapy.http import Request, Response
from scrapy.resolver import dnscache
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import call_later as scrapy_call_later
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.log import failure_to_exc_info
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import is_asyncio_reactor_installed, is_reactor_installed
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import DNSLookupError
from twisted.python.failure import Failure

logger = logging.getLogger("scrapy_robots_policy")

ROBOTS_PARSED: object | None = getattr(signals, "robots_parsed", None)
"""The signal of 2.18 for a robots.txt that was parsed; None before."""

CannotResolveHost: type[Exception] = getattr(
    scrapy.exceptions, "CannotResolveHostError", DNSLookupError
)
"""What Scrapy's handlers raise for a name without an address."""

SLOT_KEY = "download_slot"
_VERBATIM_KEY = "verbatim_url"
_PROXY_AUTHORIZATION = "Proxy-Authorization"

Answer = TypeVar("Answer")

CallLater = Callable[[float, Callable[[], object]], Callable[[], None]]
"""The type of `call_later`."""

monotonic = time.monotonic
"""A clock in seconds that never goes back, for durations in this process."""

Download = Callable[[Request], Awaitable[Response]]
"""How a download handler answers a request."""

PARTS = 4  # of a time limit, each counted when the event loop comes to it


def has_asyncio() -> bool:
    """Whether an asyncio loop runs the crawl: without a reactor one does."""
    return not is_reactor_installed() or is_asyncio_reactor_installed()


def steady_clock() -> Callable[[], float]:
    """A clock in seconds since the epoch that never goes back, whatever the system's clock does.

    It goes on while the machine sleeps, so that a robots.txt grows old meanwhile.
    """
    elapsed = _monotonic_clock()
    offset = time.time() - elapsed()
    return lambda: offset + elapsed()


def _monotonic_clock() -> Callable[[], float]:
    """`time.monotonic` stands still while Linux or macOS sleeps; each has a clock that does not."""
    if sys.platform == "win32":
        return time.monotonic
    name = "CLOCK_MONOTONIC" if sys.platform == "darwin" else "CLOCK_BOOTTIME"
    try:
        clock = partial(time.clock_gettime, getattr(time, name))
        clock()
    except (AttributeError, OSError):  # other systems, and old kernels
        return time.monotonic
    return clock


def download(crawler: Crawler, request: Request) -> Awaitable[Response]:
    """A response from the engine: past all downloader middlewares, no scheduler, no spider."""
    engine = crawler.engine
    assert engine is not None  # the crawl has begun
    return engine.download_async(request)


async def send(crawler: Crawler, signal: object, **named: Any) -> None:
    """Send a signal and wait for its receivers; what they raise is logged."""
    await crawler.signals.send_catch_log_async(signal, **named)


def disconnect_strong(crawler: Crawler) -> Callable[..., None]:
    """What disconnects a receiver from a signal that keeps it alive: `weak` was False.

    PyDispatcher has to hear that once more. Scrapy's signals without it (its pull request 7942)
    take no such argument.
    """
    disconnect = crawler.signals.disconnect
    return partial(disconnect, weak=False) if hasattr(signalmanager, "dispatcher") else disconnect


def has_receivers(crawler: Crawler, signal: object) -> bool:
    """Whether a signal has receivers. Scrapy has no function for that: PyDispatcher has, of which
    its signals are made. Without PyDispatcher nobody knows, and the answer is yes.
    """
    dispatcher: Any = getattr(signalmanager, "dispatcher", None)
    if dispatcher is None:
        return True
    receivers = dispatcher.getAllReceivers(crawler.signals.sender, signal)
    return any(True for _ in dispatcher.liveReceivers(receivers))


def stat_counter(crawler: Crawler) -> Callable[[str], None]:
    """What adds 1 to a stat. Callers keep it: Scrapy's stats take several calls to look it up."""
    assert crawler.stats is not None  # the crawl has begun
    return crawler.stats.inc_value


def call_later(seconds: float, function: Callable[[], object]) -> Callable[[], None]:
    """Call a function after some seconds, with any reactor or none; the result cancels it."""
    return scrapy_call_later(seconds, function).cancel


async def sleep(seconds: float) -> None:
    """Wait, with any reactor or none. To cancel the wait cancels its timer."""
    slept: Deferred[None] = Deferred()
    cancel = call_later(seconds, lambda: slept.callback(None))
    try:
        await maybe_deferred_to_future(slept)
    finally:
        cancel()


async def within(
    seconds: float,
    call: Callable[[], Awaitable[Answer]],
    late: Callable[[], Exception | None],
) -> Answer:
    """The answer of a call, with any reactor or none.

    A callback of a spider may hold the event loop up for seconds. An answer that has come meanwhile
    is read only afterwards, so that time must not count: it is one of the `PARTS` at most.

    A call that is late, or whose caller is cancelled, is cancelled too. Nothing waits for its end.

    Args:
        late: asked when the time is over; what it gives ends the call, which else goes on.

    """

    async def answer() -> Answer:
        return await call()

    started: Deferred[Answer] = deferred_from_coro(answer())
    outcome: Deferred[Answer] = Deferred()

    def settle(result: Any) -> None:
        if not outcome.called:  # else the time is over, or the caller is cancelled
            outcome.callback(result)  # a Failure makes it fail

    stop_timer: Callable[[], None]

    def begin_part(others: int) -> Callable[[], None]:
        return call_later(seconds / PARTS, lambda: end_part(others))

    def end_part(others: int) -> None:
        nonlocal stop_timer
        if others:
            stop_timer = begin_part(others - 1)
        elif error := late():
            settle(Failure(error))  # type: ignore[no-untyped-call]

    stop_timer = begin_part(PARTS - 1)
    started.addErrback(_failed_if_cancelled)
    started.addBoth(settle)
    try:
        return await maybe_deferred_to_future(outcome)
    finally:
        stop_timer()
        started.cancel()  # one that has ended stays as it is


def _failed_if_cancelled(failure: Failure) -> Failure:
    """A call that is cancelled by itself has failed. Its caller is not cancelled."""
    if not isinstance(failure.value, CancelledError | asyncio.CancelledError):
        return failure
    return Failure(RuntimeError("the call was cancelled"))  # type: ignore[no-untyped-call]


def start_task(work: Coroutine[Any, Any, None], tasks: set[Deferred[None]]) -> None:
    """Run a coroutine as a task of its own. `tasks` holds it until it ends.

    Nobody awaits it, so what it raises is logged.
    """
    task: Deferred[None] = deferred_from_coro(work)
    tasks.add(task)
    task.addErrback(_log_unless_cancelled)
    task.addBoth(lambda _: tasks.discard(task))


def _log_unless_cancelled(failure: Failure) -> None:
    if not isinstance(failure.value, CancelledError | asyncio.CancelledError):
        logger.error("A task in the background failed", exc_info=failure_to_exc_info(failure))


def close_spider(crawler: Crawler, reason: str) -> None:
    """Begin to close the crawl. It goes on until the requests under way have ended."""
    assert crawler.engine is not None  # the crawl has begun
    start_task(crawler.engine.close_spider_async(reason=reason), set())


def with_one_form_of_proxy(request: Request) -> Request:
    """The request, its proxy named in the same way before and after HttpProxyMiddleware.

    That moves credentials from the proxy's URL to a header. It also gives a proxy of the
    environment to a request without one, and leaves a private mark in its meta: without the mark
    such a redirect counts as one whose spider has chosen the proxy.
    """
    if not request.meta.get("proxy"):
        return request
    meta, headers = dict(request.meta), request.headers.copy()
    if meta.get("_scheme_proxy"):
        meta.pop("proxy", None)
        headers.pop(_PROXY_AUTHORIZATION, None)
    else:
        scheme, separator, rest = str(meta["proxy"]).partition("://")
        credentials, at, address = rest.rpartition("@")
        if at:
            user, _, password = map(unquote, credentials.partition(":"))
            encoded = b64encode(f"{user}:{password}".encode("latin-1", "replace"))
            meta["proxy"] = f"{scheme}{separator}{address}"
            headers[_PROXY_AUTHORIZATION] = b"Basic " + encoded
    return request.replace(meta=meta, headers=headers)


def components(settings: BaseSettings, name: str) -> dict[Any, Any]:
    """A component priority dictionary with its base, as Scrapy reads it; disabled ones left out."""
    # Newer than 2.14: merged by class, not by the way that a class is written.
    merge = getattr(settings, "get_component_priority_dict_with_base", settings.getwithbase)
    merged = merge(name)
    return {component: order for component, order in merged.items() if order is not None}


async def _verbatim(request: Request, download: Download) -> Response:
    """Have the URL of a request sent as it is. The key is not left in its meta: a redirect and the
    HTTP cache would take it for the user's.
    """
    if request.meta.get(_VERBATIM_KEY):
        return await download(request)
    request.meta[_VERBATIM_KEY] = True
    try:
        return await download(request)
    finally:
        del request.meta[_VERBATIM_KEY]


def wrap_downloads(
    crawler: Crawler,
    meta_key: str,
    transfer: Callable[[Request, Download], Coroutine[Any, Any, Response]],
) -> bool:
    """Have `transfer` make the downloads of requests that have a key in their meta. It is given the
    request, and the download as the handlers would make it. What it raises is the download's error.

    And have every URL sent as it was judged: Scrapy's handler of aiohttp has "/%70" sent as "/p",
    unless the meta of the request has "verbatim_url".

    A downloader of the user's that has no such handlers is left alone. False: so a URL may be sent
    otherwise.
    """
    handlers = _attribute(crawler.engine, "downloader", "handlers")
    make: Any = getattr(handlers, "download_request_async", None)
    has_aiohttp = _has_aiohttp(crawler.settings)
    if make is None:
        return not has_aiohttp
    download = partial(_verbatim, download=make) if has_aiohttp else make

    def begin(request: Request) -> Awaitable[Response]:
        return transfer(request, download) if meta_key in request.meta else download(request)

    handlers.download_request_async = begin
    return True


def _has_aiohttp(settings: BaseSettings) -> bool:
    """Whether a download handler is Scrapy's for aiohttp, or a subclass of it."""
    handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
    named = filter(None, map(handlers.get, ("http", "https")))
    kinds = (kind for handler in named for kind in getattr(load_object(handler), "__mro__", ()))
    return any("aiohttp" in kind.__module__ for kind in kinds)


def lookup_threads() -> int:
    """How many names are looked up at a time: by Twisted's threads, or by those of asyncio."""
    if not is_reactor_installed():
        return min(32, (os.cpu_count() or 1) + 4)
    from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

    threads: Any = reactor  # typed as an interface without threads
    return int(threads.getThreadPool().max)


def is_in_dns_cache(host: str) -> bool:
    """Whether Scrapy has the address of a name. Without a reactor it keeps none."""
    return host in dnscache


class EngineAccess:
    """Scrapy's engine and downloader, as far as this package uses them; the same in 2.14 to 2.19.

    | private attribute                | without it                                               |
    | -------------------------------- | -------------------------------------------------------- |
    | `transferring`, `queue` of slots | what is there as a delay begins, or is cancelled, counts |
    |                                  | for no visit, or goes although the host wants a pause    |
    | `engine._slot.nextcall.schedule` | what is ready in the queue may stay there for up to 5 s  |
    | `engine._slot.close`             | a closing crawl waits until its waiting requests go on   |
    | the pools of the HTTP handlers   | late robots.txt take connections; without a reactor only |

    Attributes:
        active: all requests between the scheduler and the spider, those that wait among them.
        missing: one sentence for each feature that this version of Scrapy does not allow.

    """

    def __init__(self, crawler: Crawler, on_closing: Callable[[], None]) -> None:
        """`on_closing`: called when the engine begins to close. All signals come only when it has
        waited.
        """
        engine: Any = crawler.engine
        self.crawler, self.downloader = crawler, engine.downloader
        self.active: set[Request] = engine.downloader.active
        self.places: int = engine.downloader.total_concurrency
        self.missing: list[str] = []
        slot = getattr(engine, "_slot", None)
        self._schedule = getattr(getattr(slot, "nextcall", None), "schedule", None)
        self._check(self._schedule, "what is ready in the queue may stay there for some seconds")
        if self._check(getattr(slot, "close", None), "a crawl that closes waits for robots.txt"):
            _call_before_close(slot, on_closing)
        _lift_pool_limits(self.downloader)

    def _check(self, attribute: object, sentence: str) -> bool:
        if attribute is None:
            self.missing.append(sentence)
        return attribute is not None

    def make_room(self, fetches: int) -> None:
        """Have so many fetches take no place of CONCURRENT_REQUESTS; 0 places are no limit."""
        if self.places:
            self.downloader.total_concurrency = self.places + fetches

    def concurrency_of(self, slot: str) -> int:
        """How many requests of a download slot may be under way."""
        known = self.downloader.slots.get(slot)
        limit = self.downloader.domain_concurrency if known is None else known.concurrency
        return int(limit)

    def wake(self) -> None:
        """Have the engine ask for requests soon."""
        if self._schedule is not None:
            self._schedule()

    def slot_key(self, request: Request) -> str:
        """The name of the download slot that the request will go through. Where it has that of
        another host, from a redirect, that is taken out of its meta.
        """
        redirected_from = request.meta.get("redirect_urls")
        if redirected_from and SLOT_KEY in request.meta:
            # RedirectMiddleware copies the slot of the host that the redirect came from.
            origin = Request(redirected_from[-1])
            if request.meta[SLOT_KEY] == urlparse_cached(origin).hostname:
                del request.meta[SLOT_KEY]
        key: str = self.downloader.get_slot_key(request)
        return key

    def take_queued(
        self, host: str, kept: Container[Request]
    ) -> list[tuple[Request, Deferred[Any]]]:
        """Take out of the download slots what is still to be sent to a host, but for what is kept.
        The Deferred of each is where its download is waited for.
        """
        taken: list[tuple[Request, Deferred[Any]]] = []
        slots = getattr(self.downloader, "slots", {})
        # Scrapy keeps thousands of empty slots for a minute: not each pause looks at all of them.
        for key in {host, *(request.meta.get(SLOT_KEY) for request in self.active)}:
            queue: deque[Any] = getattr(slots.get(key), "queue", deque())
            for entry in [entry for entry in queue if isinstance(entry, tuple)]:
                if entry[0] not in kept and urlparse_cached(entry[0]).hostname == host:
                    queue.remove(entry)
                    taken.append(entry)
        return taken

    def is_in_slot(self, request: Request) -> bool:
        """Whether a request is in its download slot, on its way or still to be sent.

        Scrapy goes on with one that was cancelled there, and it is not among the active ones.
        """
        slot = getattr(self.downloader, "slots", {}).get(request.meta.get(SLOT_KEY))
        if request in getattr(slot, "transferring", ()):
            return True
        entries = getattr(slot, "queue", ())  # each a request and its Deferred
        return any(isinstance(entry, tuple) and request in entry for entry in entries)


def _call_before_close(slot: Any, call: Callable[[], None]) -> None:
    close = slot.close

    def both() -> Any:
        call()
        return close()

    slot.close = both


def _lift_pool_limits(downloader: Any) -> None:
    """Let a pool hold more connections than CONCURRENT_REQUESTS, which binds the downloader anyway.

    The handlers of a crawl without a reactor, httpx from 2.15 and aiohttp from 2.19, keep a limit
    of their own, which late robots.txt would use up. Twisted's have none. There is no public way.
    """
    get_handler = _attribute(downloader, "handlers", "_get_handler")
    for scheme in ("http", "https") if get_handler is not None else ():
        handler = get_handler(scheme)
        connector = _attribute(handler, "_session", "connector")
        if hasattr(connector, "_limit"):
            connector._limit = 0  # noqa: SLF001 - none
        # Scrapy 2.15 names it `_client`.
        client = getattr(handler, "_default_client", None) or getattr(handler, "_client", None)
        pool = _attribute(client, "_transport", "_pool")
        if hasattr(pool, "_max_connections"):
            pool._max_connections = sys.maxsize  # noqa: SLF001


def _attribute(owner: Any, *names: str) -> Any:
    for name in names:
        owner = getattr(owner, name, None)
    return owner
