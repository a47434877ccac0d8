"""The crawler, its dialect and its purposes: the kinds of these values, and where each is set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scrapy import Spider
from scrapy.settings import BaseSettings

from ..rep import DIALECTS, Dialect, dialect_of, product_token
from ..rep.agents import STAR, is_name, names_a_crawler
from ..rep.escapes import nearest, quoted
from ..rep.usage import PURPOSES
from .kinds import SettingError, from_json, loaded, names_in, wrong


class DialectKind:
    """A dialect by its name, by an import path, or itself."""

    words = "a dialect's name, a `Dialect`, or the import path of one"

    def read(self, name: str, value: Any) -> Dialect:
        dialect, why = value, ""
        if isinstance(value, str) and value not in DIALECTS and "." in value:
            dialect, why = loaded(value)
            dialect = dialect if isinstance(dialect, Dialect) else None
        try:
            return dialect_of(dialect)
        except ValueError:
            choices = f"{', '.join(DIALECTS)}, a Dialect, or the import path of one"
            choices += nearest(value, DIALECTS) if isinstance(value, str) else ""
            raise wrong(name, value, choices, why) from None


@dataclass(frozen=True, slots=True)
class AgentKind:
    """A product token, or a User-Agent header that begins with one.

    dialect  its crawlers may have names that are no product tokens
    """

    dialect: Dialect | None = None

    words = "a product token such as 'MyBot'"

    def read(self, name: str, value: Any) -> str:
        token = product_token(value) if isinstance(value, str) else ""
        if not self.names_a_crawler(token):
            raise SettingError(
                f"{name} is {quoted(value)}, which gives the product token {token!r}; a crawler's "
                "name is one word in ASCII, with a letter in it: set it to one, such as 'MyBot'"
            )
        return token

    def names_a_crawler(self, token: str) -> bool:
        return names_a_crawler(token, self.dialect.agents if self.dialect else {})


class PurposesKind:
    """Purposes as a list, or as a text with commas."""

    words = "one or several of " + ", ".join(PURPOSES)

    def read(self, name: str, value: Any) -> frozenset[str]:
        names = names_in(name, value, self.words)
        if not set(names) <= set(PURPOSES):
            raise wrong(name, value, self.words)
        return frozenset(names)


class TokensKind:
    """Control tokens as a list, or as a text with commas; each once."""

    words = "a list of product tokens such as 'Google-Extended'"

    def read(self, name: str, value: Any) -> tuple[str, ...]:
        names = names_in(name, value, self.words)
        if not all(map(is_name, names)):
            raise wrong(name, value, self.words)
        return tuple({token.lower(): token for token in names}.values())


@dataclass(frozen=True, slots=True)
class CrawlerName:
    """The crawler's own name, as robots.txt files know it.

    token     a product token; "*" where the crawler has none
    is_given  it was given for robots.txt on purpose, so a request's User-Agent header is weaker
    warning   a sentence where the crawler has no name, else ""
    """

    token: str
    is_given: bool
    warning: str = ""


def crawler_name(settings: BaseSettings, spider: Spider | None, dialect: Dialect) -> CrawlerName:
    """The name by the strongest place that has one. SettingError where a name that was given for
    robots.txt on purpose is none.
    """
    kind = AgentKind(dialect)
    given = next(_given_names(settings, spider), None)
    if given is not None:
        return CrawlerName(kind.read(*given), is_given=True)
    place, value = sent_user_agent(settings, spider)
    token = product_token(value)
    if kind.names_a_crawler(token):
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
