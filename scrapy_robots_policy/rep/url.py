"""URLs and paths as octets.

Knows: what a URL's origin is, which part of it rules are compared with, and the four ways in which
percent-escapes are treated. Must not know: lines, groups, which dialect asks.

Octets are held in `str`, one character an octet (latin-1): Python searches and slices it fastest.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NewType
from urllib.parse import urlsplit

from .dialects.options import Percent

Origin = NewType("Origin", str)

DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21}

_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_HIGH = {octet: f"%{octet:02X}" for octet in range(0x80, 0x100)}
_NOT_URI = re.compile(r"[^!#$%&'()*+,\-./0-9:;=?@A-Z_a-z~]")
_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_UNRESERVED_ESCAPE = re.compile("%(?:2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F|7E)")
_DECODED = {f"%{ord(char):02X}": char for char in _UNRESERVED}
# Scheme and authority, then what rules see: path, parameters and query, without the fragment.
_URL = re.compile("(?://|[^/?;#]*://)?[^/?;#]*([^#]*)")


def origin_of(url: str) -> Origin | None:
    """Scheme, IDNA host and port (not the default one): what one robots.txt speaks for.

    RFC 9309 §2.3. None where no robots.txt can be: no host, or a scheme but http, https and ftp.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    host = _host(parts.hostname or "")
    if not host or scheme not in DEFAULT_PORTS:
        return None
    if port is None or port == DEFAULT_PORTS[scheme]:
        return Origin(f"{scheme}://{host}")
    return Origin(f"{scheme}://{host}:{port}")


def _host(host: str) -> str:
    host = host.removesuffix(".")
    if ":" in host:
        return f"[{host}]"
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return host


def path_of(url: str) -> str:
    """The part of a URL that rules are compared with, in its RFC 3986 form.

    Path, parameters and query; "/" where there is none; octets from 0x80 on escaped, escapes in
    upper case. Nothing is decoded here: that is the dialect's affair (`url_octets`).
    """
    found = _URL.match(url)
    assert found is not None  # the pattern matches the empty string
    path = found[1]
    if not path.startswith("/"):
        path = "/" + path
    return path if path.isascii() and "%" not in path else canonical(path)


def canonical(path: str) -> str:
    """Escape what is not ASCII as UTF-8, and write all escapes in upper case."""
    if not path.isascii():
        path = _escape_high(path.encode("utf-8", "surrogatepass").decode("latin-1"))
    return upper_escapes(path)


def upper_escapes(text: str) -> str:
    return _ESCAPE.sub(lambda found: found[0].upper(), text) if "%" in text else text


def _escape_high(text: str) -> str:
    return text if text.isascii() else text.translate(_HIGH)


def _escape_octet(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}"


def _decode_unreserved(text: str) -> str:
    return _UNRESERVED_ESCAPE.sub(lambda found: _DECODED[found[0]], text)


def _decode(found: re.Match[str]) -> str:
    octet = found[0].upper()
    return octet if octet == "%2F" else chr(int(octet[1:], 16))


def _google_rule(value: str) -> str:
    if "%" in value:
        value = upper_escapes(value)
    return value if value.isascii() else _escape_high(value)


def _rfc9309_rule(value: str) -> str:
    if "%" in value or not value.isascii():
        value = _decode_unreserved(_google_rule(value))
    # RFC 9309 §2.2.3: only a final "$" is special; any other stands for itself.
    return value[:-1].replace("$", "%24") + value[-1:] if "$" in value else value


def _rfc9309_path(path: str) -> str:
    if "%" in path:
        path = _decode_unreserved(path)
    return path.replace("*", "%2A").replace("$", "%24") if "*" in path or "$" in path else path


def _koster(text: str) -> str:
    return _ESCAPE.sub(_decode, text)


def _uri(text: str) -> str:
    return _NOT_URI.sub(_escape_octet, text)


def _same(text: str) -> str:
    return text


def readable(octets: str) -> str:
    """Octets held as characters, as the UTF-8 that they are, for people to read."""
    return (
        octets
        if octets.isascii()
        else octets.encode("latin-1", "replace").decode("utf-8", "replace")
    )


def rule_octets(percent: Percent) -> Callable[[str], str]:
    """The function that prepares a rule's path."""
    return _OF_RULE[percent]


def url_octets(percent: Percent) -> Callable[[str], str]:
    """The function that prepares the path of a URL, given by `path_of`."""
    return _OF_PATH[percent]


_OF_RULE = {
    Percent.GOOGLE: _google_rule,
    Percent.RFC9309: _rfc9309_rule,
    Percent.KOSTER: _koster,
    Percent.URI: _uri,
}
_OF_PATH = {
    Percent.GOOGLE: _same,
    Percent.RFC9309: _rfc9309_path,
    Percent.KOSTER: _koster,
    Percent.URI: _uri,
}
