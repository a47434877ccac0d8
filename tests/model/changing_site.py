"""A site whose robots.txt changes, and which notes all that it is asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from scrapy.http import Request, Response
from twisted.internet.error import ConnectionLost

from scrapy_robots_policy import compat

AGENT = "modelbot"
PATHS = ("/a", "/b")
SITEMAP = "https://example.com/sitemap.xml"


@dataclass(frozen=True)
class File:
    """A robots.txt.

    closed       the paths that the group for * closes
    own          those that the crawler's own group closes; None: it has no such group
    delay        the seconds of its Crawl-delay; 0: it has none
    hours        its Visit-time, as the hour of its begin and of its end; None: it has none
    has_sitemap  whether it names a sitemap
    """

    closed: frozenset[str] = frozenset()
    own: frozenset[str] | None = None
    delay: float = 0.0
    hours: tuple[int, int] | None = None
    has_sitemap: bool = False

    def __str__(self) -> str:
        groups = [self._group("*", self.closed)]
        if self.own is not None:
            groups.append(self._group(AGENT, self.own))
        return "\n".join(groups) + f"Sitemap: {SITEMAP}\n" * self.has_sitemap

    def _group(self, agent: str, closed: frozenset[str]) -> str:
        lines = [f"User-agent: {agent}", *(f"Disallow: {path}" for path in sorted(closed))]
        if self.delay:
            lines.append(f"Crawl-delay: {self.delay:g}")
        if self.hours:
            lines.append("Visit-time: {:02}00-{:02}00".format(*self.hours))
        return "\n".join([*lines, ""])


@dataclass(frozen=True)
class Answer:
    """What a site answers when it is asked for its robots.txt.

    status       None: the connection is lost
    file         what comes with the status 200
    lifetime     the max-age of its Cache-Control, in seconds; None: it has none
    has_etag     whether the file can be validated: then a 304 comes while it stays the same
    retry_after  seconds; None: there is no such header
    hops         so many redirects lead to it
    takes        seconds until it comes
    """

    status: int | None = 200
    file: File = File()
    lifetime: int | None = None
    has_etag: bool = False
    retry_after: int | None = None
    hops: int = 0
    takes: float = 0.0

    @property
    def etag(self) -> str:
        return f'"{hash((self.file, self.lifetime))}"'

    def response(self, request: Request) -> Response:
        headers = {"Content-Type": "text/plain"}
        if self.lifetime is not None:
            headers["Cache-Control"] = f"max-age={self.lifetime}"
        if self.retry_after is not None:
            headers["Retry-After"] = str(self.retry_after)
        status, body = self.status, b""
        if status == 200:
            body = str(self.file).encode()
            if self.has_etag:
                headers["ETag"] = self.etag
                if request.headers.get("If-None-Match") == self.etag.encode():
                    status, body = 304, b""
        return Response(request.url, status, headers, body, request=request)


@dataclass(eq=False)
class Visit:
    """One request that came to a site.

    asked  the page that the crawl was asked for; None: it is a fetch of the robots.txt
    ended  None: it has not been answered
    """

    process: int
    began: float
    asked: object | None
    ended: float | None = None


@dataclass(eq=False)
class Fetch:
    """One try of a crawl to get the robots.txt, with all redirects.

    status  that of the last response; None: there was none
    ended   None: it has not ended
    """

    process: int
    began: float
    answer: Answer
    status: int | None = None
    ended: float | None = None


@dataclass
class Site:
    """One host.

    max_redirects  how many redirects of its robots.txt a crawl follows
    answer         what it answers now when it is asked for its robots.txt
    pages_take     seconds until a page comes
    """

    now: Callable[[], float]
    max_redirects: int
    answer: Answer = Answer()
    pages_take: float = 0.0
    visits: list[Visit] = field(default_factory=list)
    fetches: list[Fetch] = field(default_factory=list)

    async def respond(self, process: int, request: Request) -> Response:
        visit = Visit(process, self.now(), request.meta.get("asked"))
        self.visits.append(visit)
        try:
            if visit.asked is None:
                return await self._robots_txt(process, request)
            await compat.sleep(self.pages_take)
            return Response(request.url, request=request)
        finally:
            visit.ended = self.now()

    async def _robots_txt(self, process: int, request: Request) -> Response:
        """What the site answered as the fetch began, or one of the redirects that lead to it."""
        path = urlsplit(request.url).path
        if path == "/robots.txt":
            self.fetches.append(Fetch(process, self.now(), self.answer))
            path = f"/moved/{len(self.fetches) - 1}/0"
        *_, number, hop = path.split("/")
        fetch, hops = self.fetches[int(number)], int(hop)
        if hops < fetch.answer.hops:
            if hops == self.max_redirects:
                fetch.status, fetch.ended = 301, self.now()
            place = f"/moved/{number}/{hops + 1}"
            return Response(request.url, 301, {"Location": place}, request=request)
        await compat.sleep(fetch.answer.takes)
        fetch.ended = self.now()
        if fetch.answer.status is None:
            raise ConnectionLost
        response = fetch.answer.response(request)
        fetch.status = response.status
        return response


Respond = Callable[[Request], Awaitable[Response]]


def download_handler(respond: Respond) -> type:
    """The class of a download handler of Scrapy that has `respond` answer all requests."""

    class Handler:
        lazy = False

        @classmethod
        def from_crawler(cls, _crawler: object) -> Handler:
            return cls()

        if compat.ASYNC_API:

            async def download_request(self, request: Request) -> Response:
                return await respond(request)

        else:

            def download_request(self, request: Request, _spider: object) -> object:
                return compat.deferred_from_coro(respond(request))

        async def close(self) -> None:
            """Nothing to release."""

    return Handler
