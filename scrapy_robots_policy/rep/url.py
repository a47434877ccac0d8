"""URLs as bytes: their origin, the part that rules are compared with, and percent-escapes, which
dialects treat in four ways.

Bytes are held in `str`, one character a byte (latin-1): Python searches and slices it fastest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import lru_cache
from typing import NewType
from urllib.parse import urlsplit

from .checks import not_a_string

Origin = NewType("Origin", str)


class Percent(Enum):
    """What is done to percent-escapes before a rule and a path are compared."""

    GOOGLE = "google"  # in rules: upper-case escapes, encode bytes from 0x80 on
    # in both: the same, decode escapes but those of delimiters, escape "*" and "$"
    RFC9309 = "rfc9309"
    KOSTER = "koster"  # in both: decode all but %2F
    URI = "uri"  # in both: encode characters that a URI must not have, decode nothing


DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21}
MAX_PORT = 65_535

MAX_AUTHORITY = 4_096  # characters
_AUTHORITY = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//([^/?#]*)")
_ESCAPED_DOT = re.compile("%2[Ee]")
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_HIGH = {byte: f"%{byte:02X}" for byte in range(0x80, 0x100)}
_NOT_URI = re.compile(r"[^!#$%&'()*+,\-./0-9:;=?@A-Z_a-z~]")
_ESCAPED = {byte: f"%{byte:02X}" for byte in range(0x100) if _NOT_URI.match(chr(byte))}

# RFC 9309 §2.2.2 wants what is unreserved decoded, and figure 4 wants reserved characters to equal
# their escapes ("https://" and "https%3A%2F%2F" in a query), though not the "=" and "?" around
# them. So a reserved character equals its escape where it is data, and differs from it where it may
# divide a path or a query (RFC 3986 §2.2, §3.3, §3.4): "/" and "?" in a path, "&", "=", "+" and ";"
# in both. "*", "$" and "#" have meanings of their own (figure 6; a fragment). What may not stand in
# a URI at all equals its escape as well. All that is equal is compared in its shorter form.
_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_DATA = ":@!'(),[]"
_NOT_IN_A_URI = '\t\x0b\x0c "<>\\^`{|}'
_DATA_IN_A_QUERY = "/?"
# The escape of a hexadecimal digit is not decoded behind a "%" that begins no escape: "%2%46" would
# become "%2F", which is another path.
_DIGIT = "%(?:3[0-9]|[46][1-6])"
_MAKES_NO_ESCAPE = f"(?<!%{_DIGIT})(?<!%[0-9A-Fa-f]{_DIGIT})"


def _escapes(chars: str) -> dict[str, str]:
    return {f"%{ord(char):02X}": char for char in chars}


def _any_of(escapes: Iterable[str]) -> re.Pattern[str]:
    """The expression for these escapes only: `re` keeps some bytes for each that it finds."""
    by_first: dict[str, str] = {}
    for escape in escapes:
        first, second = escape[1], escape[2]
        by_first[first] = by_first.get(first, "") + second
    any_of = "|".join(f"{one}[{rest}]" for one, rest in by_first.items())
    return re.compile(f"%(?:{any_of}){_MAKES_NO_ESCAPE}")


_UNESCAPED = _escapes(_UNRESERVED) | {"%": "%25"}
_PERCENT = re.compile("%[0-9A-Fa-f]{2}|%")
_DECODED = _escapes(_UNRESERVED + _DATA + _NOT_IN_A_URI)
_DECODED_IN_A_QUERY = _DECODED | _escapes(_DATA_IN_A_QUERY)
_DATA_ESCAPE = _any_of(_DECODED)
_DATA_ESCAPE_IN_A_QUERY = _any_of(_DECODED_IN_A_QUERY)
# Scheme and authority, then what rules see: path, parameters and query, without the fragment.
# Google's parser looks for "://" behind two leading slashes, too: "//a://b/x" is "/x" at b. To it
# any ";" begins the path; here that of a user name does not (RFC 3986 §3.2.1): no server sees it.
_URL = re.compile("(?://)?(?:[^/?;#]*://)?(?:[^/?#]*@)?[^/?;#]*([^#]*)")

# Scheme, host and port where nothing is to be decoded or stripped: a crawl has few of them.
_PLAIN_SITE = re.compile(r"(?:https?|ftp)://[a-z0-9.-]{1,255}(?::[0-9]{1,5})?(?=[/?#]|\Z)")


def origin_of(url: str) -> Origin | None:
    """Scheme, IDNA host and port (not the default one): what one robots.txt speaks for.

    RFC 9309 §2.3. None where no robots.txt can be: no host, or a scheme but http, https and ftp.
    TypeError where `url` is no string.
    """
    try:
        site = _PLAIN_SITE.match(url)
    except TypeError:
        raise not_a_string("url", url) from None
    return _origin_of_site(site[0]) if site else _parsed_origin(url)


@lru_cache(maxsize=1024)
def _origin_of_site(site: str) -> Origin | None:
    scheme, _, authority = site.partition("://")
    host, _, port = authority.partition(":")
    return _origin_from(scheme, host, int(port) if port else None)


def _parsed_origin(url: str) -> Origin | None:
    if has_long_host(url):
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    return _origin_from(parts.scheme.lower(), parts.hostname or "", port)


def _origin_from(scheme: str, host: str, port: int | None) -> Origin | None:
    host = _host(host)
    if not host or scheme not in DEFAULT_PORTS or (port is not None and port > MAX_PORT):
        return None
    if port is None or port == DEFAULT_PORTS[scheme]:
        return Origin(f"{scheme}://{host}")
    return Origin(f"{scheme}://{host}:{port}")


def has_long_host(url: str) -> bool:
    """Whether the host in a URL, or in a reference to one, has more characters than any host. To
    normalize it would take time by the square of their number.
    """
    match = _AUTHORITY.match(url.lstrip())
    return match is not None and len(match[1]) > MAX_AUTHORITY


def host_of_origin(origin: str) -> str:
    """The host of an origin, without its port; an IPv6 address is in brackets."""
    place = origin.partition("://")[2]
    host, colon, _ = place.rpartition(":")
    return host if colon and not place.endswith("]") else place


def server_forms(url: str) -> tuple[str, ...]:
    """The URL, and the one that the server may read in its place.

    Not every client takes dot segments out of a path, but a server may do so before it looks for
    the page: then "/a/../private" is "/private". RFC 3986 §5.2.4; `%2e` is a dot (§6.2.2.2).
    """
    if "/." not in url and "/%2" not in url:
        return (url,)
    resolved = without_dot_segments(url)
    return (url,) if resolved == url else (url, resolved)


# What the URL standard escapes in a path, and of that in a query.
_IN_A_PATH = {ord(char): f"%{ord(char):02X}" for char in ' "<>`{}'}
_IN_A_QUERY = {ord(char): f"%{ord(char):02X}" for char in ' "<>'}


def client_forms(url: str, *, normalizes: bool = False) -> tuple[str, ...]:
    """The URLs of `server_forms`, and those that a client may send in their place.

    httpx escapes what no URL may have, as the URL standard has it (WHATWG URL, percent-encoded
    bytes), and leaves out the slash before a last dot segment. Twisted leaves out an empty query
    and an empty parameter, yarl an empty query.

    Args:
        normalizes: whether the client may also decode escapes of what is unreserved, as curl does
            (RFC 3986 §6.2.2.2), and complete a "%" that begins no escape.

    """
    forms = server_forms(url)
    match = _URL.match(url)
    assert match is not None  # the pattern matches the empty string
    if match[1].partition("?")[0].endswith(("/.", "/..")):
        resolved = without_dot_segments(url)
        path, mark, query = path_of(resolved).partition("?")
        forms += (url[: match.start(1)] + path.removesuffix("/") + mark + query,)
    if normalizes and "%" in url:
        forms += tuple(map(_normalized, forms))
    return tuple(dict.fromkeys((*forms, *map(_escaped, forms), *map(_without_empty, forms))))


def _normalized(url: str) -> str:
    """Its unreserved characters without escapes, and each "%" as one of an escape."""
    return _PERCENT.sub(lambda one: _UNESCAPED.get(one[0].upper(), one[0]), url)


def _escaped(url: str) -> str:
    match = _URL.match(url)
    assert match is not None  # the pattern matches the empty string
    path, mark, query = match[1].partition("?")
    sent = path.translate(_IN_A_PATH) + mark + query.translate(_IN_A_QUERY)
    return url[: match.start(1)] + sent + url[match.end(1) :]


def _without_empty(url: str) -> str:
    match = _URL.match(url)
    assert match is not None  # the pattern matches the empty string
    path, mark, query = match[1].partition("?")
    before, slash, last = path.rpartition("/")
    if last.find(";") == len(last) - 1:
        last = last[:-1]
    return url[: match.start(1)] + before + slash + last + (mark + query if query else "")


def without_dot_segments(url: str) -> str:
    """The URL with "." and ".." taken out of its path. RFC 3986 §5.2.4."""
    match = _URL.match(url)
    assert match is not None  # the pattern matches the empty string
    path, mark, query = match[1].partition("?")
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        plain = _ESCAPED_DOT.sub(".", segment)
        if plain == "..":
            if len(kept) > 1:
                kept.pop()
        elif plain != ".":
            kept.append(segment)
    if _ESCAPED_DOT.sub(".", segments[-1]) in (".", ".."):
        kept.append("")
    return url[: match.start(1)] + "/".join(kept) + mark + query + url[match.end(1) :]


def _host(host: str) -> str:
    if ":" in host:
        return f"[{host}]"
    name = host if host.isascii() else _ascii(host)
    return name.removesuffix(".")


def _ascii(host: str) -> str:
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return host


def path_of(url: str) -> str:
    """The part of a URL that rules are compared with, as it stands there: path, parameters and
    query; "/" where there is none. How it is escaped is the dialect's affair (`URL_ESCAPES`).
    """
    match = _URL.match(url)
    assert match is not None  # the pattern matches the empty string
    path = match[1]
    return path if path.startswith("/") else "/" + path


def as_utf8(text: str) -> str:
    """The bytes of a text in UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "surrogatepass").decode("latin-1")


