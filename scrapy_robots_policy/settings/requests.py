"""What the user chose for one request: dialect, the crawler's name, and the host's overrides.

The strongest first: `request.meta["robots"]`; the overrides for the request's host, in layers (the
spider's for single hosts, the spider's for all hosts, the project's); the request's own User-Agent
header; the crawl's own choice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import date
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Request
from scrapy.settings import BaseSettings

from ..core.host_patterns import host_pattern
from ..core.overrides import Override, Overrides, Permission, RequestConfig
from ..rep import Dialect, Origin, origin_of, product_token
from ..rep.agents import STAR
from ..rep.escapes import listed, nearest, quoted
from .kinds import DIALECT, FLAG, SECONDS, Kind, SettingError, agent_of, dict_of
from .names import CrawlerName, sent_user_agent

META_KEY = "robots"
EXEMPT_KEY = "dont_obey_robotstxt"
_OWN = ("dialect", "agent")  # the keys of META_KEY


def _file(_name: str, value: Any) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")


def _words(_name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return " ".join(value.split())


def _day(_name: str, value: Any) -> date:
    return date.fromisoformat(str(value))


KEYS: Mapping[str, Kind] = {
    "dialect": DIALECT,
    "agent": agent_of(),
    "obey": FLAG,
    "crawl_delay": SECONDS,
    "robots_txt": Kind("the text of a robots.txt", _file),
    "by": Kind("a text", _words),
    "why": Kind("a text", _words),
    "until": Kind("a date such as '2027-01-31'", _day),
}


def _by_pattern(name: str, value: Any) -> Overrides:
    by_pattern = dict_of(value)
    return Overrides(
        {_pattern(name, one): _override(name, one, by_pattern[one]) for one in by_pattern},
        name,
    )


OVERRIDES = Kind("a dict of host patterns", _by_pattern)
"""A dictionary of host patterns, each with a dictionary of `KEYS`; or JSON text of one."""


def _pattern(name: str, pattern: Any) -> str:
    try:
        return host_pattern(pattern)
    except (AttributeError, TypeError, ValueError):
        raise SettingError(
            f"{name} has the key {quoted(pattern)}; "
            "a key must be a host or a pattern such as '*.example.com'"
        ) from None


def _override(name: str, pattern: str, values: Any) -> Override:
    if not isinstance(values, Mapping):
        raise SettingError(
            f"{name} has {quoted(values)} for {pattern!r}; it must be a dict of {listed(KEYS)}"
        )
    for key in values:
        if key not in KEYS:
            raise SettingError(
                f"{name} has the key {quoted(key)} for {pattern!r}; the keys are {listed(KEYS)}"
                f"{nearest(str(key), KEYS, likeness=0.6)}"
            )
    try:
        return Override(**{key: KEYS[key].read(key, value) for key, value in values.items()})
    except SettingError as error:
        raise SettingError(f"{name} has a wrong value for {pattern!r}: {error}") from None


@dataclass(frozen=True, slots=True)
class RequestConfigs:
    """Finds the configuration of a request.

    Attributes:
        default: the crawl's own choice.
        layers: overrides for single hosts, the strongest layer first.
        by_header: whether a request that brings its own User-Agent header is judged by that.
        sent: the User-Agent header of a request that brings none: a redirect and a retry have it,
            too, because Scrapy has added it to the request before.
        now: gives seconds since the epoch.

    """

    default: RequestConfig
    layers: tuple[Overrides, ...] = ()
    _: KW_ONLY
    by_header: bool
    sent: bytes = b""
    now: Callable[[], float] = time.time

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        dialect: Dialect,
        name: CrawlerName,
        now: Callable[[], float] = time.time,
        tell: Callable[[Permission], None] = lambda _: None,
    ) -> RequestConfigs:
        """Of a crawl with this dialect and name. SettingError for a wrong value.

        Args:
            tell: as of `Overrides`.

        """
        spider = crawler.spider
        layers = (
            _overrides("robots_overrides", getattr(spider, "robots_overrides", None)),
            _for_all_hosts(spider),
            project_overrides(crawler.settings),
        )
        return cls(
            RequestConfig(dialect, name.token),
            tuple(Overrides(one.by_pattern, one.name, tell) for one in layers if one),
            by_header=not name.is_given,
            sent=sent_user_agent(crawler.settings, spider)[1].encode("utf-8", "replace"),
            now=now,
        )

    @property
    def sets_delays(self) -> bool:
        """Whether a delay is set for some host."""
        return bool(self.layers) and any(layer.sets_delays for layer in self.layers)

    def of(self, request: Request, origin: Origin) -> RequestConfig:
        """The configuration of a request, for an origin: it may be redirected to another one.

        Raises SettingError, a ValueError, where request.meta["robots"] is wrong.
        """
        meta, own_name = request.meta, self._own_name(request)
        if not self.layers and META_KEY not in meta and not own_name:
            return self.default
        override = _from_meta(meta.get(META_KEY))
        for layer in self.layers:
            override = override.over(layer.of(origin, self.now()))
        obey = override.obey is not False
        return RequestConfig(
            override.dialect or self.default.dialect,
            override.agent or own_name or self.default.agent,
            obey,
            override.crawl_delay,
            override.robots_txt if obey else b"",
        )

    def set_by(self, request: Request, origin: Origin) -> dict[str, str]:
        """Where the user has set what differs from the crawl's own choice, by the names of the
        fields of `RequestConfig`.
        """
        set_by: dict[str, str] = {}
        if self._own_name(request):
            set_by["agent"] = "User-Agent header of the request"
        for layer in reversed(self.layers):
            set_by |= layer.set_by(origin, self.now())
        own = _without_none(request.meta.get(META_KEY) or {})
        return set_by | dict.fromkeys(own, f"request.meta[{META_KEY!r}]")

    def _own_name(self, request: Request) -> str:
        """The name in the header of a request, if it is judged by that; else ""."""
        # Most requests bring no headers yet, and a look for one takes Scrapy five calls.
        reads = self.by_header and request.headers
        user_agent = request.headers.get(b"User-Agent") if reads else None
        if not user_agent or user_agent == self.sent:
            return ""
        return product_token(user_agent.decode("latin-1")) or STAR


def project_overrides(settings: BaseSettings) -> Overrides:
    """Those of ROBOTS_OVERRIDES. SettingError where it is wrong."""
    return _overrides("ROBOTS_OVERRIDES", settings.get("ROBOTS_OVERRIDES"))


def _for_all_hosts(spider: object) -> Overrides:
    """The spider's own dialect and name: stronger than ROBOTS_OVERRIDES."""
    dialect = getattr(spider, "robots_dialect", None)
    if dialect is not None:
        dialect = DIALECT.read("robots_dialect", dialect)
    agent = getattr(spider, "robots_user_agent", None)
    if agent is not None and agent != "":
        agent = agent_of(dialect).read("robots_user_agent", agent)
    override = Override(dialect=dialect, agent=agent or None)
    by_pattern = {"*": override} if override != Override() else {}
    return Overrides(by_pattern, "attributes of the spider")


def _overrides(name: str, value: Any) -> Overrides:
    overrides: Overrides = OVERRIDES.read(name, {} if value is None or value == "" else value)
    return overrides


def _from_meta(values: Any) -> Override:
    if values is None:
        return Override()
    where = f"request.meta[{META_KEY!r}]"
    if not isinstance(values, Mapping) or not set(values) <= set(_OWN):
        raise SettingError(f"{where} is {quoted(values)}; it must be a dict of {listed(_OWN)}")
    chosen = _without_none(values)
    return Override(**{key: KEYS[key].read(f"{where}[{key!r}]", chosen[key]) for key in chosen})


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
