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
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from ..core.overrides import Permission
from ..core.redirects import RedirectGuard
from ..crawl_log import CrawlLog
from ..fetch.plugins import schemes_by_plugin
from ..fetch.request import CONDITIONS, NOT_ADDED, RequestProfile
from ..fetch.urls import registrable_domain
from ..rep.access import AccessOverrides
from ..rep.escapes import nearest
from ..rep.usage.preferences import NO_USE, DeclaredUse, tokens_for
from ..report.files import ReportFiles
from ..tags.actions import DEFAULTS, Actions
from .components import (
    has_earlier,
    has_plugins,
    refuse_misplaced_middleware,
    refuse_second_middleware,
)
from .files import filled, has_time
from .kinds import SettingError
from .names import CrawlerName, crawler_name, sent_header
from .requests import RequestConfigs
from .store import StoreSettings
from .table import SETTINGS, Values

MEANT = {
    "ROBOTS_CRAWL_DELAY": '; a delay of your own is ROBOTS_OVERRIDES = {"*": {"crawl_delay": 5}}, '
    "the longest one of sites ROBOTS_CRAWL_DELAY_MAX",
}


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


@dataclass(frozen=True, slots=True)
class CrawlSettings:
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
        deciding: as `Values.deciding`.
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
    deciding: Mapping[str, Any] = field(default_factory=dict)
    keeps_verdicts: bool = False
    item_field: str = ""
    has_plugins: bool = False
    has_earlier: bool = False

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        clock: Callable[[], float],
        tell: Callable[[Permission], None] = lambda _: None,
    ) -> CrawlSettings:
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
                configs=RequestConfigs.from_crawler(crawler, dialect, name, clock, tell),
                store=StoreSettings.from_settings(crawler.settings),
                access_overrides=access_overrides(values),
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
                deciding=values.deciding(),
                keeps_verdicts=values["ROBOTS_KEEP_VERDICTS"],
                item_field=values["ROBOTS_ITEM_FIELD"] or "",
                has_plugins=has_plugins(crawler.settings),
                has_earlier=has_earlier(crawler.settings),
            )


def _warnings(values: Values, name: CrawlerName) -> Iterator[str]:
    for setting in sorted(map(str, values.settings)):
        if setting.startswith("ROBOTS_") and setting not in SETTINGS:
            hint = MEANT.get(setting) or nearest(setting, SETTINGS) or "; it has no effect here"
            yield f"{setting} is no setting of scrapy_robots_policy{hint}"
    if name.warning:
        yield name.warning


def access_overrides(values: Values | Mapping[str, Any]) -> AccessOverrides:
    """The user's limits on top of the dialect's access policy."""
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


def declared_use(values: Values | Mapping[str, Any]) -> DeclaredUse:
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
        configs, use: as in `CrawlSettings`.
        reads_use: whether a page is read for preferences about its use.
        actions: what happens to requests and items that a page does not want, by part.
        dry_run: whether what would be dropped is only counted.
        item_field: as in `CrawlSettings`.

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
