"""Entries that tests put into stores."""

from __future__ import annotations

from dataclasses import replace

from scrapy_robots_policy.stores.contract import (
    ENTRIES as RECORDS,
)
from scrapy_robots_policy.stores.contract import (
    FULL,
    NO_FILE,
    ORIGIN,
    OUTAGE,
)

__all__ = ["FULL", "HOST", "NEWER", "NO_FILE", "ORIGIN", "OUTAGE", "RECORDS"]

HOST = "example.com"
NEWER = replace(FULL, asked_at=3000.0, fetched_at=3000.0)
