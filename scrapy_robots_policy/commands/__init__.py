"""What may be asked at a terminal? `scrapy robots VERB`, and `robots-policy VERB` without Scrapy.

`command_line` has the table of verbs, and runs them. Each verb is a module in `verbs`. Nothing here
loads Scrapy but `scrapy_command`, and the verb `audit`, which makes the decisions of a crawl again.
"""

from __future__ import annotations

from typing import Any

__all__ = ["RobotsCommand"]


def __getattr__(name: str) -> Any:
    """The class that Scrapy's entry point names; loaded by Scrapy only."""
    if name != "RobotsCommand":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .scrapy_command import RobotsCommand  # noqa: PLC0415 - it loads Scrapy

    return RobotsCommand
