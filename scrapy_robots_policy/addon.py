"""The Scrapy add-on: `ADDONS = {"scrapy_robots_policy.Addon": 500}` enables both middlewares."""

from __future__ import annotations

from typing import Any

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from .config.components import MIDDLEWARES, OURS, STOCK

ORDER = 100  # the order of Scrapy's own middleware
SPIDER_MIDDLEWARES = "SPIDER_MIDDLEWARES"
OUR_TAGS = "scrapy_robots_policy.RobotsTagMiddleware"
TAG_ORDER = 950  # next to the spider: other middlewares do not see what is dropped


class Addon:
    """RobotsPolicyMiddleware in place of Scrapy's RobotsTxtMiddleware, and RobotsTagMiddleware.

    RobotsPolicyMiddleware has the order that the project gave Scrapy's middleware, else 100.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        chosen = settings.getdict(MIDDLEWARES)
        kinds = {component: _loaded(component) for component in chosen}
        orders = [chosen.pop(name) for name, kind in kinds.items() if kind is RobotsTxtMiddleware]
        # By path, as in Scrapy's base setting: for 2.13 a class would be another component.
        chosen[STOCK] = None
        if load_object(OURS) not in kinds.values():
            # A middleware that the project puts before the stock one, such as a choice of
            # User-Agent, must still come before ours.
            chosen[OURS] = next((order for order in orders if order is not None), ORDER)
        settings.set(MIDDLEWARES, chosen, settings.getpriority(MIDDLEWARES) or 0)
        chosen = settings.getdict(SPIDER_MIDDLEWARES)
        if load_object(OUR_TAGS) not in map(_loaded, chosen):
            chosen[OUR_TAGS] = TAG_ORDER
        settings.set(SPIDER_MIDDLEWARES, chosen, settings.getpriority(SPIDER_MIDDLEWARES) or 0)


def _loaded(component: Any) -> Any:
    """What a component names; None where it names nothing.

    Scrapy 2.13 does not look for what is disabled. What is enabled it looks for itself.
    """
    try:
        return load_object(component)
    except (ImportError, NameError, ValueError):
        return None
