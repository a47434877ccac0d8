"""Whose turn it is at a host that asks for a delay, or for a pause. Pure: `now` is an argument.

A host of which an origin asks for a delay has one line for all its requests, in whatever download
slots they are: spiders choose slots, and copy them with `meta=response.meta`. Hosts that share the
slot in which a delay is kept stand in one line, too. In a line one request is under way at a time.
The next one goes when the delay is over, counted from the end of the one before: so the host sees
no shorter gap, whatever the network does.

Who waits is a token: a lane of the scheduler's queue, or a request. It asks, and is told when to
ask again. A lane has the turn while its request is still in the queue; `sent` gives the turn to the
request, when that goes.

A line is in one of these states.

| state   | its fields  | event                              | next    | who is told to ask |
| ------- | ----------- | ---------------------------------- | ------- | ------------------ |
| free    |             | the first asks; no fleet           | granted |                    |
| free    |             | the first asks; a fleet            | asked   |                    |
| asked   | `holder`    | `taken`: the turn is ours          | granted | that token         |
| asked   | `holder`    | `taken`: another process has it    | resting |                    |
| asked   | no `holder` | `taken`: who had asked is gone     | free    | the first          |
| granted | `holder`    | `sent`                             | sent    |                    |
| granted | `holder`    | `leave`                            | free    | the first          |
| sent    | `holder`    | `reached`                          | visited |                    |
| sent    | `holder`    | `left`: it has never reached it    | free    | the first          |
| sent    | `holder`    | `MAX_HELD` seconds pass            | free    | the first          |
| visited | `visitors`  | the last of them has `left`        | resting |                    |
| resting | `free_at`   | that time comes                    | free    | the first          |
| any     |             | nobody asks for a delay any more   | gone    | all                |

* Processes that share a store ask its coordinator too when their turn in the line has come, and
  give the turn back there. In all of them together one request is under way at a time. They ask for
  the host of the request, since each process may name its download slots otherwise. A request may
  take longer than the delay: the other processes ask again once a delay.
* A request that leaves before it reaches the downloader gives its turn back without a rest. What
  reached the downloader was a visit, however it ended.
* A request that other downloader middlewares hold back for a minute loses its turn. One of them may
  wait for a request of its own to the same host, which waits for that turn.
* The fetch of a robots.txt is a visit, and takes its turn before pages (`first`).
* A host may ask for a pause by an answer (429, Retry-After). It holds the host, and no other one in
  the same slot. Who waits for it stands in no line meanwhile.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from enum import Enum
from functools import lru_cache, partial
from math import inf
from typing import NamedTuple
from urllib.parse import urlsplit

from .agenda import Agenda, Leave, Take, Tell, Token, Watch

FIRST_PAUSE = 5.0  # seconds, where a host does not say for how long it wants to be left alone
MIN_LONGER = 0.5  # seconds by which a pause that is under way may be made longer
MAX_HELD = 60.0  # seconds that a request keeps its turn before it reaches the downloader
MAX_LINES = 10_000  # and hosts that were visited; then idle ones are forgotten
MAX_ASKERS = 100  # of one line


class Asker(NamedTuple):
    """Who asks for a delay: an origin, of a crawler, as a dialect reads it."""

    origin: str
    agent: str
    dialect: str


@lru_cache(maxsize=MAX_LINES)
def host_of(origin: str) -> str:
    """The host of an origin; Scrapy's download slot by default."""
    return urlsplit(origin).hostname or ""


class Held(NamedTuple):
    """The event that a request has had its turn for `MAX_HELD` seconds, and does not go."""

    request: Token


class State(Enum):
    """Of a line. Whether it is visited or rests is seen by `visitors` and `free_at`."""

    FREE = "free"
    ASKED = "asked"
    GRANTED = "granted"
    SENT = "sent"


