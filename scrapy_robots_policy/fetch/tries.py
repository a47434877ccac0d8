"""A robots.txt through Scrapy's engine: an order in, a result out, whatever the site does.

`Fetcher` tries, follows redirects, and tries again. Each request passes all downloader middlewares.
What is special about it, from the first step to the last:

1. It enters the `FetchGate` (`gate`).
2. The name of its host is looked up before its time begins (`names`).
3. Its time is limited (`transfers`). A middleware may keep a request for ever, or send another one
   in its place that waits for the same robots.txt: `Fetcher._limited`.
4. Its body is capped as it comes in, and unpacked no further (`bodies`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from scrapy.crawler import Crawler
from scrapy.http import Request, Response
from twisted.internet.defer import CancelledError

from .. import compat
from ..core.causes import cause_of, is_fault_of
from ..core.events import Fetched
from ..core.redirects import REDIRECTS, Hop, follow
from ..core.result import (
    Exchange,
    by_name,
    can_be_sent,
    check_answer,
    fetch_limit,
    instant,
    result_of,
)
from ..exceptions import CrawlClosing
from ..rep import CacheEntry, FetchResult
from ..rep.access import DAY, has_whole_copy, remember
from ..rep.documents import url_of
from .bodies import Bodies, Body
from .names import Addresses, addresses_of
from .plugins import clients_by_plugin, middlewares_by_plugin
from .request import NO_LIMIT, FetchOrder, RequestProfile
from .urls import readable_location

MAX_IN_MIDDLEWARES = 300.0  # seconds: some wait on purpose, such as for a quota

RETRIED = frozenset({408, 500, 502, 503, 504, 522, 524})  # what may be gone in a second
# What a server may answer because of a header of ours. The fetch is tried again without it.
MISUNDERSTOOD = frozenset({400, 405, 406, 411, 412, 431})
MAX_STATUS = 999  # a handler may pass more, or less than 0: a store keeps no such entry
RETRY_FIRST = 0.5  # seconds; doubles from try to try
RETRY_LAST = 10.0  # a site that asks for a longer wait gets it from the dialect's access policy

PASSING = frozenset(
    {"dns", "cut body", "reset", "connection refused", "connection failed", "timeout while busy"}
)


class KeptByMiddlewareError(Exception):
    """A request did not reach the downloader in time."""


class Fetcher:
    """Fetches what is ordered.

    Args:
        profile: how each request is made.
        retries: how often a fetch that failed quickly is tried again.
        now: seconds since the epoch.

    """

    def __init__(
        self,
        crawler: Crawler,
        profile: RequestProfile,
        retries: int,
        now: Callable[[], float],
    ) -> None:
        self.crawler, self.profile, self.retries, self.now = crawler, profile, retries, now
        self.bodies = Bodies(crawler)
        self.plugins = middlewares_by_plugin(crawler.settings)
        self.clients = clients_by_plugin(crawler.settings)
        self.has_cache = crawler.settings.getbool("HTTPCACHE_ENABLED")

    async def __call__(self, order: FetchOrder) -> Fetched:
        """Raises CrawlClosing, CancelledError where the crawl no longer waits for it, and what a
        hook of the user's raises.
        """
        exchanges: list[Exchange] = []
        result, error = await self._try(order, exchanges)
        for attempt in range(self.retries):
            if not _may_pass(result):
                break
            order.slot.rest()
            await compat.sleep(max(_pause(attempt), result.retry_after or 0.0))
            result, error = await self._try(order, exchanges)
        if result.status in MISUNDERSTOOD:
            result, error = await self._try(replace(order, is_plain=True), exchanges)
        elif result.status == 401 and self.profile.has_credentials:  # RFC 9110 §15.5.2
            with_credentials = replace(order, with_credentials=True, entry=None)
            result, error = await self._try(with_credentials, exchanges)
        elif _is_about_another_file(result, order):
            result, error = await self._try(replace(order, entry=None), exchanges)
        copy = await self._cached(order) if result.status is None and self.has_cache else None
        is_fault = error is not None and is_fault_of(error, self.plugins, self.clients)
        return Fetched(order.origin, result, error, is_fault, tuple(exchanges), copy)

    async def _cached(self, order: FetchOrder) -> CacheEntry | None:
        """What Scrapy's HTTP cache has of a document, as of the Date of its answer; without one, as
        of a day ago: so old a copy is stale.
        """
        exchanges: list[Exchange] = []
        cached = replace(order, cached_only=True, entry=None, slot=NO_LIMIT)
        result, _ = await self._try(cached, exchanges)
        if result.status is None:
            return None
        date = instant(exchanges[-1].received.get("date", ""))
        return remember(None, result, self.now() - DAY if date is None else min(date, self.now()))

    async def _try(
        self, order: FetchOrder, exchanges: list[Exchange]
    ) -> tuple[FetchResult, Exception | None]:
        """One try, with its redirects: (what came, what went wrong)."""
        error: Exception | None = None

        async def ask(url: str, hops: tuple[str, ...]) -> Hop:
            nonlocal error
            answer, error = await self._get(url, hops, order, exchanges)
            return answer

        async def look_up(host: str) -> Addresses:
            return await addresses_of(host, self.profile.timeout)

        redirects = order.dialect.access.redirects
        url = url_of(order.origin)
        return await follow(url, redirects, self.profile.guard, ask, look_up), error

    async def _get(
        self, url: str, hops: tuple[str, ...], order: FetchOrder, exchanges: list[Exchange]
    ) -> tuple[Hop, Exception | None]:
        """((what came, where it points to), what went wrong)"""
        validators = _validators(order, hops)
        request = self.profile.request(url, validators, order)
        limit = fetch_limit(order.dialect)
        asked_at = self.now()
        try:
            with Body(self.bodies, request, limit + 1, order.slot) as body:  # is there more?
                await order.slot.begin(request, hops)
                asked_at = self.now()
                if self.plugins:  # Scrapy's own middlewares keep no request
                    response = await self._limited(request, body)
                else:
                    response = await compat.download(self.crawler, request)
            headers = by_name(response.headers.items())
            is_proxied = bool((response.request or request).meta.get("proxy"))
            check_answer(
                response.status, headers, is_proxied=is_proxied, is_conditional=bool(validators)
            )
            result = self._result(response.status, headers, body.unpacked(response))
            exchanges.append(self._exchange(request, asked_at, result, headers))
            result = _marked_if_cut(result, order, limit)
            return _answer(result, response, is_proxied=is_proxied), None
        except (CancelledError, CrawlClosing):
            raise  # no result: nobody asks any more. asyncio's CancelledError is no Exception
        except Exception as error:  # noqa: BLE001 - middlewares and handlers may raise what they like
            result = FetchResult(None, cause=cause_of(error))
            exchanges.append(self._exchange(request, asked_at, result, {}))
            return Hop(result), error

    async def _limited(self, request: Request, body: Body) -> Response:
        """The response. KeptByMiddlewareError if the request has not reached the downloader after
        MAX_IN_MIDDLEWARES.
        """

        def late() -> Exception | None:
            return None if body.has_reached_downloader else KeptByMiddlewareError()

        download = partial(compat.download, self.crawler, request)
        return await compat.within(MAX_IN_MIDDLEWARES, download, late)

    def _exchange(
        self, request: Request, asked_at: float, result: FetchResult, headers: dict[str, str]
    ) -> Exchange:
        sent = by_name(request.headers.items())  # the middlewares have added theirs
        url, now = request.url, self.now()
        return Exchange(url, asked_at, now, result.status, result.cause, sent, headers)

    def _result(self, status: int, headers: dict[str, str], body: bytes) -> FetchResult:
        if not 0 <= status <= MAX_STATUS:
            return FetchResult(None, cause="no HTTP status")
        return result_of(status, headers, body, self.now())


def _answer(result: FetchResult, response: Response, *, is_proxied: bool) -> Hop:
    """What came, for `follow`. The address of a proxy says nothing about the site.

    Of several Location headers the last one counts, as it does where Scrapy follows a page.
    """
    peer = "" if is_proxied else response.ip_address or ""
    location = response.headers.get(b"Location") if response.status in REDIRECTS else None
    return Hop(result, readable_location(location or b""), peer, is_proxied=is_proxied)


def _may_pass(result: FetchResult) -> bool:
    """Whether a second try may do better at once. A timeout has taken long enough already, unless
    the process was busy: then it says nothing about the site.
    """
    if (result.retry_after or 0.0) > RETRY_LAST:
        return False
    if result.status is None:
        return result.cause in PASSING
    return result.status in RETRIED


def _pause(attempt: int) -> float:
    """Seconds before a retry: doubling, with jitter so that not all crawlers come at once."""
    jitter = random.uniform(0.75, 1.25)  # noqa: S311 - spreads load, keeps no secret
    return min(RETRY_FIRST * 2.0**attempt, RETRY_LAST) * jitter


def _marked_if_cut(result: FetchResult, order: FetchOrder, limit: int) -> FetchResult:
    """Whether there was more than the dialect reads, which is `limit`; a 304 is as its copy."""
    if result.status == 304 and order.entry is not None:
        return replace(result, is_cut=order.entry.latest.is_cut)
    return replace(result, is_cut=True) if len(result.body) > limit else result


def _is_about_another_file(result: FetchResult, order: FetchOrder) -> bool:
    """Whether a 304 has another ETag than the copy, of which it then says nothing.

    RFC 9111 §4.3.4. It comes from servers that look at If-Modified-Since alone.
    """
    if result.status != 304 or order.entry is None or not result.etag:
        return False
    return result.etag.removeprefix("W/") != order.entry.latest.etag.removeprefix("W/")


def _validators(order: FetchOrder, hops: tuple[str, ...]) -> dict[str, str]:
    """The conditional headers, for the URL only that gave a usable copy. RFC 9110 §13.1."""
    entry = order.entry
    if order.is_plain or entry is None or entry.latest.hops != hops:
        return {}
    if not has_whole_copy(entry, fetch_limit(order.dialect)):
        return {}
    validators = {
        "If-None-Match": entry.latest.etag,
        "If-Modified-Since": entry.latest.last_modified,
    }
    return {name: value for name, value in validators.items() if can_be_sent(value)}
