"""The site of the matrix: a few pages, some of them forbidden, and all that the entries ask for."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping

from tests.site import Answer, moved

ROBOTS_TXT = "User-agent: *\nDisallow: /private\nSitemap: {site}/sitemap.xml\n"
SITEMAP = (
    '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc>{site}/a</loc></url><url><loc>{site}/private/c</loc></url></urlset>"
)
LINKS = (
    '<html><body><a href="/a">a</a> <a href="/b?x=1">b</a> <a href="/private/c">c</a></body></html>'
)

Script = Mapping[str, Answer | Callable[[Mapping[str, str]], Answer]]


def _png() -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\xff" * 24) * 8)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def _text(text: str, kind: str) -> Callable[[Mapping[str, str]], Answer]:
    def answer(headers: Mapping[str, str]) -> Answer:
        body = text.format(site=f"http://{headers['host']}")
        return Answer(body.encode(), headers={"Content-Type": kind})

    return answer


def script(site: str) -> Script:
    """By path; for a site that is reached through a proxy, by URL."""
    image = Answer(_png(), headers={"Content-Type": "image/png"})
    paths: Script = {
        "/robots.txt": _text(ROBOTS_TXT, "text/plain"),
        "/sitemap.xml": _text(SITEMAP, "application/xml"),
        "/": Answer(LINKS.encode(), headers={"Content-Type": "text/html"}),
        "/moved": moved("/private/moved"),
        "/image.png": image,
        "/private/image.png": image,
        "/favicon.ico": Answer(status=404),
    }
    return {**paths, **{site + path: paths[path] for path in paths if site}}
