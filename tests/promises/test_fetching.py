"""docs/life-of-a-robots-txt.md, docs/when-things-fail.md and docs/how-to/proxies-and-browsers.md:
how a robots.txt is asked for, where its redirects may lead, and what is tried again.
"""

from __future__ import annotations

import socket
from collections import defaultdict
from itertools import pairwise
from urllib.parse import urlsplit

import pytest
import scrapy
from scrapy.exceptions import IgnoreRequest
from scrapy.settings import default_settings
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionLost
from twisted.python.failure import Failure
from twisted.web.client import ResponseFailed

from scrapy_robots_policy import compat
from tests.crawls import QUIET, Chain, Spider
from tests.on_reactor import on_reactor
from tests.scripted import Timed
from tests.site import PAGE, Answer, moved, robots

pytestmark = pytest.mark.slow  # whole crawls

RULES = robots("User-agent: *\nDisallow: /no")
YES, NO = "http://a.test/yes", "http://a.test/no"
ROBOTS = "http://a.test/robots.txt"
FATES = {(): "closed", ("/yes",): "rules", ("/no", "/yes"): "open"}
PRIVATE, OTHER_SITE = "redirect to a private address", "redirect to another site"


def fate(site, host="a.test"):
    """Whether the rules of a host were obeyed, or all of it was open, or closed."""
    paths = {urlsplit(hit.url).path for hit in site.of(host)}
    return FATES[tuple(sorted(paths & {"/yes", "/no"}))]


def pages_of(hosts, **request):
    urls = [f"http://{host}{path}" for host in hosts for path in ("/yes", "/no")]
    return [scrapy.Request(url, **request) for url in urls]


OF_A_PAGE = {
    "Cookie": "c=1",
    "Authorization": "Bearer key",
    "Range": "bytes=0-9",
    "If-Modified-Since": "Wed, 21 Oct 2025 07:28:00 GMT",
    "If-None-Match": '"1"',
}
PROXY = {"proxy": "http://user:word@proxy.test:3128"}
OF_A_BROWSER = {"impersonate": "chrome", "cookiejar": 1, "download_timeout": 9.0}
# Settings, headers and meta of the page; headers and meta of the request for its robots.txt.
CARRIED = {
    "the User-Agent, and no other header": (
        {},
        {**OF_A_PAGE, "Referer": YES, "X-Key": "1", "User-Agent": "MyBot/1"},
        {},
        {"User-Agent": "MyBot/1"},
        {},
    ),
    "the proxy, and no other key": (
        {},
        {},
        {**PROXY, **OF_A_BROWSER},
        {"Proxy-Authorization": "Basic dXNlcjp3b3Jk"},
        {"proxy": "http://proxy.test:3128"},
    ),
    "the keys that are named": (
        {"ROBOTS_FETCH_META": "impersonate,playwright"},
        {},
        {**PROXY, **OF_A_BROWSER},
        {},
        {"impersonate": "chrome"},
    ),
    "no key in place of ours": (
        {"ROBOTS_FETCH_META": ["dont_obey_robotstxt", "download_timeout"]},
        {},
        {"dont_obey_robotstxt": False, "download_timeout": 9.0},
        {},
        {},
    ),
    "no such header of the settings": ({"DEFAULT_REQUEST_HEADERS": OF_A_PAGE}, {}, {}, {}, {}),
    "no credentials of the settings": (
        {"HTTPAUTH_USER": "user", "HTTPAUTH_PASS": "word", "HTTPAUTH_DOMAIN": None},
        {},
        {},
        {},
        {},
    ),
}
OF_EACH = {"Accept", "Accept-Language", "Accept-Encoding"}
KEYS = {"proxy", "dont_obey_robotstxt", *OF_A_BROWSER}


@pytest.mark.parametrize("name", CARRIED)
@on_reactor
async def test_of_its_page_a_robots_txt_and_its_redirects_take(name, web):
    settings, headers, meta, headers_taken, meta_taken = CARRIED[name]
    site = web({"a.test": {"/robots.txt": moved("http://b.test/r")}, "b.test": {"/r": RULES}})
    page = scrapy.Request(YES, headers=headers, meta=meta)
    await site.crawl(page, settings=settings)
    assert site.urls == [ROBOTS, "http://b.test/r", YES]
    for hit in site.hits[:2]:
        sent = {name.decode(): value for name, value in hit.request.headers.items()}
        expected = {"User-Agent": QUIET["USER_AGENT"], **headers_taken}
        assert {name: [value.encode()] for name, value in expected.items()} == {
            name: sent[name] for name in sent.keys() - OF_EACH
        }
        expected = {"dont_obey_robotstxt": True, "download_timeout": 30.0, **meta_taken}
        assert {key: hit.request.meta[key] for key in KEYS & hit.request.meta.keys()} == expected


