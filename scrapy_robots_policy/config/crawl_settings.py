"""What is set for robots.txt files: how they are asked for, kept, and gone by.

Knows: the settings' names and defaults. Must not know: what the values do.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from ..addon import refuse_second_middleware
from ..fetch.request import CARRIED_HEADERS, CARRIED_META, NEVER_CARRIED, Hook, RequestProfile
from ..rep import Dialect
from ..rep.access import AccessMode, AccessOverrides
from ..rep.delay_limit import DelayLimit, OverMost
from ..report import Files
from .identity import (
    agent_of,
    dialect_from_crawler,
    overrides_from_crawler,
    purposes_from_crawler,
    user_agent,
)
from .overrides import Overrides
from .store_settings import StoreSettings
from .values import flag, is_set, names, number, optional

ON_UNREACHABLE = {
    "allow": AccessMode.ALLOW,
    "disallow": AccessMode.DISALLOW,
    "defer": AccessMode.DEFER,
}


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """One crawl's settings.

    agent           our product token
    by_header       whether a request's own User-Agent header is stronger
    store           where robots.txt files are kept
    access_overrides  the user's limits on every dialect's access policy
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
    store: StoreSettings
    access_overrides: AccessOverrides
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
        name, header = user_agent(settings, spider)
        return cls(
            dialect,
            agent_of(name, header, dialect),
            name not in ("ROBOTSTXT_USER_AGENT", "robots_user_agent"),
            StoreSettings.from_settings(settings),
            _access_overrides(settings),
            _profile(settings),
            int(number(settings, "ROBOTS_FETCH_RETRIES", 2)),
            int(number(settings, "ROBOTS_MAX_FETCHES", 100, least=1)),
            int(number(settings, "ROBOTS_MAX_WAITING", 1000)),
            number(settings, "ROBOTS_DEFER_TIMEOUT", 600.0),
            _delays(settings),
            overrides_from_crawler(crawler),
            purposes_from_crawler(crawler),
            _report(settings),
            flag(settings, "ROBOTS_DRY_RUN", False),
        )


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
        flag(settings, "ROBOTS_CRAWL_DELAY", True),
        number(settings, "ROBOTS_CRAWL_DELAY_MAX", 300.0),
        choices[told],
    )


def _access_overrides(settings: BaseSettings) -> AccessOverrides:
    told = settings.get("ROBOTS_ON_UNREACHABLE")
    if told is not None and told not in ON_UNREACHABLE:
        choices = ", ".join(ON_UNREACHABLE)
        msg = f"ROBOTS_ON_UNREACHABLE is {told!r}; it must be one of {choices}"
        raise ValueError(msg)
    return AccessOverrides(
        optional(settings, "ROBOTS_TTL"),
        optional(settings, "ROBOTS_ERROR_TTL", least=0.1),
        None if told is None else ON_UNREACHABLE[told],
    )


def _profile(settings: BaseSettings) -> RequestProfile:
    headers = names(settings, "ROBOTS_FETCH_HEADERS", CARRIED_HEADERS)
    never = [name for name in headers if name.lower() in NEVER_CARRIED]
    if never:
        msg = (
            f"ROBOTS_FETCH_HEADERS has {never[0]!r}; a robots.txt is asked for without credentials "
            "and cookies: take any header but Authorization and Cookie"
        )
        raise ValueError(msg)
    return RequestProfile(
        number(settings, "ROBOTS_FETCH_TIMEOUT", 30.0, least=0.001),
        names(settings, "ROBOTS_FETCH_META", CARRIED_META),
        headers,
        _hook(settings.get("ROBOTS_FETCH_HOOK")),
    )


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
