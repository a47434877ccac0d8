"""What is set for what pages say.

Knows: the settings' names and defaults. Must not know: what the values do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scrapy.crawler import Crawler

from ..rep import Dialect
from ..tags.actions import DEFAULTS, Actions, read_actions
from .identity import (
    agent_of,
    dialect_from_crawler,
    overrides_from_crawler,
    purposes_from_crawler,
    user_agent,
)
from .overrides import Overrides


@dataclass(frozen=True, slots=True)
class TagSettings:
    """One crawl's settings for what pages say.

    dialect, agent, by_header, overrides, purposes  as in `PolicySettings`
    actions  what becomes of what a page does not want, by part
    """

    dialect: Dialect
    agent: str
    by_header: bool
    actions: Actions
    overrides: tuple[Overrides, ...] = ()
    purposes: frozenset[str] = frozenset()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TagSettings:
        """ValueError where a value is wrong."""
        dialect = dialect_from_crawler(crawler)
        name, header = user_agent(crawler.settings, crawler.spider)
        return cls(
            dialect,
            agent_of(name, header, dialect),
            name not in ("ROBOTSTXT_USER_AGENT", "robots_user_agent"),
            _actions(crawler),
            overrides_from_crawler(crawler),
            purposes_from_crawler(crawler),
        )


def _actions(crawler: Crawler) -> Actions:
    try:
        told: Any = crawler.settings.getdict("ROBOTS_TAGS")
    except ValueError:  # a text that is no JSON
        told = crawler.settings.get("ROBOTS_TAGS")
    spider = getattr(crawler.spider, "robots_tags", {})
    return {
        **DEFAULTS,
        **read_actions("ROBOTS_TAGS", told),
        **read_actions("robots_tags", spider),
    }
