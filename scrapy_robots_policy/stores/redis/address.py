"""The address of a Redis and the user there: read from a URI or from parameters, checked at start.

Both may hold a password, so no message shows more than the host, the port and the number of the
database; of an address that cannot be read nothing is shown at all.
Must not know: what is asked of a Redis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias
from urllib.parse import SplitResult, urlsplit

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisClusterException

from .sentinels import Service, service_of

Client: TypeAlias = "Redis | RedisCluster"

CLUSTER = "+cluster"  # what a scheme ends with where the Redis is a cluster
SENTINEL = "+sentinel"  # and where it is found through Sentinel
CONNECTIONS = 16  # calls of a process at a time; further ones wait
PORT = 6379
PROTOCOL = 2  # which every server speaks

SENTENCE = (
    "it is no address of a Redis; write redis://user:password@host:port/db, with what is special "
    "in a URL percent-encoded in user and password"
)


@dataclass(frozen=True, slots=True)
class Address:
    """`name` may be shown. `url` is empty where `params` say all.

    service  what the sentinels call the Redis; None where it has an address of its own
    """

    name: str
    url: str = field(default="", repr=False)
    params: Mapping[str, Any] = field(default_factory=dict, repr=False)
    is_cluster: bool = False
    service: Service | None = None

    @classmethod
    def of_uri(cls, uri: str) -> Address:
        """ValueError where it is none."""
        scheme, _, place = uri.partition(":")
        single = scheme.removesuffix(CLUSTER).removesuffix(SENTINEL)
        try:
            if scheme.endswith(SENTINEL):
                return _checked(_of_service(f"{single}:{place}"))
            name = _name(uri)
        except ValueError:
            raise ValueError(SENTENCE) from None  # urlsplit's message may quote the password
        return _checked(cls(name, f"{single}:{place}", {}, is_cluster=scheme != single))

    @classmethod
    def of_params(cls, params: Mapping[str, Any]) -> Address:
        """By what redis-py's client takes: `url`, or else `host`, `port`, `db`, `password` …"""
        rest = dict(params)
        url = rest.pop("url", None)
        if url:
            address = cls.of_uri(str(url))
            return _checked(replace(address, params=rest))
        place = rest.get("unix_socket_path")
        host = f"{rest.get('host', 'localhost')}:{rest.get('port', PORT)}/{rest.get('db', 0)}"
        return _checked(cls(place or host, "", rest))

    def client(self) -> Client:
        """A client that has not connected yet.

        A connection that was lost is opened anew once, for the server may have been restarted.
        """
        retry = Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,))
        ours = {"protocol": PROTOCOL, "retry": retry, "max_connections": CONNECTIONS}
        options = {**self.params, **ours}
        if self.service is not None:
            return self.service.client(self.url, options, PROTOCOL)
        kind = RedisCluster if self.is_cluster else Redis
        return kind.from_url(self.url, **options) if self.url else kind(**options)


def _checked(address: Address) -> Address:
    """Have redis-py read it; nothing is connected. ValueError where it cannot."""
    try:
        client = address.client()
        if isinstance(client, Redis):
            client.connection_pool.make_connection()  # type: ignore[no-untyped-call]  # redis-py
    except (ValueError, TypeError, AttributeError, RedisClusterException):
        raise ValueError(SENTENCE) from None
    return address


def _of_service(uri: str) -> Address:
    """ValueError where it is no address of a service."""
    service, url = service_of(_parts(uri))
    database = urlsplit(url).path.strip("/")
    return Address(f"{service.name}/{database} of {service.places}", url, {}, service=service)


def _parts(uri: str) -> SplitResult:
    """ValueError where a password was cut by a character of its own."""
    parts = urlsplit(uri)
    is_cut = parts.fragment or "@" in parts.path + parts.query
    if is_cut or not uri.startswith(f"{parts.scheme}://"):
        raise ValueError
    return parts


def _name(uri: str) -> str:
    """What may be shown. ValueError."""
    parts = _parts(uri)
    if parts.scheme == "unix":
        return parts.path
    database = parts.path.strip("/") or "0"
    return f"{parts.hostname or 'localhost'}:{parts.port or PORT}/{int(database)}"
