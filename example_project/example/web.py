"""A little web on loopback addresses: seven sites, all alike but for their robots.txt.

Knows: HTTP, threads, what each site answers. Must not know: who asks, nor what they make of it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Event, Thread

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
    """What is sent back. `after` seconds; None: never."""

    body: bytes = b""
    status: int = 200
    media_type: str = "text/plain"
    location: str = ""
    after: float | None = 0


@dataclass(frozen=True)
class Site:
    """`robots_txt` is its answer to that question; a location there is the name of a site."""

    name: str
    about: str
    robots_txt: Answer


SITES = (
    Site("rules", "has groups, wildcards and an exception", Answer(RULES)),
    Site("busy", "answers 503", Answer(b"Come back later.", status=503)),
    Site("missing", "answers 404, with 'Disallow: /' in the body", Answer(CLOSED, status=404)),
    Site("moved", "redirects to the robots.txt of the first", Answer(status=301, location="rules")),
    Site("slow", "takes 5 s", Answer(OPEN, after=5)),
    Site("silent", "never answers", Answer(after=None)),
    Site("garbage", "is 2 MB of noise", Answer(Random(1).randbytes(2_000_000))),  # noqa: S311 - noise is no secret
)

PATHS = ("/news", "/private/", "/private/press/", "/report.pdf", "/list?session=1")
HOME = "<title>Home</title>" + "".join(f'<a href="{path}">{path}</a>' for path in PATHS)
PAGES = {
    "/": Answer(HOME.encode(), media_type="text/html"),
    **{path: Answer(f"<title>{path}</title>".encode(), media_type="text/html") for path in PATHS},
}
NOT_FOUND = Answer(status=404)

# macOS answers on the first loopback address only; another port is another origin there too.
ADDRESS = "127.0.0.1" if sys.platform == "darwin" else "127.0.0.{}"


class Web:
    """The sites, up until `close`. `log` holds (site, path) of every request, in order."""

    def __init__(self) -> None:
        self.log: list[tuple[str, str]] = []
        self.closing = Event()
        self._servers = {
            site.name: _Server(ADDRESS.format(number), site, self)
            for number, site in enumerate(SITES, start=2)
        }

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
        web.log.append((site.name, self.path))
        answer = site.robots_txt if self.path == "/robots.txt" else PAGES.get(self.path, NOT_FOUND)
        if not web.closing.wait(answer.after):
            self._send(answer)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.media_type)
        self.send_header("Content-Length", str(len(answer.body)))
        if answer.location:
            origin = self.server.web.origins[answer.location]
            self.send_header("Location", f"{origin}/robots.txt")
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Keep the terminal to the crawl."""