class Line:
    """Those who want to visit one host, or hosts that share a slot.

    Attributes:
        delays: seconds by asker; the longest one is kept.
        waiting: the hosts of those who wait, by their tokens; the first one is next.
        free_at: the end of the rest after the last visit.

    """

    def __init__(self, agenda: Agenda, *, is_shared: bool) -> None:
        self.agenda, self.is_shared = agenda, is_shared
        self.delays: dict[Asker, float] = {}
        self.waiting: OrderedDict[Token, str] = OrderedDict()
        self.state = State.FREE
        self.holder: Token | None = None  # who has the turn, or has asked the fleet for it
        self.visitors: set[Token] = set()
        self.free_at = self._visited_at = -inf
        self._taken: dict[Token | None, str] = {}  # the fleet's turn: of whom, at which host
        self._rings_at = -inf
        self._has_told = False

    @property
    def delay(self) -> float:
        return max(self.delays.values(), default=0.0)

    @property
    def is_busy(self) -> bool:
        return self.state is not State.FREE or bool(self.visitors)

    def is_idle(self, now: float) -> bool:
        return not (self.waiting or self.is_busy or now < self.free_at)

    def keep(self, asker: Asker, delay: float, visited_at: float, now: float) -> None:
        """Keep a delay from now on, counted from a visit at that time or from a later one."""
        longest = self.delay
        self.delays[asker] = delay
        self._visited_at = max(self._visited_at, min(visited_at, now))
        self._rest(longest, now)

    def drop(self, asker: Asker, now: float) -> None:
        """Keep the delay of an asker no longer."""
        longest = self.delay
        del self.delays[asker]
        self._rest(longest, now)

    def _rest(self, longest_before: float, now: float) -> None:
        """Rest for the delay after the last visit, now that another delay may be the longest."""
        free_at = self._visited_at + self.delay
        if self.delay < longest_before:
            # This may end a wait for another process, too: the fleet is asked again then.
            self.free_at = free_at
            self._advance(now)
        else:
            self.free_at = max(self.free_at, free_at)

    def ask(self, token: Token, host: str, now: float, *, first: bool) -> bool:
        """Whether the turn is the token's. False: it waits, and is told when to ask again."""
        if self.state is State.GRANTED and self.holder == token:
            return True
        if token not in self.waiting:
            self.waiting[token] = host
            if first:
                self.waiting.move_to_end(token, last=False)
        if self.is_busy or next(iter(self.waiting)) != token:
            return False
        if now < self.free_at:
            self._advance(now)
            return False
        self.holder = token
        if self.is_shared and not self._taken:
            self.state = State.ASKED
            self.agenda.add(Take(host, self.delay))
            return False
        self.state = State.GRANTED
        del self.waiting[token]
        return True

    def taken(self, host: str, wait: float, now: float) -> None:
        """The fleet's answer: 0, or the seconds after which to ask again."""
        token, self.state, self.holder = self.holder, State.FREE, None
        if wait:
            self.free_at = max(self.free_at, now + wait)
        elif token not in self.waiting:
            self.agenda.add(Leave(host, visited=False))
        else:
            self._taken = {token: host}
            self.state, self.holder = State.GRANTED, token
            del self.waiting[token]
            self.agenda.free((token,), now)
        self._advance(now)

    def forget(self, token: Token, now: float) -> None:
        """A token waits no more, and gives its turn back if it has it."""
        self.waiting.pop(token, None)
        if self.holder == token and self.state is State.GRANTED:
            self._give_back(token, visited=False)
            self.state, self.holder = State.FREE, None
        self._advance(now)

    def sent(self, token: Token, request: Token, now: float) -> None:
        """A request goes, with the turn that a token has."""
        assert self.state is State.GRANTED
        assert self.holder == token
        if token in self._taken:
            self._taken = {request: self._taken[token]}
        self.state, self.holder = State.SENT, request
        self.agenda.at(now + MAX_HELD, partial(self._end_hold, request))

    def reached(self, request: Token) -> None:
        """A request has reached the downloader, with a turn or, if exempt, without."""
        if self.state is State.SENT and self.holder == request:
            self.state, self.holder = State.FREE, None
        self.visitors.add(request)

    def left(self, request: Token, now: float) -> None:
        """A request has left the downloader, or is gone and has never reached it."""
        is_visit = request in self.visitors
        if is_visit:
            self.visitors.discard(request)
            self._visited_at, self.free_at = now, now + self.delay
        if self.state is State.SENT and self.holder == request:
            # Another middleware may have answered or dropped it before it reached the downloader.
            self.state, self.holder = State.FREE, None
        self._give_back(request, visited=is_visit)
        self._advance(now)

    def _give_back(self, token: Token, *, visited: bool) -> None:
        """Give the fleet's turn back, if it is this token's."""
        host = self._taken.pop(token, None)
        if host is not None:
            self.agenda.add(Leave(host, visited))

    def _end_hold(self, request: Token, now: float) -> None:
        """The request has its turn and does not go. Should it go later, it counts as a visit."""
        if self.state is State.SENT and self.holder == request:
            if not self._has_told:
                self._has_told = True
                self.agenda.add(Tell(Held(request)))
            self.left(request, now)

    def _advance(self, now: float) -> None:
        """Tell the first in line to ask, now or when it is time. Without any delay, tell all."""
        if not self.delays:
            self.agenda.free(self.waiting, now)
        elif self.waiting and not self.is_busy:
            if now >= self.free_at:
                self.agenda.free((next(iter(self.waiting)),), now)
            elif self._rings_at != self.free_at:
                self._rings_at = self.free_at
                self.agenda.at(self.free_at, self._ring)

    def _ring(self, now: float) -> None:
        self._rings_at = -inf
        self._advance(now)


