"""The store of many processes: one Redis, or a cluster, and what this process knows in front of it.

Knows: keys, and how long each may live. Must not know: what a record says; how a server is reached.

Three keys for an origin, or a host, each with the name in braces so that a cluster keeps them
together and spreads the names: `robots:{https://example.com}:record`, its `:lease`, which one
process has while it fetches the robots.txt, and `robots:{example.com}:turn`, which one process has
while it visits the host, and nobody while the host rests.

What is known here is answered from here, be it old: whoever finds it too old makes a claim, and is
told what the fleet knows. While the server is out of reach, all that goes on is what is known here.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ...rep.access import CacheEntry
from ..codec import decode, encode
from ..interface import Claim, StoreEvents
from ..memory import MemoryStore
from ..retention import useful_for
from .address import Address
from .connection import Link
from .leases import LASTING, Leases


class RedisStore:
    """Shared by all who use the same address. It never raises.

    now      any clock in seconds that never goes back
    lasting  seconds that a process that died keeps what it had
    """

    def __init__(
        self,
        address: Address,
        told: StoreEvents,
        now: Callable[[], float] = time.monotonic,
        lasting: float = LASTING,
    ) -> None:
        self.told = told
        self.link = Link(address, told, now)
        self.leases = Leases(self.link, now, lasting)
        self.local = MemoryStore()

    async def get(self, origin: str) -> CacheEntry | None:
        return await self.local.get(origin) or await self._shared(origin)

    async def put(self, origin: str, record: CacheEntry) -> None:
        frame = encode(record)
        self.local.keep(origin, frame)
        key, seconds = _key(origin, "record"), int(useful_for(record))
        await self.link.ask(lambda redis: redis.set(key, frame, ex=seconds), writes=True)

    async def claim(self, origin: str) -> Claim:
        """What is known is looked up last: who has just released it has put it there before."""
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
        await self.link.close()

    async def _shared(self, origin: str) -> CacheEntry | None:
        """What the fleet knows, or this process where that is newer."""
        key = _key(origin, "record")
        frame = await self.link.ask(lambda redis: redis.get(key))
        known = await self.local.get(origin)
        if not isinstance(frame, bytes):
            return known
        try:
            record = decode(frame)
        except ValueError as error:
            self.told.store_failed("read", error)
            return known
        if known is not None and known.asked_at >= record.asked_at:
            return known
        self.local.keep(origin, frame)
        return record


def _key(name: str, kind: str) -> str:
    return f"robots:{{{name}}}:{kind}"