@on_reactor
async def test_credentials_in_the_url_of_a_page_are_not_for_its_robots_txt(web):
    site = web({"a.test": {"/robots.txt": RULES}})
    seen = await site.crawl("http://user:word@a.test/no", YES)
    assert (site.urls, len(seen.dropped)) == ([ROBOTS, YES], 1)
    assert b"Authorization" not in site.hits[0].request.headers


@on_reactor
async def test_a_robots_txt_neither_has_cookies_nor_comes_from_the_cache_of_pages(web, tmp_path):
    def script(name):
        return Answer(RULES.body, headers={"Set-Cookie": f"{name}=1"})

    site = web({"a.test": {"/robots.txt": script("robots"), "*": script("page")}})
    settings = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path), "ROBOTS_TTL": 60}
    plan = [(0, f"{YES}/1"), (100, f"{YES}/2"), (200, f"{YES}/3")]
    seen = await site.crawl(spider=Timed, plan=plan, settings=settings)
    cookies = [hit.request.headers.get("Cookie") for hit in site.visits()]
    assert cookies == [None, b"page=1", b"page=1"]
    assert [hit.request.headers.get("Cookie") for hit in site.fetches()] == [None] * 3
    assert (seen.stats["httpcache/store"], seen.stats.get("httpcache/hit")) == (6, None)


class WithCredentials(Spider):
    http_user, http_pass, http_auth_domain = "user", "word", None


HAS_SETTINGS = "HTTPAUTH_USER" in vars(default_settings)  # from Scrapy 2.19 on
KNOWN = {"HTTPAUTH_USER": "user", "HTTPAUTH_PASS": "word", "HTTPAUTH_DOMAIN": None}
# Settings and spider, then what is made of the file, and how often it is asked for.
PASSWORDS = {
    "of the settings": (KNOWN, Spider) if HAS_SETTINGS else ({}, WithCredentials),
    "of the default headers": (
        {"DEFAULT_REQUEST_HEADERS": {"authorization": "Bearer key"}},
        Spider,
    ),
    "of its pages alone": (
        {"ROBOTS_FETCH_META": ["http_user", "http_pass"]},
        Spider if HAS_SETTINGS else WithCredentials,
    ),
}
NO_PASSWORDS = {
    "that the site does not know": (
        {"DEFAULT_REQUEST_HEADERS": {"Authorization": "Bearer other"}},
        2,
    ),
    "that nobody has": ({}, 1),
}


def ask_for_a_password(request):
    is_known = request.headers.get("Authorization") in {b"Basic dXNlcjp3b3Jk", b"Bearer key"}
    return RULES if is_known else Answer(status=401)


@pytest.mark.parametrize("name", PASSWORDS)
@on_reactor
async def test_credentials_are_sent_when_the_site_asks_for_them_and_to_no_other_site(name, web):
    settings, spider = PASSWORDS[name]
    site = web({
        "a.test": {"/robots.txt": ask_for_a_password},
        "b.test": {"/robots.txt": moved("http://c.test/r")},
        "c.test": {"/r": ask_for_a_password},
    })  # fmt: skip
    meta = {"http_user": "user", "http_pass": "word"}
    pages = pages_of(["a.test", "b.test"], meta=meta)
    await site.crawl(*pages, settings=settings, spider=spider)
    own = [b"Authorization" in hit.request.headers for hit in site.fetches("a.test")]
    assert (own, fate(site), fate(site, "b.test")) == ([False, True], "rules", "open")
    assert not any(b"Authorization" in hit.request.headers for hit in site.of("c.test"))


@pytest.mark.parametrize("name", NO_PASSWORDS)
@on_reactor
async def test_a_site_whose_password_is_wrong_is_asked_no_more(name, web):
    settings, tries = NO_PASSWORDS[name]
    site = web({"a.test": {"/robots.txt": ask_for_a_password}})
    await site.crawl(YES, NO, settings=settings)
    assert (len(site.fetches()), fate(site)) == (tries, "open")


def scripts_of(ways):
    """Hosts whose answers lead along these URLs; the rules are at the last URL of each."""
    hosts = defaultdict(dict)
    for way in ways:
        for url, target in pairwise([*way, ""]):
            hosts[urlsplit(url).hostname][urlsplit(url).path] = moved(target) if target else RULES
    return hosts


