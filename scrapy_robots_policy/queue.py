"""The scheduler's queue: `SCHEDULER_PRIORITY_QUEUE`, which the add-on sets.

Scrapy's default queue gives a request of the host with the fewest in the downloader. This one does
the same among the hosts that are ready (`hosts`). The slots that may be ready stand in a
line. One that is not leaves the line: until a time, which an alarm keeps, or until it is woken.

Of Scrapy's queue it uses `pqueues`, a queue for each slot, and `_downloader_interface`, which
counts what a slot has in the downloader. Where Scrapy lacks one of them, this queue is as
Scrapy's own.
"""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from math import inf
from typing import Any

from scrapy.http import Request
from scrapy.pqueues import DownloaderAwarePriorityQueue

from . import compat
from .downloadermiddlewares import RobotsPolicyMiddleware
from .hosts import Hosts


class RobotsPriorityQueue(DownloaderAwarePriorityQueue):
    """Gives no request of a host whose robots.txt is looked up, or whose delay is not over."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._asleep: set[str] = set()
        self._alarms: list[tuple[float, str]] = []
        self._hosts = self._attend()
        self._line = deque(self.pqueues if self._hosts is not None else ())

    def push(self, request: Request) -> None:
        if self._hosts is None:
            super().push(request)
            return
        self._hosts.expect(request)
        known = len(self.pqueues)
        try:
            super().push(request)
        except BaseException:  # it cannot be serialized, so it goes to the queue in memory
            if len(self.pqueues) > known:
                self.pqueues.popitem()[1].close()
            raise
        if len(self.pqueues) > known:
            self._line.append(next(reversed(self.pqueues)))

    def pop(self) -> Request | None:
        hosts = self._hosts
        if hosts is None:
            return super().pop()
        if not self.pqueues:
            return None
        slot = self._next_of(hosts)
        if slot is None:
            if self._alarms:
                hosts.wake_at(self._alarms[0][0])
            return None
        every, self.pqueues = self.pqueues, {slot: self.pqueues[slot]}
        try:
            request = super().pop()
        finally:
            if self.pqueues:
                self._line.append(slot)
            else:
                del every[slot]
                hosts.forget(slot)
            self.pqueues = every
        if request is not None:
            hosts.give(slot, request)
        return request

    def _attend(self) -> Hosts | None:
        """The hosts that this queue serves; None where the middleware is off, or Scrapy's queue is
        not as expected.
        """
        middleware = self.crawler.get_downloader_middleware(RobotsPolicyMiddleware)
        if middleware is None:
            return None
        hosts = middleware.slots.hosts
        if not all(hasattr(self, name) for name in ("pqueues", "_downloader_interface")):
            hosts.missing = ["requests wait in memory, not in the scheduler's queue"]
            return None
        hosts.queues.append(self)
        return hosts

    def _next_of(self, hosts: Hosts) -> str | None:
        """The slot with the fewest requests in the downloader; None: no slot is ready."""
        now, line = compat.monotonic(), self._line
        while self._alarms and self._alarms[0][0] <= now:
            self.wake(heappop(self._alarms)[1])
        fewest, passed_over = inf, list[str]()
        best = None
        for _ in range(len(line)):
            slot = line.popleft()
            ready_at = hosts.watch(slot)
            if ready_at > now:
                self._asleep.add(slot)
                if ready_at < inf:
                    heappush(self._alarms, (ready_at, slot))
                continue
            [(active, _)] = self._downloader_interface.stats([slot])
            if active < fewest:
                fewest = active
                if best is not None:
                    passed_over.append(best)
                best = slot
                if not active:
                    break
            else:
                passed_over.append(slot)
        line.extendleft(reversed(passed_over))
        return best

    @property
    def held(self) -> int:
        """How many requests are here for hosts that are not ready."""
        return sum(len(self.pqueues[slot]) for slot in self._asleep)

    def wake(self, slot: str) -> None:
        if slot in self._asleep:
            self._asleep.discard(slot)
            self._line.append(slot)

    def close(self) -> Any:
        self._asleep.clear()  # the line in the log may still count what is `held`
        return super().close()
