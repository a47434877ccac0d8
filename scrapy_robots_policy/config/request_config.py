"""Under which terms a request is judged: the dialect, the name our crawler goes by, and what else
the user has said of its host.

Knows: the order of strength: the request's own word, then the spider's, then the settings'.
Must not know: settings' names, rules, what becomes of the request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..rep import Dialect, Origin, dialect_of, origin_of, product_token
from .overrides import Override, Overrides

META_KEY = "robots"
EXEMPT_KEY = "dont_obey_robotstxt"
_CHOICES = ("dialect", "agent")


@dataclass(frozen=True, slots=True)
class RequestConfig:
    """What the user chose for a request.

    agent       a product token
    robots_txt  a file in place of the site's own
    """

    dialect: Dialect
    agent: str
    obey: bool = True
    crawl_delay: float | None = None
    robots_txt: bytes | None = None

    def applies_to(self, origin: Origin) -> bool:
        """Whether a request to the origin is asked about at all, or has a delay of the user's."""
        if origin.partition(":")[0] not in self.dialect.access.schemes:
            return False
        return self.obey or self.crawl_delay is not None


class RequestConfigs:
    """Finds the terms of a request.

    terms      those of the crawl
    layers     what is said of single hosts, the strongest layer first
    by_header  whether a request that brings its own User-Agent header is judged by that
    """

    def __init__(
        self, terms: RequestConfig, layers: tuple[Overrides, ...] = (), *, by_header: bool
    ) -> None:
        self.terms, self.layers, self.by_header = terms, layers, by_header

    def of(
        self, meta: Mapping[str, Any], user_agent: bytes | None, origin: Origin
    ) -> RequestConfig:
        """Raises ValueError where request.meta["robots"] is wrong."""
        if not self.layers and META_KEY not in meta and not (self.by_header and user_agent):
            return self.terms
        host = origin.partition("://")[2]
        found = _told(meta.get(META_KEY))
        for layer in self.layers:
            found = found.over(layer.of(host))
        return RequestConfig(
            found.dialect or self.terms.dialect,
            found.agent or self._agent(user_agent),
            found.obey is not False,
            found.crawl_delay,
            found.robots_txt,
        )

    def _agent(self, user_agent: bytes | None) -> str:
        if self.by_header and user_agent:
            return product_token(user_agent.decode("latin-1"))
        return self.terms.agent


def _told(told: Any) -> Override:
    """The request's own word."""
    if told is None:
        return Override()
    if not isinstance(told, Mapping) or not set(told) <= set(_CHOICES):
        msg = (
            f"request.meta[{META_KEY!r}] is {told!r}; it must be a dict of {' and '.join(_CHOICES)}"
        )
        raise ValueError(msg)
    dialect, agent = told.get("dialect"), told.get("agent")
    return Override(
        dialect=None if dialect is None else dialect_of(dialect),
        agent=None if agent is None else product_token(agent),
    )


def is_exempt(meta: Mapping[str, Any], origin: Origin) -> bool:
    """Whether the request asks not to be judged.

    It may ask so for the origin that it was made for: Scrapy's redirects carry the key to others.
    """
    if not meta.get(EXEMPT_KEY):
        return False
    came_by = meta.get("redirect_urls")
    return not came_by or origin_of(came_by[0]) == origin
