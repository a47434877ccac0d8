"""What was decided in a crawl, counted origin by origin, and shown: in a terminal, as a page, as
data.

Knows: counts and words. Must not know: how a decision is made, Scrapy.
"""

from __future__ import annotations

from .columns import table
from .counts import CrawlCounts, OriginCounts
from .files import Files
from .summary import Report

__all__ = ["CrawlCounts", "Files", "OriginCounts", "Report", "table"]
