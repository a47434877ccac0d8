"""Which components a project enables: ours in their places, once, and no other for robots.txt."""

from __future__ import annotations

from typing import Any

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from .. import compat
from ..core.causes import package_of
from ..fetch.plugins import middlewares_by_plugin, schemes_by_plugin
from .kinds import SettingError

OURS = "scrapy_robots_policy.RobotsPolicyMiddleware"
OUR_TAGS = "scrapy_robots_policy.RobotsTagMiddleware"
STOCK = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"

MIDDLEWARES, SPIDER_MIDDLEWARES = "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES"


def refuse_misplaced_middleware(settings: BaseSettings) -> None:
    """SettingError where one of ours stands in the setting of the other: it would do nothing."""
    for place, ours, home in (
        (SPIDER_MIDDLEWARES, OURS, MIDDLEWARES),
        (MIDDLEWARES, OUR_TAGS, SPIDER_MIDDLEWARES),
    ):
        for component in compat.components(settings, place):
            kind = load_object(component)
            if is_subclass(kind, load_object(ours)):
                name = component if isinstance(component, str) else _path(kind)
                raise SettingError(f"{place} has {name}; its place is {home}")


def refuse_second_middleware(settings: BaseSettings) -> None:
    """SettingError where another middleware for robots.txt is enabled beside ours.

    Both would fetch each robots.txt. Scrapy's lets requests pass meanwhile, and each of two of ours
    would keep the places of waiting requests by itself.
    """
    kinds = [load_object(component) for component in compat.components(settings, MIDDLEWARES)]
    ours = [kind for kind in kinds if is_subclass(kind, load_object(OURS))]
    if len(ours) > 1:
        raise _both(_path(ours[0]), _path(ours[1]), "leave one of them out")
    if not settings.getbool("ROBOTSTXT_OBEY"):
        return  # the stock middleware leaves by itself
    for kind in kinds:
        if is_subclass(kind, RobotsTxtMiddleware):
            advice = f"set {_path(kind)!r} to None there"
            if kind is RobotsTxtMiddleware:
                advice += ", or use the add-on scrapy_robots_policy.Addon"
            raise _both(OURS, _path(kind), advice)


def has_plugins(settings: BaseSettings) -> bool:
    """Whether a downloader middleware, or a handler of http or https, is a plugin's."""
    return bool(middlewares_by_plugin(settings) or schemes_by_plugin(settings))


def has_earlier(settings: BaseSettings) -> bool:
    """Whether another downloader middleware than Scrapy's sees a request before ours does."""
    before_ours = set[str]()
    orders = compat.components(settings, MIDDLEWARES)
    for component in sorted(orders, key=orders.__getitem__):
        kind = load_object(component)
        if is_subclass(kind, load_object(OURS)):
            break
        before_ours.add(package_of(kind.__module__))
    return bool(before_ours - {"scrapy"})


def is_subclass(kind: Any, base: type) -> bool:
    """Whether a component is a class, and that class or a subclass of it."""
    return isinstance(kind, type) and issubclass(kind, base)


def _both(first: str, second: str, advice: str) -> SettingError:
    return SettingError(f"{MIDDLEWARES} enables both {first} and {second}; {advice}")


def _path(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
