"""The way to a Redis that may be gone, slow, full or not itself: whoever asks gets an answer soon.

Knows: what can go wrong with a server, and when to try again. Must not know: what is asked of it.

After a fault nothing is asked for a while, which doubles from fault to fault, so that a server that
does not answer holds up one call now and then, not every request. One who says no to what writes,
being full or a replica, may still be read. A trouble is told once, and once that it is over: when
all has gone well for some seconds, lest a cluster that has lost one of its nodes tell of both
again and again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from redis.exceptions import ClusterError, ResponseError

from ..interface import StoreEvents
from .address import CONNECTIONS, Address, Client

Answer = TypeVar("Answer")

ANSWER_WITHIN = 2.0  # seconds for a call, the connection included
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds after a fault
CALM = 3.0  # seconds without a fault after which a trouble is over


class Link:
    """`now`: any clock in seconds that never goes back."""

    def __init__(self, address: Address, told: StoreEvents, now: Callable[[], float]) -> None:
        self.address, self.told, self.now = address, told, now
        self._opened: Client | None = None
        self._places = asyncio.Semaphore(CONNECTIONS)
        self._faults = 0  # since all was well
        self._fault_at = 0.0
        self._shut_until: float | None = None
        self._refuses_writes = False
        self._is_closed = False

    async def ask(
        self, call: Callable[[Client], Awaitable[Answer]], *, writes: bool = False
    ) -> Answer | None:
        """What the server answers; None where there is no answer to be had."""
        async with self._places:
            if self._is_closed or self._is_shut():
                return None
            before = self._faults
            try:
                answer = await asyncio.wait_for(call(self._client()), ANSWER_WITHIN)
            except Exception as error:  # noqa: BLE001 - whatever a client raises, a crawl goes on
                self._failed(error, before, writes=writes)
                return None
            self._worked(writes=writes)
            return answer

    def _is_shut(self) -> bool:
        """When a pause is over one tries, and the others do not wait for what becomes of it."""
        if self._shut_until is None:
            return False
        if self.now() < self._shut_until:
            return True
        self._pause()
        return False

    async def close(self) -> None:
        self._is_closed = True
        client, self._opened = self._opened, None
        if client is not None:
            with suppress(Exception):  # what is gone needs no good-bye
                await asyncio.wait_for(client.aclose(), ANSWER_WITHIN)

    def _client(self) -> Client:
        if self._opened is None:
            self._opened = self.address.client()
        return self._opened

    def _failed(self, error: Exception, before: int, *, writes: bool) -> None:
        """Calls that fail together are one fault: `before` is how many there were for each."""
        if isinstance(error, ResponseError) and "WRONGTYPE" in str(error):
            self.told.store_failed("read", ValueError(_words(error)))
            return
        refuses = writes and _says_no(error)
        if not self._faults:
            self.told.store_lost(self.address.name, _words(error))
        self._faults = before + 1
        self._fault_at = self.now()
        self._refuses_writes |= refuses
        if not refuses:
            self._pause()

    def _pause(self) -> None:
        pause = FIRST_PAUSE * 2.0 ** min(self._faults, 10)
        self._shut_until = self.now() + min(pause, LONGEST_PAUSE)

    def _worked(self, *, writes: bool) -> None:
        self._shut_until = None
        if writes:
            self._refuses_writes = False
        if self._faults and not self._refuses_writes and self.now() >= self._fault_at + CALM:
            self._faults = 0
            self.told.store_regained(self.address.name)


def _says_no(error: Exception) -> bool:
    """Whether a server is there and does not do it. A cluster without a node for a key is not."""
    return isinstance(error, ResponseError) and not isinstance(error, ClusterError)


def _words(error: Exception) -> str:
    """One line for a fault; a timeout says nothing of itself."""
    said = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
