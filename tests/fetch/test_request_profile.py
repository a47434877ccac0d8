"""What must be true of the request for a robots.txt as it is made, before anything is sent."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.downloadermiddlewares.httpproxy import HttpProxyMiddleware
from scrapy.utils.test import get_crawler

from scrapy_robots_policy import compat
from scrapy_robots_policy.config import PolicySettings
from scrapy_robots_policy.fetch.order import FetchOrder
from scrapy_robots_policy.fetch.request import (
    CONDITIONS,
    MAX_UNCOUNTED,
    NOT_ADDED,
    PLAIN_KEY,
    SHARE_IN_HASTE,
    RequestProfile,
    trim,
)
from scrapy_robots_policy.rep import DIALECTS

SITE = "http://site.example"
URL = f"{SITE}/robots.txt"
PAGE = Request("http://site.example/page", meta={"proxy": "http://proxy", "download_maxsize": 5})


def made(page=PAGE, headers=None, **order):
    hook, not_added = order.pop("hook", None), order.pop("not_added", NOT_ADDED)
    profile = RequestProfile(20.0, uncounted=frozenset({"https"}), hook=hook, not_added=not_added)
    url = order.pop("url", URL)
    return profile.request(
        url, headers or {}, FetchOrder(SITE, None, DIALECTS["rfc9309"], page, **order)
    )


def test_what_is_set_for_pages_does_not_bind_a_robots_txt():
    meta = made().meta
    ours = {"allow_offsite": True, "download_fail_on_dataloss": True, "dont_obey_robotstxt": True}
    ours |= {"download_maxsize": 0, "download_warnsize": 0, "dont_merge_cookies": True}
    assert {name: meta[name] for name in ours} == ours
    assert meta["proxy"] == "http://proxy"


@pytest.mark.parametrize("name", [*NOT_ADDED, *CONDITIONS])
def test_what_default_headers_ask_of_pages_is_not_asked_of_a_robots_txt(name):
    crawler = get_crawler(settings_dict={"DEFAULT_REQUEST_HEADERS": {name.lower(): "bytes=0-100"}})
    request = made(not_added=PolicySettings.from_crawler(crawler).profile.not_added)
    request.headers.setdefault(name, "bytes=0-100")  # as DefaultHeadersMiddleware does
    trim(request)
    assert name not in request.headers


@pytest.mark.parametrize("hook", [None, lambda _page, _made: Request(URL)])
def test_credentials_that_the_server_has_asked_for_may_be_added_but_no_cookies(hook):
    request = made(hook=hook, with_credentials=True)
    for name in ("Authorization", "Cookie"):
        request.headers.setdefault(name, "secret")
    trim(request)
    assert request.headers["Authorization"] == b"secret"
    assert "Cookie" not in request.headers


@pytest.mark.parametrize(
    "url", ["http://other.example/robots.txt", "https://site.example/robots.txt"]
)
def test_no_site_gets_the_credentials_for_which_another_one_has_asked(url):
    request = made(url=url, with_credentials=True)
    request.headers.setdefault("Authorization", "secret")
    trim(request)
    assert "Authorization" not in request.headers


def test_our_own_condition_is_asked_in_place_of_that_of_pages():
    request = made(headers={"If-None-Match": '"1"'}, not_added=(*NOT_ADDED, *CONDITIONS))
    request.headers.setdefault("If-None-Match", '"2"')
    request.headers.setdefault("If-Modified-Since", "Wed, 21 Oct 2025 07:28:00 GMT")
    trim(request)
    assert request.headers.getlist("If-None-Match") == [b'"1"']
    assert "If-Modified-Since" not in request.headers


def test_a_file_that_cannot_be_cut_on_the_wire_has_a_limit():
    assert made(url="https://site.example/robots.txt").meta["download_maxsize"] == MAX_UNCOUNTED


@pytest.mark.parametrize("in_haste", [False, True])
def test_a_fetch_in_haste_has_less_time(in_haste):
    share = SHARE_IN_HASTE if in_haste else 1.0
    assert made(in_haste=in_haste).meta["download_timeout"] == 20.0 * share


def test_a_validator_that_is_no_latin_1_raises_nothing():
    assert made(headers={"If-None-Match": "\u20ac"}).headers["If-None-Match"] == b"?"


@pytest.mark.parametrize("is_plain", [False, True])
def test_what_a_hook_makes_is_guarded_and_plain_as_ours_is(is_plain):
    def hook(_page, _made):
        return Request(URL, headers={"User-Agent": "Bot", "X-Key": "1"})

    request = made(PAGE, hook=hook, is_plain=is_plain)
    assert request.meta["dont_redirect"]
    assert request.meta[PLAIN_KEY] is is_plain
    assert (b"Cookie" in request.headers, b"Authorization" in request.headers) == (True, True)
    trim(request)
    names = {b"User-Agent"} if is_plain else {b"User-Agent", b"X-Key"}
    assert set(request.headers) == names


def test_a_plain_request_is_plain_though_a_hook_gives_an_earlier_one_again():
    kept = []

    def hook(_page, ours):
        kept.append(ours.replace())
        return kept[0]

    assert [made(PAGE, hook=hook, is_plain=one).meta[PLAIN_KEY] for one in (False, True)] == [
        False,
        True,
    ]


def test_a_hook_that_gives_back_no_request_is_named_in_the_error():
    with pytest.raises(TypeError, match=r"^ROBOTS_FETCH_HOOK gave back an object of type str; "):
        made(PAGE, hook=lambda _page, _made: "http://service.example/")


@pytest.mark.parametrize(("user_agent", "is_alike"), [("Bot/1.0", True), ("Other/1.0", False)])
def test_the_user_agent_that_scrapy_adds_makes_no_other_way_to_a_site(user_agent, is_alike):
    variant = RequestProfile(20.0).variant
    redirected = Request(PAGE.url, headers={"User-Agent": user_agent})
    assert (variant(redirected, b"Bot/1.0") == variant(Request(PAGE.url), b"Bot/1.0")) is is_alike


@pytest.mark.parametrize(
    "of_environment", ["", "http://proxy.example:3128", "http://a:b@p.example"]
)
@pytest.mark.parametrize(
    "of_page", ["", "http://q.example:8080", "http://me:p%40ss@q.example:8080"]
)
def test_the_proxy_that_scrapy_has_written_out_makes_no_other_way_to_a_site(
    of_page, of_environment, monkeypatch
):
    for name in ("http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", of_environment)
    page = Request("http://site.example/", meta={"proxy": of_page} if of_page else {})
    redirected = page.replace()
    spider = () if compat.ASYNC_API else (None,)
    HttpProxyMiddleware().process_request(redirected, *spider)
    variant = RequestProfile(20.0).variant
    assert variant(redirected) == variant(page)
    for other in ({}, {"proxy": None}, {"proxy": "http://me:other@q.example:8080"}):
        if other != page.meta:
            assert variant(page.replace(meta=other)) != variant(redirected)