@pytest.mark.parametrize(
    ("dialect", "hops", "found"),
    [
        ("rfc9309", 5, "rules"),
        ("rfc9309", 6, "open"),
        ("original1994", 7, "rules"),
        ("original1994", 8, "open"),
        ("koster1996", 10, "rules"),
        ("koster1996", 11, "open"),
    ],
)
@on_reactor
async def test_as_many_redirects_are_followed_as_the_dialect_says(dialect, hops, found, web):
    site = web(scripts_of([[ROBOTS, *(f"http://a.test/{n}" for n in range(hops))]]))
    await site.crawl(YES, NO, settings={"ROBOTS_DIALECT": dialect})
    assert fate(site) == found


# Location; what is made of the file, and where the redirect leads, "" if nowhere.
LOCATIONS = {
    "/robots.txt": ("open", ""),
    "/back": ("open", "/back"),
    "": ("open", ""),
    "//": ("open", ""),
    "http://[": ("open", ""),
    "http:///robots.txt": ("open", ""),
    "file:///etc/passwd": ("open", ""),
    "ftp://b.test/r": ("open", ""),
    "/" + "r" * 8000: ("open", ""),
    "/räume": ("rules", "/r%C3%A4ume"),
    "/r?q=a b#top": ("rules", "/r?q=a%20b"),
    "http://bücher.test/r": ("rules", "http://xn--bcher-kva.test/r"),
    "//b.test/r": ("rules", "http://b.test/r"),
    "http://user:word@b.test/password": ("rules", "http://b.test/password"),
}


@on_reactor
async def test_a_redirect_leads_to_another_url_of_the_web_or_nowhere(web):
    back = moved("/robots.txt")
    rows = {f"h{n}.test": location for n, location in enumerate(LOCATIONS)}
    scripts = {
        host: {"/robots.txt": moved(to), "/back": back, "*": RULES} for host, to in rows.items()
    }
    others = {"b.test": {"*": RULES}, "xn--bcher-kva.test": {"*": RULES}}
    site = web({**scripts, **others})
    await site.crawl(*pages_of(rows))
    assert {to: fate(site, host) for host, to in rows.items()} == {
        to: found for to, (found, _) in LOCATIONS.items()
    }
    led = {
        target if "//" in target else f"http://{host}{target}"
        for host, (_, target) in zip(rows, LOCATIONS.values(), strict=True)
        if target
    }
    known = ("/robots.txt", "/yes", "/no")
    assert {hit.url for hit in site.hits if not hit.url.endswith(known)} == led
    assert not any(b"Authorization" in hit.request.headers for hit in site.hits)
    assert len(site.fetches()) == len(LOCATIONS)  # none is asked for again


@pytest.mark.parametrize(("path", "count"), [("/robots.txt", 1), ("/r", 2)])
@on_reactor
async def test_rules_behind_a_redirect_hold_for_the_host_that_redirects(path, count, web):
    """Where they are the robots.txt of another host, that one need not be fetched again."""
    target = f"http://b.test{path}"
    site = web(
        {"a.test": {"/robots.txt": moved(target)}, "b.test": {"/robots.txt": RULES, "/r": RULES}}
    )
    ahead = [NO, "http://b.test/yes", "http://b.test/no"]
    await site.crawl(YES, spider=Chain, ahead=ahead)
    assert (fate(site), fate(site, "b.test")) == ("rules", "rules")
    assert sum(hit.url.endswith((path, "/robots.txt")) for hit in site.of("b.test")) == count


@on_reactor
async def test_the_offsite_filter_is_for_pages(web):
    site = web(scripts_of([[ROBOTS, "http://b.test/r"]]))
    await site.crawl(YES, NO, allowed_domains=["a.test"])
    assert fate(site) == "rules"


# In each spelling that a client may read, and names that have such an address.
BY_SPELLING = [
    "http://127.0.0.1/",
    "http://10.0.0.1:8080/x",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/",
    "http://0/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://0x7f.1:80/",
    "http://127.0.0.1./",
    "http://%31%32%37.0.0.1/",
    "http://0x7F.0.0.1/",
    "http://１２７.0.0.1/",
    "http://127。0。0。1/",
    "http://LOCALHOST/",
    "http://a.localhost/",
    "http://%6Cocalhost./",
    "http://[FE80::1%25eth0]/",
    "http://user@10.0.0.1/",
    "http://intranet/",
    "http://metadata.google.internal/",
    "http://printer.local/",
    "https://router.home.arpa/",
    "http://192.0.0.192/",
    "http://168.63.129.16/",
]
BY_NAME = ["http://inside.c.test/", "https://both.c.test/", "http://INSIDE.c.test./r"]
NAMES = {
    "inside.c.test": ["10.0.0.7"],
    "both.c.test": ["8.8.8.8", "fd00::7"],
    "corp.test": ["10.0.0.1"],
    "gone.c.test": [],
    "silent.c.test": None,
}


