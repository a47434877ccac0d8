"""Fetches from many sites, some at a time, whose results are used one after another."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

AHEAD = 1000  # items for which a fetch is started before their turn comes

Item = TypeVar("Item")
Result = TypeVar("Result")


class Fetches(Generic[Result]):
    """The results of `fetch`, which is called in `at_a_time` threads. They end with the process: a
    run that is interrupted waits for none of them.
    """

    def __init__(self, fetch: Callable[[str], Result], at_a_time: int) -> None:
        self._fetch, self._room = fetch, at_a_time
        self._orders: SimpleQueue[tuple[str, Future[Result]]] = SimpleQueue()
        self._results: dict[str, Future[Result]] = {}

    def start(self, url: str) -> None:
        """Fetch the URL as soon as a thread is free, unless that is under way already."""
        if url in self._results:
            return
        self._results[url] = Future()
        self._orders.put((url, self._results[url]))
        if self._room:
            self._room -= 1
            Thread(target=self._work, daemon=True).start()

    def result(self, url: str) -> Result:
        """Wait for the result. It is given once, and then forgotten."""
        self.start(url)
        return self._results.pop(url).result()

    def _work(self) -> None:
        while True:
            url, future = self._orders.get()
            try:
                future.set_result(self._fetch(url))
            except BaseException as error:  # noqa: BLE001 - it is raised where the result is awaited
                future.set_exception(error)


def started_ahead(items: Iterable[Item], start: Callable[[Item], None]) -> Iterator[Item]:
    """The items in order. Before one is given, `start` is called for `AHEAD` items after it."""
    waiting: deque[Item] = deque()
    for item in items:
        start(item)
        waiting.append(item)
        if len(waiting) > AHEAD:
            yield waiting.popleft()
    yield from waiting
