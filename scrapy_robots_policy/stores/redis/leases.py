"""What one process of many may have for itself for a time, kept by Redis.

Knows: keys that hold a token, and the server's clock. Must not know: what a lease is for.

A lease is a key with a time to live; while it lives nobody else gets it. Whoever has it renews it
until he gives it back, so a process that dies delays the others by no more than a lease lasts. To
give back a lease may leave a rest: the key lives on without a holder for so long. The rest of one
who dies is counted from when his lease would have been renewed last: never too early.

All times are times to live of keys, so the only clock is the server's. A step of that clock makes
leases shorter or longer by as much. The scripts are sent whole each time: a server that has been
restarted, or a new node of a cluster, needs no care.
"""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .connection import Link

LASTING = 10.0  # seconds; renewed four times in that
LOOK = 0.05  # seconds, the least, until one asks again
HELD_AT_MOST = 600.0  # seconds: what is not given back by then was forgotten

# A key without a time to live is none of ours: it is taken.
_TAKE = """
local left = redis.call('PTTL', KEYS[1])
local holder = left > 0 and redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
    return {holder == '' and 1 or 2, left}
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {0, 0}
"""
_RENEW = """
if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
"""
_GIVE_BACK = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
    return 0
end
if ARGV[2] == '0' then
    return redis.call('DEL', KEYS[1])
end
return redis.call('SET', KEYS[1], '', 'PX', ARGV[2]) and 1
"""
_RESTS = 1  # what _TAKE answers where nobody has it, but not yet


@dataclass(frozen=True, slots=True)
class _Held:
    rest: float
    until: float


class Leases:
    """Those of one process. `now`: any clock in seconds that never goes back."""

    def __init__(self, link: Link, now: Callable[[], float], lasting: float) -> None:
        self.link, self.now, self.lasting = link, now, lasting
        self._token = secrets.token_hex(8)
        self._held: dict[str, _Held] = {}
        self._returning: dict[str, asyncio.Task[Any]] = {}
        self._renewing: asyncio.Task[None] | None = None

    async def take(self, key: str, rest: float = 0.0) -> float:
        """0: it is ours, or nobody can be asked; else ask again in so many seconds.

        One who rests after each use loses no time if he asks once a rest.
        """
        returning = self._returning.get(key)
        if returning is not None:
            await asyncio.wait([returning])
        try:
            answer = await self._run(_TAKE, key, self.lasting + rest)
        except BaseException:  # cancelled, and the server may have granted it
            if key not in self._held:
                self._give_back(key, 0.0)
            raise
        if answer is None:
            return 0.0
        state, left = answer
        if state:
            return left / 1000 if state == _RESTS else min(left / 1000, max(rest, LOOK))
        self._held[key] = _Held(rest, self.now() + HELD_AT_MOST)
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(self._renew())
        return 0.0

    def give_back(self, key: str, *, used: bool = True) -> None:
        """Begin to give it back, with its rest if it was used."""
        held = self._held.pop(key, None)
        if held is not None:
            self._give_back(key, held.rest if used else 0.0)

    async def close(self) -> None:
        for key in list(self._held):
            self.give_back(key)
        ending = list(self._returning.values())
        if self._renewing is not None:
            self._renewing.cancel()
            ending.append(self._renewing)
        if ending:
            await asyncio.wait(ending)

    def _give_back(self, key: str, rest: float) -> None:
        task = asyncio.create_task(self._run(_GIVE_BACK, key, rest))
        self._returning[key] = task
        task.add_done_callback(lambda _: self._returning.pop(key, None))

    async def _renew(self) -> None:
        while self._held:
            await asyncio.sleep(self.lasting / 4)
            for key, held in list(self._held.items()):
                if self.now() > held.until:
                    del self._held[key]
                elif key in self._held:
                    await self._run(_RENEW, key, self.lasting + held.rest)

    async def _run(self, script: str, key: str, seconds: float) -> list[int] | None:
        milliseconds = math.ceil(seconds * 1000)
        return await self.link.ask(
            lambda redis: redis.eval(script, 1, key, self._token, str(milliseconds)), writes=True
        )