@pytest.mark.parametrize(("meta", "targets"), [({}, BY_SPELLING + BY_NAME), (PROXY, BY_SPELLING)])
@on_reactor
async def test_no_redirect_leads_from_a_public_address_to_a_private_one(meta, targets, web):
    """A proxy looks names up itself, so behind it their spelling decides alone."""
    hosts = [f"h{n}.test" for n in range(len(targets))]
    ways = zip((f"http://{host}/robots.txt" for host in hosts), targets, strict=True)
    site = web(scripts_of([[first, target] for first, target in ways]))
    site.names.known |= NAMES
    site.peers |= dict.fromkeys(hosts, "127.0.0.1" if meta else "8.8.8.8")
    seen = await site.crawl(*pages_of(hosts, meta=meta))
    assert site.urls == [f"http://{host}/robots.txt" for host in hosts]
    assert seen.stats[f"robots/outcome/{PRIVATE}"] == len(hosts)
    assert not (meta and site.names.asked)


class Proxying:
    """Sends each request anew, through a proxy in the network."""

    def process_request(self, request, spider=None):
        if "proxy" not in request.meta:
            return request.replace(meta={**request.meta, **PROXY})
        return None


@on_reactor
async def test_the_private_address_of_a_proxy_opens_no_other_private_address(web):
    site = web(scripts_of([[ROBOTS, "http://10.0.0.1/r"]]))
    site.peers["a.test"] = "127.0.0.1"
    await site.crawl(YES, settings={"DOWNLOADER_MIDDLEWARES": {Proxying: 200}})
    assert site.urls == [ROBOTS]


PUBLIC_ADDRESSES = [
    "8.8.8.8",
    "1.1.1.1",
    "172.15.0.1",
    "172.32.0.1",
    "2001:4860:4860::8888",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
]
PRIVATE_ADDRESSES = [
    "127.0.0.1",
    "127.8.8.8",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "0.0.0.0",
    "100.64.0.1",
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "224.0.0.1",
    "255.255.255.255",
    "240.0.0.1",
    "198.18.0.1",
    "192.0.2.1",
    "::1",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "::127.0.0.1",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "2001:0:808:808::f7f7:f7f7",
    "::8.8.8.8",  # of protocols that are no more: RFC 4291, 4380
]


@on_reactor
async def test_all_addresses_that_are_not_of_the_public_internet_are_private(web):
    hosts = {f"h{n}.test": a for n, a in enumerate([*PUBLIC_ADDRESSES, *PRIVATE_ADDRESSES])}
    site = web(scripts_of([f"http://{host}/robots.txt", f"http://to.{host}/r"] for host in hosts))
    site.names.known |= {f"to.{host}": [address] for host, address in hosts.items()}
    await site.crawl(*pages_of(hosts))
    reached = {address for host, address in hosts.items() if fate(site, host) == "rules"}
    assert reached == {*PUBLIC_ADDRESSES}


# Each way from a robots.txt to the rules, and why it is not followed.
WAYS = {
    "public to public": ([ROBOTS, "https://b.test/r"], ""),
    "within a host": (["http://b.test/robots.txt", "https://b.test:8000/q"], ""),
    "private to private": (["http://10.0.0.1/robots.txt", "http://127.0.0.1/r"], ""),
    "a private name to private": (["http://corp.test/robots.txt", "http://10.0.0.2/r"], ""),
    "private to public": (["http://localhost/robots.txt", "http://c.test/r"], ""),
    "a name without an address": (["http://d.test/robots.txt", "http://gone.c.test/r"], ""),
    "a name that never answers": (["http://e.test/robots.txt", "http://silent.c.test/r"], ""),
    "no name": (["http://f.test/robots.txt", f"http://{'a' * 64}.test/r"], ""),
    "private to public, and back": (
        ["http://10.0.0.3/robots.txt", "http://g.test/r", "http://10.0.0.4/r"],
        PRIVATE,
    ),
}


@on_reactor
async def test_other_redirects_are_followed(web):
    site = web(scripts_of([way for way, _ in WAYS.values()]))
    site.names.known |= NAMES
    hosts = {urlsplit(way[0]).hostname: cause for way, cause in WAYS.values()}
    seen = await site.crawl(*pages_of(hosts))
    for host, cause in hosts.items():
        assert fate(site, host) == ("closed" if cause else "rules")
        assert cause in seen.dropped[f"http://{host}/yes" if cause else f"http://{host}/no"]
    assert "b.test" not in site.names.asked[1:]


