"""What must be true of pages that say more than robots.txt: robots tags, and rel="nofollow"."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest
import scrapy
from scrapy.linkextractors import LinkExtractor
from scrapy.settings import Settings

from scrapy_robots_policy import Addon, RobotsTagMiddleware
from tests.crawls import Spider
from tests.on_reactor import on_reactor
from tests.site import Answer
from tests.tags.pages import (
    HERE,
    LINKED,
    LINKS,
    OPEN,
    Following,
    FollowingAsync,
    Row,
    asking,
    crawl_rows,
)

pytestmark = pytest.mark.slow  # whole crawls

ALL = ("nofollow", "noindex", "noarchive", "expired", "rel-nofollow", "use")
PAST, FUTURE = "Fri, 01 Jan 2016 00:00:00 GMT", "Sat, 01 Jan 2050 00:00:00 GMT"
NO_LINKS, NO_INDEX = {"nofollow": "drop"}, {"noindex": "drop"}


def meta(content, name="robots"):
    return f'<META Name="{name}" Content="{content}">{LINKS}'


def header(value):
    return {"X-Robots-Tag": value}


@dataclass
class Bare:
    name: str


@dataclass(frozen=True)
class Frozen:
    name: str
    robots_tags: tuple[str, ...] = ()


PNG = {"Content-Type": "image/png"}
PAGES = {
    "nothing is said": Row(tags=dict.fromkeys(ALL, "drop")),
    "nothing is wanted": Row(meta("none")),
    "a header, and nothing is wanted": Row(headers=header("none, noarchive")),
    "only counted": Row(meta("none"), tags={"nofollow": "count", "noindex": "count"}),
    "nofollow": Row(meta("NOFOLLOW"), tags=NO_LINKS, sent=()),
    "nofollow for this crawler": Row(
        meta("index") + meta("nofollow", "TestBot"), tags=NO_LINKS, sent=()
    ),
    "nofollow for another": Row(
        meta("nofollow", "otherbot"), header("otherbot: none"), tags=NO_LINKS
    ),
    "nofollow in a header": Row(headers=header("testbot: nofollow"), tags=NO_LINKS, sent=()),
    "noindex": Row(meta("noindex"), tags=NO_INDEX, kept=False),
    "only what is wanted": Row(meta("none"), tags=NO_INDEX, kept=False),
    "marks": Row(
        meta("noarchive, noindex"),
        tags={"noarchive": "mark", "noindex": "mark"},
        marks=("noindex", "noarchive"),
    ),
    "an item without a field": Row(
        meta("noindex"), tags={"noindex": "mark"}, item=Bare, kept=False
    ),
    "an item that is frozen": Row(
        meta("noindex"), tags={"noindex": "mark"}, item=Frozen, kept=False
    ),
    "expired": Row(
        headers=header(f"unavailable_after: {PAST}"), tags={"expired": "drop"}, kept=False
    ),
    "not yet expired": Row(
        headers=header(f"unavailable_after: {FUTURE}"), tags={"expired": "drop"}
    ),
    "itself again": Row('<a href="">a</a>' + meta("nofollow"), tags=NO_LINKS, sent=(HERE,)),
    "a picture": Row(b"\x89PNG\r\n\x1a\n", PNG, dict.fromkeys(ALL, "drop"), sent=()),
    "names of meta tags": Row(
        '<meta name="description" content="noindex"><meta content="noindex"><meta name="robots">',
        tags=NO_INDEX,
        sent=(),
    ),
    "white space around a name": Row(meta("noindex", " ROBOTS"), tags=NO_INDEX, kept=False),
    "after the end of a page": Row(
        f"<html><p>text</html><!-- two --><html>{meta('noindex')}",
        tags=NO_INDEX,
        make=asking(),
        sent=(),
        kept=False,
    ),
    "a base that is no URL": Row(
        f"<base href='http://[site]/'>{meta('noindex')}",
        tags=NO_INDEX,
        make=asking(),
        sent=(),
        kept=False,
    ),
    "half a pair of UTF-16": Row(
        rb"<meta name=robots content=noindex>\ud800",
        {"Content-Type": "text/html; charset=unicode-escape"},
        NO_INDEX,
        make=asking(),
        sent=(),
        kept=False,
    ),
    "rel is not wanted": Row('<a href="/a" rel="nofollow">a</a>', sent=LINKED[:1]),
}
SITE = "https://site.example"
# What a page links to: a request's URL, links with nofollow, links without, and whether it goes.
HREFS = {
    "refused": (f"{SITE}/a", ["/a"], ["/b"], False),
    "no link": (f"{SITE}/b", ["/a"], [], True),
    "also without nofollow": (f"{SITE}/a", ["/a"], ["/a"], True),
    "without, as an absolute URL": (f"{SITE}/a", ["/a"], ["HTTPS://SITE.example/a#top"], True),
    "without, as a relative one": (f"{SITE}/a", ["/a"], ["x/../../a"], True),
    "the order of a query": (f"{SITE}/?a=1&b=2", ["/?b=2&a=1"], [], False),
    "the order of a query, without": (f"{SITE}/?a=1&b=2", ["/?b=2&a=1"], ["/?a=1&b=2"], True),
    "a query alone": (f"{SITE}/folder/page?p=2", ["?p=2"], ["?p=3"], False),
    "a blank value": (f"{SITE}/a?p=", ["/a?p"], [], False),
    "an empty query": (f"{SITE}/a", ["/a?"], [], False),
    "case": (f"{SITE}/A", ["/A"], ["/a"], False),
    "another folder": (f"{SITE}/a/x", ["/b/x"], [], True),
    "another host": ("https://other.example/a", ["//other.example/a"], ["/a"], False),
    "a host alone": ("https://other.example/", ["//other.example"], [], False),
    "a port": ("https://other.example:8/a", ["//other.example:8/a"], ["//other.example/a"], False),
    "a slash at the end": (f"{SITE}/a/", ["/a/"], ["/a"], False),
    "no slash at the end": (f"{SITE}/a", ["/a/"], [], True),
    "dots": (f"{SITE}/a/", ["/a/b/.."], [], False),
    "dots in a name": (f"{SITE}/.a..b", ["/.a..b"], [], False),
    "the page itself": (HERE, ["#top"], [], True),
    "a fragment": (f"{SITE}/a#x", ["/a#y"], [], False),
    "escapes of ASCII": (f"{SITE}/abc", ["/%61bc"], [], False),
    "escapes of ASCII, without": (f"{SITE}/abc", ["/abc"], ["/%61bc"], True),
    "an escape that is no UTF-8": (f"{SITE}/%E9?%E9", ["/%e9?%e9="], [], False),
    "not ASCII": (f"{SITE}/%C3%A9", ["/é"], ["/e"], False),
    "a host that is not ASCII": (
        "https://xn--bcher-kva.example/a",
        ["//bücher.example/a"],
        [],
        False,
    ),
    "white space around": (f"{SITE}/a", [" \n/a\t"], [], False),
    "a tab within": (f"{SITE}/ab", ["/a\tb"], [], False),
    "no http": (f"{SITE}/a", ["javascript:a()", "data:text/plain,a", "mailto:a"], [], True),
    "no URL": (f"{SITE}/a", ["//[broken", "http://a:b/", "/a"], ["//[broken"], False),
}
RELS = {
    **dict.fromkeys(["nofollow", "NoFollow", "ugc nofollow", "nofollow,ugc"], False),
    **dict.fromkeys(["noopener\tnofollow\nugc", "&#x4e;OFOLLOW", "no&#0102ollow"], False),
    **dict.fromkeys(["", "follow", "nofollowing", "x-nofollow", "no&#8217;follow"], True),
}
EXTRACTORS = {
    "follow_all": lambda html: html.follow_all(css="a", dont_filter=True),
    "urljoin": lambda html: asking(*map(html.urljoin, html.css("a::attr(href)").getall()))(html),
    "LinkExtractor": lambda html: asking(
        *(link.url for link in LinkExtractor(canonicalize=True, unique=False).extract_links(html))
    )(html),
}
SPELT = ["/x?b=2&a=1#f", "/é?é=ü", "//bücher.example/ü?a=%e9+b%20c", "a/../b/", "?z", "x y", "/%7e"]


def link(href, rel="nofollow"):
    return f'<a href="{href}" rel="{rel}">text</a>'


def rel_row(html, make, *sent, charset="utf-8"):
    kind = {"Content-Type": f"text/html; charset={charset}"}
    return Row(html.encode(charset), kind, {"rel-nofollow": "drop"}, make=make, sent=sent)


RELATED = {
    name: rel_row(
        "".join([*map(link, refused), *(link(href, "") for href in others)]),
        asking(url),
        *[url.partition("#")[0]] * goes,
    )
    for name, (url, refused, others, goes) in HREFS.items()
}
RELATED |= {
    f"{tag} rel={rel!r}": rel_row(
        f'<{tag} href="/a" rel="{rel}">', asking(LINKED[0]), *LINKED[:goes]
    )
    for tag in ("a", "AREA")
    for rel, goes in RELS.items()
}
RELATED |= {
    f"{name} in {charset}": rel_row("".join(map(link, SPELT)), make, charset=charset)
    for name, make in EXTRACTORS.items()
    for charset in ("utf-8", "latin-1")
}
RELATED["the base of the page"] = rel_row(
    f'<base href="//other.example/x/">{link("a")}',
    asking("https://other.example/x/a", f"{SITE}/folder/a"),
    f"{SITE}/folder/a",
)
RELATED["UTF-16 that is not declared"] = Row(
    link("/a").encode("utf-16-le"), {"Content-Type": "text/html"}, {"rel-nofollow": "drop"}, sent=()
)
ROWS = PAGES | RELATED
STATS = {
    "nofollow/dropped": 10,
    "nofollow/would_drop": 6,
    "noindex/dropped": 8,
    "noindex/would_drop": 2,
    "noindex/marked": 1,
    "noarchive/marked": 1,
    "noarchive/would_drop": 1,
    "expired/dropped": 1,
}


@pytest.mark.parametrize("kind", [Following, FollowingAsync])
@on_reactor
async def test_tags_are_obeyed_as_far_as_the_user_wants(web, kind):
    spider = await crawl_rows(web, ROWS, kind)
    for name, row in ROWS.items():
        assert sorted(spider.sent[name]) == sorted(row.sent), name
        assert (name in spider.items) == row.kept, name
        if row.marks:
            assert spider.items[name]["robots_tags"] == list(row.marks)
    rel = spider.tag_stats.pop("rel-nofollow/dropped")
    assert rel >= sum(not row.sent for row in RELATED.values())
    assert spider.tag_stats == STATS
    refusal = spider.refused["noindex"]
    assert (refusal.part, refusal.cause) == ("noindex", "meta robots: noindex")


@on_reactor
async def test_a_dry_run_drops_no_item_and_no_link_and_counts_what_it_would_drop(web):
    spider = await crawl_rows(web, ROWS, ROBOTS_DRY_RUN=True)
    assert spider.items.keys() == ROWS.keys()
    made = Counter({name: len(sent) for name, sent in spider.sent.items()})
    assert made["nofollow"] == made["nofollow in a header"] == 2
    assert made["follow_all in utf-8"] == len(SPELT)
    assert {name.partition("/")[2] for name in spider.tag_stats} == {"would_drop", "marked"}


# ROBOTS_TAGS, the spider's attribute, the request's meta, and whether a page of noindex is kept.
STRENGTHS = [
    ({"noindex": "drop"}, None, {}, False),
    ({"noindex": "drop"}, {"noindex": "off"}, {}, True),
    ({"noindex": "drop"}, {"nofollow": "count"}, {}, False),
    ({}, {"noindex": "drop"}, {}, False),
    ({}, {"noindex": "drop"}, {"noindex": "count"}, True),
    ({}, None, {"noindex": "drop"}, False),
    ('{"noindex": "drop"}', None, {}, False),
]


@pytest.mark.parametrize(("setting", "attribute", "of_request", "kept"), STRENGTHS)
@on_reactor
async def test_a_request_is_stronger_than_its_spider_and_that_than_the_settings(
    web, setting, attribute, of_request, kept
):
    google = {"robots": {"dialect": "google", "agent": "Googlebot"}}
    row = Row(meta("noindex", "googlebot"), tags=of_request, meta=google)
    kind = type("Kind", (Following,), {"robots_tags": attribute} if attribute else {})
    spider = await crawl_rows(web, {"page": row}, kind, ROBOTS_TAGS=setting)
    assert ("page" in spider.items) is kept


@pytest.mark.parametrize(
    ("override", "kept", "sent"),
    [({}, False, LINKED[1:]), ({"obey": False}, True, LINKED), ({"agent": "b"}, True, LINKED[1:])],
)
@on_reactor
async def test_an_override_for_a_host_holds_for_its_pages(web, override, kept, sent):
    html = f'<META Name="testbot" Content="noindex">{link("/a")}{link("/b", "")}'
    settings = {
        "ROBOTS_TAGS": {"noindex": "drop", "rel-nofollow": "drop"},
        "ROBOTS_OVERRIDES": {"site.example": override},
    }
    spider = await crawl_rows(web, {"page": Row(html)}, **settings)
    assert ("page" in spider.items) is kept
    assert sorted(spider.sent["page"]) == sorted(sent)


@on_reactor
async def test_no_control_character_and_no_long_text_of_a_tag_reaches_the_log(web, caplog):
    caplog.set_level("DEBUG")
    text = "*: noindex: \\x9b31m\\x1b[2J" + "n" * 5000 + ", *: nofollow: n\\x85" + "n" * 5000
    row = Row(headers=header(text.encode().decode("unicode-escape")), tags=NO_LINKS | NO_INDEX)
    spider = await crawl_rows(web, {"page": row})
    assert spider.refused["page"].cause.startswith("X-Robots-Tag: noindex: ")
    lines = [record.getMessage() for record in caplog.records]
    ours = [line for line in lines if "X-Robots-Tag" in line]
    assert len(ours) == 3  # the item and two links
    assert max(map(len, ours)) < 500
    assert all(line.replace("\n", "").isprintable() for line in ours)


WRONG = [
    ({"ROBOTS_TAGS": {"use": "drop", "nofolow": "drop"}}, {}, "nofolow"),
    ({"ROBOTS_TAGS": {"nofollow": "mark"}}, {}, "off, count, drop"),
    ({"ROBOTS_TAGS": {"noindex": True}}, {}, "off, count, mark, drop"),
    ({"ROBOTS_TAGS": "drop"}, {}, "JSON"),
    ({}, {"robots_tags": "drop"}, "robots_tags"),
    ({"ROBOTS_PURPOSE": "train"}, {}, "ROBOTS_PURPOSE"),
    ({}, {"robots_purpose": ["search", 1]}, "robots_purpose"),
]


@pytest.mark.parametrize(("settings", "attributes", "why"), WRONG)
@on_reactor
async def test_a_wrong_value_stops_the_spider_with_a_sentence(web, settings, attributes, why):
    site = web({"a.test": OPEN})
    with pytest.raises(ValueError, match=why):
        await site.crawl("http://a.test/", settings=settings, **attributes)
    assert site.hits == []


@on_reactor
async def test_a_request_with_a_wrong_action_yields_nothing_and_is_an_error(web):
    class Gathering(Spider):
        def parse(self, response):
            yield {"url": response.url}

    request = scrapy.Request("http://a.test/", meta={"robots_tags": {"noindex": "hide"}})
    seen = await web({"a.test": {**OPEN, "/": Answer()}}).crawl(request, spider=Gathering)
    assert "item_scraped_count" not in seen.stats
    assert seen.stats["log_count/ERROR"] == 1


OURS = "scrapy_robots_policy.RobotsTagMiddleware"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {OURS: 950}),
        ({OURS: 100}, {OURS: 100}),
        ({RobotsTagMiddleware: None}, {RobotsTagMiddleware: None}),
    ],
)
def test_the_addon_adds_the_middleware_where_the_user_has_not(before, after):
    settings = Settings({"SPIDER_MIDDLEWARES": before})
    Addon().update_settings(settings)
    assert settings.getdict("SPIDER_MIDDLEWARES") == after
