"""What differs between Scrapy 2.13 and the newest, as named facts: the only place that looks.

Knows: Scrapy's versions. Must not know: what the facts are used for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from pydispatch import dispatcher  # type: ignore[import-untyped]  # what Scrapy's signals are
from scrapy import signals, version_info
from scrapy.crawler import Crawler
from scrapy.http import Request, Response
from scrapy.settings import BaseSettings
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.reactor import is_asyncio_reactor_installed, is_reactor_installed
from twisted.internet.defer import Deferred

ASYNC_API = version_info >= (2, 14)
"""engine.download_async, send_catch_log_async, scrapy.utils.asyncio: from 2.14."""

ROBOTS_PARSED: object | None = getattr(signals, "robots_parsed", None)
"""The signal of 2.18 for a robots.txt that was parsed; None before."""

COMPONENTS_WITH_BASE = hasattr(BaseSettings, "get_component_priority_dict_with_base")
"""Component dictionaries are merged by class, not by the way a class is written: from 2.14."""


def has_asyncio() -> bool:
    """Whether an asyncio loop runs the crawl: without a reactor one does."""
    return not is_reactor_installed() or is_asyncio_reactor_installed()


async def download(crawler: Crawler, request: Request) -> Response:
    """A response from the engine: past all downloader middlewares, no scheduler, no spider."""
    engine = crawler.engine
    assert engine is not None  # the crawl has begun
    if ASYNC_API:
        return await engine.download_async(request)
    return await maybe_deferred_to_future(engine.download(request))


async def send(crawler: Crawler, signal: object, **named: Any) -> None:
    """Send a signal and wait for its receivers; what they raise is logged."""
    if ASYNC_API:
        await crawler.signals.send_catch_log_async(signal, **named)
    else:
        await maybe_deferred_to_future(crawler.signals.send_catch_log_deferred(signal, **named))


def is_heard(crawler: Crawler, signal: object) -> bool:
    """Whether anybody listens to a signal. There is no way of Scrapy's."""
    receivers = dispatcher.getAllReceivers(crawler.signals.sender, signal)
    return any(True for _ in dispatcher.liveReceivers(receivers))


def call_later(seconds: float, function: Callable[[], object]) -> Callable[[], None]:
    """Call a function after some seconds, with any reactor or none; the result cancels it."""
    if ASYNC_API:
        from scrapy.utils.asyncio import call_later as scrapy_call_later  # noqa: PLC0415 - new in 2.14

        return scrapy_call_later(seconds, function).cancel
    from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

    clock: Any = reactor  # typed as an interface, whose methods have no self
    call = clock.callLater(seconds, function)
    return lambda: call.cancel() if call.active() else None


async def sleep(seconds: float) -> None:
    """Wait, with any reactor or none. To cancel the wait cancels its timer."""
    slept: Deferred[None] = Deferred()
    cancel = call_later(seconds, lambda: slept.callback(None))
    try:
        await maybe_deferred_to_future(slept)
    finally:
        cancel()


def lift_pool_limits(downloader: Any) -> None:
    """Let a pool hold more connections than CONCURRENT_REQUESTS, which binds the downloader anyway.

    The handlers of a crawl without a reactor, httpx from 2.16 and aiohttp from 2.19, keep a limit
    of their own, which late robots.txt would use up. Twisted's have none. There is no public way.
    """
    for scheme in ("http", "https"):
        handler = downloader.handlers._get_handler(scheme)  # noqa: SLF001
        connector = _attribute(handler, "_session", "connector")
        if hasattr(connector, "_limit"):
            connector._limit = 0  # noqa: SLF001 - none
        pool = _attribute(handler, "_default_client", "_transport", "_pool")
        if hasattr(pool, "_max_connections"):
            pool._max_connections = sys.maxsize  # noqa: SLF001


def _attribute(owner: Any, *names: str) -> Any:
    for name in names:
        owner = getattr(owner, name, None)
    return owner


def components(settings: BaseSettings, name: str) -> dict[Any, Any]:
    """A component priority dictionary with its base, as Scrapy reads it; disabled ones left out."""
    if COMPONENTS_WITH_BASE:
        merged = settings.get_component_priority_dict_with_base(name)
    else:
        merged = settings.getwithbase(name)
    return {component: order for component, order in merged.items() if order is not None}
