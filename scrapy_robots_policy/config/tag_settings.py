"""The settings of one crawl for what pages say beyond robots.txt."""

from __future__ import annotations

from dataclasses import dataclass

from scrapy.crawler import Crawler

from ..rep.usage import DeclaredUse
from ..tags.actions import Actions
from .components import refuse_misplaced_middleware
from .identity import crawler_name
from .policy_settings import declared_use, tag_actions
from .request_config import RequestConfigs
from .setting_values import Values
from .stopping import one_sentence


@dataclass(frozen=True, slots=True)
class TagSettings:
    """One crawl's settings for page rules.

    configs, use  as in `PolicySettings`
    reads_use  whether a page is read for preferences about its use
    actions  what happens to requests and items that a page does not want, by part
    dry_run  whether what would be dropped is only counted
    """

    configs: RequestConfigs
    actions: Actions
    use: DeclaredUse
    reads_use: bool
    dry_run: bool

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TagSettings:
        """SettingError for a wrong value."""
        with one_sentence(crawler):
            refuse_misplaced_middleware(crawler.settings)
            values = Values(crawler.settings, crawler.spider)
            dialect = values["ROBOTS_DIALECT"]
            use = declared_use(values)
            name = crawler_name(crawler.settings, crawler.spider, dialect)
            return cls(
                configs=RequestConfigs.from_crawler(crawler, dialect, name),
                actions=tag_actions(crawler),
                use=use,
                reads_use=bool(use) or values["ROBOTS_AUDIT"] is not None,
                dry_run=values["ROBOTS_DRY_RUN"],
            )
