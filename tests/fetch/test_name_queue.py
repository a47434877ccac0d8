"""What must be true of the names that are looked up before a robots.txt is asked for."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler

from scrapy_robots_policy import compat
from scrapy_robots_policy.exceptions import CrawlClosing
from scrapy_robots_policy.fetch import name_queue
from scrapy_robots_policy.fetch.body import Bodies, Body
from scrapy_robots_policy.fetch.order import FetchPlace
from scrapy_robots_policy.fetch.transfer import guard_transfers
from tests.crawls import REACTORS, Plan, crawl_apart
from tests.names import PACE
from tests.on_reactor import Gate, all_of, on_reactor, start, until_idle
from tests.site import Site, robots

URL = "http://here.example/robots.txt"


class NotedPlace(FetchPlace):
    def __init__(self, events):
        self.events = events

    def give_back(self):
        self.events.append("place given back")

    async def take(self):
        self.events.append("place taken")


class Downloads:
    """Downloads of robots.txt. A name is looked up until its gate is opened.

    no_address  the names that have none
    """

    def __init__(self, monkeypatch, settings=None, no_address=(), threads=2):
        self.events, self.gates, self.no_address = [], {}, no_address
        monkeypatch.setattr(name_queue, "addresses_of", self.addresses_of)
        monkeypatch.setattr(compat, "lookup_threads", lambda: threads)
        handlers = SimpleNamespace(
            download_request_async=self.download,
            download_request=lambda request, _: compat.deferred_from_coro(self.download(request)),
        )
        crawler = get_crawler(settings_dict=settings)
        crawler.engine = SimpleNamespace(downloader=SimpleNamespace(handlers=handlers))
        self.crawler, self.handlers = crawler, handlers
        guard_transfers(crawler)

    async def addresses_of(self, host, timeout):
        assert timeout == self.crawler.settings.getfloat("DNS_TIMEOUT")
        self.events.append(f"looks up {host}")
        self.gates[host] = Gate()
        await self.gates[host].pass_()
        return () if host in self.no_address else ("127.0.0.1",)

    async def download(self, request):
        self.events.append(f"downloads {request.url}")

    def start(self, url=URL, *, is_page=False, **meta):
        request = Request(url, meta=meta)
        place = NotedPlace(self.events)
        return start(self.begin(request) if is_page else self._fetch(request, place))

    async def _fetch(self, request, place):
        with Body(Bodies(self.crawler, lambda _: None), request, 100, place):
            await self.begin(request)

    async def begin(self, request):
        if compat.ASYNC_API:
            await self.handlers.download_request_async(request)
        else:
            downloading = self.handlers.download_request(request, None)
            await compat.maybe_deferred_to_future(downloading)


@on_reactor
async def test_a_robots_txt_is_asked_for_when_the_name_of_its_host_has_been_looked_up(monkeypatch):
    downloads = Downloads(monkeypatch)
    downloads.start()
    await until_idle()
    assert downloads.events == ["place given back", "looks up here.example"]
    downloads.gates["here.example"].open()
    await until_idle()
    assert downloads.events[2:] == ["place taken", f"downloads {URL}"]


@on_reactor
async def test_a_name_without_an_address_fails_as_it_does_in_scrapys_handlers(monkeypatch):
    downloads = Downloads(monkeypatch, no_address={"here.example"})
    fetch = downloads.start()
    failures = []
    fetch.addErrback(failures.append)
    await until_idle()
    downloads.gates["here.example"].open()
    await until_idle()
    (failure,) = failures
    assert failure.type is compat.CannotResolveHost
    assert "no results for hostname lookup: here.example" in str(failure.value)
    assert downloads.events == ["place given back", "looks up here.example", "place taken"]


@on_reactor
async def test_as_many_names_are_looked_up_at_a_time_as_there_are_threads(monkeypatch):
    downloads = Downloads(monkeypatch, threads=2)
    hosts = ["a.example", "b.example", "c.example"]
    for host in hosts:
        downloads.start(f"http://{host}/robots.txt")
    await until_idle()
    assert list(downloads.gates) == hosts[:2]
    downloads.gates["a.example"].open()
    await until_idle()
    assert list(downloads.gates) == hosts


@on_reactor
async def test_the_name_of_a_fetch_that_was_given_up_is_not_looked_up(monkeypatch):
    downloads = Downloads(monkeypatch, threads=1)
    downloads.start("http://a.example/robots.txt")
    request = Request("http://b.example/robots.txt")
    with Body(Bodies(downloads.crawler, lambda _: None), request, 100):
        gone = start(downloads.begin(request))
        gone.addErrback(lambda failure: failure.trap(CrawlClosing))
        await until_idle()
    downloads.gates["a.example"].open()
    await all_of([gone])
    assert list(downloads.gates) == ["a.example"]


AT_ONCE = {
    "a page": {"is_page": True},
    "an address": {"url": "http://127.0.0.1/robots.txt"},
    "an address of IPv6": {"url": "http://[::1]/robots.txt"},
    "a name that is known": {"url": "http://known.example/robots.txt"},
    "a host that no name can be": {"url": f"http://{'a' * 64}.example/robots.txt"},
    "through a proxy, which looks names up": {"proxy": "http://proxy.example:3128"},
    "by a plugin": {"url": "https://here.example/robots.txt"},
    "another scheme": {"url": "s3://here.example/robots.txt"},
}
OWN_RESOLVERS = [{"TWISTED_DNS_RESOLVER": "my.Resolver"}, {"DNS_RESOLVER": "my.Resolver"}]


@pytest.mark.parametrize("settings", OWN_RESOLVERS)
@on_reactor
async def test_a_resolver_of_the_users_looks_up_all_names_as_they_come(settings, monkeypatch):
    downloads = Downloads(monkeypatch, settings)
    downloads.start()
    await until_idle()
    assert downloads.events == [f"downloads {URL}"]


@pytest.mark.parametrize("kind", AT_ONCE)
@on_reactor
async def test_what_needs_no_name_is_asked_for_at_once(kind, monkeypatch):
    monkeypatch.setattr(compat, "dnscache", {"known.example": "127.0.0.1"})
    settings = {"DOWNLOAD_HANDLERS": {"https": "a_plugin.Handler"}}
    downloads = Downloads(monkeypatch, settings)
    downloads.start(**AT_ONCE[kind])
    await until_idle()
    (event,) = downloads.events
    assert event.startswith("downloads")


@pytest.mark.slow
@pytest.mark.parametrize("kind", REACTORS)
def test_names_that_take_long_to_look_up_close_no_other_site(kind):
    """All of them together take longer than a robots.txt may take."""
    threads = 1 if kind != "none" else compat.os.cpu_count() + 4
    timeout = 3.0
    dead = [f"http://dead{n}.test/" for n in range(int(2 * timeout / PACE * threads))]
    with Site({"/robots.txt": robots("")}) as site:
        live = site.url("/page").replace("127.0.0.1", "live.test")
        settings = {
            "ADDONS": {"scrapy_robots_policy.Addon": 500, "tests.names.SlowNames": 600},
            "TEST_ADDRESS": "127.0.0.1",
            **REACTORS[kind],
            "REACTOR_THREADPOOL_MAXSIZE": threads,
            "ROBOTS_FETCH_TIMEOUT": timeout,
            "ROBOTS_FETCH_RETRIES": 0,
        }
        seen = crawl_apart(Plan([*dead, live], settings))
        assert seen.answered == [live]
        assert set(seen.dropped) == set(dead)
        assert all("robots.txt unreachable (dns)" in why for why in seen.dropped.values())
