"""A robots.txt is transferred when the name of its host is known, and in its time."""

from __future__ import annotations

from scrapy.crawler import Crawler
from scrapy.http import Request, Response

from .. import compat
from .body import META_KEY
from .deadline import limit_transfer
from .handlers import schemes_without_limit
from .name_queue import NameQueue


def guard_transfers(crawler: Crawler) -> None:
    """From now on, before a download handler is given the request for a robots.txt, the name of its
    host is looked up. After its `download_timeout` the transfer fails with TimeoutError, also where
    the handler may not see to that itself.
    """
    names = NameQueue(crawler)
    without_limit = schemes_without_limit(crawler.settings)

    async def transfer(request: Request, download: compat.Download) -> Response:
        await names.look_up(request)  # before the time of a limit begins
        scheme, seconds = request.url.partition(":")[0], request.meta.get("download_timeout")
        # A hook may have taken the limit away.
        if scheme in without_limit and isinstance(seconds, (int, float)) and seconds > 0:
            return await limit_transfer(download(request), seconds)
        return await download(request)

    compat.wrap_downloads(crawler, META_KEY, transfer)
