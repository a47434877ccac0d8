"""Events that were taken down, and whose lines are not made yet.

To make a line right away costs three times as much as in one go with a hundred others: between the
other work of a crawl, neither the code nor its data is in the processor's caches. So what is taken
down must not change afterwards.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

WRITE_AFTER = 0.5  # seconds; a line is on the disk within one second
MAX_PENDING = 100  # events; to make their lines takes a few milliseconds

CallLater = Callable[[float, Callable[[], object]], Callable[[], None]]


class Pending:
    """The events of less than a second, in their order.

    flush       called after the lines were made, when it is time that they are on the disk
    call_later  calls a function after some seconds; what it gives cancels that
    """

    def __init__(self, flush: Callable[[], None], call_later: CallLater) -> None:
        self.flush, self.call_later = flush, call_later
        self._events: deque[tuple[Callable[..., object], tuple[object, ...]]] = deque()
        self._stop_timer: Callable[[], None] | None = None

    def add(self, write: Callable[..., object], *event: object) -> None:
        """Have `write(*event)` called within a second, as long as the event loop runs."""
        self._events.append((write, event))
        if self._stop_timer is None:
            self._stop_timer = self.call_later(WRITE_AFTER, self._on_time)
        if len(self._events) >= MAX_PENDING:
            self.write()

    def write(self) -> None:
        """Make the lines of all events."""
        while self._events:
            write, event = self._events.popleft()  # one that raises costs no other its line
            write(*event)

    def drop(self) -> None:
        """Forget all events: nothing can be written any more."""
        self._cancel()
        self._events.clear()

    def close(self) -> None:
        self._cancel()
        self.write()

    def _on_time(self) -> None:
        self._stop_timer = None
        self.write()
        self.flush()

    def _cancel(self) -> None:
        if self._stop_timer is not None:
            self._stop_timer()
            self._stop_timer = None
