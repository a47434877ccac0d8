"""A crawl under way whose Redis fails over, behind Sentinel or in a cluster: nothing is lost."""

from __future__ import annotations

import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

import pytest

from tests.crawls import OURS, REACTORS, TOLERATED, Chain, Plan, crawl, crawl_apart
from tests.on_reactor import on_reactor
from tests.redis_server import Cluster, Service
from tests.site import PAGE, Site, robots

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("needs_redis", "collected"),
    # redis-py leaves the connections to a lost master to the collector, at whatever time it comes.
    pytest.mark.filterwarnings("ignore:unclosed Connection:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def collected():
    """Nothing of a test is left to the collector while a later one runs."""
    yield
    gc.collect()


DISALLOWED = "User-agent: *\nDisallow: /secret\n"
BY_RULE = "Forbidden by robots.txt: line 2, Disallow: /secret"


class Once:
    """A page during whose first request something is done; it is answered afterwards."""

    def __init__(self, work):
        self.work, self._lock, self.is_done = work, threading.Lock(), False

    def __call__(self, _headers):
        with self._lock:
            if not self.is_done:
                self.work()
                self.is_done = True
        return PAGE


WORLDS = {
    "sentinel": (Service, Service.fail_over),
    "cluster": (lambda: Cluster(3, 1), lambda cluster: cluster.fail_over(0)),
}

# When a node is lost, or the sentinels know no master, redis-py drops connections without closing
# them.
UNCLOSED = (*TOLERATED, "-W", "ignore::ResourceWarning")


@pytest.mark.parametrize("kind", [kind for kind in REACTORS if kind != "select"])
@pytest.mark.parametrize("world", WORLDS)
def test_three_crawlers_go_on_while_a_master_is_killed(world, kind):
    make, fail_over = WORLDS[world]
    with make() as redis, ExitStack() as stack:
        rules = robots(DISALLOWED, after=0.2)
        sites = [
            stack.enter_context(Site({"/robots.txt": rules}, f"127.0.0.{n}")) for n in range(1, 31)
        ]
        sites[0].script["/die"] = Once(lambda: fail_over(redis))
        urls = [site.url(path) for site in sites for path in ("/a", "/secret", "/b")]
        plans = [
            Plan(
                [sites[0].url("/die"), *urls],
                {**OURS, **REACTORS[kind], "ROBOTS_STORE": redis.url, "CONCURRENT_REQUESTS": 2},
            )
        ] * 3
        with ThreadPoolExecutor(3) as threads:
            seen = list(threads.map(lambda plan: crawl_apart(plan, UNCLOSED), plans))
        secrets = {site.url("/secret"): BY_RULE for site in sites}
        assert [one.dropped for one in seen] == [secrets] * 3
        assert [len(one.answered) for one in seen] == [61] * 3
        assert not any(site.count("/secret") for site in sites)


class GoingOn(Chain):
    """Asks for URLs for as long as its method `goes_on` says so."""

    def next(self):
        return super().next() if self.goes_on() else ()


# No page is answered at once, so that the hosts last until the client has found the new master:
# its circuit breaker is open for a second and more, and a loaded machine takes longer to fail over.
LATER = replace(PAGE, after=0.25)


@pytest.mark.parametrize("world", WORLDS)
@on_reactor
async def test_the_new_master_is_used_after_a_failover(world):
    make, fail_over = WORLDS[world]
    with make() as redis, ExitStack() as stack:
        script = {"/robots.txt": robots(DISALLOWED), "/a": LATER}
        sites = [stack.enter_context(Site(script, f"127.0.0.{n}")) for n in range(1, 101)]
        new_master = redis.replicas[0].client()
        stack.callback(new_master.close)
        sites[0].script["/die"] = Once(lambda: fail_over(redis))
        ahead = [sites[0].url("/die"), *(site.url("/a") for site in sites[1:])]
        settings = {"ROBOTS_STORE": redis.url}
        seen, _ = await crawl(
            sites[0].url("/0"),
            spider=GoingOn,
            ahead=ahead,
            goes_on=lambda _spider: (
                new_master.dbsize() < 4
            ),  # the first site's may stand there before
            settings=settings,
        )
        assert new_master.dbsize() >= 4
        assert not seen.dropped
        again, _ = await crawl(*(site.url("/secret") for site in sites[:13]), settings=settings)
        assert len(again.dropped) == 13
