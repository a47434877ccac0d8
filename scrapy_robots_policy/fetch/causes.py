"""One or two words for what kept a response from coming, by the exceptions of every handler."""

from __future__ import annotations

from collections.abc import Iterator

# What an exception's name says, in its chain of causes. The first that fits is the word.
CAUSES = (
    ("tls", {"SSLError", "SSLCertVerificationError", "VerificationError", "CertificateError"}),
    ("tls", {"ClientConnectorCertificateError", "ClientConnectorSSLError", "OpenSSL"}),
    ("timeout", {"DownloadTimeoutError", "TimeoutError", "TCPTimedOutError"}),
    ("dns", {"CannotResolveHostError", "DNSLookupError", "gaierror"}),
    ("reset", {"ConnectionLost", "ConnectionResetError", "ServerDisconnectedError"}),
    ("cut body", {"ResponseDataLossError", "_DataLoss", "PartialDownloadError", "IncompleteRead"}),
    ("reset", {"ResponseNeverReceived", "ConnectionDone", "RemoteProtocolError"}),
    ("unreadable body", {"UnreadableBodyError"}),
    ("connection refused", {"ConnectionRefusedError", "DownloadConnectionRefusedError"}),
    ("connection failed", {"ConnectError", "NoRouteError", "DownloadFailedError", "OSError"}),
    ("dropped by a middleware", {"IgnoreRequest"}),
    ("scheme not supported", {"NotSupported", "UnsupportedURLSchemeError"}),
)


def cause_of(error: BaseException) -> str:
    """One word or two for what kept a response from coming."""
    names = {_name(link) for link in _chain(error)}
    causes = (cause for cause, of_cause in CAUSES if names & of_cause)
    return next(causes, type(error).__name__)


def _name(error: BaseException) -> str:
    kind = type(error)  # pyOpenSSL's exceptions are all called Error
    return "OpenSSL" if kind.__module__.startswith("OpenSSL") else kind.__name__


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and its causes, Twisted's lists of reasons among them."""
    yield error
    for failure in getattr(error, "reasons", None) or ():
        yield from _chain(failure.value)
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from _chain(cause)
