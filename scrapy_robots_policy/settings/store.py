"""Where a crawl's store is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from ..stores import Store, StoreEvents, check_store, open_store, without_secrets
from .kinds import SettingError

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
