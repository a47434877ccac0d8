"""Which fetches of robots.txt may be under way.

A fetch that gets no answer for some seconds costs a socket and little else: it must not hold a
place that a young fetch could have, or a hundred hosts that never answer would stop all others.
Where such fetches have taken half of the sockets, new ones get less time.

| a ticket is | event           | then it is | what follows                              |
| ----------- | --------------- | ---------- | ----------------------------------------- |
| waiting     | there is room   | young      | its fetch begins                          |
| waiting     | `withdraw`      | gone       |                                           |
| young       | `YOUNG` seconds | old        | another may begin; its socket stays taken |
| young, old  | `leave`         | gone       | another may begin                         |

There is room while fewer than `max_young` are young, and fewer than `sockets` are young or old.
From `close` on there is none.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator
from math import inf
from typing import Generic, TypeVar

YOUNG = 2.0  # seconds

Ticket = TypeVar("Ticket")  # whatever the caller knows a fetch by


class Gate(Generic[Ticket]):
    """Lets fetches begin, first come, first served; those that failed before go after all others.

    Attributes:
        max_young: how many may be under way that are younger than `YOUNG` seconds.
        sockets: how many may be under way in all.

    """

    def __init__(self, max_young: int, sockets: int) -> None:
        self.max_young, self.sockets = max_young, sockets
        self._young: OrderedDict[Ticket, float] = OrderedDict()  # when each began
        self._open = 0
        self._queue: deque[Ticket] = deque()
        self._last_queue: deque[Ticket] = deque()
        self.is_closed = False

    def enter(self, ticket: Ticket, *, has_failed: bool) -> None:
        """A fetch waits; `let_in` gives its ticket when it may begin.

        Args:
            has_failed: whether the last fetch for this origin has failed.

        """
        (self._last_queue if has_failed else self._queue).append(ticket)

    def withdraw(self, ticket: Ticket) -> None:
        """A fetch that waited, or that has just begun, is gone."""
        for queue in (self._queue, self._last_queue):
            if ticket in queue:
                queue.remove(ticket)
                return
        self.leave(ticket)

    def leave(self, ticket: Ticket) -> None:
        """A fetch has ended, or waits for something else."""
        self._open -= 1
        self._young.pop(ticket, None)

    def is_short_of_sockets(self) -> bool:
        """Whether more than half of the sockets are taken.

        A fetch cannot be given up later: Scrapy keeps its socket until the handler's own time limit
        has passed. So it must get a shorter one when it begins.
        """
        return self._open > self.sockets // 2

    def let_in(self, now: float) -> Iterator[Ticket]:
        """The tickets of fetches that begin now, one after the other, while there is room."""
        while (self._queue or self._last_queue) and self._has_room(now):
            ticket = (self._queue or self._last_queue).popleft()
            self._open += 1
            self._young[ticket] = now
            yield ticket

    def wake_at(self) -> float:
        """When the oldest young fetch is young no longer, while others wait; infinite: never."""
        waits = (self._queue or self._last_queue) and not self.is_closed
        return next(iter(self._young.values())) + YOUNG if waits and self._young else inf

    def close(self) -> None:
        """From now on no fetch begins. Those that wait are for their owners to withdraw."""
        self.is_closed = True

    def _has_room(self, now: float) -> bool:
        while self._young and now - next(iter(self._young.values())) >= YOUNG:
            self._young.popitem(last=False)
        has_place = len(self._young) < self.max_young and self._open < self.sockets
        return has_place and not self.is_closed
