"""A limit on the time of a whole download of a robots.txt.

Scrapy's handlers of httpx limit the time between two octets, and those of plugins limit what they
like. So an answer that comes an octet now and then, in its headers or in its body, would never end,
and its place in the download slot would never be free again. The handler itself is limited: that
ends the transfer, and its time begins when the request is sent, however long it waited in its slot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Request, Response

from .. import compat
from .handlers import schemes_without_limit

AFTER_THE_HANDLER = 1.0  # seconds: a handler that limits the whole download does so first

Download = Callable[[Request], Coroutine[Any, Any, Response]]


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
