"""A crawl for which 127.0.0.2 is an address of the public internet, and all others are private.

Tests have loopback addresses only. The extension is for crawls in a process of their own.
"""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler

from scrapy_robots_policy.fetch import fetcher, redirects

PUBLIC = "127.0.0.2"


def is_private(address: str) -> bool:
    return address != PUBLIC


class TwoWorlds:
    """Replaces what tells addresses apart. "localhost" counts as a name that must be looked up.

    Setting TWO_WORLDS_LIE: the look-up gives the public address, whatever the name has.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TwoWorlds:
        changed: Any = redirects
        changed.is_private, changed.is_private_name = is_private, lambda _: False
        if crawler.settings.getbool("TWO_WORLDS_LIE"):
            lying: Any = fetcher
            lying.addresses_of = _lie
        return cls()


async def _lie(_host: str, _timeout: float) -> tuple[str, ...]:
    return (PUBLIC,)
