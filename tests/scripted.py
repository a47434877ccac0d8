r"""Whole crawls without a socket, in virtual time: hosts answer as their scripts say.

    @on_reactor
    async def test_a_forbidden_page_is_not_fetched(web):
        site = web({"a.test": {"/robots.txt": robots("User-agent: *\nDisallow: /no")}})
        await site.crawl("http://a.test/no", "http://a.test/yes")
        assert site.pages == ["http://a.test/yes"]

A test that is about HTTP itself has a `tests.site.Site`. One day of virtual time takes no time.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import Crawler, CrawlerRunner
from scrapy.http import Request, Response
from scrapy.responsetypes import responsetypes
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionLost

from scrapy_robots_policy import compat
from tests.crawls import OURS, QUIET, Seen, Spider, kind_of, request_of
from tests.site import NO_PAGES, PAGE, Answer
from tests.virtual_time import VirtualTime

Script = Answer | Exception | type[Exception] | Sequence["Script"] | Callable[[Request], "Script"]
"""What a path answers: an answer, an exception of the download, several one after the other (the
last one stays), or a function of the request. `Answer.after` is virtual time; None: never."""

SCRIPTED = {
    "LOGSTATS_INTERVAL": 0,  # else a line of the log is due each minute of virtual time
    "CLOSESPIDER_TIMEOUT": 0,
    "TWISTED_REACTOR": None,
    "RETRY_ENABLED": False,
    "RETRY_TIMES": 0,
}


@dataclass
class Hit:
    """One request that came to a host. Times are virtual seconds since the start of the test."""

    url: str
    request: Request
    began: float
    ended: float | None = None


@dataclass
class Names:
    """The server of names. A name has a public address, or those that a test gives it; with None in
    their place it never gets an answer.
    """

    known: dict[str, Sequence[str] | None] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def resolveHostName(self, receiver: Any, name: str, *_: object) -> None:  # noqa: N802 - Twisted's
        self.asked.append(name)
        receiver.resolutionBegan(None)
        addresses = self.known.get(name, ["8.8.8.8"])
        for address in addresses or ():
            receiver.addressResolved(SimpleNamespace(host=address))
        if addresses is not None:
            receiver.resolutionComplete()


@contextmanager
def name_server() -> Iterator[Names]:
    """Inside, the reactor asks this for the addresses of names."""
    from twisted.internet import reactor  # noqa: PLC0415 - pytest-twisted installs it

    asked: Any = reactor  # typed as an interface without a resolver
    names = Names()
    before = asked.installNameResolver(names)
    try:
        yield names
    finally:
        asked.installNameResolver(before)


@dataclass
class Web:
    """`peers`: by host, the address that answers, where a download handler is to tell it."""

    hosts: Mapping[str, Mapping[str, Any]]
    time: VirtualTime
    names: Names
    peers: dict[str, str] = field(default_factory=dict)
    hits: list[Hit] = field(default_factory=list)
    busiest: int = 0
    _turns: dict[str, int] = field(default_factory=dict)
    _pauses: list[Deferred[None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.began = self.time.now()

    @property
    def now(self) -> float:
        """Virtual seconds since the start of the test."""
        return self.time.time - self.began

    @property
    def urls(self) -> list[str]:
        """What was asked for, in order."""
        return [hit.url for hit in self.hits]

    @property
    def pages(self) -> list[str]:
        """What was asked for but for robots.txt and tdmrep.json, in order."""
        return [hit.url for hit in self.visits()]

    def visits(self, host: str = "") -> list[Hit]:
        """The pages that were asked for, at one host or at all, in order."""
        return [hit for hit in self.of(host) if not urlsplit(hit.url).path.endswith(NO_PAGES)]

    def fetches(self, host: str = "") -> list[Hit]:
        return [hit for hit in self.of(host) if urlsplit(hit.url).path.endswith(NO_PAGES)]

    def of(self, host: str = "") -> list[Hit]:
        return [hit for hit in self.hits if host in ("", urlsplit(hit.url).hostname)]

    async def respond(self, request: Request) -> Response:
        hit = Hit(request.url, request, self.now)
        self.hits.append(hit)
        self.busiest = max(self.busiest, sum(hit.ended is None for hit in self.hits))
        try:
            return await self._answer(request)
        finally:
            hit.ended = self.now

    async def _answer(self, request: Request) -> Response:
        parts = urlsplit(request.url)
        host = self.hosts.get(parts.netloc, self.hosts.get(parts.hostname or "", {}))
        script = host.get(parts.path, host.get("*", PAGE))
        await compat.sleep(0)  # no site answers at once, with any reactor
        while not isinstance(script, Answer):
            if isinstance(script, Exception) or script is None:
                raise script or ConnectionLost
            if isinstance(script, type):
                raise script
            if callable(script):
                script = script(request)
            else:
                turn = self._turns.get(request.url, 0)
                self._turns[request.url] = turn + 1
                script = script[min(turn, len(script) - 1)]
        await self._pause(script.after)
        headers = {"Content-Type": "text/html", **script.headers}
        kind = responsetypes.from_headers(scrapy.http.Headers(headers))
        made = kind if issubclass(kind, scrapy.http.TextResponse) else Response
        peer = self.peers.get(parts.hostname or "")
        address = ip_address(peer) if peer else None
        answer = (request.url, script.status, headers, script.body)
        return made(*answer, request=request, ip_address=address)

    async def _pause(self, seconds: float | None) -> None:
        pause: Deferred[None] = Deferred()
        if seconds is not None:
            self.time.call_later(seconds, lambda: pause.called or pause.callback(None))
        self._pauses.append(pause)
        await maybe_deferred_to_future(pause)

    async def let_go(self) -> None:
        """Whatever has not been answered is lost: Scrapy leaves what it gives up to its handler."""
        for pause in self._pauses:
            if not pause.called:
                pause.errback(ConnectionLost())
        self._pauses.clear()
        await self.time.forward(0)

    def start(
        self,
        *requests: Request | str,
        settings: Mapping[str, Any] | None = None,
        spider: type[Spider] = Spider,
        **attributes: Any,
    ) -> Crawl:
        """Begin a crawl. `attributes` are the spider's."""
        handler = download_handler(self.respond)
        merged = {**QUIET, **OURS, **SCRIPTED, **(settings or {})}
        merged["DOWNLOAD_HANDLERS"] = dict.fromkeys(("http", "https", "ftp"), handler)
        runner = CrawlerRunner(merged)
        crawler = runner.create_crawler(kind_of(spider, requests, **attributes))
        return Crawl(self, crawler, runner.crawl(crawler))

    async def crawl(self, *requests: Request | str, **options: Any) -> Seen:
        """Crawl to the end."""
        return await self.start(*requests, **options).end()


