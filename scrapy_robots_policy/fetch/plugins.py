"""What of a crawl's downloader is not Scrapy's own: middlewares, and handlers of URL schemes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from .. import compat
from ..core.causes import package_of

SCHEMES = ("http", "https")


def schemes_by_plugin(settings: BaseSettings) -> frozenset[str]:
    """The URL schemes of http and https whose download handler is none of Scrapy's own."""
    return _schemes(settings, is_by_plugin)


def middlewares_by_plugin(settings: BaseSettings) -> set[str]:
    """The packages of the downloader middlewares that are neither Scrapy's nor ours."""
    components = compat.components(settings, "DOWNLOADER_MIDDLEWARES")
    packages = {package_of(load_object(component).__module__) for component in components}
    return packages - {"scrapy", package_of(__name__)}


def clients_by_plugin(settings: BaseSettings) -> set[str]:
    """The packages of the download handlers and of the downloader that are not Scrapy's."""
    handlers = settings.getwithbase("DOWNLOAD_HANDLERS").values()
    paths = map(import_path, [*handlers, settings["DOWNLOADER"]])
    return {package_of(path) for path in paths if is_by_plugin(path)}


def schemes_without_limit(settings: BaseSettings) -> frozenset[str]:
    """The URL schemes of http and https whose download handler may not limit the time of a whole
    download. Those of Twisted and of aiohttp in Scrapy do.
    """
    return _schemes(settings, lambda path: is_by_plugin(path) or "httpx" in path)


def _schemes(settings: BaseSettings, fits: Callable[[str], bool]) -> frozenset[str]:
    """The URL schemes whose handler has an import path that fits."""
    handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
    return frozenset(scheme for scheme in SCHEMES if fits(import_path(handlers.get(scheme))))


def is_by_plugin(path: str) -> bool:
    return bool(path) and not path.startswith("scrapy.")


def import_path(handler: Any) -> str:
    """The import path of a component, or of its module; "" where it is switched off."""
    if handler is None or isinstance(handler, str):
        return handler or ""
    return str(handler.__module__)
