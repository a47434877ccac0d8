"""The names of the stats that a crawl writes, for those who watch it.

A name that ends with "/" is the start of several names: the rest is the reason, the status or the
action that is counted.

Examples:
    >>> REFUSED + "rule"
    'robots/refused/rule'

"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PREFIX = "robots/"

PASSED = "robots/passed"
REFUSED = "robots/refused/"
WOULD_REFUSE = "robots/would_refuse/"
PUT_BACK = "robots/put_back"
FORBIDDEN = "robotstxt/forbidden"
"""Scrapy's own name for the requests that are refused."""

FETCHED = "robots/fetched"
OUTCOME = "robots/outcome/"
REFRESH = "robots/refresh/"
MODE = "robots/mode/"
AGE_MAX = "robots/age/max"
CRAWL_DELAY = "robots/crawl_delay/"
PAUSED = "robots/paused"
TAGS = "robots/tags/"

STORE_HIT = "robots/store/hit"
STORE_MISS = "robots/store/miss"
STORE_SHARED = "robots/store/shared"
STORE_FAILED = "robots/store/failed"

TDMREP_FETCHED = "robots/tdmrep/fetched"
TDMREP_OUTCOME = "robots/tdmrep/outcome/"
TDMREP_UNREADABLE = "robots/tdmrep/unreadable"
TDMREP_FORBIDDEN = "robots/tdmrep/forbidden"

AUDIT_FAILED = "robots/audit/failed"

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        PASSED: "requests that passed",
        REFUSED: "requests refused, by reason",
        WOULD_REFUSE: "requests that a dry run would have refused, by reason",
        PUT_BACK: "requests that still waited when the crawl closed and went back to the scheduler",
        FORBIDDEN: "requests refused, by Scrapy's own name",
        FETCHED: "tries to fetch a robots.txt",
        OUTCOME: "tries to fetch a robots.txt, by status or cause of failure",
        REFRESH: "fetches of a robots.txt that was known: unchanged, changed, failed",
        MODE: "access modes after a look at the store or the site",
        AGE_MAX: "maximum age in seconds of a robots.txt that was still obeyed",
        CRAWL_DELAY: "sites that ask for a delay, by what is done",
        PAUSED: "pauses that hosts asked for by a 429, or by a 503 with Retry-After",
        TAGS: "requests and items that a page's robots tags refuse, by part and action",
        STORE_HIT: "lookups of an origin that the store had",
        STORE_MISS: "lookups of an origin that the store did not have",
        STORE_SHARED: "robots.txt that another process of the fleet had just fetched",
        STORE_FAILED: "calls of the store that failed",
        TDMREP_FETCHED: "tries to fetch a tdmrep.json",
        TDMREP_OUTCOME: "tries to fetch a tdmrep.json, by status or cause of failure",
        TDMREP_UNREADABLE: "tdmrep.json files that are no list of reservations",
        TDMREP_FORBIDDEN: "origins whose robots.txt forbids their tdmrep.json",
        AUDIT_FAILED: "1 if the record of the crawl could not be written",
    }
)
"""What each stat counts, by its name or the start of its name."""

GAUGES = frozenset({AGE_MAX, AUDIT_FAILED})
"""The stats that are no counts: they may be read at any time, but not summed."""


def split(name: str) -> tuple[str, str] | None:
    """(a key of `MEANINGS`, the rest of the name); None for a stat that is none of ours.

    Examples:
        >>> split("robots/refused/rule")
        ('robots/refused/', 'rule')
        >>> split("robots/fetched")
        ('robots/fetched', '')
        >>> split("downloader/request_count") is None
        True

    """
    if name in MEANINGS:
        return name, ""
    start = next((one for one in MEANINGS if one.endswith("/") and name.startswith(one)), None)
    return None if start is None else (start, name[len(start) :])