REBOUND = {
    "a name that is private when it is asked": (
        "8.8.8.8",
        "http://b.test/r",
        "127.0.0.1",
        "closed",
    ),
    "a host that moves into the network": ("8.8.8.8", "http://a.test:8/r", "10.0.0.1", "closed"),
    "a private site whose name is public": ("10.0.0.9", "http://10.0.0.1/r", "10.0.0.1", "rules"),
}


@pytest.mark.parametrize("name", REBOUND)
@on_reactor
async def test_the_address_that_answers_counts_for_more_than_the_one_of_the_name(name, web):
    first, target, last, found = REBOUND[name]
    site = web(scripts_of([[ROBOTS, target]]))
    site.peers["b.test"] = site.peers["10.0.0.1"] = last

    def redirect(_request):
        site.peers["a.test"] = first
        return moved(target)

    def answer(_request):
        site.peers[urlsplit(target).hostname] = last
        return RULES

    site.hosts["a.test"]["/robots.txt"] = redirect
    site.hosts[urlsplit(target).hostname]["/r"] = answer
    await site.crawl(YES, NO)
    assert (site.urls[1], fate(site)) == (target, found)


SITES = [
    ("www.example.co.uk", "example.co.uk", True),
    ("a.b.example.com", "c.example.com", True),
    ("www.xn--bcher-kva.test", "bücher.test", True),
    ("example.co.uk", "other.co.uk", False),
    ("one.github.io", "two.github.io", False),  # a suffix below which anybody may have a site
    ("example.com", "example.org", False),
    ("1.0.0.1", "2.0.0.1", False),
    ("co.uk", "a.co.uk", False),
]


@on_reactor
async def test_same_site_is_the_registrable_domain_by_a_list_that_nobody_fetches(web, monkeypatch):
    monkeypatch.setattr(socket.socket, "connect", pytest.fail)
    ways = {host: [f"http://{host}/robots.txt", f"http://{to}/r"] for host, to, _ in SITES}
    site = web({**scripts_of(ways.values()), "xn--bcher-kva.test": {"/r": RULES}})
    seen = await site.crawl(*pages_of(ways), settings={"ROBOTS_REDIRECTS": "same-site"})
    fates = {host: fate(site, host) for host in ways}
    assert fates == {host: "rules" if is_one else "closed" for host, _, is_one in SITES}
    assert seen.stats[f"robots/outcome/{OTHER_SITE}"] == list(fates.values()).count("closed")


# ROBOTS_REDIRECT_HOSTS, where the redirects lead, and what is made of the file.
NAMED = [
    ("10.0.0.1", ["http://10.0.0.1/r"], "rules"),
    ("10.0.0.1:8080", ["http://10.0.0.1:8080/r"], "rules"),
    ("10.0.0.1:8080", ["http://10.0.0.1/r"], "closed"),
    ("10.0.0.*", ["http://10.0.0.7/r"], "rules"),
    ("*.c.test", ["http://inside.c.test/r"], "rules"),
    ("*.c.test", ["http://10.0.0.7/r"], "closed"),
    ("inside.c.test", ["http://INSIDE.c.test./r"], "rules"),
    ("*", ["http://:80/r"], "closed"),
    ("www.b.test", ["http://www.b.test/r", "http://10.0.0.1/r"], "closed"),
]


@pytest.mark.parametrize("redirects", ["anywhere", "same-site"])
@pytest.mark.parametrize(("named", "targets", "found"), NAMED)
@on_reactor
async def test_hosts_that_the_user_names_may_be_reached(named, targets, found, redirects, web):
    site = web(scripts_of([[ROBOTS, *targets]]))
    site.hosts.update({"inside.c.test.": {"/r": RULES}})
    site.names.known |= NAMES
    settings = {"ROBOTS_REDIRECTS": redirects, "ROBOTS_REDIRECT_HOSTS": named}
    await site.crawl(YES, NO, settings=settings)
    assert fate(site) == found


@on_reactor
async def test_a_host_of_another_site_that_the_user_names_does_not_open_its_site(web):
    site = web(scripts_of([[ROBOTS, "http://www.b.test/r", "http://b.test/q"]]))
    settings = {"ROBOTS_REDIRECTS": "same-site", "ROBOTS_REDIRECT_HOSTS": ["www.b.test"]}
    await site.crawl(YES, NO, settings=settings)
    assert site.urls == [ROBOTS, "http://www.b.test/r"]


