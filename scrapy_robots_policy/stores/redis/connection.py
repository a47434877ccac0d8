"""The connection to a Redis that may be gone, slow or full: every call ends soon, none raises.

After a fault a circuit breaker keeps further calls off for a while, so that a server that does not
answer delays one call now and then, not every request. A server that answers just in time, but not
as often as this process asks, counts as one that does not answer: it would else make a crawl as
slow as itself. A server that refuses writes, because it is full or a replica, is still read. A
trouble is reported once when it begins and once when it ends.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from redis.asyncio import Redis
from redis.asyncio.sentinel import MasterNotFoundError
from redis.exceptions import ClusterError, MovedError, ResponseError

from ..breaker import CircuitBreaker
from ..guarded import Deadline, within
from ..interface import StoreEvents
from .address import CONNECTIONS, Address, Client
from .eviction import dangerous_policy

Answer = TypeVar("Answer")

# What a server adds to an error in a script: which script it was, and in which line. Servers before
# Redis 7 begin with it, later ones end with it.
_OF_SCRIPT = re.compile(r"^Error running script .*user_script: ?\d+: -?| script: \w+, on @.*")

ANSWER_WITHIN = 2.0  # seconds for a call, to connect included
PLACE_WITHIN = 3.0  # seconds that a call waits while as many as may be are under way


class Connection:
    """`now`: any clock in seconds that never goes back."""

    def __init__(self, address: Address, events: StoreEvents, now: Callable[[], float]) -> None:
        self.address, self.events = address, events
        self.breaker = CircuitBreaker(now)
        self._opened: Client | None = None
        self._places = asyncio.Semaphore(CONNECTIONS)
        self._calls: set[asyncio.Task[Any]] = set()
        self._refuses_writes = False
        self._is_policy_read = False
        self._is_closed = False

    async def ask(
        self, call: Callable[[Client], Awaitable[Answer]], *, writes: bool = False
    ) -> Answer | None:
        """The server's answer; None where it gives none."""
        if not self._places.locked():  # a time limit for the wait would double what a call costs
            return await self._ask_in_place(call, writes=writes)
        faults_before = self.breaker.faults
        try:
            return await within(
                PLACE_WITHIN + ANSWER_WITHIN, lambda: self._ask_in_place(call, writes=writes)
            )
        except Deadline as error:  # it got no place in time
            self._failed(error, faults_before, writes=False)
            return None

    async def _ask_in_place(
        self, call: Callable[[Client], Awaitable[Answer]], *, writes: bool
    ) -> Answer | None:
        async with self._places:
            if self._is_closed or not self.breaker.permits():
                return None
            faults_before = self.breaker.faults
            try:
                answer = await within(ANSWER_WITHIN, lambda: self._run(call))
            except Exception as error:  # noqa: BLE001 - whatever a client raises, a crawl goes on
                self._failed(error, faults_before, writes=writes)
                return None
            self._worked(writes=writes)
        if not self._is_policy_read:
            self._is_policy_read = True
            check = asyncio.create_task(self._check_policy())
            self._calls.add(check)
            check.add_done_callback(self._calls.discard)
        return answer

    async def close(self) -> None:
        self._is_closed = True
        # A call that was cancelled still ends, and may connect once more until then.
        if self._calls:
            await asyncio.wait(self._calls, timeout=ANSWER_WITHIN)
        client, self._opened = self._opened, None
        if client is not None:
            with suppress(Exception):  # the server may be gone already
                await within(ANSWER_WITHIN, client.aclose)

    async def _run(self, call: Callable[[Client], Awaitable[Answer]]) -> Answer:
        task = asyncio.current_task()
        assert task is not None  # `within` has made it
        client = self._client()
        self._calls.add(task)
        try:
            return await call(client)
        except ResponseError as error:
            # Of a script on a server before Redis 7. There redis-py does not see that the master
            # has become a replica, and keeps the connections to it.
            if "-READONLY" in str(error) and isinstance(client, Redis):
                await client.connection_pool.disconnect(inuse_connections=False)
            raise
        finally:
            self._calls.discard(task)

    async def _check_policy(self) -> None:
        """Report a policy that drops turns."""
        policy = None
        async with self._places:
            if not self._is_closed:
                with suppress(Exception):  # the user may have no right to ask, which is no fault
                    policy = await within(ANSWER_WITHIN, lambda: self._run(dangerous_policy))
        if policy is not None:
            self.events.on_dangerous_policy(self.address.name, policy)

    def _client(self) -> Client:
        if self._opened is None:
            self._opened = self.address.client()
        return self._opened

    def _failed(self, error: Exception, faults_before: int, *, writes: bool) -> None:
        if isinstance(error, ResponseError) and "WRONGTYPE" in str(error):
            self.events.on_failed("read", ValueError(_sentence(error)))
            return
        refuses = writes and _refuses(error)
        self._refuses_writes |= refuses
        if self.breaker.failed(faults_before, pauses=not refuses):
            self.events.on_lost(self.address.name, _sentence(error))

    def _worked(self, *, writes: bool) -> None:
        self.breaker.worked()
        if writes:
            self._refuses_writes = False
        if not self._refuses_writes and self.breaker.is_over():
            self.events.on_regained(self.address.name)


def _refuses(error: Exception) -> bool:
    """Whether the server is there and refuses. A cluster without a node for a key is not there."""
    return isinstance(error, ResponseError) and not isinstance(error, ClusterError)


def _sentence(error: Exception) -> str:
    """One line for a fault; a timeout has no message of its own."""
    if isinstance(error, MovedError):
        return "it is a node of a cluster: write redis+cluster://host:port"
    # A server without a command repeats what it was sent, and AUTH was sent with the password.
    message = str(error).partition("\n")[0].partition(", with args beginning with")[0]
    message = _OF_SCRIPT.sub("", message)
    if isinstance(error, MasterNotFoundError):
        message = message.partition(" : ")[0]  # redis-py 6.4 goes on with the sentinels' passwords
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
