"""What of URLs and hosts needs a library: w3lib, and the Public Suffix List of tldextract.

The list has the suffixes of registries ("com", "co.uk") and those of companies that let anybody
have a name below their own ("github.io").
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from w3lib.url import safe_url_string

from ..core.addresses import spelled_address

if TYPE_CHECKING:
    from tldextract import TLDExtract


@lru_cache(maxsize=1)
def _extract() -> TLDExtract:
    """Reads the list that comes with the library: it fetches none, and writes no file."""
    from tldextract import TLDExtract  # noqa: PLC0415 - it loads `requests`, and few ask for a site

    return TLDExtract(cache_dir=None, suffix_list_urls=())


def registrable_domain(host: str) -> str:
    """The registrable domain of a host; "" for an address, and for a name without one. The suffixes
    of companies count, too: "a.github.io".
    """
    labels = host.split(".")
    if len(labels) == 1 or spelled_address(host.strip("[]")) is not None:
        return ""
    parts = _extract()(host, include_psl_private_domains=True)
    if not parts.suffix:  # the list's own rule for what it does not have: the last word is a suffix
        return ".".join(labels[-2:])
    return f"{parts.domain}.{parts.suffix}" if parts.domain else ""


def readable_location(header: bytes) -> str:
    """A Location header as Scrapy reads it: as UTF-8, and escaped; "" where it is no URL."""
    try:
        return str(safe_url_string(header))
    except ValueError:
        return ""
