"""What the processes of a fleet share: entries, leases and turns, as docs/stores.md has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from scrapy_robots_policy import compat
from scrapy_robots_policy.stores import Claim, MemoryStore


@dataclass
class Shared:
    """leases  origin → the store of the process that fetches its robots.txt
    turns   host → the store of the process whose turn it is, None: nobody's; free from then on
    """

    now: Callable[[], float]
    entries: MemoryStore = field(default_factory=MemoryStore)
    leases: dict[str, object] = field(default_factory=dict)
    turns: dict[str, tuple[object, float]] = field(default_factory=dict)
    pauses: dict[str, float] = field(default_factory=dict)


class KeptStore:
    """The store of one process. It lives as long as the world."""

    shared: Shared

    async def get(self, origin):
        await compat.sleep(0)
        return await self.shared.entries.get(origin)

    async def put(self, origin, entry):
        await compat.sleep(0)
        await self.shared.entries.put(origin, entry)

    async def close(self):
        """Nothing to release."""


class FleetStore(KeptStore):
    """The store of one process of a fleet."""

    @property
    def coordinator(self):
        return self

    async def claim(self, origin):
        holder = self.shared.leases.setdefault(origin, self)
        return Claim(holder is self, await self.get(origin))

    def release(self, origin):
        if self.shared.leases.get(origin) is self:
            del self.shared.leases[origin]

    async def take(self, host, delay):
        await compat.sleep(0)
        holder, free_at = self.shared.turns.get(host, (None, 0.0))
        if holder not in (None, self):
            return delay
        wait = max(free_at - self.shared.now(), 0.0)
        if not wait:
            self.shared.turns[host] = (self, delay)
        return wait

    def leave(self, host, *, visited):
        holder, delay = self.shared.turns.get(host, (None, 0.0))
        if holder is self:
            self.shared.turns[host] = (None, self.shared.now() + delay * visited)


class PausingStore(FleetStore):
    """One whose processes tell each other of pauses."""

    async def pause(self, host, seconds):
        await compat.sleep(0)
        self.shared.pauses[host] = self.shared.now() + seconds

    async def pauses(self):
        await compat.sleep(0)
        now = self.shared.now()
        return {host: until - now for host, until in self.shared.pauses.items() if until > now}
