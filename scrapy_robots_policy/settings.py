"""What the user has set: read once, checked, and said in one sentence where it is wrong.

Knows: every setting's name, kind and default, and the add-on that puts the middleware in its place.
Must not know: what the values do.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from . import scrapy_versions
from .crawl_delay import DelayLimit, OverMost
from .overrides import Override, Overrides, read_overrides
from .page_rules import DEFAULTS, Actions, read_actions
from .rep import DIALECTS, Dialect, find_agent, product_token
from .rep.access import Stance, Wishes
from .rep.agents import is_token
from .rep.usage import PURPOSES
from .report import Files
from .request_profile import (
    CARRIED_HEADERS,
    CARRIED_META,
    NEVER_CARRIED,
    Hook,
    RequestProfile,
)
from .stores import open_store

OURS = "scrapy_robots_policy.RobotsPolicyMiddleware"
STOCK = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
MIDDLEWARES = "DOWNLOADER_MIDDLEWARES"
ORDER = 100
OUR_TAGS = "scrapy_robots_policy.RobotsTagMiddleware"
SPIDER_MIDDLEWARES = "SPIDER_MIDDLEWARES"
TAG_ORDER = 950  # next to the spider: nobody counts what is dropped
ON_UNREACHABLE = {
    "allow": Stance.ALLOW,
    "disallow": Stance.DISALLOW,
    "defer": Stance.DEFER,
}


class Addon:
    """Puts RobotsPolicyMiddleware in the place of Scrapy's RobotsTxtMiddleware, and adds
    RobotsTagMiddleware.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        chosen = settings.getdict(MIDDLEWARES)
        kinds = {component: load_object(component) for component in chosen}
        for component, kind in kinds.items():
            if kind is RobotsTxtMiddleware:
                del chosen[component]
        # By path, as in the base: Scrapy 2.13 takes a class for another component.
        chosen[STOCK] = None
        if load_object(OURS) not in kinds.values():
            chosen[OURS] = ORDER
        settings.set(MIDDLEWARES, chosen, settings.getpriority(MIDDLEWARES) or 0)
        near = settings.getdict(SPIDER_MIDDLEWARES)
        if load_object(OUR_TAGS) not in map(load_object, near):
            near[OUR_TAGS] = TAG_ORDER
        settings.set(SPIDER_MIDDLEWARES, near, settings.getpriority(SPIDER_MIDDLEWARES) or 0)


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """One crawl's settings.

    agent           our product token
    by_header       whether a request's own User-Agent header is stronger
    store           URI of the store
    wishes          what is put over every dialect's way to read an outcome
    profile         how a robots.txt is asked for
    fetch_retries   how often one that failed quickly is made again
    max_fetches     how many are under way at a time
    max_waiting     how many requests may wait without a place in CONCURRENT_REQUESTS
    defer_timeout   seconds a request waits at most for an origin that defers
    delays          what becomes of a delay that a site asks for
    overrides       what is set for single hosts, the strongest layer first
    purposes        what the crawl is for, where it says so
    report          where the crawl's report goes, where one is wanted
    dry_run         whether what would be dropped is only counted
    """

    dialect: Dialect
    agent: str
    by_header: bool
    store: str
    wishes: Wishes
    profile: RequestProfile
    fetch_retries: int
    max_fetches: int
    max_waiting: int
    defer_timeout: float
    delays: DelayLimit = DelayLimit()
    overrides: tuple[Overrides, ...] = ()
    purposes: frozenset[str] = frozenset()
    report: Files | None = None
    dry_run: bool = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PolicySettings:
        """NotConfigured where robots.txt is not to be obeyed; ValueError where a value is wrong."""
        settings, spider = crawler.settings, crawler.spider
        if is_set(settings, "ROBOTSTXT_OBEY") and not settings.getbool("ROBOTSTXT_OBEY"):
            msg = "ROBOTSTXT_OBEY is False"
            raise NotConfigured(msg)
        refuse_second_middleware(settings)
        dialect = dialect_from_crawler(crawler)
        name, header = _user_agent(settings, spider)
        return cls(
            dialect,
            _agent(name, header, dialect),
            name not in ("ROBOTSTXT_USER_AGENT", "robots_user_agent"),
            _store(settings),
            _wishes(settings),
            _profile(settings),
            int(_number(settings, "ROBOTS_FETCH_RETRIES", 2)),
            int(_number(settings, "ROBOTS_MAX_FETCHES", 100, least=1)),
            int(_number(settings, "ROBOTS_MAX_WAITING", 1000)),
            _number(settings, "ROBOTS_DEFER_TIMEOUT", 600.0),
            _delays(settings),
            overrides_from_crawler(crawler),
            purposes_from_crawler(crawler),
            _report(settings),
            _flag(settings, "ROBOTS_DRY_RUN", False),
        )