class Pause:
    """The time for which a host wants to be left alone.

    Attributes:
        until: when it ends.
        count: how many it has asked for since its last page, without saying for how long.

    """

    def __init__(self, agenda: Agenda) -> None:
        self.agenda = agenda
        self.until, self.count = -inf, 0
        self.waiting: dict[Token, None] = {}

    def begin(self, seconds: float | None, longest: float, now: float) -> float:
        """Pause from now on. Gives the seconds; 0: the pause is under way already.

        Args:
            seconds: None: each pause is twice as long as the one before, until an answer comes.
            longest: how long it lasts at most.

        """
        if seconds is None and now < self.until:
            return 0.0
        if seconds is None:
            seconds = FIRST_PAUSE * 2**self.count
            self.count = min(self.count + 1, 20)
        seconds = min(seconds, longest)
        if now + seconds < self.until + MIN_LONGER:
            return 0.0
        self.until = now + seconds
        self.agenda.at(self.until, self._end)
        return seconds

    def forget(self, token: Token, now: float) -> None:  # noqa: ARG002 - as `Line.forget`
        self.waiting.pop(token, None)

    def _end(self, now: float) -> None:
        if now >= self.until:  # it was not made longer
            self.agenda.free(self.waiting, now)
            self.waiting.clear()


class Turns:
    """The lines and pauses of all hosts.

    Attributes:
        by_slot: all lines.
        by_host: those in which a delay is kept that an origin of the host asks for.
        pauses: by host.
        under_way: the requests that have used a turn or are in the downloader, each with its
            lines.

    """

    def __init__(self, agenda: Agenda, *, is_shared: bool) -> None:
        self.agenda, self.is_shared = agenda, is_shared
        self.by_slot: dict[str, Line] = {}
        self.by_host: dict[str, Line] = {}
        self.pauses: dict[str, Pause] = {}
        self.under_way: dict[Token, set[Line]] = {}
        self._asked: dict[str, Line] = {}  # who has asked the fleet, by host
        self._places: dict[Token, Line | Pause] = {}  # where each waits, or has its turn
        # When hosts were visited that no line knows, as far as visits are told: a delay that is
        # asked for later counts from then, too.
        self._visited_at: OrderedDict[str, float] = OrderedDict()
        # How many there are, at least, before those that are idle are looked for again. It is twice
        # what was left, so 20,000 hosts that all pause cost no look at all of them each.
        self._sweep_at = self._sweep_pauses_at = MAX_LINES

    def __bool__(self) -> bool:
        """Whether a request may have to wait."""
        return bool(self.by_slot or self.pauses)

    def keep(self, slot: str, host: str, asker: Asker, delay: float, at: float, now: float) -> None:
        """Keep a delay from now on, in place of the one that the same asker had.

        Args:
            delay: the seconds that are asked for; 0: none.
            at: when its robots.txt was fetched, which was a visit too.

        """
        line = self.by_host.get(host) or self.by_slot.get(slot)
        if not delay:
            if line is not None and asker in line.delays:
                self._drop(line, host, asker, now)
            return
        if line is None:
            line = self._open(slot, now)
        if line.delays.get(asker) == delay:
            return
        if len(line.delays) >= MAX_ASKERS:  # the longest delay is kept anyway
            shortest = min(line.delays, key=line.delays.__getitem__)
            self._drop(line, host_of(shortest.origin), shortest, now)
        line.keep(asker, delay, max(at, self._visited_at.pop(host, -inf)), now)
        if self.by_host.get(host) is not line:
            self.by_host[host] = line
            self.agenda.add(Watch())

    def ask(self, token: Token, slot: str, host: str, now: float, *, first: bool = False) -> bool:
        """Whether a request to a host may go. False: its token is told when to ask again."""
        pause, line = self.pauses.get(host) if self.pauses else None, None
        if pause is None or now >= pause.until:
            pause, line = None, self.by_host.get(host) or self.by_slot.get(slot)
            if line is not None and not line.delays:
                line = None
        place = pause or line
        before = self._places.get(token)
        if before is not None and before is not place:
            self.leave(token, now)
        if place is None:
            return True
        self._places[token] = place
        if pause is not None:
            pause.waiting[token] = None
            return False
        assert line is not None
        may_go = line.ask(token, host, now, first=first)
        if line.state is State.ASKED:
            self._asked[host] = line
        return may_go

    def taken(self, host: str, wait: float, now: float) -> None:
        """As `Line.taken`."""
        self._asked.pop(host).taken(host, wait, now)

    def leave(self, token: Token, now: float) -> None:
        """A token waits for no turn any more, and gives its own back."""
        place = self._places.pop(token, None)
        if place is not None:
            place.forget(token, now)

    def sent(self, token: Token, request: Token, now: float) -> None:
        """A request goes; the turn that its token has is used, if it needs one."""
        line = self._places.pop(token, None)
        if isinstance(line, Line):
            line.sent(token, request, now)
            self.under_way.setdefault(request, set()).add(line)

    def reached(self, request: Token, slot: str, host: str) -> None:
        """A request has reached its download slot.

        It is a visit for the line of its turn, and for that of its host. Usually both are one. They
        differ when several hosts share a slot, and the host got a line of its own after the turn
        was taken.
        """
        lines = self.under_way.get(request, set())
        line = self.by_host.get(host) or self.by_slot.get(slot)
        if line is not None:
            lines = self.under_way.setdefault(request, lines)
            lines.add(line)
        for each in lines:
            each.reached(request)

    def left(self, request: Token, now: float) -> None:
        """A request's turns are over: it has left the downloader, or never reached it."""
        for line in self.under_way.pop(request, ()):
            line.left(request, now)

    def visited(self, request: Token, host: str, now: float) -> None:
        """A request has left the downloader: its visit is over, whatever middlewares do next."""
        self.left(request, now)
        if host not in self.by_host:
            self._visited_at[host] = now
            self._visited_at.move_to_end(host)
            if len(self._visited_at) > MAX_LINES:
                self._visited_at.popitem(last=False)

    def pause(self, host: str, seconds: float | None, longest: float, now: float) -> float:
        """As `Pause.begin`, for a host."""
        pause = self.pauses.get(host)
        if pause is None:
            if len(self.pauses) >= self._sweep_pauses_at:
                self.pauses = {key: one for key, one in self.pauses.items() if now < one.until}
                self._sweep_pauses_at = max(MAX_LINES, 2 * len(self.pauses))
            pause = self.pauses[host] = Pause(self.agenda)
        return pause.begin(seconds, longest, now)

    @property
    def waiting(self) -> int:
        """How many tokens wait for their turn."""
        return sum(token in place.waiting for token, place in self._places.items())

    @property
    def tokens(self) -> Iterable[Token]:
        """Who waits for a turn, or has one and does not go yet."""
        return self._places.keys()

    def _drop(self, line: Line, host: str, asker: Asker, now: float) -> None:
        """The origin asks this crawler for no delay any more."""
        others = line.delays.keys() - {asker}
        if all(host_of(other.origin) != host for other in others):
            del self.by_host[host]
        line.drop(asker, now)

    def _open(self, slot: str, now: float) -> Line:
        if len(self.by_slot) >= self._sweep_at:
            # An idle line past its delay may be forgotten: the next request opens it again.
            self.by_slot = {key: one for key, one in self.by_slot.items() if not one.is_idle(now)}
            kept = set(self.by_slot.values())
            self.by_host = {host: line for host, line in self.by_host.items() if line in kept}
            self._sweep_at = max(MAX_LINES, 2 * len(self.by_slot))
        line = self.by_slot[slot] = Line(self.agenda, is_shared=self.is_shared)
        return line