def change(page, request):
    request.headers["X-Page"] = page.url


def another(page, request):
    return scrapy.Request(request.url, headers={"X-Page": page.url}, dont_filter=True)


def fail(page, request):
    raise RuntimeError("of the hook")


SHARED = scrapy.Request(ROBOTS, headers={"X-Page": YES}, dont_filter=True)
HOOKS = {
    "changes the request": (change, "rules"),
    "gives another one": (another, "rules"),
    "gives the same one each time": (lambda _page, _request: SHARED, "rules"),
    "takes the meta of the page": (
        lambda page, request: request.replace(
            meta={**request.meta, **page.meta, "dont_obey_robotstxt": False}
        ),
        "rules",
    ),
    "gives the request of the page": (lambda page, _request: page, "closed"),
    "gives no request": (lambda _page, request: request.url, "closed"),
    "fails": (fail, "closed"),
}


@pytest.mark.parametrize("name", HOOKS)
@on_reactor
async def test_a_hook_that_fails_closes_the_site_and_is_logged(name, web, caplog):
    hook, found = HOOKS[name]
    site = web({host: {"/robots.txt": RULES} for host in ("a.test", "b.test")})
    settings = {"ROBOTS_FETCH_HOOK": hook, "DEFAULT_REQUEST_HEADERS": {"Cookie": "c=1"}}
    await site.crawl(*pages_of(site.hosts), settings=settings)
    assert (fate(site), fate(site, "b.test")) == (found, found)
    assert not any(b"Cookie" in hit.request.headers for hit in site.fetches())
    errors = [record for record in caplog.records if record.levelname == "ERROR"]
    assert [len(errors), site.hits == []] == ([1, True] if found == "closed" else [0, False])


@pytest.mark.parametrize(
    "settings",
    [
        {"ROBOTS_FETCH_META": ["redirect_urls"]},
        {"ROBOTS_FETCH_HOOK": HOOKS["takes the meta of the page"][0]},
    ],
)
@on_reactor
async def test_no_fetch_waits_for_itself_whatever_it_takes_from_the_page(settings, web):
    site = web(
        {"a.test": {"/robots.txt": RULES}, "b.test": {"/robots.txt": RULES, "/": moved(YES)}}
    )
    seen = await site.crawl("http://b.test/", settings=settings)
    assert (seen.answered, len(site.fetches("a.test"))) == ([YES], 1)


@pytest.mark.parametrize("hook", [change, another])
@on_reactor
async def test_what_a_hook_makes_goes_to_no_private_address_and_is_plain_where_ours_is(hook, web):
    def refuse(request):
        return Answer(status=431) if b"X-Page" in request.headers else RULES

    hosts = {
        "a.test": {"/robots.txt": refuse},
        "b.test": {"/robots.txt": moved("http://10.0.0.1/")},
    }
    site = web(hosts)
    await site.crawl(*pages_of(hosts), settings={"ROBOTS_FETCH_HOOK": hook})
    assert (fate(site), fate(site, "b.test")) == ("rules", "closed")
    assert site.of("10.0.0.1") == []


SHORT = Answer(status=503, headers={"Retry-After": "7"})
LONG = Answer(status=503, headers={"Retry-After": "3600"})
# Answers, how often the file is asked for, what is made of it, and the shortest wait in between.
RETRIES = {
    "503 once": ([Answer(status=503), RULES], 2, "rules", 0.3),
    "503 always": ([Answer(status=503)], 3, "closed", 0.3),
    "a reset, then 500": ([ConnectionLost, Answer(status=500), RULES], 3, "rules", 0.3),
    "no address": ([compat.CannotResolveHost("a.test")], 3, "closed", 0.3),
    "a short Retry-After": ([SHORT, RULES], 2, "rules", 7.0),
    "a long Retry-After": ([LONG], 1, "closed", 0.0),
    "no answer": ([Answer(after=None)], 1, "closed", 0.0),
    "404": ([Answer(status=404)], 1, "open", 0.0),
    "429": ([Answer(status=429)], 1, "open", 0.0),
}


@pytest.mark.parametrize("name", RETRIES)
@on_reactor
async def test_what_may_be_gone_in_a_second_is_tried_again(name, web):
    answers, tries, found, pause = RETRIES[name]
    site = web({"a.test": {"/robots.txt": answers}})
    seen = await site.crawl(YES, NO, settings={"RETRY_ENABLED": True, "RETRY_TIMES": 2})
    assert (len(site.fetches()), fate(site)) == (tries, found)
    assert all(b.began - a.ended >= pause for a, b in pairwise(site.fetches()))
    assert (seen.stats["robots/fetched"], seen.stats["robotstxt/request_count"]) == (1, 1)


