"""One line that switches everything on: `ADDONS = {"scrapy_robots_policy.Addon": 500}`."""

from __future__ import annotations

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from .config.components import MIDDLEWARES, OURS, STOCK

ORDER = 100  # that of Scrapy's own middleware
SPIDER_MIDDLEWARES = "SPIDER_MIDDLEWARES"
OUR_TAGS = "scrapy_robots_policy.RobotsTagMiddleware"
TAG_ORDER = 950  # next to the spider: nothing else counts what is dropped


class Addon:
    """Puts RobotsPolicyMiddleware in the place of Scrapy's RobotsTxtMiddleware, at the order that
    the project gave that one, and adds RobotsTagMiddleware.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        chosen = settings.getdict(MIDDLEWARES)
        kinds = {component: load_object(component) for component in chosen}
        orders = [chosen.pop(name) for name, kind in kinds.items() if kind is RobotsTxtMiddleware]
        # By path, as in the base: Scrapy 2.13 takes a class for another component.
        chosen[STOCK] = None
        if load_object(OURS) not in kinds.values():
            # What the project has put before the stock middleware, such as a choice of User-Agent,
            # must still come before ours.
            chosen[OURS] = next((order for order in orders if order is not None), ORDER)
        settings.set(MIDDLEWARES, chosen, settings.getpriority(MIDDLEWARES) or 0)
        near = settings.getdict(SPIDER_MIDDLEWARES)
        if load_object(OUR_TAGS) not in map(load_object, near):
            near[OUR_TAGS] = TAG_ORDER
        settings.set(SPIDER_MIDDLEWARES, near, settings.getpriority(SPIDER_MIDDLEWARES) or 0)
