"""The store of a fleet: one Redis that its processes share. `GuardedStore` is put around it.

Three keys for an origin or a host, each with the name in braces so that a cluster keeps them
together and spreads the names: `robots:{https://example.com}:record`; its `:lease`, which one
process has while it fetches the robots.txt; and `robots:{example.com}:turn`, which one process has
while it visits the host, and nobody while the host rests.

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
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from redis.asyncio import BlockingConnectionPool, Redis, RedisCluster
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.client import NEVER_DECODE
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ReadOnlyError, RedisError

from ..core.codec import EntryError, decode, encode
from ..rep.access import CacheEntry
from .guard import within
from .protocol import KEPT, MAX_SKEW, Claim, FleetCoordinator, retention

Client: TypeAlias = "Redis | RedisCluster"

CONNECTIONS = 16  # calls of a process at a time; further ones wait
ANSWER_WITHIN = 2.0  # seconds for a call, to connect and to wait for others included
PROTOCOL = 2  # which every server speaks

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


def client_of(uri: str, params: Mapping[str, Any]) -> Redis:
    """A client of a single Redis, which has not connected yet.

    A connection that was lost is opened anew once, for the server may have been restarted. So is
    one to a server that has become a replica: the address may lead to the new master.

    ValueError where it cannot be read. No message shows a part of an address: it may have a
    password, also one that was cut by a character of its own.

    Args:
        uri: "" where `params`, as redis-py's client takes them, say all.

    """
    ours = {
        "protocol": PROTOCOL,
        "retry": Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError, ReadOnlyError)),
        "max_connections": CONNECTIONS,
    }
    # `_answer` has the time limit, which a callback that holds the event loop up does not use up.
    limits = {"socket_timeout": None, "socket_connect_timeout": None}
    rest = dict(params)
    uri = uri or str(rest.pop("url", ""))
    try:
        parts = urlsplit(uri)
        is_cut = parts.fragment or "@" in parts.path + parts.query  # in the password
        has_database = parts.scheme == "unix" or (parts.path.strip("/") or "0").isdigit()
        if is_cut or not has_database or (uri and not uri.startswith(f"{parts.scheme}://")):
            raise ValueError  # noqa: TRY301 - one sentence for all that is wrong with an address
        # Not `from_url`: options in the URL would take the place of ours.
        options: dict[str, Any] = {**limits, **rest, **(parse_url(uri) if uri else {}), **ours}
        if not uri:  # redis-py's own reading of `ssl`, `unix_socket_path` and their like
            read = Redis(**options).connection_pool
            options = {**read.connection_kwargs, "connection_class": read.connection_class}
            options["max_connections"] = CONNECTIONS
        pool = BlockingConnectionPool(timeout=None, **options)  # `_answer` limits it
        pool.make_connection()  # type: ignore[no-untyped-call]  # redis-py
        return Redis.from_pool(pool)
    except (ValueError, TypeError, AttributeError, RedisError):
        raise ValueError(
            "it is no address of a Redis; write redis://user:password@host:port/db, with what is "
            "special in a URL percent-encoded in user and password"
        ) from None


class RedisStore:
    """Store and coordinator of all processes that use the same Redis. Its methods may raise.

    Attributes:
        client: closed with the store.
        now: any clock in seconds that never goes back.
        lasting: seconds that a process that died keeps its leases.
        clock: seconds since the epoch, as this machine has them.

    """

    def __init__(
        self,
        client: Client,
        now: Callable[[], float] = time.monotonic,
        lasting: float = LASTING,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.client, self.clock = client, clock
        self.leases = Leases(client, now, lasting)

    @property
    def coordinator(self) -> FleetCoordinator:
        return self

    async def get(self, origin: str) -> CacheEntry | None:
        key = _key(origin, "record")
        # The client may have been made to give texts.
        never: dict[str, Any] = {NEVER_DECODE: []}
        frame = await _answer(lambda: self.client.execute_command("GET", key, **never))
        if not isinstance(frame, bytes):
            return None
        entry = decode(frame)
        if entry.failing_since is not None:
            await self._check_date(key, entry)
        return entry

    async def put(self, origin: str, entry: CacheEntry) -> None:
        key, seconds = _key(origin, "record"), int(retention(entry))
        await _answer(lambda: self.client.set(key, encode(entry), ex=seconds))

    async def claim(self, origin: str) -> Claim:
        # The entry is read after the lease is asked for: a process that released the lease in
        # between has put its entry before that.
        granted = not await self.leases.take(_key(origin, "lease"))
        return Claim(granted, await self.get(origin))

    def release(self, origin: str) -> None:
        self.leases.give_back(_key(origin, "lease"))

    async def take(self, host: str, delay: float) -> float:
        return await self.leases.take(_key(host, "turn"), delay)

    def leave(self, host: str, *, visited: bool) -> None:
        self.leases.give_back(_key(host, "turn"), used=visited)

    async def pause(self, host: str, seconds: float) -> None:
        key, now = _key("all", "pauses"), self.clock()
        await _answer(lambda: self.client.zremrangebyscore(key, "-inf", now))
        await _answer(lambda: self.client.zadd(key, {host: now + seconds}))

    async def pauses(self) -> Mapping[str, float]:
        key, now = _key("all", "pauses"), self.clock()
        rows = await _answer(lambda: self.client.zrangebyscore(key, now, "+inf", withscores=True))
        return {
            host.decode() if isinstance(host, bytes) else host: until - now for host, until in rows
        }

    async def close(self) -> None:
        await self.leases.close()
        sentinels: Any = (
            getattr(self.client.connection_pool, "sentinel_manager", None)
            if (isinstance(self.client, Redis))
            else None
        )
        await self.client.aclose()
        for sentinel in sentinels.sentinels if sentinels else ():  # redis-py leaves them open
            await sentinel.aclose()

    async def _check_date(self, key: str, entry: CacheEntry) -> None:
        """EntryError for an entry of an outage that is older by our clock than by the server's.

        A dialect may allow everything after an outage of hours, so the clock of another machine
        must not make one longer. The time to live says when the entry was put.
        """
        left = await _answer(lambda: self.client.pttl(key))
        # A key without a time to live is taken for one that was put just now.
        age = retention(entry) - (left / 1000 if left > 0 else KEPT)
        behind = self.clock() - entry.asked_at - age
        if behind > MAX_SKEW:
            raise EntryError(f"an entry of a clock that is {behind:.0f} s behind this machine's")


def _key(name: str, kind: str) -> str:
    return f"robots:{{{name}}}:{kind}"


async def _answer(call: Callable[[], Awaitable[Any]]) -> Any:
    """The answer of the server. `Deadline` if it takes longer than a call may; RuntimeError, in
    one line, where it gives none.
    """
    try:
        return await within(ANSWER_WITHIN, call)
    except RedisError as error:
        # A server without a command repeats what it was sent, and AUTH was sent with the password.
        message = str(error).partition("\n")[0].partition(", with args beginning with")[0]
        raise RuntimeError(f"{type(error).__name__}: {message}") from None


@dataclass(frozen=True, slots=True)
class _Held:
    """A lease that is ours: the seconds of its rest, and until when it is renewed.

    A lease that is no longer renewed still leaves its rest when it is given back.
    """

    rest: float
    until: float


class Leases:
    """The leases of one process. `now`: any clock in seconds that never goes back."""

    def __init__(self, client: Client, now: Callable[[], float], lasting: float) -> None:
        self.client, self.now, self.lasting = client, now, lasting
        self._token = secrets.token_hex(8)
        self._held: dict[str, _Held] = {}
        self._returning: dict[str, asyncio.Task[Any]] = {}
        self._renewals: dict[str, asyncio.Future[Any]] = {}  # those under way
        self._renewing: asyncio.Task[None] | None = None

    async def take(self, key: str, rest: float = 0.0) -> float:
        """0: the lease is ours. Else ask again in so many seconds.

        While another holds it, asking once a rest is enough: its rest comes after it anyway.
        """
        # What we give back just now would be taken away from us again after we got it.
        returning = self._returning.get(key)
        if returning is not None:
            await asyncio.wait([returning])
        # A lease without a rest lasts as long for all processes.
        foreign = MAX_FOREIGN if rest else 0.0
        asked = asyncio.ensure_future(self._run(_TAKE, key, self.lasting + rest, foreign))
        try:
            state, left = map(int, await asyncio.shield(asked))
        except BaseException:  # cancelled or late, and the server may grant it yet
            if key not in self._held:
                self._give_back(key, 0.0, asked)
            raise
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

    def _give_back(self, key: str, rest: float, asked: asyncio.Future[Any] | None = None) -> None:
        """`asked`: a question for the lease that is still under way."""
        task = asyncio.create_task(self._return(key, rest, asked))
        self._returning[key] = task
        task.add_done_callback(lambda _: self._returning.pop(key, None))

    async def _return(self, key: str, rest: float, asked: asyncio.Future[Any] | None) -> None:
        if asked is not None:
            with suppress(Exception):
                await asked
        if key in self._renewals:  # it would set the key again, were it the last to come
            await asyncio.wait([self._renewals[key]])
        with suppress(Exception):  # a server that is gone loses the lease by itself
            await self._run(_GIVE_BACK, key, rest)

    async def _renew(self) -> None:
        while self._renewed():
            await asyncio.sleep(self.lasting / 4)
            # All at once: one after the other, a slow server would lose those that come last.
            self._renewals = {
                key: asyncio.ensure_future(self._run(_RENEW, key, self.lasting + held.rest))
                for key, held in self._renewed()
            }
            await asyncio.gather(*self._renewals.values(), return_exceptions=True)
            self._renewals = {}

    def _renewed(self) -> list[tuple[str, _Held]]:
        return [(key, held) for key, held in self._held.items() if self.now() <= held.until]

    async def _run(self, script: str, key: str, *seconds: float) -> Any:
        milliseconds = [str(math.ceil(part * 1000)) for part in seconds]
        evaluate: Any = self.client.eval  # its types also have the answer of a client that blocks
        return await _answer(lambda: evaluate(script, 1, key, self._token, *milliseconds))
