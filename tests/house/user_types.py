"""What a type checker must make of a project that uses this package: `make types` checks it.

In strict mode a `type: ignore` that is not needed is an error. So each of them here says that a
mistake of a user is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.crawler import Crawler
from scrapy.http import Request

import scrapy_robots_policy
from scrapy_robots_policy import (
    Addon,
    Disallowed,
    RobotParser,
    RobotsPolicyMiddleware,
    RobotsTagMiddleware,
    Store,
)
from scrapy_robots_policy.rep import CacheEntry, Dialect, Verdict, parse
from scrapy_robots_policy.stores import Claim, FleetCoordinator, decode, encode

if TYPE_CHECKING:
    from typing_extensions import assert_type


class OwnAddon(Addon):
    own = ""


class OwnParser(RobotParser):
    own = ""


class OwnTags(RobotsTagMiddleware):
    own = ""


class OwnPolicy(RobotsPolicyMiddleware):
    own = ""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> OwnPolicy:
        middleware = super().from_crawler(crawler)
        middleware.own = "set"
        return middleware


class OwnStore:
    coordinator: FleetCoordinator
    body: bytes

    async def get(self, origin: str) -> CacheEntry | None:
        return decode(self.body)

    async def put(self, origin: str, entry: CacheEntry) -> None:
        self.body = encode(entry)

    async def close(self) -> None: ...


class OwnCoordinator:
    async def claim(self, origin: str) -> Claim:
        return Claim(granted=True, entry=None)

    def release(self, origin: str) -> None: ...

    async def take(self, host: str, delay: float) -> float:
        return 0.0

    def leave(self, host: str, *, visited: bool) -> None: ...


def what_is_made_of_a_subclass_is_one(crawler: Crawler, policy: OwnPolicy) -> tuple[str, ...]:
    made = (OwnAddon.from_crawler(crawler), OwnParser.from_crawler(crawler, b""))
    return *(one.own for one in made), OwnTags.from_crawler(crawler).own, policy.own


def a_store_and_a_coordinator_need_no_base_class() -> tuple[Store, FleetCoordinator]:
    return OwnStore(), OwnCoordinator()


def answers_have_types(error: Exception, dialect: Dialect, request: Request) -> None:
    rules = parse(b"", dialect)
    assert_type(rules.verdict(request.url, "MyBot"), Verdict)
    assert_type(rules.allowed("/", "MyBot"), bool)
    if isinstance(error, Disallowed):
        assert_type(error.verdict.line, int)


def mistakes_are_found() -> tuple[Any, ...]:
    store: Store = OwnCoordinator()  # type: ignore[assignment]
    unknown = scrapy_robots_policy.Robots  # type: ignore[attr-defined]
    return store, unknown, parse("text")  # type: ignore[arg-type]
