"""A Redis that is found through Sentinel: the address of a service, and a client of its master.

    redis+sentinel://user:password@host:port,host:port/service/db

User and password are those of the Redis. The sentinels' own stand behind the "?", as
`sentinel_username` and `sentinel_password`, beside redis-py's other options.

The client asks the sentinels for the master each time that it connects. A master that became a
replica refuses writes; redis-py closes such a connection, so the next call asks anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode

from redis.asyncio import Redis
from redis.asyncio.connection import SSLConnection
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.backoff import NoBackoff

from .hosts import Host, split_hosts

PORT = 26379
ANSWER_WITHIN = 0.5  # seconds for one sentinel, of those that a whole call has
_OF_SENTINELS = "sentinel_"  # what the names of the options of the sentinels begin with


@dataclass(frozen=True, slots=True)
class Service:
    """`hosts`: (name, port) of each sentinel. `options`: for the connections to them."""

    name: str
    hosts: tuple[Host, ...]
    options: Mapping[str, str] = field(default_factory=dict, repr=False)

    def client(self, options: Mapping[str, Any], protocol: int) -> Redis:
        """A client of the master, that has not connected yet. `options`: of a single Redis."""
        ours = {
            "protocol": protocol,
            "socket_timeout": ANSWER_WITHIN,
            "socket_connect_timeout": ANSWER_WITHIN,
            "retry": Retry(NoBackoff(), 0),  # the next sentinel is asked instead
        }
        kwargs = {name: value for name, value in options.items() if name not in {"host", "port"}}
        kwargs["ssl"] = kwargs.pop("connection_class", None) is SSLConnection
        sentinel: Any = Sentinel(  # type: ignore[no-untyped-call]  # redis-py
            self.hosts, sentinel_kwargs={**self.options, **ours}, **kwargs
        )
        client: Redis = sentinel.master_for(self.name, redis_class=MasterClient)
        return client


class MasterClient(Redis):
    """Closes its connections to the sentinels too, which redis-py leaves open."""

    async def aclose(self, close_connection_pool: bool | None = None) -> None:
        await super().aclose(close_connection_pool)
        pool: Any = self.connection_pool  # a SentinelConnectionPool
        for sentinel in pool.sentinel_manager.sentinels:
            await sentinel.aclose()


def service_of(parts: SplitResult) -> tuple[Service, str]:
    """(the service, the URL of a single Redis with the rest of the address). ValueError."""
    user, hosts = split_hosts(parts.netloc, PORT)
    name, _, database = parts.path.strip("/").partition("/")
    if not name:
        raise ValueError
    query = parse_qsl(parts.query, keep_blank_values=True)
    options = {
        key.removeprefix(_OF_SENTINELS): value
        for key, value in query
        if key.startswith(_OF_SENTINELS)
    }
    rest = urlencode([item for item in query if not item[0].startswith(_OF_SENTINELS)])
    service = Service(unquote(name), hosts, options)
    url = parts._replace(netloc=f"{user}sentinel", path=f"/{int(database or 0)}", query=rest)
    return service, url.geturl()
