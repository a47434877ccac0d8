"""What is set for the store of robots.txt files.

Knows: the settings' names, those of scrapy-redis among them. Must not know: what a store does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scrapy.settings import BaseSettings

from ..stores import open_store, shown

# What of scrapy-redis's settings says where its Redis is, by the name that redis-py has for it. How
# long to wait for it is ours to say: a scheduler may wait for half a minute.
_OF_SCRAPY_REDIS = {
    "REDIS_URL": "url",
    "REDIS_HOST": "host",
    "REDIS_PORT": "port",
    "REDIS_DB": "db",
}
_WHERE = frozenset({"url", "host", "port", "db", "username", "password", "unix_socket_path", "ssl"})


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Both may have a password, and are not shown.

    uri     where robots.txt files are kept
    params  what `redis:`, which names no place, stands for
    """

    uri: str = field(repr=False)
    params: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> StoreSettings:
        """ValueError where no such store can be opened."""
        uri = str(settings.get("ROBOTS_STORE", "memory:"))
        try:
            params = _params(settings) if uri == "redis:" else {}
            open_store(uri, params)
        except ValueError as error:
            msg = f"ROBOTS_STORE is {shown(uri)!r}: {error}"
            raise ValueError(msg) from None
        return cls(uri, params)


def _params(settings: BaseSettings) -> dict[str, Any]:
    """What scrapy-redis would connect to. The single settings are stronger than REDIS_PARAMS."""
    try:
        told = settings.getdict("REDIS_PARAMS")
    except (TypeError, ValueError):
        msg = "REDIS_PARAMS is no dictionary"
        raise ValueError(msg) from None
    params = {name: told[name] for name in told if name in _WHERE or name.startswith("ssl_")}
    single = {name: settings.get(setting) for setting, name in _OF_SCRAPY_REDIS.items()}
    return params | {name: value for name, value in single.items() if value}
