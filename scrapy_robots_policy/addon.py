"""Where our middlewares stand among Scrapy's components.

Knows: the settings of Scrapy that name components. Must not know: settings of our own.
"""

from __future__ import annotations

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from . import compat

OURS = "scrapy_robots_policy.RobotsPolicyMiddleware"
STOCK = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
MIDDLEWARES = "DOWNLOADER_MIDDLEWARES"
ORDER = 100
OUR_TAGS = "scrapy_robots_policy.RobotsTagMiddleware"
SPIDER_MIDDLEWARES = "SPIDER_MIDDLEWARES"
TAG_ORDER = 950  # next to the spider: nobody counts what is dropped


class Addon:
    """Puts RobotsPolicyMiddleware in the place of Scrapy's RobotsTxtMiddleware, and adds
    RobotsTagMiddleware.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        chosen = settings.getdict(MIDDLEWARES)
        kinds = {component: load_object(component) for component in chosen}
        for component, kind in kinds.items():
            if kind is RobotsTxtMiddleware:
                del chosen[component]
        # By path, as in the base: Scrapy 2.13 takes a class for another component.
        chosen[STOCK] = None
        if load_object(OURS) not in kinds.values():
            chosen[OURS] = ORDER
        settings.set(MIDDLEWARES, chosen, settings.getpriority(MIDDLEWARES) or 0)
        near = settings.getdict(SPIDER_MIDDLEWARES)
        if load_object(OUR_TAGS) not in map(load_object, near):
            near[OUR_TAGS] = TAG_ORDER
        settings.set(SPIDER_MIDDLEWARES, near, settings.getpriority(SPIDER_MIDDLEWARES) or 0)


def refuse_second_middleware(settings: BaseSettings) -> None:
    """Two would fetch each robots.txt twice, and the stock one lets requests pass."""
    if not settings.getbool("ROBOTSTXT_OBEY"):
        return  # the stock middleware leaves by itself
    for component in compat.components(settings, MIDDLEWARES):
        kind = load_object(component)
        if isinstance(kind, type) and issubclass(kind, RobotsTxtMiddleware):
            stock = f"{kind.__module__}.{kind.__qualname__}"
            msg = (
                f"{MIDDLEWARES} enables both {OURS} and {stock}; "
                f"set {stock!r} to None there, or use the add-on scrapy_robots_policy.Addon"
            )
            raise ValueError(msg)
