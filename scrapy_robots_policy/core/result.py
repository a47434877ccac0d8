"""What a response, or an exception, says of a robots.txt: the `FetchResult`. No I/O, no Scrapy.

Responses that say nothing about the file count as no answer: a proxy's own, a part of a body, a 304
that was not asked for. Else a part of a file, or the words of a proxy, would open the site, and a
304 would keep an old copy for ever.

A packed body is unpacked no further than a limit, because a few bytes may mean gigabytes. Scrapy
gives what it can get out of a broken body; of a robots.txt that would be a file without its last
rules. Only what was asked for is unpacked here; br and zstd, which a plugin may ask for, are left
to Scrapy.

What kept a response from coming has a cause: one or two words for the exception.
"""

from __future__ import annotations

import re
import zlib
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import timezone
from email.utils import parsedate_to_datetime
from functools import partial
from traceback import walk_tb
from typing import Any

from ..rep import Dialect, FetchResult

MAX_BYTES = 4 * 1024 * 1024  # of a file, where a dialect knows no limit
# Words, and the names of exceptions for which they stand. The chain of causes of an exception may
# have several of these names: the first row that has one of them counts.
CAUSES = (
    ("timeout while busy", {"BusyError"}),
    ("dns timeout", {"LookupTimeoutError"}),
    ("tls", {"SSLError", "SSLCertVerificationError", "VerificationError", "CertificateError"}),
    ("tls", {"SSLEOFError", "SSLZeroReturnError"}),
    ("tls", {"ClientConnectorCertificateError", "ClientConnectorSSLError", "OpenSSL"}),
    ("timeout", {"DownloadTimeoutError", "TimeoutError", "TCPTimedOutError"}),
    ("dns", {"CannotResolveHostError", "DNSLookupError", "gaierror"}),
    ("reset", {"ConnectionLost", "ConnectionResetError", "ServerDisconnectedError"}),
    ("cut body", {"ResponseDataLossError", "_DataLoss", "PartialDownloadError", "IncompleteRead"}),
    ("reset", {"ResponseNeverReceived", "ConnectionDone", "RemoteProtocolError"}),
    ("reset", {"RemoteDisconnected"}),
    ("no HTTP", {"BadStatusLine", "LineTooLong"}),
    ("unreadable body", {"UnreadableBodyError"}),
    ("304 unasked for", {"UnaskedNotModifiedError"}),
    ("refused by the proxy", {"ProxyRefusedError"}),
    ("connection refused", {"ConnectionRefusedError", "DownloadConnectionRefusedError"}),
    ("connection failed", {"ConnectError", "NoRouteError", "DownloadFailedError", "OSError"}),
    ("connection failed", {"ResponseFailed"}),
    ("dropped by a middleware", {"IgnoreRequest", "Disallowed"}),
    ("kept by a middleware", {"KeptByMiddlewareError"}),
    ("scheme not supported", {"NotSupported", "UnsupportedURLSchemeError"}),
)


def cause_of(error: BaseException) -> str:
    """One word or two for what kept a response from coming."""
    return _known_cause(error) or type(error).__name__


def is_fault_of(
    error: BaseException, middlewares: AbstractSet[str], clients: AbstractSet[str]
) -> bool:
    """Whether code of the user's has raised an exception that nobody has foreseen.

    Others come from a site: an HTTP client raises ValueError for a host name that no host may have,
    and may have exceptions of its own for what a site does.

    Args:
        middlewares: the packages of the downloader middlewares.
        clients: those of what sends requests: the download handlers and the downloader.

    """
    if _known_cause(error):
        return False
    frames = (frame for link in chain_of(error) for frame, _ in walk_tb(link.__traceback__))
    packages = {package_of(frame.f_globals.get("__name__", "")) for frame in frames}
    if type(error).__module__ == "builtins" and not isinstance(error, ValueError):
        return not packages.isdisjoint(middlewares | clients)
    return not packages.isdisjoint(middlewares)


def package_of(module: str) -> str:
    """The outermost package of a module."""
    return module.partition(".")[0]


def _known_cause(error: BaseException) -> str | None:
    names = {_name(link) for link in chain_of(error)}
    causes = (cause for cause, of_cause in CAUSES if names & of_cause)
    return next(causes, None)


def _name(error: BaseException) -> str:
    kind = type(error)  # pyOpenSSL's exceptions are all called Error
    return "OpenSSL" if kind.__module__.startswith("OpenSSL") else kind.__name__


def _reasons(error: BaseException) -> Sequence[Any]:
    """Twisted's list of what has made it fail."""
    return getattr(error, "reasons", None) or ()


