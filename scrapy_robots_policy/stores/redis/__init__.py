"""The store of a fleet: one Redis or a cluster, behind a memory store of this process.

Three keys for an origin or a host, each with the name in braces so that a cluster keeps them
together and spreads the names: `robots:{https://example.com}:record`; its `:lease`, which one
process has while it fetches the robots.txt; and `robots:{example.com}:turn`, which one process has
while it visits the host, and nobody while the host rests.

An entry in this process's memory is given back even if it is old: a resolver that needs a newer one
makes a claim, and the claim brings the fleet's entry. While the server is out of reach, the memory
store is all there is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from redis.client import NEVER_DECODE

from ...rep.cache_entry import CacheEntry
from ..codec import MAX_FRAME, EntryError, decode, encode
from ..interface import MAX_SKEW, Claim, FleetCoordinator, StoreEvents
from ..memory import MemoryStore
from ..retention import KEPT, retention
from .address import Address
from .connection import Connection
from .leases import LASTING, Leases

_OCTETS: dict[str, Any] = {NEVER_DECODE: []}


class RedisStore:
    """Store and coordinator of all processes that use the same address. It never raises.

    now      any clock in seconds that never goes back
    lasting  seconds that a process that died keeps its leases
    clock    seconds since the epoch, as this machine has them
    """

    def __init__(
        self,
        address: Address,
        events: StoreEvents,
        now: Callable[[], float] = time.monotonic,
        lasting: float = LASTING,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.events, self.clock = events, clock
        self.connection = Connection(address, events, now)
        self.leases = Leases(self.connection, now, lasting)
        self.local = MemoryStore()

    @property
    def coordinator(self) -> FleetCoordinator:
        return self

    async def get(self, origin: str) -> CacheEntry | None:
        return await self.local.get(origin) or await self._shared(origin)

    async def put(self, origin: str, entry: CacheEntry) -> None:
        frame = encode(entry)
        self.local.keep(origin, frame)
        key, seconds = _key(origin, "record"), int(retention(entry))
        await self.connection.ask(lambda redis: redis.set(key, frame, ex=seconds), writes=True)

    async def claim(self, origin: str) -> Claim:
        # The entry is read after the lease is asked for: a process that released the lease in
        # between has put its entry before that.
        granted = not await self.leases.take(_key(origin, "lease"))
        return Claim(granted, await self._shared(origin))

    def release(self, origin: str) -> None:
        self.leases.give_back(_key(origin, "lease"))

    async def take(self, host: str, delay: float) -> float:
        return await self.leases.take(_key(host, "turn"), delay)

    def leave(self, host: str, *, visited: bool) -> None:
        self.leases.give_back(_key(host, "turn"), used=visited)

    async def close(self) -> None:
        await self.leases.close()
        await self.connection.close()

    async def _shared(self, origin: str) -> CacheEntry | None:
        """The fleet's entry, or that of this process where it is newer."""
        key = _key(origin, "record")
        frame = await self._frame(key)
        entry = await self._entry(key, frame) if frame else None
        local = await self.local.get(origin)  # after the awaits: a `put` may have come in between
        if entry is None or (local is not None and local.asked_at >= entry.asked_at):
            return local
        self.local.keep(origin, frame)
        return entry

    async def _entry(self, key: str, frame: bytes) -> CacheEntry | None:
        try:
            entry = decode(frame)
            if entry.failing_since is not None:
                self._check_date(entry, await self._time_to_live(key))
        except ValueError as error:
            self.events.on_failed("read", error)
            return None
        return entry

    def _check_date(self, entry: CacheEntry, time_to_live: float) -> None:
        """EntryError for an entry of an outage that is older by our clock than by the server's.

        A dialect may allow everything after an outage of hours, so the clock of another machine
        must not make one longer. The time to live says when the entry was put.
        """
        age = retention(entry) - time_to_live
        behind = self.clock() - entry.asked_at - age
        if behind > MAX_SKEW:
            raise EntryError(f"an entry of a clock that is {behind:.0f} s behind this machine's")

    async def _time_to_live(self, key: str) -> float:
        """Seconds. A key that has none is taken for one that was put just now."""
        left = await self.connection.ask(lambda redis: redis.pttl(key))
        return left / 1000 if left is not None and left > 0 else KEPT

    async def _frame(self, key: str) -> bytes:
        """The octets of a key, and no more of them than `decode` takes: others may write, too."""
        # Not `redis.getrange`: an address that other programs use, too, may ask for text.
        frame = await self.connection.ask(
            lambda redis: redis.execute_command("GETRANGE", key, 0, MAX_FRAME, **_OCTETS)
        )
        return frame if isinstance(frame, bytes) else b""


def _key(name: str, kind: str) -> str:
    return f"robots:{{{name}}}:{kind}"
