"""What must be true of where the redirects of a robots.txt may lead."""

from __future__ import annotations

import socket

import pytest
import scrapy
from scrapy.utils.defer import maybe_deferred_to_future

from scrapy_robots_policy.commands.reading import download
from scrapy_robots_policy.commands.reading.download import fetch as fetch_by_command
from scrapy_robots_policy.fetch import redirects
from scrapy_robots_policy.fetch.addresses import is_private, unescaped_host
from scrapy_robots_policy.fetch.lookup import addresses_of
from scrapy_robots_policy.fetch.redirects import (
    MAX_URL,
    TO_OTHER_SITE,
    TO_PRIVATE,
    Answer,
    Ask,
    RedirectGuard,
    follow,
    redirect_target,
)
from scrapy_robots_policy.fetch.sites import are_one_site
from scrapy_robots_policy.rep import FetchResult
from tests.commands.run import robots as run
from tests.crawls import OURS, REACTORS, Plan, crawl, crawl_apart
from tests.fetch import two_worlds
from tests.on_reactor import on_reactor, start, until_idle
from tests.site import Site, moved, robots

PUBLIC = [
    *("8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "2001:4860:4860::8888"),
    *("::ffff:8.8.8.8", "64:ff9b::808:808"),
]
PRIVATE = [
    *("127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.0.1", "192.168.1.1", "0.0.0.0", "100.64.0.1"),
    *("169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192"),
    *("224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.2.1"),
    *("::1", "::", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1"),
    *("::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1"),
    *("2002:7f00:1::", "2002:a9fe:a9fe::1", "not an address", ""),
    *("2001:0:808:808::f7f7:f7f7", "::8.8.8.8"),  # of protocols that are no more: RFC 4291, 4380
]


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_told_from_a_private_one(address):
    assert not is_private(address)


@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_address_is_told_from_a_public_one(address):
    assert is_private(address)


NAMES = {
    "www.a.example": ("8.8.8.8",),
    "www.b.example": ("1.1.1.1", "2001:4860:4860::8888"),
    "inside.b.example": ("10.0.0.7",),
    "both.b.example": ("8.8.8.8", "10.0.0.7"),
    "corp.c.example": ("10.0.0.1",),
}
START = "http://www.a.example/robots.txt"


def walk(hops, guard=redirects.ANYWHERE, peers=None, proxied=False, names=NAMES):
    """Follow `hops` from the first of these URLs on: (result, URLs requested, names looked up)."""
    locations = iter([*hops[1:], ""])
    requested, looked_up = [], []
    way = follow(hops[0], 5, guard)
    step = next(way)
    while True:
        if isinstance(step, Ask):
            requested.append(step.url)
            location = next(locations)
            result = FetchResult(301) if location else FetchResult(200, b"rules")
            header = location.encode().decode("latin-1")
            reply = Answer(result, header, (peers or {}).get(step.url, ""), proxied)
        else:
            looked_up.append(step.host)
            reply = names.get(step.host, ())
        try:
            step = way.send(reply)
        except StopIteration as end:
            return end.value, requested, looked_up


INSIDE = [
    *("http://127.0.0.1/", "http://10.0.0.1:8080/x", "http://[::1]/", "http://[::ffff:10.0.0.1]/"),
    *("http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://0/"),
    *("http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/", "http://127.1/"),
    *("http://0x7f.1:80/", "http://127.0.0.1./", "http://%31%32%37.0.0.1/", "http://0x7F.0.0.1/"),
    *("http://１２７.0.0.1/", "http://127。0。0。1/", "http://LOCALHOST/", "http://a.localhost/"),
    *("http://intranet/", "http://metadata.google.internal/", "http://printer.local/"),
    *("http://inside.b.example/", "https://both.b.example/", "http://user@10.0.0.1/"),
]


@pytest.mark.parametrize("target", INSIDE)
def test_no_private_address_is_reached_from_a_public_one(target):
    result, requested, _ = walk([START, target])
    assert (result.status, result.cause) == (None, TO_PRIVATE)
    assert requested == [START]


@pytest.mark.parametrize("target", [url for url in INSIDE if "example" not in url])
def test_behind_a_proxy_a_private_address_is_known_by_its_spelling(target):
    result, requested, looked_up = walk([START, target], proxied=True)
    assert (result.cause, requested, looked_up) == (TO_PRIVATE, [START], [])


SPELLINGS = {
    "http://127。0。0。1/": "127.0.0.1",
    "http://１２７.0.0.1/": "127.0.0.1",
    "http://%6Cocalhost./": "localhost",
    "http://[FE80::1%25eth0]/": "fe80::1%eth0",
    "http://A.Example:80/": "a.example",
    "http:///": "",
}


@pytest.mark.parametrize("url", SPELLINGS)
def test_a_host_is_read_as_the_boldest_client_reads_it(url):
    assert unescaped_host(url) == SPELLINGS[url]


def test_behind_a_proxy_no_name_is_looked_up():
    result, _, looked_up = walk([START, "http://inside.b.example/"], proxied=True)
    assert (result.octets, looked_up) == (b"rules", [])


FOLLOWED = {
    "public to public": [START, "http://www.b.example/robots.txt"],
    "to the same host": [START, "https://www.a.example/robots.txt"],
    "private to private": ["http://10.0.0.1/robots.txt", "http://127.0.0.1/r"],
    "private by its name to private": ["http://corp.c.example/robots.txt", "http://10.0.0.2/r"],
    "private to public": ["http://localhost:1/robots.txt", "http://www.b.example/r"],
    "a name without an address": [START, "http://gone.example/"],  # the request fails by itself
}


@pytest.mark.parametrize("case", FOLLOWED)
def test_other_redirects_are_followed(case):
    result, requested, _ = walk(FOLLOWED[case])
    assert (result.octets, requested) == (b"rules", FOLLOWED[case])
    assert result.hops == tuple(FOLLOWED[case][1:])


LOCATIONS = {
    "/räume/robots.txt".encode(): "http://www.a.example/r%C3%A4ume/robots.txt",
    "http://bücher.example/robots.txt".encode(): "http://xn--bcher-kva.example/robots.txt",
    b"/r\xfcume": "http://www.a.example/r%FCume",  # no UTF-8
    b"/r%C3%A4ume?q=a b": "http://www.a.example/r%C3%A4ume?q=a%20b",
    "/\U0001f916".encode(): "http://www.a.example/%F0%9F%A4%96",
    b"": None,
}
LEADS_TO = {
    b"/r#fragment": "http://www.a.example/r",
    b"ftp://www.b.example/robots.txt": None,
    b"file://www.a.example/etc/passwd": None,
    b"http:///robots.txt": None,
    b"http://[::1/": None,  # no URL
    b"/" + b"r" * MAX_URL: None,
    START.encode(): None,
}


@pytest.mark.parametrize("octets", LEADS_TO, ids=lambda octets: octets[:40].decode())
def test_a_redirect_leads_to_another_page_of_the_web_or_nowhere(octets):
    assert redirect_target(START, octets.decode()) == LEADS_TO[octets]


@pytest.mark.parametrize("octets", LOCATIONS)
def test_the_octets_of_a_location_are_read_as_utf_8(octets):
    assert redirect_target(START, octets.decode("latin-1")) == LOCATIONS[octets]


def test_a_result_says_that_there_were_more_redirects_than_are_followed():
    urls = [f"http://www.a.example/{n}" for n in range(7)]
    result, _, _ = walk(urls[:6])
    assert (result.octets, result.is_cut) == (b"rules", False)
    result, requested, _ = walk(urls)
    assert (result.status, result.is_cut, requested) == (301, True, urls[:6])


def test_a_public_site_between_two_private_ones_may_not_lead_back():
    urls = ["http://10.0.0.1/robots.txt", "http://www.b.example/", "http://10.0.0.2/"]
    result, requested, _ = walk(urls)
    assert (result.cause, requested) == (TO_PRIVATE, urls[:2])


def test_nothing_is_looked_up_for_a_redirect_to_the_same_host():
    _, _, looked_up = walk(FOLLOWED["to the same host"])
    assert looked_up == []


def test_the_address_that_answered_counts_for_more_than_the_one_that_was_looked_up():
    """The name had a public address when it was looked up, and a private one just after."""
    urls = [START, "http://www.b.example/secrets"]
    result, _, _ = walk(urls, peers={START: "8.8.8.8", urls[1]: "127.0.0.1"})
    assert result == FetchResult(None, cause=TO_PRIVATE, hops=(urls[1],))
    # A crawl of a private site whose name is public elsewhere.
    result, _, _ = walk([START, "http://10.0.0.1/"], peers={START: "10.0.0.9"})
    assert result.octets == b"rules"


def test_a_name_that_changes_its_address_between_two_redirects_is_found_out():
    urls = [START, "http://www.a.example:8000/x"]
    result, _, _ = walk(urls, peers={START: "8.8.8.8", urls[1]: "192.168.0.1"})
    assert result.cause == TO_PRIVATE


ALLOWED = [
    ("10.0.0.1", "http://10.0.0.1/", True),
    ("10.0.0.1:8080", "http://10.0.0.1:8080/", True),
    ("10.0.0.1:8080", "http://10.0.0.1/", False),
    ("*.b.example", "http://inside.b.example/", True),
    ("*.b.example", "http://10.0.0.7/", False),
    ("inside.b.example", "http://INSIDE.b.example./", True),
]


@pytest.mark.parametrize(("pattern", "target", "is_followed"), ALLOWED)
def test_a_host_that_the_user_names_may_be_reached(pattern, target, is_followed):
    for guard in (RedirectGuard(False, (pattern,)), RedirectGuard(True, (pattern,))):
        result, _, _ = walk([START, target], guard)
        assert (result.octets == b"rules") is is_followed


def test_a_url_without_a_host_is_none_that_the_user_names():
    assert not RedirectGuard(False, ("*",)).allows("http://:80/")
    result, _, _ = walk([START, "http://:80/"], RedirectGuard(True, ("*.b.example",)))
    assert result.status is None


SITES = [
    ("www.example.co.uk", "example.co.uk", True),
    ("a.b.example.com", "c.example.com", True),
    ("example.co.uk", "other.co.uk", False),
    ("one.github.io", "two.github.io", False),  # a suffix below which anybody may have a site
    ("example.com", "example.org", False),
    ("10.0.0.1", "10.0.0.1", True),
    ("1.0.0.1", "2.0.0.1", False),
    ("localhost", "localhost", True),
    ("co.uk", "a.co.uk", False),
    ("bücher.example", "www.bücher.example", True),
]


@pytest.mark.parametrize(("host", "other", "is_one"), SITES)
def test_a_site_is_a_registrable_domain(host, other, is_one, monkeypatch):
    def no_network(*_):
        pytest.fail("it asked the network")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    assert are_one_site(host, other) is is_one
    assert are_one_site(other, host) is is_one


def test_only_the_same_site_is_reached_if_the_user_wants_so():
    guard = RedirectGuard(same_site=True)
    result, requested, looked_up = walk([START, "http://www.b.example/"], guard)
    assert (result.status, result.cause, requested, looked_up) == (None, TO_OTHER_SITE, [START], [])
    names = {"www.site.example.com": ("8.8.8.8",), "example.com": ("8.8.8.8",)}
    own = ["http://www.site.example.com/robots.txt", "https://example.com/r"]
    result, _, _ = walk(own, guard, names=names)
    assert result.octets == b"rules"


def test_a_host_of_another_site_that_the_user_names_does_not_open_its_site():
    urls = [START, "http://www.b.example/robots.txt", "http://b.example/robots.txt"]
    result, requested, _ = walk(urls, RedirectGuard(same_site=True, allowed=("www.b.example",)))
    assert (result.cause, requested) == (TO_OTHER_SITE, urls[:2])


@on_reactor
async def test_names_are_looked_up():
    assert "127.0.0.1" in await addresses_of("localhost", 30.0)
    assert await addresses_of("no-such-host.invalid", 30.0) == ()


class SilentResolver:
    """Begins to look a name up, and never ends."""

    name = ""

    def resolveHostName(self, receiver, name, *_):  # noqa: N802 - Twisted's
        receiver.resolutionBegan(None)
        self.name = name


@pytest.mark.parametrize("host", ["a" * 64 + ".example", "a..example", "a\0b", "\x80.example"])
@on_reactor
async def test_a_host_that_is_no_name_is_not_looked_up(host):
    """Twisted would never answer, and log a traceback."""
    from twisted.internet import reactor  # noqa: PLC0415 - pytest-twisted installs it

    resolver = SilentResolver()
    before = reactor.installNameResolver(resolver)
    try:
        assert await addresses_of(host, 0.1) == ()
        assert not resolver.name
    finally:
        reactor.installNameResolver(before)


@on_reactor
async def test_a_name_that_is_never_found_has_no_address_and_the_wait_can_be_cancelled():
    from twisted.internet import reactor  # noqa: PLC0415 - pytest-twisted installs it

    before = reactor.installNameResolver(SilentResolver())
    try:
        assert await addresses_of("slow.example", 0.01) == ()
        waiting = start(addresses_of("slow.example", 3600.0))
        waiting.addErrback(lambda _: "cancelled")
        await until_idle()
        waiting.cancel()
        assert await maybe_deferred_to_future(waiting) == "cancelled"
    finally:
        reactor.installNameResolver(before)


@pytest.mark.slow
@on_reactor
async def test_a_crawl_behind_a_proxy_looks_no_name_up(monkeypatch):
    monkeypatch.setattr("scrapy_robots_policy.fetch.fetcher.addresses_of", pytest.fail)
    page, target = "http://site.invalid/a", "http://other.invalid/r"
    script = {"http://site.invalid/robots.txt": moved(target), target: SECRET}
    with Site(script) as proxy:
        seen, _ = await crawl(scrapy.Request(page, meta={"proxy": proxy.origin}))
        assert seen.answered == [page]
        assert proxy.paths == ["http://site.invalid/robots.txt", target, page]


class Proxying:
    """Sends a request anew, through a proxy."""

    @classmethod
    def from_crawler(cls, crawler):
        middleware = cls()
        middleware.proxy = crawler.settings["PROXY"]
        return middleware

    def process_request(self, request, spider=None):
        if "proxy" not in request.meta:
            return request.replace(meta={**request.meta, "proxy": self.proxy})
        return None


@pytest.mark.slow
@pytest.mark.parametrize("by_middleware", [False, True])
@on_reactor
async def test_the_private_address_of_a_proxy_opens_no_other_private_address(by_middleware):
    page, target = "http://site.invalid/a", "http://10.0.0.1/robots.txt"
    with Site({"http://site.invalid/robots.txt": moved(target), target: SECRET}) as proxy:
        meta = {} if by_middleware else {"proxy": proxy.origin}
        settings = {"DOWNLOADER_MIDDLEWARES": {Proxying: 200}, "PROXY": proxy.origin}
        seen, _ = await crawl(scrapy.Request(page, meta=meta), settings=settings)
        assert proxy.paths == ["http://site.invalid/robots.txt"]
        assert TO_PRIVATE in seen.dropped[page]


@pytest.fixture
def _two_worlds(monkeypatch):
    monkeypatch.setattr(redirects, "is_private", two_worlds.is_private)


SECRET = robots("User-agent: *\nAllow: /\n")


def another(page, request):
    return scrapy.Request(request.url, dont_filter=True)


@pytest.mark.slow
@pytest.mark.usefixtures("_two_worlds")
@on_reactor
async def test_a_request_of_a_hook_is_guarded_too_and_has_no_cookies():
    with Site({"/robots.txt": SECRET}) as inside, Site({}, two_worlds.PUBLIC) as site:
        site.script["/robots.txt"] = moved(inside.url("/robots.txt"))
        settings = {
            "ROBOTS_FETCH_HOOK": another,
            "ROBOTS_FETCH_RETRIES": 0,
            "DEFAULT_REQUEST_HEADERS": {"Cookie": "c=1"},
        }
        seen, _ = await crawl(site.url("/page"), settings=settings)
        assert inside.hits == []
        assert TO_PRIVATE in seen.dropped[site.url("/page")]
        assert "cookie" not in site.hits[0].headers


@pytest.mark.slow
@pytest.mark.usefixtures("_two_worlds")
@pytest.mark.parametrize("allowed", [False, True])
@on_reactor
async def test_a_redirect_that_is_refused_makes_the_file_unreachable(allowed):
    with Site({"/robots.txt": SECRET}) as inside, Site({}, two_worlds.PUBLIC) as site:
        site.script["/robots.txt"] = moved(inside.url("/robots.txt"))
        settings = {"ROBOTS_REDIRECT_HOSTS": "127.0.0.1"} if allowed else {}
        seen, _ = await crawl(site.url("/page"), settings=settings)
        if allowed:
            assert seen.answered == [site.url("/page")]
        else:
            assert TO_PRIVATE in seen.dropped[site.url("/page")]
            assert inside.paths == []
            assert seen.stats[f"robots/outcome/{TO_PRIVATE}"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("lie", [False, True], ids=["by name", "by a name that changes"])
@pytest.mark.parametrize("kind", REACTORS)
def test_every_handler_of_requests_is_guarded(kind, lie):
    with Site({"/robots.txt": SECRET}) as inside, Site({}, two_worlds.PUBLIC) as site:
        port = inside.origin.rpartition(":")[2]
        site.script["/robots.txt"] = moved(f"http://localhost:{port}/robots.txt")
        settings = {
            **OURS,
            **REACTORS[kind],
            "EXTENSIONS": {"tests.fetch.two_worlds.TwoWorlds": 0},
            "TWO_WORLDS_LIE": lie,
        }
        seen = crawl_apart(Plan([site.url("/page")], settings))
        assert TO_PRIVATE in seen.dropped[site.url("/page")]
        assert site.pages == []
        assert bool(inside.paths) is lie


@pytest.mark.usefixtures("_two_worlds")
def test_the_commands_are_guarded_in_the_same_way(monkeypatch):
    with Site({"/robots.txt": SECRET}) as inside, Site({}, two_worlds.PUBLIC) as site:
        site.script["/robots.txt"] = moved(inside.url("/robots.txt"))
        first = site.url("/robots.txt")
        refused = FetchResult(None, cause=TO_PRIVATE, hops=(inside.url("/robots.txt"),))
        assert fetch_by_command(first, "x", 5) == refused
        assert inside.paths == []
        named = RedirectGuard(allowed=("127.0.0.1",))
        assert fetch_by_command(first, "x", 5, named).octets == SECRET.body
        # The name is looked up as public, and the connection goes elsewhere.
        monkeypatch.setattr(redirects, "is_private_name", lambda _: False)
        monkeypatch.setattr(download, "_addresses_of", lambda _: (two_worlds.PUBLIC,))
        port = inside.origin.rpartition(":")[2]
        site.script["/robots.txt"] = moved(f"http://localhost:{port}/robots.txt")
        assert fetch_by_command(first, "x", 5).cause == TO_PRIVATE


def test_the_commands_take_the_projects_guard():
    with Site({"/robots.txt": SECRET}) as other, Site({}, "127.0.0.3") as site:
        site.script["/robots.txt"] = moved(other.url("/robots.txt"))
        own = run("explain", site.url("/a"))
        assert (own.status, other.paths) == (0, ["/robots.txt"])
        for verb in (["explain", site.url("/a")], ["lint", site.url()]):
            answer = run(*verb, settings={"ROBOTS_REDIRECTS": "same-site"})
            assert answer.status
            assert TO_OTHER_SITE in answer.out + answer.err
        assert other.paths == ["/robots.txt"]
