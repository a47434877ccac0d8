"""Whether two hosts belong to one site, by the Public Suffix List."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from .addresses import spelled_address

if TYPE_CHECKING:
    from tldextract import TLDExtract


@lru_cache(maxsize=1)
def _extract() -> TLDExtract:
    """Reads the list that comes with the library: it fetches none, and writes no file."""
    from tldextract import TLDExtract  # noqa: PLC0415 - it loads `requests`, and few ask for a site

    return TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)


def are_one_site(host: str, other: str) -> bool:
    """Whether two hosts have one registrable domain: www.example.co.uk and example.co.uk."""
    if host == other:
        return True
    site = _site(host)
    return bool(site) and site == _site(other)


def _site(host: str) -> str:
    """The registrable domain of a host; "" for an address, and for a name without one."""
    labels = host.split(".")
    if len(labels) == 1 or spelled_address(host) is not None:
        return ""
    parts = _extract()(host)
    if not parts.suffix:  # the list's own rule for what it does not have: the last word is a suffix
        return ".".join(labels[-2:])
    return f"{parts.domain}.{parts.suffix}" if parts.domain else ""
