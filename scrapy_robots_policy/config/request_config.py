"""What the user chose for one request: dialect, the crawler's name, and the host's overrides.

The strongest first: `request.meta["robots"]`; the overrides for the request's host, in layers (the
spider's for single hosts, the spider's for all hosts, the project's); the request's own User-Agent
header; the crawl's own choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from ..rep import Dialect, Origin, origin_of, product_token
from ..rep.agents import STAR
from ..rep.escapes import listed, quoted
from .identity import AgentKind, CrawlerName, DialectKind, sent_user_agent
from .kinds import Kind, SettingError
from .overrides import Override, Overrides, OverridesKind

META_KEY = "robots"
EXEMPT_KEY = "dont_obey_robotstxt"
_KINDS: Mapping[str, Kind[Any]] = {"dialect": DialectKind(), "agent": AgentKind()}


@dataclass(frozen=True, slots=True)
class RequestConfig:
    """What the user chose for a request.

    agent        a product token
    obey         whether a robots.txt is requested at all
    crawl_delay  seconds between two requests, instead of what the site asks for
    robots_txt   the file to obey instead of the site's own; empty where `obey` is False
    """

    dialect: Dialect
    agent: str
    obey: bool = True
    crawl_delay: float | None = None
    robots_txt: bytes | None = None

    def applies_to(self, origin: Origin) -> bool:
        """Whether a robots.txt decides about requests to the origin, or a delay is set for it."""
        if origin.partition(":")[0] not in self.dialect.access.schemes:
            return False
        return self.obey or self.crawl_delay is not None


@dataclass(frozen=True, slots=True)
class RequestConfigs:
    """Finds the configuration of a request.

    default    the crawl's own choice
    layers     overrides for single hosts, the strongest layer first
    by_header  whether a request that brings its own User-Agent header is judged by that
    sent       the User-Agent header of a request that brings none: a redirect and a retry have it,
               too, because Scrapy has added it to the request before
    """

    default: RequestConfig
    layers: tuple[Overrides, ...] = ()
    _: KW_ONLY
    by_header: bool
    sent: bytes = b""

    @classmethod
    def from_crawler(cls, crawler: Crawler, dialect: Dialect, name: CrawlerName) -> RequestConfigs:
        """Of a crawl with this dialect and name. SettingError for a wrong value."""
        spider = crawler.spider
        layers = (
            _overrides("robots_overrides", getattr(spider, "robots_overrides", None)),
            _for_all_hosts(spider),
            project_overrides(crawler.settings),
        )
        return cls(
            RequestConfig(dialect, name.token),
            tuple(layer for layer in layers if layer),
            by_header=not name.is_given,
            sent=sent_user_agent(crawler.settings, spider)[1].encode("utf-8", "replace"),
        )

    @property
    def sets_delays(self) -> bool:
        """Whether a delay is set for some host."""
        return bool(self.layers) and any(layer.sets_delays for layer in self.layers)

    def of(
        self, meta: Mapping[str, Any], user_agent: bytes | None, origin: Origin
    ) -> RequestConfig:
        """Raises SettingError, a ValueError, where request.meta["robots"] is wrong.

        user_agent  the request's own User-Agent header, if it brings one
        """
        own_name = self._own_name(user_agent) if user_agent else ""
        if not self.layers and META_KEY not in meta and not own_name:
            return self.default
        override = _from_meta(meta.get(META_KEY))
        for layer in self.layers:
            override = override.over(layer.of(origin))
        obey = override.obey is not False
        return RequestConfig(
            override.dialect or self.default.dialect,
            override.agent or own_name or self.default.agent,
            obey,
            override.crawl_delay,
            override.robots_txt if obey else b"",
        )

    def set_by(
        self, meta: Mapping[str, Any], user_agent: bytes | None, origin: Origin
    ) -> dict[str, str]:
        """Where the user has set what differs from the crawl's own choice, by the names of the
        fields of `RequestConfig`.
        """
        set_by: dict[str, str] = {}
        if user_agent and self._own_name(user_agent):
            set_by["agent"] = "User-Agent header of the request"
        for layer in reversed(self.layers):
            set_by |= layer.set_by(origin)
        own = _without_none(meta.get(META_KEY) or {})
        return set_by | dict.fromkeys(own, f"request.meta[{META_KEY!r}]")

    def _own_name(self, user_agent: bytes) -> str:
        """The name in the header of a request, if it is judged by that; else ""."""
        if not self.by_header or user_agent == self.sent:
            return ""
        return product_token(user_agent.decode("latin-1")) or STAR


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


def _from_meta(values: Any) -> Override:
    if values is None:
        return Override()
    where = f"request.meta[{META_KEY!r}]"
    if not isinstance(values, Mapping) or not set(values) <= set(_KINDS):
        raise SettingError(f"{where} is {quoted(values)}; it must be a dict of {listed(_KINDS)}")
    chosen = _without_none(values)
    return Override(**{key: _KINDS[key].read(f"{where}[{key!r}]", chosen[key]) for key in chosen})


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """What a request sets: a value of None leaves it open."""
    return {key: value for key, value in values.items() if value is not None}


def is_exempt(meta: Mapping[str, Any], origin: Origin) -> bool:
    """Whether the request asks, by `dont_obey_robotstxt`, not to be judged.

    It may ask so for the origin that it was made for. Scrapy's redirects carry the key to others,
    hop by hop, so it is the first URL that counts.
    """
    if not meta.get(EXEMPT_KEY):
        return False
    redirected_from = meta.get("redirect_urls")
    return not redirected_from or origin_of(redirected_from[0]) == origin
