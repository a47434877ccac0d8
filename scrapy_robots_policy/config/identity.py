"""Under which terms a crawl goes: its dialect, its name, its purposes, and what differs for single
hosts.

Knows: where each may be set, and which place is stronger. Must not know: what becomes of them.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from ..rep import DIALECTS, Dialect, find_agent, product_token
from ..rep.dialects.crawlers import is_token
from ..rep.usage import PURPOSES
from .overrides import Override, Overrides, read_overrides


def dialect_from_crawler(crawler: Crawler) -> Dialect:
    told = getattr(crawler.spider, "robots_dialect", None)
    if told is not None:
        return read_dialect("robots_dialect", told)
    return dialect_from_settings(crawler.settings)


def dialect_from_settings(settings: BaseSettings) -> Dialect:
    return read_dialect("ROBOTS_DIALECT", settings.get("ROBOTS_DIALECT", "rfc9309"))


def read_dialect(setting: str, told: Any) -> Dialect:
    """A dialect by name, by import path, or itself."""
    if isinstance(told, str) and "." in told:
        with suppress(ImportError, NameError, ValueError):  # the sentence below says it
            told = load_object(told)
    if isinstance(told, Dialect):
        return told
    if isinstance(told, str) and told in DIALECTS:
        return DIALECTS[told]
    choices = ", ".join(DIALECTS)
    msg = f"{setting} is {told!r}; it must be {choices}, a Dialect, or the import path of one"
    raise ValueError(msg)


def purposes_from_crawler(crawler: Crawler) -> frozenset[str]:
    """What the spider or the settings say that the crawl is for; nothing until one does."""
    told = getattr(crawler.spider, "robots_purpose", None)
    if told is not None:
        return _purposes("robots_purpose", told)
    return purposes_from_settings(crawler.settings)


def purposes_from_settings(settings: BaseSettings) -> frozenset[str]:
    return _purposes("ROBOTS_PURPOSE", settings.get("ROBOTS_PURPOSE") or ())


def _purposes(name: str, told: Any) -> frozenset[str]:
    """Purposes as a list, or as a text with commas."""
    words = told.split(",") if isinstance(told, str) else told
    try:
        purposes = frozenset(word.strip() for word in words)
    except (TypeError, AttributeError):
        purposes = frozenset({""})
    if purposes <= set(PURPOSES):
        return purposes
    msg = f"{name} is {told!r}; it must be one or several of {', '.join(PURPOSES)}"
    raise ValueError(msg)


def overrides_from_crawler(crawler: Crawler) -> tuple[Overrides, ...]:
    """What is set for hosts: by the spider for single ones, by it for all, by the settings."""
    spider = crawler.spider
    dialect = getattr(spider, "robots_dialect", None)
    agent = getattr(spider, "robots_user_agent", None)
    for_all = Override(
        dialect=None if dialect is None else read_dialect("robots_dialect", dialect),
        agent=None if agent is None else product_token(agent),
    )
    layers = (
        _overrides("robots_overrides", getattr(spider, "robots_overrides", None)),
        Overrides({"*": for_all} if for_all != Override() else {}),
        _overrides("ROBOTS_OVERRIDES", crawler.settings.get("ROBOTS_OVERRIDES")),
    )
    return tuple(layer for layer in layers if layer)


def _overrides(setting: str, told: Any) -> Overrides:
    try:
        return read_overrides(told or {}, lambda dialect: read_dialect("dialect", dialect))
    except ValueError as error:
        raise ValueError(f"{setting} {error}") from None


def user_agent(settings: BaseSettings, spider: Spider | None = None) -> tuple[str, Any]:
    """(where it comes from, the name or header), the strongest that there is."""
    for name, told in (
        ("robots_user_agent", getattr(spider, "robots_user_agent", None)),
        ("ROBOTSTXT_USER_AGENT", settings.get("ROBOTSTXT_USER_AGENT")),
    ):
        if told:
            return name, told
    return sent_user_agent(settings, spider)


def sent_user_agent(settings: BaseSettings, spider: Spider | None = None) -> tuple[str, Any]:
    """(where it comes from, the header) of a request that has none of its own: as the middlewares
    of Scrapy add it, one after the other.
    """
    headers = settings.getdict("DEFAULT_REQUEST_HEADERS")
    by_default = {name.lower(): value for name, value in headers.items()}
    for name, told in (
        ("DEFAULT_REQUEST_HEADERS", by_default.get("user-agent")),
        ("user_agent", getattr(spider, "user_agent", None)),
        ("USER_AGENT", settings.get("USER_AGENT")),
    ):
        if told:
            return name, told
    return "USER_AGENT", None


def agent_of(setting: str, told: Any, dialect: Dialect) -> str:
    """The product token of a header. RFC 9309 §2.2.1, or a name that engines are known by."""
    token = product_token(told) if isinstance(told, str) else ""
    if is_token(token) or token.lower() in dialect.agents or find_agent(token):
        return token
    msg = (
        f"{setting} is {told!r}, which gives the product token {token!r}; a token has letters, '-' "
        "and '_' only (RFC 9309 §2.2.1): set ROBOTSTXT_USER_AGENT to one, such as 'MyBot'"
    )
    raise ValueError(msg)
