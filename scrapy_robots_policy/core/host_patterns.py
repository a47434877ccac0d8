"""Patterns by which users name hosts: "*" stands for anything, with or without a port."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from ipaddress import IPv6Address

from ..rep.match import Index, Pattern, Ranked, place_of, ranked, strength_of
from ..rep.url import DEFAULT_PORTS, host_of_origin

_HOST_AND_PORT = re.compile(r"(.*?)(:[0-9*]+)?", re.DOTALL)
_HOST = re.compile(r"\[[0-9a-f:.*]+\]|[^\s/@?#\[\]:]+")


def host_pattern(text: str) -> str:
    """A pattern as hosts stand in origins: lower case, IDNA, no final dot, IPv6 in brackets.

    ValueError where it can mean no host.
    """
    pattern = text.strip().lower()
    if _is_ipv6(pattern):
        return f"[{pattern}]"
    match = _HOST_AND_PORT.fullmatch(pattern)
    assert match is not None  # the expression matches any text
    host = match[1].rstrip(".")
    if not _HOST.fullmatch(host):
        raise ValueError(text)
    return host.encode("idna").decode("ascii") + (match[2] or "")


def _is_ipv6(text: str) -> bool:
    try:
        IPv6Address(text)
    except ValueError:
        return False
    return True


class HostMatch:
    """Origin → the numbers, from 0, of the patterns that its host fits, in their order.

    Hosts and patterns are read backwards: "*.example.com" begins as the hosts that it means end.

    Attributes:
        patterns: as `host_pattern` gives them.

    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self._backwards = [Pattern.of(pattern[::-1] + "$") for pattern in patterns]
        self._index = Index([(pattern.start, at) for at, pattern in enumerate(self._backwards)])

    def of(self, origin: str) -> list[int]:
        names = (name[::-1] for name in _names_of(origin))
        return sorted(
            {place_of(one) for name in names for one in self._index.every(name, self._read)}
        )

    def _read(self, wanted: Iterable[int]) -> Iterator[Ranked]:
        return (ranked(strength_of(0, False, at), self._backwards[at]) for at in wanted)


def _names_of(origin: str) -> tuple[str, str]:
    """(the host of an origin, the host with its port). A default port is written out, too."""
    scheme, _, place = origin.partition("://")
    host = host_of_origin(origin)
    return host, place if host != place else f"{place}:{DEFAULT_PORTS[scheme]}"
