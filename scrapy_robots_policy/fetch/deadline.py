"""Limits on the time of a robots.txt: of its whole download, and among downloader middlewares.

Scrapy's handlers of httpx limit the time between two octets, and those of plugins limit what they
like. So an answer that comes an octet now and then, in its headers or in its body, would never end,
and its place in the download slot would never be free again. The handler itself is limited: that
ends the transfer, and its time begins when the request is sent, however long it waited in its slot.

No handler limits what comes before. A middleware may keep a request for ever. It may also send
another request in its place: if that one has to obey the same robots.txt, each waits for the other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Request, Response
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import CancelledError, Deferred

from .. import compat
from .handlers import schemes_without_limit

AFTER_THE_HANDLER = 1.0  # seconds: a handler that limits the whole download does so first
MAX_IN_MIDDLEWARES = 300.0  # seconds: some wait on purpose, such as for a quota


Download = Callable[[Request], Coroutine[Any, Any, Response]]


class KeptByMiddlewareError(Exception):
    """A request did not reach the downloader in time."""


def limit_downloads(crawler: Crawler, is_fetch: Callable[[Request], bool]) -> None:
    """Have downloads for which `is_fetch` holds fail with TimeoutError after their
    `download_timeout`, where a handler may not do so itself.
    """
    handlers = compat.async_handlers(crawler)
    schemes = schemes_without_limit(crawler.settings)
    if handlers is None or not schemes:
        return
    download: Download = handlers.download_request_async

    def limited(request: Request) -> Coroutine[Any, Any, Response]:
        if not is_fetch(request) or request.url.partition(":")[0] not in schemes:
            return download(request)
        seconds = request.meta.get("download_timeout")
        if not isinstance(seconds, (int, float)) or seconds <= 0:  # a hook has taken the limit away
            return download(request)
        return _within(seconds + AFTER_THE_HANDLER, download(request))

    handlers.download_request_async = limited


async def _within(seconds: float, download: Coroutine[Any, Any, Response]) -> Response:
    try:
        return await asyncio.wait_for(download, seconds)
    except asyncio.TimeoutError:  # Python 3.10 has another TimeoutError
        raise TimeoutError(f"the answer did not come whole within {seconds:g} s") from None


async def limit_middlewares(
    download: Awaitable[Response], has_reached_downloader: Callable[[], bool]
) -> Response:
    """The response of a download. It ends with KeptByMiddlewareError if its request has not
    reached the downloader after MAX_IN_MIDDLEWARES.
    """
    task: Deferred[Response] = deferred_from_coro(_awaited(download))
    is_late = False

    def end_if_kept() -> None:
        nonlocal is_late
        is_late = not has_reached_downloader()
        if is_late:
            task.cancel()

    stop = compat.call_later(MAX_IN_MIDDLEWARES, end_if_kept)
    try:
        return await maybe_deferred_to_future(task)
    except (CancelledError, asyncio.CancelledError):
        if is_late:
            raise KeptByMiddlewareError from None
        raise
    finally:
        stop()


async def _awaited(download: Awaitable[Response]) -> Response:
    return await download
