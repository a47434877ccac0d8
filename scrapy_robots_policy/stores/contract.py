"""What is true of every store, as a check that the author of a store can run in a test."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from ..rep import CacheEntry, FetchResult
from .protocol import Store

ORIGIN, OTHERS = "https://example.com", ("http://example.com", "https://example.com:8443")

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
NO_FILE = CacheEntry(FetchResult(404), 1.0)
# In an hour, as no store keeps an outage of a clock that is a minute behind.
OUTAGE = CacheEntry(FetchResult(503), time.time() + 3600, failing_since=2.0, failures=3)
ENTRIES = {
    "full": FULL,
    "empty file": replace(FULL, body=b""),
    "any bytes": replace(FULL, body=bytes(range(256)) * 2048),
    "no file": NO_FILE,
    "outage": OUTAGE,
    "outage since the epoch": replace(OUTAGE, failing_since=0.0, unreachable_since=0.0),
    "outage with a copy": replace(OUTAGE, body=b"#", fetched_at=1.0),
}
"""Entries of every kind, by what they hold."""


async def check_contract(make: Callable[[], Store], *, forgets: bool = False) -> None:
    """Put a store through the contract of docs/stores.md. It must be empty at first.

    Args:
        make: makes the store. It is called twice, as by two crawls that have one place.
        forgets: whether a second crawl is to find nothing, as with a store in memory.

    Raises:
        AssertionError: a clause does not hold. It says which one.

    """
    store = make()
    _must(await store.get(ORIGIN) is None, "an origin that was never put has no entry")
    for seconds, (name, of_kind) in enumerate(ENTRIES.items()):
        entry = replace(of_kind, asked_at=of_kind.asked_at + seconds)  # no two come in one instant
        await store.put(ORIGIN, entry)
        kept = await store.get(ORIGIN)
        _must(kept == entry, f"an entry is read as it was put, and the last one counts ({name})")
    for origin in OTHERS:
        _must(await store.get(origin) is None, f"origins are kept apart ({origin})")
    await store.put(OTHERS[0], NO_FILE)
    await store.put(ORIGIN, FULL)
    await store.close()
    await store.close()
    again = make()
    found = [await again.get(origin) for origin in (ORIGIN, *OTHERS)]
    await again.close()
    wanted = [None] * 3 if forgets else [FULL, NO_FILE, None]
    _must(found == wanted, f"what was put is {'gone' if forgets else 'there'} after a new start")


def _must(holds: bool, clause: str) -> None:
    if not holds:
        raise AssertionError(f"This must be true of the store: {clause}")
