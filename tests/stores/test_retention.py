"""What must be true of how long a store keeps a record."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.rep import CacheEntry, FetchResult
from scrapy_robots_policy.rep.access import DAY
from scrapy_robots_policy.stores.retention import useful_for

# RFC 9309 §2.3.1.4: "a reasonably long period of time (for example, 30 days)" without an answer.
DAYS = {
    "a file": (CacheEntry(FetchResult(200), 1.0, b"User-agent: *", 1.0), 30),
    "an empty file": (CacheEntry(FetchResult(200), 1.0, b"", 1.0), 30),
    "no file": (CacheEntry(FetchResult(404), 1.0), 14),
    "failures, and no file": (CacheEntry(FetchResult(503), 1.0, failing_since=1.0, failures=3), 30),
    "failures since the epoch": (
        CacheEntry(FetchResult(503), 1.0, failing_since=0.0, failures=3),
        30,
    ),
}


@pytest.mark.parametrize("case", DAYS)
def test_it_is_kept_as_long_as_it_can_decide_something(case):
    record, days = DAYS[case]
    assert useful_for(record) == days * DAY
