"""The config of a request: which level is strongest, in tables and in whole crawls."""

from __future__ import annotations

import re

import pytest
import scrapy

from scrapy_robots_policy.core.overrides import Override, Overrides, RequestConfig
from scrapy_robots_policy.rep import Origin, dialect_of
from scrapy_robots_policy.settings.kinds import SettingError
from scrapy_robots_policy.settings.requests import RequestConfigs, is_exempt
from tests.crawls import crawl, middleware_of
from tests.on_reactor import on_reactor
from tests.site import Site, moved, robots

HERE, ELSEWHERE = Origin("https://here.example"), Origin("https://elsewhere.example")
CLOSED = "User-agent: *\nDisallow: /\n"
FIRST_MATCH = "User-agent: *\nDisallow: /a/\nAllow: /a/b\n"


def terms_of(meta=None, user_agent=None, origin=HERE, by_header=True, *layers):
    crawl_terms = RequestConfig(dialect_of("google"), "CrawlBot")
    configs = RequestConfigs(crawl_terms, layers, by_header=by_header)
    headers = {"User-Agent": user_agent} if user_agent else None
    return configs.of(scrapy.Request(origin, headers=headers, meta=meta), origin)


def test_the_request_is_stronger_than_the_host_and_that_than_the_crawl():
    layers = (
        Overrides({"here.example": Override(dialect=dialect_of("bing"), agent="HostBot")}),
        Overrides({"*": Override(dialect=dialect_of("yandex"), crawl_delay=3.0)}),
    )
    meta = {"robots": {"dialect": "baidu"}}

    assert terms_of(meta, None, HERE, True, *layers) == RequestConfig(
        dialect_of("baidu"), "HostBot", crawl_delay=3.0
    )
    assert terms_of({}, None, HERE, True, *layers) == RequestConfig(
        dialect_of("bing"), "HostBot", crawl_delay=3.0
    )
    assert terms_of({}, None, ELSEWHERE, True, *layers) == RequestConfig(
        dialect_of("yandex"), "CrawlBot", crawl_delay=3.0
    )


@pytest.mark.parametrize(
    ("meta", "by_header", "agent"),
    [
        ({}, True, "SentBot"),
        ({}, False, "CrawlBot"),
        ({"robots": {"dialect": "bing"}}, True, "SentBot"),
        ({"robots": {"dialect": "bing"}}, False, "CrawlBot"),
        ({"robots": {"agent": "ToldBot/2.0"}}, True, "ToldBot"),
    ],
)
def test_the_header_that_is_sent_names_the_crawler_unless_a_name_is_set(meta, by_header, agent):
    assert terms_of(meta, b"SentBot/1.0 (+https://x.example)", HERE, by_header).agent == agent


@pytest.mark.parametrize("header", [b"(compatible)", b" ", b"/1.0"])
def test_a_header_without_a_name_is_that_of_a_crawler_without_a_name(header):
    """In some dialects an empty name is part of the name in any group."""
    assert terms_of({}, header, HERE, True).agent == "*"


@pytest.mark.parametrize(
    ("meta", "exempt"),
    [
        ({}, False),
        ({"dont_obey_robotstxt": False}, False),
        ({"dont_obey_robotstxt": True}, True),
        ({"dont_obey_robotstxt": True, "redirect_urls": ["https://here.example/x"]}, True),
        ({"dont_obey_robotstxt": True, "redirect_urls": ["http://here.example/x"]}, False),
        ({"dont_obey_robotstxt": True, "redirect_urls": ["https://elsewhere.example/"]}, False),
        (  # on its second hop here: it was made for elsewhere all the same
            {
                "dont_obey_robotstxt": True,
                "redirect_urls": ["https://elsewhere.example/", "https://here.example/a"],
            },
            False,
        ),
        (
            {
                "dont_obey_robotstxt": True,
                "redirect_urls": ["https://here.example/a", "https://elsewhere.example/"],
            },
            True,
        ),
    ],
)
def test_an_exemption_is_bound_to_the_origin_that_it_was_made_for(meta, exempt):
    assert is_exempt(meta, HERE) is exempt


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("google", "request.meta['robots'] is 'google'; it must be a dict of dialect and agent"),
        ({"agnt": "x"}, "it must be a dict of dialect and agent"),
        ({"agent": 5}, "request.meta['robots']['agent'] is 5, which gives the product token ''"),
        ({"agent": "my bot"}, "is 'my bot', which gives the product token 'my bot'"),
        ({"dialect": 5}, "request.meta['robots']['dialect'] is 5; it must be rfc9309, google, "),
        ({"dialect": "..x"}, "is '..x', which cannot be imported"),
    ],
)
def test_a_wrong_value_in_a_request_is_refused_in_words(value, sentence):
    with pytest.raises(SettingError, match=re.escape(sentence)):
        terms_of({"robots": value})


@pytest.mark.slow
@on_reactor
async def test_an_exempt_request_is_checked_again_if_it_is_redirected_to_another_origin():
    with (
        Site({"/robots.txt": robots(CLOSED)}, "127.0.0.2") as closed,
        Site({"/robots.txt": robots(CLOSED), "/go": moved(closed.url("/x"))}) as site,
    ):
        exempt = scrapy.Request(site.url("/go"), meta={"dont_obey_robotstxt": True})
        seen, _ = await crawl(exempt)

        assert site.pages == ["/go"]
        assert closed.paths == ["/robots.txt"]
        assert list(seen.dropped) == [closed.url("/x")]


@pytest.mark.slow
@on_reactor
async def test_the_robots_txt_of_a_host_that_is_not_obeyed_is_not_fetched():
    with Site({"/robots.txt": robots(CLOSED)}) as site:
        settings = {"ROBOTS_OVERRIDES": {"127.*": {"obey": False}}}
        await crawl(site.url("/x"), settings=settings)

        assert site.paths == ["/x"]


@pytest.mark.slow
@on_reactor
async def test_a_file_of_the_users_replaces_the_sites():
    with Site({"/robots.txt": robots("User-agent: *\nAllow: /\n")}) as site:
        own = {"127.0.0.1": {"robots_txt": "User-agent: *\nDisallow: /b\n"}}
        seen, _ = await crawl(site.url("/a"), site.url("/b"), robots_overrides=own)

        assert site.paths == ["/a"]
        assert seen.dropped == {site.url("/b"): "Refused by robots.txt: line 2, Disallow: /b"}


@pytest.mark.slow
@on_reactor
async def test_a_robots_txt_is_fetched_once_for_all_dialects():
    with Site({"/robots.txt": robots(FIRST_MATCH)}) as site:
        by_first = scrapy.Request(site.url("/a/b?1"), meta={"robots": {"dialect": "koster1996"}})
        by_longest = scrapy.Request(site.url("/a/b?2"), meta={"robots": {"dialect": "google"}})
        _, crawler = await crawl(by_first, by_longest, site.url("/a/b?3"))

        assert site.count("/robots.txt") == 1
        assert sorted(site.pages) == ["/a/b?2", "/a/b?3"]
        assert len(middleware_of(crawler).counts.origins) == 1


@pytest.mark.slow
@on_reactor
async def test_the_spiders_attribute_is_stronger_than_an_override_in_the_settings():
    with Site({"/robots.txt": robots(FIRST_MATCH)}) as site:
        settings = {"ROBOTS_OVERRIDES": {"127.0.0.1": {"dialect": "koster1996"}}}
        await crawl(site.url("/a/b"), settings=settings, robots_dialect="google")

        assert site.pages == ["/a/b"]
