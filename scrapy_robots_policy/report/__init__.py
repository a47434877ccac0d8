"""What happened in this crawl? Events for the log and the stats, counts by origin, a report."""

from __future__ import annotations

from .counts import CrawlCounts, OriginCounts
from .files import Files
from .summary import Report
from .text_table import table

__all__ = ["CrawlCounts", "Files", "OriginCounts", "Report", "table"]
