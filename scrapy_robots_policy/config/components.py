"""Which of Scrapy's components are ours, which are Scrapy's own, and that not both are enabled."""

from __future__ import annotations

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from .. import compat
from .kinds import SettingError

OURS = "scrapy_robots_policy.RobotsPolicyMiddleware"
STOCK = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
MIDDLEWARES = "DOWNLOADER_MIDDLEWARES"


def refuse_second_middleware(settings: BaseSettings) -> None:
    """SettingError where Scrapy's middleware is enabled beside ours: both would fetch each
    robots.txt, and Scrapy's lets requests pass meanwhile.
    """
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
            raise SettingError(msg)
