"""The Scrapy add-on: `ADDONS = {"scrapy_robots_policy.Addon": 500}` enables both middlewares."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import BaseSettings

from .imports import imported
from .scheduler import Door, with_door
from .settings.components import MIDDLEWARES, OUR_TAGS, OURS, SPIDER_MIDDLEWARES, STOCK, is_subclass

if TYPE_CHECKING:
    from typing_extensions import Self  # typing has it from Python 3.11 on

QUEUE, OUR_QUEUE = "SCHEDULER_PRIORITY_QUEUE", "scrapy_robots_policy.RobotsPriorityQueue"
SCHEDULER, OUR_SCHEDULER = "SCHEDULER", "scrapy_robots_policy.RobotsScheduler"
ORDER = 100  # the order of Scrapy's own middleware
TAG_ORDER = 950  # next to the spider: other middlewares do not see what is dropped

logger = logging.getLogger("scrapy_robots_policy")


class Addon:
    """RobotsPolicyMiddleware in place of Scrapy's RobotsTxtMiddleware, and RobotsTagMiddleware.

    RobotsPolicyMiddleware has the order that the project gave Scrapy's middleware, else 100. Where
    the project enables a subclass of one of ours, that one takes the place of ours.
    """

    is_in_addons = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        addon = cls()
        crawler.signals.connect(addon.spider_opened, signals.spider_opened)
        return addon

    def __repr__(self) -> str:
        return "scrapy_robots_policy.Addon"

    def update_settings(self, settings: BaseSettings) -> None:
        self.is_in_addons = True
        chosen = settings.getdict(MIDDLEWARES)
        stock = [name for name in chosen if _kind(name) is RobotsTxtMiddleware]
        orders = [chosen.pop(name) for name in stock]
        chosen[STOCK] = None
        if not _has(chosen, OURS):
            # A middleware that the project puts before the stock one, such as a choice of
            # User-Agent, must still come before ours.
            chosen[OURS] = next((order for order in orders if order is not None), ORDER)
        settings.set(MIDDLEWARES, chosen, settings.getpriority(MIDDLEWARES) or 0)
        chosen = settings.getdict(SPIDER_MIDDLEWARES)
        if not _has(chosen, OUR_TAGS):
            chosen[OUR_TAGS] = TAG_ORDER
        settings.set(SPIDER_MIDDLEWARES, chosen, settings.getpriority(SPIDER_MIDDLEWARES) or 0)

        if not settings.getpriority(SCHEDULER):  # the project has chosen none
            settings.set(SCHEDULER, OUR_SCHEDULER, "addon")
        elif not is_subclass(_kind(settings[SCHEDULER]), Door):
            priority = settings.getpriority(SCHEDULER) or 0
            settings.set(SCHEDULER, with_door(settings[SCHEDULER]), priority)
        if not settings.getpriority(QUEUE) and _may_have_our_queue(settings):
            settings.set(QUEUE, OUR_QUEUE, "addon")

    def spider_opened(self, spider: Spider) -> None:
        """Warn where ours are off: the add-on is no add-on there, or a later one has replaced a
        setting.
        """
        if not self.is_in_addons:
            logger.warning(
                "scrapy_robots_policy.Addon does nothing here: its place is the setting ADDONS",
                extra={"spider": spider},
            )
            return
        for setting, ours in ((MIDDLEWARES, OURS), (SPIDER_MIDDLEWARES, OUR_TAGS)):
            if not _has(spider.settings.getdict(setting), ours):
                logger.warning(
                    "%(ours)s is off, because another add-on has replaced %(setting)s: give "
                    "scrapy_robots_policy.Addon the highest number in ADDONS",
                    {"ours": ours, "setting": setting},
                    extra={"spider": spider},
                )


def _has(chosen: Mapping[Any, int | None], ours: str) -> bool:
    """Whether one of ours is among the components, on or off, or an enabled subclass of it."""
    our_kind = imported(ours)
    kinds = {component: _kind(component) for component in chosen}
    enabled = [kind for component, kind in kinds.items() if chosen[component] is not None]
    return our_kind in kinds.values() or any(is_subclass(kind, our_kind) for kind in enabled)


def _may_have_our_queue(settings: BaseSettings) -> bool:
    """Not with a limit for each address, which the queue's base does not allow, and not for a crawl
    that was begun with another queue: its JOBDIR has a list, and no dict.
    """
    if settings.getint("CONCURRENT_REQUESTS_PER_IP"):
        return False
    with suppress(OSError, TypeError, ValueError):
        path = Path(settings["JOBDIR"], "requests.queue", "active.json")
        state = json.loads(path.read_text("utf-8"))
        return not (isinstance(state, list) and state)
    return True


def _kind(component: Any) -> Any:
    """What a component names; None where it names nothing. Scrapy itself complains of that."""
    with suppress(ValueError):
        return imported(component)
    return None