@dataclass(frozen=True, slots=True)
class TagSettings:
    """One crawl's settings for what pages say.

    dialect, agent, by_header, overrides, purposes  as in `PolicySettings`
    actions  what becomes of what a page does not want, by part
    """

    dialect: Dialect
    agent: str
    by_header: bool
    actions: Actions
    overrides: tuple[Overrides, ...] = ()
    purposes: frozenset[str] = frozenset()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TagSettings:
        """ValueError where a value is wrong."""
        dialect = dialect_from_crawler(crawler)
        name, header = _user_agent(crawler.settings, crawler.spider)
        return cls(
            dialect,
            _agent(name, header, dialect),
            name not in ("ROBOTSTXT_USER_AGENT", "robots_user_agent"),
            _actions(crawler),
            overrides_from_crawler(crawler),
            purposes_from_crawler(crawler),
        )


def _actions(crawler: Crawler) -> Actions:
    try:
        told: Any = crawler.settings.getdict("ROBOTS_TAGS")
    except ValueError:  # a text that is no JSON
        told = crawler.settings.get("ROBOTS_TAGS")
    spider = getattr(crawler.spider, "robots_tags", {})
    return {
        **DEFAULTS,
        **read_actions("ROBOTS_TAGS", told),
        **read_actions("robots_tags", spider),
    }


def purposes_from_crawler(crawler: Crawler) -> frozenset[str]:
    """What the spider or the settings say that the crawl is for; nothing until one does."""
    name, told = "robots_purpose", getattr(crawler.spider, "robots_purpose", None)
    if told is None:
        name, told = "ROBOTS_PURPOSE", crawler.settings.get("ROBOTS_PURPOSE") or ()
    return read_purposes(name, told)


def read_purposes(name: str, told: Any) -> frozenset[str]:
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


def is_set(settings: BaseSettings, name: str) -> bool:
    """Whether anybody but Scrapy itself has set it."""
    return (settings.getpriority(name) or 0) > 0


def refuse_second_middleware(settings: BaseSettings) -> None:
    """Two would fetch each robots.txt twice, and the stock one lets requests pass."""
    if not settings.getbool("ROBOTSTXT_OBEY"):
        return  # the stock middleware leaves by itself
    for component in scrapy_versions.components(settings, MIDDLEWARES):
        kind = load_object(component)
        if isinstance(kind, type) and issubclass(kind, RobotsTxtMiddleware):
            stock = f"{kind.__module__}.{kind.__qualname__}"
            msg = (
                f"{MIDDLEWARES} enables both {OURS} and {stock}; "
                f"set {stock!r} to None there, or use the add-on scrapy_robots_policy.Addon"
            )
            raise ValueError(msg)


def dialect_from_crawler(crawler: Crawler) -> Dialect:
    told = getattr(crawler.spider, "robots_dialect", None)
    if told is not None:
        return read_dialect("robots_dialect", told)
    return read_dialect("ROBOTS_DIALECT", crawler.settings.get("ROBOTS_DIALECT", "rfc9309"))


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


def _user_agent(settings: BaseSettings, spider: Spider | None) -> tuple[str, Any]:
    """(where it comes from, the name or header), the strongest that there is."""
    headers = settings.getdict("DEFAULT_REQUEST_HEADERS")
    sent = {name.lower(): value for name, value in headers.items()}
    found = {
        "robots_user_agent": getattr(spider, "robots_user_agent", None),
        "ROBOTSTXT_USER_AGENT": settings.get("ROBOTSTXT_USER_AGENT"),
        "user_agent": getattr(spider, "user_agent", None),
        "DEFAULT_REQUEST_HEADERS": sent.get("user-agent"),
        "USER_AGENT": settings.get("USER_AGENT"),
    }
    return next(((name, told) for name, told in found.items() if told), ("USER_AGENT", None))


def _agent(setting: str, told: Any, dialect: Dialect) -> str:
    """The product token of a header. RFC 9309 §2.2.1, or a name that engines are known by."""
    token = product_token(told) if isinstance(told, str) else ""
    if is_token(token) or token.lower() in dialect.agents or find_agent(token):
        return token
    msg = (
        f"{setting} is {told!r}, which gives the product token {token!r}; a token has letters, '-' "
        "and '_' only (RFC 9309 §2.2.1): set ROBOTSTXT_USER_AGENT to one, such as 'MyBot'"
    )
    raise ValueError(msg)