def chain_of(error: BaseException) -> Iterator[BaseException]:
    """An exception and its causes, Twisted's lists of reasons among them."""
    yield error
    for reason in _reasons(error):
        # Scrapy's handler of HTTP/2 gives bare exceptions, too, and a text for a reset.
        link = getattr(reason, "value", reason)
        if isinstance(link, BaseException):
            yield from chain_of(link)
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from chain_of(cause)


_ZIPPED = partial(zlib.decompressobj, 47)  # zlib's number for: gzip or zlib, as it comes
_BARE = partial(zlib.decompressobj, -15)  # some servers send deflate without a header
# By encoding, what may unpack it: the first that reads a body is right.
DECODERS: Mapping[str, tuple[Callable[[], Any], ...]] = {
    "gzip": (_ZIPPED,),
    "x-gzip": (_ZIPPED,),
    "deflate": (_ZIPPED, _BARE),
}
ACCEPTED = "gzip, deflate"
MAX_ENCODINGS = 3  # nested in each other
# No encodings, but servers send them with plain text: curl reads "none" so, and s3cmd has stored
# text with "UTF-8". A robots.txt in any other unknown encoding might seem to have no rules.
PLAIN = frozenset({"none", "utf-8", "utf8"})
MAX_MEMBERS = 100  # of one packed body: each costs a copy of what is left


class UnreadableBodyError(Exception):
    """A body in an encoding that was not asked for, or broken in its encoding."""


def encodings_of(content_encoding: str) -> Sequence[str]:
    """The encodings of a Content-Encoding header, in the order in which they were applied."""
    names = (name.strip().lower() for name in content_encoding.split(","))
    return tuple(name for name in names if name)


def can_unpack(encodings: Iterable[str]) -> bool:
    """Whether a body in these encodings can be unpacked here, if it is not broken."""
    return all(one == "identity" or one in PLAIN or one in DECODERS for one in encodings)


def unpack(packed: bytes, encodings: Sequence[str], limit: int, *, is_whole: bool) -> bytes:
    """At most `limit` bytes of a body. Raises UnreadableBodyError if it cannot be unpacked.

    Args:
        is_whole: whether the packed body came to its end; else it may end in the middle.

    """
    if len(encodings) > MAX_ENCODINGS:
        raise UnreadableBodyError(f"{len(encodings)} nested encodings")
    body = packed
    for encoding in reversed(encodings):
        body = _decode(body, encoding, limit, is_whole)
    return body[:limit]


def _decode(packed: bytes, encoding: str, limit: int, is_whole: bool) -> bytes:
    if encoding == "identity" or (encoding in PLAIN and _is_text(packed)):
        return packed
    for new in DECODERS.get(encoding, ()):
        try:
            return _members(new, packed, limit, is_whole)
        except (zlib.error, ValueError):  # noqa: PERF203 - there are two at most
            continue
    raise UnreadableBodyError(encoding)


def _is_text(body: bytes) -> bool:
    """Whether it is UTF-8, which may be cut in the middle of a character."""
    try:
        getincrementaldecoder("utf-8")().decode(body)
    except UnicodeDecodeError:
        return False
    return True


def _members(new: Callable[[], Any], packed: bytes, limit: int, is_whole: bool) -> bytes:
    """Some `limit` bytes at most. Raises ValueError, and what the decoder raises."""
    body = b""
    for _ in range(MAX_MEMBERS):  # RFC 1952 §2.2: a gzip file may have several members
        decoder = new()
        part: bytes = decoder.decompress(packed, limit - len(body))
        body += part
        packed = decoder.unused_data
        if len(body) >= limit:
            return body
        if not decoder.eof and is_whole:
            raise ValueError("it ends too soon")
        if not packed:  # the stream has ended, or was cut
            return body
    raise ValueError("it has too many members")


_WHOLE_RANGE = re.compile(r"bytes 0-([0-9]{1,15})/([0-9]{1,15})", re.IGNORECASE)
_TAKEN_OFF = frozenset({"chunked", "identity"})  # transfer codings that every client takes off


class UnaskedNotModifiedError(ValueError):
    """A 304 to a request without a condition: it is about no copy. RFC 9110 §15.4.5."""


class ProxyRefusedError(ConnectionError):
    """The proxy wants other credentials, so the site was not asked. RFC 9110 §15.5.8."""


def check_answer(
    status: int, headers: Mapping[str, str], *, is_proxied: bool, is_conditional: bool
) -> None:
    """Raise an error of this module, or UnreadableBodyError, where it is no answer about the file.

    Args:
        headers: by lower-case name.
        is_conditional: whether the request had the validators of a copy.

    """
    if status == 304 and not is_conditional:
        raise UnaskedNotModifiedError
    if status == 407 and is_proxied:
        raise ProxyRefusedError
    # RFC 9111 §3.3: a part of a body does not stand for the whole.
    if status == 206 and not _is_whole(headers.get("content-range", "")):
        raise UnreadableBodyError("a part of the file")
    # Some clients take off the chunks only, and leave what is packed in them.
    if 200 <= status < 300 and "transfer-encoding" in headers:
        codings = encodings_of(headers["transfer-encoding"])
        if not _TAKEN_OFF.issuperset(codings):
            raise UnreadableBodyError(f"Transfer-Encoding: {', '.join(codings)}")


