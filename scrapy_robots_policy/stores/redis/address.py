"""The address of a Redis and the user there: read from a URI or from parameters, checked at start.

Both may hold a password, so no message shows more than the host, the port and the number of the
database; of an address that cannot be read nothing is shown at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias
from urllib.parse import SplitResult, urlsplit

from redis.asyncio import ConnectionPool, Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.connection import SSLConnection, parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ReadOnlyError, RedisClusterException, RedisError

from .hosts import Host, joined, split_hosts
from .sentinels import Service, service_of

Client: TypeAlias = "Redis | RedisCluster"

CLUSTER = "+cluster"  # what a scheme ends with where the Redis is a cluster
SENTINEL = "+sentinel"  # and where it is found through Sentinel
CONNECTIONS = 16  # calls of a process at a time; further ones wait
PORT = 6379
PROTOCOL = 2  # which every server speaks

_FORMS = {
    CLUSTER: "redis+cluster://user:password@host:port,host:port",
    SENTINEL: "redis+sentinel://user:password@host:port,host:port/service/db",
}


@dataclass(frozen=True, slots=True)
class Address:
    """`name` may be shown. `url` is empty where `params` say all.

    nodes    the nodes by which a cluster is found; none where it is no cluster
    service  what the sentinels call the Redis; None where it has an address of its own
    """

    name: str
    url: str = field(default="", repr=False)
    params: Mapping[str, Any] = field(default_factory=dict, repr=False)
    nodes: tuple[Host, ...] = ()
    service: Service | None = None

    @classmethod
    def of_uri(cls, uri: str) -> Address:
        """ValueError where it is none."""
        scheme, _, place = uri.partition(":")
        single = scheme.removesuffix(CLUSTER).removesuffix(SENTINEL)
        kind = scheme.removeprefix(single)
        read = {CLUSTER: _of_cluster, SENTINEL: _of_service}.get(kind, _of_one)
        try:
            return _checked(read(f"{single}:{place}"))
        except ValueError:
            raise _fault(kind) from None  # urlsplit's message may quote the password

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

        A connection that was lost is opened anew once, for the server may have been restarted. So
        is one to a server that has become a replica: the address may lead to the new master.
        """
        lost = (RedisConnectionError, ReadOnlyError)
        retry = Retry(NoBackoff(), 1, supported_errors=lost)
        ours = {"protocol": PROTOCOL, "retry": retry, "max_connections": CONNECTIONS}
        # Not `from_url`: options in the URL would take the place of ours.
        of_url = parse_url(self.url) if self.url else {}
        options: dict[str, Any] = {**self.params, **of_url, **ours}
        if self.service is not None:
            return self.service.client(options, PROTOCOL)
        if self.nodes:
            nodes = [ClusterNode(host, port) for host, port in self.nodes]
            is_tls = options.pop("connection_class", None) is SSLConnection
            return RedisCluster(startup_nodes=nodes, ssl=is_tls, **options)
        return Redis.from_pool(ConnectionPool(**options)) if self.url else Redis(**options)


def _checked(address: Address) -> Address:
    """Have redis-py read it; nothing is connected. ValueError where it cannot."""
    try:
        client = address.client()
        if isinstance(client, Redis):
            client.connection_pool.make_connection()  # type: ignore[no-untyped-call]  # redis-py
    except (ValueError, TypeError, AttributeError, RedisError, RedisClusterException):
        raise _fault() from None
    return address


def _fault(kind: str = "") -> ValueError:
    form = _FORMS.get(kind, "redis://user:password@host:port/db")
    return ValueError(
        f"it is no address of a Redis; write {form}, with what is special in a URL "
        "percent-encoded in user and password"
    )


def _of_one(uri: str) -> Address:
    parts = _parts(uri)
    if parts.scheme == "unix":
        return Address(parts.path, uri)
    host = f"{parts.hostname or 'localhost'}:{parts.port or PORT}"
    return Address(f"{host}/{_database(parts)}", uri)


def _of_cluster(uri: str) -> Address:
    """A cluster is found by any node that is named, while it lives."""
    parts = _parts(uri)
    user, nodes = split_hosts(parts.netloc or "localhost", PORT)
    url = parts._replace(netloc=user + joined(nodes[:1])).geturl()
    return Address(f"{joined(nodes)}/{_database(parts)}", url, nodes=nodes)


def _of_service(uri: str) -> Address:
    service, url = service_of(_parts(uri))
    place = f"{service.name}/{_database(urlsplit(url))} of {joined(service.hosts)}"
    return Address(place, url, service=service)


def _parts(uri: str) -> SplitResult:
    """ValueError where a password was cut by a character of its own."""
    parts = urlsplit(uri)
    is_cut = parts.fragment or "@" in parts.path + parts.query
    if is_cut or not uri.startswith(f"{parts.scheme}://"):
        raise ValueError
    return parts


def _database(parts: SplitResult) -> int:
    """ValueError where it has no number."""
    return int(parts.path.strip("/") or 0)
