"""The crawler's own name, as robots.txt files know it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scrapy import Spider
from scrapy.settings import BaseSettings

from ..rep import Dialect, product_token
from ..rep.agents import STAR, names_a_crawler
from ..rep.escapes import quoted
from .kinds import agent_of, from_json


@dataclass(frozen=True, slots=True)
class CrawlerName:
    """The crawler's own name, as robots.txt files know it.

    Attributes:
        token: a product token; "*" where the crawler has none.
        is_given: it was given for robots.txt on purpose, so a request's User-Agent header is
            weaker.
        warning: a sentence where the crawler has no name, else "".

    """

    token: str
    is_given: bool
    warning: str = ""


def crawler_name(settings: BaseSettings, spider: Spider | None, dialect: Dialect) -> CrawlerName:
    """The name by the strongest place that has one. SettingError where a name that was given for
    robots.txt on purpose is none.
    """
    kind = agent_of(dialect)
    given = next(_given_names(settings, spider), None)
    if given is not None:
        return CrawlerName(kind.read(*given), is_given=True)
    place, value = sent_user_agent(settings, spider)
    token = product_token(value)
    if names_a_crawler(token, dialect.agents):
        return CrawlerName(token, is_given=False)
    warning = (
        f"{place} is {quoted(value)}, which names no crawler: only the groups for all crawlers "
        '("User-agent: *") bind this one. To name it, set ROBOTSTXT_USER_AGENT = "MyBot"'
    )
    return CrawlerName(STAR, is_given=False, warning=warning)


def _given_names(settings: BaseSettings, spider: Spider | None) -> Iterator[tuple[str, Any]]:
    for place, value in (
        ("robots_user_agent", getattr(spider, "robots_user_agent", None)),
        ("ROBOTSTXT_USER_AGENT", settings.get("ROBOTSTXT_USER_AGENT")),
    ):
        if value is not None and value != "":
            yield place, value


def sent_user_agent(settings: BaseSettings, spider: Spider | None) -> tuple[str, str]:
    """(where it is set, the User-Agent header) of a request that brings none: as the middlewares of
    Scrapy add it, one after the other.
    """
    for place, value in (
        ("DEFAULT_REQUEST_HEADERS", sent_header(settings, "user-agent")),
        ("user_agent", getattr(spider, "user_agent", None)),
        ("USER_AGENT", settings.get("USER_AGENT")),
    ):
        if value:
            return place, _text(value)
    return "USER_AGENT", ""


def sent_header(settings: BaseSettings, name: str) -> str:
    """A header that DefaultHeadersMiddleware adds, by its name in lower case; "" for none."""
    headers = from_json(settings.get("DEFAULT_REQUEST_HEADERS"))
    if not hasattr(headers, "keys"):
        return ""  # Scrapy itself complains
    value = {_text(key).lower(): headers[key] for key in headers}.get(name)
    return _text(value) if value else ""


def _text(value: Any) -> str:
    """A header's value, or name, as text. Of several values Scrapy reads the last one."""
    if isinstance(value, list | tuple):
        value = value[-1]
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
