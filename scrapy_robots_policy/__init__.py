"""The robots.txt layer a Scrapy crawl deserves.

This is what Scrapy users import. Without a crawl, use `scrapy_robots_policy.rep`, which needs no
Scrapy: names here are loaded when they are asked for, so that importing it loads nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .middlewares import Disallowed, RobotsPolicyMiddleware
    from .parser import RobotParser
    from .settings import Addon
    from .stores import Store
    from .tag_middleware import RobotsTagMiddleware

__all__ = [
    "Addon",
    "Disallowed",
    "RobotParser",
    "RobotsPolicyMiddleware",
    "RobotsTagMiddleware",
    "Store",
]

_HOME = {
    "Addon": "settings",
    "Disallowed": "middlewares",
    "RobotParser": "parser",
    "RobotsPolicyMiddleware": "middlewares",
    "RobotsTagMiddleware": "tag_middleware",
    "Store": "stores",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module  # noqa: PLC0415 - only where a name is asked for

    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
