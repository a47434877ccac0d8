"""How fast single hosts are visited: a lane for each slot that somebody asks to be slow in.

Knows: delays, and how to wait for one's turn; the clock and the timer are handed in.
Must not know: robots.txt, settings, the downloader.

In a lane one request is under way at a time, and the next one goes when the delay is over, counted
from the end of the one before: so the host sees no shorter gap, whatever the network does, and a
request that waits for its turn stands before the downloader. There `DOWNLOAD_DELAY`, AutoThrottle
and jitter may slow it down more, but nothing there can make a lane faster, and a slot that Scrapy
throws away takes no delay with it.

Who shares a store with other processes asks them too, when his turn in the lane has come: in all of
them together one request is under way at a time, and the host rests from its end for the delay. To
hand out times of departure instead would be cheaper, but a request that is slow to connect would
meet the next one at the host's door, and a reserved time that is cancelled is lost to all. So:

* Network latency makes gaps longer, never shorter: a request goes when the one before has ended
  and the store has heard of it. The price is one way to the store and back for each request.
* A request may take longer than the delay. The others ask again once a delay, which loses no time:
  from its end they have to wait for a delay anyway, and from then on they know how long.
* What was cancelled before it reached the downloader gives the turn back without a rest. What
  reached it was a visit, however it ended.
* The clock is the store's. Only a robots.txt, fetched before anybody knows of a delay, is told by
  the clock of who fetched it.
* A process that dies in its turn holds up the host for as long as a lease lasts, and the delay. The
  right to a turn is renewed while it is had, so a visit may take its time.
* A robots.txt that is fetched anew is a visit, and takes its turn before pages.
* While the store is out of reach, each process keeps the delay by itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from scrapy.http import Request
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from ..stores import FleetCoordinator

MOST_LANES = 10_000

CallLater = Callable[[float, Callable[[], object]], Callable[[], None]]


class Closing(Exception):  # noqa: N818 - no error
    """The crawl ends: who waits waits in vain."""


class DelayQueue:
    """One slot's line. `asked` has the seconds that each origin in this slot asks for."""

    def __init__(
        self, slot: str, fleet: FleetCoordinator, now: Callable[[], float], call_later: CallLater
    ) -> None:
        self.slot, self.fleet, self.now, self.call_later = slot, fleet, now, call_later
        self.asked: dict[str, float] = {}
        self.free_at = 0.0
        self._line: deque[Deferred[None]] = deque()
        self._taken = False
        self._sent: tuple[Request, float] | None = None
        self._inside: set[Request] = set()
        self._stop_timer: Callable[[], None] | None = None
        self.is_closed = False

    @property
    def delay(self) -> float:
        return max(self.asked.values(), default=0.0)

    @property
    def is_idle(self) -> bool:
        busy = self._line or self._taken or self._inside
        return not busy and self.free_at <= self.now()

    async def turn(self, *, first: bool = False) -> None:
        """Wait for one's turn, in the line or before it. `go` or `give_back` must follow."""
        await self._here(first=first)
        while self.delay and (wait := await self._elsewhere()):
            self.free_at = max(self.free_at, self.now() + wait)
            self._taken = False
            await self._here(first=True)

    async def _elsewhere(self) -> float:
        """Whether it is our turn among all processes too: 0, or the seconds to wait."""
        try:
            return await self.fleet.take(self.slot, self.delay)
        except BaseException:  # cancelled
            self.give_back()
            raise

    async def _here(self, *, first: bool) -> None:
        """Wait for one's turn among those of this process."""
        if self.is_closed:
            raise Closing
        turn: Deferred[None] = Deferred()
        (self._line.appendleft if first else self._line.append)(turn)
        self._next()
        try:
            await maybe_deferred_to_future(turn)
        except BaseException:
            if turn in self._line:
                self._line.remove(turn)
            elif not self.is_closed:  # it came just then
                self.give_back()
            raise

    def go(self, request: Request) -> None:
        """The request whose turn it is goes to the downloader now."""
        self._taken = False
        self._sent = request, self.free_at
        self.free_at = self.now() + self.delay
        self._next()

    def give_back(self) -> None:
        """It was one's turn, but one does not go."""
        self._taken = False
        if self._sent is None:
            self.fleet.leave(self.slot, visited=False)
        self._next()

    def reached(self, request: Request) -> None:
        """Any request of this slot has reached the downloader."""
        self._inside.add(request)

    def visited(self, request: Request) -> None:
        """Its transfer is over."""
        self._inside.discard(request)
        self.free_at = self.now() + self.delay
        if self._sent is not None and self._sent[0] is request:
            self._sent = None
            self.fleet.leave(self.slot, visited=True)
        elif self._sent is not None:  # it was another's visit, which the lane could not hold up
            self._sent = self._sent[0], self.free_at
        self._next()

    def left(self, request: Request) -> None:
        """A request is gone. If the downloader has never seen it, it was no visit."""
        if request in self._inside:
            self.visited(request)  # cancelled
        elif self._sent is not None and self._sent[0] is request:
            self.free_at = self._sent[1]
            self._sent = None
            self.fleet.leave(self.slot, visited=False)
            self._next()

    def close(self) -> None:
        self.is_closed = True
        if self._stop_timer is not None:
            self._stop_timer()
        while self._line:
            turn = self._line.popleft()
            if not turn.called:
                turn.errback(Closing())

    def _next(self) -> None:
        """Let the first in line go, now or when it is time."""
        if self._stop_timer is not None:
            self._stop_timer()
            self._stop_timer = None
        if not self._line or self._taken or self._inside:
            return
        wait = self.free_at - self.now()
        if wait > 0:
            self._stop_timer = self.call_later(wait, self._on_time)
        else:
            turn = self._line.popleft()
            if turn.called:  # cancelled
                self._next()
            else:
                self._taken = True
                turn.callback(None)

    def _on_time(self) -> None:
        self._stop_timer = None
        self._next()


class DelayQueues:
    """The lanes of a crawl. `now`: any clock in seconds that never goes back."""

    def __init__(
        self, fleet: FleetCoordinator, now: Callable[[], float], call_later: CallLater
    ) -> None:
        self.fleet, self.now, self.call_later = fleet, now, call_later
        self.lanes: dict[str, DelayQueue] = {}
        self._sweep_at = MOST_LANES

    def lane(self, slot: str, origin: str, delay: float, since_visit: float) -> DelayQueue | None:
        """Where a request to a slot has to line up; None: nowhere.

        delay        the seconds that the request's origin asks for; 0: none
        since_visit  the seconds since it has been asked for its robots.txt, which was a visit too
        """
        lane = self.lanes.get(slot)
        if not delay:
            if lane is not None:
                lane.asked.pop(origin, None)
            return lane if lane is not None and lane.asked else None
        if lane is None:
            lane = self._open(slot)
        if lane.asked.get(origin) != delay:
            lane.asked[origin] = delay
            rest = min(max(delay - since_visit, 0.0), delay)
            lane.free_at = max(lane.free_at, self.now() + rest)
        return lane

    def close(self) -> None:
        for lane in self.lanes.values():
            lane.close()

    def _open(self, slot: str) -> DelayQueue:
        if len(self.lanes) >= self._sweep_at:
            # What is idle past its delay may be forgotten: its next request opens it again.
            self.lanes = {key: lane for key, lane in self.lanes.items() if not lane.is_idle}
            self._sweep_at = max(MOST_LANES, 2 * len(self.lanes))
        lane = self.lanes[slot] = DelayQueue(slot, self.fleet, self.now, self.call_later)
        return lane
