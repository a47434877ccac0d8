"""The name of a host is looked up before its robots.txt is asked for, some names at a time.

The system looks names up in a few threads. A name whose servers do not answer holds one of them for
seconds, and a download's time is running while its own name queues. So a broad crawl with such
names would count healthy sites as unreachable, because their lookup came too late. Here names queue
before their downloads begin, without a place that other fetches could have.
"""

from __future__ import annotations

import time
from functools import cached_property

from scrapy.crawler import Crawler
from scrapy.http import Request
from scrapy.settings import BaseSettings
from scrapy.utils.httpobj import urlparse_cached

from .. import compat
from ..exceptions import CrawlClosing
from .addresses import spelled_address
from .body import META_KEY, Body
from .fetch_gate import FetchGate
from .handlers import SCHEMES, import_path, is_by_plugin, schemes_by_plugin
from .lookup import addresses_of, can_be_asked_for

RESOLVERS = ("TWISTED_DNS_RESOLVER", "DNS_RESOLVER")  # the setting, and its older name
QUICK = 2.0  # seconds: a failure that took longer is one of servers that do not answer


class LookupTimeoutError(Exception):
    """The servers of a name did not answer. The system has asked them more than once."""


class NameQueue:
    """Looks up the names of hosts, as many at a time as the system can, first come, first served.

    A request for a proxy waits for nothing: the proxy looks its name up. Nor does one for a
    download handler of a plugin, which may have its own ways, nor any with a resolver of the
    user's, which may look up many names at a time.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.schemes: frozenset[str] = frozenset()
        if not _has_own_resolver(settings):
            self.schemes = frozenset(SCHEMES) - schemes_by_plugin(settings)
        self.timeout = settings.getfloat("DNS_TIMEOUT")

    @cached_property
    def gate(self) -> FetchGate:
        """Made for the first name: without asyncio, Scrapy opens a spider before it reads
        REACTOR_THREADPOOL_MAXSIZE.
        """
        threads = compat.lookup_threads()
        return FetchGate(threads, threads, time.monotonic, compat.call_later)

    async def look_up(self, request: Request) -> None:
        """Wait until the name of the host of a robots.txt is known, if it is to be looked up here.

        A name without an address raises what it raises in Scrapy's handlers; from
        LookupTimeoutError if that took long to know.
        """
        url, body = urlparse_cached(request), request.meta[META_KEY]
        assert isinstance(body, Body)
        host = url.hostname or ""
        if request.meta.get("proxy") or url.scheme not in self.schemes or spelled_address(host):
            return
        if compat.is_in_dns_cache(host) or not can_be_asked_for(host):
            return
        body.place.give_back()
        async with self.gate.enter(has_failed=False):
            if body.is_over:  # Scrapy goes on with a download that was cancelled
                raise CrawlClosing
            begin = time.monotonic()
            addresses = await addresses_of(host, self.timeout)
            seconds = time.monotonic() - begin
        await body.place.take()  # also where it fails: another page may fetch it
        if not addresses:
            error = compat.CannotResolveHost(f"no results for hostname lookup: {host}")
            raise error from (LookupTimeoutError() if seconds > QUICK else None)


def _has_own_resolver(settings: BaseSettings) -> bool:
    """Whether a resolver of the user's or of a plugin looks names up."""
    # Not by `get`, which warns of the older name whoever asks.
    return any(is_by_plugin(import_path(settings[name])) for name in RESOLVERS)
