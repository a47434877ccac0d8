"""The settings of one crawl, as its parts use them.

A wrong value raises SettingError, which stops the spider; `one_sentence` logs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from . import compat
from .core.redirects import RedirectGuard
from .core.result import package_of
from .crawl_log import CrawlLog
from .fetch.plugins import middlewares_by_plugin, schemes_by_plugin
from .fetch.request import CONDITIONS, NOT_ADDED, RequestProfile
from .fetch.urls import registrable_domain
from .overrides import CrawlerName, RequestConfigs, crawler_name, sent_header
from .rep.access import AccessOverrides
from .rep.escapes import nearest
from .rep.usage.preferences import NO_USE, DeclaredUse, tokens_for
from .report.report_files import ReportFiles
from .settings import SETTINGS, SettingError, Values, filled, has_time
from .stores import Store, StoreEvents, check_store, open_store, without_secrets
from .tags.actions import DEFAULTS, Actions


@contextmanager
def one_sentence(crawler: Crawler) -> Iterator[None]:
    """Log a SettingError that is raised inside as one sentence; it stops the crawl."""
    log = CrawlLog(crawler)
    try:
        yield
    except SettingError as error:
        if error.__cause__ is not None:  # the user's own code failed: a traceback helps there
            log.debug("A setting's own code failed:", exc_info=error.__cause__)
        log.error("%(sentence)s", {"sentence": error})  # noqa: TRY400 - Scrapy logs the traceback
        raise


OURS = "scrapy_robots_policy.RobotsPolicyMiddleware"
OUR_TAGS = "scrapy_robots_policy.RobotsTagMiddleware"
STOCK = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
MIDDLEWARES, SPIDER_MIDDLEWARES = "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES"


def refuse_misplaced_middleware(settings: BaseSettings) -> None:
    """SettingError where one of ours stands in the setting of the other: it would do nothing."""
    for place, ours, home in (
        (SPIDER_MIDDLEWARES, OURS, MIDDLEWARES),
        (MIDDLEWARES, OUR_TAGS, SPIDER_MIDDLEWARES),
    ):
        for component in compat.components(settings, place):
            kind = load_object(component)
            if is_subclass(kind, load_object(ours)):
                name = component if isinstance(component, str) else _path(kind)
                raise SettingError(f"{place} has {name}; its place is {home}")


def refuse_second_middleware(settings: BaseSettings) -> None:
    """SettingError where another middleware for robots.txt is enabled beside ours.

    Both would fetch each robots.txt. Scrapy's lets requests pass meanwhile, and each of two of ours
    would keep the places of waiting requests by itself.
    """
    kinds = [load_object(component) for component in compat.components(settings, MIDDLEWARES)]
    ours = [kind for kind in kinds if is_subclass(kind, load_object(OURS))]
    if len(ours) > 1:
        raise _both(_path(ours[0]), _path(ours[1]), "leave one of them out")
    if not settings.getbool("ROBOTSTXT_OBEY"):
        return  # the stock middleware leaves by itself
    for kind in kinds:
        if is_subclass(kind, RobotsTxtMiddleware):
            advice = f"set {_path(kind)!r} to None there"
            if kind is RobotsTxtMiddleware:
                advice += ", or use the add-on scrapy_robots_policy.Addon"
            raise _both(OURS, _path(kind), advice)


def has_plugins(settings: BaseSettings) -> bool:
    """Whether a downloader middleware, or a handler of http or https, is a plugin's."""
    return bool(middlewares_by_plugin(settings) or schemes_by_plugin(settings))


def has_earlier(settings: BaseSettings) -> bool:
    """Whether another downloader middleware than Scrapy's sees a request before ours does."""
    before_ours = set[str]()
    orders = compat.components(settings, MIDDLEWARES)
    for component in sorted(orders, key=orders.__getitem__):
        kind = load_object(component)
        if is_subclass(kind, load_object(OURS)):
            break
        before_ours.add(package_of(kind.__module__))
    return bool(before_ours - {"scrapy"})


