"""How long a record is of use. No store keeps one for longer.

Knows: what a record can still do for a crawl that meets it late. Must not know: dialects.
"""

from __future__ import annotations

from ..rep.access import DAY, CacheEntry

KEPT = 30 * DAY  # RFC 9309 §2.3.1.4; no dialect but 1994's trusts a copy for longer
KEPT_WITHOUT_FILE = 14 * DAY  # nothing but its freshness is of use: two of the longest lifetimes


def useful_for(record: CacheEntry) -> float:
    """Seconds, from when the record was made. A run of failures is as long remembered as a copy."""
    has_past = record.octets is not None or record.failing_since is not None
    return KEPT if has_past else KEPT_WITHOUT_FILE
