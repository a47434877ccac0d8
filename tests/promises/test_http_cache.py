"""docs/how-to/keep-between-runs.md: a crawl from Scrapy's HTTP cache needs no network."""

from __future__ import annotations

import pytest
from twisted.internet.error import ConnectionRefusedError as Refused

from tests.on_reactor import on_reactor
from tests.site import moved, robots

pytestmark = pytest.mark.slow  # whole crawls

KEPT = {"Cache-Control": "max-age=60", "ETag": '"1"'}
RULES, PAGE = (robots(text, headers=KEPT) for text in ("User-agent: *\nDisallow: /no", "a page"))
URLS = [f"http://{host}/{path}" for host in ("a.test", "b.test") for path in ("1", "2", "no")]
POLICIES = ("DummyPolicy", "RFC2616Policy")
HOUR, DAY = 3600.0, 86_400.0


class Online:
    """Whether there is a network."""

    is_on = True

    def __call__(self, answer):
        return lambda _request: answer if self.is_on else Refused()


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("later", [HOUR, 20 * DAY])
@on_reactor
async def test_a_crawl_replays_from_the_cache_without_a_network(web, tmp_path, policy, later):
    online = Online()
    pages = {path: online(PAGE) for path in ("/1", "/2", "/no")}
    site = web(
        {
            "a.test": {"/robots.txt": online(moved("/r")), "/r": online(RULES), **pages},
            "b.test": {"/robots.txt": online(RULES), **pages},
        }
    )
    settings = {
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": str(tmp_path),
        "HTTPCACHE_POLICY": f"scrapy.extensions.httpcache.{policy}",
    }
    first = await site.crawl(*URLS, settings=settings)
    await site.time.forward(later)
    online.is_on = False
    again = await site.crawl(*URLS, settings=settings)
    assert (
        sorted(again.answered) == sorted(first.answered) == sorted(set(URLS) - set(again.dropped))
    )
    assert len(again.dropped) == 2


@on_reactor
async def test_what_the_cache_does_not_have_is_unreachable_and_online_nothing_comes_from_it(
    web, tmp_path
):
    online = Online()
    site = web({host: {"/robots.txt": online(RULES)} for host in ("a.test", "b.test")})
    settings = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path)}
    for _ in range(2):
        await site.crawl("http://a.test/1", settings=settings)
    assert len(site.fetches()) == 2
    online.is_on = False
    seen = await site.crawl("http://a.test/1", "http://b.test/1", settings=settings)
    assert (seen.answered, list(seen.dropped)) == (["http://a.test/1"], ["http://b.test/1"])