def _google(text: str) -> str:
    """Escape what is not ASCII, and write all escapes in upper case."""
    if "%" in text:
        text = _ESCAPE.sub(lambda match: match[0].upper(), text)
    return text if text.isascii() else text.translate(_HIGH)


def _google_path(path: str) -> str:
    return _google(as_utf8(path))


def _decode_data(text: str) -> str:
    """Escapes in upper case -> the bytes that RFC 9309 compares."""
    path, mark, query = text.partition("?")
    path = _DATA_ESCAPE.sub(lambda match: _DECODED[match[0]], path)
    return path + mark + _decode_query(query) if mark else path


def _decode_query(query: str) -> str:
    return _DATA_ESCAPE_IN_A_QUERY.sub(lambda match: _DECODED_IN_A_QUERY[match[0]], query)


def in_query(rest: str) -> str:
    """The rest of a rule, from its first "*" on, as it is compared with a query; "" where that is
    as with a path.

    "/*u=%2Fa" may mean "/x/u=%2Fa", where "%2F" is no "/", and "/x?u=%2Fa", where it is one.
    """
    path = rest.partition("?")[0]
    return _decode_query(rest) if "%2F" in path or "%3F" in path else ""


def _rfc9309_rule(value: str) -> str:
    if "%" in value or not value.isascii():
        value = _decode_data(_google(value))
    # RFC 9309 §2.2.3: only a final "$" is special; any other stands for itself.
    return value[:-1].replace("$", "%24") + value[-1:] if "$" in value else value


