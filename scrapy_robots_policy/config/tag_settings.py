"""The settings of one crawl for what pages say beyond robots.txt."""

from __future__ import annotations

from dataclasses import dataclass

from scrapy.crawler import Crawler

from ..rep import Dialect
from ..tags.actions import DEFAULTS, Actions
from .identity import crawler_name
from .layers import override_layers
from .overrides import Overrides
from .setting_values import Values
from .settings_table import SETTINGS
from .stopping import one_sentence


@dataclass(frozen=True, slots=True)
class TagSettings:
    """One crawl's settings for page rules.

    dialect, agent, by_header, overrides, purposes  as in `PolicySettings`
    actions  what happens to requests and items that a page does not want, by part
    """

    dialect: Dialect
    agent: str
    by_header: bool
    actions: Actions
    overrides: tuple[Overrides, ...] = ()
    purposes: frozenset[str] = frozenset()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TagSettings:
        """SettingError for a wrong value."""
        with one_sentence(crawler):
            values = Values(crawler.settings, crawler.spider)
            dialect = values["ROBOTS_DIALECT"]
            name = crawler_name(crawler.settings, crawler.spider, dialect)
            return cls(
                dialect=dialect,
                agent=name.token,
                by_header=not name.is_given,
                actions=_actions(crawler),
                overrides=override_layers(crawler),
                purposes=values["ROBOTS_PURPOSE"] or frozenset(),
            )


def _actions(crawler: Crawler) -> Actions:
    """The spider's actions complete those of the settings, part by part."""
    kind = SETTINGS["ROBOTS_TAGS"].kind
    given = (
        ("ROBOTS_TAGS", crawler.settings.get("ROBOTS_TAGS")),
        ("robots_tags", getattr(crawler.spider, "robots_tags", None)),
    )
    actions = dict(DEFAULTS)
    for name, value in given:
        if value is not None:
            actions |= kind.read(name, value)
    return actions
