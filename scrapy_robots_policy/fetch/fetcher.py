"""One robots.txt through Scrapy's engine: an order in, a result out, whatever the site does.

One request for a robots.txt and its response, as a record of the crawl keeps them.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, Response
from twisted.internet.defer import CancelledError

from .. import compat
from ..exceptions import CrawlClosing, FetchForbidden
from ..rep import FetchResult
from ..rep.access import has_whole_copy
from ..rep.url import ROBOTS_TXT, document_of, url_of
from .answers import by_name, can_be_sent, cause_of, check_answer, is_fault_of, result_of
from .body import Bodies, Body
from .handlers import clients_by_plugin, middlewares_by_plugin
from .order import FetchOrder, octets_read
from .redirects import REDIRECTS, Answer, Lookup, follow
from .request import RequestProfile
from .transfer import Addresses, addresses_of, limit_middlewares


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request, one hop of redirects.

    asked_at     when the request was handed to the downloader, in seconds since the epoch
    answered_at  when the response, or the error, came
    status       of the response; None: none came, and `cause` says why
    sent         the request's headers, `received` the response's, by lower-case name
    """

    url: str
    asked_at: float
    answered_at: float
    status: int | None
    cause: str
    sent: Mapping[str, str]
    received: Mapping[str, str]


RETRIED = frozenset({408, 500, 502, 503, 504, 522, 524})  # what may be gone in a second
# What a server may answer because of a header of ours. The fetch is tried again without it.
MISUNDERSTOOD = frozenset({400, 405, 406, 411, 412, 431})
MAX_STATUS = 999  # a handler may pass more, or less than 0: a store keeps no such entry
RETRY_FIRST = 0.5  # seconds; doubles from try to try
RETRY_LAST = 10.0  # a site that asks for a longer wait gets it from the dialect's access policy
PASSING = frozenset(
    {"dns", "cut body", "reset", "connection refused", "connection failed", "timeout while busy"}
)