def _is_whole(content_range: str) -> bool:
    """Whether a Content-Range is that of all bytes of the file. RFC 9110 §14.4."""
    match = _WHOLE_RANGE.fullmatch(content_range.strip())
    return match is not None and int(match[1]) + 1 == int(match[2])


MAX_VALIDATOR = 1000  # characters; a longer one is not kept, so the next fetch is not conditional
MAX_MEDIA_TYPE = 100
# RFC 9111 §4.2.1: a max-age that is no number makes an answer stale.
_MAX_AGE = re.compile(r"(?:^|[\s,])max-age(?![\w-])(?:\s*=\s*\"?([0-9]{1,10}))?", re.IGNORECASE)
# RFC 9110 §5.5. Some clients take other characters in, and fail when they are to send them back.
_FIELD_VALUE = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f]+")
_UNCACHED = re.compile(r"(?:^|[\s,])no-(?:store|cache)(?=$|[\s,=])", re.IGNORECASE)


def by_name(headers: Iterable[tuple[bytes, Sequence[bytes]]]) -> dict[str, str]:
    """Header lines by lower-case name, those of one name joined as RFC 9110 §5.3 says."""
    return {
        name.decode("latin-1").lower(): b", ".join(values).decode("latin-1")
        for name, values in headers
        if values
    }


def result_of(status: int, headers: Mapping[str, str], body: bytes, now: float) -> FetchResult:
    """What a response says. `body`: the file, unpacked; `now`: when the response came."""
    return FetchResult(
        status,
        body,
        media_type=media_type(headers),
        lifetime=lifetime(headers, now),
        retry_after=retry_after(headers, now),
        etag=validator(headers, "etag"),
        last_modified=validator(headers, "last-modified"),
    )


def lifetime(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds of freshness left: Cache-Control, else Expires; None if silent. RFC 9111 §4.2."""
    control = headers.get("cache-control", "")
    if _UNCACHED.search(control):
        return 0.0
    max_age = _MAX_AGE.search(control)
    if max_age:
        fresh = float(max_age[1] or 0)
    elif "expires" in headers:
        fresh = _until(headers["expires"], headers.get("date", ""), now)
    else:
        return None
    # RFC 9111 §4.2.3 leaves it open whether the Date counts, too (apparent_age). A server whose
    # clock is hours late would be asked for its file each minute.
    age = headers.get("age", "").partition(",")[0].strip()  # RFC 9111 §5.1: of several the first
    return max(0.0, fresh - (float(age) if _is_seconds(age) else 0.0))


def _until(expires: str, sent: str, now: float) -> float:
    """Seconds from when it was sent; 0 where the date is none (RFC 9111 §5.3)."""
    end, begin = instant(expires), instant(sent)
    return 0.0 if end is None else end - (now if begin is None else begin)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait, given as a number or as a date; None if silent. RFC 9110 §10.2.3."""
    value = headers.get("retry-after", "").strip()
    if _is_seconds(value):
        return float(value)
    at = instant(value) if value else None
    return None if at is None else max(0.0, at - now)


def media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()[:MAX_MEDIA_TYPE]


def validator(headers: Mapping[str, str], name: str) -> str:
    """An ETag or Last-Modified; "" where there is none, or one that is not worth its bytes."""
    value = headers.get(name, "")
    return value if len(value) <= MAX_VALIDATOR else ""


def can_be_sent(value: str) -> bool:
    """Whether every client can send a value as a header."""
    return _FIELD_VALUE.fullmatch(value) is not None


def instant(date: str) -> float | None:
    """An HTTP date in seconds since the epoch; None if it is none."""
    try:
        parsed = parsedate_to_datetime(date)
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=timezone.utc)).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None


def _is_seconds(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 10


def whole_lines(body: bytes, max_bytes: int | None = None) -> bytes:
    """The file; of one with more than `max_bytes` (None: `MAX_BYTES`), the lines that end within
    them. A rule that is cut in two would be another rule: "Allow: /a" of "Allow: /a/b".
    """
    limit = MAX_BYTES if max_bytes is None else max_bytes
    if len(body) <= limit:
        return body
    start = body[:limit]
    return start[: max(start.rfind(b"\n"), start.rfind(b"\r")) + 1]


def fetch_limit(dialect: Dialect) -> int:
    """How many bytes of a robots.txt are fetched for a dialect. RFC 9309 §2.5."""
    return min(dialect.size_limit, MAX_BYTES)
