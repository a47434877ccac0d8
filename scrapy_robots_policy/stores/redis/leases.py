"""Leases and turns, kept by Redis: what one process of a fleet has for itself for a time.

A lease is a key with a time to live; while it lives, nobody else gets it. The holder renews it
until it gives it back, so a process that dies delays the others by no more than a lease lasts. A
lease that is given back may leave a rest: the key lives on without a holder for so long. The rest
of a process that died is counted from when its lease would have been renewed last: never too early.

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

from .connection import Connection

LASTING = 10.0  # seconds; renewed four times in that
MIN_WAIT = 0.05  # seconds until a process asks again
MAX_FOREIGN = 600.0  # seconds that another's key with a rest may live: its delay may be longer
MAX_HELD = 600.0  # seconds for which a lease is renewed: one that is kept for longer was forgotten

# A key without a time to live is none of ours: it is taken. A key that lives longer than any that
# we would have set is cut to that, so that nothing that writes here can hold up a host for days.
_TAKE = """
local left = redis.call('PTTL', KEYS[1])
local holder = left > 0 and redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
    local longest = math.max(tonumber(ARGV[2]), tonumber(ARGV[3]))
    if left > longest then
        redis.call('PEXPIRE', KEYS[1], longest)
        left = longest
    end
    return {holder == '' and 1 or 2, left}
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {0, 0}
"""
# A key that the server has lost is set again: it was started anew, or drops keys since it is full.
_RENEW = """
local holder = redis.call('GET', KEYS[1])
if not holder or holder == ARGV[1] then
    redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
    return 1
end
return 0
"""
# A lease that was lost, with the server or because its holder was stopped, leaves its rest all the
# same, unless another process has taken it.
_GIVE_BACK = """
local holder = redis.call('GET', KEYS[1])
if holder == ARGV[1] then
    redis.call('DEL', KEYS[1])
elseif holder and holder ~= '' then
    return 0
end
if tonumber(ARGV[2]) > math.max(redis.call('PTTL', KEYS[1]), 0) then
    redis.call('SET', KEYS[1], '', 'PX', ARGV[2])
end
return 1
"""
_RESTS = 1  # what _TAKE answers where nobody holds the key, but its rest is not over


@dataclass(frozen=True, slots=True)
class _Held:
    """A lease that is ours: the seconds of its rest, and until when it is renewed.

    A lease that is no longer renewed still leaves its rest when it is given back.
    """

    rest: float
    until: float


class Leases:
    """The leases of one process. `now`: any clock in seconds that never goes back."""

    def __init__(self, connection: Connection, now: Callable[[], float], lasting: float) -> None:
        self.connection, self.now, self.lasting = connection, now, lasting
        self._token = secrets.token_hex(8)
        self._held: dict[str, _Held] = {}
        self._returning: dict[str, asyncio.Task[Any]] = {}
        self._renewals: dict[str, asyncio.Future[Any]] = {}  # those under way
        self._renewing: asyncio.Task[None] | None = None

    async def take(self, key: str, rest: float = 0.0) -> float:
        """0: the lease is ours, or the server cannot be asked. Else ask again in so many seconds.

        While another holds it, asking once a rest is enough: its rest comes after it anyway.
        """
        # What we give back just now would be taken away from us again after we got it.
        returning = self._returning.get(key)
        if returning is not None:
            await asyncio.wait([returning])
        try:
            # A lease without a rest lasts as long for all processes.
            answer = await self._run(_TAKE, key, self.lasting + rest, MAX_FOREIGN if rest else 0.0)
        except BaseException:  # cancelled, and the server may have granted it already
            if key not in self._held:
                self._give_back(key, 0.0)
            raise
        if answer is None:
            return 0.0
        if not _is_answer(answer):
            error = ValueError(f"{str(answer)[:100]!r} is no answer about a lease")
            self.connection.events.on_failed("take", error)
            return 0.0
        state, left = answer
        if state:
            longest = MAX_FOREIGN + rest if state == _RESTS else max(rest, MIN_WAIT)
            return float(min(left / 1000, longest))
        self._held[key] = _Held(rest, self.now() + MAX_HELD)
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(self._renew())
        return 0.0

    def give_back(self, key: str, *, used: bool = True) -> None:
        """Begin to give a lease back, with its rest if it was used."""
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
        task = asyncio.create_task(self._return(key, rest))
        self._returning[key] = task
        task.add_done_callback(lambda _: self._returning.pop(key, None))

    async def _return(self, key: str, rest: float) -> None:
        if key in self._renewals:  # it would set the key again, were it the last to come
            await asyncio.wait([self._renewals[key]])
        await self._run(_GIVE_BACK, key, rest)

    async def _renew(self) -> None:
        while self._renewed():
            await asyncio.sleep(self.lasting / 4)
            # All at once: one after the other, a slow server would lose those that come last.
            self._renewals = {
                key: asyncio.ensure_future(self._run(_RENEW, key, self.lasting + held.rest))
                for key, held in self._renewed()
            }
            await asyncio.gather(*self._renewals.values())
            self._renewals = {}

    def _renewed(self) -> list[tuple[str, _Held]]:
        return [(key, held) for key, held in self._held.items() if self.now() <= held.until]

    async def _run(self, script: str, key: str, *seconds: float) -> Any:
        milliseconds = [str(math.ceil(part * 1000)) for part in seconds]
        return await self.connection.ask(
            lambda redis: redis.eval(script, 1, key, self._token, *milliseconds), writes=True
        )


def _is_answer(answer: Any) -> bool:
    """Whether it is what `_TAKE` answers: two numbers. What speaks like a Redis may be none."""
    is_pair = isinstance(answer, list) and len(answer) == 2
    return is_pair and all(isinstance(number, int) and number >= 0 for number in answer)
