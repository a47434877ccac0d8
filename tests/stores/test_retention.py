"""How long an entry is worth keeping."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.rep import CacheEntry, FetchResult
from scrapy_robots_policy.stores import retention

ENTRIES = {
    "file": (CacheEntry(FetchResult(200), 9.0, b"User-agent: *", 9.0), 30),
    "empty_file": (CacheEntry(FetchResult(200), 9.0, b"", 9.0), 30),
    "no_file": (CacheEntry(FetchResult(404), 9.0), 14),
    # RFC 9309 §2.3.1.4 counts the days of an outage: its beginning must not be forgotten
    "outage": (CacheEntry(FetchResult(503), 9.0, failing_since=1.0, failures=3), 30),
    "outage_since_the_epoch": (
        CacheEntry(FetchResult(503), 9.0, failing_since=0.0, failures=1),
        30,
    ),
    "outage_with_copy": (
        CacheEntry(FetchResult(503), 9.0, b"#", 1.0, failing_since=2.0, failures=3),
        30,
    ),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_retention_in_days(name):
    entry, days = ENTRIES[name]
    assert retention(entry) == days * 24 * 3600
