"""The registrable domain of a host, and whether two hosts belong to one site.

The Public Suffix List has two parts. In one are the suffixes of registries: "com", "co.uk". In the
other are those of companies that let anybody have a name below their own: "github.io". Each caller
says whether the second part counts.
"""

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

    return TLDExtract(cache_dir=None, suffix_list_urls=())


def are_one_site(host: str, other: str) -> bool:
    """Whether two hosts have one registrable domain: www.example.co.uk and example.co.uk.

    Two names below a company's suffix have two owners: a.github.io may not speak for b.github.io.
    """
    if host == other:
        return True
    site = registrable_domain(host, of_companies=True)
    return bool(site) and site == registrable_domain(other, of_companies=True)


def registrable_domain(host: str, *, of_companies: bool) -> str:
    """The registrable domain of a host; "" for an address, and for a name without one.

    of_companies  whether the suffixes of companies count: "a.github.io" if so, else "github.io"
    """
    labels = host.split(".")
    if len(labels) == 1 or spelled_address(host.strip("[]")) is not None:
        return ""
    parts = _extract()(host, include_psl_private_domains=of_companies)
    if not parts.suffix:  # the list's own rule for what it does not have: the last word is a suffix
        return ".".join(labels[-2:])
    return f"{parts.domain}.{parts.suffix}" if parts.domain else ""
