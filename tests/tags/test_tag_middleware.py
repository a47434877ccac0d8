"""What must be true of crawls whose pages say more than robots.txt: tags, nofollow, use."""

from __future__ import annotations

import time
from dataclasses import dataclass
from email.utils import formatdate
from typing import Any

import pytest
import scrapy
from scrapy import signals
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from scrapy_robots_policy import Addon, RobotsTagMiddleware
from scrapy_robots_policy.config import RequestConfig, TagSettings
from scrapy_robots_policy.rep import DIALECTS
from scrapy_robots_policy.rep.preference import NO_USE, TDM_RESERVATION, Place, Preference
from scrapy_robots_policy.rep.use_answer import UseAnswer
from scrapy_robots_policy.spidermiddlewares import ItemRefused
from scrapy_robots_policy.tags.actions import DEFAULTS, Action
from scrapy_robots_policy.tags.page_preferences import PAGE_PREFERENCES
from tests.crawls import REACTORS, Plan, Spider, crawl, crawl_apart
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, robots

pytestmark = pytest.mark.slow

LINKS = '<a href="/a">a</a> <a href="/b">b</a>'
PAST, FUTURE = (formatdate(time.time() + offset, usegmt=True) for offset in (-3600, 3600))


def page(body: str = LINKS, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(f"<html>{body}</html>".encode(), headers={"Content-Type": "text/html", **named})


def meta(content: str, name: str = "robots") -> str:
    return f'<META Name="{name}" Content="{content}">{LINKS}'


class Following(Spider):
    """Makes an item of every page, then follows all links."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.items: list[Any] = []
        self.refused: list[ItemRefused] = []

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.keep, signals.item_scraped)
        crawler.signals.connect(spider.refuse, signals.item_dropped)
        return spider

    def keep(self, item):
        self.items.append(item)

    async def refuse(self, item, response, exception):
        assert response.url == item["url"]
        self.refused.append(exception)

    def parse(self, response):
        super().parse(response)
        yield {"url": response.url}
        if isinstance(response, HtmlResponse):
            yield from response.follow_all(css="a")


class FollowingAsync(Following):
    async def parse(self, response):
        for output in Following.parse(self, response):
            yield output


# What one page says, what the user wants, and what comes of it:
# (page, ROBOTS_TAGS, are its links followed, is its item kept, marks, stats under robots/tags/)
ALL = ["nofollow", "noindex", "noarchive", "expired"]
PAGES = {
    "says_nothing": (page(), dict.fromkeys(ALL, "drop"), True, True, None, {}),
    "off": (page(meta("none")), {}, True, True, None, {}),
    "off_header": (
        page(X_Robots_Tag="none, noarchive"),
        {},
        True,
        True,
        None,
        {"nofollow/would_drop": 2, "noindex/would_drop": 1, "noarchive/would_drop": 1},
    ),
    "count": (
        page(meta("none")),
        {"nofollow": "count", "noindex": "count"},
        True,
        True,
        None,
        {"nofollow/would_drop": 2, "noindex/would_drop": 1},
    ),
    "nofollow": (
        page(meta("NOFOLLOW")),
        {"nofollow": "drop"},
        False,
        True,
        None,
        {"nofollow/dropped": 2},
    ),
    "nofollow_in_body_of_two_tags": (
        page(meta("index") + meta("nofollow", "TestBot")),
        {"nofollow": "drop"},
        False,
        True,
        None,
        {"nofollow/dropped": 4},
    ),
    "nofollow_for_another": (
        page(meta("nofollow", "otherbot"), X_Robots_Tag="otherbot: none"),
        {"nofollow": "drop"},
        True,
        True,
        None,
        {},
    ),
    "nofollow_header": (
        page(X_Robots_Tag="testbot: nofollow"),
        {"nofollow": "drop"},
        False,
        True,
        None,
        {"nofollow/dropped": 2},
    ),
    "noindex": (
        page(meta("noindex")),
        {"noindex": "drop"},
        True,
        False,
        None,
        {"noindex/dropped": 1},
    ),
    "only_what_is_asked_for": (
        page(meta("none")),
        {"noindex": "drop"},
        True,
        False,
        None,
        {"noindex/dropped": 1, "nofollow/would_drop": 2},
    ),
    "noarchive_marked": (
        page(meta("noarchive, noindex")),
        {"noarchive": "mark", "noindex": "mark"},
        True,
        True,
        ["noindex", "noarchive"],
        {"noarchive/marked": 1, "noindex/marked": 1},
    ),
    "expired": (
        page(X_Robots_Tag=f"unavailable_after: {PAST}"),
        {"expired": "drop"},
        True,
        False,
        None,
        {"expired/dropped": 1},
    ),
    "not_yet_expired": (
        page(X_Robots_Tag=f"unavailable_after: {FUTURE}"),
        {"expired": "drop"},
        True,
        True,
        None,
        {},
    ),
    "rel": (
        page('<a href="/a" rel="nofollow ugc">a</a> <a href="/b#top">b</a>'),
        {"rel-nofollow": "drop"},
        ["/b"],
        True,
        None,
        {"rel-nofollow/dropped": 1},
    ),
    "rel_of_one_link_of_two": (
        page(LINKS + '<a href="/a" rel=nofollow>a</a>'),
        {"rel-nofollow": "drop"},
        True,
        True,
        None,
        {},
    ),
    "rel_not_asked_for": (page('<a href="/a" rel="nofollow">a</a>'), {}, ["/a"], True, None, {}),
    "rel_not_asked_for_beside_what_is": (
        page('<a href="/a" rel="nofollow">a</a>'),
        {"noindex": "drop"},
        ["/a"],
        True,
        None,
        {},
    ),
    "itself_again": (
        page('<a href="/">a</a>' + meta("nofollow")),
        {"nofollow": "drop"},
        False,
        True,
        None,
        {"nofollow/dropped": 2},
    ),
}


def tag_stats(seen):
    return {
        name.removeprefix("robots/tags/"): value
        for name, value in seen.stats.items()
        if name.startswith("robots/tags/")
    }


@pytest.mark.parametrize("kind", [Following, FollowingAsync])
@pytest.mark.parametrize("row", PAGES)
@on_reactor
async def test_tags_are_obeyed_as_far_as_the_user_wants(kind, row):
    answer, wanted, followed, kept, marks, stats = PAGES[row]
    with Site({"/robots.txt": robots(""), "/": answer, "/a": page(""), "/b": page("")}) as site:
        settings = {"ROBOTS_TAGS": wanted, "USER_AGENT": "TestBot/1.0"}
        seen, crawler = await crawl(site.url("/"), settings=settings, spider=kind)
        expected = ["/a", "/b"] if followed is True else followed or []
        assert site.pages == ["/", *expected]
        item = {"url": site.url("/"), **({"robots_tags": marks} if marks else {})}
        items = [item] * kept + [{"url": site.url(path)} for path in expected]
        assert sorted(crawler.spider.items, key=str) == sorted(items, key=str)
        assert tag_stats(seen) == stats


@on_reactor
async def test_what_a_spider_makes_of_a_file_that_is_no_text_is_kept_although_all_tags_are_obeyed():
    picture = Answer(b"\x89PNG\r\n\x1a\n", headers={"Content-Type": "image/png"})
    with Site({"/robots.txt": robots(""), "/a.png": picture}) as site:
        obeyed = dict.fromkeys([*ALL, "rel-nofollow", "use"], "drop")
        settings = {"ROBOTS_TAGS": obeyed, "ROBOTS_PURPOSE": "train-ai"}
        seen, crawler = await crawl(site.url("/a.png"), settings=settings, spider=Following)
        assert crawler.spider.items == [{"url": site.url("/a.png")}]
        assert "log_count/ERROR" not in seen.stats


@dataclass
class Bare:
    url: str

    def __getitem__(self, name):
        return getattr(self, name)


@dataclass(frozen=True)
class Frozen:
    url: str
    robots_tags: tuple[str, ...] = ()

    __getitem__ = Bare.__getitem__


@pytest.mark.parametrize("item", [{"url": 1}, Frozen("/")], ids=["a dict", "no field for a mark"])
@pytest.mark.parametrize(
    ("tags", "own"),
    [
        ({"nofollow": "drop", "noindex": "drop"}, {}),
        ({}, {"nofollow": "drop", "noindex": "drop"}),  # of one request
        ({"nofollow": "drop", "noindex": "mark"}, {}),
    ],
)
def test_a_dry_run_drops_no_item_and_no_link_and_counts_what_it_would_drop(item, tags, own):
    reader = middleware({"ROBOTS_TAGS": tags, "ROBOTS_DRY_RUN": True})
    request = scrapy.Request("https://site.example/", meta={"robots_tags": own})
    html = HtmlResponse(request.url, headers={"X-Robots-Tag": "none"}, request=request)
    outputs = [item, scrapy.Request("https://site.example/a")]
    assert list(reader.process_spider_output(html, outputs)) == outputs
    stats = reader.crawler.stats.get_stats()
    assert stats.pop("robots/tags/nofollow/would_drop") == 1
    is_marked = tags.get("noindex") == "mark" and isinstance(item, dict)
    assert stats == {f"robots/tags/noindex/{'marked' if is_marked else 'would_drop'}": 1}


@on_reactor
async def test_a_dry_run_keeps_the_items_of_a_page_that_refuses_the_declared_use():
    with Site({"/robots.txt": robots(""), "/": page("", X_Robots_Tag="noai")}) as site:
        settings = {"ROBOTS_PURPOSE": "train-ai", "ROBOTS_DRY_RUN": True}
        seen, crawler = await crawl(site.url("/"), spider=Following, settings=settings)
    assert crawler.spider.items == [{"url": site.url("/")}]
    assert seen.stats["robots/tags/use/would_drop"] == 1


@pytest.mark.parametrize("kind", [Bare, Frozen])
@on_reactor
async def test_an_item_with_no_field_for_a_mark_is_dropped_and_says_so(kind):
    field = "field 'robots_tags'"

    class Typed(Following):
        def parse(self, response):
            yield kind(response.url)

    with Site({"/robots.txt": robots(""), "/": page(meta("noindex"))}) as site:
        settings = {"ROBOTS_TAGS": {"noindex": "mark"}}
        seen, crawler = await crawl(site.url("/"), settings=settings, spider=Typed)
        assert crawler.spider.items == []
        assert [str(refused) for refused in crawler.spider.refused] == [
            f"Refused by its page: meta robots: noindex; {kind.__name__} has no {field} to set"
        ]
        assert tag_stats(seen) == {"noindex/dropped": 1}


@on_reactor
async def test_a_drop_is_logged_with_its_cause(caplog):
    caplog.set_level("DEBUG")
    answer = page(meta("noindex"), X_Robots_Tag="nofollow")
    with Site({"/robots.txt": robots(""), "/": answer}) as site:
        settings = {"ROBOTS_TAGS": {"noindex": "drop", "nofollow": "drop"}}
        seen, crawler = await crawl(site.url("/"), settings=settings, spider=Following)
        (refused,) = crawler.spider.refused
        assert (refused.part, refused.cause) == ("noindex", "meta robots: noindex")
        assert seen.stats["item_dropped_count"] == 1
        assert seen.stats["item_dropped_reasons_count/ItemRefused"] == 1
        line = "Dropped: Refused by its page: meta robots: noindex"
        (record,) = (one for one in caplog.records if one.getMessage().startswith(line))
        assert (record.spider, record.item) == (crawler.spider, {"url": site.url("/")})
        cause = f"<GET {site.url('/a')}>, found on {site.url('/')}, X-Robots-Tag: nofollow"
        assert f"Not followed: {cause}" in caplog.text


STRENGTHS = [
    ({"noindex": "drop"}, None, None, 0),
    ({"noindex": "drop"}, {"noindex": "off"}, None, 1),
    ({"noindex": "drop"}, {"nofollow": "count"}, None, 0),
    ({}, {"noindex": "drop"}, None, 0),
    ({}, {"noindex": "drop"}, {"noindex": "count"}, 1),
    ({}, None, {"noindex": "drop"}, 0),
    ('{"noindex": "drop"}', None, None, 0),
]


@pytest.mark.parametrize(("setting", "attribute", "of_request", "items"), STRENGTHS)
@on_reactor
async def test_a_request_is_stronger_than_its_spider_and_that_than_the_settings(
    setting, attribute, of_request, items
):
    with Site({"/robots.txt": robots(""), "/": page(meta("noindex", "googlebot"))}) as site:
        of_this = {} if of_request is None else {"robots_tags": of_request}
        request = scrapy.Request(
            site.url("/"), meta={"robots": {"dialect": "google", "agent": "Googlebot"}, **of_this}
        )
        attributes = {} if attribute is None else {"robots_tags": attribute}
        _, crawler = await crawl(
            request, settings={"ROBOTS_TAGS": setting}, spider=Following, **attributes
        )
        from_page = [item for item in crawler.spider.items if item["url"] == site.url("/")]
        assert len(from_page) == items


@pytest.mark.parametrize(
    ("override", "items", "paths"),
    [({}, 0, ["/b"]), ({"obey": False}, 1, ["/a", "/b"]), ({"agent": "b"}, 1, ["/b"])],
)
@on_reactor
async def test_an_override_for_a_host_holds_for_its_pages(override, items, paths):
    body = '<META Name="a" Content="noindex"><a href="/a" rel="nofollow">a</a><a href="/b">b</a>'
    with Site({"/robots.txt": robots(""), "/": page(body)}) as site:
        settings = {
            "ROBOTSTXT_USER_AGENT": "a",
            "ROBOTS_TAGS": {"noindex": "drop", "rel-nofollow": "drop"},
            "ROBOTS_OVERRIDES": {"127.0.0.1": override},
        }
        _, crawler = await crawl(site.url("/"), settings=settings, spider=Following)
        from_page = [item for item in crawler.spider.items if item["url"] == site.url("/")]
        assert len(from_page) == items
        assert sorted(site.pages) == ["/", *paths]


@pytest.mark.parametrize("kind", REACTORS)
def test_the_middleware_gives_no_warning_on_any_reactor(kind):
    answer = page(X_Robots_Tag="nofollow")
    with Site({"/robots.txt": robots(""), "/": answer}) as site:
        settings = {
            "ADDONS": {"scrapy_robots_policy.Addon": 500},
            "ROBOTS_TAGS": {"nofollow": "drop"},
            **REACTORS[kind],
        }
        seen = crawl_apart(Plan([site.url("/")], settings))
        assert seen.answered == [site.url("/")]


# Preferences about the use of pages, and what a crawl for training does about them.
REFUSED = "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /a train-ai=y\n"


@on_reactor
async def test_a_page_whose_use_is_refused_is_not_fetched():
    with Site({"/robots.txt": robots(REFUSED)}) as site:
        urls = [site.url("/a"), site.url("/b")]
        seen, crawler = await crawl(*urls, settings={"ROBOTS_PURPOSE": "train-ai"})
        assert site.pages == ["/a"]
        cause = "line 2, Content-Usage: train-ai=n"
        assert seen.dropped == {site.url("/b"): f"Forbidden by robots.txt: {cause}"}
        verdict = crawler.spider.verdicts[site.url("/b")]
        assert (verdict.line, verdict.cause) == (2, cause)
        assert seen.stats["robots/dropped/use_refused"] == 1
        assert seen.stats["robotstxt/forbidden"] == 1


@pytest.mark.parametrize("purpose", [None, "search", ["search", "ai-input"]])
@on_reactor
async def test_a_refusal_of_another_use_drops_nothing(purpose):
    with Site({"/robots.txt": robots(REFUSED)}) as site:
        seen, _ = await crawl(site.url("/b"), settings={"ROBOTS_PURPOSE": purpose})
        assert site.pages == ["/b"]
        assert "robots/dropped/use_refused" not in seen.stats


USES = [
    ("train-ai=n", "train-ai", {}, 0, {"use/dropped": 1}),
    ("train-ai=n, search=y", "search,train-ai", {}, 0, {"use/dropped": 1}),
    ("train-ai=n", "search", {}, 1, {}),
    ("train-ai=n", None, {}, 1, {}),
    ("train-ai=y", "train-ai", {}, 1, {}),
    ("train-ai=n", "train-ai", {"use": "count"}, 1, {"use/would_drop": 1}),
    ("train-ai=n", "train-ai", {"use": "mark"}, 1, {"use/marked": 1}),
]


@pytest.mark.parametrize(("header", "purpose", "wanted", "items", "stats"), USES)
@on_reactor
async def test_a_header_that_refuses_the_use_drops_the_item_but_not_the_links(
    header, purpose, wanted, items, stats
):
    with Site({"/robots.txt": robots(""), "/": page(Content_Usage=header)}) as site:
        settings = {"ROBOTS_PURPOSE": purpose, "ROBOTS_TAGS": wanted}
        seen, crawler = await crawl(site.url("/"), settings=settings, spider=Following)
        assert site.pages == ["/", "/a", "/b"]
        from_page = [item for item in crawler.spider.items if item["url"] == site.url("/")]
        assert len(from_page) == items
        assert tag_stats(seen) == stats


def middleware(settings=None, **attributes):
    crawler = get_crawler(settings_dict=settings)
    crawler.spider = crawler._create_spider("test", **attributes)
    return RobotsTagMiddleware(crawler)


class Near:
    """A user's spider middleware between ours and the spider."""

    async def process_spider_output_async(self, response, result, spider=None):
        async for output in result:
            yield output

    def process_spider_output(self, response, result, spider=None):
        return result


class Far(Near):
    """One on the other side of ours."""


@pytest.mark.parametrize("settings", [{}, {"ROBOTS_TAGS": {"noindex": "count"}}])
@on_reactor
async def test_the_middleware_is_found_and_stands_in_its_configured_order(settings):
    class Ordered(Following):
        def parse(self, response):
            self.order = self.crawler.engine.scraper.spidermw.middlewares
            return super().parse(response)

    pages = {"/1": page(""), "/2": page("", X_Robots_Tag="noindex")}
    with Site({"/robots.txt": robots(""), **pages}) as site:
        ordered = {"SPIDER_MIDDLEWARES": {Near: 960, Far: 940}, **settings}
        urls = [site.url("/1"), site.url("/2")]
        seen, crawler = await crawl(*urls, settings=ordered, spider=Ordered)
        kinds = [type(one) for one in crawler.spider.order]
        start = kinds.index(Far)
        assert kinds[start : start + 3] == [Far, RobotsTagMiddleware, Near]
        middleware = crawler.get_spider_middleware(RobotsTagMiddleware)
        assert middleware in crawler.spider.order
        assert tag_stats(seen) == {"noindex/would_drop": 1}


class Unread(HtmlResponse):
    @property
    def selector(self):
        raise AssertionError


def test_the_result_of_a_page_without_tags_passes_unchanged():
    request = scrapy.Request("https://site.example/")
    html = Unread(request.url, body=meta("none").encode(), request=request)
    outputs = [{"url": 1}, None]
    assert middleware().process_spider_output(html, outputs) is outputs
    with pytest.raises(AssertionError):
        middleware({"ROBOTS_TAGS": {"expired": "count"}}).process_spider_output(html, outputs)


# Where a refusal stands, ROBOTS_TDMREP, and whether the items of a page that came are dropped: in a
# dry run it came although robots.txt or the tdmrep.json refuse it.
PLACES = [
    (Place.ROBOTS_TXT, "refuse", False),
    (Place.ROBOTS_TXT, "fetch", False),
    (Place.TDMREP, "refuse", False),
    (Place.TDMREP, "fetch", True),
    (Place.HEADER, "refuse", True),
    (None, "refuse", True),  # nobody answers, since robots.txt is not obeyed: the header counts
]


@pytest.mark.parametrize(("place", "tdmrep", "drops"), PLACES)
def test_only_what_was_not_decided_before_a_page_came_drops_its_items(place, tdmrep, drops):
    reader = middleware({"ROBOTS_PURPOSE": "train-ai", "ROBOTS_TDMREP": tdmrep})
    request = scrapy.Request("https://site.example/")
    header = {"TDM-Reservation": "1"} if place is None else {"TDM-Reservation": "0"}
    html = HtmlResponse(request.url, headers=header, request=request)

    def answered():
        return UseAnswer(holding=(Preference(TDM_RESERVATION, "", "1", 1, place),))

    for receiver in (lambda: "what another receiver returns", answered):
        if place is not None:
            reader.crawler.signals.connect(receiver, PAGE_PREFERENCES, weak=False)
    kept = list(reader.process_spider_output(html, [{"url": 1}]))
    assert kept == ([] if drops else [{"url": 1}])


@pytest.mark.parametrize(("header", "count"), [({}, 0), ({"TDM-Reservation": "0"}, 1)])
def test_only_a_page_that_says_something_is_told_of(header, count):
    """Else the record would have a line for each page."""
    reader, urls = middleware({"ROBOTS_PURPOSE": "train-ai"}), []

    def hear(url):
        urls.append(url)

    reader.crawler.signals.connect(hear, PAGE_PREFERENCES)
    request = scrapy.Request("https://site.example/")
    reader.process_spider_output(HtmlResponse(request.url, headers=header, request=request), ())
    assert urls == [request.url] * count


def test_html_is_not_read_for_a_header_alone():
    request = scrapy.Request("https://site.example/")
    html = Unread(request.url, headers={"X-Robots-Tag": "none"}, request=request)
    reader = middleware({"ROBOTS_PURPOSE": "search"})
    assert reader.process_spider_output(html, ()) != ()  # its outputs are looked at


def test_a_page_without_a_host_has_no_tags_to_obey():
    request = scrapy.Request("data:text/html,")
    html = HtmlResponse(request.url, body=meta("none").encode(), request=request)
    outputs = [{"url": 1}]
    reader = middleware({"ROBOTS_TAGS": {"noindex": "drop"}})
    assert reader.process_spider_output(html, outputs) is outputs


@on_reactor
async def test_no_control_character_and_no_long_text_of_a_tag_reaches_the_log(caplog):
    caplog.set_level("DEBUG")
    header = "*: noindex: \x9b31m\x1b[2J" + "n" * 5000 + ", *: nofollow: n\x85" + "n" * 5000
    with Site({"/robots.txt": robots(""), "/": page(X_Robots_Tag=header)}) as site:
        settings = {"ROBOTS_TAGS": {"noindex": "drop", "nofollow": "drop"}}
        _, crawler = await crawl(site.url("/"), settings=settings, spider=Following)
        (refused,) = crawler.spider.refused
        assert refused.cause.startswith(r"X-Robots-Tag: noindex: \x9b31m\x1b[2Jnnn")
        lines = [record.getMessage() for record in caplog.records]
        ours = [line for line in lines if line.startswith(("Not followed", "Dropped"))]
        assert len(ours) == 3
        assert [line for line in ours if len(line) > 500] == []
        assert all(not set(line) & {"\x85", "\x9b", "\x1b"} for line in lines)


WRONG = [
    (
        {"ROBOTS_TAGS": {"use": "drop", "nofolow": "drop"}},
        {},
        "ROBOTS_TAGS has the key 'nofolow'; the keys are nofollow, rel-nofollow, noindex",
    ),
    (
        {"ROBOTS_TAGS": {"nofollow": "mark"}},
        {},
        "ROBOTS_TAGS has 'mark' for 'nofollow'; it must be one of off, count, drop",
    ),
    (
        {"ROBOTS_TAGS": {"noindex": True}},
        {},
        "ROBOTS_TAGS has True for 'noindex'; it must be one of off, count, mark, drop",
    ),
    ({"ROBOTS_TAGS": "drop"}, {}, "ROBOTS_TAGS is 'drop', which is no JSON; it must be a dict of"),
    ({"ROBOTS_TAGS": ["nofollow"]}, {}, "ROBOTS_TAGS is ['nofollow']; it must be a dict of"),
    ({}, {"robots_tags": "drop"}, "robots_tags is 'drop', which is no JSON; it must be a dict of"),
    ({"ROBOTS_PURPOSE": "train"}, {}, "ROBOTS_PURPOSE is 'train'; it must be one or several of"),
    (
        {"ROBOTS_PURPOSE": 7},
        {},
        "ROBOTS_PURPOSE is 7; it must be one or several of search, ai-input",
    ),
    ({}, {"robots_purpose": ["search", 1]}, "robots_purpose is ['search', 1]; it must be one or"),
]


@pytest.mark.parametrize(("settings", "attributes", "sentence"), WRONG)
def test_a_wrong_value_stops_the_spider_with_a_sentence(settings, attributes, sentence):
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the sentence is looked at below
        middleware(settings, **attributes)
    assert sentence in str(raised.value)


@on_reactor
async def test_a_request_with_a_wrong_action_yields_nothing(caplog):
    with Site({"/robots.txt": robots(""), "/": page()}) as site:
        request = scrapy.Request(site.url("/"), meta={"robots_tags": {"noindex": "hide"}})
        _, crawler = await crawl(request, spider=Following)
        assert crawler.spider.items == []
        assert "request.meta['robots_tags'] has 'hide' for 'noindex'; it must be" in caplog.text


def test_the_defaults():
    crawler = get_crawler()
    crawler.spider = crawler._create_spider("test")
    settings = TagSettings.from_crawler(crawler)
    assert settings.configs.default == RequestConfig(DIALECTS["rfc9309"], "Scrapy")
    assert (settings.actions, settings.use) == (DEFAULTS, NO_USE)
    assert {part for part, action in DEFAULTS.items() if action is not Action.OFF} == {"use"}


OURS = "scrapy_robots_policy.RobotsTagMiddleware"
CHOSEN = [
    ({}, {OURS: 950}),
    ({OURS: 100}, {OURS: 100}),
    ({RobotsTagMiddleware: None}, {RobotsTagMiddleware: None}),
]


@pytest.mark.parametrize(("before", "after"), CHOSEN)
def test_the_addon_adds_the_middleware_once(before, after):
    settings = Settings({"SPIDER_MIDDLEWARES": before})
    Addon().update_settings(settings)
    assert settings.getdict("SPIDER_MIDDLEWARES") == after
