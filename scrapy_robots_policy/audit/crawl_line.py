"""The line of a crawl: who crawled, with which software, by which settings."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import scrapy
from scrapy.crawler import Crawler

from ..config import SETTINGS, PolicySettings, sent_user_agent
from ..config.setting_values import is_set
from ..config.settings_table import ATTRIBUTES
from ..distribution import installed_version
from .fields import FORMAT, instant, plain


def crawl_fields(crawler: Crawler, settings: PolicySettings, now: float) -> dict[str, Any]:
    assert crawler.spider is not None
    assert settings.audit is not None
    return {
        "format": FORMAT,
        "crawl": uuid4().hex,
        "began": instant(now),
        "spider": crawler.spider.name,
        "package": installed_version(),
        "scrapy": scrapy.__version__,
        "dialect": settings.configs.default.dialect.name,
        "agent": settings.configs.default.agent,
        "user_agent": sent_user_agent(crawler.settings, crawler.spider)[1],
        "purposes": sorted(settings.use.purposes),
        "dry_run": settings.dry_run,
        "judged_by": _judged_by(settings),
        "settings": _in_force(crawler),
    }


def _judged_by(settings: PolicySettings) -> dict[str, Any]:
    """The settings that a decision depends on, apart from its dialect and its robots.txt."""
    access = settings.access_overrides
    return {
        "ttl": access.lifetime,
        "on_unreachable": plain(access.unreachable),
        "content_use": settings.use.level,
        "purpose_tokens": list(settings.use.tokens),
        "tdmrep": "fetch" if settings.use.fetches_reserved else "refuse",
    }


def _in_force(crawler: Crawler) -> dict[str, Any]:
    """The settings and the spider's attributes that somebody has set."""
    settings, spider = crawler.settings, crawler.spider
    in_force = {
        name: plain(settings[name])
        for name in SETTINGS
        if is_set(settings, name) and settings[name] is not None
    }
    for name in sorted(ATTRIBUTES):
        value = getattr(spider, name, None)
        if value is not None:
            in_force[f"spider.{name}"] = plain(value)
    return in_force
