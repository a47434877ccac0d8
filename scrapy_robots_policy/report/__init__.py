"""What was decided in a crawl, counted origin by origin, and shown: in a terminal, as a page, as
data.

Knows: counts and words. Must not know: how a decision is made, Scrapy.
"""

from __future__ import annotations

from .files import Files
from .summary import Report
from .table import table
from .tally import Line, Tally

__all__ = ["Files", "Line", "Report", "Tally", "table"]
