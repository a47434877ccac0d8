"""What must be true of an origin's rules where the crawl stops, requests go, or lives are short."""

from __future__ import annotations

from dataclasses import dataclass, field

from scrapy_robots_policy.rep.access import AccessOverrides
from scrapy_robots_policy.resolver.resolver import MIN_LIFE
from tests.on_reactor import Gate, all_of, on_reactor, start, until_idle
from tests.test_delay_queue import cancel
from tests.test_resolver import DOWN, OPEN, ORIGIN, RFC, SECRET, World, secret


@dataclass
class Watched(World):
    """Notes for which page each fetch is made."""

    pages: list = field(default_factory=list)

    async def fetch(self, order):
        self.pages.append(order.page)
        return await super().fetch(order)


@on_reactor
async def test_nothing_is_fetched_once_the_crawl_has_stopped():
    world = World([SECRET, OPEN])
    resolver = world.resolver()
    first = await resolver.rules_for(ORIGIN, RFC)
    world.time = first.access.fresh_until + 1
    resolver.stop()
    resolver.cached(ORIGIN, RFC)
    await until_idle()
    assert len(world.fetches) == 1
    assert not resolver._lookups  # one that began now would wait for ever: nobody ends it


@on_reactor
async def test_a_robots_txt_with_a_lifetime_of_zero_is_not_fetched_before_each_page():
    world = World([SECRET], overrides=AccessOverrides(lifetime=0.0))
    resolver = world.resolver()
    await resolver.rules_for(ORIGIN, RFC)
    for _ in range(3):
        assert not secret(resolver.cached(ORIGIN, RFC))
    world.time += MIN_LIFE - 0.1
    assert not secret(await resolver.rules_for(ORIGIN, RFC))
    await until_idle()
    assert len(world.fetches) == 1
    world.time += 0.1
    await resolver.rules_for(ORIGIN, RFC)
    assert len(world.fetches) == 2


@on_reactor
async def test_if_the_proxy_of_one_request_fails_those_of_the_others_are_tried():
    world = Watched([DOWN, SECRET], gate=Gate())
    resolver = world.resolver()
    waiting = [start(resolver.rules_for(ORIGIN, RFC, page)) for page in ("a", "b", "b", "c")]
    await until_idle()
    world.gate.open()
    assert [secret(rules) for rules in await all_of(waiting)] == [False] * 4
    assert world.pages == ["a", "b"]


@on_reactor
async def test_nothing_is_fetched_for_a_request_that_was_cancelled():
    world = Watched([DOWN, OPEN], gate=Gate())
    resolver = world.resolver()
    one, gone, another = (start(resolver.rules_for(ORIGIN, RFC, page)) for page in "abc")
    await until_idle()
    await cancel(gone)
    world.gate.open()
    await all_of([one, another])
    assert world.pages == ["a", "c"]
