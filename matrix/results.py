"""What the crawls of one entry show, compared: pages, headers, the request for robots.txt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.site import Hit

from .crawls import SPELLED, Seen
from .entries import Entry

FORBIDDEN = "/private"
ROBOTS_TXT = "/robots.txt"
# A browser, or a service, follows the redirect to the last of them by itself.
NO_PAGES = (ROBOTS_TXT, "/favicon.ico", "/private/moved")
SECRETS = ("authorization", "cookie")
# They depend on the moment, not on the project.
OF_THE_MOMENT = frozenset({"connection", "content-length", "if-modified-since", "if-none-match"})


@dataclass(frozen=True)
class Crawled:
    """What one mode's crawls asked the site for, and what they saw."""

    hits: Sequence[Hit]
    seen: Seen

    def pages(self) -> list[str]:
        return sorted(hit.path for hit in self.hits if not hit.path.endswith(NO_PAGES))

    def robots(self) -> list[Hit]:
        return [hit for hit in self.hits if hit.path.endswith(ROBOTS_TXT)]

    def headers(self, left_out: frozenset[str]) -> Mapping[str, Mapping[str, str]]:
        """By path. The site has another port each time, so its name is left out."""
        return {
            hit.path: {
                name: value.replace(hit.headers["host"], "")
                for name, value in hit.headers.items()
                if name not in OF_THE_MOMENT | left_out
            }
            for hit in self.hits
            if not hit.path.endswith(NO_PAGES)
        }


@dataclass(frozen=True)
class Row:
    """One entry.

    faults     what differs from what must be, one sentence each; none: all is as it must be
    respelled  the pages that were sent in another spelling than the one that was asked for
    """

    entry: Entry
    versions: Mapping[str, str]
    robots_txt: str
    respelled: tuple[str, ...]
    faults: tuple[str, ...]
    warnings: tuple[str, ...]


def compare(entry: Entry, crawls: Mapping[str, Crawled]) -> Row:
    off, stock, ours = crawls["off"], crawls["stock"], crawls["ours"]
    return Row(
        entry,
        ours.seen.versions,
        _sent(ours),
        _respelled(ours),
        tuple(_faults(entry, off, stock, ours)),
        _new(ours.seen.warnings, [*stock.seen.warnings, *off.seen.warnings]),
    )


def _faults(entry: Entry, off: Crawled, stock: Crawled, ours: Crawled) -> list[str]:
    wanted = [path for path in off.pages() if FORBIDDEN not in path]
    faults = []
    if not wanted:
        faults.append("no page was fetched at all")
    if wanted == off.pages():
        faults.append("no forbidden page was asked for")
    if ours.pages() != wanted:
        faults.append(f"pages: {ours.pages()} and not {wanted}")
    faults += [f"{url} was answered" for url in ours.seen.answered if FORBIDDEN in url]
    if ours.headers(entry.own) != {
        path: headers for path, headers in off.headers(entry.own).items() if path in wanted
    }:
        faults.append("the headers of pages differ")
    if not ours.robots():
        faults.append("no robots.txt was fetched")
    if len(ours.robots()) > max(len(stock.robots()), entry.crawls):  # it is never cached as a page
        faults.append(f"{len(ours.robots())} requests for robots.txt, stock {len(stock.robots())}")
    for hit in ours.robots():
        faults += [f"robots.txt: {name} was sent" for name in SECRETS if name in hit.headers]
        faults += [f"robots.txt: {k} was sent empty" for k, v in hit.headers.items() if not v]
    return faults


def _sent(crawled: Crawled) -> str:
    """How often robots.txt was asked for, and the headers that differ from those of the pages."""
    requests = crawled.robots()
    if not requests:
        return "not fetched"
    headers, (page, *_) = requests[0].headers, (*crawled.headers(frozenset()).values(), {})
    compared = {*headers, *page} - OF_THE_MOMENT - {"host", "referer"}
    differing = sorted(name for name in compared if headers.get(name) != page.get(name))
    shown = [name for name in differing if name in headers]
    missing = [name for name in differing if name not in headers]
    if missing:
        shown.append(f"without the pages' {', '.join(missing[:3])}{'…' * (len(missing) > 3)}")
    times = f"{len(requests)}, " if len(requests) > 1 else ""
    return times + (", ".join(shown) or "as the pages'")


def _respelled(crawled: Crawled) -> tuple[str, ...]:
    start = SPELLED[0][: SPELLED[0].rindex("/") + 1]
    sent = (path[path.find(start) :] for path in crawled.pages() if start in path)
    return tuple(dict.fromkeys(path for path in sent if path not in SPELLED))


def _new(warnings: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    old = set(others)
    return tuple(dict.fromkeys(text for text in warnings if text not in old))
