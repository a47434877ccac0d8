"""The scheduler's queue: `SCHEDULER_PRIORITY_QUEUE`, which the add-on sets.

It gives only requests that may go at once (`lanes`). All others stay here, on the disk with a
JOBDIR. So memory does not grow with what waits, and no host stops another one. Its lanes stand in a
line. One whose first request may not go leaves the line until it is woken. Among the others the one
goes whose slot has the fewest requests under way, as with Scrapy's default queue, and never more
than the slot may have at a time.

Of Scrapy's queue it uses `pqueues`, a queue for each lane, and of these `_start_queues`. Where
Scrapy lacks the first, this queue is as Scrapy's own. Without the second, requests of `start` may
come before others of the same priority.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from math import inf
from typing import Any

from scrapy.http import Request
from scrapy.pqueues import DownloaderAwarePriorityQueue

from .downloadermiddlewares import RobotsPolicyMiddleware
from .lanes import Lanes, Ready, slot_of


class RobotsPriorityQueue(DownloaderAwarePriorityQueue):
    """Gives no request whose robots.txt is not known, or whose turn has not come."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._lanes = self._attend()
        self._line = deque(self.pqueues if self._lanes is not None else ())
        self._asleep: set[str] = set()
        self._heads: dict[str, Request] = {}  # the first requests of lanes that were looked at
        self._taken: set[str] = set()  # lanes whose head had to be taken out to be looked at

    def push(self, request: Request) -> None:
        if self._lanes is None:
            super().push(request)
            return
        lane = self._lanes.lane_of(request)
        queue = self.pqueues.get(lane)
        is_new = queue is None
        if queue is None:
            queue = self.pqfactory(lane)
        try:
            queue.push(request)
        except BaseException:  # it cannot be serialized, so it goes to the queue in memory
            if is_new:
                queue.close()
            raise
        if is_new:
            self.pqueues[lane] = queue
            self._line.append(lane)
        elif lane not in self._taken:
            self._heads.pop(lane, None)  # another one may be the first

    def pop(self) -> Request | None:
        lanes = self._lanes
        if lanes is None:
            return super().pop()
        driver = lanes.driver
        now = driver.now()
        if driver.policy.turns.under_way:
            driver.release_gone()
        lane, ready = self._next(lanes, now)
        request = None if lane is None else self._give(lanes, lane, ready)
        driver.run()
        return request

    def _give(self, lanes: Lanes, lane: str, ready: Ready) -> Request | None:
        queue, head = self.pqueues[lane], self._heads.pop(lane, None)
        if lane in self._taken:
            self._taken.discard(lane)
            request = head
        else:
            request = queue.pop()
        if request is not None:
            lanes.give(lane, request, ready)
        if queue:
            self._line.append(lane)
        else:
            del self.pqueues[lane]
            queue.close()
            lanes.forget(lane)
        return request

    def _head(self, lane: str) -> Request | None:
        """The request that `pop` of a lane's queue would give."""
        head = self._heads.get(lane)
        if head is None:
            queue: Any = self.pqueues[lane]
            starts: Any = getattr(queue, "_start_queues", None)
            try:
                # Its own `peek` looks at start requests first, `pop` at the others.
                first = queue if starts is None else queue.queues.get(queue.curprio)
                head = (starts[queue.curprio] if first is None else first).peek()
            except (AttributeError, KeyError, NotImplementedError):  # it cannot be looked into
                head = queue.pop()
                self._taken.add(lane)
            if head is not None:
                self._heads[lane] = head
        return head

    def _attend(self) -> Lanes | None:
        """The lanes that this queue has; None where the middleware is off, or Scrapy's queue is not
        as expected.
        """
        middleware = self.crawler.get_downloader_middleware(RobotsPolicyMiddleware)
        if middleware is None:
            return None
        if not hasattr(self, "pqueues"):
            middleware.lanes.missing = ["requests wait in memory, not in the scheduler's queue"]
            return None
        middleware.driver.queues.append(self)
        return middleware.lanes

    def _next(self, lanes: Lanes, now: float) -> tuple[str | None, Ready]:
        """The lane that is ready, of the slot with the fewest requests under way; None: none is."""
        line, fewest, passed_over = self._line, inf, list[str]()
        best, best_ready = None, Ready()
        for _ in range(len(line)):
            lane = line.popleft()
            under_way, has_place = lanes.has_place(slot_of(lane))
            if not has_place or under_way >= fewest:
                passed_over.append(lane)
                continue
            head = self._head(lane)
            ready = Ready() if head is None else lanes.ask(lane, head, now)
            if ready is None:
                self._asleep.add(lane)
                continue
            if best is not None:
                passed_over.append(best)
            fewest, best, best_ready = under_way, lane, ready
            if not under_way:
                break
        line.extendleft(reversed(passed_over))
        return best, best_ready

    @property
    def held(self) -> int:
        """How many requests are here that are not ready."""
        return sum(len(self.pqueues[lane]) for lane in self._asleep)

    def wake(self, lane: str) -> None:
        if lane in self._asleep:
            self._asleep.discard(lane)
            self._line.append(lane)

    def drain(self) -> Iterator[Request]:
        """Take all requests out, whether they may go or not."""
        self._put_heads_back()
        for queue in self.pqueues.values():
            while (request := queue.pop()) is not None:
                yield request

    def close(self) -> Any:
        self._asleep.clear()  # the line in the log may still count what is `held`
        self._put_heads_back()
        return super().close()

    def _put_heads_back(self) -> None:
        """Put back what was taken out to be looked at."""
        for lane in self._taken:
            self.pqueues[lane].push(self._heads[lane])
        self._taken.clear()
        self._heads.clear()

    def __len__(self) -> int:
        return super().__len__() + len(self._taken)