def _store(settings: BaseSettings) -> str:
    uri = settings.get("ROBOTS_STORE", "memory:")
    try:
        open_store(str(uri))
    except ValueError as error:
        msg = f"ROBOTS_STORE is {uri!r}: {error}"
        raise ValueError(msg) from None
    return str(uri)


def _report(settings: BaseSettings) -> Files | None:
    told = settings.get("ROBOTS_REPORT")
    if told is None:
        return None
    try:
        return Files.of(str(told))
    except ValueError as error:
        raise ValueError(f"ROBOTS_REPORT is {str(told)!r}: {error}") from None


def _delays(settings: BaseSettings) -> DelayLimit:
    told = settings.get("ROBOTS_CRAWL_DELAY_OVER_MAX", OverMost.CLAMP.value)
    choices = {choice.value: choice for choice in OverMost}
    if told not in choices:
        listed = ", ".join(choices)
        raise ValueError(f"ROBOTS_CRAWL_DELAY_OVER_MAX is {told!r}; it must be one of {listed}")
    return DelayLimit(
        _flag(settings, "ROBOTS_CRAWL_DELAY", True),
        _number(settings, "ROBOTS_CRAWL_DELAY_MAX", 300.0),
        choices[told],
    )


def _flag(settings: BaseSettings, name: str, default: bool) -> bool:
    try:
        return settings.getbool(name, default)
    except ValueError:
        told = settings.get(name)
        raise ValueError(f"{name} is {told!r}; it must be True or False") from None


def _wishes(settings: BaseSettings) -> Wishes:
    told = settings.get("ROBOTS_ON_UNREACHABLE")
    if told is not None and told not in ON_UNREACHABLE:
        choices = ", ".join(ON_UNREACHABLE)
        msg = f"ROBOTS_ON_UNREACHABLE is {told!r}; it must be one of {choices}"
        raise ValueError(msg)
    return Wishes(
        _optional(settings, "ROBOTS_TTL"),
        _optional(settings, "ROBOTS_ERROR_TTL", least=0.1),
        None if told is None else ON_UNREACHABLE[told],
    )


def _profile(settings: BaseSettings) -> RequestProfile:
    headers = _names(settings, "ROBOTS_FETCH_HEADERS", CARRIED_HEADERS)
    never = [name for name in headers if name.lower() in NEVER_CARRIED]
    if never:
        msg = (
            f"ROBOTS_FETCH_HEADERS has {never[0]!r}; a robots.txt is asked for without credentials "
            "and cookies: take any header but Authorization and Cookie"
        )
        raise ValueError(msg)
    return RequestProfile(
        _number(settings, "ROBOTS_FETCH_TIMEOUT", 30.0, least=0.001),
        _names(settings, "ROBOTS_FETCH_META", CARRIED_META),
        headers,
        _hook(settings.get("ROBOTS_FETCH_HOOK")),
    )


def _names(settings: BaseSettings, name: str, default: tuple[str, ...]) -> tuple[str, ...]:
    told = settings.get(name, default)
    names = told.split(",") if isinstance(told, str) else told
    try:
        return tuple(word.strip() for word in names if word.strip())
    except (TypeError, AttributeError):
        msg = f"{name} is {told!r}; it must be a list of names"
        raise ValueError(msg) from None


def _hook(told: Any) -> Hook | None:
    found: Hook | None = told
    if isinstance(told, str):
        with suppress(ImportError, NameError, ValueError):  # the sentence below says it
            found = load_object(told)
    if found is None or callable(found):
        return found
    msg = (
        f"ROBOTS_FETCH_HOOK is {told!r}; it must be a function of two requests, "
        "or the import path of one"
    )
    raise ValueError(msg)


def _optional(settings: BaseSettings, name: str, least: float = 0) -> float | None:
    return None if settings.get(name) is None else _number(settings, name, 0.0, least)


def _number(settings: BaseSettings, name: str, default: float, least: float = 0) -> float:
    told = settings.get(name, default)
    try:
        number = float(told)
    except (TypeError, ValueError):
        number = float("nan")
    if not least <= number < float("inf") or (isinstance(default, int) and number % 1):
        kind = "a whole number" if isinstance(default, int) else "a number"
        msg = f"{name} is {told!r}; it must be {kind} from {least} up"
        raise ValueError(msg)
    return number
