"""What is set for hosts, in layers: the spider's for single hosts, its for all, the settings'."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from ..rep import Dialect
from .identity import AgentKind, CrawlerName, DialectKind
from .overrides import Override, Overrides, OverridesKind
from .request_config import RequestConfig, RequestConfigs


def request_configs(crawler: Crawler, dialect: Dialect, name: CrawlerName) -> RequestConfigs:
    """What holds for the requests of a crawl. SettingError for a wrong value.

    dialect, name  the crawl's own
    """
    default = RequestConfig(dialect, name.token)
    return RequestConfigs(default, _layers(crawler), by_header=not name.is_given)


def _layers(crawler: Crawler) -> tuple[Overrides, ...]:
    """The layers that set anything, the strongest first."""
    spider = crawler.spider
    layers = (
        _overrides("robots_overrides", getattr(spider, "robots_overrides", None)),
        _for_all_hosts(spider),
        project_overrides(crawler.settings),
    )
    return tuple(layer for layer in layers if layer)


def project_overrides(settings: BaseSettings) -> Overrides:
    """Those of ROBOTS_OVERRIDES. SettingError where it is wrong."""
    return _overrides("ROBOTS_OVERRIDES", settings.get("ROBOTS_OVERRIDES"))


def _for_all_hosts(spider: object) -> Overrides:
    """The spider's own dialect and name: stronger than ROBOTS_OVERRIDES."""
    dialect = getattr(spider, "robots_dialect", None)
    if dialect is not None:
        dialect = DialectKind().read("robots_dialect", dialect)
    agent = getattr(spider, "robots_user_agent", None)
    if agent is not None and agent != "":
        agent = AgentKind(dialect).read("robots_user_agent", agent)
    override = Override(dialect=dialect, agent=agent or None)
    by_pattern = {"*": override} if override != Override() else {}
    return Overrides(by_pattern, "attributes of the spider")


def _overrides(name: str, value: Any) -> Overrides:
    return OverridesKind().read(name, {} if value is None or value == "" else value)
