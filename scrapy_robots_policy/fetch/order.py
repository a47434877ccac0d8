"""What is to be fetched, and how much of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..rep import CacheEntry, Dialect

MAX_OCTETS = 4 * 1024 * 1024  # of a file, where a dialect knows no limit


class FetchPlace:
    """The place of one fetch among those that are under way. This class sets no limit."""

    async def take(self) -> None:
        """Wait until the fetch may go on."""

    def give_back(self) -> None:
        """The fetch has ended, or waits for something else than an answer."""


NO_LIMIT = FetchPlace()


@dataclass(frozen=True, slots=True)
class FetchOrder:
    """A robots.txt, or another document of an origin, to fetch.

    origin    the key of the document, as `rep.url` makes it: the origin for a robots.txt
    entry     what is known of it, so that the fetch can be conditional
    page      the request that waits for it, of any kind
    place     given back while the fetch waits for its turn at a host, or to be tried again
    in_haste  whether sockets are short: then the fetch gets less time
    is_plain  whether no header is sent but who we are: the server did not understand the others
    with_credentials  whether Scrapy's middlewares may add theirs: the server has asked for some
    """

    origin: str
    entry: CacheEntry | None
    dialect: Dialect
    page: Any
    place: FetchPlace = NO_LIMIT
    in_haste: bool = False
    is_plain: bool = False
    with_credentials: bool = False


def whole_lines(octets: bytes, max_octets: int | None = None) -> bytes:
    """The file; of one with more than `max_octets` (None: `MAX_OCTETS`), the lines that end within
    them. A rule that is cut in two would be another rule: "Allow: /a" of "Allow: /a/b".
    """
    limit = MAX_OCTETS if max_octets is None else max_octets
    if len(octets) <= limit:
        return octets
    start = octets[:limit]
    return start[: max(start.rfind(b"\n"), start.rfind(b"\r")) + 1]


def octets_read(dialect: Dialect) -> int:
    """How many octets of a robots.txt are fetched for a dialect. RFC 9309 §2.5."""
    return min(dialect.size_limit, MAX_OCTETS)
