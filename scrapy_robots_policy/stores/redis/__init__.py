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
from ..codec import MAX_FRAME, decode, encode
from ..interface import Claim, FleetCoordinator, StoreEvents
from ..memory import MemoryStore
from ..retention import retention
from .address import Address
from .connection import Connection
from .leases import LASTING, Leases

_OCTETS: dict[str, Any] = {NEVER_DECODE: []}


class RedisStore:
    """Store and coordinator of all processes that use the same address. It never raises.

    now      any clock in seconds that never goes back
    lasting  seconds that a process that died keeps its leases
    """

    def __init__(
        self,
        address: Address,
        events: StoreEvents,
        now: Callable[[], float] = time.monotonic,
        lasting: float = LASTING,
    ) -> None:
        self.events = events
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
        frame = await self._frame(_key(origin, "record"))
        local = await self.local.get(origin)  # after the await: a `put` may have come in between
        if not frame:
            return local
        try:
            entry = decode(frame)
        except ValueError as error:
            self.events.on_failed("read", error)
            return local
        if local is not None and local.asked_at >= entry.asked_at:
            return local
        self.local.keep(origin, frame)
        return entry

    async def _frame(self, key: str) -> bytes:
        """The octets of a key, and no more of them than `decode` takes: others may write, too."""
        # Not `redis.getrange`: an address that other programs use, too, may ask for text.
        frame = await self.connection.ask(
            lambda redis: redis.execute_command("GETRANGE", key, 0, MAX_FRAME, **_OCTETS)
        )
        return frame if isinstance(frame, bytes) else b""


def _key(name: str, kind: str) -> str:
    return f"robots:{{{name}}}:{kind}"
