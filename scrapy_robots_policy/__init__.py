"""The robots.txt layer a Scrapy crawl deserves.

This is what Scrapy users import. Without a crawl, use `scrapy_robots_policy.rep`, which needs no
Scrapy: names here are loaded when they are asked for, so that importing it loads nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .addon import Addon
    from .downloadermiddlewares import Disallowed, RobotsPolicyMiddleware
    from .queue import RobotsPriorityQueue
    from .robotparser import RobotParser
    from .scheduler import RobotsScheduler
    from .spidermiddlewares import ItemRefused, RobotsTagMiddleware
    from .stores import Store

__all__ = [
    "Addon",
    "Disallowed",
    "ItemRefused",
    "RobotParser",
    "RobotsPolicyMiddleware",
    "RobotsPriorityQueue",
    "RobotsScheduler",
    "RobotsTagMiddleware",
    "Store",
]

_HOME = {
    "Addon": "addon",
    "Disallowed": "downloadermiddlewares",
    "ItemRefused": "spidermiddlewares",
    "RobotParser": "robotparser",
    "RobotsPolicyMiddleware": "downloadermiddlewares",
    "RobotsPriorityQueue": "queue",
    "RobotsScheduler": "scheduler",
    "RobotsTagMiddleware": "spidermiddlewares",
    "Store": "stores",
}


if not TYPE_CHECKING:  # type checkers would take any name for one of ours

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module  # noqa: PLC0415 - only where a name is asked for

        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
