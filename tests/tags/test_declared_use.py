"""What must be true of crawls that declare a use, of sites that say something about it in any form.

The forms: lines of robots.txt, groups of control tokens, tdmrep.json, response headers, robots
tags, and TDMRep's meta tags; and RSL licences, which are shown and not obeyed.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
from scrapy import signals

from scrapy_robots_policy.rep import Reason
from tests.crawls import Chain
from tests.on_reactor import on_reactor
from tests.site import Answer, moved, robots

pytestmark = pytest.mark.slow  # whole crawls

TDMREP = "/.well-known/tdmrep.json"
RSL = 'rel="license"; type="application/rsl+xml"'
ROBOTS = """\
License: https://site.example/global.xml
User-agent: *
Disallow: /private/
Content-Usage: /usage/ train-ai=n, search=y
Content-Signal: search=yes, use=reference

User-agent: Google-Extended
Disallow: /token/
"""


def file(*rules):
    entries = [{"location": path, "tdm-reservation": value} for path, value in rules]
    return Answer(json.dumps(entries).encode(), headers={"Content-Type": "application/json"})


def page(head="", **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(f"<html><head>{head}</head></html>".encode(), headers=named)


def meta(name, content):
    return f'<meta name="{name}" content="{content}">'


# Each page says one thing in one form: what its name says.
PAGES = {
    "/": page(),
    "/usage/": page(),
    "/token/": page(),
    "/tdm/": page(),
    "/usage-header": page(Content_Usage="train-ai=n"),
    "/signal-header": page(Content_Signal="ai-input=no"),
    "/level-header": page(Content_Signal="use=immediate"),
    "/noai-header": page(X_Robots_Tag="noai"),
    "/noai-meta": page(meta("robots", "noimageai")),
    "/noai-for-others": page(meta("otherbot", "noai"), X_Robots_Tag="otherbot: noai"),
    "/tdm-header": page(tdm_reservation="1"),
    "/tdm-meta": page(meta("tdm-reservation", 1)),
    "/tdm-meta-lifts-header": page(meta("tdm-reservation", 0), tdm_reservation="1"),
    "/tdm-neither": page(meta("tdm-reservation", 2), tdm_reservation="yes"),
    "/licence": page(Link=f"<https://site.example/header.xml>; {RSL}"),
}
SITE = {"/robots.txt": robots(ROBOTS), TDMREP: file(("/tdm/", 1), ("/", 0)), **PAGES}
TRAINING = {"/usage-header", "/noai-header", "/noai-meta", "/tdm-header", "/tdm-meta"}
MINING = {"/signal-header", "/tdm-header", "/tdm-meta"}
FOR_TRAINING = {"ROBOTS_PURPOSE": "train-ai"}
TOKEN, RESERVED = {"/token/"}, {"/usage/", "/tdm/"}
# Settings, pages that are not fetched, and pages that are fetched and whose items are dropped.
DECLARED = {
    "nothing": ({}, set(), set()),
    "search": ({"ROBOTS_PURPOSE": "search"}, set(), set()),
    "ai-input": ({"ROBOTS_PURPOSE": "ai-input"}, {"/token/", "/tdm/"}, MINING),
    "train-ai": (FOR_TRAINING, RESERVED | TOKEN, TRAINING),
    "without tokens": ({**FOR_TRAINING, "ROBOTS_PURPOSE_TOKENS": []}, RESERVED, TRAINING),
    "a token alone": ({"ROBOTS_PURPOSE_TOKENS": "google-extended"}, TOKEN, set()),
    "all": (
        {"ROBOTS_PURPOSE": ["search", "ai-input", "train-ai"]},
        RESERVED | TOKEN,
        TRAINING | MINING,
    ),
    "reference": ({"ROBOTS_CONTENT_USE": "reference"}, set(), {"/level-header"}),
    "full": ({"ROBOTS_CONTENT_USE": "full"}, set(PAGES), set()),
    "fetch what is reserved": (
        {**FOR_TRAINING, "ROBOTS_TDMREP": "fetch"},
        {"/usage/", "/token/"},
        TRAINING | {"/tdm/"},
    ),
    "only counted": ({**FOR_TRAINING, "ROBOTS_TAGS": {"use": "count"}}, RESERVED | TOKEN, set()),
    "a dry run": ({**FOR_TRAINING, "ROBOTS_DRY_RUN": True}, set(), set()),
}


class Keeping(Chain):
    """Makes an item of every page, and keeps the path of each that is scraped."""

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.kept = set()
        crawler.signals.connect(spider.keep, signals.item_scraped)
        return spider

    def keep(self, item):
        self.kept.add(item["url"].removeprefix("http://a.test"))

    def parse(self, response):
        yield {"url": response.url}
        yield from super().parse(response)


@pytest.mark.parametrize("name", DECLARED)
@on_reactor
async def test_each_form_is_obeyed_for_the_declared_use_and_nothing_is_fetched_twice(name, web):
    declared, unfetched, dropped = DECLARED[name]
    site = web({"a.test": SITE})
    crawl = site.start(*map("http://a.test{}".format, PAGES), settings=declared, spider=Keeping)
    seen = await crawl.end()
    assert {url.removeprefix("http://a.test") for url in site.pages} == PAGES.keys() - unfetched
    assert max(Counter(site.urls).values()) == 1
    is_mining = "train-ai" in str(declared) or "ai-input" in str(declared)
    assert (f"http://a.test{TDMREP}" in site.urls) is is_mining
    assert crawl.crawler.spider.kept == PAGES.keys() - unfetched - dropped
    assert seen.stats.get("robots/tags/use/dropped", 0) == len(dropped)
    verdicts = crawl.crawler.spider.verdicts.values()
    assert {one.reason for one in verdicts} <= {Reason.USE_REFUSED}


@dataclass
class Case:
    """A crawl for training: its hosts, the paths that it asks a.test for, those that it gets.

    fetches   requests for a tdmrep.json
    ahead     URLs that are asked for one after the other behind the first one
    """

    site: dict[str, Any]
    asked: tuple[str, ...] = ("/no", "/yes")
    got: tuple[str, ...] = ("/yes",)
    fetches: int = 1
    settings: dict[str, Any] = field(default_factory=dict)
    other: dict[str, Any] = field(default_factory=dict)
    ahead: tuple[str, ...] = ()


OPEN = {"/robots.txt": robots("")}
NO = file(("/no", 1))
HIDDEN = robots("User-agent: *\nDisallow: /.well-known/")
OWN = {"a.test": {"robots_txt": "User-agent: *\nDisallow: /closed"}}
BOTH = ("/no", "/yes")
SILENT = {
    "missing": Answer(status=404),
    "forbidden": Answer(status=403),
    "failing": Answer(status=500),
    "an HTML page": page(),
    "an object": Answer(b'{"location": "/no", "tdm-reservation": 1}'),
    "deep": Answer(b"[" * 400_000),
    "large": Answer(b"[" + b'{"location": "/no", "tdm-reservation": 1},' * 20_000),
    "no text": Answer(b'["\xe9"]'),
    "never answered": Answer(after=None),
    "a loop": moved(TDMREP),
}
CASES = {
    "a path is reserved": Case({**OPEN, TDMREP: NO}),
    **{f"it is {name}": Case({**OPEN, TDMREP: one}, got=BOTH) for name, one in SILENT.items()},
    "a page lifts what its file reserves": Case(
        {**OPEN, TDMREP: file(("/", 1)), "/lifts": page(tdm_reservation="0")},
        ("/lifts", "/keeps"),
        ("/lifts",),
        settings={"ROBOTS_TDMREP": "fetch"},
    ),
    "a page that takes longer than its file lives": Case(
        {**OPEN, TDMREP: file(("/", 1)), "/no": Answer(after=5)},
        ("/no",),
        (),
        settings={"ROBOTS_TDMREP": "fetch", "ROBOTS_TTL": 1},
    ),
    "nothing may be fetched": Case(
        {"/robots.txt": robots("User-agent: *\nDisallow: /"), TDMREP: NO}, got=(), fetches=0
    ),
    "robots.txt forbids the file": Case({"/robots.txt": HIDDEN, TDMREP: NO}, got=BOTH, fetches=0),
    "the user's own robots.txt": Case(
        {TDMREP: NO}, ("/no", "/closed", "/yes"), settings={"ROBOTS_OVERRIDES": OWN}
    ),
    "a redirect to a robots.txt is none of that host": Case(
        {**OPEN, TDMREP: moved("http://b.test/robots.txt")},
        ("/no",),
        ("/no", "http://b.test/yes"),
        fetches=2,
        other={"/robots.txt": robots("User-agent: *\nDisallow: /no")},
        ahead=("http://b.test/no", "http://b.test/yes"),
    ),
    "a redirect to the file of another host": Case(
        {**OPEN, TDMREP: moved(f"http://b.test{TDMREP}")},
        fetches=2,
        other={**OPEN, TDMREP: NO},
        ahead=("http://b.test/no",),
    ),
}


@pytest.mark.parametrize("name", CASES)
@on_reactor
async def test_a_tdmrep_json_refuses_what_it_reserves_and_else_nothing(name, web):
    case = CASES[name]
    site = web({"a.test": case.site, "b.test": case.other})
    first, *more = map("http://a.test{}".format, case.asked)
    crawl = site.start(
        first,
        settings={**FOR_TRAINING, "ROBOTS_ON_UNREACHABLE": "defer", **case.settings},
        spider=Keeping,
        ahead=[*more, *case.ahead],
    )
    await crawl.end()
    assert crawl.crawler.spider.kept == set(case.got)
    assert sum(url.endswith(TDMREP) for url in site.urls) == case.fetches


@on_reactor
async def test_a_stored_tdmrep_json_is_not_fetched_again(web, tmp_path):
    settings = {**FOR_TRAINING, "ROBOTS_STORE": f"sqlite:{tmp_path / 'store.sqlite'}"}
    site = web({"a.test": {**OPEN, TDMREP: NO}})
    for _ in range(2):
        seen = await site.crawl("http://a.test/no", "http://a.test/yes", settings=settings)
        assert seen.answered == ["http://a.test/yes"]
    assert len(site.fetches()) == 2


@on_reactor
async def test_a_tdmrep_json_takes_its_turn_where_a_delay_is_kept(web):
    slow = robots("User-agent: *\nCrawl-delay: 5\n")
    site = web({"a.test": {"/robots.txt": slow, TDMREP: NO}})
    await site.crawl("http://a.test/yes", settings=FOR_TRAINING)
    began = [hit.began for hit in site.hits]
    assert len(began) == 3
    assert min(began[1] - began[0], began[2] - began[1]) >= 5


@on_reactor
async def test_a_tdmrep_json_that_never_comes_stops_no_other_host(web):
    site = web({"a.test": {**OPEN, TDMREP: Answer(after=1000)}, "b.test": {**OPEN, TDMREP: NO}})
    urls = [f"http://{host}.test/{number}" for number in range(40) for host in "ab"]
    settings = {**FOR_TRAINING, "CONCURRENT_REQUESTS": 8, "ROBOTS_FETCH_TIMEOUT": 2000}
    await site.crawl(*urls, settings=settings)
    assert len(site.visits("a.test")) == 40
    assert max(hit.began for hit in site.visits("b.test")) < 1000
