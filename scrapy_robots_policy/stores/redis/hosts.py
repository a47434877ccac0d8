"""The hosts in an address that may name several: `user:password@host:port,host:port`."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

Host = tuple[str, int]


def split_hosts(place: str, port: int) -> tuple[str, tuple[Host, ...]]:
    """(what stands before the hosts, each host with its port). ValueError where one has no name.

    port  the one of a host that names none
    """
    user, at, hosts = place.rpartition("@")
    return user + at, tuple(_host(host, port) for host in hosts.split(","))


def joined(hosts: Iterable[Host]) -> str:
    """The hosts as they stand in an address."""
    return ",".join(f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name, port in hosts)


def _host(host: str, port: int) -> Host:
    parts = urlsplit(f"//{host}")
    if not parts.hostname:
        raise ValueError
    return parts.hostname, parts.port or port
