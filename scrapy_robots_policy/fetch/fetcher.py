"""One robots.txt through Scrapy's engine: a question in, an outcome out, never an exception.

Knows: requests, responses, redirects, and what can go wrong on the way.
Must not know: what the octets say, what an outcome means, where it is kept.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from urllib.parse import urljoin, urlsplit, urlunsplit

from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from twisted.internet.defer import CancelledError
from w3lib.url import safe_url_string

from .. import compat
from ..admission.concurrency import Concurrency
from ..rep import FetchResult
from ..rep.access import has_whole_copy
from ..resolver.origin import octets_read
from ..resolver.resolver import Question
from .body import Bodies
from .http_headers import lifetime, media_type, retry_after
from .request import RequestProfile

RETRIED = frozenset({408, 500, 502, 503, 504, 522, 524})  # what may be gone in a second
RETRY_FIRST = 0.5  # seconds; doubles from try to try
RETRY_LAST = 10.0  # a site that asks for a longer wait gets it from the dialect's ladder
PASSING = frozenset({"dns", "cut body", "reset", "connection refused", "connection failed"})
REDIRECTS = frozenset({301, 302, 303, 307, 308})

# What an exception's name says, in its chain of causes. The first that fits is the word.
CAUSES = (
    ("tls", {"SSLError", "SSLCertVerificationError", "VerificationError", "CertificateError"}),
    ("tls", {"ClientConnectorCertificateError", "ClientConnectorSSLError", "OpenSSL"}),
    ("timeout", {"DownloadTimeoutError", "TimeoutError", "TCPTimedOutError"}),
    ("dns", {"CannotResolveHostError", "DNSLookupError", "gaierror"}),
    ("reset", {"ConnectionLost", "ConnectionResetError", "ServerDisconnectedError"}),
    ("cut body", {"ResponseDataLossError", "_DataLoss", "PartialDownloadError"}),
    ("reset", {"ResponseNeverReceived", "ConnectionDone", "RemoteProtocolError"}),
    ("unreadable body", {"UnreadableBodyError"}),
    ("connection refused", {"ConnectionRefusedError", "DownloadConnectionRefusedError"}),
    ("connection failed", {"ConnectError", "NoRouteError", "DownloadFailedError", "OSError"}),
    ("dropped by a middleware", {"IgnoreRequest"}),
    ("scheme not supported", {"NotSupported", "UnsupportedURLSchemeError"}),
)


class Fetcher:
    """Fetches for a `RobotsPolicy`. Counts what stock Scrapy counts: the `robotstxt/*` stats.

    profile  how each request is made
    retries  how often a try that failed quickly is made again
    """

    def __init__(
        self,
        crawler: Crawler,
        slots: Concurrency,
        now: Callable[[], float],
        profile: RequestProfile,
        retries: int,
    ) -> None:
        self.crawler, self.slots, self.now = crawler, slots, now
        self.profile, self.retries = profile, retries
        self.bodies = Bodies(crawler)

    async def __call__(self, question: Question) -> FetchResult:
        outcome, error = await self._follow(question)
        for wait in _waits(self.retries):
            if not _is_passing(outcome):
                break
            await compat.sleep(max(wait, outcome.retry_after or 0.0))
            outcome, error = await self._follow(question)
        self._count(outcome, error)
        return outcome

    async def _follow(self, question: Question) -> tuple[FetchResult, Exception | None]:
        """One try, redirects and all. RFC 9309 §2.3.1.2: what is found is the first origin's."""
        first = url = f"{question.origin}/robots.txt"
        hops: tuple[str, ...] = ()
        while True:
            outcome, location, error = await self._get(url, hops, question)
            target = _target(url, location)
            exhausted = len(hops) == question.dialect.access.redirects
            if target is None or target in (first, *hops):
                return replace(outcome, hops=hops), error
            if exhausted:
                return replace(outcome, hops=hops, is_cut=True), error
            url = target
            hops = (*hops, target)

    async def _get(
        self, url: str, hops: tuple[str, ...], question: Question
    ) -> tuple[FetchResult, str, Exception | None]:
        """(what came, where it points to, what went wrong)"""
        validators = _validators(question, hops)
        request = self.profile.request(url, validators, question.asker)
        limit = octets_read(question.dialect) + 1  # one more shows that it is over
        try:
            with self.bodies.expected(request, limit) as body:
                async with self.slots.fetch(request):
                    response = await compat.download(self.crawler, request)
                headers = _headers(response)
                outcome = self._outcome(response.status, headers, body.octets(response))
            location = headers.get("location", "") if outcome.status in REDIRECTS else ""
            return _marked_if_cut(outcome, question, is_asked=bool(validators)), location, None
        except CancelledError:  # Twisted's, which is no outcome; asyncio's is no Exception
            raise
        except Exception as error:  # noqa: BLE001 - middlewares and handlers may raise what they like
            return FetchResult(None, cause=cause_of(error)), "", error

    def _outcome(self, status: int, headers: dict[str, str], octets: bytes) -> FetchResult:
        return FetchResult(
            status,
            octets if 200 <= status < 300 else b"",
            media_type=media_type(headers),
            lifetime=lifetime(headers, self.now()),
            retry_after=retry_after(headers, self.now()),
            etag=headers.get("etag", ""),
            last_modified=headers.get("last-modified", ""),
        )

    def _count(self, outcome: FetchResult, error: Exception | None) -> None:
        """The stats that stock Scrapy keeps, in its words."""
        stats = self.crawler.stats
        assert stats is not None  # the crawl has begun
        stats.inc_value("robotstxt/request_count")
        if outcome.status is not None:
            stats.inc_value("robotstxt/response_count")
            stats.inc_value(f"robotstxt/response_status_count/{outcome.status}")
        elif error is not None and not isinstance(error, IgnoreRequest):
            stats.inc_value(f"robotstxt/exception_count/{type(error)}")


