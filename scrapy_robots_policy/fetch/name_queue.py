"""The name of a host is looked up before its robots.txt is asked for, some names at a time.

The system looks names up in a few threads. A name whose servers do not answer holds one of them for
seconds, and a download's time is running while its own name queues. So a broad crawl with such
names would count healthy sites as unreachable, because their lookup came too late. Here names queue
before their downloads begin, without a place that other fetches could have.
"""

from __future__ import annotations

import time

from scrapy.crawler import Crawler
from scrapy.http import Request
from scrapy.utils.httpobj import urlparse_cached

from .. import compat
from ..exceptions import CrawlClosing
from .addresses import spelled_address
from .body import body_of
from .fetch_gate import FetchGate
from .handlers import SCHEMES, schemes_by_plugin
from .lookup import addresses_of, can_be_asked_for


def look_up_names_first(crawler: Crawler) -> None:
    """Have downloads of a robots.txt begin when the name of their host has been looked up. Where it
    has no address, they fail as they would in Scrapy's handlers.

    A request for a proxy waits for nothing: the proxy looks its name up. Nor does one for a
    download handler of a plugin, which may have its own ways.
    """
    schemes = frozenset(SCHEMES) - schemes_by_plugin(crawler.settings)
    threads = compat.lookup_threads()
    queue = FetchGate(threads, threads, time.monotonic, compat.call_later)
    timeout = crawler.settings.getfloat("DNS_TIMEOUT")

    def needs_name(request: Request) -> bool:
        if body_of(request) is None or request.meta.get("proxy"):
            return False
        url = urlparse_cached(request)
        return url.scheme in schemes and _is_unknown_name(url.hostname or "")

    async def look_up(request: Request) -> None:
        host, body = urlparse_cached(request).hostname or "", body_of(request)
        assert body is not None  # `needs_name`
        body.place.give_back()
        async with queue.enter(has_failed=False):
            if body.is_over:  # Scrapy goes on with a download that was cancelled
                raise CrawlClosing
            addresses = await addresses_of(host, timeout)
        if not addresses:
            raise compat.CannotResolveHost(f"no results for hostname lookup: {host}")
        await body.place.take()

    compat.wait_before_downloads(crawler, needs_name, look_up)


def _is_unknown_name(host: str) -> bool:
    if not can_be_asked_for(host) or compat.is_in_dns_cache(host):
        return False
    return spelled_address(host) is None
