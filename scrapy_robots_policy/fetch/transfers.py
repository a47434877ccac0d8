"""The time of the transfer of a robots.txt is limited.

Scrapy's handlers of httpx limit the time between two bytes, and those of plugins limit what they
like, so an answer that comes a byte now and then would never end.
"""

from __future__ import annotations

from scrapy.crawler import Crawler
from scrapy.http import Request, Response

from .. import compat
from ..core.causes import cause_of
from .bodies import META_KEY
from .names import NameQueue
from .plugins import schemes_without_limit
from .request import CACHED_KEY

AFTER_THE_HANDLER = 1.0  # seconds: a handler that limits the whole download does so first
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
