"""The documents in which a site says what crawls may do, and what it answers for one of them."""

from __future__ import annotations

import json
from dataclasses import dataclass

from scrapy.http import Request, Response

AGENT = "modelbot"
OTHER_AGENT = "otherbot"  # no group names it
PATHS = ("/a", "/b")
ROBOTS_TXT, TDMREP = "/robots.txt", "/.well-known/tdmrep.json"
DOCUMENTS = (ROBOTS_TXT, TDMREP)
SITEMAP = "https://example.com/sitemap.xml"


@dataclass(frozen=True)
class File:
    """A robots.txt.

    closed       the paths that the group for * closes
    own          those that the crawler's own group closes; None: it has no such group
    delay        the seconds of its Crawl-delay; 0: it has none
    has_sitemap  whether it names a sitemap
    untrained    the paths whose use for training its Content-Usage lines refuse
    signal       whether a Content-Signal allows training; None: there is no such line
    """

    closed: frozenset[str] = frozenset()
    own: frozenset[str] | None = None
    delay: float = 0.0
    has_sitemap: bool = False
    untrained: frozenset[str] = frozenset()
    signal: bool | None = None

    def __str__(self) -> str:
        groups = [self._group("*", self.closed)]
        if self.own is not None:
            groups.append(self._group(AGENT, self.own))
        return "\n".join(groups) + f"Sitemap: {SITEMAP}\n" * self.has_sitemap

    def _group(self, agent: str, closed: frozenset[str]) -> str:
        # Without a rule, its User-agent line would be one of the next group (RFC 9309 §2.2).
        lines = [f"User-agent: {agent}", *(f"Disallow: {path}" for path in sorted(closed) or [""])]
        lines += [f"Content-Usage: {path} train-ai=n" for path in sorted(self.untrained)]
        if self.signal is not None:
            lines.append(f"Content-Signal: ai-train={'yes' if self.signal else 'no'}")
        if self.delay:
            lines.append(f"Crawl-delay: {self.delay:g}")
        return "\n".join([*lines, ""])


@dataclass(frozen=True)
class TdmFile:
    """A tdmrep.json. `reserved`: the paths that it reserves; None: it is no JSON."""

    reserved: frozenset[str] | None = frozenset()

    def __str__(self) -> str:
        if self.reserved is None:
            return "to be written"
        return json.dumps([{"location": path, "tdm-reservation": 1} for path in self.reserved])


@dataclass(frozen=True)
class Answer:
    """What a site answers when it is asked for a document.

    status       None: the connection is lost
    file         what comes with the status 200
    lifetime     the max-age of its Cache-Control, in seconds; None: it has none
    has_etag     whether the file can be validated: then a 304 comes while it stays the same
    retry_after  seconds; None: there is no such header
    hops         so many redirects, all on this site, lead to it
    leads_to     a URL without the document's path, to which one more redirect leads: what is there
                 is the answer; "": there is no such redirect
    takes        seconds until it comes
    """

    status: int | None = 200
    file: File | TdmFile = File()
    lifetime: int | None = None
    has_etag: bool = False
    retry_after: int | None = None
    hops: int = 0
    leads_to: str = ""
    takes: float = 0.0

    @property
    def etag(self) -> str:
        return f'"{hash((self.file, self.lifetime))}"'

    def response(self, request: Request) -> Response:
        headers = {"Content-Type": "text/plain"}
        if self.lifetime is not None:
            headers["Cache-Control"] = f"max-age={self.lifetime}"
        if self.retry_after is not None:
            headers["Retry-After"] = str(self.retry_after)
        status, body = self.status, b""
        if status == 200:
            body = str(self.file).encode()
            if self.has_etag:
                headers["ETag"] = self.etag
                if request.headers.get("If-None-Match") == self.etag.encode():
                    status, body = 304, b""
        return Response(request.url, status, headers, body, request=request)