def _is_passing(outcome: FetchResult) -> bool:
    """Whether a second try may do better at once. A timeout has taken long enough already."""
    if (outcome.retry_after or 0.0) > RETRY_LAST:
        return False
    if outcome.status is None:
        return outcome.cause in PASSING
    return outcome.status in RETRIED


def _waits(retries: int) -> Iterator[float]:
    """Seconds before each retry: doubling, with jitter so that not all crawlers come at once."""
    for attempt in range(retries):
        jitter = random.uniform(0.75, 1.25)  # noqa: S311 - spreads load, keeps no secret
        yield min(RETRY_FIRST * 2.0**attempt, RETRY_LAST) * jitter


def _marked_if_cut(outcome: FetchResult, question: Question, *, is_asked: bool) -> FetchResult:
    """Whether there was more than the dialect reads; a 304 that was asked for is as its copy."""
    if outcome.status == 304 and is_asked and question.known is not None:
        return replace(outcome, is_cut=question.known.latest.is_cut)
    return replace(outcome, is_cut=len(outcome.octets) > octets_read(question.dialect))


def _validators(question: Question, hops: tuple[str, ...]) -> dict[str, str]:
    """The conditional headers, for the URL only that gave a copy of use. RFC 9110 §13.1."""
    known = question.known
    if known is None or known.latest.hops != hops:
        return {}
    if not has_whole_copy(known, octets_read(question.dialect)):
        return {}
    validators = {
        "If-None-Match": known.latest.etag,
        "If-Modified-Since": known.latest.last_modified,
    }
    return {name: value for name, value in validators.items() if value}


def _headers(response: Response) -> dict[str, str]:
    """Header lines by lower-case name, those of one name joined as RFC 9110 §5.3 says."""
    return {
        name.decode("latin-1").lower(): b", ".join(values).decode("latin-1")
        for name, values in response.headers.items()
    }


def _target(url: str, location: str) -> str | None:
    """Where a redirect leads, without credentials and fragment; None where it leads nowhere."""
    if not location:
        return None
    try:
        parts = urlsplit(urljoin(url, safe_url_string(location)))
        host = parts.netloc.rpartition("@")[2]
        target = urlunsplit(parts._replace(netloc=host, fragment=""))
    except ValueError:
        return None
    return target if parts.scheme in ("http", "https") and host and target != url else None


def cause_of(error: BaseException) -> str:
    """One word or two for what kept a response from coming."""
    names = {_name(link) for link in _chain(error)}
    known = (cause for cause, of_cause in CAUSES if names & of_cause)
    return next(known, type(error).__name__)


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
