"""What the resolver and its store report as they go."""

from __future__ import annotations

from enum import Enum
from typing import Any

from ..rep import CacheEntry, FetchResult
from ..stores import StoreEvents
from .origin import OriginRules


class Source(Enum):
    """Where an entry came from."""

    SITE = "site"  # it was fetched
    STORE = "store"
    CACHE = "cache"  # the document of another origin was redirected to it, so it was fetched then
    FLEET = "fleet"  # another process fetched it while this one was about to


class ResolverEvents(StoreEvents):
    """Callbacks of a `Resolver` and its store. They do nothing by default."""

    async def on_learned(self, rules: OriginRules, page: Any, source: Source) -> None:
        """A look at the store or at the site has ended; the requests that wait for it still do."""

    def on_store_lookup(self, *, is_hit: bool) -> None:
        """`is_hit`: whether the store has an entry of the origin."""

    def on_obeyed(self, key: str, age: float) -> None:
        """A copy that may be used was last known to be current so many seconds ago. `key`: of what.

        It comes from the store, the fleet or a redirect, or has just been replaced.
        """

    def on_fetched(
        self, key: str, result: FetchResult, before: CacheEntry | None, entry: CacheEntry
    ) -> None:
        """A try to fetch has ended: the entry before it, and the one after. `key`: of what."""

    def on_shared(self) -> None:
        """Another process had fetched it when we were about to."""

    def on_fault(self, origin: str, error: BaseException) -> None:
        """A fault in this package, in a component or in what was handed in: the origin counts as
        unreachable.
        """
