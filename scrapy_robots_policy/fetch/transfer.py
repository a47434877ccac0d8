"""A robots.txt is transferred when the name of its host is known, and in its time."""

from __future__ import annotations

from time import monotonic

from scrapy.crawler import Crawler
from scrapy.http import Request, Response

from .. import compat
from .body import META_KEY
from .causes import cause_of
from .deadline import AFTER_THE_HANDLER, limit_transfer
from .handlers import schemes_without_limit
from .name_queue import NameQueue

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
