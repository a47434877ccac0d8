"""Which fetches of robots.txt may be under way.

A fetch that gets no answer for some seconds costs a socket and little else: it must not hold a
place that a young fetch could have, or a hundred hosts that never answer would stop all others.
Where such fetches have taken half of the sockets, new ones get less time.
"""

from __future__ import annotations

import sys
from collections import OrderedDict, deque
from collections.abc import Callable

from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.defer import Deferred
from twisted.internet.selectreactor import SelectReactor

from .. import compat
from .request import FetchSlot

YOUNG = 2.0  # seconds
MAX_SOCKETS = 4_000
FILES_LEFT = 256  # open files that pages, logs and feeds are left


def max_sockets() -> int:
    """How many sockets robots.txt may take in this process, by how many it may have."""
    return max(min(MAX_SOCKETS, min(_open_files(), _watched_sockets()) - FILES_LEFT), 1)


def _open_files() -> int:
    """How many files and sockets the process may have open."""
    if sys.platform == "win32":
        return sys.maxsize
    import resource  # noqa: PLC0415 - there is none on Windows

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


def _watched_sockets() -> int:
    """How many sockets the event loop can wait for. With one more in select(), asyncio's loop ends,
    and a Twisted reactor closes sockets.
    """
    if sys.platform == "win32":
        return 512  # of CPython's select(), by which each event loop waits that Twisted can use
    if is_reactor_installed():
        from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

        if isinstance(reactor, SelectReactor):
            return 1024  # FD_SETSIZE
    return sys.maxsize


class GateSlot(FetchSlot):
    """The place of one fetch in a gate."""

    def __init__(self, gate: FetchGate, *, has_failed: bool) -> None:
        self.gate, self.has_failed = gate, has_failed
        self._ticket: Deferred[None] | None = None

    async def __aenter__(self) -> GateSlot:  # noqa: PYI034 - Self is new in Python 3.11
        await self.take()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.give_back()

    async def take(self) -> None:
        self._ticket = await self.gate.ticket(has_failed=self.has_failed)

    def give_back(self) -> None:
        if self._ticket is not None:
            self.gate.leave(self._ticket)
            self._ticket = None


class FetchGate:
    """Lets fetches begin, first come, first served; those that failed before go after all others.

    Attributes:
        max_young: how many may be under way that are younger than `YOUNG` seconds.
        sockets: how many may be under way in all.

    """

    def __init__(
        self,
        max_young: int,
        sockets: int,
    ) -> None:
        self.max_young, self.sockets = max_young, sockets
        self._young: OrderedDict[Deferred[None], float] = OrderedDict()  # when each began
        self._open = 0
        self._queue: deque[Deferred[None]] = deque()
        self._last_queue: deque[Deferred[None]] = deque()
        self._is_letting_in = False
        self._stop_timer: Callable[[], None] | None = None
        self.is_closed = False

    def enter(self, *, has_failed: bool) -> GateSlot:
        """Wait until a fetch may begin. Inside it is under way, except while it has given its place
        back.

        Args:
            has_failed: whether the last fetch for this origin has failed.

        """
        return GateSlot(self, has_failed=has_failed)

    async def ticket(self, *, has_failed: bool) -> Deferred[None]:
        """Wait until a fetch may begin. It counts as under way until its ticket is left."""
        ticket: Deferred[None] = Deferred()
        queue = self._last_queue if has_failed else self._queue
        queue.append(ticket)
        self._let_in()
        if ticket.called:  # there was room, as nearly always
            return ticket
        try:
            await maybe_deferred_to_future(ticket)
        except BaseException:
            if ticket in queue:
                queue.remove(ticket)
            else:
                self.leave(ticket)  # it was let in just when it was cancelled
            raise
        return ticket

    def leave(self, ticket: Deferred[None]) -> None:
        """A fetch has ended, or waits for something else: another one may begin."""
        self._open -= 1
        self._young.pop(ticket, None)
        self._let_in()

    def is_short_of_sockets(self) -> bool:
        """Whether more than half of the sockets are taken.

        A fetch cannot be given up later: Scrapy keeps its socket until the handler's own time limit
        has passed. So it must get a shorter one when it begins.
        """
        return self._open > self.sockets // 2

    def _has_room(self) -> bool:
        if self.is_closed:
            return False
        while self._young and compat.monotonic() - next(iter(self._young.values())) >= YOUNG:
            self._young.popitem(last=False)
        return len(self._young) < self.max_young and self._open < self.sockets

    def _let_in(self) -> None:
        """Let fetches begin while there is room.

        Without asyncio a fetch goes on within `callback`, and may end there: it leaves while this
        loop runs. A call for each would be as deep as the queue.
        """
        if self._is_letting_in:
            return
        self._is_letting_in = True
        while (self._queue or self._last_queue) and self._has_room():
            ticket = (self._queue or self._last_queue).popleft()
            self._open += 1
            self._young[ticket] = compat.monotonic()
            ticket.callback(None)
        self._is_letting_in = False
        if self._queue or self._last_queue or self._stop_timer is not None:
            self._set_timer()

    def _set_timer(self) -> None:
        """While fetches queue, look again when the oldest young one is young no longer."""
        if self._stop_timer is not None:
            self._stop_timer()
            self._stop_timer = None
        if (self._queue or self._last_queue) and self._young and not self.is_closed:
            oldest = next(iter(self._young.values()))
            self._stop_timer = compat.call_later(
                max(YOUNG - (compat.monotonic() - oldest), 0.0), self._let_in
            )

    def close(self) -> None:
        """From now on no fetch begins. Those that wait are for their owners to cancel."""
        self.is_closed = True
        self._set_timer()