@on_reactor
async def test_while_a_fetch_waits_for_its_next_try_others_have_its_place(web):
    site = web({"a.test": {"/robots.txt": [SHORT, RULES]}, "b.test": {"/robots.txt": RULES}})
    settings = {"RETRY_ENABLED": True, "RETRY_TIMES": 1, "ROBOTS_MAX_FETCHES": 1}
    await site.crawl(YES, "http://b.test/yes", settings=settings)
    assert [hit.began < 1.0 for hit in site.fetches("b.test")] == [True]


def refuse_headers(status):
    """A site that refuses what a header of ours may have made it refuse."""
    return lambda request: Answer(status=status) if b"Accept" in request.headers else RULES


# Script, how often the file is asked for, what is made of it.
PLAIN = {
    **{str(status): (refuse_headers(status), 2, "rules") for status in (400, 405, 406, 411, 412)},
    "431": (refuse_headers(431), 2, "rules"),
    "400 again": ([Answer(status=400)], 2, "open"),
    "400, then 503": ([Answer(status=400), Answer(status=503)], 2, "closed"),
    "403": ([Answer(status=403), RULES], 1, "open"),
    "404": ([Answer(status=404), RULES], 1, "open"),
}


@pytest.mark.parametrize("name", PLAIN)
@on_reactor
async def test_a_file_refused_for_a_header_is_asked_for_once_more_with_the_user_agent_alone(
    name, web
):
    script, tries, found = PLAIN[name]
    site = web({"a.test": {"/robots.txt": script}})
    await site.crawl(YES, NO)
    assert (len(site.fetches()), fate(site)) == (tries, found)
    assert [len(hit.request.headers) > 1 for hit in site.fetches()] == [True, False][:tries]


@on_reactor
async def test_a_redirect_that_leads_to_such_a_refusal_is_followed_again(web):
    site = web({"a.test": {"/robots.txt": moved("/r"), "/r": refuse_headers(406)}})
    await site.crawl(YES, NO)
    assert site.urls == [ROBOTS, "http://a.test/r"] * 2 + [YES]


def through_proxies(request):
    answers = {"dead": Answer(after=None), "refuses": Answer(status=407, after=1), "good": RULES}
    return next(answer for kind, answer in answers.items() if kind in request.meta["proxy"])


# The proxies of the pages that wait, how often the file is asked for, and what is made of it.
PROXIES = {
    "a dead one and a good one": (["dead", "dead", "good"], 2, "rules"),
    "one that refuses and a good one": (["refuses", "good"], 2, "rules"),
    "three at most": (["dead1", "dead2", "dead3", "good"], 3, "closed"),
    "one that refuses": (["refuses"], 1, "closed"),
}


@pytest.mark.parametrize("name", PROXIES)
@on_reactor
async def test_a_dead_proxy_of_one_page_says_nothing_about_the_site(name, web):
    proxies, tries, found = PROXIES[name]
    site = web({"a.test": {"/robots.txt": through_proxies}})
    pages = [
        scrapy.Request(f"{url}?{proxy}{n}", meta={"proxy": f"http://{proxy}.test:1"})
        for n, proxy in enumerate(proxies)
        for url in (YES, NO)
    ]
    await site.crawl(*pages)
    assert (len(site.fetches()), fate(site)) == (tries, found)


@on_reactor
async def test_without_a_proxy_407_is_the_answer_of_the_site(web):
    site = web({"a.test": {"/robots.txt": Answer(status=407)}})
    seen = await site.crawl(YES, NO)
    assert (fate(site), seen.stats["robots/outcome/407"]) == ("open", 1)


def middleware(meddle):
    """The settings of a crawl in which a middleware meddles with requests for a robots.txt."""

    def process_request(_self, request, spider=None):
        return meddle(request) if request.url.endswith("/robots.txt") else None

    return {
        "DOWNLOADER_MIDDLEWARES": {type("Meddling", (), {"process_request": process_request}): 600}
    }


class Fails:
    def process_response(self, request, response, spider=None):
        return response if response.url.endswith("/yes") else {}["of the middleware"]


def drop(request):
    raise IgnoreRequest


def break_(request):
    raise KeyError("of the middleware")


async def keep(request):
    await maybe_deferred_to_future(Deferred())


class NoRouteOfAPlugin(Exception):  # noqa: N818 - plugins name theirs as they like
    pass