def _rfc9309_path(path: str) -> str:
    if "%" in path or not path.isascii():
        path = _decode_data(_google_path(path))
    return path.replace("*", "%2A").replace("$", "%24") if "*" in path or "$" in path else path


def _koster(text: str) -> str:
    return _ESCAPE.sub(_decode, text)


def _decode(match: re.Match[str]) -> str:
    byte = match[0].upper()
    return byte if byte == "%2F" else chr(int(byte[1:], 16))


def _uri(text: str) -> str:
    # Not with `sub`, which keeps some 80 bytes for each character that it replaces.
    return text.translate(_ESCAPED) if _NOT_URI.search(text) else text


def readable(text: str) -> str:
    """Bytes held as characters, as the UTF-8 that they are, for people to read."""
    if text.isascii():
        return text
    return text.encode("latin-1", "replace").decode("utf-8", "replace")


RULE_ESCAPES: Mapping[Percent, Callable[[str], str]] = {
    Percent.GOOGLE: _google,
    Percent.RFC9309: _rfc9309_rule,
    Percent.KOSTER: _koster,
    Percent.URI: _uri,
}
"""What prepares the path of a rule."""

URL_ESCAPES: Mapping[Percent, Callable[[str], str]] = {
    Percent.GOOGLE: _google_path,
    Percent.RFC9309: _rfc9309_path,
    Percent.KOSTER: lambda path: _koster(as_utf8(path)),
    Percent.URI: lambda path: _uri(as_utf8(path)),
}
"""What prepares the path of a URL, given by `path_of`."""
