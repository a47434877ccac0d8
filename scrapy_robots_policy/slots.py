"""The places of CONCURRENT_REQUESTS: lent back while a request waits, taken again in turn.

Knows: Scrapy's downloader and the engine's wake-up; nothing else in this package touches them.
Must not know: robots.txt, rules, why somebody waits.

The engine sends requests while fewer are active in the downloader than `total_concurrency`. A
request that waits is active; to lend its place is to raise that number by one until the wait ends.
Numbers are only ever raised and lowered by one, so that whoever else sets them is heard, and 0, no
limit, stays 0. A request whose wait has ended takes its place when one is free, first come, first
served, before the engine may send another: so a host that answers late floods nobody.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Protocol

from scrapy.crawler import Crawler
from scrapy.http import Request
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred, DeferredSemaphore


class Downloader(Protocol):
    """The two names of Scrapy's downloader that are used here, the same in 2.13 to 2.19."""

    total_concurrency: int
    active: set[Request]


class Slots:
    """Who waits, who waits no longer and wants in, who fetches a robots.txt.

    max_waiting  how many requests may wait without a place; more of them keep theirs, so that the
                 engine holds back
    max_fetches  how many robots.txt are fetched at a time; they take no place of a page
    """

    def __init__(self, crawler: Crawler, max_waiting: int, max_fetches: int) -> None:
        self.crawler = crawler
        self.max_waiting = max_waiting
        self.waiting = 0
        self._returning: deque[Deferred[None]] = deque()
        self._extra: set[Request] = set()
        self._fetching: DeferredSemaphore = DeferredSemaphore(max_fetches)

    @contextmanager
    def lent(self) -> Iterator[None]:
        """While inside, the place of the request that waits belongs to others."""
        downloader = self._downloader()
        if downloader is None or self.waiting >= self.max_waiting:
            yield
            return
        self.waiting += 1
        downloader.total_concurrency += 1
        self._wake_engine()
        try:
            yield
        finally:
            self.waiting -= 1
            downloader.total_concurrency -= 1

    async def place(self) -> None:
        """Wait for a place among those who send; who came first goes first."""
        downloader = self._downloader()
        if downloader is None:
            return
        turn: Deferred[None] = Deferred()
        self._returning.append(turn)
        self._admit(downloader)
        try:
            await maybe_deferred_to_future(turn)
        except BaseException:  # cancelled
            if turn in self._returning:
                self._returning.remove(turn)
            raise

    @asynccontextmanager
    async def fetch(self, request: Request) -> AsyncIterator[None]:
        """While inside, the request may be active and take nobody's place."""
        await maybe_deferred_to_future(self._fetching.acquire())
        downloader = self._downloader()
        if downloader is not None:
            downloader.total_concurrency += 1
            self._extra.add(request)
        try:
            yield
        finally:
            if downloader is not None:
                self._take_back(request, downloader)
            self._fetching.release()

    def _left(self, request: Request, downloader: Downloader) -> None:
        """A request is active no longer. Its extra place goes with it, lest a page take it."""
        self._take_back(request, downloader)
        self._admit(downloader)

    def _take_back(self, request: Request, downloader: Downloader) -> None:
        if request in self._extra:
            self._extra.remove(request)
            downloader.total_concurrency -= 1

    def _admit(self, downloader: Downloader) -> None:
        """Let in as many as there are places for."""
        returning = self._returning
        while returning and len(downloader.active) - len(returning) < downloader.total_concurrency:
            turn = returning.popleft()
            if not turn.called:
                turn.callback(None)

    def _downloader(self) -> Downloader | None:
        """The downloader; None where it sets no limit, or none that we know."""
        assert self.crawler.engine is not None  # requests are under way
        downloader: Any = self.crawler.engine.downloader
        if not getattr(downloader, "total_concurrency", 0):
            return None
        if not isinstance(downloader.active, _Active):
            downloader.active = _Active(downloader.active, lambda r: self._left(r, downloader))
        known: Downloader = downloader
        return known

    def _wake_engine(self) -> None:
        """Have the engine look for a request to send, as it does whenever one ends."""
        slot = getattr(self.crawler.engine, "_slot", None)  # there is no public way, up to 2.19
        if slot is not None:
            slot.nextcall.schedule()


class _Active(set[Request]):
    """The downloader's active requests, with a word when one has left: no signal tells it."""

    def __init__(self, requests: Iterable[Request], left: Callable[[Request], None]) -> None:
        super().__init__(requests)
        self.left = left

    def remove(self, request: Request) -> None:
        super().remove(request)
        self.left(request)
