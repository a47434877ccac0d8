"""What kept a response from coming: one or two words for the exception."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from traceback import walk_tb
from typing import Any

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