FAULT = ["ERROR", "DEBUG"]  # an error for the first of its kind
# Settings, what the handler makes of robots.txt, the cause, the levels of lines with a traceback.
MISHAPS = {
    "a middleware of requests": (middleware(break_), RULES, "KeyError", FAULT),
    "a middleware of responses": (
        {"DOWNLOADER_MIDDLEWARES": {Fails: 600}},
        RULES,
        "KeyError",
        FAULT,
    ),
    "a download handler": ({}, KeyError, "KeyError", FAULT),
    "what a plugin says of a site": ({}, NoRouteOfAPlugin, "NoRouteOfAPlugin", []),
    "a name that no host may have": ({}, ValueError("of the name"), "ValueError", []),
    "a reset": ({}, ConnectionLost, "reset", []),
    "no answer": ({}, Answer(after=None), "timeout", []),
    "a reset by HTTP/2": ({}, ResponseFailed([ConnectionResetError()]), "reset", []),
    "no reason but words": (
        {},
        ResponseFailed([Failure("sent RST_STREAM", RuntimeError)]),
        "connection failed",
        [],
    ),
    "no reason but a bare exception": (
        {},
        ResponseFailed([RuntimeError()]),
        "connection failed",
        [],
    ),
    "a middleware that drops": (middleware(drop), RULES, "dropped by a middleware", []),
    "a middleware that keeps": (
        middleware(keep),
        RULES,
        "kept by a middleware",
        [],
    ),
    "a middleware that sends another": (
        middleware(lambda request: scrapy.Request(request.url.replace("robots.txt", "through"))),
        RULES,
        "kept by a middleware",
        [],
    ),
}


@pytest.mark.parametrize("name", MISHAPS)
@on_reactor
async def test_a_fault_of_the_users_code_has_a_traceback_and_what_a_site_does_has_none(
    name, web, caplog
):
    caplog.set_level("DEBUG")
    settings, script, cause, levels = MISHAPS[name]
    site = web({host: {"/robots.txt": script} for host in ("a.test", "b.test")})
    seen = await site.crawl(YES, "http://b.test/yes", settings=settings)
    assert site.pages == []
    assert all(f"robots.txt unreachable ({cause})" in why for why in seen.dropped.values())
    ours = [r for r in caplog.records if r.name.startswith("scrapy_robots_policy") and r.exc_info]
    assert [record.levelname for record in ours] == levels
    assert {r.levelname for r in caplog.records} & {"ERROR", "CRITICAL"} == {*levels[:1]}


class Moves:
    """Sends a copy of the request to another URL, as middlewares of services do."""

    def process_request(self, request, spider=None):
        if request.url.endswith("/robots.txt"):
            return request.replace(url=request.url.replace("/robots.txt", "/through"))
        return None


class AsksAgain:
    """Has a request sent again, as middlewares do that change proxies."""

    def process_response(self, request, response, spider=None):
        return request.replace() if response.body.startswith(b"banned") else response


@pytest.mark.parametrize("kind", [Moves, AsksAgain])
@on_reactor
async def test_a_middleware_may_send_a_robots_txt_another_way(kind, web):
    script = {"/robots.txt": [Answer(b"banned"), RULES], "/through": RULES, "*": PAGE}
    site = web({"a.test": script})
    await site.crawl(YES, NO, settings={"DOWNLOADER_MIDDLEWARES": {kind: 555}})
    assert fate(site) == "rules"


@on_reactor
async def test_a_file_that_never_comes_gives_its_place_in_the_download_slot_back(web):
    silent = robots("", after=None)
    site = web({"a.test:81": {"/robots.txt": silent}, "a.test:82": {"/robots.txt": RULES}})
    urls = ["http://a.test:81/yes", *(f"http://a.test:82/yes?{n}" for n in range(3))]
    seen = await site.crawl(*urls, settings={"CONCURRENT_REQUESTS_PER_DOMAIN": 1})
    assert (list(seen.dropped), sorted(seen.answered)) == (urls[:1], urls[1:])


@on_reactor
async def test_a_wait_for_scrapys_own_delay_counts_neither_for_the_site_nor_for_a_middleware(web):
    hosts = {f"a.test:{port}": {"/robots.txt": robots("", after=4.0)} for port in range(81, 86)}
    urls = [f"http://{host}/yes" for host in hosts]
    settings = {"DOWNLOAD_DELAY": 400, "ROBOTS_FETCH_TIMEOUT": 5, **middleware(lambda _: None)}
    seen = await web(hosts).crawl(*urls, settings=settings)
    assert sorted(seen.answered) == urls
