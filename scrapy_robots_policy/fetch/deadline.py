"""Limits on the time of a robots.txt: of its whole transfer, and among downloader middlewares.

Scrapy's handlers of httpx limit the time between two octets, and those of plugins limit what they
like. So an answer that comes an octet now and then, in its headers or in its body, would never end,
and its place in the download slot would never be free again. The handler itself is limited: that
ends the transfer, and its time begins when the request is sent, however long it waited in its slot.

No handler limits what comes before. A middleware may keep a request for ever. It may also send
another request in its place: if that one has to obey the same robots.txt, each waits for the other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import CancelledError, Deferred

from .. import compat

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
