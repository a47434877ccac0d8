"""Entries that tests put into stores."""

from __future__ import annotations

import time
from dataclasses import replace

from scrapy_robots_policy.rep import CacheEntry, FetchResult

ORIGIN, HOST = "https://example.com", "example.com"
FULL = CacheEntry(
    FetchResult(
        200,
        media_type="text/plain",
        lifetime=60.0,
        retry_after=3.5,
        etag='W/"1"',
        last_modified="Fri, 20 Nov 2026 00:00:00 GMT",
        hops=("https://www.example.com/robots.txt",),
        site_answers=True,
    ),
    asked_at=2000.5,
    body=b"User-agent: *\nDisallow: /\xff\x00\n",
    fetched_at=1000.25,
)
NEWER = replace(FULL, asked_at=3000.0, fetched_at=3000.0)
NO_FILE = CacheEntry(FetchResult(404), 1.0)
# In an hour, as no store keeps an outage of a clock that is a minute behind.
OUTAGE = CacheEntry(FetchResult(503), time.time() + 3600, failing_since=2.0, failures=3)
RECORDS = {
    "full": FULL,
    "empty file": replace(FULL, body=b""),
    "any bytes": replace(FULL, body=bytes(range(256)) * 2048),
    "no file": NO_FILE,
    "outage": OUTAGE,
    "outage since the epoch": replace(OUTAGE, failing_since=0.0, unreachable_since=0.0),
    "outage with a copy": replace(OUTAGE, body=b"#", fetched_at=1.0),
}
