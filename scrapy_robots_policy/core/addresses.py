"""Which hosts are private: by their names, and by the addresses that they stand for."""

from __future__ import annotations

import unicodedata
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import unquote, urlsplit

Address = IPv4Address | IPv6Address
_IN_IPV4 = frozenset("0123456789abcdefx.")
# Where clouds give their machines secrets, at addresses that are public by their number: Azure,
# Oracle. Those of others are link-local, private or shared (169.254.169.254, fd00:ec2::254).
_METADATA = frozenset({IPv4Address("168.63.129.16"), IPv4Address("192.0.0.192")})
# The IPv6 prefix of addresses whose last 32 bits are an IPv4 address: RFC 6052.
_WITH_IPV4 = ip_network("64:ff9b::/96")
# RFC 6761, RFC 6762, RFC 8375, and the name that ICANN keeps for private use.
_PRIVATE_NAMES = frozenset({"localhost", "local", "home.arpa", "internal"})


def unescaped_host(url: str) -> str:
    """The host of a URL as the boldest client may read it: unescaped, its wide digits and dots made
    plain (RFC 3490 §3.1), in lower case.
    """
    host = unicodedata.normalize("NFKC", unquote(urlsplit(url).hostname or ""))
    return host.replace("\u3002", ".").lower().rstrip(".")


def spelled_address(host: str) -> Address | None:
    """The address that a host stands for by its spelling; None: it is a name.

    Resolvers read 2130706433, 0x7f.1 and 0177.1 as 127.0.0.1: so does this.
    """
    if ":" in host:
        with suppress(ValueError):
            return ip_address(host)
    elif _IN_IPV4.issuperset(host):
        with suppress(ValueError):
            return _written_ipv4(host)
    return None


def _written_ipv4(host: str) -> IPv4Address:
    """One to four numbers, octal after "0", hexadecimal after "0x"; the last one has the bytes that
    are left. ValueError where it is no address.
    """
    *first, last = (
        int(part, 0 if part.startswith("0x") else 8 if part[:1] == "0" else 10)
        for part in host.split(".")
    )
    if len(first) > 3 or any(number > 255 for number in first) or last >= 256 ** (4 - len(first)):
        raise ValueError(host)
    return IPv4Address(sum(number << 24 - 8 * at for at, number in enumerate(first)) + last)


def is_private_name(host: str) -> bool:
    """Whether a name has a meaning in a private network only: one word, or a reserved ending."""
    labels = host.split(".")
    endings = {labels[-1], ".".join(labels[-2:])}
    return len(labels) == 1 or not endings.isdisjoint(_PRIVATE_NAMES)


def is_private(address: str) -> bool:
    """Whether an address, in its text form, is private, loopback, link-local, a cloud's metadata
    service, or anything else but a machine of the public internet. So is a text that is none.
    """
    try:
        return not _is_public(ip_address(address))
    except ValueError:
        return True


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv6Address):
        inner = _ipv4_in(address)
        if inner is not None:
            return _is_public(inner)
        if address.is_site_local:
            return False
    is_special = address.is_multicast or address.is_reserved or address in _METADATA
    return address.is_global and not is_special


def _ipv4_in(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that is reached through an IPv6 address, if one is."""
    if address in _WITH_IPV4:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour
