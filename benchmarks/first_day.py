"""What changes on the first day: Scrapy's own middleware and ours, on the same local sites.

    python benchmarks/first_day.py [--write]

waiting   50 forbidden pages of one host are requested at once: how many does the host see?
outcomes  twelve hosts, one page each, whose robots.txt is there, moved, missing, broken or silent:
          at how many hosts does the crawl do what RFC 9309 §2.3.1 does not say?
slow      one host has a robots.txt that comes after 10 s, twenty others answer at once: when are
          all pages of the others there?

With `--write` the table goes into README.md, between its marks.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any, NamedTuple

from crawling import OURS, STOCK, Crawled, Plan, crawl
from web import Hit, Reply, Web, hosts, robots

KINDS = {"stock": STOCK, "ours": OURS}
README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- first-day:begin -->\n", "<!-- first-day:end -->"

CLOSED, OPEN = "User-agent: *\nDisallow: /page", "User-agent: *\nDisallow: /no"
LATE = 10.0  # seconds
PAGES, HEALTHY = 50, hosts(21)[1:]
SLOW = hosts(1)[0]


def moved(to: str) -> Reply:
    return Reply(status=301, headers=f"Location: {to}\r\n")


class Outcome(NamedTuple):
    """What a host answers, by path, and whether /page may be fetched then."""

    replies: dict[str, Reply]
    allowed: bool


OUTCOMES = [
    Outcome({"/robots.txt": robots(CLOSED)}, allowed=False),
    Outcome({"/robots.txt": robots(OPEN)}, allowed=True),
    Outcome({"/robots.txt": moved("/moved"), "/moved": robots(CLOSED)}, allowed=False),
    Outcome(
        {
            "/robots.txt": moved("/1"),
            **{f"/{n}": moved(f"/{n + 1}") for n in range(1, 5)},
            "/5": robots(CLOSED),
        },
        allowed=False,
    ),
    # Unavailable: the crawler may access any resource.
    Outcome({"/robots.txt": Reply(status=404)}, allowed=True),
    Outcome({"/robots.txt": Reply(status=403)}, allowed=True),
    Outcome({"/robots.txt": Reply(status=410)}, allowed=True),
    # Unreachable: the crawler must assume complete disallow.
    Outcome({"/robots.txt": Reply(status=500)}, allowed=False),
    Outcome({"/robots.txt": Reply(status=503)}, allowed=False),
    Outcome({"/robots.txt": robots(OPEN, after=None)}, allowed=False),
    Outcome({"/robots.txt": robots(OPEN, reset=True)}, allowed=False),
    Outcome({"/robots.txt": robots(OPEN, missing=100)}, allowed=False),
]


def crawled(kind: str, urls: list[str], **settings: Any) -> Crawled:
    quiet = {"CONCURRENT_REQUESTS": 16, "LOG_LEVEL": "CRITICAL"}
    return crawl(Plan(urls, {**quiet, **KINDS[kind], **settings}))


def waiting(kind: str) -> str:
    """Forbidden pages that the host saw."""
    rules = robots(CLOSED, after=0.2)
    with Web(hosts(1), lambda _, path: rules if path == "/robots.txt" else Reply()) as web:
        crawled(kind, [web.url(SLOW, f"/page/{n}") for n in range(PAGES)])
        return f"{len(pages(web.log()))} of {PAGES}"


def outcomes(kind: str) -> str:
    """Hosts where the page was fetched although it may not be, or the other way round."""
    by_host = dict(zip(hosts(len(OUTCOMES)), OUTCOMES, strict=True))
    with Web(by_host, lambda host, path: by_host[host].replies.get(path, Reply())) as web:
        urls = [web.url(host, "/page") for host in by_host]
        crawled(kind, urls, DOWNLOAD_TIMEOUT=3, ROBOTS_FETCH_TIMEOUT=3)
        fetched = {hit.host for hit in pages(web.log())}
    wrong = sum((host in fetched) is not outcome.allowed for host, outcome in by_host.items())
    return f"{wrong} of {len(OUTCOMES)}"


def slow(kind: str) -> str:
    """Seconds until the last page of the healthy hosts."""

    def answer(host: str, path: str) -> Reply:
        return (
            robots(OPEN, after=LATE if host == SLOW else 0.0) if path == "/robots.txt" else Reply()
        )

    with Web([SLOW, *HEALTHY], answer) as web:
        urls = [web.url(SLOW, f"/page/{n}") for n in range(PAGES)]
        urls += [web.url(host, f"/page/{n}") for n in range(10) for host in HEALTHY]
        crawled(kind, urls)
        log = web.log()
    last = max(hit.answered_at for hit in pages(log) if hit.host != SLOW)
    return f"{last - min(hit.asked_at for hit in log):.1f} s"


def pages(log: list[Hit]) -> list[Hit]:
    return [hit for hit in log if hit.path.startswith("/page")]


ROWS = {
    "forbidden pages of one site, requested at once: how many are fetched": waiting,
    "kinds of answer to /robots.txt: how many are not treated as RFC 9309 asks": outcomes,
    f"one robots.txt takes {LATE:g} s: when the pages of 20 other sites are there": slow,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the table into README.md")
    options = parser.parse_args()
    table = ["| | Scrapy's own middleware | with this |", "| --- | ---: | ---: |"]
    for title, measured in ROWS.items():
        table.append(f"| {title} | {measured('stock')} | {measured('ours')} |")
        print(table[-1], flush=True)
    if options.write:
        text = README.read_text("utf-8")
        block = BEGIN + "\n".join(table) + "\n" + END
        README.write_text(re.sub(f"{BEGIN}.*?{END}", block, text, flags=re.DOTALL), "utf-8")


if __name__ == "__main__":
    main()
