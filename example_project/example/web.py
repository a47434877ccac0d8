"""A small web on loopback addresses: seven sites that differ in their robots.txt only, and one with
robots tags and preferences on its pages.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Event, Thread
from typing import NamedTuple

RULES = b"""\
# Strangers stay out. PoliteBot is no stranger.
User-agent: *
Disallow: /

User-agent: PoliteBot
User-agent: OtherBot
Disallow: /private/
Allow: /private/press/
Disallow: /*.pdf$
Disallow: /*?*session=
"""

OPEN = b"User-agent: *\nAllow: /\n"
CLOSED = b"User-agent: *\nDisallow: /\n"


@dataclass(frozen=True)
class Answer:
    """A response. `after`: seconds until it is sent; None: never."""

    body: bytes = b""
    status: int = 200
    media_type: str = "text/plain"
    location: str = ""
    after: float | None = 0
    headers: Mapping[str, str] = field(default_factory=dict)


PATHS = ("/news", "/private/", "/private/press/", "/report.pdf", "/list?session=1")
HOME = "<title>Home</title>" + "".join(f'<a href="{path}">{path}</a>' for path in PATHS)
PAGES = {
    "/": Answer(HOME.encode(), media_type="text/html"),
    **{path: Answer(f"<title>{path}</title>".encode(), media_type="text/html") for path in PATHS},
}
NOT_FOUND = Answer(status=404)


@dataclass(frozen=True)
class Site:
    """A site. If `robots_txt` redirects, its `location` is the name of another site."""

    name: str
    about: str
    robots_txt: Answer
    pages: Mapping[str, Answer] = field(default_factory=lambda: PAGES)


SITES = (
    Site("rules", "has groups, wildcards and an exception", Answer(RULES)),
    Site("busy", "answers 503", Answer(b"Come back later.", status=503)),
    Site("missing", "answers 404, with 'Disallow: /' in the body", Answer(CLOSED, status=404)),
    Site("moved", "redirects to the robots.txt of the first", Answer(status=301, location="rules")),
    Site("slow", "takes 5 s", Answer(OPEN, after=5)),
    Site("silent", "never answers", Answer(after=None)),
    Site("garbage", "is 2 MB of noise", Answer(Random(1).randbytes(2_000_000))),  # noqa: S311 - noise is no secret
)

# Each engine reads this file in another way.
AMBIGUOUS = b"""\
User-agent: *
Disallow: /a/
Allow: /a/b
Disallow: .jpg$
Allow: /page
Disallow: /*.htm
"""
AMBIGUOUS_PAGES = {path: Answer() for path in ("/a/b", "/photo.jpg", "/page.htm")}
AMBIGUOUS_SITES = tuple(
    Site(name, "reads otherwise to every engine", Answer(AMBIGUOUS), AMBIGUOUS_PAGES)
    for name in ("first", "second")
)

WISHES = b"""\
User-agent: *
Disallow: /private/
Content-Usage: /essays/ train-ai=n
"""


def _page(*links: str, head: str = "", **headers: str) -> Answer:
    body = head + "".join(f"<p><a {link}>a link</a>" for link in links)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(body.encode(), media_type="text/html", headers=named)


WISHFUL = Site(
    "wishful",
    "refuses training on some pages, and others speak for themselves",
    Answer(WISHES),
    {
        "/": _page(
            "href=/news",
            "href=/essays/1",
            "href=/forum",
            "href=/draft",
            "href=/letter",
            "href=/offer",
            "href=/sponsor rel=nofollow",
            "href=/private/",
        ),
        "/news": _page(),
        "/essays/1": _page(),
        "/forum": _page("href=/forum/1", head="<meta name=robots content=nofollow>"),
        "/draft": _page("href=/draft/2", head="<meta name=PoliteBot content=noindex>"),
        "/draft/2": _page(X_Robots_Tag="otherbot: noindex"),
        "/letter": _page(Content_Usage="train-ai=n"),
        "/offer": _page(X_Robots_Tag="unavailable_after: Friday, 25-Aug-06 15:00:00 UTC"),
    },
)

# macOS answers on the first loopback address only; another port is another origin there too.
ADDRESS = "127.0.0.1" if sys.platform == "darwin" else "127.0.0.{}"


class Visit(NamedTuple):
    """One request; `at` is in seconds of the monotonic clock."""

    site: str
    path: str
    at: float


class Web:
    """The sites, which answer until `close`. `visits`: all requests, in order."""

    def __init__(self, sites: Iterable[Site]) -> None:
        self.visits: list[Visit] = []
        self.closing = Event()
        self._servers = {
            site.name: _Server(ADDRESS.format(number), site, self)
            for number, site in enumerate(sites, start=2)
        }

    @property
    def log(self) -> list[tuple[str, str]]:
        return [(visit.site, visit.path) for visit in self.visits]

    @property
    def origins(self) -> dict[str, str]:
        return {name: server.origin for name, server in self._servers.items()}

    def close(self) -> None:
        self.closing.set()
        for server in self._servers.values():
            server.shutdown()
            server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: str, site: Site, web: Web) -> None:
        super().__init__((address, 0), _Handler)
        self.site, self.web = site, web
        self.origin = f"http://{address}:{self.server_port}"
        Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        site, web = self.server.site, self.server.web
        web.visits.append(Visit(site.name, self.path, time.monotonic()))
        pages = {**site.pages, "/robots.txt": site.robots_txt}
        answer = pages.get(self.path, NOT_FOUND)
        if not web.closing.wait(answer.after):
            self._send(answer)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.media_type)
        self.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.location:
            origin = self.server.web.origins[answer.location]
            self.send_header("Location", f"{origin}/robots.txt")
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Log nothing: the terminal is for the crawl's log."""