def is_subclass(kind: Any, base: type) -> bool:
    """Whether a component is a class, and that class or a subclass of it."""
    return isinstance(kind, type) and issubclass(kind, base)


def _both(first: str, second: str, advice: str) -> SettingError:
    return SettingError(f"{MIDDLEWARES} enables both {first} and {second}; {advice}")


def _path(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def report_files(path: Path, *, replaces: bool) -> ReportFiles:
    """The files of a report. SettingError where they cannot be made: after the crawl it is too late
    to complain.

    Args:
        replaces: whether an earlier report of the same name is replaced.

    """
    try:
        return ReportFiles.of(path, replaces=replaces)
    except ValueError as error:
        raise SettingError(f"ROBOTS_REPORT is {str(path)!r}: {error}") from None


# What of scrapy-redis's settings says where its Redis is, by the name that redis-py has for it. Its
# timeouts are left out: a scheduler may wait for half a minute, a request for a robots.txt may not.
_OF_SCRAPY_REDIS = {
    "REDIS_URL": "url",
    "REDIS_HOST": "host",
    "REDIS_PORT": "port",
    "REDIS_DB": "db",
}
_WHERE = frozenset({"url", "host", "port", "db", "username", "password", "unix_socket_path", "ssl"})


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Where a crawl's store is. Both fields may hold a password, and are never shown.

    Attributes:
        place: a URI, a store's class, a store, or the import path of either.
        params: what the URI `redis:`, which has no address, stands for.

    """

    place: Any = field(repr=False)
    params: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> StoreSettings:
        """SettingError where no such store can be opened."""
        place = settings.get("ROBOTS_STORE")
        place = "memory:" if place is None else place
        try:
            params = _params(settings) if place == "redis:" else {}
            check_store(place, params)
        except ValueError as error:
            raise _wrong(place, error) from error.__cause__
        return cls(place, params)

    def open(self, crawler: Crawler | None = None, events: StoreEvents | None = None) -> Store:
        """The store. Its failures go to `events`. SettingError where it cannot be created."""
        try:
            return open_store(self.place, self.params, events, crawler)
        except ValueError as error:
            raise _wrong(self.place, error) from error.__cause__


def _wrong(place: Any, error: ValueError) -> SettingError:
    return SettingError(f"ROBOTS_STORE is {without_secrets(place)}: {error}")


def _params(settings: BaseSettings) -> dict[str, Any]:
    """What scrapy-redis would connect to. The single settings are stronger than REDIS_PARAMS."""
    try:
        given = settings.getdict("REDIS_PARAMS")
    except (TypeError, ValueError):
        raise ValueError("REDIS_PARAMS is no dictionary") from None
    params = {name: given[name] for name in given if name in _WHERE or name.startswith("ssl_")}
    single = {name: settings.get(setting) for setting, name in _OF_SCRAPY_REDIS.items()}
    return params | {name: value for name, value in single.items() if value}


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """One crawl's settings.

    Attributes:
        configs: the dialect and the crawler's name, for the crawl and for single hosts.
        store: where robots.txt files are kept.
        access_overrides: the user's limits on top of the dialect's access policy.
        profile: how a robots.txt is requested.
        fetch_retries: how often a fetch that failed quickly is repeated.
        max_fetches: how many fetches are under way at a time.
        max_waiting: how many requests may wait without a place in CONCURRENT_REQUESTS.
        longest_delay: seconds: the longest delay of a site that is kept.
        longest_pause: seconds: the longest pause of a host that asks for one by its answer.
        use: what the crawl declares that it does with pages.
        report: where the crawl's report goes, where one is wanted.
        dry_run: whether requests that would be dropped are only counted.
        audit: where the record of the crawl goes, where one is wanted.
        keeps_verdicts: whether requests that pass get their verdict, in their meta.
        item_field: the field of items that gets it; "": none.
        has_plugins: whether other code than Scrapy's and ours may answer requests.
        has_earlier: whether other code than Scrapy's may change a request before it is judged.

    """

    configs: RequestConfigs
    store: StoreSettings
    access_overrides: AccessOverrides
    profile: RequestProfile
    fetch_retries: int
    max_fetches: int
    max_waiting: int
    longest_delay: float
    longest_pause: float = 0.0
    use: DeclaredUse = NO_USE
    report: ReportFiles | None = None
    dry_run: bool = False
    audit: Path | None = None
    keeps_verdicts: bool = False
    item_field: str = ""
    has_plugins: bool = False
    has_earlier: bool = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, clock: Callable[[], float]) -> PolicySettings:
        """NotConfigured where robots.txt is not to be obeyed; SettingError for a wrong value.

        Warns of a setting that does not exist, and of a crawler without a name.
        """
        with one_sentence(crawler):
            log, values = CrawlLog(crawler), Values(crawler.settings, crawler.spider)
            if not values["ROBOTSTXT_OBEY"]:
                log.info("ROBOTSTXT_OBEY is False: no robots.txt is obeyed")
                raise NotConfigured
            values.check()
            refuse_misplaced_middleware(crawler.settings)
            refuse_second_middleware(crawler.settings)
            dialect, now = values["ROBOTS_DIALECT"], datetime.now(timezone.utc)
            name = crawler_name(crawler.settings, crawler.spider, dialect)
            for warning in _warnings(values, name):
                log.warning("%(warning)s", {"warning": warning})
            tag_actions(crawler)  # RobotsTagMiddleware reads them when a record is begun already
            return cls(
                configs=RequestConfigs.from_crawler(crawler, dialect, name, clock),
                store=StoreSettings.from_settings(crawler.settings),
                access_overrides=_access_overrides(values),
                profile=_profile(values),
                fetch_retries=_retries(crawler.settings),
                max_fetches=values["ROBOTS_MAX_FETCHES"],
                max_waiting=values["ROBOTS_MAX_WAITING"],
                longest_delay=values["ROBOTS_CRAWL_DELAY_MAX"],
                longest_pause=values["ROBOTS_PAUSE_MAX"],
                use=declared_use(values),
                report=_report(values, now),
                dry_run=values["ROBOTS_DRY_RUN"],
                audit=_file_named(values, "ROBOTS_AUDIT", now),
                keeps_verdicts=values["ROBOTS_KEEP_VERDICTS"],
                item_field=values["ROBOTS_ITEM_FIELD"] or "",
                has_plugins=has_plugins(crawler.settings),
                has_earlier=has_earlier(crawler.settings),
            )


MEANT = {
    "ROBOTS_CRAWL_DELAY": '; a delay of your own is ROBOTS_OVERRIDES = {"*": {"crawl_delay": 5}}, '
    "the longest one of sites ROBOTS_CRAWL_DELAY_MAX",
}


def _warnings(values: Values, name: CrawlerName) -> Iterator[str]:
    for setting in sorted(map(str, values.settings)):
        if setting.startswith("ROBOTS_") and setting not in SETTINGS:
            hint = MEANT.get(setting) or nearest(setting, SETTINGS) or "; it has no effect here"
            yield f"{setting} is no setting of scrapy_robots_policy{hint}"
    if name.warning:
        yield name.warning


def _access_overrides(values: Values) -> AccessOverrides:
    return AccessOverrides(
        lifetime=values["ROBOTS_TTL"],
        unreachable=values["ROBOTS_ON_UNREACHABLE"],
    )


def _retries(settings: BaseSettings) -> int:
    """How often Scrapy's RetryMiddleware repeats a page."""
    return settings.getint("RETRY_TIMES") if settings.getbool("RETRY_ENABLED") else 0


def _profile(values: Values) -> RequestProfile:
    return RequestProfile(
        timeout=values["ROBOTS_FETCH_TIMEOUT"],
        meta=values["ROBOTS_FETCH_META"],
        hook=values["ROBOTS_FETCH_HOOK"],
        guard=redirect_guard(values),
        by_plugin=schemes_by_plugin(values.settings),
        not_added=(*NOT_ADDED, *_conditions(values)),
        has_credentials=_has_credentials(values),
    )


def _conditions(values: Values) -> Iterator[str]:
    """The conditional headers that DefaultHeadersMiddleware adds to pages."""
    return (name for name in CONDITIONS if sent_header(values.settings, name.lower()))


def _has_credentials(values: Values) -> bool:
    """Whether HttpAuthMiddleware or DefaultHeadersMiddleware may add an Authorization header."""
    settings, spider = values.settings, values.spider
    places = (
        "http_user" in values["ROBOTS_FETCH_META"],
        *(settings.get(name) for name in ("HTTPAUTH_USER", "HTTPAUTH_PASS")),  # from 2.19 on
        *(getattr(spider, name, "") for name in ("http_user", "http_pass")),
        sent_header(settings, "authorization"),
    )
    return any(places)


def redirect_guard(values: Values) -> RedirectGuard:
    """Where redirects of a robots.txt may lead."""
    domain_of = registrable_domain if values["ROBOTS_REDIRECTS"] else None
    return RedirectGuard(domain_of, values["ROBOTS_REDIRECT_HOSTS"])


def declared_use(values: Values) -> DeclaredUse:
    """What the crawl declares that it does with pages."""
    purposes = values["ROBOTS_PURPOSE"] or frozenset()
    tokens = values["ROBOTS_PURPOSE_TOKENS"]
    return DeclaredUse(
        purposes,
        values["ROBOTS_CONTENT_USE"] or "",
        tokens_for(purposes) if tokens is None else tokens,
        values["ROBOTS_TDMREP"],
    )


def tag_actions(crawler: Crawler) -> Actions:
    """The spider's actions complete those of the settings, part by part."""
    kind = SETTINGS["ROBOTS_TAGS"].kind
    given = (
        ("ROBOTS_TAGS", crawler.settings.get("ROBOTS_TAGS")),
        ("robots_tags", getattr(crawler.spider, "robots_tags", None)),
    )
    actions = dict(DEFAULTS)
    for name, value in given:
        if value is not None:
            actions |= kind.read(name, value)
    return actions


def _file_named(values: Values, setting: str, now: datetime) -> Path | None:
    """The path of a file that the crawl writes; None where it writes none.

    `scrapy shell` has no spider yet, and its session no end at which a file would be whole.
    """
    template, spider = values[setting], values.spider
    return None if template is None or spider is None else filled(template, spider.name, now)


def _report(values: Values, now: datetime) -> ReportFiles | None:
    """With the time in its path each crawl has a report, also where several begin in one second."""
    path = _file_named(values, "ROBOTS_REPORT", now)
    if path is None:
        return None
    return report_files(path, replaces=not has_time(values["ROBOTS_REPORT"]))


@dataclass(frozen=True, slots=True)
class TagSettings:
    """One crawl's settings for page rules.

    Attributes:
        configs, use: as in `PolicySettings`.
        reads_use: whether a page is read for preferences about its use.
        actions: what happens to requests and items that a page does not want, by part.
        dry_run: whether what would be dropped is only counted.
        item_field: as in `PolicySettings`.

    """

    configs: RequestConfigs
    actions: Actions
    use: DeclaredUse
    reads_use: bool
    dry_run: bool
    item_field: str

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TagSettings:
        """SettingError for a wrong value."""
        with one_sentence(crawler):
            refuse_misplaced_middleware(crawler.settings)
            values = Values(crawler.settings, crawler.spider)
            dialect = values["ROBOTS_DIALECT"]
            use = declared_use(values)
            name = crawler_name(crawler.settings, crawler.spider, dialect)
            return cls(
                configs=RequestConfigs.from_crawler(crawler, dialect, name),
                actions=tag_actions(crawler),
                use=use,
                reads_use=bool(use) or values["ROBOTS_AUDIT"] is not None,
                dry_run=values["ROBOTS_DRY_RUN"],
                item_field=values["ROBOTS_ITEM_FIELD"] or "",
            )
