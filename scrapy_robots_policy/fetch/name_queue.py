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
from .body import META_KEY, Body
from .fetch_gate import FetchGate
from .handlers import SCHEMES, import_path, is_by_plugin, schemes_by_plugin
from .lookup import addresses_of, can_be_asked_for

RESOLVERS = ("TWISTED_DNS_RESOLVER", "DNS_RESOLVER")  # the setting, and its older name


def look_up_names_first(crawler: Crawler) -> None:
    """Have downloads of a robots.txt begin when the name of their host has been looked up. Where it
    has no address, they fail as they would in Scrapy's handlers.

    A request for a proxy waits for nothing: the proxy looks its name up. Nor does one for a
    download handler of a plugin, which may have its own ways, nor any with a resolver of the
    user's, which may look up many names at a time.
    """
    # Not by `get`, which warns of the older name whoever asks.
    if any(is_by_plugin(import_path(crawler.settings[name])) for name in RESOLVERS):
        return
    schemes = frozenset(SCHEMES) - schemes_by_plugin(crawler.settings)
    threads = compat.lookup_threads()
    queue = FetchGate(threads, threads, time.monotonic, compat.call_later)
    timeout = crawler.settings.getfloat("DNS_TIMEOUT")

    async def look_up(request: Request) -> None:
        url, body = urlparse_cached(request), request.meta[META_KEY]
        assert isinstance(body, Body)
        host = url.hostname or ""
        if request.meta.get("proxy") or url.scheme not in schemes or spelled_address(host):
            return
        if compat.is_in_dns_cache(host) or not can_be_asked_for(host):
            return
        body.place.give_back()
        async with queue.enter(has_failed=False):
            if body.is_over:  # Scrapy goes on with a download that was cancelled
                raise CrawlClosing
            addresses = await addresses_of(host, timeout)
        await body.place.take()  # also where it fails: another page may fetch it
        if not addresses:
            raise compat.CannotResolveHost(f"no results for hostname lookup: {host}")

    compat.wait_before_downloads(crawler, META_KEY, look_up)