@dataclass
class Crawl:
    """A crawl that is under way."""

    web: Web
    crawler: Crawler
    ended: Any

    async def end(self) -> Seen:
        await self.web.time.run(lambda: self.ended.called)
        await maybe_deferred_to_future(self.ended)
        await self.web.let_go()
        spider: Any = self.crawler.spider
        spider.seen.stats = self.crawler.stats.get_stats()  # type: ignore[union-attr] # it ran
        return spider.seen

    async def close(self) -> Seen:
        """Close it as Ctrl-C does, and wait for its end."""
        compat.close_spider(self.crawler, "enough")
        return await self.end()


class Timed(Spider):
    """Asks for pages at times: `plan` has pairs of seconds since the start and a request."""

    plan: Sequence[tuple[float, Request | str]] = ()

    async def start(self) -> AsyncIterator[Any]:
        passed = 0.0
        for at, wanted in self.plan:
            await compat.sleep(at - passed)
            passed = at
            yield request_of(wanted).replace(callback=self.parse, errback=self.fail)


Respond = Callable[[Request], Awaitable[Response]]


def download_handler(respond: Respond) -> type:
    """The class of a download handler of Scrapy that has `respond` answer all requests."""

    class Handler:
        lazy = False

        @classmethod
        def from_crawler(cls, _crawler: object) -> Handler:
            return cls()

        async def download_request(self, request: Request) -> Response:
            return await respond(request)

        async def close(self) -> None:
            """Nothing to release."""

    return Handler
