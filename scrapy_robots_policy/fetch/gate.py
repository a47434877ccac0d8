"""The gate of fetches as Scrapy's crawls use it, and how many sockets there are (`core.gate`)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import inf

from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.defer import Deferred
from twisted.internet.selectreactor import SelectReactor

from .. import compat
from ..core.gate import Gate
from .request import FetchSlot

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
    """The gate of a crawl: fetches wait for their tickets. The states are in `core.gate`."""

    def __init__(self, max_young: int, sockets: int) -> None:
        self._gate: Gate[Deferred[None]] = Gate(max_young, sockets)
        self._is_letting_in = False
        self._stop_timer: Callable[[], None] = lambda: None
        self.is_short_of_sockets = self._gate.is_short_of_sockets

    @property
    def is_closed(self) -> bool:
        return self._gate.is_closed

    def enter(self, *, has_failed: bool) -> GateSlot:
        """Wait until a fetch may begin. Inside it is under way, except while it has given its place
        back. `has_failed`: as `Gate.enter`.
        """
        return GateSlot(self, has_failed=has_failed)

    async def ticket(self, *, has_failed: bool) -> Deferred[None]:
        """Wait until a fetch may begin. It counts as under way until its ticket is left."""
        ticket: Deferred[None] = Deferred()
        self._gate.enter(ticket, has_failed=has_failed)
        self._let_in()
        if ticket.called:  # there was room, as nearly always
            return ticket
        try:
            await maybe_deferred_to_future(ticket)
        except BaseException:  # cancelled, perhaps when it had just been let in
            self._gate.withdraw(ticket)
            self._let_in()
            raise
        return ticket

    def leave(self, ticket: Deferred[None]) -> None:
        """A fetch has ended, or waits for something else: another one may begin."""
        self._gate.leave(ticket)
        self._let_in()

    def _let_in(self) -> None:
        """Let fetches begin while there is room, and look again when there may be some.

        Without asyncio a fetch goes on within `callback`, and may end there: it leaves while this
        loop runs. A call for each would be as deep as the queue.
        """
        if self._is_letting_in:
            return
        self._is_letting_in = True
        for ticket in self._gate.let_in(compat.monotonic()):
            ticket.callback(None)
        self._is_letting_in = False
        self._stop_timer()
        wake_at = self._gate.wake_at()
        if wake_at < inf:
            wait = max(wake_at - compat.monotonic(), 0.0)
            self._stop_timer = compat.call_later(wait, self._let_in)

    def close(self) -> None:
        """From now on no fetch begins. Those that wait are for their owners to cancel."""
        self._gate.close()
        self._stop_timer()
