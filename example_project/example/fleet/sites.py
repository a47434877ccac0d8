"""The sites that the fleet crawls: their pages, their robots.txt, and the requests they expect."""

from __future__ import annotations

from collections.abc import Mapping

from example.web import Answer, Site

DELAY = 1.0  # seconds
LATE = 0.5  # seconds: so all crawlers need the same robots.txt before it comes

PRIVATE = "/private/"
ENTRANCES = ("/", "/news", "/archive")  # one for each crawler, all with the same links
LINKED = tuple(f"/page/{number}" for number in range(4))
OPEN = frozenset((*ENTRANCES, *LINKED))


def _pages() -> Mapping[str, Answer]:
    links = "".join(f"<a href={path}>{path}</a>" for path in (*LINKED, PRIVATE))
    entrance = Answer(links.encode(), media_type="text/html", after=0.05)
    page = Answer(b"<title>A page</title>", media_type="text/html", after=0.05)
    return {**dict.fromkeys(ENTRANCES, entrance), **dict.fromkeys((*LINKED, PRIVATE), page)}


def _site(name: str, about: str, *lines: str) -> Site:
    robots_txt = "\n".join(("User-agent: *", *lines, ""))
    return Site(name, about, Answer(robots_txt.encode(), after=LATE), _pages())


RULE = f"Disallow: {PRIVATE}"
SITES = (
    *(_site(f"open-{number}", f"closes {PRIVATE} only", RULE) for number in range(1, 11)),
    _site("paced", f"asks for {DELAY:g} s between two pages", RULE, f"Crawl-delay: {DELAY:g}"),
    _site("closed", "closes all", "Disallow: /"),
)
EXPECTED = {site.name: OPEN if site.name != "closed" else frozenset() for site in SITES}