class Fetcher:
    """Fetches for a `Resolver`. Counts what stock Scrapy counts: the `robotstxt/*` stats.

    admit          waits until the request of an order may be sent to its host; may raise
                   CrawlClosing, and FetchForbidden
    on_ended       called with each request when its response has come, and when it is given up
    profile        how each request is made
    retries        how often a fetch that failed quickly is tried again
    on_fault       called with the origin and an exception of a component of the user's
    on_exchange    called with the origin and each `Exchange`, if somebody keeps a record
    """

    def __init__(  # noqa: PLR0913, PLR0917 - all that it works with is handed in
        self,
        crawler: Crawler,
        admit: Callable[[Request, FetchOrder, tuple[str, ...]], Awaitable[None]],
        on_ended: Callable[[Request], None],
        now: Callable[[], float],
        profile: RequestProfile,
        retries: int,
        on_fault: Callable[[str, Exception], None],
        on_exchange: Callable[[str, Exchange], None] | None,
    ) -> None:
        self.crawler, self.admit, self.now = crawler, admit, now
        self.profile, self.retries = profile, retries
        self.on_fault, self.on_exchange = on_fault, on_exchange
        self.bodies = Bodies(crawler, on_ended)
        self.plugins = middlewares_by_plugin(crawler.settings)
        self.clients = clients_by_plugin(crawler.settings)

    async def __call__(self, order: FetchOrder) -> FetchResult:
        """Raises what `admit` raises, CancelledError where the crawl no longer waits for it, and
        what a hook of the user's raises.
        """
        result, error = await self._try(order)
        for attempt in range(self.retries):
            if not _may_pass(result):
                break
            order.place.give_back()
            await compat.sleep(max(_pause(attempt), result.retry_after or 0.0))
            await order.place.take()
            result, error = await self._try(order)
        if result.status in MISUNDERSTOOD:
            result, error = await self._try(replace(order, is_plain=True))
        elif result.status == 401 and self.profile.has_credentials:  # RFC 9110 §15.5.2
            result, error = await self._try(replace(order, with_credentials=True, entry=None))
        elif _is_about_another_file(result, order):
            result, error = await self._try(replace(order, entry=None))
        if document_of(order.origin) == ROBOTS_TXT:
            self._count(result, error)
        return result

    async def _try(self, order: FetchOrder) -> tuple[FetchResult, Exception | None]:
        """One try, with its redirects: (what came, what went wrong)."""
        way = follow(url_of(order.origin), order.dialect.access.redirects, self.profile.guard)
        step = next(way)
        error: Exception | None = None
        reply: Answer | Addresses
        while True:
            if isinstance(step, Lookup):
                reply = await addresses_of(step.host, self.profile.timeout)
            else:
                reply, error = await self._get(step.url, step.hops, order)
            try:
                step = way.send(reply)
            except StopIteration as end:
                result: FetchResult = end.value
                return result, error

    async def _get(
        self, url: str, hops: tuple[str, ...], order: FetchOrder
    ) -> tuple[Answer, Exception | None]:
        """((what came, where it points to), what went wrong)"""
        validators = _validators(order, hops)
        request = self.profile.request(url, validators, order)
        limit = octets_read(order.dialect)
        asked_at = self.now()
        try:
            with Body(self.bodies, request, limit + 1, order.place) as body:  # is there more?
                await self.admit(request, order, hops)
                asked_at = self.now()
                download = compat.download(self.crawler, request)
                if self.plugins:  # Scrapy's own middlewares keep no request
                    download = limit_middlewares(download, lambda: body.has_reached_downloader)
                response = await download
            headers = by_name(response.headers.items())
            is_proxied = bool((response.request or request).meta.get("proxy"))
            check_answer(
                response.status, headers, is_proxied=is_proxied, is_conditional=bool(validators)
            )
            result = self._result(response.status, headers, body.octets(response))
            self._note(order, request, asked_at, result, headers)
            result = _marked_if_cut(result, order, limit)
            return _answer(result, response, is_proxied=is_proxied), None
        except (CancelledError, CrawlClosing, FetchForbidden):
            raise  # no result: nobody asks any more. asyncio's CancelledError is no Exception
        except Exception as error:  # noqa: BLE001 - middlewares and handlers may raise what they like
            if is_fault_of(error, self.plugins, self.clients):
                self.on_fault(order.origin, error)
            result = FetchResult(None, cause=cause_of(error))
            self._note(order, request, asked_at, result, {})
            return Answer(result), error

    def _note(
        self,
        order: FetchOrder,
        request: Request,
        asked_at: float,
        result: FetchResult,
        headers: dict[str, str],
    ) -> None:
        if self.on_exchange is not None:
            exchange = Exchange(
                request.url,
                asked_at,
                self.now(),
                result.status,
                result.cause,
                by_name(request.headers.items()),  # the middlewares have added theirs
                headers,
            )
            self.on_exchange(order.origin, exchange)

    def _result(self, status: int, headers: dict[str, str], octets: bytes) -> FetchResult:
        if not 0 <= status <= MAX_STATUS:
            return FetchResult(None, cause="no HTTP status")
        return result_of(status, headers, octets, self.now())

    def _count(self, result: FetchResult, error: Exception | None) -> None:
        """The stats that stock Scrapy keeps, by its names."""
        count = self._count_stat
        count("robotstxt/request_count")
        if result.status is not None:
            count("robotstxt/response_count")
            count(f"robotstxt/response_status_count/{result.status}")
        elif error is not None and not isinstance(error, IgnoreRequest):
            count(f"robotstxt/exception_count/{type(error)}")

    @cached_property
    def _count_stat(self) -> Callable[[str], None]:
        return compat.stat_counter(self.crawler)


def _answer(result: FetchResult, response: Response, *, is_proxied: bool) -> Answer:
    """What came, for `follow`. The address of a proxy says nothing about the site.

    Of several Location headers the last one counts, as it does where Scrapy follows a page.
    """
    peer = "" if is_proxied else response.ip_address or ""
    location = response.headers.get(b"Location") if response.status in REDIRECTS else None
    return Answer(result, (location or b"").decode("latin-1"), peer, is_proxied=is_proxied)


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
    return replace(result, is_cut=True) if len(result.octets) > limit else result


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
    if not has_whole_copy(entry, octets_read(order.dialect)):
        return {}
    validators = {
        "If-None-Match": entry.latest.etag,
        "If-Modified-Since": entry.latest.last_modified,
    }
    return {name: value for name, value in validators.items() if can_be_sent(value)}
