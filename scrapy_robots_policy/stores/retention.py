"""How long a cache entry is worth keeping. After that a store lets it go, sooner or later."""

from __future__ import annotations

from ..rep.access import DAY, CacheEntry

KEPT = 30 * DAY  # RFC 9309 §2.3.1.4; no dialect but 1994's trusts a copy for longer
KEPT_WITHOUT_FILE = 14 * DAY  # only its freshness is of use: two of the longest lifetimes


def retention(entry: CacheEntry) -> float:
    """Seconds to keep an entry, from when it was made: 30 days with a file or during an outage,
    else 14. The length of an outage decides what a dialect allows, so it must not be forgotten.
    """
    has_past = entry.octets is not None or entry.failing_since is not None
    return KEPT if has_past else KEPT_WITHOUT_FILE
